#include "os/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The half of the word that changes most is the one that is slept on. */
static uint32_t *low_half(_Atomic(uint64_t) *cell)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint32_t *)cell;
#else
    return (uint32_t *)cell + 1;
#endif
}

/* FUTEX_WAIT_BITSET waits until a point of CLOCK_MONOTONIC. A 32-bit machine has two such system
 * calls, and its libc may have a time_t that only the newer one understands. */
static long wait_until(uint32_t *word, uint32_t seen, const struct timespec *until)
{
#if defined(SYS_futex_time64) && SYS_futex_time64 != SYS_futex
    const struct {
        int64_t seconds, nanoseconds;
    } wide = {until->tv_sec, until->tv_nsec};
    const long result = syscall(SYS_futex_time64, word, FUTEX_WAIT_BITSET, seen, &wide, NULL,
                                FUTEX_BITSET_MATCH_ANY);
    if (result == 0 || errno != ENOSYS)
        return result;
    const struct {
        long seconds, nanoseconds;
    } narrow = {(long)until->tv_sec, (long)until->tv_nsec};
    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, &narrow, NULL, FUTEX_BITSET_MATCH_ANY);
#else
    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, until, NULL, FUTEX_BITSET_MATCH_ANY);
#endif
}

bool os_futex_sleep(_Atomic(uint64_t) *cell, uint32_t seen, const struct timespec *until)
{
    const int saved = errno;
    const long result = wait_until(low_half(cell), seen, until);
    const bool in_time = result == 0 || errno != ETIMEDOUT;
    errno = saved;
    return in_time;
}

/* Asynchronous cancellation is safe here: only the system call is in between. */
bool os_futex_sleep_cancellably(_Atomic(uint64_t) *cell, uint32_t seen,
                                const struct timespec *until)
{
    int before;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    const bool in_time = os_futex_sleep(cell, seen, until);
    pthread_setcanceltype(before, NULL);
    return in_time;
}

void os_futex_wake(_Atomic(uint64_t) *cell)
{
    const int saved = errno;
    syscall(SYS_futex, low_half(cell), FUTEX_WAKE, 1, NULL, NULL, 0);
    errno = saved;
}
