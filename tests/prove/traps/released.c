/* Must not be proved: no lockout. Everybody waits for process 0, which may be in its remainder
 * whenever nobody looks. */
#define NAME trap_released
#define CELLS(cell, cells, registers) registers(flag, 2)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    if (ME == 0)
        WRITE(set, flag[ME], 1);
    else
        AWAIT(look, v, flag[0], v == 0);
END
EXIT
    WRITE(clear, flag[ME], 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("a flag that is set is that of somebody inside",
              implies(IS_IN(I, REMAINDER), flag[I] == 0));
    INVARIANT("process 0 does not wait", implies(IS_AT(I, look), I != 0));
    RANK_OF_EACH(ONE(IS_IN(I, REMAINDER)));
    BLOCKED_BY(0, ONE(I != 0));
    RELEASED(flag[J] == 0);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_LOCKOUT_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-released", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
