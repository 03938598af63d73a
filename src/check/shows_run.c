/* What a finite run shows, by the states that it goes through. */
#include "check/shows.h"

static size_t last(const struct check_shown_run *run)
{
    return run->witness->length;
}

static bool shows_exclusion(struct check_shown_run *run)
{
    for (size_t s = 0; s <= last(run); s++) {
        const uint64_t *state = check_run_state(run, s);
        if (check_clash(run->model, state, check_critical_set(run->model, state)))
            return true;
    }
    return check_run_complains(run, "those that are critical at once may be");
}

static bool shows_state(struct check_shown_run *run)
{
    return check_state_breaks(run->model, check_run_state(run, last(run)), run->query.property) ||
           check_run_complains(run, "the last state violates nothing");
}

static bool shows_memory(struct check_shown_run *run)
{
    const struct check_model *model = run->model;
    for (unsigned p = 0; p < model->n; p++) {
        for (size_t s = 1; s <= last(run); s++) {
            uint64_t first[CHECK_MAX_WORDS] = {0}, now[CHECK_MAX_WORDS] = {0};
            model->local_state(model, check_run_state(run, 0), p, first);
            model->local_state(model, check_run_state(run, s), p, now);
            if (check_run_region(run, s, p) == CHECK_REMAINDER &&
                !check_same_state(first, now, CHECK_MAX_WORDS))
                return true;
        }
    }
    return check_run_complains(run, "nobody comes back to another remainder state");
}

static bool shows_lost(struct check_shown_run *run)
{
    const uint32_t id = check_run_number(run, last(run));
    if (id == CHECK_NONE)
        return check_run_complains(run, "it leads to a state that is not in the graph");
    const int fills = check_can_fill(run->graph, id);
    run->no_memory = fills < 0;
    return fills == 0 || check_run_complains(run, "the slots can be filled");
}

static bool shows_exit(struct check_shown_run *run)
{
    for (size_t s = 0; s <= last(run); s++) {
        if (check_run_count(run, s, CHECK_EXIT) > 0)
            return true;
    }
    return check_run_complains(run, "nobody is in an exit region");
}

static bool shows_not_full(struct check_shown_run *run)
{
    const unsigned l = run->model->l;
    const unsigned critical = check_run_count(run, last(run), CHECK_CRITICAL);
    const unsigned trying = check_run_count(run, last(run), CHECK_WAITING);
    unsigned enabled = 0;
    for (unsigned p = 0; p < check_workers(run->model); p++)
        enabled += check_run_enabled(run, run->enabled->critical, last(run), p);
    const unsigned room = critical < l ? l - critical : 0;
    return critical > l || enabled != (room < trying ? room : trying) ||
           check_run_complains(run, "as many are enabled as should be");
}

/* The most times that j goes from remainder to critical (`entries`: enters its critical region) in
 * a stretch in which i waits. The last step may be the one that ends the wait. To count from the
 * beginning of the stretch never gives less. */
static uint64_t most_in_a_wait(const struct check_shown_run *run, enum check_run_wait how,
                               unsigned i, unsigned j, bool entries)
{
    uint64_t most = 0, count = 0;
    bool rested = false, waiting = false;
    for (size_t s = 0; s <= last(run); s++) {
        const enum check_region now = check_run_region(run, s, j);
        if (waiting) {
            const bool enters =
                now == CHECK_CRITICAL && check_run_region(run, s - 1, j) != CHECK_CRITICAL;
            const bool closes = rested && now == CHECK_CRITICAL;
            count += entries ? enters : closes;
            rested = rested && !closes;
            most = count > most ? count : most;
        }
        waiting = check_run_waits(run, how, s, i);
        if (!waiting) {
            count = 0;
            rested = false;
        } else {
            rested |= now == CHECK_REMAINDER;
        }
    }
    return most;
}

static bool shows_more(struct check_shown_run *run, enum check_run_wait how, bool entries,
                       uint64_t bound)
{
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        for (unsigned j = 0; j < check_workers(run->model); j++) {
            if (i != j && most_in_a_wait(run, how, i, j, entries) > bound)
                return true;
        }
    }
    return check_run_complains(run, "nobody is overtaken that often");
}

/* More steps of one process than allowed, from its remainder to the end of its doorway. */
static bool shows_long_doorway(struct check_shown_run *run)
{
    const struct check_model *model = run->model;
    uint64_t count[CHECK_MAX_PROCESSES] = {0};
    for (size_t s = 0; s < last(run); s++) {
        const unsigned edge = run->witness->edge[s], p = edge % model->n;
        const enum check_region from = check_run_place(run, s, p);
        if (check_step_edges(model) >> edge & 1 && from == CHECK_REMAINDER)
            count[p] = 1;
        else if (check_step_edges(model) >> edge & 1 && from == CHECK_DOORWAY)
            count[p]++;
        if (count[p] > run->query.bound)
            return true;
        if (check_run_place(run, s + 1, p) != CHECK_DOORWAY)
            count[p] = 0;
    }
    return check_run_complains(run, "no doorway takes that many steps");
}

static bool held_up(const struct check_shown_run *run, size_t at, unsigned i)
{
    return check_run_place(run, at, i) == CHECK_WAITING &&
           !check_run_enabled(run, run->enabled->critical, at, i);
}

/* At the end j is critical (`strong`: or enabled in its waiting room), and it was in its remainder
 * while i has been held up, which it still is. */
static bool gets_ahead(const struct check_shown_run *run, bool strong, unsigned i, unsigned j)
{
    const enum check_region now = check_run_place(run, last(run), j);
    if (now != CHECK_CRITICAL && !(strong && now == CHECK_WAITING &&
                                   check_run_enabled(run, run->enabled->critical, last(run), j)))
        return false;
    for (size_t s = last(run) + 1; s-- > 0 && held_up(run, s, i);) {
        if (check_run_place(run, s, j) == CHECK_REMAINDER)
            return true;
    }
    return false;
}

static bool shows_ahead(struct check_shown_run *run, bool strong)
{
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        for (unsigned j = 0; j < check_workers(run->model); j++) {
            if (i != j && gets_ahead(run, strong, i, j))
                return true;
        }
    }
    return check_run_complains(run, "nobody gets ahead");
}

/* An enabled process takes more own steps in its waiting room than allowed. */
static bool shows_slow_entry(struct check_shown_run *run)
{
    uint64_t count[CHECK_MAX_PROCESSES] = {0};
    for (size_t s = 0; s < last(run); s++) {
        for (unsigned i = 0; i < check_workers(run->model); i++) {
            const bool counts = check_run_place(run, s, i) == CHECK_WAITING && !held_up(run, s, i);
            count[i] = counts ? count[i] + (run->witness->edge[s] == i) : 0;
            if (run->query.has_bound && count[i] > run->query.bound)
                return true;
        }
    }
    return check_run_complains(run, "nobody gets ahead, or takes that many steps");
}

/* i is overtaken more often than allowed, by all others together. */
static bool shows_overtaken(struct check_shown_run *run)
{
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        uint64_t count = 0, rested = 0;
        for (size_t s = 0; s <= last(run); s++) {
            if (!held_up(run, s, i)) {
                count = rested = 0;
                continue;
            }
            for (unsigned j = 0; j < check_workers(run->model); j++) {
                const enum check_region now = check_run_place(run, s, j);
                if (j != i && now == CHECK_REMAINDER)
                    rested |= UINT64_C(1) << j;
                if (now == CHECK_CRITICAL && rested >> j & 1) {
                    rested &= ~(UINT64_C(1) << j);
                    count++;
                }
            }
            if (run->query.has_bound && count > run->query.bound)
                return true;
        }
    }
    return check_run_complains(run, "nobody is overtaken that often");
}

/* What the model says about the processes that p waits for is wrong at the end. */
static bool shows_wrong_belief(const struct check_shown_run *run)
{
    const struct check_model *model = run->model;
    const uint64_t *now = check_run_state(run, last(run));
    for (unsigned i = 0; i < check_workers(model) && model->ahead != NULL; i++) {
        if (check_run_place(run, last(run), i) != CHECK_WAITING)
            continue;
        const uint64_t ahead = model->ahead(model, now, i);
        if (((unsigned)__builtin_popcountll(ahead) < model->l) !=
            check_run_enabled(run, run->enabled->critical, last(run), i))
            return true;
        if (last(run) > 0 && check_run_place(run, last(run) - 1, i) == CHECK_WAITING &&
            (ahead & ~model->ahead(model, check_run_state(run, last(run) - 1), i)) != 0)
            return true;
    }
    return false;
}

bool check_run_shows(struct check_shown_run *run)
{
    const bool bounded = run->query.has_bound;
    switch (run->query.property) {
    case CHECK_EXCLUSION: return shows_exclusion(run);
    case CHECK_DISTINCT_SLOTS:
    case CHECK_OWN:
    case CHECK_WINDOW: return shows_state(run);
    case CHECK_INVARIANTS:
        return (run->enabled != NULL && shows_wrong_belief(run)) || shows_state(run);
    case CHECK_NO_MEMORY: return shows_memory(run);
    case CHECK_NO_SLOT_LOST: return shows_lost(run);
    case CHECK_L_FULL: return shows_not_full(run);
    case CHECK_BOUNDED_WAITING:
    case CHECK_BOUNDED_WAITING_ENABLING:
        return bounded
                   ? shows_more(run, CHECK_IN_T_OR_E, false, run->query.bound)
                   : check_run_complains(run, "nobody waits while another goes round and round");
    case CHECK_LINEAR_WAITING:
        return bounded ? shows_more(run, CHECK_WAITING_ROOM, true, run->query.bound)
                       : check_run_complains(run, "it is no cycle");
    case CHECK_FIFO:
        return check_has_own_order(run->model) ? check_run_shows_order(run)
                                               : shows_more(run, CHECK_PAST_DOORWAY, false, 0);
    case CHECK_FIFO_ENABLING: return shows_more(run, CHECK_PAST_DOORWAY, false, 0);
    case CHECK_QUEUELIKE: /* its parts */
        return shows_exclusion(run) || shows_exit(run) || shows_not_full(run) ||
               shows_more(run, CHECK_PAST_DOORWAY, false, 0);
    case CHECK_WAIT_FREE_DOORWAY:
        return bounded ? shows_long_doorway(run) : check_run_complains(run, "it is no cycle");
    case CHECK_FIRST_IN_FIRST_ENABLED: return shows_ahead(run, false) || shows_slow_entry(run);
    case CHECK_STRONG_FIRST_IN_FIRST_ENABLED: return shows_ahead(run, true);
    case CHECK_OVERTAKING: return shows_overtaken(run);
    case CHECK_RESPONSIVE:
    case CHECK_PRECEDENCE:
    case CHECK_ACYCLIC:
    case CHECK_COMPARABLE:
    case CHECK_STABLE: return check_run_shows_order(run);
    case CHECK_REENTRY:
    case CHECK_BOUNDED_RECOVERY:
    case CHECK_BOUNDED_EXIT:
    case CHECK_BOUNDED_ABORT: return check_run_shows_recovery(run);
    case CHECK_RMR_PASSAGE:
    case CHECK_RMR_SUPER_PASSAGE: return check_run_shows_remote(run);
    default: return check_run_complains(run, "a finite run does not show this");
    }
}
