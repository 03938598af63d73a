/*
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Resource Allocation with Immunity to Limited
 * Process Failure, FOCS 1979: the whole queue in the variable. It is l-queuelike, and costs as many
 * values as there are sequences of distinct process names.
 */
#define NAME flbb_queue
#define CELLS(cell, cells, registers) cell(length, n + 1) cells(queue, n, n) /* 0 behind the end */
#define LOCALS(local)
#define HAS_LOCK
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
#include "protocol/flbb/lower.h"

enum { ITSELF, HASTY };

/* The place of a process in the queue, from 0; the length if it is not there. */
static inline word place_of(const struct step_variable *V, word who)
{
    return POSITION(V->queue, V->length, who);
}

ENTRY
    bool admitted;
    LOCK(append)
        V->queue[V->length] = ME;
        V->length += 1;
    UNLOCK
    do {
        LOCK(look)
            admitted = place_of(V, ME) < l || (VARIANT(HASTY) && place_of(V, ME) == l);
        UNLOCK
    } while (!admitted);
END

EXIT
    LOCK(leave)
        TAKE_OUT(V->queue, V->length, place_of(V, ME));
        V->length -= 1;
    UNLOCK
END

#ifdef STEP_RULES
/* For every n and l. */
PROOF
    const word place = POSITION(queue, length, I);
    INVARIANT("as many are in the queue as are outside their remainder",
              length == n - IN(REMAINDER));
    INVARIANT("a process outside its remainder is in the queue",
              implies(!IS_IN(I, REMAINDER), place < length));
    INVARIANT("a critical process is among the first l", implies(IS_IN(I, CRITICAL), place < l));
    INVARIANT("a name in the queue is there once, and of a process outside its remainder",
              implies(0 <= ANY && ANY < length, POSITION(queue, length, queue[ANY]) == ANY &&
                                                    !IS_IN(queue[ANY], REMAINDER)));
    INVARIANT("behind the end is nothing", implies(length <= ANY && ANY < n, queue[ANY] == 0));
    ORDER_INVARIANT("a process that came later is behind",
                    implies(BEHIND, IS_IN(J, REMAINDER) || place < POSITION(queue, length, J)));
    SEAT(place);
    ENABLED(place < l);
    TAKEN_BY(queue[ANY]);
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 4"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, "section 3", .why = "l-queuelike implies it"},
    {CHECK_FINITE_WAITING_ENABLING, CLAIMED, "section 3", .why = "l-queuelike implies it"},
    {CHECK_BOUNDED_WAITING_ENABLING, CLAIMED, "section 3", .why = "l-queuelike implies it",
     .has_bound = true},
    {CHECK_FIFO_ENABLING, CLAIMED, "section 4"},
    {CHECK_L_FULL, CLAIMED, "section 4"},
    {CHECK_QUEUELIKE, CLAIMED, "section 4"},
    {CHECK_VALUES, CLAIMED, .why = "sequences of distinct names", .has_bound = true},
};

static const struct protocol_claim hasty[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "one place too many is let in", .refuted_from_n = 2},
};

#define SIZE(n_, l_, k_) {.n = n_, .l = l_, .k = k_, .fault = STEP_FAULT_SLEEP}
static const struct protocol_expected expected[] = {
    {SIZE(2, 1, 1), 9, 18},     {SIZE(2, 1, 2), 9, 18},      {SIZE(3, 1, 2), 31, 93},
    {SIZE(3, 2, 2), 55, 165},   {SIZE(3, 2, 3), 55, 165},    {SIZE(4, 2, 2), 249, 996},
    {SIZE(4, 3, 2), 441, 1764}, {SIZE(5, 2, 2), 1291, 6455},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the whole queue in the variable", CLAIMS(claims), EXPECTED(expected)},
    [HASTY] = {"hasty", "broken: the process at place l + 1 enters as well", CLAIMS(hasty)},
};

static uint64_t values(const struct step_params *params)
{
    return SEQUENCES(params->n); /* of distinct names */
}

PROTOCOL(.name = "flbb-queue", .title = "l-exclusion, the whole queue in the variable",
         .citation = "Fischer, Lynch, Burns, Borodin 1979, section 4", .min_n = 2, .max_n = 6,
         .default_n = 3, .needs_l_below_n = true, .max_l = 5, .fault = STEP_FAULT_SLEEP,
         .values = values, .lower = lower_queuelike, .values_source = "the text before Theorem 4.2",
         VARIANTS(variants))
#include "step/end.h"
