/* Must not be proved: no deadlock. A process calls a subroutine again and again. From elsewhere,
 * where nobody ever calls it, one comes out of it: so somebody there is taken to be free. */
#define NAME trap_called_free
#define CELLS(cell, cells, registers) cell(c, n + 1) cell(v, 2)
#define LOCALS(local) local(q, n + 1)
#define SUBS(sub) sub(one)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
SUB(one)
    word e;
    READ(S1, e, v);
    (void)e;
END_SUB(one)
ENTRY
    word e;
    UPDATE(W0, q, c, q + 1);
    READ(W1, e, v);
    if (e == 1)
        goto CRITICAL;
    for (;;)
        CALL0(C2, one);
END
EXIT
    word e;
    FORGET(q);
    READ(X1, e, v);
    CALL0(C3, one);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("nobody enters", v == 0 && !IS_IN(I, CRITICAL) && !IS_IN(I, EXIT));
    INVARIANT("counted", AT(remainder) + c == n && 0 <= MINE(0, q) && IN(CRITICAL) == 0 && AT(W1) + AT(S1) == c);
    INVARIANT("a number", implies(!IS_IN(I, REMAINDER), MINE(I, q) < c));
    INVARIANT("another", implies(!IS_IN(I, REMAINDER) && !IS_IN(J, REMAINDER), MINE(I, q) != MINE(J, q)));
    RANK_OF_EACH(ONE(IS_AT(I, W1)));
    NUMBERED(MINE(I, q));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-called-free", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
