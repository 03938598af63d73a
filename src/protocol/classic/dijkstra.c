/*
 * E. W. Dijkstra, Solution of a Problem in Concurrent Programming Control, CACM 8(9), 1965: the
 * first solution for n processes.
 *
 *     Li0: b[i] := false;
 *     Li1: if k /= i then
 *     Li2:     begin c[i] := true;
 *     Li3:           if b[k] then k := i;
 *                    go to Li1
 *              end
 *          else
 *     Li4:     begin c[i] := false;
 *                    for j := 1 step 1 until N do
 *                        if j /= i and not c[j] then go to Li1
 *              end;
 *          critical section;
 *          c[i] := true; b[i] := true;
 *          remainder of the cycle in which stopping is allowed;
 *          go to Li0
 *
 * Departures from the paper:
 *  1. Processes are counted from 0. b and c are true at the start, as in the paper; k is 0 at the
 *     start, where the paper leaves it open.
 *  2. "b[k]" is two accesses, to k and to b. A process knows its own b without one.
 */
#define NAME dijkstra
#define CELLS(cell, cells, registers) registers(b, 2) registers(c, 2) cell(k, n)
#define LOCALS(local) local(seen, n) local(j, n)
#define HAS_INITIAL
#include "step/step.h"

enum { ITSELF, NO_LOOK };

INITIAL
    for (word i = 0; i < n; i++) {
        SHARED(b[i]) = 1;
        SHARED(c[i]) = 1;
    }
END_INITIAL

ENTRY
    word turn, theirs;
    WRITE(Li0, b[ME], 0);
Li1:
    READ(Li1, turn, k);
    if (turn != ME) {
        WRITE(Li2, c[ME], 1);
        RELAX;
        READ(Li3, seen, k);
        if (seen == ME) { /* b[k] is its own, and false */
            FORGET(seen);
            goto Li1;
        }
        READ(Li3b, theirs, b[seen]);
        FORGET(seen);
        if (theirs)
            WRITE(Li3k, k, ME);
        goto Li1;
    }
    if (!VARIANT(NO_LOOK)) {
        WRITE(Li4, c[ME], 0);
        for (j = 0; j < n; j++) {
            if (j == ME)
                continue;
            READ(Li4c, theirs, c[j]);
            if (!theirs) {
                FORGET(j);
                RELAX;
                goto Li1;
            }
        }
        FORGET(j);
    }
END

EXIT
    WRITE(leave_c, c[ME], 1);
    WRITE(leave_b, b[ME], 1);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Dijkstra 1965"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Dijkstra 1965"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "Knuth 1966", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "Knuth 1966", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Dijkstra 1965"},
};

static const struct protocol_claim no_look[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with k alone", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 182, 364},
    {{.n = 3, .l = 1, .k = 1}, 5357, 16071},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Dijkstra's algorithm", CLAIMS(claims), EXPECTED(expected)},
    [NO_LOOK] = {"no-look", "broken: goes in when k is its own, without a look at the others' c",
                 CLAIMS(no_look)},
};

PROTOCOL(.name = "dijkstra", .title = "Dijkstra's algorithm", .citation = "Dijkstra 1965",
         .min_n = 2, .max_n = 8, .default_n = 3, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
