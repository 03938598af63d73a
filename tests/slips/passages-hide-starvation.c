/*
 * A test-and-set lock again: up to a number of passages nobody is overtaken for ever.
 *
 * berth: check -n 2 --passages 3 --only lockout-free,exclusion,bounded-waiting
 * status: 3
 * says: exclusion                  holds      claimed      up to the limit
 * says: lockout-free               undecided  claimed      only up to the limit
 * says: incomplete: only up to the limit
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(taken, 2)
#include "step/step.h"

ENTRY
    TEST(take, t, taken)
        ON(t == 0, 1);
    END_TEST
END

EXIT
    WRITE(give, taken, 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "made for this test"},
    {CHECK_BOUNDED_WAITING, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {{"", "test-and-set", CLAIMS(claims)}};

PROTOCOL(.name = "slip", .title = "A slip", .citation = "made for this test", .min_n = 2, .max_n = 2,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
