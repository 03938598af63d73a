/* What a cycle shows if it is repeated for ever. */
#include "check/shows.h"

static bool moves(const struct check_shown_run *run, unsigned p)
{
    return run->moves >> p & 1;
}

static bool only_steps(const struct check_shown_run *run)
{
    for (size_t s = run->witness->stem; s < run->witness->length; s++) {
        if ((check_step_edges(run->model) >> run->witness->edge[s] & 1) == 0)
            return false;
    }
    return true;
}

static bool stays(const struct check_shown_run *run, unsigned p)
{
    for (size_t s = run->witness->stem; s < run->witness->length; s++) {
        if (check_run_region(run, s, p) != check_run_region(run, run->witness->stem, p))
            return false;
    }
    return true;
}

static bool all_stay(const struct check_shown_run *run)
{
    for (unsigned p = 0; p < run->model->n; p++) {
        if (!stays(run, p))
            return false;
    }
    return true;
}

static bool waits_throughout(const struct check_shown_run *run, enum check_run_wait how, unsigned p)
{
    for (size_t s = run->witness->stem; s < run->witness->length; s++) {
        if (!check_run_waits(run, how, s, p))
            return false;
    }
    return stays(run, p);
}

/* j is in its remainder and critical in turn. */
static bool goes_round(const struct check_shown_run *run, unsigned j)
{
    bool rests = false, enters = false;
    for (size_t s = run->witness->stem; s < run->witness->length; s++) {
        rests |= check_run_region(run, s, j) == CHECK_REMAINDER;
        enters |= check_run_region(run, s, j) == CHECK_CRITICAL;
    }
    return rests && enters;
}

/* How many workers stop, and not in their remainder; `critical`: to stop in the critical region
 * counts. A supervisor never stops. */
static unsigned stopped(const struct check_shown_run *run, bool critical)
{
    unsigned count = 0;
    for (unsigned p = check_workers(run->model); p < run->model->n; p++) {
        if (!moves(run, p))
            return UINT32_MAX;
    }
    for (unsigned p = 0; p < check_workers(run->model); p++) {
        const enum check_region region = check_run_region(run, run->witness->stem, p);
        count += !moves(run, p) && region != CHECK_REMAINDER &&
                 (region != CHECK_DEAD || run->model->comes_back) &&
                 (critical || region != CHECK_CRITICAL);
    }
    return count;
}

static bool shows_deadlock(struct check_shown_run *run)
{
    const size_t stem = run->witness->stem;
    if (stopped(run, true) > 0)
        return check_run_complains(run, "somebody halts outside its remainder");
    if (!only_steps(run) || !all_stay(run))
        return check_run_complains(run, "somebody changes its region");
    return check_run_count(run, stem, CHECK_REMAINDER) + check_run_count(run, stem, CHECK_DEAD) <
               check_workers(run->model) ||
           check_run_complains(run, "all are in their remainder");
}

/* `faulty`: this many may stop outside of their remainder, and the one that is locked out moves. */
static bool shows_lockout(struct check_shown_run *run, unsigned faulty)
{
    if (stopped(run, true) > faulty)
        return check_run_complains(run, "somebody halts outside its remainder");
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        const enum check_region region = check_run_region(run, run->witness->stem, i);
        if ((region == CHECK_WAITING || region == CHECK_EXIT) && moves(run, i) && stays(run, i))
            return true;
    }
    return check_run_complains(run, "nobody is stuck");
}

/*
 * C2 of Fischer et al.: (a) fewer than k fail; (b) no region changes; (d1) more try than the
 * C-allocation, which with those that are critical is less than l, or (d2) more exit than the
 * R-allocation. A process that moves on the cycle does so for ever and never changes its region; so
 * a group with such a process in it is not group-enabled (let the cycle pass, then those that
 * failed make their steps), and the allocation is at most the number of those that fail. Where that
 * does not tell, the groups do.
 */
static bool shows_kl_deadlock(struct check_shown_run *run)
{
    unsigned failed[CHECK_SUPERVISOR + 1] = {0}, moving[CHECK_SUPERVISOR + 1] = {0};
    if (!only_steps(run) || !all_stay(run))
        return check_run_complains(run, "somebody changes its region");
    for (unsigned p = 0; p < run->model->n; p++)
        (moves(run, p) ? moving : failed)[check_run_region(run, run->witness->stem, p)]++;
    if (stopped(run, false) >= run->k)
        return check_run_complains(run, "too many fail");
    const unsigned critical = check_run_count(run, run->witness->stem, CHECK_CRITICAL);
    if ((moving[CHECK_WAITING] > 0 && failed[CHECK_WAITING] + critical < run->model->l) ||
        moving[CHECK_EXIT] > 0)
        return true;
    if (run->enabled == NULL)
        return check_run_complains(run, "nobody is kept from what is free");
    const uint32_t id = check_run_number(run, run->witness->stem);
    const int wasted = id == CHECK_NONE ? 0 : check_wastes(run->graph, run->enabled, id);
    run->no_memory = wasted < 0;
    return wasted > 0 || check_run_complains(run, "nobody is kept from what is free");
}

/* i waits throughout the cycle, in one region, and j goes round and round. */
static bool shows_unbounded(struct check_shown_run *run, enum check_run_wait how)
{
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        if (!waits_throughout(run, how, i))
            continue;
        for (unsigned j = 0; j < check_workers(run->model); j++) {
            if (j != i && goes_round(run, j))
                return true;
        }
    }
    return check_run_complains(run, "nobody waits while another goes round and round");
}

/* The process takes a step of its own on the cycle, whatever it chooses. */
static bool steps(const struct check_shown_run *run, unsigned p)
{
    for (size_t s = run->witness->stem; s < run->witness->length; s++) {
        const unsigned edge = run->witness->edge[s];
        if (edge % run->model->n == p && check_step_edges(run->model) >> edge & 1)
            return true;
    }
    return false;
}

static bool shows_endless_doorway(struct check_shown_run *run)
{
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        bool inside = steps(run, i);
        for (size_t s = run->witness->stem; inside && s < run->witness->length; s++)
            inside = check_run_waits(run, CHECK_AT_DOOR, s, i);
        if (inside)
            return true;
    }
    return check_run_complains(run, "nobody takes steps in its doorway for ever");
}

static bool shows_endless_asking(struct check_shown_run *run)
{
    for (unsigned i = 0; i < check_workers(run->model); i++) {
        bool asks = steps(run, i);
        for (size_t s = run->witness->stem; asks && s < run->witness->length; s++)
            asks = check_run_asks(run, s, i);
        if (asks)
            return true;
    }
    return check_run_complains(run, "nobody asks for a rank for ever");
}

/* After its first condition, and without the second since: at the stem, and all the way round. */
static bool waits_for_then(const struct check_shown_run *run, unsigned q, unsigned p)
{
    bool waits = false;
    for (size_t s = 0; s < run->witness->length; s++) {
        uint64_t first = 0, second = 0;
        run->model->own(run->model, check_run_state(run, s), p, &first, &second);
        if ((second >> q & 1) || check_run_region(run, s, p) == CHECK_DEAD)
            waits = false;
        else
            waits |= first >> q & 1;
        if (s >= run->witness->stem && !waits)
            return false;
    }
    return true;
}

static bool shows_after(struct check_shown_run *run)
{
    if (stopped(run, true) > 0)
        return check_run_complains(run, "somebody halts outside its remainder");
    for (unsigned q = 0; q < run->model->own_properties; q++) {
        for (unsigned p = 0; p < check_workers(run->model); p++) {
            if (run->model->own_property[q].kind >= CHECK_AFTER && waits_for_then(run, q, p))
                return true;
        }
    }
    return check_run_complains(run, "what is to come comes");
}

bool check_cycle_shows(struct check_shown_run *run)
{
    switch (run->query.property) {
    case CHECK_DEADLOCK_FREE: return shows_deadlock(run);
    case CHECK_LOCKOUT_FREE: return shows_lockout(run, 0);
    case CHECK_L_LOCKOUT_FREE: return shows_lockout(run, run->model->l - 1);
    case CHECK_KL_DEADLOCK_FREE: return shows_kl_deadlock(run);
    case CHECK_BOUNDED_WAITING:
    case CHECK_BOUNDED_WAITING_ENABLING: return shows_unbounded(run, CHECK_IN_T_OR_E);
    case CHECK_LINEAR_WAITING:
    case CHECK_OVERTAKING: return shows_unbounded(run, CHECK_WAITING_ROOM);
    case CHECK_FINITE_WAITING:
    case CHECK_FINITE_WAITING_ENABLING:
        if (stopped(run, false) >= run->k)
            return check_run_complains(run, "too many fail");
        return shows_unbounded(run, CHECK_IN_T_OR_E);
    case CHECK_WAIT_FREE_DOORWAY: return shows_endless_doorway(run);
    case CHECK_RESPONSIVE: return shows_endless_asking(run);
    case CHECK_OWN: return shows_after(run);
    case CHECK_RMR_PASSAGE:
    case CHECK_RMR_SUPER_PASSAGE: return check_cycle_shows_remote(run);
    case CHECK_BOUNDED_RECOVERY:
    case CHECK_BOUNDED_EXIT:
    case CHECK_BOUNDED_ABORT: return check_cycle_shows_recovery(run);
    default: return check_run_complains(run, "a cycle does not show this");
    }
}
