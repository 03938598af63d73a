/* Must not be proved: no exclusion, and a count that no step changes (AT of a place, where
 * subroutines are called). */
#define NAME trap_count
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define SUBS(sub) sub(one)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
SUB(one)
    WRITE(S1, v, 1);
    WRITE(S2, v, 0);
END_SUB(one)
DOORWAY
    WRITE(D1, v, 1);
END
WAITING
    CALL0(W1, one);
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("nobody is critical", AT(critical:3) == 0);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-count", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 2, VARIANTS(variants))
#include "step/end.h"
