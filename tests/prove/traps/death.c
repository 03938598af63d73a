/* Must not be proved: no deadlock, where the process that holds the lock may die with it. */
#define NAME trap_death
#define CELLS(cell, cells, registers) cell(holder, n + 1) registers(mine, 2)
#define LOCALS(local) local(q, 2)
#define HAS_DEATH
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    TEST(take, v, holder)
        ON(v == 0, ME + 1);
    END_TEST
END
EXIT
    WRITE(give, holder, 0);
END
DEATH
    DIES(mine[ME], 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("the holder is critical",
              implies(holder != 0, IS_PROCESS(holder - 1) && IS_IN(holder - 1, CRITICAL)));
    RANK_OF_EACH(ONE(IS_IN(I, REMAINDER)));
    BLOCKED_BY(holder - 1, ONE(IS_IN(I, TRYING)));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-death", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, .fault = STEP_FAULT_DEATH, VARIANTS(variants))
#include "step/end.h"
