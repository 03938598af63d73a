/* The pool protocol, run on a pool's file. Everything that changes its words in control, slot and
 * ring is in here, and is the source that the checker explores; bits.h reads them. */
#ifndef BERTH_POOL_QUEUE_H
#define BERTH_POOL_QUEUE_H

#include "pool/file.h"
#include "store/store.h"

/* A handle's place at a pool. */
struct queue {
    struct pool_file file;
    unsigned seat;
    bool timed;                /* every grant gets a time stamp */
    _Atomic(uint64_t) written; /* a ticket that was granted to this handle, usually the latest */
    _Atomic(uint64_t) held[BERTH_MAX_SLOTS]; /* the ticket by which it holds each slot; or 0 */
    struct loan *loans;                      /* what it lends and borrows (pool/loan.h) */
    _Atomic(int) loans_busy;                 /* the list is being looked at or changed */
};

void queue_initialise(struct pool_file *file, unsigned slots);

/* What an earlier owner of the seat left behind is given up; also what this one has. */
int queue_sweep(struct queue *queue);

int queue_acquire(struct queue *queue, const struct store_patience *patience, berth_grant *grant);
/* The two halves of it. A ticket is drawn, and its slot is not waited for: where it is not
 * available at once, grant->slot is QUEUE_NO_SLOT. Then it is waited for, or given up when the
 * patience is over, or (ERANGE) when a pool has fewer slots than are needed of it; until then
 * grant->ticket is 0. */
enum { QUEUE_NO_SLOT = BERTH_MAX_SLOTS };
int queue_draw(struct queue *queue, const struct store_patience *patience, berth_grant *grant);
struct queue_need {
    const struct queue *queue; /* NULL: the list ends here */
    unsigned slots;
};
int queue_wait(struct queue *queue, const struct store_patience *patience,
               const struct queue_need *need, berth_grant *grant);

int queue_release(struct queue *queue, const berth_grant *grant);
/* EPERM, and the reason. */
int queue_does_not_hold(const struct queue *queue, unsigned slot);
/* Makes waits of this handle look whether they have to stop. */
void queue_interrupt(struct queue *queue);
bool queue_holds(struct queue *queue, const berth_grant *grant);
/* Takes the grant from the handle, which still has the slot: no other thread can release it. False:
 * the handle does not hold it. */
bool queue_claim(struct queue *queue, const berth_grant *grant);
int queue_resize(struct queue *queue, unsigned slots);
unsigned queue_slots(const struct queue *queue);

#endif
