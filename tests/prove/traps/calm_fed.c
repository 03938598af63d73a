/* Must not be proved: no deadlock. Processes 0 and 1 each take away what lets them in, and give it
 * back to the other one. What falls is shared, and others raise it. */
#define NAME trap_calm_fed
#define CELLS(cell, cells, registers) cells(turn, n, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
DOORWAY
    WRITE(D1, turn[ME], 1);
    if (ME > 1)
        goto REMAINDER;
END
WAITING
    word e;
    AGAIN {
        UPDATE(W1, e, turn[ME], 0);
        if (e == 0)
            break;
        WRITE(W2, turn[1 - ME], 1);
    }
END
EXIT
    WRITE(X1, turn[ME], 1);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("the others only come by", implies(!IS_IN(I, REMAINDER), I < 2));
    FALLS_FOR_EACH(ONE(IS_IN(I, TRYING) && !IS_IN(I, WAITING)), turn[I]);
    LEAVES_ALONE(ONE(IS_IN(I, EXIT)));
    LET_IN(I < 0);
    LET_IN_RANK(ONE(IS_IN(I, TRYING)));
    TRYING_RANK(ONE(IS_AT(I, W2)));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-calm-fed", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
