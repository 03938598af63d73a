/* Must not be proved: lockout. Each step in the doorway uses fuel, and a process that leaves
 * fills up that of the next one, by the step that leads to its remainder. */
#define NAME trap_fed
#define CELLS(cell, cells, registers) cells(fuel, n, 3)
#define HAS_DOORWAY
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
DOORWAY
    word e;
    AGAIN {
        UPDATE(D1, e, fuel[ME], e > 0 ? e - 1 : 0);
        if (e == 0)
            break;
    }
END
WAITING
END
EXIT
    WRITE(X1, fuel[ME + 1 == n ? 0 : ME + 1], 2);
END
#ifdef STEP_RULES
PROOF
    RANK_OF_EACH(fuel[I]);
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
PROTOCOL(.name = "trap-fed", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
