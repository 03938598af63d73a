/* Must not be proved: values. The variable is a sequence of distinct names, and something else. */
#define NAME trap_queue_and_more
#define CELLS(cell, cells, registers) cell(length, n + 1) cells(queue, n, n) cell(more, 2)
#define LOCALS(local)
#define HAS_LOCK
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
ENTRY
    LOCK(append)
        V->queue[V->length] = ME;
        V->length += 1;
    UNLOCK
    LOCK(look)
        V->more = 1 - V->more;
    UNLOCK
END
EXIT
    LOCK(leave)
        TAKE_OUT(V->queue, V->length, POSITION(V->queue, V->length, ME));
        V->length -= 1;
    UNLOCK
END
#ifdef STEP_RULES
PROOF
    INVARIANT("as many are in the queue as are outside their remainder",
              length == n - IN(REMAINDER));
    INVARIANT("a process outside its remainder is in the queue",
              implies(!IS_IN(I, REMAINDER), POSITION(queue, length, I) < length));
    INVARIANT("a name is there once, and of a process outside its remainder",
              implies(0 <= ANY && ANY < length, POSITION(queue, length, queue[ANY]) == ANY &&
                                                    !IS_IN(queue[ANY], REMAINDER)));
    INVARIANT("behind the end is nothing", implies(length <= ANY && ANY < n, queue[ANY] == 0));
END_PROOF
#endif
static const struct protocol_claim claims[] = {
    {CHECK_VALUES, CLAIMED, "a trap", .has_bound = true},
};
static const struct protocol_variant variants[] = {{"", "a trap", CLAIMS(claims)}};
static uint64_t values(const struct step_params *params)
{
    return SEQUENCES(params->n);
}
PROTOCOL(.name = "trap-queue-and-more", .title = "a trap", .citation = "a trap", .min_n = 2,
         .max_n = 4, .default_n = 2, .max_l = 1, .values = values, VARIANTS(variants))
#include "step/end.h"
