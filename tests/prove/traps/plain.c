/* Must not be proved: plain fifo. Process 0 opens the door for the process that looks first. */
#define NAME trap_plain
#define CELLS(cell, cells, registers) cells(turn, n, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
DOORWAY
    WRITE(D1, turn[ME], 1);
    if (ME == 0)
        goto REMAINDER;
    WRITE(D2, turn[0], 0);
END
WAITING
    word e;
    AGAIN {
        READ(W1, e, turn[0]);
        if (e != 0)
            break;
    }
END
EXIT
    WRITE(X1, turn[0], 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("process 0 only opens", implies(!IS_IN(I, REMAINDER), I != 0));
    ORDER_INVARIANT("known", implies(IS_IN(I, WAITING) && IS_IN(J, REMAINDER), BEHIND));
    ORDER_INVARIANT("closed", implies(BEHIND && J != 0, turn[0] == 0 && !IS_IN(J, CRITICAL)));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_FIFO, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-plain", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
