/*
 * DEATH would be left out.
 *
 * berth: check
 * status: 2
 * says: DEATH needs #define HAS_DEATH
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) registers(R, 2)
#include "step/step.h"

ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(give, V, 0);
END

DEATH
    DIES(R[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, .fault = STEP_FAULT_DEATH, VARIANTS(variants))
#include "step/end.h"
