/*
 * The file says that the claim is refuted from n = 2 on, and it holds.
 *
 * berth: check
 * status: 1
 * says: deadlock-free              holds      claimed
 * says: refuted
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#include "step/step.h"

ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(give, V, 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "so they say", .refuted_from_n = 2},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
