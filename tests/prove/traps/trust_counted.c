/* Must not be proved: what is trusted is not so, where nobody is told apart. */
#define NAME trap_trust_counted
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_TRUST
#include "step/step.h"
ENTRY
    word e;
    READ(W1, e, v);
    TRUST(e == 1);
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("nobody comes", v == 0 && IN(CRITICAL) == 0);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-trust-counted", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
