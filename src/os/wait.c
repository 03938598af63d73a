#include "os/wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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
    unsigned doublings = (round - YIELDS) / 8;
    long sleep = doublings < 3 ? (long)FIRST_SLEEP_NS << doublings : LONGEST_SLEEP_NS;
    struct timespec timeout = {.tv_nsec = sleep};
    /* The futex is the low half of the word, which comes first on a little-endian machine. */
    syscall(SYS_futex, (uint32_t *)(void *)cell, FUTEX_WAIT, (uint32_t)seen, &timeout, NULL, 0);
}
