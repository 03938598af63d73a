/* Must not be proved: anything. It says of itself that it is no lock. */
#define NAME trap_is_object
#define CELLS(cell, cells, registers) cell(next, n) cell(serving, n)
#define LOCALS(local) local(mine, n)
#define HAS_DOORWAY
#define HAS_NAMES
#define HAS_PROOF
#include "step/step.h"
DOORWAY
    UPDATE(draw, mine, next, mine + 1 == n ? 0 : mine + 1);
END
WAITING
    AWAIT(wait, s, serving, s == mine);
END
EXIT
    WRITE(release, serving, mine + 1 == n ? 0 : mine + 1);
    FORGET(mine);
END
#ifdef STEP_RULES
PROOF
    const word out = IN(TRYING) + IN(CRITICAL) + IN(EXIT);
    const word ahead = EITHER(serving <= MINE(I, mine), MINE(I, mine) - serving,
                              MINE(I, mine) + n - serving);
    INVARIANT("the next ticket is the one after those that are out",
              next ==
                  EITHER(serving + out < n, serving + out, serving + out - n));
    INVARIANT("a process outside its remainder has a ticket that is out",
              implies(!IS_IN(I, REMAINDER), ahead < out));
    INVARIANT("no two have the same ticket",
              implies(!IS_IN(I, REMAINDER) && !IS_IN(J, REMAINDER),
                      MINE(I, mine) != MINE(J, mine)));
    INVARIANT("a critical process is the one that is served",
              implies(IS_IN(I, CRITICAL) || IS_IN(I, EXIT), MINE(I, mine) == serving));

    const word ahead_of_other =
        EITHER(serving <= MINE(J, mine), MINE(J, mine) - serving,
               MINE(J, mine) + n - serving);
    RANK_OF_EACH(0);
    NUMBERED(ahead);
    ORDER_INVARIANT("a process that comes later has a later ticket",
                    implies(BEHIND, IS_IN(J, REMAINDER) || ahead < ahead_of_other));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-is-object", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 8,
         .default_n = 2, .max_l = 1, .is_object = true, VARIANTS(variants))
#include "step/end.h"
