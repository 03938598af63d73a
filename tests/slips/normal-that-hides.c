/*
 * A test-and-set that is none, and a NORMAL that sends everybody home before two are inside.
 *
 * berth: check
 * status: 2
 * says: exclusion fails, and holds where NORMAL is believed
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(V, 2)
#define LOCALS(local) local(seen, 2)
#define HAS_NORMAL
#include "step/step.h"

ENTRY
    do
        READ(look, seen, V);
    while (seen != 0);
    FORGET(seen);
    WRITE(take, V, 1);
END

EXIT
    WRITE(give, V, 0);
END

NORMAL
    word inside = 0;
    for (word p = 0; p < n; p++)
        inside += IS_CRITICAL(p);
    for (word p = 0; p < n && inside > 1; p++)
        each[p] = (struct step_local){0};
    if (inside > 1)
        SHARED(V) = 0;
    return inside > 1;
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
