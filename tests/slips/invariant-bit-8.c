/*
 * INVARIANTS says that an invariant is violated which has no name in .invariants.
 *
 * berth: check --whole
 * status: 1
 * says: invariants                 fails
 * says: INVARIANTS gives bit 8, and .invariants has 1 name
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
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
    return (word)(SHARED(V) == 1) << 8;
END_INVARIANTS

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, .invariants = {"free"}, VARIANTS(variants))
#include "step/end.h"
