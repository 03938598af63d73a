/* Sleeping until a word in shared memory changes, and waking its waiters. */
#ifndef BERTH_OS_FUTEX_H
#define BERTH_OS_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Sleeps while the low half of `cell` is `seen`, until CLOCK_MONOTONIC shows `until`, or for any
 * other reason (a signal, a stray wake-up). False: the time has come. */
bool os_futex_sleep(_Atomic(uint64_t) *cell, uint32_t seen, const struct timespec *until);

/* The same as a cancellation point of the thread. libc has no function that is one and sleeps on a
 * futex. */
bool os_futex_sleep_cancellably(_Atomic(uint64_t) *cell, uint32_t seen,
                                const struct timespec *until);

/* Wakes one that sleeps there. */
void os_futex_wake(_Atomic(uint64_t) *cell);

#endif
