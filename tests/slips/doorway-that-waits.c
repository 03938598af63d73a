/*
 * A DOORWAY that waits: everything about waiting begins behind it, where nobody ever waits.
 *
 * berth: check
 * status: 2
 * says: the DOORWAY waits: a process may make any number of steps there
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cells(W, 2, 2)
#define LOCALS(local) local(seen, 2)
#define HAS_DOORWAY
#include "step/step.h"

DOORWAY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

WAITING
    READ(look, seen, W[0]);
    FORGET(seen);
END

EXIT
    WRITE(give, V, 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
    {CHECK_FIFO, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
