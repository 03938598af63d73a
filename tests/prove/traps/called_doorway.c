/* Must not be proved: a doorway of one step. It is a subroutine of three. */
#define NAME trap_called_doorway
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define SUBS(sub) sub(three)
#define HAS_DOORWAY
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
SUB(three)
    WRITE(S1, v, 1);
    WRITE(S2, v, 0);
    WRITE(S3, v, 1);
END_SUB(three)
DOORWAY
    CALL0(C1, three);
END
WAITING
    WRITE(W1, v, 0);
END
EXIT
    WRITE(X1, v, 1);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("a bit", v <= 1);
    RANK_OF_EACH(EITHER(IS_IN(I, WAITING), 0, 1));
    BLOCKED_BY(I, 0 * I);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "a trap", .has_bound = true, .bound = 1},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-called-doorway", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
