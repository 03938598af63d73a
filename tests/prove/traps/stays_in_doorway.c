/* Must not be proved: bounded waiting for enabling. A process past its doorway enters by its next
 * step; but others come and go while a process is in its doorway. */
#define NAME trap_stays_in_doorway
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
DOORWAY
    WRITE(D1, v, 1);
    WRITE(D2, v, 1);
END
WAITING
    WRITE(W1, v, 1);
END
EXIT
    WRITE(X1, v, 1);
END
#ifdef STEP_RULES
PROOF
    ENABLED(IS_IN(I, WAITING));
    ORDER_INVARIANT("nothing", implies(BEHIND, 0 <= I));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_BOUNDED_WAITING_ENABLING, CLAIMED, "a trap", .has_bound = true},
    {CHECK_FINITE_WAITING_ENABLING, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-stays-in-doorway", .title = "a trap", .citation = "a trap", .min_n = 2,
         .max_n = 4, .default_n = 2, .max_l = 1, .fault = STEP_FAULT_SLEEP, VARIANTS(variants))
#include "step/end.h"
