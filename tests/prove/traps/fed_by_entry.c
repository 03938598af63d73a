/* Must not be proved: lockout. As fed.c, but the fuel is one cell, and a process that
 * enters fills it up. */
#define NAME trap_fed_by_entry
#define CELLS(cell, cells, registers) cell(fuel, 3) cell(busy, 2)
#define HAS_DOORWAY
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
DOORWAY
    word e;
    if (ME > 0)
        goto fill;
    AGAIN {
        UPDATE(D1, e, fuel, e > 0 ? e - 1 : 0);
        if (e == 0)
            break;
    }
    goto CRITICAL;
fill:
    WRITE(D2, fuel, 2);
END
WAITING
END
EXIT
    word e;
    READ(X1, e, busy);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("process 0 burns", implies(IS_AT(I, D1), I == 0));
    RANK_OF_EACH(EITHER(I == 0 && IS_AT(I, D1), fuel, 0));
    BLOCKED_BY(I, 0 * I);
    ORDER_INVARIANT("nobody waits past the doorway", !BEHIND);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "a trap"},
    {CHECK_FIFO, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-fed-by-entry", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
