/*
 * G. L. Peterson, Myths About the Mutual Exclusion Problem, Information Processing Letters 12(3),
 * 1981: the filter lock for n processes. Here for calibration: everybody knows the answer.
 *
 * Departures from print:
 *  1. The test "for all k /= me: level[k] < j, or last[j] /= me" is made one read at a time, the
 *     levels in ascending order; on one that is not below j, last[j] is read; if it is still me,
 *     reading starts again.
 */
#define NAME peterson
#define CELLS(cell, cells, registers) registers(level, n) cells(last, n - 1, n)
#define LOCALS(local) local(j, n) local(q, n)
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
