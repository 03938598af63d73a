/* Clocks. */
#ifndef BERTH_OS_CLOCK_H
#define BERTH_OS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { OS_MILLISECOND = 1000000, OS_SECOND = 1000000000 }; /* in nanoseconds */

/* A time in nanoseconds; the last that there is, if it is later. */
static inline uint64_t os_nanoseconds(const struct timespec *time)
{
    const uint64_t seconds = (uint64_t)time->tv_sec;
    return seconds < UINT64_MAX / OS_SECOND ? seconds * OS_SECOND + (uint64_t)time->tv_nsec
                                            : UINT64_MAX;
}

static inline uint64_t os_now(clockid_t clock)
{
    struct timespec now = {0}; /* so it stays where there is no such clock */
    clock_gettime(clock, &now);
    return os_nanoseconds(&now);
}

static inline struct timespec os_timespec(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / OS_SECOND),
                             .tv_nsec = (long)(nanoseconds % OS_SECOND)};
}

#endif
