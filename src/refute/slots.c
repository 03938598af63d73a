/*
 * Fischer et al., Theorems 5.1 and 5.3. Points q(i,j) with i and j in two ranges; two of them with
 * one value look alike to those who are in the same state at both.
 *
 * Processes are numbered from 0 here; process p is the paper's P(p+1).
 */
#include "refute/adversary.h"

#include <stdlib.h>

struct grid {
    struct run *q; /* (i, j) is at (i - 1) * columns + j - first_column */
    unsigned rows, columns, first_column;
};

static struct run *grid_at(const struct grid *grid, unsigned i, unsigned j)
{
    return &grid->q[(i - 1) * grid->columns + (j - grid->first_column)];
}

static bool grid_open(struct adversary *adversary, struct grid *grid, unsigned rows,
                      unsigned columns, unsigned first_column)
{
    *grid = (struct grid){.rows = rows, .columns = columns, .first_column = first_column};
    grid->q = calloc((size_t)rows * columns, sizeof *grid->q);
    return grid->q != NULL || fall_short(adversary, REFUTE_NO_MEMORY);
}

static void grid_close(struct grid *grid)
{
    for (unsigned q = 0; grid->q != NULL && q < grid->rows * grid->columns; q++)
        run_free(&grid->q[q]);
    free(grid->q);
}

/* Looks for two points with one value, and hands them on: the first has the smaller j, and where
 * these are equal the smaller i. */
static bool grid_collide(struct adversary *adversary, const struct grid *grid,
                         bool (*collide)(struct adversary *adversary, const struct grid *grid,
                                         unsigned i, unsigned j, unsigned i2, unsigned j2))
{
    const unsigned count = grid->rows * grid->columns;
    for (unsigned b = 0; b < count; b++) {
        for (unsigned a = 0; a < b; a++) {
            if (run_value(adversary, &grid->q[a]) != run_value(adversary, &grid->q[b]))
                continue;
            const unsigned i = a / grid->columns + 1, i2 = b / grid->columns + 1;
            const unsigned j = a % grid->columns + grid->first_column;
            const unsigned j2 = b % grid->columns + grid->first_column;
            char text[64];
            say(adversary, "V(q(%u,%u)) = V(q(%u,%u)) = %s", i, j, i2, j2,
                value_text(adversary, run_value(adversary, &grid->q[a]), text, sizeof text));
            return collide(adversary, grid, i, j, i2, j2);
        }
    }
    return stop(adversary, "all %u values of the points q(i,j) are different", count);
}

/* ---- Theorem 5.1 ---- */

/* q(i,j): processes 0 .. l-1 become critical, l .. l+j-1 take one step, and 0 .. i-1 leave. */
static bool make_5_1(struct adversary *adversary, struct grid *grid)
{
    const unsigned n = adversary->model->n, l = adversary->model->l;
    struct run full;
    run_begin(adversary, &full);
    bool goes_on = true;
    for (unsigned p = 0; goes_on && p < l; p++)
        goes_on = drive_enter(adversary, &full, p);
    for (unsigned j = 0; goes_on && j < n - l; j++) {
        for (unsigned i = 1; goes_on && i <= l; i++) {
            struct run *q = grid_at(grid, i, j);
            goes_on = run_copy(adversary, q, &full) && run_each(adversary, q, l, l + j) &&
                      run_each(adversary, q, 0, i);
            if (goes_on && run_those(adversary, q, team_range(0, i), CHECK_EXIT) != 0) {
                goes_on = stop(adversary, "it is about systems without exit regions");
                adversary->outcome->end = REFUTE_NOT_ABOUT;
            }
            goes_on = goes_on && mark(adversary, q, "q(%u,%u)", i, j);
        }
    }
    run_free(&full);
    return goes_on;
}

/* Case 1: j < j2. Those that have arrived at the first point pass through, then the last process
 * goes round for ever; at the second point process l+j waits during that. */
static bool go_past(struct adversary *adversary, struct run *q, struct run *q2, unsigned j)
{
    const unsigned n = adversary->model->n, l = adversary->model->l;
    const size_t begin = q->length, again = q2->length;
    size_t stem;
    return drive_exit(adversary, q, team_range(l, l + j)) &&
           drive_round(adversary, q, n - 1, &stem) && run_again(adversary, q2, q, begin) &&
           conclude(adversary, q2, CHECK_BOUNDED_WAITING, again + (stem - begin),
                    "while P%u waits, P%u goes from remainder to critical without bound", l + j,
                    n - 1);
}

struct filling {
    crew team;
    unsigned wanted;
};

static bool is_filled(const struct adversary *adversary, const struct run *run, const void *context)
{
    const struct filling *filling = context;
    const crew in = run_those(adversary, run, filling->team, CHECK_CRITICAL);
    return (unsigned)__builtin_popcount(in) >= filling->wanted;
}

/* Case 2: j = j2, i < i2. At the second point i + 1 of those who are in the same state at both
 * become critical; at the first one they are one too many. */
static bool fill(struct adversary *adversary, struct run *q, struct run *q2, unsigned i)
{
    const unsigned n = adversary->model->n, l = adversary->model->l;
    const struct filling filling = {team_range(0, i) | team_range(l, n), i + 1};
    const struct drive in = {
        .team = filling.team, .rest_inside = true, .there = is_filled, .context = &filling};
    const size_t begin = q2->length;
    return drive_there(adversary, q2, &in) && run_again(adversary, q, q2, begin) &&
           stop(adversary, "%u more are critical, and no contradiction follows", i + 1);
}

static bool collide_5_1(struct adversary *adversary, const struct grid *grid, unsigned i,
                        unsigned j, unsigned i2, unsigned j2)
{
    struct run *q = grid_at(grid, i, j), *q2 = grid_at(grid, i2, j2);
    if (j != j2)
        say(adversary, "case 1");
    else
        say(adversary, "case 2");
    return j < j2   ? go_past(adversary, q, q2, j)
           : j2 < j ? go_past(adversary, q2, q, j2)
                    : fill(adversary, q, q2, i);
}

void adversary_5_1(struct adversary *adversary)
{
    const unsigned n = adversary->model->n, l = adversary->model->l;
    struct grid grid;
    if (grid_open(adversary, &grid, l, n - l, 0) && make_5_1(adversary, &grid))
        grid_collide(adversary, &grid, collide_5_1);
    grid_close(&grid);
}

/* ---- Theorem 5.3 ---- */

/* Process p alone goes round until it is critical and `waits` is enabled. Where that never happens
 * C4' fails, and where p does not get round, C2. */
static bool go_until_enabled(struct adversary *adversary, struct run *run, unsigned p,
                             unsigned waits)
{
    struct run ahead = {.step = NULL};
    size_t stem = 0;
    bool enabled = false;
    bool goes_on = run_copy(adversary, &ahead, run) && drive_round(adversary, &ahead, p, &stem);
    /* Once enabled it stays so; on the cycle the last state tells. */
    while (goes_on && !enabled && run->length < ahead.length) {
        goes_on = run_step(adversary, run, p);
        if (goes_on && run_region(adversary, run, p) == CHECK_CRITICAL)
            goes_on = is_enabled(adversary, run, waits, &enabled);
    }
    if (goes_on && !enabled) {
        say(adversary, "P%u goes round, and P%u is never enabled", p, waits);
        goes_on = conclude(adversary, run, CHECK_BOUNDED_WAITING_ENABLING, stem,
                           "while P%u waits, P%u goes from remainder to critical without bound",
                           waits, p);
    }
    run_free(&ahead);
    return goes_on;
}

/* q(1,1) .. q(l,1), the primary schedule. At q(i,1) processes 0 .. i-2 are enabled, i-1 tries, and
 * i .. l are critical. */
static bool make_primary(struct adversary *adversary, struct grid *grid)
{
    const unsigned l = adversary->model->l;
    struct run *q = grid_at(grid, 1, 1);
    run_begin(adversary, q);
    for (unsigned p = 1; p <= l; p++) {
        if (!drive_enter(adversary, q, p))
            return false;
    }
    if (!run_step(adversary, q, 0))
        return false;
    for (unsigned i = 1; i < l; i++) {
        struct run *next = grid_at(grid, i + 1, 1);
        if (!run_copy(adversary, next, grid_at(grid, i, 1)) ||
            !drive_exit(adversary, next, team_range(i, i + 2)) ||
            !go_until_enabled(adversary, next, i + 1, i - 1) ||
            !run_knock(adversary, next, i, team_range(0, i)))
            return false;
    }
    return true;
}

/* q(i,j): processes l+1 .. l+j-1 take one step. */
static bool make_5_3(struct adversary *adversary, struct grid *grid)
{
    const unsigned n = adversary->model->n, l = adversary->model->l;
    if (!make_primary(adversary, grid))
        return false;
    for (unsigned i = 1; i <= l; i++) {
        for (unsigned j = 1; j <= n - l; j++) {
            struct run *q = grid_at(grid, i, j);
            if (j > 1 && (!run_copy(adversary, q, grid_at(grid, i, j - 1)) ||
                          !run_knock(adversary, q, l + j - 1, team_range(0, i - 1))))
                return false;
            if (!mark(adversary, q, "q(%u,%u)", i, j))
                return false;
        }
    }
    return true;
}

/* Case 1: i < i2. Processes 0 .. i-1 are enabled at the second point, and enter at the first
 * one. */
static bool enter_all(struct adversary *adversary, struct run *q, unsigned i)
{
    say(adversary, "case 1");
    return run_each(adversary, q, 0, i) &&
           stop(adversary, "P0 to P%u are sure to enter, and do not", i - 1);
}

/* Case 2: i = i2, j < j2. At the first point everybody leaves, P0 goes round, and processes 0 ..
 * l-1 become critical. At the second one process l+j2-1 waits: it is enabled at last, and is one
 * too many. */
static bool wait_until_full(struct adversary *adversary, struct run *q, struct run *q2, unsigned j,
                            unsigned j2)
{
    const unsigned l = adversary->model->l, waits = l + j2 - 1;
    const size_t begin = q->length;
    say(adversary, "case 2");
    if (!drive_exit(adversary, q, team_range(0, l + j)))
        return false;
    /* Round and round, with the run at the second point beside it. */
    struct run ahead = {.step = NULL};
    size_t stem = 0;
    const size_t out = q->length;
    bool enabled = false;
    bool goes_on = run_copy(adversary, &ahead, q) && drive_round(adversary, &ahead, 0, &stem) &&
                   run_again(adversary, q2, q, begin) && is_enabled(adversary, q2, waits, &enabled);
    const size_t again = q2->length;
    for (size_t s = out; goes_on && !enabled && s < ahead.length; s++) {
        goes_on = run_step(adversary, q, 0) && run_step(adversary, q2, 0);
        if (goes_on && run_region(adversary, q, 0) == CHECK_REMAINDER)
            goes_on = is_enabled(adversary, q2, waits, &enabled);
    }
    run_free(&ahead);
    if (goes_on && !enabled)
        goes_on =
            conclude(adversary, q2, CHECK_BOUNDED_WAITING_ENABLING, again + (stem - out),
                     "while P%u waits, P0 goes from remainder to critical without bound", waits);
    const size_t entering = q->length;
    for (unsigned p = 0; goes_on && p < l; p++)
        goes_on = drive_enter(adversary, q, p);
    return goes_on && run_again(adversary, q2, q, entering) && run_step(adversary, q2, waits) &&
           stop(adversary, "P%u is sure to enter, and does not", waits);
}

static bool collide_5_3(struct adversary *adversary, const struct grid *grid, unsigned i,
                        unsigned j, unsigned i2, unsigned j2)
{
    /* Points come row by row, so i <= i2, and j < j2 in one row. */
    return i < i2 ? enter_all(adversary, grid_at(grid, i, j), i)
                  : wait_until_full(adversary, grid_at(grid, i, j), grid_at(grid, i2, j2), j, j2);
}

void adversary_5_3(struct adversary *adversary)
{
    const unsigned n = adversary->model->n, l = adversary->model->l;
    struct grid grid;
    if (grid_open(adversary, &grid, l, n - l, 1) && make_5_3(adversary, &grid))
        grid_collide(adversary, &grid, collide_5_3);
    grid_close(&grid);
}
