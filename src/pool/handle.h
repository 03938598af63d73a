/* What a berth_pool is, for the files that make up berth.h. */
#ifndef BERTH_POOL_HANDLE_H
#define BERTH_POOL_HANDLE_H

#include "berth.h"

#include "pool/queue.h"
#include "pool/remote_pool.h"

/* What a handle is good for. One test tells the usual case from the others. */
enum {
    FORKED,   /* it is a parent's */
    HERE,     /* its pool is in a file */
    UNSEATED, /* so it is, and no seat was free: it can only borrow until it has one */
    REMOTE,   /* its pool is in another store */
    CLOSED,
};

struct berth_pool {
    uint32_t
        *mine; /* one of these, in a page that the kernel fills with 0, which is FORKED, in every
                       child made by fork */
    struct queue queue;
    _Atomic(int) heir_fd; /* pool/heir.h; or -1 */
    struct remote remote; /* REMOTE: then only the name in `queue` is used */
    _Atomic(int) lost_fd; /* HERE: an inotify descriptor, or -1 */
    _Atomic(int) use;     /* of this memory: see handle.c */
    berth_pool *next;     /* of all that were ever made */
};

/*
 * The memory of a handle and its page are never freed, and are used again for the next handle. So a
 * call with a handle that was closed finds CLOSED there, until another handle gets that memory; and
 * a second berth_close is told from the first. Nothing here takes a lock: a fork may happen at any
 * instant.
 */

/* A handle that is CLOSED as yet; NULL and errno if there is no memory. */
berth_pool *handle_make(void);

/* It is open from now on: HERE or REMOTE. */
void handle_open(berth_pool *pool, uint32_t where);

/* Gives a handle that is UNSEATED a seat, if there is one now. Errors as pool_seat_take has
 * them. */
int handle_take_seat(berth_pool *pool);

/* Takes it from any other thread that might want to close it. EBADF: it is not open, or no handle
 * at all. */
int handle_take(const berth_pool *pool);

/* Whether the descriptor is one of this process's open handles. */
bool handle_has(int fd);

/* Its memory may be used again. */
void handle_free(berth_pool *pool);

/* Whether it is a handle that this process has open. */
static inline bool handle_is_open(const berth_pool *pool)
{
    return pool != NULL && *pool->mine != CLOSED && *pool->mine != FORKED;
}

/* Why any other cannot be used: ECHILD, EBADF or EINVAL; EUSERS, if what was asked for needs a
 * seat. */
int handle_refuse(const berth_pool *pool);

/* NULL where something is needed: EINVAL. */
int handle_needs(const char *what);

/* EINVAL, if it is not a time to wait until, or for. */
int handle_deadline_check(const struct timespec *deadline);
int handle_deadline_after(const struct timespec *timeout, struct timespec *deadline);

#endif
