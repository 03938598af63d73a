/*
 * Burns et al., Theorems 4.4, 4.5 and 4.9. The points: q0, all in their remainder; q1, P0 alone has
 * become critical; q(i+1), process i has taken one step after that. Two points with one value look
 * alike to those who have not moved between them.
 */
#include "refute/adversary.h"

struct points {
    struct run q[CHECK_MAX_PROCESSES + 1];
    unsigned count;
};

static void points_free(struct points *points)
{
    for (unsigned i = 0; i <= CHECK_MAX_PROCESSES; i++)
        run_free(&points->q[i]);
}

/* q0 .. q(last). */
static bool make_points(struct adversary *adversary, struct points *points, unsigned last)
{
    *points = (struct points){.count = 0};
    for (unsigned i = 0; i <= last; i++) {
        struct run *q = &points->q[i];
        if (i == 0)
            run_begin(adversary, q);
        else if (!run_copy(adversary, q, &points->q[i - 1]))
            return false;
        points->count = i + 1;
        if (i == 1 && !drive_enter(adversary, q, 0))
            return false;
        if (i > 1 && !run_step(adversary, q, i - 1))
            return false;
        if (!mark(adversary, q, "q%u", i))
            return false;
    }
    return true;
}

static uint64_t value_at(const struct adversary *adversary, const struct points *points, unsigned i)
{
    return run_value(adversary, &points->q[i]);
}

static void say_equal(struct adversary *adversary, const struct points *points, unsigned i,
                      unsigned j, const char *which)
{
    char text[64];
    say(adversary, "%s: V(q%u) = V(q%u) = %s", which, i, j,
        value_text(adversary, value_at(adversary, points, i), text, sizeof text));
}

/* V(q0) = V(qi), and process p has not moved at either: it enters beside P0 (Lemma 4.3). */
static bool enter_beside(struct adversary *adversary, struct points *points, unsigned i, unsigned p)
{
    struct run alone = {.step = NULL};
    bool goes_on = run_copy(adversary, &alone, &points->q[0]) &&
                   drive_enter(adversary, &alone, p) &&
                   run_again(adversary, &points->q[i], &alone, points->q[0].length);
    run_free(&alone);
    return goes_on && stop(adversary, "P%u enters beside P0, and both are not critical", p);
}

void adversary_4_4(struct adversary *adversary)
{
    struct points points;
    if (make_points(adversary, &points, 1)) {
        if (value_at(adversary, &points, 0) == value_at(adversary, &points, 1)) {
            say_equal(adversary, &points, 0, 1, "Lemma 4.3");
            enter_beside(adversary, &points, 1, 1);
        } else {
            stop(adversary, "V(q0) and V(q1) differ");
        }
    }
    points_free(&points);
}

/* V(qi) = V(qj), 0 < i < j: processes 0 .. i-1 go on for ever at qj as they would at qi, while
 * process j-1 tries. */
static bool pass_by(struct adversary *adversary, struct points *points, unsigned i, unsigned j)
{
    const struct drive for_ever = {.team = team_range(0, i)};
    struct run alone = {.step = NULL};
    const size_t begin = points->q[i].length;
    bool cycles;
    size_t stem = 0;
    unsigned who;
    bool serves;
    /* By C2 somebody becomes critical again and again. */
    bool goes_on = run_copy(adversary, &alone, &points->q[i]) &&
                   drive(adversary, &alone, &for_ever, &cycles, &stem) &&
                   cycle_serves(adversary, &alone, stem, &serves, &who);
    if (goes_on && !serves)
        goes_on = conclude(adversary, &alone, adversary->deadlock, stem,
                           "from step %zu on nobody changes its region any more", stem + 1);
    struct run *q = &points->q[j];
    const size_t again = q->length;
    goes_on = goes_on && run_again(adversary, q, &alone, begin);
    if (goes_on)
        goes_on = conclude(adversary, q, CHECK_BOUNDED_WAITING, again + (stem - begin),
                           "while P%u waits, P%u goes from remainder to critical without bound",
                           j - 1, who);
    run_free(&alone);
    return goes_on;
}

/* Case 1: two of q1 .. qN have one value. */
static bool case_1(struct adversary *adversary, struct points *points)
{
    for (unsigned j = 2; j < points->count; j++) {
        for (unsigned i = 1; i < j; i++) {
            if (value_at(adversary, points, i) != value_at(adversary, points, j))
                continue;
            say_equal(adversary, points, i, j, "case 1");
            return pass_by(adversary, points, i, j);
        }
    }
    return true;
}

void adversary_4_5(struct adversary *adversary)
{
    struct points points;
    const unsigned n = adversary->model->n;
    if (make_points(adversary, &points, n) && case_1(adversary, &points))
        stop(adversary, "V(q1) to V(q%u) are %u different values", n, n);
    points_free(&points);
}

/* ---- Theorem 4.9 ---- */

/* A state that P0 and P1 lead to, not both in their remainder, that looks to the others like a
 * point other than q1 and q2. */
struct elsewhere {
    uint64_t value[CHECK_MAX_PROCESSES + 1]; /* of q0, and of q3 .. qN */
    unsigned index[CHECK_MAX_PROCESSES + 1];
    unsigned count;
};

static unsigned elsewhere_index(const struct adversary *adversary, const uint64_t *state,
                                const struct elsewhere *elsewhere)
{
    for (unsigned e = 0; e < elsewhere->count; e++) {
        if (value_of(adversary, state) == elsewhere->value[e])
            return elsewhere->index[e];
    }
    return UINT32_MAX;
}

static bool is_elsewhere(const struct adversary *adversary, const uint64_t *state,
                         const void *context)
{
    return (check_region_of(adversary->model, state, 0) != CHECK_REMAINDER ||
            check_region_of(adversary->model, state, 1) != CHECK_REMAINDER) &&
           elsewhere_index(adversary, state, context) != UINT32_MAX;
}

/* Cases 3.1 and 3.2: the run stands at such a state; P2 goes round and round, as if alone. */
static bool go_round(struct adversary *adversary, struct run *run, unsigned index)
{
    struct run alone;
    size_t stem;
    run_begin(adversary, &alone);
    const size_t begin = alone.length;
    bool goes_on = drive_round(adversary, &alone, 2, &stem);
    if (index > 0) /* case 3.2 */
        goes_on = goes_on && run_each(adversary, run, index, adversary->model->n);
    const size_t again = run->length;
    goes_on = goes_on && run_again(adversary, run, &alone, begin);
    run_free(&alone);
    const unsigned waits = run_region(adversary, run, 0) != CHECK_REMAINDER ? 0 : 1;
    return goes_on &&
           conclude(adversary, run, CHECK_BOUNDED_WAITING, again + (stem - begin),
                    "while P%u waits, P2 goes from remainder to critical without bound", waits);
}

/* Case 3: V(q0) = V(qN), and no other two are equal. */
static bool case_3(struct adversary *adversary, struct points *points)
{
    const unsigned n = adversary->model->n;
    struct elsewhere elsewhere = {.value = {value_at(adversary, points, 0)}, .count = 1};
    for (unsigned i = 3; i < n; i++) { /* qN has the value of q0 */
        elsewhere.index[elsewhere.count] = i;
        elsewhere.value[elsewhere.count++] = value_at(adversary, points, i);
    }
    size_t values = 0;
    struct reach reach = {.room = 0};
    uint32_t at = STATES_NONE;
    if (n >= 3 && !reach_search(adversary, &reach, &points->q[0], team_range(0, 2), is_elsewhere,
                                &elsewhere, &at)) {
        reach_close(&reach);
        return false;
    }
    bool goes_on = true;
    if (at != STATES_NONE) {
        struct run run = {.step = NULL};
        const unsigned index =
            elsewhere_index(adversary, states_key(&reach.states, at), &elsewhere);
        say(adversary, "case 3.%d: V(q0) = V(q%u), and P0 and P1 bring about V(q%u)",
            index == 0 ? 1 : 2, n, index);
        goes_on = run_copy(adversary, &run, &points->q[0]) &&
                  reach_follow(adversary, &reach, at, &run) && go_round(adversary, &run, index);
        run_free(&run);
    } else {
        say(adversary, "V(q0) = V(q%u), and P0 and P1 have two values: Lemma 4.7", n);
        goes_on = pair_lemma(adversary, &points->q[0], conclude_starved, &values);
        if (goes_on)
            goes_on = stop(adversary,
                           "V(q0) = V(q%u), but P0 and P1 have %zu values, none of them at another "
                           "point",
                           n, values);
    }
    reach_close(&reach);
    return goes_on;
}

void adversary_4_9(struct adversary *adversary)
{
    struct points points;
    const unsigned n = adversary->model->n;
    bool goes_on = make_points(adversary, &points, n) && case_1(adversary, &points);
    for (unsigned i = 1; goes_on && i < n; i++) {
        if (value_at(adversary, &points, 0) == value_at(adversary, &points, i)) {
            say_equal(adversary, &points, 0, i, "case 2");
            goes_on = enter_beside(adversary, &points, i, n - 1);
        }
    }
    if (goes_on && value_at(adversary, &points, 0) == value_at(adversary, &points, n))
        goes_on = case_3(adversary, &points);
    if (goes_on)
        stop(adversary, "all N + 1 values V(q0) to V(q%u) are different", n);
    points_free(&points);
}
