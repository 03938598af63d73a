/*
 * A test-and-set lock, which locks somebody out; but up to a limit nobody can be overtaken for ever.
 *
 * berth: check -n 2
 * status: 3
 * says: exclusion                  holds      claimed      up to the limit
 * says: lockout-free               undecided  claimed      only up to the limit
 * says: bounded-waiting            undecided  claimed      only up to the limit, where it is 5
 * says: after  at last           undecided
 * says: never  two               holds
 * says: incomplete: only up to the limit
 */
#define NAME slip
#define CELLS(cell, cells, registers) cell(taken, 2) cell(count, params->limit + n + 1)
#define LOCALS(local)
#define HAS_PROPERTIES
#include "step/step.h"

ENTRY
    LIMIT(SHARED(count) < params->limit);
    TEST(take, t, taken)
        ON(t == 0, 1);
    END_TEST
    TEST(tick, c, count)
        ON(true, c + 1);
    END_TEST
END

EXIT
    WRITE(give, taken, 0);
END

PROPERTIES
    AFTER("at last", IS_TRYING(WHO), IS_CRITICAL(WHO));
    NEVER("two", IS_CRITICAL(WHO) && IS_CRITICAL(1 - WHO));
END_PROPERTIES

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "made for this test"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "made for this test"},
    {CHECK_BOUNDED_WAITING, CLAIMED, "made for this test"},
};
static const struct protocol_variant variants[] = {{"", "test-and-set", CLAIMS(claims)}};

PROTOCOL(.name = "slip", .title = "Test and set", .citation = "made for this test", .min_n = 2, .max_n = 2,
         .default_n = 2, .max_l = 1, .default_limit = 6, VARIANTS(variants))
#include "step/end.h"
