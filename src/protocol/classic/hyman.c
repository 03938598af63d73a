/*
 * H. Hyman, Comments on a Problem in Concurrent Programming Control, CACM 9(1), 1966: a solution
 * for two processes that does not exclude. Knuth (CACM 9(5), 1966) gives the schedule.
 *
 *     C0: b(i) := false;
 *     C1: if k /= i then begin
 *     C2:     if not b(j) then go to C2;
 *             else k := i; go to C1 end;
 *         else critical section;
 *         b(i) := true;
 *         remainder of program; go to C0
 *
 * where j is the other one of 0 and 1. While one process is past C2, the other one can find k to be
 * its own and go in; then the first one sets k and follows it.
 *
 * Departures from the paper:
 *  1. The paper has b false for a process that wants to be, or is, in its critical section; here
 *     that is b = 1, so that 0 is the value at the start.
 */
#define NAME hyman
#define CELLS(cell, cells, registers) registers(b, 2) cell(k, 2)
#include "step/step.h"

enum { ITSELF, LOOKS_AGAIN };

ENTRY
    word turn, theirs;
    WRITE(C0, b[ME], 1);
    for (;;) {
        READ(C1, turn, k);
        if (turn == ME && !VARIANT(LOOKS_AGAIN))
            goto CRITICAL;
        if (turn == ME) {
            READ(again, theirs, b[1 - ME]);
            if (!theirs)
                goto CRITICAL;
            RELAX;
            continue;
        }
        AWAIT(C2, other, b[1 - ME], other == 0);
        WRITE(C3, k, ME);
    }
END

EXIT
    WRITE(leave, b[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Hyman 1966; Knuth 1966 has the schedule", .refuted_from_n = 2},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Hyman 1966"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Hyman 1966"},
};

static const struct protocol_claim looks_again[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with a look at the other one's b"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "if that were all", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 30, 60},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Hyman's algorithm, which does not exclude", CLAIMS(claims),
                EXPECTED(expected)},
    [LOOKS_AGAIN] = {"looks-again", "broken: waits for the other one even when k is its own",
                     CLAIMS(looks_again)},
};

PROTOCOL(.name = "hyman", .title = "Hyman's algorithm", .citation = "Hyman 1966", .min_n = 2,
         .max_n = 2, .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
