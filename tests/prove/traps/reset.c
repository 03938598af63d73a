/* Must not be proved: a process can be kept out for ever by process 0, which sets turn[0] again. */
#define NAME trap_reset
#define CELLS(cell, cells, registers) cells(turn, n, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
DOORWAY
    WRITE(D1, turn[ME], 1);
END
WAITING
    word e;
    AGAIN {
        UPDATE(W1, e, turn[0], 0);
        if (e == 0)
            break;
    }
END
EXIT
    WRITE(X1, turn[ME], 1);
END
#ifdef STEP_RULES
PROOF
    ENABLED(0 <= I);
    OWN_RANK(turn[0]);
    ORDER_INVARIANT("nothing", implies(BEHIND, 0 <= I));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_FIFO_ENABLING, CLAIMED, "a trap"},
    {CHECK_FIRST_IN_FIRST_ENABLED, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-reset", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, .own_steps = true, VARIANTS(variants))
#include "step/end.h"
