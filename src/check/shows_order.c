/* What a finite run shows about ranks (Singh 1993), and about an order of the model's own. */
#include "check/shows.h"

static struct check_ranks ranks_at(const struct check_shown_run *run, size_t at)
{
    struct check_ranks ranks;
    run->model->ranks(run->model, check_run_state(run, at), &ranks);
    return ranks;
}

static size_t last(const struct check_shown_run *run)
{
    return run->witness->length;
}

bool check_run_asks(const struct check_shown_run *run, size_t at, unsigned p)
{
    const enum check_region region = check_run_place(run, at, p);
    return (check_trying(region) || region == CHECK_CRITICAL) &&
           ranks_at(run, at).colour[p] == CHECK_GREY;
}

/* u was black while v was white, and has been black since. */
static bool precedes(const struct check_shown_run *run, unsigned u, unsigned v)
{
    for (size_t s = last(run) + 1; s-- > 0;) {
        const struct check_ranks ranks = ranks_at(run, s);
        if (ranks.colour[u] != CHECK_BLACK)
            return false;
        if (ranks.colour[v] == CHECK_WHITE)
            return true;
    }
    return false;
}

/* `served`: v is served although u was there before; else, it has a rank that is not lower. */
static bool shows_no_precedence(struct check_shown_run *run, bool served)
{
    const struct check_ranks now = ranks_at(run, last(run));
    for (unsigned u = 0; u < now.count; u++) {
        for (unsigned v = 0; v < now.count; v++) {
            const bool bad = served ? now.served >> v & 1
                                    : now.colour[v] == CHECK_BLACK && (now.lower[v] >> u & 1) == 0;
            if (u != v && bad && precedes(run, u, v))
                return true;
        }
    }
    return check_run_complains(run, "who came first is first");
}

/* A process is lower than itself, along at most as many ranks as there are. */
static bool shows_cycle(struct check_shown_run *run)
{
    const struct check_ranks now = ranks_at(run, last(run));
    for (unsigned u = 0; u < now.count; u++) {
        unsigned above = now.lower[u];
        for (unsigned more = 0; more < now.count; more++) {
            for (unsigned v = 0; v < now.count; v++)
                above |= above >> v & 1 ? now.lower[v] : 0;
        }
        if (above >> u & 1)
            return true;
    }
    return check_run_complains(run, "there is no cycle of ranks");
}

static bool shows_tie(struct check_shown_run *run)
{
    const struct check_ranks now = ranks_at(run, last(run));
    for (unsigned u = 0; u < now.count; u++) {
        for (unsigned v = 0; v < u; v++) {
            if ((now.lower[u] >> v & 1) == 0 && (now.lower[v] >> u & 1) == 0)
                return true;
        }
    }
    return check_run_complains(run, "all ranks can be compared");
}

/* By the last step u, which has a rank and does not give it up, is no longer above v. */
static bool shows_shift(struct check_shown_run *run)
{
    if (last(run) == 0)
        return check_run_complains(run, "there is no step");
    const struct check_ranks from = ranks_at(run, last(run) - 1), to = ranks_at(run, last(run));
    for (unsigned u = 0; u < from.count; u++) {
        for (unsigned v = 0; v < from.count; v++) {
            const bool above = to.colour[u] == CHECK_BLACK && to.lower[v] >> u & 1;
            if (from.colour[u] == CHECK_BLACK && from.lower[v] >> u & 1 &&
                to.colour[u] != CHECK_WHITE && !above)
                return true;
        }
    }
    return check_run_complains(run, "the last step shifts nothing");
}

/* A process takes more steps than allowed while it asks for a rank, or goes on without one. */
static bool shows_slow_rank(struct check_shown_run *run)
{
    uint64_t count[CHECK_MAX_PROCESSES] = {0};
    for (size_t s = 0; s < last(run); s++) {
        const unsigned edge = run->witness->edge[s];
        for (unsigned i = 0; i < check_workers(run->model); i++) {
            const bool own = edge % run->model->n == i && check_step_edges(run->model) >> edge & 1;
            const bool asks = check_run_asks(run, s, i);
            count[i] = asks ? count[i] + own : 0;
            if ((run->query.has_bound && count[i] > run->query.bound) ||
                (own && asks && !check_run_asks(run, s + 1, i) &&
                 ranks_at(run, s + 1).colour[i] != CHECK_BLACK))
                return true;
        }
    }
    return check_run_complains(run, "nobody waits long for its rank, or leaves without one");
}

/* v, which is critical at the end, was in its remainder when u waited already, which it still
 * does. */
static bool comes_before(const struct check_shown_run *run, unsigned u, unsigned v)
{
    const struct check_model *model = run->model;
    const uint64_t both = UINT64_C(1) << u | UINT64_C(1) << v;
    if (check_run_place(run, last(run), v) != CHECK_CRITICAL ||
        !(model->first_come || check_clash(model, check_run_state(run, last(run)), both)))
        return false;
    for (size_t s = last(run) + 1; s-- > 0;) {
        const enum check_region region = check_run_place(run, s, u);
        if (region != CHECK_WAITING &&
            !(model->first_come && (region == CHECK_CRITICAL || region == CHECK_EXIT)))
            return false;
        if (check_run_place(run, s, v) == CHECK_REMAINDER)
            return true;
    }
    return false;
}

static bool shows_own_order(struct check_shown_run *run)
{
    if (run->model->ranks_things)
        return shows_no_precedence(run, true);
    for (unsigned u = 0; u < run->model->n; u++) {
        for (unsigned v = 0; v < run->model->n; v++) {
            if (u != v && comes_before(run, u, v))
                return true;
        }
    }
    return check_run_complains(run, "nobody is overtaken");
}

bool check_run_shows_order(struct check_shown_run *run)
{
    switch (run->query.property) {
    case CHECK_RESPONSIVE: return shows_slow_rank(run);
    case CHECK_PRECEDENCE: return shows_no_precedence(run, false);
    case CHECK_ACYCLIC: return shows_cycle(run);
    case CHECK_COMPARABLE: return shows_tie(run);
    case CHECK_STABLE: return shows_shift(run);
    default: return shows_own_order(run);
    }
}
