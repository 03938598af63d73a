/*
 * Locks on ranges of bytes that belong to an open file description: neither to the process nor to
 * the descriptor. They go with every copy of the descriptor, through fork and exec, and the kernel
 * drops them when the last copy is closed, for whatever reason.
 *
 * Results are 0 or an errno value.
 */
#ifndef BERTH_OS_RANGE_LOCK_H
#define BERTH_OS_RANGE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct os_range {
    int64_t start, length; /* length 0: up to any end */
    bool exclusive;        /* of a lock that was found: no other open file has one there */
};

/* Locks the range for this open file alone; never waits. EAGAIN: another has a lock on part of
 * it. */
int os_lock_take(int fd, struct os_range range);

/* Locks the range, which others may lock like this as well; makes an exclusive lock of this open
 * file a shared one, in one step. A descriptor that is open for reading will do. EAGAIN: another
 * open file has an exclusive lock on part of it. */
int os_lock_share(int fd, struct os_range range);

int os_lock_drop(int fd, struct os_range range);

/* Finds a lock of another open file on part of `range`: *found is all of that lock; ENOENT if there
 * is none. A descriptor that is open for reading will do. A process that may only read the file can
 * have shared locks, and only one that may write can have exclusive ones. */
int os_lock_find(int fd, struct os_range range, struct os_range *found);

#endif
