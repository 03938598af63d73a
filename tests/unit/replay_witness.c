#include "replay_witness.h"
#include "replay_ranks.h"

static bool complain(struct replay *replay, const char *what)
{
    if (replay->complaint[0] == '\0')
        snprintf(replay->complaint, sizeof replay->complaint, "%s (%s; %zu steps, stem %zu)", what,
                 replay->result->about, replay->length, replay->stem);
    return false;
}

/* Runs the schedule; false: some edge does not exist. */
static bool replay_begin(struct replay *replay, const struct check_model *model,
                         const struct check_result *result)
{
    const struct check_witness *witness = &result->witness;
    *replay = (struct replay){
        .model = model, .result = result, .length = witness->length, .stem = witness->stem};
    if (witness->edge == NULL)
        return complain(replay, "there is no witness");
    replay->state = calloc(witness->length + 1, sizeof *replay->state);
    assert_non_null(replay->state);
    model->initial(model, replay->state[0]);
    for (size_t s = 0; s < witness->length; s++) {
        struct check_note note;
        if (witness->edge[s] >= model->n * model->kinds ||
            !model->describe(model, replay->state[s], witness->edge[s], replay->state[s + 1],
                             &note))
            return complain(replay, "a step of the witness does not exist");
    }
    if (witness->stem > witness->length)
        return complain(replay, "the stem is longer than the witness");
    return true;
}

static void replay_end(struct replay *replay)
{
    free(replay->state);
}

/* ---- single states ---- */

static unsigned replay_count(const struct replay *replay, size_t at, enum check_region region)
{
    unsigned count = 0;
    for (unsigned p = 0; p < replay->model->n; p++)
        count += check_paper_region(replay_region(replay, at, p)) == region;
    return count;
}

static bool replay_not_full(const struct replay *replay)
{
    const struct check_model *model = replay->model;
    const uint64_t *state = replay->state[replay->length];
    int room = (int)model->l - (int)replay_count(replay, replay->length, CHECK_CRITICAL);
    int trying = (int)replay_count(replay, replay->length, CHECK_WAITING), enabled = 0;
    for (unsigned p = 0; p < model->n; p++)
        enabled += walk_enabled(model, state, p);
    return enabled != (room < trying ? room : trying);
}

/* Process i is past its doorway and not enabled. */
static bool replay_held_up(const struct replay *replay, size_t at, unsigned i)
{
    return replay_region(replay, at, i) == CHECK_WAITING &&
           !walk_enabled(replay->model, replay->state[at], i);
}

/* At the end some j is enabled or critical that was in its remainder while another has been held
 * up, which it still is. */
/* `strong`: it is enough to be enabled in the waiting room. */
static bool replay_gets_ahead(const struct replay *replay, bool strong)
{
    for (unsigned i = 0; i < replay->model->n; i++) {
        for (unsigned j = 0; j < replay->model->n; j++) {
            const enum check_region region = replay_region(replay, replay->length, j);
            if (j == i || (region != CHECK_CRITICAL &&
                           !(strong && region == CHECK_WAITING &&
                             walk_enabled(replay->model, replay->state[replay->length], j))))
                continue;
            for (size_t at = replay->length + 1; at-- > 0 && replay_held_up(replay, at, i);) {
                if (replay_region(replay, at, j) == CHECK_REMAINDER)
                    return true;
            }
        }
    }
    return false;
}

/* ---- counts along a finite run ---- */

/* The most own steps that a process takes while it waits past its doorway and is enabled. */
static uint64_t replay_steps_when_enabled(const struct replay *replay)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < replay->model->n; i++) {
        uint64_t count = 0;
        for (size_t s = 0; s < replay->length; s++) {
            const bool counts = replay_region(replay, s, i) == CHECK_WAITING &&
                                walk_enabled(replay->model, replay->state[s], i);
            count = counts ? count + (replay_mover(replay, s) == i) : 0;
            most = count > most ? count : most;
        }
    }
    return most;
}

/* The most times that a process is overtaken while it is held up. */
static uint64_t replay_overtaken(const struct replay *replay)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < replay->model->n; i++) {
        uint64_t count = 0;
        unsigned rested = 0;
        for (size_t at = 0; at <= replay->length; at++) {
            if (!replay_held_up(replay, at, i)) {
                count = rested = 0;
                continue;
            }
            for (unsigned j = 0; j < replay->model->n; j++) {
                const enum check_region region = replay_region(replay, at, j);
                if (j == i)
                    continue;
                if (region == CHECK_REMAINDER)
                    rested |= 1U << j;
                if (region == CHECK_CRITICAL && rested >> j & 1) {
                    rested &= ~(1U << j);
                    count++;
                }
            }
            most = count > most ? count : most;
        }
    }
    return most;
}

static bool waits_outside(const struct replay *replay, size_t at, unsigned i)
{
    enum check_region region = replay_region(replay, at, i);
    return check_trying(region) || region == CHECK_EXIT;
}

static bool waits_past(const struct replay *replay, size_t at, unsigned i)
{
    return replay_region(replay, at, i) == CHECK_WAITING;
}

static bool waits_past_or_exits(const struct replay *replay, size_t at, unsigned i)
{
    return waits_past(replay, at, i) || replay_region(replay, at, i) == CHECK_EXIT;
}

/* The most cycles (from remainder to critical) or entries of j in a stretch in which i waits. */
static unsigned replay_most(const struct replay *replay, replay_waits *waits, unsigned i,
                            unsigned j, bool entries)
{
    unsigned most = 0;
    for (size_t first = 0; first <= replay->length; first++) {
        unsigned count = 0;
        bool rested = false;
        for (size_t at = first; at <= replay->length; at++) {
            enum check_region region = replay_region(replay, at, j);
            bool enters = at > first && region == CHECK_CRITICAL &&
                          replay_region(replay, at - 1, j) != CHECK_CRITICAL;
            bool closes = rested && region == CHECK_CRITICAL;
            count += entries ? enters : closes;
            rested = region == CHECK_REMAINDER || (rested && !closes);
            most = count > most ? count : most;
            if (!waits(replay, at, i))
                break; /* the last step may be the one that ends the wait */
        }
    }
    return most;
}

static bool replay_exceeds(const struct replay *replay, replay_waits *waits, bool entries,
                           uint64_t bound)
{
    for (unsigned i = 0; i < replay->model->n; i++) {
        for (unsigned j = 0; j < replay->model->n; j++) {
            if (i != j && replay_most(replay, waits, i, j, entries) > bound)
                return true;
        }
    }
    return false;
}

/* The most steps of one process from its remainder to the end of its doorway. */
static uint64_t replay_doorway(const struct replay *replay)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < replay->model->n; i++) {
        uint64_t count = 0;
        for (size_t s = 0; s < replay->length; s++) {
            enum check_region from = replay_region(replay, s, i);
            if (replay_mover(replay, s) == i && (from == CHECK_REMAINDER || from == CHECK_DOORWAY))
                count = from == CHECK_REMAINDER ? 1 : count + 1;
            most = count > most ? count : most;
        }
    }
    return most;
}

/* The most own steps of a process on its way out of the region `from` through its exit region. */
static uint64_t replay_way_out(const struct replay *replay, enum check_region from)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < replay->model->n; i++) {
        bool on = false;
        uint64_t count = 0;
        for (size_t s = 0; s < replay->length; s++) {
            const enum check_region before = replay_region(replay, s, i);
            const bool mine = replay_mover(replay, s) == i;
            if (mine && check_paper_region(before) == from) {
                on = true;
                count = from != CHECK_DEAD;
            } else if (before != CHECK_EXIT) {
                on = false;
            } else {
                count += on && mine;
            }
            most = on && count > most ? count : most;
        }
    }
    return most;
}

/* Somebody was killed in its critical region, has not been there since, and others have its
 * slot. */
static bool replay_slot_goes(const struct replay *replay)
{
    const struct check_model *model = replay->model;
    const uint64_t *last = replay->state[replay->length];
    for (unsigned i = 0; i < model->n; i++) {
        size_t s = replay->length;
        while (s > 0 && replay_region(replay, s, i) != CHECK_CRITICAL)
            s--;
        if (s == replay->length || replay_region(replay, s, i) != CHECK_CRITICAL ||
            replay_region(replay, s + 1, i) != CHECK_DEAD)
            continue;
        unsigned others = 0;
        for (unsigned p = 0; p < model->n; p++) {
            if (replay_region(replay, replay->length, p) != CHECK_CRITICAL)
                continue;
            others++;
            if (model->slot != NULL &&
                model->slot(model, last, p) == model->slot(model, replay->state[s], i))
                return true;
        }
        if (model->slot == NULL && others >= model->l)
            return true;
    }
    return false;
}

/* ---- cycles ---- */

static bool moves_on_cycle(const struct replay *replay, unsigned p)
{
    for (size_t s = replay->stem; s < replay->length; s++) {
        if (replay_mover(replay, s) == p)
            return true;
    }
    return false;
}

static bool stays_on_cycle(const struct replay *replay, replay_waits *waits, unsigned i)
{
    for (size_t at = replay->stem; at <= replay->length; at++) {
        if (!waits(replay, at, i) || check_paper_region(replay_region(replay, at, i)) !=
                                         check_paper_region(replay_region(replay, replay->stem, i)))
            return false;
    }
    return true;
}

static bool visits_on_cycle(const struct replay *replay, unsigned j, enum check_region region)
{
    for (size_t at = replay->stem; at < replay->length; at++) {
        if (replay_region(replay, at, j) == region)
            return true;
    }
    return false;
}

/* The processes that stand still on the cycle outside their remainder; those in the critical region
 * too, where that counts. */
static unsigned stopped_on_cycle(const struct replay *replay, bool critical)
{
    unsigned stopped = 0;
    if (replay->model->supervisors > 0 && !moves_on_cycle(replay, replay->model->n - 1))
        return replay->model->k + 1; /* it may not, whatever else may be */
    for (unsigned p = 0; p < check_workers(replay->model); p++) {
        enum check_region region = replay_region(replay, replay->stem, p);
        stopped += !moves_on_cycle(replay, p) && region != CHECK_REMAINDER &&
                   region != CHECK_DEAD && (critical || region != CHECK_CRITICAL);
    }
    return stopped;
}

static bool regions_stay_on_cycle(const struct replay *replay)
{
    for (size_t at = replay->stem; at <= replay->length; at++) {
        for (unsigned p = 0; p < replay->model->n; p++) {
            if (check_paper_region(replay_region(replay, at, p)) !=
                check_paper_region(replay_region(replay, replay->stem, p)))
                return false;
        }
    }
    return true;
}

static bool in_doorway(const struct replay *replay, size_t at, unsigned i)
{
    return replay_region(replay, at, i) == CHECK_DOORWAY;
}

/* What the model says about the processes that one waits for is wrong at the end. */
static bool replay_belief_fails(const struct replay *replay)
{
    const struct check_model *model = replay->model;
    const uint64_t *last = replay->state[replay->length];
    for (unsigned i = 0; i < model->n && model->ahead != NULL; i++) {
        if (replay_region(replay, replay->length, i) != CHECK_WAITING)
            continue;
        const uint64_t ahead = model->ahead(model, last, i);
        if (((unsigned)__builtin_popcountll(ahead) < model->l) != walk_enabled(model, last, i))
            return true;
        if (replay->length > 0 && replay_region(replay, replay->length - 1, i) == CHECK_WAITING &&
            (ahead & ~model->ahead(model, replay->state[replay->length - 1], i)) != 0)
            return true;
    }
    return false;
}

/* What a lasso has to show. The processes it is about are read from the sentence that goes with
 * it. */
static bool replay_lasso(struct replay *replay)
{
    const struct check_result *result = replay->result;
    const struct check_model *model = replay->model;
    const enum check_property property = result->query.property;
    unsigned i = 0, j = 0;
    if (!check_same_state(replay->state[replay->stem], replay->state[replay->length], model->words))
        return complain(replay, "the cycle does not come back to its first state");
    switch (property) {
    case CHECK_DEADLOCK_FREE:
        if (stopped_on_cycle(replay, true) > 0)
            return complain(replay, "somebody stands still outside its remainder");
        if (!regions_stay_on_cycle(replay) ||
            replay_count(replay, replay->stem, CHECK_REMAINDER) +
                    replay_count(replay, replay->stem, CHECK_DEAD) ==
                check_workers(model))
            return complain(replay, "it is no deadlock");
        return true;
    case CHECK_LOCKOUT_FREE:
        if (sscanf(result->about, "process %u", &i) != 1 || i >= model->n)
            return complain(replay, "nobody is named");
        if (stopped_on_cycle(replay, true) > 0)
            return complain(replay, "somebody stands still outside its remainder");
        return stays_on_cycle(replay, waits_outside, i) ||
               complain(replay, "the one that is locked out changes its region");
    case CHECK_L_LOCKOUT_FREE:
        if (sscanf(result->about, "process %u", &i) != 1 || i >= model->n)
            return complain(replay, "nobody is named");
        if (stopped_on_cycle(replay, true) >= model->l || !moves_on_cycle(replay, i))
            return complain(replay, "too many stand still");
        return stays_on_cycle(replay, waits_outside, i) ||
               complain(replay, "the one that is locked out changes its region");
    case CHECK_BOUNDED_WAITING:
    case CHECK_BOUNDED_WAITING_ENABLING:
    case CHECK_LINEAR_WAITING:
    case CHECK_OVERTAKING:
    case CHECK_FIFO:
    case CHECK_FIFO_ENABLING:
    case CHECK_QUEUELIKE:
        if (sscanf(result->about, "while process %u waits, process %u", &i, &j) != 2 || i == j)
            return complain(replay, "nobody is named");
        if (!stays_on_cycle(replay,
                            property == CHECK_BOUNDED_WAITING ||
                                    property == CHECK_BOUNDED_WAITING_ENABLING
                                ? waits_outside
                                : waits_past,
                            i))
            return complain(replay, "the one that waits does not");
        return (visits_on_cycle(replay, j, CHECK_CRITICAL) &&
                visits_on_cycle(replay, j, CHECK_REMAINDER)) ||
               complain(replay, "the other does not go round");
    case CHECK_FINITE_WAITING:
    case CHECK_FINITE_WAITING_ENABLING:
        if (sscanf(result->about, "process %u is never enabled while process %u", &i, &j) != 2 &&
            sscanf(result->about, "process %u waits while process %u", &i, &j) != 2)
            return complain(replay, "nobody is named");
        if (stopped_on_cycle(replay, false) >= model->k)
            return complain(replay, "too many stand still");
        if (!stays_on_cycle(replay, waits_outside, i) ||
            (property == CHECK_FINITE_WAITING_ENABLING &&
             walk_enabled(model, replay->state[replay->stem], i)))
            return complain(replay, "the one that waits does not");
        return (visits_on_cycle(replay, j, CHECK_CRITICAL) &&
                visits_on_cycle(replay, j, CHECK_REMAINDER)) ||
               complain(replay, "the other does not go round");
    case CHECK_KL_DEADLOCK_FREE:
        if (stopped_on_cycle(replay, false) >= model->k)
            return complain(replay, "too many stand still");
        return regions_stay_on_cycle(replay) || complain(replay, "somebody changes its region");
    case CHECK_WAIT_FREE_DOORWAY:
        if (sscanf(result->about, "process %u", &i) != 1 || i >= model->n)
            return complain(replay, "nobody is named");
        if (!moves_on_cycle(replay, i))
            return complain(replay, "it does not move");
        return stays_on_cycle(replay, in_doorway, i) || complain(replay, "it leaves its doorway");
    case CHECK_BOUNDED_RECOVERY:
    case CHECK_BOUNDED_EXIT:
    case CHECK_BOUNDED_ABORT:
        if (sscanf(result->about, "process %u", &i) != 1 || i >= model->n)
            return complain(replay, "nobody is named");
        if (!moves_on_cycle(replay, i))
            return complain(replay, "it does not move");
        return stays_on_cycle(replay, in_exit, i) || complain(replay, "it leaves its exit region");
    default: return complain(replay, "a cycle shows nothing here");
    }
}

/* What a finite run has to show, at its end. */
static bool replay_run(struct replay *replay)
{
    const struct check_result *result = replay->result;
    const struct check_model *model = replay->model;
    const uint64_t *last = replay->state[replay->length];
    const bool exceeds = result->query.has_bound;
    switch (result->query.property) {
    case CHECK_EXCLUSION:
        return check_clash(model, last, check_critical_set(model, last)) ||
               complain(replay, "exclusion is not violated");
    case CHECK_DISTINCT_SLOTS:
        return walk_slots_clash(model, last) || complain(replay, "the slots are distinct");
    case CHECK_NO_SLOT_LOST:
        return !walk_can_fill(model, last) || complain(replay, "the slots can be filled");
    case CHECK_FIRST_IN_FIRST_ENABLED:
        return replay_gets_ahead(replay, false) ||
               (exceeds && replay_steps_when_enabled(replay) > result->query.bound) ||
               complain(replay, "nobody gets ahead");
    case CHECK_STRONG_FIRST_IN_FIRST_ENABLED:
        return replay_gets_ahead(replay, true) || complain(replay, "nobody gets ahead");
    case CHECK_OVERTAKING:
        return (exceeds && replay_overtaken(replay) > result->query.bound) ||
               complain(replay, "the bound is not exceeded");
    case CHECK_WINDOW:
        return (model->violated(model, last) & 1) != 0 ||
               complain(replay, "the invariant is not violated");
    case CHECK_INVARIANTS:
        return (model->violated != NULL && model->violated(model, last) != 0) ||
               replay_belief_fails(replay) || complain(replay, "no invariant is violated");
    case CHECK_L_FULL:
        return replay_not_full(replay) || complain(replay, "the last state is l-full");
    case CHECK_BOUNDED_WAITING:
        return (exceeds && replay_exceeds(replay, waits_outside, false, result->query.bound)) ||
               complain(replay, "the bound is not exceeded");
    case CHECK_LINEAR_WAITING:
        return (exceeds && replay_exceeds(replay, waits_past, true, result->query.bound)) ||
               complain(replay, "the bound is not exceeded");
    case CHECK_RESPONSIVE:
        return replay_is_slow(replay, exceeds, result->query.bound) ||
               complain(replay, "nobody waits long for its rank");
    case CHECK_PRECEDENCE:
        return replay_breaks_precedence(replay, false) || complain(replay, "precedence holds");
    case CHECK_ACYCLIC:
        return replay_has_cycle(replay) || complain(replay, "there is no cycle of ranks");
    case CHECK_COMPARABLE:
        return replay_has_tie(replay) || complain(replay, "all ranks can be compared");
    case CHECK_STABLE:
        return replay_breaks_stability(replay) || complain(replay, "the last step shifts nothing");
    case CHECK_FIFO:
        if (check_has_own_order(model))
            return replay_overtakes(replay) || complain(replay, "nobody is overtaken");
        /* fall through */
    case CHECK_FIFO_ENABLING:
        return replay_exceeds(replay, waits_past_or_exits, false, 0) ||
               complain(replay, "nobody is overtaken");
    case CHECK_BOUNDED_WAITING_ENABLING:
        return (exceeds && replay_exceeds(replay, waits_outside, false, result->query.bound)) ||
               complain(replay, "the bound is not exceeded");
    case CHECK_WAIT_FREE_DOORWAY:
        return (exceeds && replay_doorway(replay) > result->query.bound) ||
               complain(replay, "the bound is not exceeded");
    case CHECK_REENTRY: return replay_slot_goes(replay) || complain(replay, "the slot is kept");
    case CHECK_BOUNDED_RECOVERY:
        return (exceeds && replay_way_out(replay, CHECK_DEAD) > result->query.bound) ||
               complain(replay, "the bound is not exceeded");
    case CHECK_BOUNDED_EXIT:
        return (exceeds && replay_way_out(replay, CHECK_CRITICAL) > result->query.bound) ||
               complain(replay, "the bound is not exceeded");
    case CHECK_BOUNDED_ABORT:
        return (exceeds && replay_way_out(replay, CHECK_WAITING) > result->query.bound) ||
               complain(replay, "the bound is not exceeded");
    case CHECK_QUEUELIKE:
        return replay_count(replay, replay->length, CHECK_CRITICAL) > model->l ||
               replay_not_full(replay) || replay_exceeds(replay, waits_past_or_exits, false, 0) ||
               complain(replay, "nothing is violated");
    default: return complain(replay, "a finite run shows nothing here");
    }
}

bool replay_witness(const struct check_model *model, const struct check_result *result,
                    char *complaint, size_t size)
{
    struct replay replay;
    bool good = replay_begin(&replay, model, result) &&
                (replay.stem < replay.length ? replay_lasso(&replay) : replay_run(&replay));
    snprintf(complaint, size, "%s", replay.complaint);
    replay_end(&replay);
    return good;
}
