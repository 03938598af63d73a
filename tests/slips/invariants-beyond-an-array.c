/*
 * An invariant about an element that the array has not.
 *
 * berth: check
 * status: 2
 * says: has an index outside of the array
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cells(W, 2, 2)
#define LOCALS(local) local(seen, 2)
#define HAS_INVARIANTS
#include "step/step.h"

ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(give, V, 0);
END

INVARIANTS
    return SHARED(W[n + 1]) != 0;
END_INVARIANTS

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, .invariants = {"nothing is marked"}, VARIANTS(variants))
#include "step/end.h"
