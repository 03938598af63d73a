/* Must not be proved: exclusion. There is each of the two constants, and not both. */
#define NAME trap_constants_two
#define CELLS(cell, cells, registers) cell(v, 2)
#define HAS_NAMES
#define CONSTANTS(constant) constant(big, word(4), n < CONSTANT(big)) \
    constant(small, word(1), CONSTANT(big) < CONSTANT(small) && CONSTANT(small) < n)
#define HAS_PROOF
#include "step/step.h"
ENTRY
    word e;
    READ(W1, e, v);
END
EXIT
    word e;
    READ(X1, e, v);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("a bit", v <= 1);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-constants-two", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
