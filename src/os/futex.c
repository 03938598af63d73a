#include "os/futex.h"

#include <errno.h>
#include <linux/futex.h>
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

bool os_futex_sleep(_Atomic(uint64_t) *cell, uint32_t seen, const struct timespec *until)
{
    const int saved = errno;
    const long result = syscall(SYS_futex, low_half(cell), FUTEX_WAIT_BITSET, seen, until, NULL,
                                FUTEX_BITSET_MATCH_ANY);
    const bool in_time = result == 0 || errno != ETIMEDOUT;
    errno = saved;
    return in_time;
}

void os_futex_wake(_Atomic(uint64_t) *cell)
{
    const int saved = errno;
    syscall(SYS_futex, low_half(cell), FUTEX_WAKE, 1, NULL, NULL, 0);
    errno = saved;
}
