/*
 * Everybody waits for process 0, and the file says .anonymous. Who is alive is kept by number, so processes that
 * are killed cannot be exchanged.
 *
 * berth: check -n 2
 * status: 1
 * says: lockout-free               fails
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#define LOCALS(local) local(lives, 2)
#define STEP_ALIVE(p) ((void)(p), true)
#include "step/step.h"

ENTRY
    do
        ALIVE(look, lives, 0);
    while (lives == 0);
    FORGET(lives);
END

EXIT
    WRITE(give, V, 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_LOCKOUT_FREE, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, .fault = STEP_FAULT_KILL, .anonymous = true, VARIANTS(variants))
#include "step/end.h"
