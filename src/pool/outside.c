/*
 * A resize writes the number of slots, and then looks for free ones as a waiter does. Neither step
 * writes down who makes it; so a process without a seat can make them. If it is killed on the way,
 * it leaves what a process with a seat would leave, and the next waiter that looks goes on.
 */
#include "pool/outside.h"

#include "pool/cancel.h"
#include "pool/queue.h"
#include "pool/reason.h"
#include "pool/remote_pool.h"
#include "pool/seat.h"

#include <errno.h>
#include <limits.h>

static int resize_from_outside(const char *name, const berth_options *options, unsigned slots,
                               unsigned *former)
{
    struct queue queue = {.seat = UINT_MAX};
    berth_options existing = *options;
    existing.flags |= BERTH_EXISTING;
    if (remote_store(&existing) != NULL)
        return pool_fail(ENOTSUP, "pool %s: only a pool in a directory has seats", name);
    if (slots > BERTH_MAX_SLOTS)
        return pool_fail(EINVAL, "a pool has at most %d slots, not %u", BERTH_MAX_SLOTS, slots);
    int error = pool_file_open(&queue.file, name, &existing, queue_initialise);
    if (error != 0)
        return error;
    *former = queue_slots(&queue);
    error = queue_resize(&queue, slots);
    if (error == 0 && pool_file_is_gone(&queue.file)) /* without a seat nothing prevents that */
        error = pool_fail(ENOENT, "the pool %s has been removed", name);
    pool_file_close(&queue.file);
    return error;
}

int pool_resize_from_outside(const char *name, const berth_options *options, unsigned slots,
                             unsigned *former)
{
    return UNCANCELLED(resize_from_outside(name, options, slots, former));
}
