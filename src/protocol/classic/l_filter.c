/*
 * G. L. Peterson, Observations on l-Exclusion, 28th Allerton Conference, 1990; analysed in K.
 * Obokata, M. Omori, K. Motegi, Y. Igarashi, Analysis of Some Lockout Avoidance Algorithms for the
 * k-Exclusion Problem, 2001: the filter lock (see peterson) for l slots. A level holds back the
 * last one that came to it if l others are there or beyond, so that n - l levels leave l.
 *
 *     for j := 1 to n - l do
 *         level[i] := j;
 *         last[j] := i;
 *         wait until fewer than l of the others have level >= j, or last[j] /= i
 *     critical section;
 *     level[i] := 0
 *
 * With l = 1 this is the filter lock.
 *
 * Departures from the paper:
 *  1. Processes are counted from 0.
 *  2. The wait is made one read at a time: the levels of the others in ascending order, up to the
 *     l-th that is not below j; then last[j]; and if that is still i, all of it again.
 */
#define NAME l_filter
#define CELLS(cell, cells, registers) registers(level, n - l + 1) cells(last, n - l, n)
#define LOCALS(local) local(j, n) local(q, n) local(count, l + 1)
#include "step/step.h"

enum { ITSELF, LAST_FIRST, ONE_MORE };

#define ALLOWED (VARIANT(ONE_MORE) ? l + 1 : l)

ENTRY
    for (j = 1; j <= n - l; j++) {
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
            if (theirs < j || ++count < ALLOWED)
                continue;
            FORGET(q);
            FORGET(count);
            READ(see, theirs, last[j - 1]);
            if (theirs == ME) {
                RELAX;
                goto again;
            }
            break;
        }
        FORGET(q);
        FORGET(count);
    }
    FORGET(j);
END

EXIT
    WRITE(exit, level[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Obokata et al. 2001"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Obokata et al. 2001"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Obokata et al. 2001"},
    {CHECK_L_LOCKOUT_FREE, CLAIMED, "Obokata et al. 2001", .why = "tolerates l - 1 failures"},
    {CHECK_FIFO, NOT_CLAIMED, "as in the filter lock", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Peterson 1990"},
    {CHECK_VALUES, CLAIMED, .why = "levels, and processes", .has_bound = true},
};

static const struct protocol_claim last_first[] = {
    {CHECK_EXCLUSION, CLAIMED, "as in the filter lock", .refuted_from_n = 2},
};

static const struct protocol_claim one_more[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with one slot too many", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 32, 64},
    {{.n = 3, .l = 1, .k = 1}, 1605, 4815},
    {{.n = 3, .l = 2, .k = 1}, 696, 2088},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the filter lock for l slots", CLAIMS(claims), EXPECTED(expected)},
    [LAST_FIRST] = {"last-first", "broken: last is written before level", CLAIMS(last_first)},
    [ONE_MORE] = {"one-more", "broken: lets one more pass each level", CLAIMS(one_more)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n;
}

PROTOCOL(.name = "l-filter", .title = "The filter lock for l slots",
         .citation = "Peterson 1990; Obokata et al. 2001", .min_n = 2, .max_n = 8, .default_n = 3,
         .max_l = 7, .needs_l_below_n = true, .values = values,
         .values_source = "levels, and processes", VARIANTS(variants))
#include "step/end.h"
