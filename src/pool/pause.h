/*
 * How a call waits: when it spins, sleeps, looks for the dead and gives up. None of it touches a word
 * of the protocol; if all of it failed, waiters would be slow, and no more.
 *
 * Who is woken was granted a slot, or told that it is the next in line. Deaths nobody tells of, so a
 * waiter looks: often at first; after a while it has the kernel watch the processes that stand between
 * it and its slot, and looks seldom, or when one of them ends.
 */
#ifndef BERTH_POOL_PAUSE_H
#define BERTH_POOL_PAUSE_H

#include "os/watch.h"
#include "pool/queue.h"
#include "pool/words.h"

enum pause_watch {
    PAUSE_ALONE,    /* nothing is watched yet */
    PAUSE_WATCHES,  /* the watch is on */
    PAUSE_HAS_SEEN, /* it has told of an end, or cannot be had: look often */
};

struct pause {
    bool none;         /* it does not wait at all */
    uint64_t deadline; /* in nanoseconds of CLOCK_MONOTONIC */
    unsigned rounds;   /* of spinning */
    bool sleeps;       /* its entry shall say that it is to be woken */
    bool look;         /* it is time to look for the dead */
    bool has_looked;   /* in this wait */
    bool expired;      /* it is time to give up */
    bool (*instead)(void *context); /* see store/store.h */
    void *context;
    bool next;         /* it was the next in line the last time that it slept */
    uint64_t since;    /* when it began to sleep in this place */
    enum pause_watch watching;
    struct os_watch watch;
};

/* Before the waiting room is entered with this ticket. */
void pause_begin(struct pause *pause, const struct pool_words *words, uint64_t ticket);

/* One pause: until the entry is no longer `asleep`, or something else is to be done. */
void pause_once(struct pause *pause, const struct pool_words *words, _Atomic(uint64_t) *entry,
                uint64_t ticket, uint64_t asleep);

/* A pause of somebody who cannot even draw: the ring is full of places that were given up. */
void pause_at_door(struct pause *pause);

/* After the wait, whatever came of it. */
void pause_end(struct pause *pause);

/* Tells who waits behind this ticket that it is the next in line: if it sleeps for long, or if there
 * may be slots of the dead that I have left to it. */
void pause_tell_next(const struct pause *pause, const struct pool_words *words, uint64_t ticket);

#endif
