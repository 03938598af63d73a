/*
 * More stores in one step than there is room for.
 *
 * berth: check
 * status: 1
 * says: P0 at take
 * says: stores into more than 16 cells in one step
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cells(H, 20, 2)
#define HAS_HISTORY
#include "step/step.h"

ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
    for (word i = 0; i < 20; i++)
        RECORD(H[i], 1);
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
