/*
 * OWN of a cell that everybody writes: what a step does depends on two cells. A table of steps by the cell
 * that is accessed would keep what the first process met.
 *
 * berth: check
 * status: 1
 * says: exclusion                  fails
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cell(W, 2)
#define LOCALS(local) local(seen, 2)
#define HAS_OWNED_CELLS
#include "step/step.h"

ENTRY
    READ(look, seen, W);
    FORGET(seen);
    if (OWN(V) == 1)
        goto CRITICAL;
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(give, V, 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
