/*
 * The lower bounds of J. E. Burns, P. Jackson, N. A. Lynch, M. J. Fischer, G. L. Peterson 1982,
 * section 4: how many values one variable has at least, by which N processes exclude each other. A
 * single process excludes nobody, and needs one value.
 */
#ifndef BERTH_PROTOCOL_BURNS_LOWER_H
#define BERTH_PROTOCOL_BURNS_LOWER_H

#include <stdint.h>


/* Theorem 4.4: without deadlock. */
static inline uint64_t lower_deadlock_free(uint64_t n)
{
    return n < 2 ? 1 : 2;
}

/* Theorem 4.9: without deadlock, and with bounded waiting. */
static inline uint64_t lower_bounded_waiting(uint64_t n)
{
    return n < 2 ? 1 : n + 1;
}

/* Theorem 4.10: without lockout. The printed bound is sqrt(2N) + 1/2; the induction gives the
 * largest v with v (v - 1) / 2 <= N + 1 (docs/REFUTE.md), which is Corollary 4.8 for two processes.
 */
static inline uint64_t lower_lockout_free(uint64_t n)
{
    uint64_t v = 2;
    while ((v + 1) * v / 2 <= n + 1)
        v++;
    return n < 2 ? 1 : v;
}

/* That, and Theorem 4.12: without lockout, and without memory. */
static inline uint64_t lower_memoryless(uint64_t n)
{
    const uint64_t with_memory = lower_lockout_free(n), half = (n + 1) / 2;
    return half > with_memory ? half : with_memory;
}

#endif
