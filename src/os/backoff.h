/* Waiting for a shared word to change: spin briefly, then yield, then sleep on a futex. */
#ifndef BERTH_OS_BACKOFF_H
#define BERTH_OS_BACKOFF_H

#include <stdatomic.h>
#include <stdint.h>

enum { OS_SPINS = 64 };

static inline void os_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void os_yield(void);

/* One round of waiting for nothing in particular; *round counts them, from 0. */
static inline void os_relax_again(unsigned *round)
{
    if (*round < OS_SPINS) {
        ++*round;
        os_relax();
    } else {
        os_yield();
    }
}

void os_wait_slowly(_Atomic(uint64_t) *cell, uint64_t seen, unsigned round);

/* One round of waiting; *round counts them, from 0. Returns when `cell` may have changed from
 * `seen`, or after a fraction of a millisecond: waiters do not rely on being woken. */
static inline void os_wait(_Atomic(uint64_t) *cell, uint64_t seen, unsigned *round)
{
    if (++*round <= OS_SPINS)
        os_relax();
    else
        os_wait_slowly(cell, seen, *round - OS_SPINS);
}

#endif
