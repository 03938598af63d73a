/* Must not be proved: a doorway without waiting. It is a subroutine that waits for a bit. */
#define NAME trap_called_spin
#define CELLS(cell, cells, registers) cell(v, 2)
#define LOCALS(local) local(q, 2)
#define SUBS(sub) sub(spin)
#define WITNESSES(cells) cells(who, 1, n)
#define HAS_DOORWAY
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
SUB(spin)
    TEST(S1, e, v)
        ON(e == 0, 1, WITNESS(who[0], ME));
    END_TEST
END_SUB(spin)
DOORWAY
    CALL0(C1, spin);
END
WAITING
    word e;
    READ(W1, e, v);
END
EXIT
    WRITE(X1, v, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("somebody has set it", implies(v == 1, who[0] < n && (IS_AT(who[0], W1) ||
                                                                    IS_IN(who[0], CRITICAL))));
    RANK_OF_EACH(ONE(IS_AT(I, S1)));
    BLOCKED_BY(who[0], ONE(IS_AT(I, S1)));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-called-spin", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
