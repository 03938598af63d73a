/* Must not be proved: no deadlock where three are inside. NUMBERED has J in it, and nobody has
 * 0. */
#define NAME trap_numbered_of_j
#define CELLS(cell, cells, registers) cell(c, n + 1)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    word e;
    UPDATE(take, e, c, e + 1);
    AWAIT(look, v, c, v < 3);
END
EXIT
    word e;
    UPDATE(leave, e, c, e - 1);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("counted", c == IN(TRYING) + IN(CRITICAL));
    RANK_OF_EACH(0 * I);
    NUMBERED(EITHER(c >= 3, 1 + ONE(I == J), EITHER(c == 2, ONE(I == J), 0)));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-numbered-of-j", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
