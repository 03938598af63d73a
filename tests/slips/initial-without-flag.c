/*
 * INITIAL would be left out: V is 0, and nobody ever enters.
 *
 * berth: check
 * status: 2
 * says: INITIAL needs #define HAS_INITIAL
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#include "step/step.h"

INITIAL
    SHARED(V) = 1;
END_INITIAL

ENTRY
    TEST(take, v, V)
        ON(v == 1, 0);
    END_TEST
END

EXIT
    WRITE(give, V, 1);
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
