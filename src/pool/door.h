/*
 * The door of a pool: a word of its file that one call at a time has, and that is taken from a dead
 * process (protocol/pool/door.c). A call that wants several slots draws all of its tickets behind
 * the doors of their pools (protocol/pool/several.c says why); a call that wants one slot does not
 * use doors.
 */
#ifndef BERTH_POOL_DOOR_H
#define BERTH_POOL_DOOR_H

#include "pool/queue.h"

/* Waits for the door until CLOCK_MONOTONIC shows `deadline`, in nanoseconds: ETIMEDOUT. EIDRM,
 * EBADF: as queue_acquire. */
int door_enter(struct queue *queue, uint64_t deadline);

void door_leave(struct queue *queue);

/* An earlier life of this seat may have died behind the door. */
void door_sweep(struct queue *queue);

/* The order in which doors are entered; 0: it is the same door. */
int door_compare(const struct queue *one, const struct queue *other);

#endif
