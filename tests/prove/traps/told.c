/* Must not be proved: no exclusion. Where there are subroutines, e - 1 < e + 1 is taken for told,
 * and e may be 0. */
#define NAME trap_told
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define SUBS(sub) sub(one)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
SUB(one)
    WRITE(S1, v, 0);
END_SUB(one)
ENTRY
    word e;
    CALL0(C1, one);
    AGAIN {
        READ(W1, e, v);
        if (!(e - 1 < e + 1))
            break;
    }
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("nobody", !IS_IN(I, CRITICAL));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-told", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
