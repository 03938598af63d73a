/*
 * An index below 0.
 *
 * berth: check
 * status: 1
 * says: P0 at look
 * says: uses index -1, which is outside of the array
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) registers(F, 2)
#define LOCALS(local) local(seen, 2)
#include "step/step.h"

ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
    READ(look, seen, F[ME - 1]);
    FORGET(seen);
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
