/*
 * SETTLED of a read whose outcome others change: made at once, it never finds what it would find later.
 *
 * berth: check
 * status: 2
 * says: exclusion fails, and holds where SETTLED is believed
 * says: P1 second     reads V = 1; trying -> critical
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#define LOCALS(local) local(first, 2) local(again, 2)
#define HAS_NORMAL
#define HAS_SETTLED
#include "step/step.h"

ENTRY
    READ(first, first, V);
    SETTLED(true);
    READ(second, again, V);
    if (first != again) {
        FORGET(first);
        FORGET(again);
        goto CRITICAL;
    }
    FORGET(first);
    FORGET(again);
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(give, V, 0);
END

NORMAL
    return false;
END_NORMAL

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {
    {"", "a lock", CLAIMS(claims)},
};
PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, .abridges = true, VARIANTS(variants))
#include "step/end.h"
