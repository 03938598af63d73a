/*
 * Fischer et al., Lemma 5.1 and Theorem 5.2. In an l-queuelike system those that are enabled are
 * known at each point of the proof: the first of those that try, by arrival, as many as there are
 * slots left. Where somebody is not enabled that should be, a part of (C6) fails there. Where two
 * points have one value, one too many is enabled.
 *
 * By induction on l: the last process is sent to the head of the queue and stays there, enabled, as
 * if critical, and the others are an (l-1)-queuelike system. It is *parked*.
 *
 * Processes are numbered from 0 here; process p is the paper's P(p+1).
 */
#include "refute/adversary.h"

#include <stdlib.h>

struct point {
    struct run run;
    unsigned l, n; /* of the system at this level; processes n and up are parked */
    unsigned i, j;
};

struct queue {
    struct adversary *adversary;
    struct point *point;
    unsigned points, most;
};

/* ---- which processes are enabled ---- */

/* Process p is not, and should be. */
static bool conclude_order(struct adversary *adversary, const struct run *run, unsigned p)
{
    const unsigned n = adversary->model->n, l = adversary->model->l;
    const crew all = team_range(0, n);
    const unsigned critical =
        (unsigned)__builtin_popcount(run_those(adversary, run, all, CHECK_CRITICAL));
    const crew trying = run_those(adversary, run, all, CHECK_WAITING);
    const unsigned count = (unsigned)__builtin_popcount(trying);
    const unsigned wanted = l - critical < count ? l - critical : count;
    crew enabled = 0;
    for (unsigned m = 0; m < n; m++) {
        bool is;
        if (!is_enabled(adversary, run, m, &is))
            return false;
        enabled |= is ? team_of(m) : 0;
    }
    say(adversary, "P%u is first in the queue, and not enabled", p);
    if ((unsigned)__builtin_popcount(enabled) != wanted)
        return conclude(adversary, run, CHECK_L_FULL, run->length,
                        "%u are enabled, not %u: P%u is not", (unsigned)__builtin_popcount(enabled),
                        wanted, p);
    for (unsigned m = 0; m < n; m++) {
        const bool later = !team_has(trying, m) || run->arrival[m] > run->arrival[p];
        if (!team_has(enabled, m) || !later)
            continue;
        struct run ahead = {.step = NULL};
        bool goes_on = run_copy(adversary, &ahead, run) && run_step(adversary, &ahead, m) &&
                       conclude(adversary, &ahead, CHECK_FIFO_ENABLING, ahead.length,
                                "while P%u waits and is not enabled, P%u goes past it", p, m);
        run_free(&ahead);
        return goes_on;
    }
    return stop(adversary, "P%u is not enabled, and nobody else in its place", p);
}

static bool expect_enabled(struct adversary *adversary, const struct run *run, unsigned p)
{
    bool enabled;
    return is_enabled(adversary, run, p, &enabled) &&
           (enabled || conclude_order(adversary, run, p));
}

/* p, which is critical, leaves in one step. */
static bool leave(struct adversary *adversary, struct run *run, unsigned p)
{
    return run_step(adversary, run, p) &&
           (run_region(adversary, run, p) == CHECK_REMAINDER ||
            conclude(adversary, run, CHECK_QUEUELIKE, run->length, "P%u has an exit region", p));
}

/* p, which is first in the queue, passes through in two steps. */
static bool pass(struct adversary *adversary, struct run *run, unsigned p)
{
    return expect_enabled(adversary, run, p) && run_step(adversary, run, p) &&
           leave(adversary, run, p);
}

static bool pass_each(struct adversary *adversary, struct run *run, unsigned from, unsigned to)
{
    for (unsigned p = from; p < to; p++) {
        if (!pass(adversary, run, p))
            return false;
    }
    return true;
}

/* ---- the points ---- */

static crew parked(const struct queue *queue, unsigned n)
{
    return team_range(n, queue->adversary->model->n);
}

/* From all of 0 .. n-1 in their remainder: q'', where 0 .. l-1 but one are critical and l .. n-1
 * try. */
static bool fill(struct queue *queue, struct run *run, unsigned l, unsigned n)
{
    struct adversary *adversary = queue->adversary;
    for (unsigned p = 0; p < l; p++) {
        if (!run_step(adversary, run, p))
            return false;
        if (run_region(adversary, run, p) != CHECK_CRITICAL &&
            (!expect_enabled(adversary, run, p) || !run_step(adversary, run, p)))
            return false;
    }
    for (unsigned p = l; p < n; p++) {
        if (!run_knock(adversary, run, p, parked(queue, n)))
            return false;
    }
    return leave(adversary, run, 0);
}

static bool add_point(struct queue *queue, const struct run *run, unsigned l, unsigned n,
                      unsigned i, unsigned j)
{
    struct adversary *adversary = queue->adversary;
    if (queue->points == queue->most) {
        const unsigned most = queue->most == 0 ? 64 : 2 * queue->most;
        struct point *grown = reallocarray(queue->point, most, sizeof *grown);
        if (grown == NULL)
            return fall_short(adversary, REFUTE_NO_MEMORY);
        queue->point = grown;
        queue->most = most;
    }
    struct point *point = &queue->point[queue->points];
    *point = (struct point){.l = l, .n = n, .i = i, .j = j};
    if (!run_copy(adversary, &point->run, run))
        return false;
    queue->points++;
    return n == adversary->model->n ? mark(adversary, run, "q(%u,%u)", i, j)
                                    : mark(adversary, run, "q%u(%u,%u)", l, i, j);
}

/* q(i,j), l <= j < i <= last. */
static bool add_points(struct queue *queue, const struct run *start, unsigned l, unsigned n,
                       unsigned last)
{
    struct adversary *adversary = queue->adversary;
    struct run passed = {.step = NULL}, run = {.step = NULL};
    bool goes_on = run_copy(adversary, &passed, start);
    for (unsigned i = l + 1; goes_on && i <= last; i++) {
        goes_on = pass(adversary, &passed, i - 1) && expect_enabled(adversary, &passed, i) &&
                  run_copy(adversary, &run, &passed);
        for (unsigned j = l; goes_on && j < i; j++) {
            if (j > l) /* one more has come again, behind process i, which has the slot */
                goes_on = run_knock(adversary, &run, j - 1, parked(queue, n) | team_of(i));
            goes_on = goes_on && add_point(queue, &run, l, n, i, j);
        }
    }
    run_free(&passed);
    run_free(&run);
    return goes_on;
}

static bool add_levels(struct queue *queue)
{
    struct adversary *adversary = queue->adversary;
    unsigned l = adversary->model->l, n = adversary->model->n;
    struct run run;
    bool goes_on = true;
    run_begin(adversary, &run);
    for (; goes_on && l >= 1; l--, n--) {
        goes_on = fill(queue, &run, l, n) && add_points(queue, &run, l, n, l > 1 ? n - 2 : n - 1);
        if (l == 1)
            break;
        /* Park the last process; the others go to their remainder. */
        goes_on = goes_on && pass_each(adversary, &run, l, n - 1) &&
                  expect_enabled(adversary, &run, n - 1);
        for (unsigned p = 1; goes_on && p < l; p++)
            goes_on = leave(adversary, &run, p);
    }
    run_free(&run);
    return goes_on;
}

/* ---- two points with one value ---- */

/* Both of them are enabled at the point, or able as at another one that looks the same; and so are
 * those that are parked. */
static bool enter_both(struct queue *queue, const struct point *point, struct run *run, unsigned a,
                       unsigned b)
{
    struct adversary *adversary = queue->adversary;
    return run_step(adversary, run, a) && run_step(adversary, run, b) &&
           run_each(adversary, run, point->n, adversary->model->n) &&
           stop(adversary, "P%u and P%u are sure to enter, and do not", a, b);
}

/* Lemma 5.1, case 2: one i, and j < j2. */
static bool overtake(struct queue *queue, struct point *point, struct point *other)
{
    struct adversary *adversary = queue->adversary;
    const unsigned i = point->i, j = point->j, j2 = other->j, n = point->n, l = point->l;
    struct run *run = &point->run;
    const size_t begin = run->length;
    return run_knock(adversary, run, j2, parked(queue, n) | team_of(i)) &&
           pass_each(adversary, run, i, n) && pass_each(adversary, run, l, j) &&
           expect_enabled(adversary, run, j2) && run_again(adversary, &other->run, run, begin) &&
           expect_enabled(adversary, &other->run, j) &&
           enter_both(queue, other, &other->run, j2, j);
}

static bool collide(struct queue *queue, struct point *point, struct point *other)
{
    struct adversary *adversary = queue->adversary;
    char text[64];
    say(adversary, "V(q(%u,%u)) = V(q%s(%u,%u)) = %s", point->i, point->j,
        point->n != other->n ? "'" : "", other->i, other->j,
        value_text(adversary, run_value(adversary, &point->run), text, sizeof text));
    if (point->n != other->n) { /* the last process is parked at the one, and not at the other */
        say(adversary, "P%u is enabled at the second", point->n - 1);
        return enter_both(queue, point, &point->run, point->n - 1, point->i);
    }
    if (point->i != other->i) { /* points come in the order of i, then of j */
        say(adversary, "Lemma 5.1, case 1");
        return enter_both(queue, point, &point->run, other->i, point->i);
    }
    say(adversary, "Lemma 5.1, case 2");
    return overtake(queue, point, other);
}

void adversary_5_2(struct adversary *adversary)
{
    struct queue queue = {.adversary = adversary};
    bool goes_on = add_levels(&queue);
    for (unsigned b = 1; goes_on && b < queue.points; b++) {
        for (unsigned a = 0; goes_on && a < b; a++) {
            if (run_value(adversary, &queue.point[a].run) ==
                run_value(adversary, &queue.point[b].run))
                goes_on = collide(&queue, &queue.point[a], &queue.point[b]);
        }
    }
    if (goes_on)
        stop(adversary, "all %u values of the points q(i,j) are different", queue.points);
    for (unsigned p = 0; p < queue.points; p++)
        run_free(&queue.point[p].run);
    free(queue.point);
}
