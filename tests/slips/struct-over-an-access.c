/*
 * A plain structure.
 *
 * berth: check
 * status: 2
 * says: pair
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cells(W, 2, 2)
#define LOCALS(local) local(seen, 2)
#include "step/step.h"

ENTRY
    struct { word a, b; } pair;
    READ(look, seen, W[0]);
    pair.a = seen;
    READ(look1, seen, W[1]);
    pair.b = seen;
    FORGET(seen);
    if (pair.a == 1)
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
