/*
 * Burns et al., Lemmas 4.6 and 4.7 (Cremers and Hibbard): two processes that exclude each other and
 * lock nobody out have three values of V while not both are in their remainder.
 *
 * A process alone comes back to a state that it was in, since there are finitely many: it *recurs*.
 * A process that recurs and is not seen in its remainder then is blocked: it stays in T or in E as
 * long as nobody else moves. To let it recur changes nothing for anybody else.
 */
#include "refute/adversary.h"

struct pair {
    struct adversary *adversary;
    bool (*locked_out)(struct adversary *adversary, const struct run *run, size_t stem, unsigned p);
};

/* ---- how many values there are ---- */

struct census {
    uint64_t value[3];
    size_t *count;
};

/* Never likes a state; looks at their values. */
static bool take_census(const struct adversary *adversary, const uint64_t *state,
                        const void *context)
{
    struct census *census = *(struct census *const *)context;
    const uint64_t value = value_of(adversary, state);
    if (check_region_of(adversary->model, state, 0) == CHECK_REMAINDER &&
        check_region_of(adversary->model, state, 1) == CHECK_REMAINDER)
        return false;
    for (size_t v = 0; v < *census->count; v++) {
        if (census->value[v] == value)
            return false;
    }
    if (*census->count < 3)
        census->value[(*census->count)++] = value;
    return *census->count == 3;
}

/* ---- Lemma 4.3 ---- */

/* p is alone at a recurring state of `run`, with this period, and its cycle leads through R and C:
 * if
 * V is the same at both, then `other`, from the one, enters beside p at the other. */
static bool tell_apart(struct adversary *adversary, const struct run *run, unsigned p,
                       size_t period, unsigned other)
{
    struct run resting = {.step = NULL}, critical = {.step = NULL};
    bool goes_on = run_copy(adversary, &resting, run) && run_copy(adversary, &critical, run);
    bool differ = true;
    for (size_t r = 0; goes_on && differ && r < period; r++) {
        if (run_region(adversary, &resting, p) == CHECK_REMAINDER) {
            goes_on = run_copy(adversary, &critical, &resting);
            for (size_t c = 0; goes_on && differ && c < period; c++) {
                differ = run_region(adversary, &critical, p) != CHECK_CRITICAL ||
                         run_value(adversary, &critical) != run_value(adversary, &resting);
                if (differ)
                    goes_on = run_step(adversary, &critical, p);
            }
        }
        if (differ)
            goes_on = goes_on && run_step(adversary, &resting, p);
    }
    if (goes_on && !differ) {
        say(adversary, "Lemma 4.3: V is the same where P%u rests and where it is critical", p);
        const size_t begin = resting.length;
        goes_on = drive_enter(adversary, &resting, other) &&
                  run_again(adversary, &critical, &resting, begin) &&
                  stop(adversary, "P%u enters beside P%u, and both are not critical", other, p);
    }
    run_free(&resting);
    run_free(&critical);
    return goes_on;
}

/* ---- Lemma 4.6 ---- */

/* At `run` the value is one that p, which is there for the second time, has on its cycle, and one
 * that `other` recurs with: they alternate for ever, and p is locked out. */
static bool alternate(struct pair *pair, struct run *run, unsigned p, size_t period, unsigned other,
                      size_t other_period)
{
    const size_t stem = run->length;
    for (size_t s = 0; s < period; s++) {
        if (!run_step(pair->adversary, run, p))
            return false;
    }
    for (size_t s = 0; s < other_period; s++) {
        if (!run_step(pair->adversary, run, other))
            return false;
    }
    return pair->locked_out(pair->adversary, run, stem, p);
}

/* Steps of p, at a recurring state with this period, until V has the value; *found: it gets
 * there. */
static bool seek_value(struct adversary *adversary, struct run *run, unsigned p, size_t period,
                       uint64_t value, bool *found)
{
    *found = run_value(adversary, run) == value;
    for (size_t s = 0; s < period && !*found; s++) {
        if (!run_step(adversary, run, p))
            return false;
        *found = run_value(adversary, run) == value;
    }
    return true;
}

/* Case 2.2: on the cycle of `other`, V has one value alone. */
static bool case_2_2(struct pair *pair, struct run *rests, unsigned p, struct run *run,
                     unsigned other, size_t other_period)
{
    struct adversary *adversary = pair->adversary;
    size_t period;
    bool found;
    /* p alone from where `other` rests: it goes round, or there is a deadlock. */
    const size_t begin = rests->length;
    size_t stem;
    if (!drive_round(adversary, rests, p, &stem))
        return false;
    period = rests->length - stem;
    if (!tell_apart(adversary, rests, p, period, other))
        return false;
    /* It does the same where `other` is blocked, and has its value again and again. */
    const uint64_t value = run_value(adversary, run);
    if (!run_again(adversary, run, rests, begin) ||
        !seek_value(adversary, run, p, period, value, &found))
        return false;
    if (!found)
        return stop(adversary, "P%u has a third value alone", p);
    say(adversary, "Lemma 4.6, case 2.2: P%u goes round past P%u, which has one value alone", p,
        other);
    return alternate(pair, run, other, other_period, p, period);
}

/* p is blocked and recurs at `run`, with this period. Either `other` is blocked too, and goes on;
 * or
 * C1 or C3 fails. */
static bool lemma_4_6(struct pair *pair, const struct run *run, unsigned p, size_t period,
                      unsigned other)
{
    struct adversary *adversary = pair->adversary;
    struct run rests = {.step = NULL}, moved = {.step = NULL};
    size_t other_period = 0;
    bool goes_on = run_copy(adversary, &rests, run) && run_copy(adversary, &moved, run);
    /* Where `other` alone comes to its remainder, if it does. */
    bool blocked = true;
    goes_on = goes_on && drive_recur(adversary, &moved, other, &other_period);
    const size_t most = moved.length - run->length + other_period;
    for (size_t s = 0; goes_on && blocked && s < most; s++) {
        blocked = run_region(adversary, &rests, other) != CHECK_REMAINDER;
        if (blocked)
            goes_on = run_step(adversary, &rests, other);
    }
    if (!goes_on || blocked)
        goto done;
    const uint64_t value = run_value(adversary, run);
    bool found;
    if (run_value(adversary, &rests) == value) {
        say(adversary, "Lemma 4.6, case 1: P%u cannot tell that P%u rests", p, other);
        const crew alone = team_of(p);
        goes_on = drive_exit(adversary, &rests, alone) &&
                  stop(adversary, "P%u gets to its remainder, though it is blocked", p);
        goto done;
    }
    /* The cycle of `other` from where it rests. */
    goes_on = run_copy(adversary, &moved, &rests) &&
              drive_recur(adversary, &moved, other, &other_period) &&
              seek_value(adversary, &moved, other, other_period, value, &found);
    if (goes_on && found) {
        say(adversary, "Lemma 4.6, case 2.1: P%u brings back the value that P%u waits with", other,
            p);
        goes_on = alternate(pair, &moved, p, period, other, other_period);
    } else if (goes_on) {
        /* It has one value, and is blocked by Lemma 4.3. */
        goes_on = tell_apart(adversary, &moved, other, other_period, p) &&
                  case_2_2(pair, &rests, p, &moved, other, other_period);
    }
done:
    run_free(&rests);
    run_free(&moved);
    return goes_on;
}

/* ---- Lemma 4.7 ---- */

/* Both are blocked in turn, for ever: nobody makes progress. The run comes back to where it was, at
 * last to where it was after a power of two of turns. */
static bool block_in_turn(struct pair *pair, struct run *run, size_t period)
{
    struct adversary *adversary = pair->adversary;
    struct run kept = {.step = NULL};
    bool goes_on = run_copy(adversary, &kept, run);
    for (uint64_t turns = 1; goes_on; turns++) {
        /* The other moves at least once, up to a value that it can bring back. */
        for (unsigned p = 0; p < 2; p++)
            goes_on = goes_on && lemma_4_6(pair, run, p, period, 1 - p) &&
                      run_step(adversary, run, 1 - p) &&
                      drive_recur(adversary, run, 1 - p, &period);
        if (goes_on && check_same_state(kept.state, run->state, adversary->model->words)) {
            say(adversary, "Lemma 4.7: P0 and P1 block each other");
            goes_on =
                conclude(adversary, run, adversary->deadlock, kept.length,
                         "from step %zu on nobody changes its region any more", kept.length + 1);
        } else if (goes_on && (turns & (turns - 1)) == 0) {
            goes_on = run_copy(adversary, &kept, run);
        }
    }
    run_free(&kept);
    return goes_on;
}

bool pair_lemma(struct adversary *adversary, const struct run *start,
                bool (*locked_out)(struct adversary *adversary, const struct run *run, size_t stem,
                                   unsigned p),
                size_t *values)
{
    struct pair pair = {adversary, locked_out};
    struct census census = {.count = values}, *counting = &census;
    struct reach reach;
    uint32_t at;
    *values = 0;
    bool goes_on =
        reach_search(adversary, &reach, start, team_range(0, 2), take_census, &counting, &at);
    reach_close(&reach);
    if (!goes_on || *values > 2)
        return goes_on;
    struct run run = {.step = NULL};
    size_t period = 0;
    goes_on = run_copy(adversary, &run, start) && drive_enter(adversary, &run, 1) &&
              run_step(adversary, &run, 0) && drive_recur(adversary, &run, 0, &period) &&
              block_in_turn(&pair, &run, period);
    run_free(&run);
    return goes_on;
}
