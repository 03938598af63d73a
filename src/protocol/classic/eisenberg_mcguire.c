/*
 * M. A. Eisenberg, M. R. McGuire, Further Comments on Dijkstra's Concurrent Programming Control
 * Problem, CACM 15(11), 1972: nobody waits for more than n - 1 turns of others.
 *
 *     L0: control[i] := 1;
 *     L1: for j := k step 1 until N, 1 step 1 until k do
 *             begin if j = i then goto L2;
 *                   if control[j] /= 0 then goto L1
 *             end;
 *     L2: control[i] := 2;
 *         for j := 1 step 1 until N do
 *             if j /= i and control[j] = 2 then goto L0;
 *     L3: if control[k] /= 0 and k /= i then goto L0;
 *     L4: k := i;
 *         critical section;
 *     L5: for j := k step 1 until N, 1 step 1 until k do
 *             if j /= k and control[j] /= 0 then
 *                 begin k := j; goto L6 end;
 *     L6: control[i] := 0;
 *     L7: remainder; goto L0
 *
 * Departures from the paper:
 *  1. Processes are counted from 0. k is 0 at the start, where the paper leaves it open.
 *  2. L3 is made one read at a time: k, and control[k] where k is not i.
 *  3. In L5, k is i, as L4 has just set it and nobody else changes it since; so it is not read.
 */
#define NAME eisenberg_mcguire
#define CELLS(cell, cells, registers) registers(control, 3) cell(k, n)
#define LOCALS(local) local(j, n)
#include "step/step.h"

enum { ITSELF, NO_L2, NO_L3, NO_L5 };

static inline word above(word p, word n) /* p + 1, cyclically */
{
    return p + 1 == n ? 0 : p + 1;
}

ENTRY
    word theirs;
L0:
    WRITE(L0, control[ME], 1);
L1:
    READ(L1, j, k);
    for (; j != ME; j = above(j, n)) {
        READ(L1c, theirs, control[j]);
        if (theirs != 0) {
            FORGET(j);
            RELAX;
            goto L1;
        }
    }
    FORGET(j);
    WRITE(L2, control[ME], 2);
    for (j = 0; j < n && !VARIANT(NO_L2); j++) {
        if (j == ME)
            continue;
        READ(L2c, theirs, control[j]);
        if (theirs == 2) {
            FORGET(j);
            RELAX;
            goto L0;
        }
    }
    FORGET(j);
    if (!VARIANT(NO_L3)) {
        READ(L3, j, k);
        if (j != ME) {
            READ(L3c, theirs, control[j]);
            FORGET(j);
            if (theirs != 0) {
                RELAX;
                goto L0;
            }
        }
        FORGET(j);
    }
    WRITE(L4, k, ME);
END

EXIT
    word theirs;
    if (!VARIANT(NO_L5)) {
        for (j = above(ME, n); j != ME; j = above(j, n)) {
            READ(L5, theirs, control[j]);
            if (theirs != 0) {
                WRITE(L5k, k, j);
                break;
            }
        }
        FORGET(j);
    }
    WRITE(L6, control[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Eisenberg and McGuire 1972"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Eisenberg and McGuire 1972"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Eisenberg and McGuire 1972"},
    {CHECK_BOUNDED_WAITING, CLAIMED, "follows", .has_bound = true, .bound = 1},
    {CHECK_OVERTAKING, CLAIMED, "Eisenberg and McGuire 1972", .why = "n - 1 turns",
     .has_bound = true, .bound = UINT64_MAX, .bound_n = 1}, /* -1, and 1 for each process */
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Eisenberg and McGuire 1972"},
    {CHECK_VALUES, CLAIMED, .why = "control has 3, k has n", .has_bound = true},
};

static const struct protocol_claim no_l2[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without the loop after L2", .refuted_from_n = 2},
};

static const struct protocol_claim no_l3[] = {
    {CHECK_EXCLUSION, CLAIMED, "Eisenberg and McGuire 1972"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "as Knuth's"},
    {CHECK_OVERTAKING, CLAIMED, .why = "n - 1 turns, without L3", .has_bound = true,
     .bound = UINT64_MAX, .bound_n = 1, .refuted_from_n = 3},
};

static const struct protocol_claim no_l5[] = {
    {CHECK_EXCLUSION, CLAIMED, "Eisenberg and McGuire 1972"},
    {CHECK_LOCKOUT_FREE, CLAIMED, .why = "with the turn left to oneself", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 154, 308},
    {{.n = 3, .l = 1, .k = 1}, 3000, 9000},
    {{.n = 4, .l = 1, .k = 1}, 60247, 240988},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Eisenberg and McGuire's algorithm", CLAIMS(claims), EXPECTED(expected)},
    [NO_L2] = {"no-l2", "broken: no look for somebody else at 2", CLAIMS(no_l2)},
    [NO_L3] = {"no-l3", "broken: goes in although somebody else has the turn and wants it",
               CLAIMS(no_l3)},
    [NO_L5] = {"no-l5", "broken: leaves the turn to itself", CLAIMS(no_l5)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n > 3 ? params->n : 3;
}

PROTOCOL(.name = "eisenberg-mcguire", .title = "Eisenberg and McGuire's algorithm",
         .citation = "Eisenberg and McGuire 1972", .min_n = 2, .max_n = 8, .default_n = 3,
         .max_l = 1, .values = values, .values_source = "control has 3, k has n",
         VARIANTS(variants))
#include "step/end.h"
