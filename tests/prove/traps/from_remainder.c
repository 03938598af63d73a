/* Must not be proved: l-full. Nobody ever waits; and process 0, which enters from its remainder, is
 * enabled there. */
#define NAME trap_from_remainder
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    WRITE(T1, v, 1);
    if (ME != 0)
        goto REMAINDER;
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("only process 0 is critical", implies(IS_IN(I, CRITICAL), I == 0));
    SEAT(0);
    ENABLED(false);
    TAKEN_BY(0);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_L_FULL, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-from-remainder", .title = "a trap", .citation = "a trap", .min_n = 2,
         .max_n = 4, .default_n = 2, .max_l = 2, VARIANTS(variants))
#include "step/end.h"
