/*
 * B. K. Szymanski, A Simple Solution to Lamport's Concurrent Programming Problem with Linear Wait,
 * 2nd International Conference on Supercomputing, 1988, Figure 2: a waiting room with two doors,
 * and five values for each process.
 *
 *     1: flag[i] := 1;
 *     2: wait until for all j: flag[j] < 3;
 *     3: flag[i] := 3;
 *     4: if there is j: flag[j] = 1 then
 *     5:     flag[i] := 2;
 *     6:     wait until there is j: flag[j] = 4;
 *     7: flag[i] := 4;
 *     8: wait until for all j < i: flag[j] < 2;
 *        critical section;
 *     9: wait until for all j > i: flag[j] < 2 or flag[j] > 3;
 *    10: flag[i] := 0
 *
 * Departures from the paper:
 *  1. Processes are counted from 0.
 *  2. The tests over all processes are made one read at a time, in ascending order; "wait until for
 *     all" waits for each of them in turn, "wait until there is" looks again and again.
 *
 * Two other forms are about, and both hold at the sizes that were checked: `early` waits for the
 * waiting room to be empty before it is critical and not afterwards, and `downward` reads in the
 * other direction at 8. Simpler ones do not: without 9 (`no-exit-wait`), a process that leaves
 * shuts the second door on those that wait at 6, and one of them meets the next to come; without
 * the waiting room (`no-room`), or without the first door (`no-door`), a late process enters beside
 * one with a higher number.
 */
#define NAME szymanski
#define CELLS(cell, cells, registers) registers(flag, 5)
#define LOCALS(local) local(j, n)
#include "step/step.h"

enum { ITSELF, EARLY, DOWNWARD, NO_EXIT_WAIT, NO_ROOM, NO_DOOR };

ENTRY
    word theirs;
    WRITE(L1, flag[ME], 1);
    for (j = 0; j < n && !VARIANT(NO_DOOR); j++) {
        if (j != ME)
            AWAIT(L2, other, flag[j], other < 3);
    }
    FORGET(j);
    WRITE(L3, flag[ME], 3);
    for (j = 0; j < n && !VARIANT(NO_ROOM); j++) {
        if (j == ME)
            continue;
        READ(L4, theirs, flag[j]);
        if (theirs == 1)
            goto room;
    }
    FORGET(j);
    goto open;
room:
    FORGET(j);
    WRITE(L5, flag[ME], 2);
    for (;;) {
        if (j != ME) {
            READ(L6, theirs, flag[j]);
            if (theirs == 4)
                break;
        }
        RELAX;
        j = j + 1 == n ? 0 : j + 1;
    }
    FORGET(j);
open:
    WRITE(L7, flag[ME], 4);
    if (VARIANT(EARLY)) {
        for (j = 0; j < n; j++) {
            if (j != ME)
                AWAIT(L9, other, flag[j], other < 2 || other > 3);
        }
        FORGET(j);
    }
    if (VARIANT(DOWNWARD)) {
        for (j = ME; j > 0; j--)
            AWAIT(L8, other, flag[j - 1], other < 2);
    } else {
        for (j = 0; j < ME; j++)
            AWAIT(L8, other, flag[j], other < 2);
        FORGET(j);
    }
END

EXIT
    if (!VARIANT(EARLY) && !VARIANT(NO_EXIT_WAIT)) {
        for (j = ME + 1; j < n; j++)
            AWAIT(L9, other, flag[j], other < 2 || other > 3);
        FORGET(j);
    }
    WRITE(L10, flag[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Szymanski 1988"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Szymanski 1988"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Szymanski 1988"},
    {CHECK_OVERTAKING, CLAIMED, "Szymanski 1988", .why = "linear wait", .has_bound = true,
     .bound = UINT64_MAX, .bound_n = 1}, /* -1, and 1 for each process */
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Szymanski 1988"},
    {CHECK_VALUES, CLAIMED, "Szymanski 1988", .has_bound = true},
};

static const struct protocol_claim no_exit_wait[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without 9", .refuted_from_n = 2},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "without 9", .refuted_from_n = 2},
};

static const struct protocol_claim no_room[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without 4 to 6", .refuted_from_n = 2},
};

static const struct protocol_claim no_door[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without 2", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 65, 130},
    {{.n = 3, .l = 1, .k = 1}, 1317, 3951},
    {{.n = 4, .l = 1, .k = 1}, 33255, 133020},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Szymanski's algorithm", CLAIMS(claims), EXPECTED(expected)},
    [EARLY] = {"early", "9 before 8, for all the others", CLAIMS(claims)},
    [DOWNWARD] = {"downward", "the wait at 8 in descending order", CLAIMS(claims)},
    [NO_EXIT_WAIT] = {"no-exit-wait",
                      "broken: leaves without waiting for those in the waiting room",
                      CLAIMS(no_exit_wait)},
    [NO_ROOM] = {"no-room", "broken: nobody stops in the waiting room", CLAIMS(no_room)},
    [NO_DOOR] = {"no-door", "broken: goes in while the first door is shut", CLAIMS(no_door)},
};

static uint64_t values(const struct step_params *params)
{
    (void)params;
    return 5;
}

PROTOCOL(.name = "szymanski", .title = "Szymanski's algorithm",
         .citation = "Szymanski 1988, Figure 2", .min_n = 2, .max_n = 8, .default_n = 3, .max_l = 1,
         .values = values, .values_source = "flags 0 .. 4", VARIANTS(variants))
#include "step/end.h"
