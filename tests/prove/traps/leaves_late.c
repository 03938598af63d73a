/* Must not be proved: fifo-enabling by the next step. Everybody enters at once; but a process in
 * its exit region is kept there while others come and go. */
#define NAME trap_leaves_late
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    WRITE(T1, v, 1);
    WRITE(T2, v, 1);
END
EXIT
    word e;
    WRITE(X1, v, 1);
    AGAIN {
        READ(X2, e, v);
        if (e == 0)
            break;
    }
END
#ifdef STEP_RULES
PROOF
    ENABLED(0 <= I);
    ORDER_INVARIANT("nothing", implies(BEHIND, 0 <= I));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_FIFO_ENABLING, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-leaves-late", .title = "a trap", .citation = "a trap", .min_n = 2,
         .max_n = 4, .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
