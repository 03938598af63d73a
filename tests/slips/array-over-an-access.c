/*
 * A plain array that is used over several steps: it is no part of a state, and the compiler does not warn.
 *
 * berth: check
 * status: 2
 * says: line 16: seen_before is a plain array
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cells(W, 2, 2)
#define LOCALS(local) local(seen, 2)
#include "step/step.h"

ENTRY
    word seen_before[2];
    READ(look0, seen, W[0]);
    seen_before[0] = seen;
    READ(look1, seen, W[1]);
    seen_before[1] = seen;
    FORGET(seen);
    if (seen_before[0] == 1)
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
