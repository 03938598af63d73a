/* What a run shows of remote references (remote.c). */
#include "check/shows.h"

/* Whether step s of the run is a remote reference of process i. */
static bool is_remote(const struct check_shown_run *run, size_t s, unsigned i)
{
    const struct check_model *model = run->model;
    const unsigned edge = run->witness->edge[s];
    return model->remote != NULL && edge % model->n == i && check_step_edges(model) >> edge & 1 &&
           model->remote(model, check_run_state(run, s), edge);
}

static bool on_its_way(const struct check_shown_run *run, size_t s, unsigned i)
{
    const enum check_region region = check_run_region(run, s, i);
    return region != CHECK_REMAINDER &&
           (region != CHECK_DEAD || run->query.property == CHECK_RMR_SUPER_PASSAGE);
}

bool check_run_shows_remote(struct check_shown_run *run)
{
    for (unsigned i = 0; i < check_workers(run->model) && run->query.has_bound; i++) {
        uint64_t count = 0;
        for (size_t s = 0; s < run->witness->length; s++) {
            count = on_its_way(run, s, i) ? count : 0;
            count += is_remote(run, s, i);
            if (count > run->query.bound)
                return true;
        }
    }
    return check_run_complains(run, "nobody makes that many remote references on one passage");
}

bool check_cycle_shows_remote(struct check_shown_run *run)
{
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        bool inside = true, remote = false;
        for (size_t s = run->witness->stem; inside && s < run->witness->length; s++) {
            inside = on_its_way(run, s, i);
            remote |= is_remote(run, s, i);
        }
        if (inside && remote)
            return true;
    }
    return check_run_complains(run, "nobody makes remote references for ever on one passage");
}
