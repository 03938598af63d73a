/*
 * P. Jayanti, A. Joshi, Recoverable FCFS Mutual Exclusion with Wait-Free Recovery, DISC 2017: first
 * come, first served, with a recovery in which nobody waits. What the processes share survives a
 * crash, what a process has by itself does not; a process that crashes comes back some time and
 * runs its recovery before anything else. Nobody is told of a crash.
 *
 * This is their construction, and not a copy of their figure: a process draws a token, enters it in
 * a registry that can tell its minimum, and a process that finds the lock free gives it to the one
 * with the minimum.
 *
 *     try:       1: tok := TOKEN;
 *                2: CAS(TOKEN, tok, tok + 1);
 *                3: REGISTRY[i] := (tok, i);             the doorway ends here
 *                4: promote;
 *                5: wait until OWNER = (.., i)
 *                critical section;
 *     exit:      6: REGISTRY[i] := none;
 *                7: (seq, i) := OWNER;
 *                8: OWNER := (seq + 1, nobody);
 *                9: promote
 *     promote:  10: (seq, q) := OWNER; if q is somebody then return;
 *               11: q := the one with the minimum in REGISTRY; if there is none then return;
 *               12: CAS(OWNER, (seq, nobody), (seq, q))
 *     recovery: 13: if REGISTRY[i] is something then
 *               14:     if OWNER = (.., i) then back to the critical section else to 4
 *               15: else if OWNER = (seq, i) then go on with 8 else promote
 *
 * A CAS at 12 can be late, but not wrong: as long as seq is what it was, nobody has left since, so
 * those in the registry at 11 still are. A process that has cleared its entry does not know, after
 * a crash, whether it has promoted anybody, so it does that (15).
 *
 * Departures from the paper:
 *  1. See above. The paper has a variable for each process to wait on, which matters for remote
 *     references and for nothing else; here a process waits for OWNER.
 *  2. The registry is an object with an operation that gives the minimum (a min-array, O(log n)
 *     accesses); here it is an array, and 11 is one step. So all shared variables are the parts of
 *     one.
 *  3. TOKEN and seq are unbounded. The checker does not let a process leave its remainder when one
 *     of them is at the limit; results are for runs cut off there.
 */
#define NAME jayanti_joshi
#define CELLS(cell, cells, registers) \
    cell(TOKEN, TOKENS) cells(REGISTRY, n, TOKENS + 1) cell(OWNER, TOKENS * (n + 1))
#define TOKENS (params->limit + 2 * n) /* those that are inside at the limit come to an end */
#define LOCALS(local) local(tok, TOKENS) local(seen, TOKENS * (n + 1)) local(q, n + 1)
#define SUBS(sub) sub(promote)
#define HAS_DOORWAY
#define HAS_LOCK
#define HAS_REVIVAL
#include "step/step.h"

enum { ITSELF, NO_SEQ, NO_LATE_PROMOTION, FORGETFUL };

#define I (ME + 1)
#define PAIR(seq, p) ((seq) * (n + 1) + (p))
#define SEQ(owner) ((owner) / (n + 1))
#define WHO(owner) ((owner) % (n + 1)) /* 0: nobody */
#define AFTER(owner) PAIR(VARIANT(NO_SEQ) ? 0 : SEQ(owner) + 1, 0)

SUB(promote)
    READ(P10, seen, OWNER);
    if (WHO(seen) != 0) {
        FORGET(seen);
        RETURN;
    }
    LOCK(P11)
        for (word p = 0; p < n; p++) {
            if (V->REGISTRY[p] != 0 && (q == 0 || V->REGISTRY[p] < V->REGISTRY[q - 1]))
                q = p + 1;
        }
    UNLOCK
    if (q != 0) {
        TEST(P12, owner, OWNER)
            ON(owner == seen, PAIR(SEQ(seen), q));
            ON(true, owner);
        END_TEST
    }
    FORGET(seen);
    FORGET(q);
END_SUB(promote)

DOORWAY
    LIMIT(SHARED(TOKEN) < params->limit && SEQ(SHARED(OWNER)) < params->limit);
    READ(T1, tok, TOKEN);
    TEST(T2, token, TOKEN)
        ON(token == tok, tok + 1);
        ON(true, token);
    END_TEST
    WRITE(T3, REGISTRY[ME], tok + 1);
    FORGET(tok);
END

WAITING
    CALL0(T4, promote);
    AWAIT(T5, owner, OWNER, WHO(owner) == I);
END

EXIT
    WRITE(X6, REGISTRY[ME], 0);
    if (!VARIANT(NO_SEQ))
        READ(X7, seen, OWNER);
    WRITE(X8, OWNER, AFTER(seen));
    FORGET(seen);
    CALL0(X9, promote);
END

REVIVAL
    word entry;
    READ(R13, entry, REGISTRY[ME]);
    if (entry != 0) {
        READ(R14, entry, OWNER);
        if (WHO(entry) != I)
            goto TRYING;
        if (!VARIANT(FORGETFUL))
            goto CRITICAL;
        WRITE(R6, REGISTRY[ME], 0);
    }
    READ(R15, seen, OWNER);
    if (WHO(seen) == I) {
        if (VARIANT(NO_SEQ))
            FORGET(seen);
        WRITE(R8, OWNER, AFTER(seen));
    }
    FORGET(seen);
    if (!VARIANT(NO_LATE_PROMOTION))
        CALL0(R9, promote);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Jayanti and Joshi 2017"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Jayanti and Joshi 2017"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Jayanti and Joshi 2017"},
    {CHECK_FIFO, CLAIMED, "Jayanti and Joshi 2017", .why = "FCFS"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "1 to 3", .has_bound = true, .bound = 3},
    {CHECK_REENTRY, CLAIMED, "Jayanti and Joshi 2017"},
    {CHECK_BOUNDED_EXIT, CLAIMED, "6 to 12", .has_bound = true, .bound = 6},
    {CHECK_BOUNDED_RECOVERY, CLAIMED, "Jayanti and Joshi 2017", .why = "wait-free",
     .has_bound = true, .bound = 6},
};

static const struct protocol_claim no_seq[] = {
    {CHECK_EXCLUSION, CLAIMED, "Jayanti and Joshi 2017"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "if a late CAS cannot be told from one in time",
     .refuted_from_n = 2},
};

static const struct protocol_claim no_late_promotion[] = {
    {CHECK_EXCLUSION, CLAIMED, "Jayanti and Joshi 2017"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "if a crash between 8 and 12 is not made up for",
     .refuted_from_n = 2},
};

static const struct protocol_claim forgetful[] = {
    {CHECK_EXCLUSION, CLAIMED, "Jayanti and Joshi 2017"},
    {CHECK_REENTRY, CLAIMED, .why = "if it leaves when it was inside", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_KILL, .kills = 1, .limit = 3}, 13550, 31728},
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_KILL, .kills = 2, .limit = 3}, 30393, 84828},
    {{.n = 3, .l = 1, .k = 1, .fault = STEP_FAULT_KILL, .kills = 1, .limit = 2}, 250416, 836850},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Jayanti and Joshi's recoverable lock", CLAIMS(claims), EXPECTED(expected)},
    [NO_SEQ] = {"no-seq", "broken: OWNER has no number", CLAIMS(no_seq)},
    [NO_LATE_PROMOTION] = {"no-late-promotion",
                           "broken: comes back from its exit and promotes nobody",
                           CLAIMS(no_late_promotion)},
    [FORGETFUL] = {"forgetful", "broken: leaves the critical section when it comes back",
                   CLAIMS(forgetful)},
};

PROTOCOL(.name = "jayanti-joshi", .title = "Jayanti and Joshi's recoverable lock",
         .citation = "Jayanti and Joshi 2017", .min_n = 2, .max_n = 4, .default_n = 2, .max_l = 1,
         .fault = STEP_FAULT_KILL, .default_limit = 3, .comes_back = true, VARIANTS(variants))
#include "step/end.h"
