/* Must not be proved: fifo-enabling by the next step. Process 1 waits, and would enter by its next
 * step; but process 0, before it enters itself, shuts it out for a while, again and again. */
#define NAME trap_shut_again
#define CELLS(cell, cells, registers) cell(shut, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    word e;
    if (ME == 0) {
        WRITE(T1, shut, 1);
        WRITE(T2, shut, 0);
    } else {
        READ(T0, e, shut);
        if (ME > 1)
            goto REMAINDER;
    }
    AGAIN {
        READ(T3, e, shut);
        if (e == 0)
            break;
    }
END
EXIT
    word e;
    READ(X1, e, shut);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("two of them come", implies(!IS_IN(I, REMAINDER), I <= 1));
    INVARIANT("process 0 shuts", implies(IS_AT(I, T2), I == 0));
    INVARIANT("while it is there", implies(I == 0, ONE(IS_AT(I, T2)) == shut));
    ENABLED(IS_AT(I, T3) && shut == 0);
    ORDER_INVARIANT("it is shut", implies(BEHIND && IS_AT(I, T2), !IS_IN(J, CRITICAL)));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_FIFO_ENABLING, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-shut-again", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
