/*
 * The turn should be remembered in the remainder, and would be forgotten.
 *
 * berth: check
 * status: 1
 * says: P0 at give
 * says: comes to its remainder with turns = 1: FORGET it, or #define HAS_MEMORY
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#define LOCALS(local) local(turns, 2)
#include "step/step.h"

ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    turns = 1;
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
