/*
 * What the processes of a torture share in addition to the pool: an anonymous mapping that the
 * driver makes and that survives every kill. It knows nothing of the library and trusts nothing of
 * it. A process that finds something wrong writes it here; the driver alone reads it out and
 * prints.
 */
#ifndef BERTH_TORTURE_BOARD_H
#define BERTH_TORTURE_BOARD_H

#include "complaint.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BOARD_SLOTS = 16,    /* the pool never has more of them */
    BOARD_PLACES = 32,   /* processes at the same time */
    BOARD_THREADS = 4,   /* in each */
    BOARD_LOG = 1 << 19, /* grants that are kept for the analysis of the order */
    BOARD_LINE = 128,
};

/* Calls of the library, as far as the driver wants to know. */
enum board_call {
    CALL_NONE,
    CALL_OPEN,
    CALL_CLOSE,
    CALL_ACQUIRE,
    CALL_TRY,
    CALL_UNTIL,
    CALL_RELEASE,
    CALL_RESIZE,
};

/* A thread's corner, one life after the other. */
struct board_thread {
    _Alignas(BOARD_LINE) _Atomic(int) tid;
    _Atomic(uint64_t) laps;  /* calls that have returned */
    _Atomic(uint64_t) call;  /* the size of the pool (below) << 8 | which; 0: in none */
    _Atomic(uint64_t) began; /* the sequence number before this acquire */
    _Atomic(uint64_t) waits; /* the same when it was known to have left the doorway; 0: not yet */
};

struct board_place {
    _Alignas(BOARD_LINE) _Atomic(uint64_t) life; /* no two processes ever have the same */
    _Atomic(int) pid;                            /* written by the process itself */
    struct board_thread thread[BOARD_THREADS];
};

/* One slot, as its holders see it. */
struct board_slot {
    _Alignas(BOARD_LINE) _Atomic(uint64_t) holder; /* an identity, or 0 */
    _Atomic(uint64_t) token;                       /* of its last holder */
};

struct board_grant {
    _Atomic(uint64_t) began, waits;
    _Atomic(uint64_t) token; /* written last; 0: its process was killed before it came to that */
};

struct board {
    /* A change number << 16 | slots; while the number is odd, the pool is being resized. */
    _Alignas(BOARD_LINE) _Atomic(uint64_t) size;
    _Atomic(bool) calm; /* nobody may be killed or stopped for a while */

    _Alignas(BOARD_LINE) _Atomic(uint64_t) sequence; /* counts events, for their order */
    _Atomic(uint64_t) newest;                        /* the largest token that was handed out */
    _Atomic(uint64_t) logged;                        /* grants in the log, and beyond */

    _Alignas(BOARD_LINE) _Atomic(uint64_t) grants, refusals, timeouts, forks, opens, resizes;
    _Atomic(uint64_t) taken_from_dead; /* slots that a dead holder had left its identity in */

    _Alignas(BOARD_LINE) struct complaints complaints;

    struct board_slot slot[BOARD_SLOTS];
    struct board_place place[BOARD_PLACES];
    struct board_grant log[BOARD_LOG];
};

/* NULL with errno set. */
struct board *board_make(void);

/* Resets everything except the lives and the counters, for another pool. */
void board_clear(struct board *board);

/* The holder of a slot: a thread of a process in one of its lives. */
static inline uint64_t board_identity(uint64_t life, unsigned place, unsigned thread)
{
    return life << 16 | (uint64_t)place << 8 | thread;
}

static inline uint64_t board_next(struct board *board)
{
    return atomic_fetch_add(&board->sequence, 1) + 1;
}

#endif
