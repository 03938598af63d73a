/*
 * A process that rests in its critical region. Processes 0 and 2 take turns at one place, with
 * tickets; process 1 has another place to itself.
 *
 * To stop in the critical region is to sleep, and not to fail (Fischer, Lynch, Burns and Borodin
 * 1979, section 3): a schedule is k-admissible if fewer than k processes stop in T or E, also for
 * k = 1. So finite-waiting fails with k = 1: process 2 rests inside, process 0 waits for ever, and
 * process 1 comes and goes. lockout-free is about schedules in which nobody stops in its critical
 * region (Burns et al. 1982), and holds.
 */
#define NAME resting
#define CELLS(cell, cells, registers) cell(next, 2) cell(serving, 2)
#define LOCALS(local) local(mine, 2) local(seen, 2)
#include "step/step.h"

ENTRY
    if (ME == 1) {
        READ(in, seen, next);
        FORGET(seen);
        goto CRITICAL;
    }
    UPDATE(draw, mine, next, 1 - mine);
    AWAIT(wait, v, serving, v == mine);
END

EXIT
    if (ME == 1) {
        READ(out, seen, next);
        FORGET(seen);
    } else {
        WRITE(advance, serving, 1 - mine);
        FORGET(mine);
    }
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "two places"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "tickets are in order"},
    {CHECK_FINITE_WAITING, NOT_CLAIMED, "process 2 may rest inside", .fails_from_n = 3},
};

static const struct protocol_variant variants[] = {
    {"", "two places, one of them shared by two", CLAIMS(claims)},
};

PROTOCOL(.name = "resting", .title = "Resting inside", .citation = "an example", .min_n = 3,
         .max_n = 3, .default_n = 3, .min_l = 2, .max_l = 2, VARIANTS(variants))
#include "step/end.h"
