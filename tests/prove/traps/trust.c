/* Must not be proved: fifo where what the protocol trusts is not so. */
#define NAME trap_trust
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#define HAS_TRUST
#include "step/step.h"
DOORWAY
    WRITE(D1, v, 1);
END
WAITING
    word e;
    READ(W1, e, v);
    TRUST(e == 0);
END
EXIT
    WRITE(X1, v, 1);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("v is 1", implies(IS_IN(I, WAITING) || IS_IN(I, CRITICAL), v == 1) &&
                            !IS_IN(I, CRITICAL));
    ORDER_INVARIANT("nothing", implies(BEHIND, 0 <= I));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_FIFO, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-trust", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
