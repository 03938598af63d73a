/*
 * OWN of the register of the next process is an access that costs nothing.
 *
 * berth: check
 * status: 1
 * says: P0
 * says: uses OWN(F[1]), which is not its own register
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) registers(F, 2)
#include "step/step.h"

ENTRY
    WRITE(set, F[ME], 1);
    if (OWN(F[(ME + 1) % n]) == 0)
        goto CRITICAL;
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(clear, F[ME], 0);
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
