/* What a run shows of the way out of a region, and of re-entry after a kill (reentry.c,
 * waiting.c). */
#include "check/shows.h"

static enum check_region way_from(enum check_property property)
{
    return property == CHECK_BOUNDED_RECOVERY ? CHECK_DEAD
           : property == CHECK_BOUNDED_EXIT   ? CHECK_CRITICAL
                                              : CHECK_WAITING;
}

static bool is_step_of(const struct check_shown_run *run, size_t s, unsigned i)
{
    const unsigned edge = run->witness->edge[s];
    return edge % run->model->n == i && check_step_edges(run->model) >> edge & 1;
}

/* More steps of one process than allowed, on its way out. */
static bool shows_long_way(const struct check_shown_run *run, unsigned i)
{
    const enum check_region from = way_from(run->query.property);
    uint64_t count = 0;
    bool on = false;
    for (size_t s = 0; s < run->witness->length; s++) {
        const enum check_region before = check_run_region(run, s, i);
        const bool steps = is_step_of(run, s, i);
        if (steps && before == from) {
            count = from != CHECK_DEAD;
            on = true;
        } else {
            on = on && before == CHECK_EXIT;
            count += on && steps;
        }
        if (on && count > run->query.bound)
            return true;
    }
    return false;
}

/* i was killed in its critical region, has not been there since, and others have its slot. */
static bool shows_slot_gone(const struct check_shown_run *run, unsigned i)
{
    const struct check_model *model = run->model;
    const size_t end = run->witness->length;
    size_t at = end;
    while (at > 0 && check_run_region(run, at, i) != CHECK_CRITICAL)
        at--;
    if (at == end || check_run_region(run, at, i) != CHECK_CRITICAL ||
        check_run_region(run, at + 1, i) != CHECK_DEAD)
        return false;
    for (unsigned p = 0; p < check_workers(model) && model->slot != NULL; p++) {
        if (check_run_region(run, end, p) == CHECK_CRITICAL &&
            model->slot(model, check_run_state(run, end), p) ==
                model->slot(model, check_run_state(run, at), i))
            return true;
    }
    return model->slot == NULL && check_run_count(run, end, CHECK_CRITICAL) >= model->l;
}

bool check_run_shows_recovery(struct check_shown_run *run)
{
    const bool reentry = run->query.property == CHECK_REENTRY;
    if (!reentry && !run->query.has_bound)
        return check_run_complains(run, "it is no cycle");
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        if (reentry ? shows_slot_gone(run, i) : shows_long_way(run, i))
            return true;
    }
    return check_run_complains(run,
                               reentry ? "nobody loses a slot" : "nobody takes that many steps");
}

bool check_cycle_shows_recovery(struct check_shown_run *run)
{
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        bool inside = run->moves >> i & 1;
        for (size_t s = run->witness->stem; inside && s < run->witness->length; s++)
            inside = check_run_region(run, s, i) == CHECK_EXIT;
        if (inside)
            return true;
    }
    return check_run_complains(run, "nobody takes steps for ever on its way out");
}
