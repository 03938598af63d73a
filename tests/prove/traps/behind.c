/* Must not be proved: no order at all, and an INVARIANT with BEHIND in it. */
#define NAME trap_behind
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
DOORWAY
    WRITE(D1, v, 1);
END
WAITING
    WRITE(W1, v, 0);
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("nobody is behind", !BEHIND);
    ORDER_INVARIANT("nothing", implies(BEHIND, 0 <= I));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_FIFO, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-behind", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
