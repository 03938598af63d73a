/*
 * A right lock, and a NORMAL that gives the lock back too early: what it refutes is not the lock.
 *
 * berth: check
 * status: 2
 * says: exclusion holds, and fails where NORMAL is believed
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#define HAS_NORMAL
#include "step/step.h"

ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(give, V, 0);
END

NORMAL
    const bool taken = IS_CRITICAL(0) && SHARED(V) == 1;
    if (taken)
        SHARED(V) = 0;
    return taken;
END_NORMAL

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 3, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
