/* The pools of a directory. */
#ifndef BERTH_POOL_POOLS_H
#define BERTH_POOL_POOLS_H

#include "berth.h"

/* See berth_list. */
int pools_list(const berth_options *options, int (*each)(const char *name, void *context),
               void *context);

#endif
