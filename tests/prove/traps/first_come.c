/* Must not be proved: order. The order is to last until those that came first have left
 * (.first_come), and everybody enters at once. */
#define NAME trap_first_come
#define CELLS(cell, cells, registers) cell(v, 2)
#define HAS_DOORWAY
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
DOORWAY
    WRITE(D1, v, 1);
    WRITE(D2, v, 0);
END
WAITING
END
EXIT
    WRITE(X1, v, 1);
END
#ifdef STEP_RULES
PROOF
    ORDER_INVARIANT("nobody waits past the doorway", !BEHIND);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_FIFO, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-first-come", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, .first_come = true, VARIANTS(variants))
#include "step/end.h"
