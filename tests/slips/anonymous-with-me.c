/*
 * Process 2 ignores the lock. Processes that are alike share what is known of them.
 *
 * berth: check -n 4
 * status: 2
 * says: uses ME, and PROTOCOL says .anonymous
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#define LOCALS(local) local(seen, 2)
#include "step/step.h"

ENTRY
    if (ME == 2)
        READ(look, seen, V);
    else
        TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
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
         .default_n = 3, .max_l = 1, .anonymous = true, VARIANTS(variants))
#include "step/end.h"
