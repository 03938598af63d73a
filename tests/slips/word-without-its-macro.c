/*
 * ALIVE asks native code by STEP_ALIVE, which the file does not define.
 *
 * berth: check
 * status: 2
 * says: line 15: ALIVE needs #define STEP_ALIVE
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cells(W, 2, 2)
#define LOCALS(local) local(seen, 2)
#include "step/step.h"

ENTRY
    do {
        ALIVE(ask, seen, 0);
    } while (seen == 0);
    FORGET(seen);
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
         .default_n = 3, .max_l = 1, .fault = STEP_FAULT_KILL, VARIANTS(variants))
#include "step/end.h"
