/* Must not be proved: lockout. As gives_up.c, but nobody is told apart: a process that comes while
 * another waits closes the door, opens it, and goes. */
#define NAME trap_gives_up_counted
#define CELLS(cell, cells, registers) cell(s, 4)
#define LOCALS(local) local(q, 2)
#define HAS_PROOF
#include "step/step.h"
ENTRY
    TEST(come, e, s)
        ON(e == 0, 1);
        ON(e == 1, 2, { goto closed; });
        ON(e >= 2, e, { goto REMAINDER; });
    END_TEST
    TEST(look, f, s)
        ON(f == 1, 3);
    END_TEST
    goto CRITICAL;
closed:
    WRITE(open, s, 1);
    goto REMAINDER;
END
EXIT
    WRITE(leave, s, 0);
END
#ifdef STEP_RULES
PROOF
    INVARIANT("one waits", AT(look) == ONE(s == 1 || s == 2));
    INVARIANT("one closes", AT(open) == ONE(s == 2));
    INVARIANT("one is critical", IN(CRITICAL) == ONE(s == 3));
    INVARIANT("nobody else", AT(come) == 0);
    RANK(0 * AT(look));
    WAITING_INVARIANT("none", ENTRIES_SO_FAR == 0);
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_LOCKOUT_FREE, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-gives-up-counted", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
