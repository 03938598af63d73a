#include "os/backoff.h"

#include "os/clock.h"
#include "os/futex.h"

#include <sched.h>

enum { YIELDS = 64, FIRST_SLEEP_NS = 20 * 1000, LONGEST_SLEEP_NS = 200 * 1000 };

void os_yield(void)
{
    sched_yield();
}

void os_wait_slowly(_Atomic(uint64_t) *cell, uint64_t seen, unsigned round)
{
    if (round <= YIELDS) {
        sched_yield();
        return;
    }
    const unsigned doublings = (round - YIELDS) / 8;
    const uint64_t sleep = doublings < 3 ? (uint64_t)FIRST_SLEEP_NS << doublings : LONGEST_SLEEP_NS;
    const struct timespec until = os_timespec(os_now(CLOCK_MONOTONIC) + sleep);
    os_futex_sleep(cell, (uint32_t)seen, &until);
}
