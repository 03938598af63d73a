/* The pool protocol, run on a pool's file. Everything that touches control, slot or ring is in here,
 * and is the source that the checker explores. */
#ifndef BERTH_POOL_QUEUE_H
#define BERTH_POOL_QUEUE_H

#include "pool/file.h"

/* How long to wait. */
struct queue_patience {
    bool none;                       /* EBUSY where there is no free slot */
    const struct timespec *deadline; /* CLOCK_MONOTONIC; ETIMEDOUT. NULL: as long as it takes */
};

void queue_initialise(struct pool_file *file, unsigned slots);

/* What an earlier owner of the seat left behind is given up; also what this one has. */
int queue_sweep(struct pool_file *file, unsigned seat);

int queue_acquire(struct pool_file *file, unsigned seat, struct queue_patience patience,
                  berth_grant *grant);
int queue_release(struct pool_file *file, unsigned seat, const berth_grant *grant);
int queue_resize(struct pool_file *file, unsigned seat, unsigned slots);

#endif
