/* Whether anybody else waits at a pool: a few loads, no system call. */
#ifndef BERTH_POOL_OTHERS_H
#define BERTH_POOL_OTHERS_H

#include "berth.h"

#include <stdbool.h>

/* Whether a handle other than this one has a ticket that waits for a slot. That may change at once,
 * and a killed waiter may still count. False for a pool that is not in shared memory. */
bool pool_others_wait(berth_pool *pool);

#endif
