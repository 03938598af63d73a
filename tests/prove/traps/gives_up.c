/* Must not be proved: lockout. Process 0 closes the door and opens it, and never enters: so
 * there are infinitely many changes of region, and nobody overtakes process 1. */
#define NAME trap_gives_up
#define CELLS(cell, cells, registers) cell(door, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    word e;
    if (ME == 0) {
        WRITE(set, door, 1);
        WRITE(unset, door, 0);
        goto REMAINDER;
    }
    if (ME > 1) {
        READ(pass, e, door);
        goto REMAINDER;
    }
    AWAIT(look, v, door, v == 0);
END
EXIT
    word e;
    READ(leave, e, door);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("who closes", implies(door == 1, IS_AT(0, unset)));
    INVARIANT("closed", implies(IS_AT(I, unset), I == 0 && door == 1));
    INVARIANT("process 1 waits", implies(IS_AT(I, look), I == 1));
    INVARIANT("process 1 enters", implies(IS_IN(I, CRITICAL), I == 1));
    RANK_OF_EACH(0 * I);
    BLOCKED_BY(0, I);
    ORDER_INVARIANT("order", implies(BEHIND, !IS_IN(J, CRITICAL)));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_LOCKOUT_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-gives-up", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
