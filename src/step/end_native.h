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

/* Back in the remainder region: only the record of broken invariants is kept. */
static void step_native_rest(struct step_local *local)
{
#ifdef HAS_MEMORY
    (void)local;
#else
    struct step_local rested = {0};
#ifdef HAS_PROMISES
    rested.failed = local->failed;
#endif
    *local = rested;
#endif
}

static bool step_native_entry(void *shared, void *local, const struct step_params *params,
                              unsigned me)
{
    if (TRANSFORMED_ACQUIRE(shared, local, params, me) != STEP_TO_REMAINDER)
        return true;
    step_native_rest(local);
    return false;
}

static void step_native_exit(void *shared, void *local, const struct step_params *params,
                             unsigned me)
{
    TRANSFORMED_RELEASE(shared, local, params, me);
    step_native_rest(local);
}

#ifdef HAS_SUPERVISOR
static void step_native_supervise(void *shared, void *private, const struct step_params *params)
{
    step_supervisor(shared, private, params, params->n);
}
#endif

#ifdef HAS_CLASH
static bool step_native_clash(void *shared, const struct step_params *params, uint64_t inside)
{
    return step_clash(params, shared, inside);
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

#ifdef HAS_REVIVAL
static bool step_native_revive(void *shared, void *local, const struct step_params *params,
                               unsigned me)
{
    *(struct step_local *)local = (struct step_local){0};
    enum step_way way = step_revival(shared, local, params, me);
    if (way == STEP_TO_TRYING)
        way = step_entry(shared, local, params, me) == STEP_TO_REMAINDER ? STEP_TO_REMAINDER
                                                                         : STEP_TO_CRITICAL;
    if (way == STEP_TO_CRITICAL)
        return true;
    step_native_rest(local);
    return false;
}
#endif

#if defined(HAS_SLOT) && !defined(HAS_SLOTS) /* where the slot is in the local state alone */
static unsigned step_native_slot(const void *local, const struct step_params *params, unsigned me)
{
    return (unsigned)step_holds(params, NULL, local, me);
}
#endif

#ifdef HAS_PROMISES
static uint64_t step_native_failed(const void *local)
{
    return ((const struct step_local *)local)->failed;
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
#ifdef HAS_CLASH
    .clash = step_native_clash,
#endif
#if defined(HAS_SLOT) && !defined(HAS_SLOTS)
    .slot = step_native_slot,
#endif
#ifdef HAS_PROMISES
    .failed = step_native_failed,
#endif
#ifdef HAS_REVIVAL
    .revive = step_native_revive,
#endif
#ifdef HAS_DEATH
    .can_die = true,
    .die = step_native_die,
#endif
};
#ifdef STEP_OWN
extern const struct protocol_native *const berth_own_native;
const struct protocol_native *const berth_own_native = &STEP_JOIN(protocol_native_, STEP_NAME);
#endif
#endif
