/*
 * The door of a pool: a lock on a byte of its file, which the kernel gives to one call at a time and
 * takes back when its process dies. Who wants several slots draws all of its tickets behind the doors
 * of their pools (protocol/pool/several.c says why); who wants one knows of no doors.
 */
#ifndef BERTH_POOL_DOOR_H
#define BERTH_POOL_DOOR_H

#include "pool/file.h"

#include <sys/types.h>

struct door {
    int fd; /* an open file of its own: not the handle's, which children may have inherited */
    dev_t device;
    ino_t inode;
};

/* Which door it is: all but `fd`, which is -1. 0, or an errno value without a reason. */
int door_name(struct door *door, const struct pool_file *file);

/* Finds the door, and does not enter it. */
int door_find(struct door *door, const struct pool_file *file);

/* By this order doors are entered; 0: it is the same door. */
int door_compare(const struct door *one, const struct door *other);

/* Waits for the door until CLOCK_MONOTONIC shows `deadline`, in nanoseconds: ETIMEDOUT. */
int door_enter(const struct door *door, const struct pool_file *file, uint64_t deadline);

/* Leaves it, if it was entered, and forgets it. */
void door_close(struct door *door);

#endif
