/* What can be done to a pool without a seat in it: when all are taken, it may be needed most. */
#ifndef BERTH_POOL_OUTSIDE_H
#define BERTH_POOL_OUTSIDE_H

#include "berth.h"

/* Gives the pool, which is in a directory and exists, another number of slots. *former: how many it
 * had. Errors are those of berth_open and berth_resize, without EUSERS. */
int pool_resize_from_outside(const char *name, const berth_options *options, unsigned slots,
                             unsigned *former);

#endif
