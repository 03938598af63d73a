/*
 * G. L. Peterson, Myths About the Mutual Exclusion Problem, Information Processing Letters 12(3),
 * 1981: the filter lock for n processes. Here for calibration: everybody knows the answer.
 *
 * Departures from the paper:
 *  1. The test "for all k /= me: level[k] < j, or last[j] /= me" is made one read at a time, the
 *     levels in ascending order; on one that is not below j, last[j] is read; if it is still me,
 *     reading starts again.
 */
#define NAME peterson
#define CELLS(cell, cells, registers) registers(level, n) cells(last, n - 1, n)
#define LOCALS(local) local(j, n) local(q, n)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"

enum { ITSELF, LAST_FIRST };

ENTRY
    for (j = 1; j < n; j++) {
        if (VARIANT(LAST_FIRST)) {
            WRITE(last, last[j - 1], ME);
            WRITE(level, level[ME], j);
        } else {
            WRITE(level, level[ME], j);
            WRITE(last, last[j - 1], ME);
        }
    again:
        for (q = 0; q < n; q++) {
            if (q == ME)
                continue;
            word theirs;
            READ(wait, theirs, level[q]);
            if (theirs >= j) {
                FORGET(q);
                READ(see, theirs, last[j - 1]);
                if (theirs == ME) {
                    RELAX;
                    goto again;
                }
                break;
            }
        }
        FORGET(q);
    }
    FORGET(j);
END

EXIT
    WRITE(exit, level[ME], 0);
END

#ifdef STEP_RULES
/* For every n. A process is at stage j while it tries to pass level j, and at stage n when it has
 * passed all. Where a process has passed a level and another has come to it, one waits there: the
 * one that came last. Two critical processes would leave n - 1 behind them, one at each level. */
#define STAGE(p) EITHER(IS_IN(p, CRITICAL) || IS_IN(p, EXIT), n, MINE(p, j))
#define WAITS(p) (IS_AT(p, wait) || IS_AT(p, see))
#define HAS_COME_TO(p, level) ((level) < STAGE(p) || (WAITS(p) && MINE(p, j) == (level)))
#define SOMEBODY_WAITS_AT(level)                                                                   \
    (IS_PROCESS(last[(level)-1]) && WAITS(last[(level)-1]) && MINE(last[(level)-1], j) == (level))
PROOF
    INVARIANT("a process shows the level that it is at",
              implies(IS_IN(I, REMAINDER), level[I] == 0) &&
                  implies(IS_AT(I, level), level[I] == MINE(I, j) - 1 && 1 < MINE(I, j)) &&
                  implies(IS_AT(I, last) || WAITS(I), level[I] == MINE(I, j) && 0 < MINE(I, j)) &&
                  implies(IS_IN(I, CRITICAL) || IS_IN(I, EXIT), level[I] == n - 1));
    INVARIANT("a process that waits came last, or another came after it",
              implies(WAITS(I), last[MINE(I, j) - 1] == I || SOMEBODY_WAITS_AT(MINE(I, j))));
    INVARIANT("a process that was seen below and comes up comes after",
              implies(IS_AT(I, wait) && J < MINE(I, q) && HAS_COME_TO(J, MINE(I, j)),
                      last[MINE(I, j) - 1] != I && SOMEBODY_WAITS_AT(MINE(I, j))));
    INVARIANT("a process that passes a level where others are leaves one behind",
              implies(1 <= ANY && ANY < n && ANY < STAGE(I) && HAS_COME_TO(J, ANY),
                      SOMEBODY_WAITS_AT(ANY)));
    CROWD(last[ANY - 1]);
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Peterson 1981"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Peterson 1981"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Peterson 1981"},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "well known for n > 2", .fails_from_n = 3},
    {CHECK_FIFO, NOT_CLAIMED, "well known", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Peterson 1981"},
    {CHECK_VALUES, CLAIMED, "Peterson 1981", .has_bound = true},
};

static const struct protocol_claim last_first[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the textbook's warning", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 32, 64},
    {{.n = 3, .l = 1, .k = 1}, 1605, 4815},
    {{.n = 4, .l = 1, .k = 1}, 110490, 441960},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the filter lock", CLAIMS(claims), EXPECTED(expected)},
    [LAST_FIRST] = {"last-first", "broken: last is written before level", CLAIMS(last_first)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n;
}

PROTOCOL(.name = "peterson", .title = "The filter lock", .citation = "Peterson 1981", .min_n = 2,
         .max_n = 8, .default_n = 3, .max_l = 1, .values = values,
         .values_source = "levels 0 .. n-1", VARIANTS(variants))
#include "step/end.h"
