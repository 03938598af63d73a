/* What the bits of the protocol's words mean, and how those that do not take part read them: waits,
 * views, the history. Only queue.c changes them. */
#ifndef BERTH_POOL_BITS_H
#define BERTH_POOL_BITS_H

#include "pool/words.h"
#include "step/params.h"

#define STEP_NATIVE
#define STEP_EMBEDDED
#define step_shared pool_words
#include "protocol/pool/bits.inc"

/* The next ticket that will be drawn, and the next that will be admitted. */
static inline word bits_tail(const struct pool_words *shared)
{
    return TICKET(atomic_load(&shared->control->draw));
}

static inline word bits_admit(const struct pool_words *shared)
{
    return ADMIT(atomic_load(&shared->control->admission));
}

/* What the ring says about a ticket. */
static inline word bits_entry(const struct pool_words *shared, word ticket)
{
    return atomic_load(&shared->ring[PLACE(ticket)]);
}

#endif
