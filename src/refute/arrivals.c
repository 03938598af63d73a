/*
 * Burns et al., Theorem 4.10. Processes arrive one by one while P0 is critical, each up to a point
 * where it can bring back the value of V by itself. If two of these points, qi and qj, have one
 * value, then those who had arrived at qi do not notice the others at qj. They can bring about
 * every value for ever (or they do with one value less, and the proof is applied to them); each of
 * the others is run whenever its value is there, and is locked out.
 *
 * The proof is by induction on k: a system of (k^2 - k)/2 - 1 processes has k values. That the
 * bound is sqrt(2N) + 1/2 does not quite follow: see docs/REFUTE.md.
 */
#include "refute/adversary.h"

#include <string.h>

struct arrivals {
    struct run q[CHECK_MAX_PROCESSES + 1];
    size_t period[CHECK_MAX_PROCESSES + 1]; /* of the process that arrived last */
};

static bool has_value(const struct adversary *adversary, const uint64_t *state, const void *context)
{
    return value_of(adversary, state) == *(const uint64_t *)context;
}

/* Steps of the team by which V gets the value; *found: there are some. */
static bool bring_about(struct adversary *adversary, struct run *run, crew team, uint64_t value,
                        bool *found)
{
    struct reach reach;
    uint32_t at;
    bool goes_on = reach_search(adversary, &reach, run, team, has_value, &value, &at);
    *found = at != STATES_NONE;
    goes_on = goes_on && (!*found || reach_follow(adversary, &reach, at, run));
    reach_close(&reach);
    return goes_on;
}

/* One turn of the lockout: everybody of the team moves, and each of those who arrived after qi has
 * its value once. `low` goes on from qi and `high` from qj. */
static bool turn(struct adversary *adversary, const struct arrivals *arrivals, unsigned i,
                 unsigned j, struct run *low, struct run *high, bool *found)
{
    const crew team = team_range(0, i);
    const size_t begin = low->length;
    *found = true;
    if (!run_each(adversary, low, 0, i) || !run_again(adversary, high, low, begin))
        return false;
    for (unsigned a = i + 1; a <= j && *found; a++) {
        const size_t here = low->length;
        if (!bring_about(adversary, low, team, run_value(adversary, &arrivals->q[a]), found))
            return false;
        if (*found && !run_again(adversary, high, low, here))
            return false;
        for (size_t s = 0; *found && s < arrivals->period[a]; s++) {
            if (!run_step(adversary, high, a - 1))
                return false;
        }
    }
    return true;
}

static bool arrive(struct adversary *adversary, const struct run *start, unsigned count, bool top);

/* V(qi) = V(qj). */
static bool lock_out(struct adversary *adversary, const struct arrivals *arrivals, unsigned i,
                     unsigned j)
{
    struct run low = {.step = NULL}, high = {.step = NULL}, kept = {.step = NULL};
    size_t kept_high = arrivals->q[j].length;
    bool goes_on = run_copy(adversary, &low, &arrivals->q[i]) &&
                   run_copy(adversary, &high, &arrivals->q[j]) && run_copy(adversary, &kept, &low);
    bool found = true;
    for (uint64_t turns = 1; goes_on && found; turns++) {
        goes_on = turn(adversary, arrivals, i, j, &low, &high, &found);
        if (!goes_on || !found)
            break;
        if (check_same_state(kept.state, low.state, adversary->model->words)) {
            goes_on = conclude_lockout(adversary, &high, kept_high, i);
        } else if ((turns & (turns - 1)) == 0) {
            goes_on = run_copy(adversary, &kept, &low);
            kept_high = high.length;
        }
    }
    /* Some value is out of reach from here on: those of the team make do without it. */
    if (goes_on && i >= 2) {
        say(adversary, "then some value is out of reach for P0 to P%u", i - 1);
        goes_on = arrive(adversary, &low, i, false);
    }
    run_free(&low);
    run_free(&high);
    run_free(&kept);
    return goes_on;
}

static bool make_arrivals(struct adversary *adversary, struct arrivals *arrivals,
                          const struct run *start, unsigned count, bool top)
{
    *arrivals = (struct arrivals){.period = {0}};
    for (unsigned i = 0; i <= count; i++) {
        struct run *q = &arrivals->q[i];
        if (!run_copy(adversary, q, i == 0 ? start : &arrivals->q[i - 1]))
            return false;
        if (i == 0 && !drive_exit(adversary, q, team_range(0, count)))
            return false;
        if (i == 1 && !drive_enter(adversary, q, 0))
            return false;
        if (i > 1 && (!run_step(adversary, q, i - 1) ||
                      !drive_recur(adversary, q, i - 1, &arrivals->period[i])))
            return false;
        if (top && !mark(adversary, q, "q%u", i))
            return false;
    }
    return true;
}

/* Processes 0 .. count-1 as a system of their own, all others being in their remainder. Goes on
 * where there is no contradiction. */
static bool arrive(struct adversary *adversary, const struct run *start, unsigned count, bool top)
{
    struct arrivals arrivals;
    size_t values;
    bool goes_on = make_arrivals(adversary, &arrivals, start, count, top) &&
                   pair_lemma(adversary, &arrivals.q[0], conclude_lockout, &values);
    char *how = adversary->outcome->how;
    const size_t said = strlen(how);
    for (unsigned i = count; goes_on && i-- > 1;) {
        for (unsigned j = i + 1; goes_on && j <= count; j++) {
            if (run_value(adversary, &arrivals.q[i]) != run_value(adversary, &arrivals.q[j]))
                continue;
            if (goes_on) {
                char text[64];
                how[said] = '\0';
                say(adversary, "V(q%u) = V(q%u) = %s", i, j,
                    value_text(adversary, run_value(adversary, &arrivals.q[i]), text, sizeof text));
                goes_on = lock_out(adversary, &arrivals, i, j);
            }
        }
    }
    for (unsigned i = 0; i <= count; i++)
        run_free(&arrivals.q[i]);
    return goes_on;
}

void adversary_4_10(struct adversary *adversary)
{
    struct run start;
    run_begin(adversary, &start);
    if (arrive(adversary, &start, adversary->model->n, true))
        stop(adversary, "no two points have one value that the proof can use");
    run_free(&start);
}
