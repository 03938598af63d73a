/* Clocks. */
#ifndef BERTH_OS_CLOCK_H
#define BERTH_OS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { OS_MILLISECOND = 1000000, OS_SECOND = 1000000000 }; /* in nanoseconds */

static inline uint64_t os_now(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * OS_SECOND + (uint64_t)now.tv_nsec;
}

static inline struct timespec os_timespec(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / OS_SECOND),
                             .tv_nsec = (long)(nanoseconds % OS_SECOND)};
}

#endif
