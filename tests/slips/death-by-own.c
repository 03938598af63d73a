/*
 * What a death stores into a cell of all depends on the register of the process: of the initial state, in
 * which it stores nothing, nothing can be learned.
 *
 * berth: check
 * status: 1
 * says: exclusion                  fails
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) registers(F, 2)
#define HAS_DEATH
#include "step/step.h"

ENTRY
    WRITE(set, F[ME], 1);
    WRITE(clear, F[ME], 0);
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(give, V, 0);
END

DEATH
    if (OWN(F[ME]) == 1)
        DIES(V, 0);
    DIES(F[ME], 0);
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
