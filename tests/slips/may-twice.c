/*
 * Two choices in one step: the checker would give both the same outcome.
 *
 * berth: check
 * status: 1
 * says: P0 at look
 * says: asks MAY a second time in one step
 */
#define NAME slip
#define STEP_MAY_stay true
#define STEP_MAY_leave true
#define CELLS(cell, cells, registers) cell(V, 2) cells(W, 2, 2)
#define LOCALS(local) local(seen, 2)
#define HAS_CHOICE
#include "step/step.h"

ENTRY
    READ(look, seen, W[0]);
    FORGET(seen);
    if (MAY(stay) && !MAY(leave))
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
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
