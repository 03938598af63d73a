/* The native expansion, second half: the protocol behind one interface, for harnesses that run any
 * of them. Code that wants one protocol inlined includes its file and calls the sections. */
#include "step/sections.h"

#ifndef TRANSFORMATION
#define TRANSFORMED_ACQUIRE step_acquire
#define TRANSFORMED_RELEASE step_exit
#endif

#ifndef STEP_EMBEDDED
static void step_native_initial(void *shared, const struct step_params *params)
{
    (void)shared, (void)params;
#ifdef HAS_INITIAL
    step_set_initial(params, shared);
#endif
}

static void step_native_entry(void *shared, void *local, const struct step_params *params,
                              unsigned me)
{
    TRANSFORMED_ACQUIRE(shared, local, params, me);
}

static void step_native_exit(void *shared, void *local, const struct step_params *params,
                             unsigned me)
{
    TRANSFORMED_RELEASE(shared, local, params, me);
#ifndef HAS_MEMORY
    *(struct step_local *)local = (struct step_local){0};
#endif
}

#ifdef HAS_SUPERVISOR
static void step_native_supervise(void *shared, void *private, const struct step_params *params)
{
    step_supervisor(shared, private, params, params->n);
}
#endif

#ifdef HAS_DEATH
static void step_native_die(void *shared, void *local, const struct step_params *params,
                            unsigned me)
{
    *(struct step_local *)local = (struct step_local){0};
    step_death(shared, local, params, me);
}
#endif

extern const struct protocol_native STEP_JOIN(protocol_native_, STEP_NAME);
const struct protocol_native STEP_JOIN(protocol_native_, STEP_NAME) = {
    .name = STEP_STRING(STEP_NAME),
    .shared_size = sizeof(struct step_shared),
    .local_size = sizeof(struct step_local),
    .initial = step_native_initial,
    .entry = step_native_entry,
    .exit = step_native_exit,
#ifdef HAS_SUPERVISOR
    .private_size = sizeof(struct step_private),
    .supervise = step_native_supervise,
#endif
#ifdef HAS_DEATH
    .can_die = true,
    .die = step_native_die,
#endif
};
#endif
