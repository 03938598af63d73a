/* Must not be proved: distinct slots. SEAT has a number of its own for each; all hold slot 0. */
#define NAME trap_same_slot
#define CELLS(cell, cells, registers) cells(taken, l, n + 1)
#define LOCALS(local) local(s, l)
#define HAS_SLOT
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    AGAIN {
        TEST(take, e, taken[s])
            ON(e == 0, ME + 1, goto CRITICAL);
            ON(e != 0, e);
        END_TEST
        s = s + 1 == l ? 0 : s + 1;
    }
END
EXIT
    WRITE(give, taken[s], 0);
    FORGET(s);
END
HOLDS
    return 0;
END_HOLDS
#ifdef STEP_RULES
PROOF
    INVARIANT("taken", implies(IS_IN(I, CRITICAL), taken[MINE(I, s)] == I + 1));
    SEAT(MINE(I, s));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DISTINCT_SLOTS, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-same-slot", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 3, VARIANTS(variants))
#include "step/end.h"
