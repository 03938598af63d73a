/* What a berth_pool is, for the files that make up berth.h. */
#ifndef BERTH_POOL_HANDLE_H
#define BERTH_POOL_HANDLE_H

#include "berth.h"

#include "pool/queue.h"
#include "pool/remote.h"

/* Where a handle's pool is. One test tells the usual case from the others. */
enum { FORKED, HERE, REMOTE }; /* a parent's; in a file; in another store */

struct berth_pool {
    uint32_t
        *mine; /* HERE or REMOTE in the process that opened the pool; the kernel makes it FORKED,
                       which is 0, in a child */
    struct loan *loans; /* what it lends and borrows */
    struct queue queue;
    struct remote remote; /* REMOTE: then of the queue, only the name is of use */
};

/* ECHILD: the handle is a parent's. */
int handle_is_not_mine(const berth_pool *pool);

/* EINVAL, if it is not a time. */
int handle_deadline_check(const struct timespec *deadline);

#endif
