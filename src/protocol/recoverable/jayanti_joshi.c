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
 *  3. TOKEN and seq are unbounded. The checker numbers those that are in use anew in each state
 *     (NORMAL, below). With --limit it does not, and lets no process leave its remainder when one
 *     of them is at the limit; results are for runs cut off there.
 */
#define NAME jayanti_joshi
#define CELLS(cell, cells, registers) \
    cell(TOKEN, TOKENS) cells(REGISTRY, n, TOKENS + 1) cell(OWNER, TOKENS * (n + 1))
/* Those that are inside at the limit come to an end. Without one: nobody's, each process's in `tok`
 * or in the registry, TOKEN's, and one more; no more of seq. */
#define TOKENS (params->limit > 0 ? params->limit + 2 * n : 2 * n + 3)
#define LOCALS(local) local(tok, TOKENS) local(seen, TOKENS * (n + 1)) local(q, n + 1)
#define SUBS(sub) sub(promote)
#define HAS_DOORWAY
#define HAS_LOCK
#define HAS_REVIVAL
#define HAS_NORMAL
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
    LIMIT(params->limit == 0 ||
          (SHARED(TOKEN) < params->limit && SEQ(SHARED(OWNER)) < params->limit));
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

#ifdef STEP_MODEL
/* The numbers above 0 in a set become 1, 2, ... in their order. */
static inline word renumbered(uint64_t in_use, word number)
{
    word place = number > 0;
    for (word below = 1; below < number; below++)
        place += in_use >> below & 1;
    return place;
}

/*
 * Three things are done with tokens: they are compared with each other; TOKEN, which no token
 * exceeds, becomes greater by 1, and so greater than all; and they are dropped. So only their order
 * matters, and which are equal: those in use (TOKEN, `tok`, and in the registry) may be numbered
 * anew, with the same order and the same ties, and every run has its image. The same is true of
 * seq: a process that makes one has read OWNER while it was the owner itself, so OWNER has not
 * changed, and the new one is greater than all in OWNER and in `seen`. A variable that is not in
 * use is 0; 0 stays 0 and nothing else becomes 0, so it does not matter whether a 0 is in use.
 */
NORMAL
    uint64_t tokens = UINT64_C(1) << SHARED(TOKEN), seqs = UINT64_C(1) << SEQ(SHARED(OWNER));
    if (params->limit > 0)
        return false;
    for (word p = 0; p < n; p++) {
        tokens |= UINT64_C(1) << each[p].tok;
        tokens |= SHARED(REGISTRY[p]) > 0 ? UINT64_C(1) << (SHARED(REGISTRY[p]) - 1) : 0;
        seqs |= UINT64_C(1) << SEQ(each[p].seen);
    }
    for (word p = 0; p < n; p++) {
        each[p].tok = renumbered(tokens, each[p].tok);
        if (SHARED(REGISTRY[p]) > 0)
            SHARED(REGISTRY[p]) = renumbered(tokens, SHARED(REGISTRY[p]) - 1) + 1;
        each[p].seen = PAIR(renumbered(seqs, SEQ(each[p].seen)), WHO(each[p].seen));
    }
    SHARED(TOKEN) = renumbered(tokens, SHARED(TOKEN));
    SHARED(OWNER) = PAIR(renumbered(seqs, SEQ(SHARED(OWNER))), WHO(SHARED(OWNER)));
    return true;
END_NORMAL
#endif

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
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_KILL, .kills = 1}, 4516, 10996},
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_KILL, .kills = 2}, 9629, 27756},
    {{.n = 3, .l = 1, .k = 1, .fault = STEP_FAULT_KILL, .kills = 1}, 338670, 1213581},
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
         .fault = STEP_FAULT_KILL, .cuts_off = true, .comes_back = true, VARIANTS(variants))
#include "step/end.h"
