/*
 * D. E. Knuth, Additional Comments on a Problem in Concurrent Programming Control, CACM 9(5), 1966:
 * the first solution without lockout.
 *
 *     L0: control[i] := 1;
 *     L1: for j := k step -1 until 1, N step -1 until 1 do
 *             begin if j = i then go to L2;
 *                   if control[j] /= 0 then go to L1
 *             end;
 *     L2: control[i] := 2;
 *         for j := N step -1 until 1 do
 *             if j /= i and control[j] = 2 then go to L0;
 *     L3: k := i;
 *         critical section;
 *         k := if i = 1 then N else i - 1;
 *     L4: control[i] := 0;
 *     L5: remainder
 *
 * Departures from the paper:
 *  1. Processes are counted from 0. The paper has k = 0 at the start, from where the list in L1
 *     goes on with N; here k is n - 1 at the start, which is the same list.
 */
#define NAME knuth
#define CELLS(cell, cells, registers) registers(control, 3) cell(k, n)
#define LOCALS(local) local(j, n)
#define HAS_INITIAL
#include "step/step.h"

enum { ITSELF, ONE_LOOK, NO_TURN };

INITIAL
    SHARED(k) = n - 1;
END_INITIAL

static inline word below(word p, word n) /* p - 1, cyclically */
{
    return p == 0 ? n - 1 : p - 1;
}

ENTRY
    word theirs;
L0:
    WRITE(L0, control[ME], 1);
L1:
    READ(L1, j, k);
    for (; j != ME; j = below(j, n)) {
        READ(L1c, theirs, control[j]);
        if (theirs != 0) {
            FORGET(j);
            RELAX;
            goto L1;
        }
    }
    FORGET(j);
    WRITE(L2, control[ME], 2);
    if (!VARIANT(ONE_LOOK)) {
        for (j = n - 1;; j--) {
            if (j != ME) {
                READ(L2c, theirs, control[j]);
                if (theirs == 2) {
                    FORGET(j);
                    RELAX;
                    goto L0;
                }
            }
            if (j == 0)
                break;
        }
    }
    WRITE(L3, k, ME);
END

EXIT
    if (!VARIANT(NO_TURN))
        WRITE(turn, k, below(ME, n));
    WRITE(L4, control[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Knuth 1966"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Knuth 1966"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Knuth 1966"},
    {CHECK_OVERTAKING, CLAIMED, "Knuth 1966", .why = "at most 2^(n-1) - 1 turns"},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Knuth 1966"},
    {CHECK_VALUES, CLAIMED, .why = "control has 3, k has n", .has_bound = true},
};

static const struct protocol_claim one_look[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without the second loop", .refuted_from_n = 2},
};

static const struct protocol_claim no_turn[] = {
    {CHECK_EXCLUSION, CLAIMED, "Knuth 1966"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Knuth 1966"},
    {CHECK_LOCKOUT_FREE, CLAIMED, .why = "with the turn left to oneself", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 108, 216},
    {{.n = 3, .l = 1, .k = 1}, 1923, 5769},
    {{.n = 4, .l = 1, .k = 1}, 38770, 155080},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Knuth's algorithm", CLAIMS(claims), EXPECTED(expected)},
    [ONE_LOOK] = {"one-look", "broken: no second look for somebody else at 2", CLAIMS(one_look)},
    [NO_TURN] = {"no-turn", "broken: leaves k to itself", CLAIMS(no_turn)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n > 3 ? params->n : 3;
}

PROTOCOL(.name = "knuth", .title = "Knuth's algorithm", .citation = "Knuth 1966", .min_n = 2,
         .max_n = 8, .default_n = 3, .max_l = 1, .values = values,
         .values_source = "control has 3, k has n", VARIANTS(variants))
#include "step/end.h"
