/* Must not be proved: no exclusion. A step changes two elements of an array, by pointers, and the
 * reading has one of them. */
#define NAME trap_two_elements
#define CELLS(cell, cells, registers) cells(a, 2, 2)
#define LOCALS(local) local(q, 2)
#define HAS_LOCK
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    bool open;
    do {
        LOCK(take)
            word *p = &V->a[0], *q1 = &V->a[1];
            open = *q1 == 1;
            *p = 1;
            *q1 = 1;
        UNLOCK
    } while (!open);
END
EXIT
    LOCK(give)
        V->a[0] = 1;
    UNLOCK
END
#ifdef STEP_RULES
PROOF
    INVARIANT("closed", a[1] == 0);
    INVARIANT("nobody", !IS_IN(I, CRITICAL));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-two-elements", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
