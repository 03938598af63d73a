/* Must not be proved: no deadlock. Process 0 goes from its remainder to its remainder by one step,
 * which raises what falls; and a schedule of such steps changes no region. */
#define NAME trap_calm_rest
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
DOORWAY
    WRITE(D1, v, 1);
    if (ME == 0)
        goto REMAINDER;
END
WAITING
    word e;
    AGAIN {
        UPDATE(W1, e, v, 0);
        if (e == 0)
            break;
    }
END
EXIT
    WRITE(X1, v, 1);
END
#ifdef STEP_RULES
PROOF
    FALLS_FOR_EACH(0 * I);
    FALLS_FOR_ALL(v);
    LEAVES_ALONE(0 * I);
    LET_IN(I < 0);
    LET_IN_RANK(0 * I);
    TRYING_RANK(0 * I);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-calm-rest", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
