/*
 * The argument is evaluated again when the call is resumed.
 *
 * berth: check
 * status: 1
 * says: P0
 * says: changes argument 1 of the CALL in line
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2) cells(F, 2, 2)
#define LOCALS(local) local(i, 2)
#define SUBS(sub) sub(race)
#include "step/step.h"

SUB(race, word j)
    WRITE(first, F[j], 1);
    i = 1;
    WRITE(second, F[j], 0);
END_SUB(race)

ENTRY
    CALL(race, race, i);
    FORGET(i);
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
