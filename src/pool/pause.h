/*
 * How a call waits: when it spins, sleeps, looks for the dead and gives up. None of it touches a
 * word of the protocol; if all of it failed, waiters would only be slow.
 *
 * A waiter that is woken was granted a slot, or told that it is the next in line. A death is not
 * announced, so waiters look for dead holders: the next in line every millisecond or so, the others
 * seldom. The time of the next look is fixed when the one before is over: neither a signal nor a
 * stray wake-up delays it.
 */
#ifndef BERTH_POOL_PAUSE_H
#define BERTH_POOL_PAUSE_H

#include "pool/queue.h"
#include "pool/words.h"

struct pause {
    bool none;                      /* it does not wait at all */
    uint64_t deadline;              /* in nanoseconds of CLOCK_MONOTONIC */
    const volatile int *stop;       /* NULL, or it gives up when this is not 0 */
    const struct queue_need *need;  /* pools that have to be large enough, up to one that is NULL */
    unsigned rounds;                /* of spinning */
    unsigned looks;                 /* in this place */
    bool sleeps;                    /* its entry says that it has to be woken */
    bool look;                      /* it is time to look for the dead */
    bool has_looked;                /* in this wait */
    bool expired;                   /* it is time to give up */
    bool (*instead)(void *context); /* see store/store.h */
    void *context;
    int why;           /* it has to: EIDRM, EBADF, ERANGE, ECANCELED; or 0: the deadline is over */
    bool next;         /* it was the next in line the last time that it slept */
    uint64_t came;     /* when it began to wait */
    uint64_t since;    /* when it began to sleep in this place */
    uint64_t looks_at; /* when it will look next; 0: that is not fixed yet */
    uint64_t look_began, look_took;
};

/* Before the waiting room is entered with this ticket. */
void pause_begin(struct pause *pause, const struct pool_words *words, uint64_t ticket);

/* What to do next: `look`, give up (`expired`), or (true) sleep until `until`, unless the entry
 * changes before. */
bool pause_plan(struct pause *pause, const struct pool_words *words, uint64_t ticket,
                struct timespec *until);

/* A pause of a caller that cannot even draw: the ring is full of places that were given up. */
void pause_at_door(struct pause *pause, const struct pool_words *words);

/* Wakes all that sleep with tickets of this seat. */
void pause_interrupt(const struct pool_words *words, uint64_t seat);

/* Tells the waiter behind this ticket that it is the next in line: if it sleeps for long, or if
 * there may be slots of the dead that were left to it. */
void pause_tell_next(const struct pause *pause, const struct pool_words *words, uint64_t ticket);

#endif
