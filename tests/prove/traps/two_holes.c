/* Must not be proved: no exclusion, and two PIGEONHOLES of which each is shown from the other. */
#define NAME trap_two_holes
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    WRITE(W1, v, 1);
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    PIGEONHOLES("one", 0, 1, 0, 0);
    PIGEONHOLES("other", 0, 1, 0, 0);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-two-holes", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
