/* Must not be proved: a killed process comes back critical, and a count that a kill does not change
 * says that nobody is dead. */
#define NAME trap_dead
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DOORWAY
#define HAS_REVIVAL
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
DOORWAY
    word e;
    READ(D1, e, v);
END
WAITING
    word e;
    AGAIN {
        UPDATE(W1, e, v, 1);
        if (e == 0)
            break;
    }
END
EXIT
    WRITE(X1, v, 0);
END
REVIVAL
    word e;
    READ(V1, e, v);
    goto CRITICAL;
END
#ifdef STEP_RULES
PROOF
    INVARIANT("taken", implies(IS_IN(I, CRITICAL), v == 1 && !IS_IN(J, CRITICAL)));
    INVARIANT("nobody revives", !IS_AT(I, V1));
    INVARIANT("nobody is dead", AT(revives) == 0);
    INVARIANT("counted", IN(TRYING) == IN(TRYING));
    INVARIANT("counted", 0 <= IN(EXIT));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-dead", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, .fault = STEP_FAULT_KILL, VARIANTS(variants))
#include "step/end.h"
