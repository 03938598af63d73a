/* The ticket lock in the step notation: the very file that berth check is run on. */
#include "ticket.h"

#define STEP_NATIVE
#define STEP_EMBEDDED
#include "../../examples/protocol/ticket.c"

static _Alignas(64) struct step_shared shared;

static void run(volatile uint64_t *counter, uint64_t pairs)
{
    static const struct step_params params = {.n = LOCK_THREADS, .l = 1, .k = 1};
    struct step_local local = {0};
    for (uint64_t i = 0; i < pairs; i++) {
        step_acquire(&shared, &local, &params, 0);
        ++*counter;
        step_exit(&shared, &local, &params, 0);
    }
}

const struct subject ticket_step = {"step", run};
