/* Must not be proved: no deadlock. A process goes to a subroutine and back for ever, and in its
 * trying region it is all the time. */
#define NAME trap_called
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define SUBS(sub) sub(one)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
SUB(one)
    WRITE(S1, v, 1);
END_SUB(one)
ENTRY
    word e;
    AGAIN {
        CALL0(W1, one);
        READ(W2, e, v);
        if (e == 0)
            break;
    }
END
EXIT
    WRITE(X1, v, 1);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("once set, it stays", v == 0 || v == 1);
    RANK_OF_EACH(0 * I);
    BLOCKED_BY(I, ONE(IS_IN(I, TRYING)));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-called", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
