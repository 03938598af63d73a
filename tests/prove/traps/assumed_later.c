/* Must not be proved: exclusion. What is assumed holds at first, and not once somebody has entered.
 * Only the checker can tell. */
#define NAME trap_assumed_later
#define CELLS(cell, cells, registers) cell(v, 3)
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
ENTRY
    word e;
    UPDATE(W1, e, v, e < 2 ? e + 1 : 2);
END
EXIT
    word e;
    UPDATE(X1, e, v, 0 < e ? e - 1 : 0);
END
#ifdef STEP_RULES
PROOF
    ASSUMED("nobody is there", v == 0 && !IS_IN(I, CRITICAL));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
    {CHECK_BOUNDED_WAITING, CLAIMED, "a trap", .has_bound = true, .bound = 0},
    {CHECK_FIFO, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-assumed-later", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
