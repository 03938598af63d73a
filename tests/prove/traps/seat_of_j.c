/* Must not be proved: no exclusion with several slots, and a SEAT with J in it. */
#define NAME trap_seat_of_j
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    TEST(take, e, v)
        ON(e == 0 || l > 1, 1);
    END_TEST
END
EXIT
    WRITE(give, v, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("one slot", implies(l == 1 && IS_IN(I, CRITICAL), v == 1 && !IS_IN(J, CRITICAL)));
    SEAT(ONE(l > 1 && I == J));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-seat-of-j", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 3, VARIANTS(variants))
#include "step/end.h"
