/*
 * What a pool's file shows about its past. Nothing is counted for this: tickets are numbered
 * anyway, and a process that leaves its seat normally says so in its line; a killed one does not.
 */
#ifndef BERTH_POOL_HISTORY_H
#define BERTH_POOL_HISTORY_H

#include "berth.h"

#include <stdbool.h>

struct pool_history {
    uint64_t made; /* microseconds of CLOCK_REALTIME; differs if the pool was made again */
    uint64_t
        served;    /* tickets that had their turn: grants, and those of the dead and of time-outs */
    unsigned died; /* seats whose process ended without leaving them, and that are not taken again
                        yet; a newcomer takes others first */
    bool unknown;  /* all of it: the store keeps nothing of the past, as etcd's does */
};

/* Like berth_look, it needs permission to read the file, takes no seat and changes nothing. */
int pool_history(struct pool_history *history, const char *name, const berth_options *options);

#endif
