/*
 * J. M. Mellor-Crummey, M. L. Scott, Algorithms for Scalable Synchronization on Shared-Memory
 * Multiprocessors, TOCS 9(1), 1991, Figure 5: the list-based queueing lock. Each process spins on
 * its own record.
 *
 *     acquire:  I->next := nil;
 *               predecessor := fetch_and_store(L, I);
 *               if predecessor /= nil then
 *                   I->locked := true;
 *                   predecessor->next := I;
 *                   repeat while I->locked;
 *     release:  if I->next = nil then
 *                   if compare_and_swap(L, I, nil) then return;
 *                   repeat while I->next = nil;
 *               I->next->locked := false
 *
 * The variant `swap` is Figure 7, for machines without compare_and_swap: a process that leaves
 * takes the lock off its hook, and if others had come since, it hangs them up again behind any
 * process that has slipped in (the usurper). It is not first come, first served.
 *
 *     release:  if I->next = nil then
 *                   old_tail := fetch_and_store(L, nil);
 *                   if old_tail = I then return;
 *                   usurper := fetch_and_store(L, old_tail);
 *                   repeat while I->next = nil;
 *                   if usurper /= nil then usurper->next := I->next
 *                   else I->next->locked := false
 *               else I->next->locked := false
 *
 * Departures from the paper:
 *  1. There is one record for each process. Processes are counted from 0 and stored as 1 .. n, with
 *     0 for nil.
 *  2. The paper reads I->next again for the last store; here it is what the read before has found.
 *     Nobody changes it once it is not nil.
 */
#define NAME mcs
#define CELLS(cell, cells, registers) \
    cell(L, n + 1) cells(next, n, n + 1) cells(locked, n, 2)
#define LOCALS(local) local(other, n + 1) local(usurper, n + 1)
#define HOMES(home) home(next, i) home(locked, i) /* each process's record lives with it */
#define HAS_DOORWAY
#include "step/step.h"

enum { ITSELF, SWAP, NO_WAIT, LOCKED_LATE };

#define I (ME + 1)

DOORWAY
    WRITE(next, next[ME], 0);
    UPDATE(swap, other, L, I);
END

WAITING
    if (other != 0) {
        if (!VARIANT(LOCKED_LATE))
            WRITE(locked, locked[ME], 1);
        WRITE(link, next[other - 1], I);
        FORGET(other);
        if (VARIANT(LOCKED_LATE))
            WRITE(locked, locked[ME], 1);
        AWAIT(wait, mine, locked[ME], mine == 0);
    }
END

EXIT
    bool done;
    READ(look, other, next[ME]);
    if (other == 0 && VARIANT(SWAP)) {
        UPDATE(unhook, other, L, 0);
        if (other == I) {
            FORGET(other);
            goto REMAINDER;
        }
        UPDATE(hook, usurper, L, other);
        FORGET(other);
        for (;;) {
            READ(late, other, next[ME]);
            if (other != 0)
                break;
            RELAX;
        }
        if (usurper != 0) {
            WRITE(behind, next[usurper - 1], other);
            FORGET(other);
            FORGET(usurper);
            goto REMAINDER;
        }
    } else if (other == 0) {
        CAS(cas, done, L, I, 0);
        if (done || VARIANT(NO_WAIT))
            goto REMAINDER;
        for (;;) {
            READ(late, other, next[ME]);
            if (other != 0)
                break;
            RELAX;
        }
    }
    WRITE(unlock, locked[other - 1], 0);
    FORGET(other);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_LINEAR_WAITING, CLAIMED, "follows from the order", .has_bound = true, .bound = 1},
    {CHECK_FIFO, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, .why = "up to the swap", .has_bound = true, .bound = 2},
    {CHECK_NO_MEMORY, CLAIMED, .why = "the record is shared memory"},
    {CHECK_VALUES, CLAIMED, .why = "a process or nobody", .has_bound = true},
};

static const struct protocol_claim swap[] = {
    {CHECK_EXCLUSION, CLAIMED, "Mellor-Crummey and Scott 1991, Figure 7"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Mellor-Crummey and Scott 1991, Figure 7"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "Mellor-Crummey and Scott 1991",
     .why = "starvation is possible", .fails_from_n = 3},
    {CHECK_FIFO, NOT_CLAIMED, "Mellor-Crummey and Scott 1991, Figure 7", .fails_from_n = 3},
};

static const struct protocol_claim no_wait[] = {
    {CHECK_EXCLUSION, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "if a leaving process does not wait for the link",
     .refuted_from_n = 2},
};

static const struct protocol_claim locked_late[] = {
    {CHECK_EXCLUSION, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "if locked is set after the link", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 50, 100},
    {{.n = 3, .l = 1, .k = 1}, 722, 2166},
    {{.n = 4, .l = 1, .k = 1}, 12896, 51584},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the MCS lock", CLAIMS(claims), EXPECTED(expected)},
    [SWAP] = {"swap", "the MCS lock without compare-and-swap, Figure 7", CLAIMS(swap)},
    [NO_WAIT] = {"no-wait", "broken: leaves without waiting for the link of its successor",
                 CLAIMS(no_wait)},
    [LOCKED_LATE] = {"locked-late", "broken: links itself in before it sets locked",
                     CLAIMS(locked_late)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n + 1;
}

PROTOCOL(.name = "mcs", .title = "The MCS lock",
         .citation = "Mellor-Crummey and Scott 1991, Figure 5", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, .values = values, .values_source = "a process or nobody",
         VARIANTS(variants))
#include "step/end.h"
