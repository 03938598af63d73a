/* Must not be proved: exclusion. The sizes are taken to be no more than 40. */
#define NAME trap_constants_far
#define CELLS(cell, cells, registers) cell(v, 2)
#define HAS_NAMES
#define CONSTANTS(constant) constant(far, word(40), n <= CONSTANT(far) && CONSTANT(far) <= 40)
#define HAS_PROOF
#include "step/step.h"
ENTRY
    word e;
    if (n < 41) {
        AWAIT(W1, a, v, a == 1);
    } else {
        READ(W2, e, v);
    }
END
EXIT
    word e;
    READ(X1, e, v);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("v is not set", v == 0);
    INVARIANT("nobody enters", !IS_IN(I, CRITICAL));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-constants-far", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
