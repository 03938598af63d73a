/* Must not be proved: no exclusion. At first all elements of the sequence are 1, and where one
 * is found in it is taken as if they were 0. */
#define NAME trap_position_first
#define CELLS(cell, cells, registers) cell(length, n + 1) cells(queue, n, 2)
#define LOCALS(local) local(q, 2)
#define HAS_LOCK
#define HAS_INITIAL
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
INITIAL
    SHARED(length) = n;
    FOR_EACH(i, n)
        SHARED(queue[i]) = 1;
END_INITIAL
ENTRY
    bool found;
    do {
        LOCK(look)
            found = POSITION(V->queue, V->length, 1) < V->length;
        UNLOCK
    } while (!found);
END
EXIT
    LOCK(leave)
        TAKE_OUT(V->queue, V->length, POSITION(V->queue, V->length, 1));
    UNLOCK
END
#ifdef STEP_RULES
PROOF
    INVARIANT("none", length == n && POSITION(queue, length, 1) == length && !IS_IN(I, CRITICAL));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "a trap"},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
PROTOCOL(.name = "trap-position-first", .title = "a trap", .citation = "a trap", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
#include "step/end.h"
