/*
 * The constants are not in the order of the variants.
 *
 * berth: check
 * status: 2
 * says: VARIANT(EARLY) is variant 1, which is called "late"
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#include "step/step.h"

enum { ITSELF, EARLY, LATE };

ENTRY
    if (VARIANT(EARLY))
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
    {"late", "late", CLAIMS(claims)},
    {"early", "early", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
