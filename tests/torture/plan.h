/* One round of torture: a pool, and who uses it. */
#ifndef BERTH_TORTURE_PLAN_H
#define BERTH_TORTURE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct plan {
    const char *store; /* a directory of its own */
    const char *name;
    unsigned slots, seats;
    unsigned places;  /* processes */
    unsigned threads; /* at most, in each */
    bool resized;     /* place 0 changes the number of slots all the time */
    bool removed;  /* a process that leaves tries to remove the pool, and the next makes it again */
    bool polite;   /* nobody releases a slot twice to see that refused */
    unsigned odds; /* one in this many kill points kills, where there are any */
};

#endif
