/*
 * J.-H. Yang, J. H. Anderson, A Fast, Scalable Mutual Exclusion Algorithm, Distributed Computing
 * 9(1), 1995: an algorithm for two in an arbitration tree: reads and writes only, and every
 * process spins on a variable of its own, O(log n) remote references in all.
 *
 *     1: C[side] := p;
 *     2: T := p;
 *     3: P[p] := 0;
 *     4: rival := C[1 - side];
 *     5: if rival /= nil then
 *     6:     if T = p then
 *     7:         if P[rival] = 0 then
 *     8:             P[rival] := 1;
 *     9:         await P[p] >= 1;
 *    10:         if T = p then
 *    11:             await P[p] = 2;
 *        critical section;
 *    12: C[side] := nil;
 *    13: rival := T;
 *    14: if rival /= p then
 *    15:     P[rival] := 2
 *
 * Departures from the paper:
 *  1. The tree is numbered as a heap: the root is 1, the parent of v is v / 2, process p is the
 *     leaf n + p. C has an entry for each place below the root, T for each inner node, and P for
 *     each process on each level, as in the paper.
 *  2. Processes are counted from 0 and stored as 1 .. n, with 0 for nil. T is 0 at the start, where
 *     the paper leaves it open.
 *  3. The paper has no number on the lines of the node; those here are the statements of the
 *     two-process program in their order.
 */
#define NAME yang_anderson
#define CELLS(cell, cells, registers) \
    cells(C, 2 * n, n + 1) cells(T, n, n + 1) cells(P, levels(params->n) * n, 3)
#define HOMES(home) home(P, i % n) /* what a process spins on lives with it */
#define LOCALS(local) local(h, levels(params->n)) local(rival, n + 1)

static inline unsigned long height(unsigned long v) /* above v, up to the root */
{
    unsigned long count = 0;
    for (; v > 1; v >>= 1)
        count++;
    return count;
}

static inline unsigned long levels(unsigned n)
{
    return height(2 * n - 1);
}

#include "step/step.h"

enum { ITSELF, NO_SIGNAL, NO_SECOND };

#define I (ME + 1)
#define PLACE ((n + ME) >> h)
#define NODE (PLACE >> 1)
/* The spin variable of process p in the contest for this node. */
#define SPIN(p) ((height(PLACE) - 1) * n + (p))

ENTRY
    word seen;
    for (h = 0; PLACE > 1; h++) {
        WRITE(L1, C[PLACE], I);
        WRITE(L2, T[NODE], I);
        WRITE(L3, P[SPIN(ME)], 0);
        READ(L4, rival, C[PLACE ^ 1]);
        if (rival == 0)
            continue;
        if (VARIANT(NO_SIGNAL))
            FORGET(rival);
        READ(L6, seen, T[NODE]);
        if (seen == I) {
            if (!VARIANT(NO_SIGNAL)) {
                READ(L7, seen, P[SPIN(rival - 1)]);
                if (seen == 0)
                    WRITE(L8, P[SPIN(rival - 1)], 1);
                FORGET(rival);
            }
            AWAIT(L9, p, P[SPIN(ME)], p >= 1);
            if (!VARIANT(NO_SECOND)) {
                READ(L10, seen, T[NODE]);
                if (seen == I)
                    AWAIT(L11, p, P[SPIN(ME)], p == 2);
            }
        }
        FORGET(rival);
    }
    FORGET(h);
END

EXIT
    for (h = height(n + ME) - 1;; h--) {
        WRITE(L12, C[PLACE], 0);
        READ(L13, rival, T[NODE]);
        if (rival != I)
            WRITE(L15, P[SPIN(rival - 1)], 2);
        FORGET(rival);
        if (h == 0)
            break;
    }
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Yang and Anderson 1995"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Yang and Anderson 1995"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Yang and Anderson 1995"},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Yang and Anderson 1995"},
};

static const struct protocol_claim no_signal[] = {
    {CHECK_EXCLUSION, CLAIMED, "Yang and Anderson 1995"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "without statement 8", .refuted_from_n = 2},
};

static const struct protocol_claim no_second[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without statements 10 and 11", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 676, 1352},
    {{.n = 3, .l = 1, .k = 1}, 355650, 1066950},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Yang and Anderson's arbitration tree", CLAIMS(claims), EXPECTED(expected)},
    [NO_SIGNAL] = {"no-signal", "broken: does not tell the rival that it may go on",
                   CLAIMS(no_signal)},
    [NO_SECOND] = {"no-second", "broken: goes on when it is told to look again", CLAIMS(no_second)},
};

PROTOCOL(.name = "yang-anderson", .title = "Yang and Anderson's arbitration tree",
         .citation = "Yang and Anderson 1995", .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1,
         VARIANTS(variants))
#include "step/end.h"
