/*
 * N. G. de Bruijn, Additional Comments on a Problem in Concurrent Programming Control, CACM 10(3),
 * 1967: Knuth's algorithm with a turn that moves on only past a process that does not want it or
 * has just had it.
 *
 *     L0: control[i] := 1;
 *     L1: for j := k step -1 until 1, N step -1 until 1 do
 *             begin if j = i then go to L2;
 *                   if control[j] /= 0 then go to L1
 *             end;
 *     L2: control[i] := 2;
 *         for j := N step -1 until 1 do
 *             if j /= i and control[j] = 2 then go to L0;
 *         critical section;
 *         if control[k] = 0 or k = i then
 *             k := if k = 1 then N else k - 1;
 *     L4: control[i] := 0;
 *
 * Departures from the paper:
 *  1. Processes are counted from 0. k is n - 1 at the start, where the paper leaves it open.
 *  2. The test after the critical section is made one read at a time: k, and control[k] where k is
 *     not i. Nobody else changes k until then, so the new value is computed from what was read.
 */
#define NAME de_bruijn
#define CELLS(cell, cells, registers) registers(control, 3) cell(k, n)
#define LOCALS(local) local(j, n)
#define HAS_INITIAL
#include "step/step.h"

enum { ITSELF, ONE_LOOK, STUBBORN };

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
END

EXIT
    word theirs;
    READ(turn, j, k);
    if (j == ME) {
        WRITE(done, k, below(j, n));
    } else if (!VARIANT(STUBBORN)) {
        READ(absent, theirs, control[j]);
        if (theirs == 0)
            WRITE(pass, k, below(j, n));
    }
    FORGET(j);
    WRITE(L4, control[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "de Bruijn 1967"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "de Bruijn 1967"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "de Bruijn 1967"},
    {CHECK_OVERTAKING, CLAIMED, "de Bruijn 1967", .why = "at most n(n-1)/2 turns"},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "de Bruijn 1967"},
    {CHECK_VALUES, CLAIMED, .why = "control has 3, k has n", .has_bound = true},
};

static const struct protocol_claim one_look[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without the second loop", .refuted_from_n = 2},
};

static const struct protocol_claim stubborn[] = {
    {CHECK_EXCLUSION, CLAIMED, "de Bruijn 1967"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "de Bruijn 1967"},
    {CHECK_LOCKOUT_FREE, CLAIMED, .why = "with a turn that waits for somebody who does not come",
     .refuted_from_n = 3},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 142, 284},
    {{.n = 3, .l = 1, .k = 1}, 2955, 8865},
    {{.n = 4, .l = 1, .k = 1}, 67343, 269372},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "de Bruijn's algorithm", CLAIMS(claims), EXPECTED(expected)},
    [ONE_LOOK] = {"one-look", "broken: no second look for somebody else at 2", CLAIMS(one_look)},
    [STUBBORN] = {"stubborn",
                  "broken: the turn does not move past a process that is not interested",
                  CLAIMS(stubborn)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n > 3 ? params->n : 3;
}

PROTOCOL(.name = "de-bruijn", .title = "De Bruijn's algorithm", .citation = "de Bruijn 1967",
         .min_n = 2, .max_n = 8, .default_n = 3, .max_l = 1, .values = values,
         .values_source = "control has 3, k has n", VARIANTS(variants))
#include "step/end.h"
