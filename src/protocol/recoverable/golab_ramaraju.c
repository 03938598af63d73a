/*
 * W. Golab, A. Ramaraju, Recoverable Mutual Exclusion, PODC 2016; Distributed Computing 32, 2019:
 * Yang and Anderson's arbitration tree (see yang-anderson) made recoverable. What the processes
 * share survives a crash, what a process has by itself does not; a process that crashes comes back
 * some time and runs its recovery before anything else. Nobody is told of a crash.
 *
 * This is that construction, and not a copy of their figures: the program of each node is Yang and
 * Anderson's, and what is added is the register at[i], which tells a process that comes back where
 * it was. Statement numbers are those of yang-anderson.
 *
 *     entry:     for each node on the way to the root:
 *     A:             at[i] := this node;
 *     1 - 11:        as in yang-anderson
 *     B:         at[i] := inside;
 *                critical section;
 *     exit:      for each node on the way back:
 *     D:             at[i] := this node;
 *     12 - 15:       as in yang-anderson
 *     E:         at[i] := nowhere
 *     recovery:  if at[i] = inside then back to the critical section;
 *                if at[i] = a node then continue the exit there, with
 *     13:            rival := C[1 - side]; if there is none then p
 *
 * A process that leaves a node without having won it withdraws from it. It may have been the last
 * to write T and not have told its rival so, which then waits for P at 9 (`silent`); so it looks
 * for the rival in C and not in T at 13. To leave a node twice does no harm: no other process comes
 * up from below before this one has left the nodes below, too.
 *
 * Departures from the paper:
 *  1. See above. A process that was killed on its way in withdraws, and is in its remainder; in the
 *  paper's model it begins its entry again.
 *  2. Departures of yang-anderson.
 */
#define NAME golab_ramaraju
#define CELLS(cell, cells, registers) \
    cells(C, 2 * n, n + 1) cells(T, n, n + 1) cells(P, levels(params->n) * n, 3) \
    registers(at, levels(params->n) + 2)
#define HOMES(home) home(P, i % n) /* what a process spins on lives with it */
#define LOCALS(local) local(h, levels(params->n)) local(rival, n + 1)
#define SUBS(sub) sub(leave)
#define HAS_REVIVAL

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

enum { ITSELF, FORGETFUL, EARLY, NO_WITHDRAWAL, SILENT };

#define I (ME + 1)
#define PLACE ((n + ME) >> h)
#define NODE (PLACE >> 1)
#define SPIN(p) ((height(PLACE) - 1) * n + (p))

#define NOWHERE 0
#define INSIDE (levels(params->n) + 1)
#define BELOW_NODE (h + 1) /* at the node above this place */

/* From the node above place h down. */
SUB(leave, bool withdraws)
    for (;; h--) {
        WRITE(D, at[ME], BELOW_NODE);
        WRITE(L12, C[PLACE], 0);
        if (withdraws)
            READ(W13, rival, C[PLACE ^ 1]);
        else
            READ(L13, rival, T[NODE]);
        if (rival != I && rival != 0)
            WRITE(L15, P[SPIN(rival - 1)], 2);
        FORGET(rival);
        if (h == 0)
            break;
    }
    WRITE(E, at[ME], NOWHERE);
END_SUB(leave)

ENTRY
    word seen;
    for (h = 0; PLACE > 1; h++) {
        WRITE(A, at[ME], BELOW_NODE);
        WRITE(L1, C[PLACE], I);
        WRITE(L2, T[NODE], I);
        WRITE(L3, P[SPIN(ME)], 0);
        if (VARIANT(EARLY) && PLACE >> 1 == 1)
            WRITE(Bearly, at[ME], INSIDE);
        READ(L4, rival, C[PLACE ^ 1]);
        if (rival == 0)
            continue;
        READ(L6, seen, T[NODE]);
        if (seen == I) {
            READ(L7, seen, P[SPIN(rival - 1)]);
            if (seen == 0)
                WRITE(L8, P[SPIN(rival - 1)], 1);
            FORGET(rival);
            AWAIT(L9, p, P[SPIN(ME)], p >= 1);
            READ(L10, seen, T[NODE]);
            if (seen == I)
                AWAIT(L11, p, P[SPIN(ME)], p == 2);
        }
        FORGET(rival);
    }
    FORGET(h);
    if (!VARIANT(EARLY))
        WRITE(B, at[ME], INSIDE);
END

EXIT
    h = height(n + ME) - 1;
    CALL(exit, leave, false);
END

REVIVAL
    word where;
    READ(recover, where, at[ME]);
    if (VARIANT(FORGETFUL) && where == INSIDE)
        where = height(n + ME);
    if (VARIANT(NO_WITHDRAWAL) && where != INSIDE)
        goto REMAINDER;
    if (where == NOWHERE)
        goto REMAINDER;
    if (where == INSIDE)
        goto CRITICAL;
    h = where - 1;
    CALL(withdraw, leave, !VARIANT(SILENT));
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_REENTRY, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_BOUNDED_EXIT, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_BOUNDED_RECOVERY, CLAIMED, "departure 1"},
};

static const struct protocol_claim forgetful[] = {
    {CHECK_EXCLUSION, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_REENTRY, CLAIMED, .why = "if it leaves when it was inside", .refuted_from_n = 2},
};

static const struct protocol_claim early[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "if it says that it is inside before it is",
     .refuted_from_n = 2},
};

static const struct protocol_claim no_withdrawal[] = {
    {CHECK_EXCLUSION, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "if it does not withdraw", .refuted_from_n = 2},
};

static const struct protocol_claim silent[] = {
    {CHECK_EXCLUSION, CLAIMED, "Golab and Ramaraju 2016"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "if it withdraws by Yang and Anderson's exit",
     .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_KILL, .kills = 1}, 7642, 17734},
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_KILL, .kills = 2}, 19028, 52312},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Golab and Ramaraju's recoverable arbitration tree", CLAIMS(claims),
                EXPECTED(expected)},
    [FORGETFUL] = {"forgetful", "broken: leaves the critical section when it comes back",
                   CLAIMS(forgetful)},
    [EARLY] = {"early", "broken: says that it is inside before it has won the root", CLAIMS(early)},
    [NO_WITHDRAWAL] = {"no-withdrawal", "broken: comes back and leaves everything as it is",
                       CLAIMS(no_withdrawal)},
    [SILENT] = {"silent", "broken: withdraws and does not tell a rival that T does not name",
                CLAIMS(silent)},
};

PROTOCOL(.name = "golab-ramaraju", .title = "Golab and Ramaraju's recoverable lock",
         .citation = "Golab and Ramaraju 2016", .min_n = 2, .max_n = 4, .default_n = 2, .max_l = 1,
         .fault = STEP_FAULT_KILL, .comes_back = true, VARIANTS(variants))
#include "step/end.h"
