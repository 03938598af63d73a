/*
 * A plain C variable does not live on to the next step.
 *
 * berth: check
 * status: 2
 * says: seen is a plain variable
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cell(F, 2)
#include "step/step.h"

ENTRY
    word seen;
    READ(look, seen, V);
    WRITE(mark, F, seen);
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
