/* Must not be proved: no exclusion. 0 - 1 is a large number, and is compared where it is known. */
#define NAME trap_wraps
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    word e;
    AGAIN {
        READ(W1, e, v);
        if (q - 1 > 5)
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
PROTOCOL(.name = "trap-wraps", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
