/*
 * What a pool's file tells of its past. Nothing is counted for this: tickets are numbered anyway,
 * and a process that leaves a seat in an orderly way says so in its line, which the killed do not.
 */
#ifndef BERTH_POOL_HISTORY_H
#define BERTH_POOL_HISTORY_H

#include "berth.h"

#include <stdbool.h>

struct pool_history {
    uint64_t made;   /* microseconds of CLOCK_REALTIME; a pool made anew under a name has another */
    uint64_t served; /* tickets that had their turn: grants, and what the dead and those who gave
                        up had drawn */
    unsigned died;   /* seats whose process ended without leaving them, and that are not taken again
                        yet; a newcomer takes others first */
    bool unknown;    /* all of it: the store keeps nothing of the past, as etcd's does */
};

/* Like berth_look, it needs permission to read the file, takes no seat and changes nothing. */
int pool_history(struct pool_history *history, const char *name, const berth_options *options);

#endif
