/*
 * The loop never comes to an access.
 *
 * berth: check
 * status: 1
 * says: P0 at take
 * says: does not come to its next access: there is a loop without one
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#define LOCALS(local) local(mine, 2)
#include "step/step.h"

ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
    while (mine == 0)
        mine = 0;
END

EXIT
    WRITE(give, V, 0);
    FORGET(mine);
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
