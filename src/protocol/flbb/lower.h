/*
 * The lower bounds of section 5, for the protocols that have the properties they are about. With
 * one slot these exclude each other, so that the bounds of Burns et al. 1982 hold too.
 */
#ifndef BERTH_PROTOCOL_FLBB_LOWER_H
#define BERTH_PROTOCOL_FLBB_LOWER_H

#include "protocol/burns/lower.h"

#include <stdint.h>

/* Theorem 5.1: l-exclusion, (1,l)-deadlock freedom and bounded waiting, with null exit regions. And
 * Theorem 5.3, for l <= k: the same with exit regions and bounded waiting for enabling. With one
 * slot, Theorem 4.9 of Burns et al. */
static inline uint64_t lower_l_bounded_waiting(const struct step_params *params)
{
    return params->l == 1 ? lower_bounded_waiting(params->n)
                          : (uint64_t)params->l * (params->n - params->l);
}

/* No bound is known but for one slot: Theorems 4.10 and 4.12 of Burns et al. 0: none. */
static inline uint64_t lower_l_lockout_free(const struct step_params *params)
{
    return params->l == 1 ? lower_memoryless(params->n) : 0;
}

/* Theorem 5.2, for N >= l + 2: l-queuelike. Such a system is (k,l)-deadlock-free for every k and
 * FIFO for enabling, so that Theorem 5.3 is about it too. */
static inline uint64_t lower_queuelike(const struct step_params *params)
{
    const uint64_t m = params->n > params->l ? params->n - params->l - 1 : 0;
    const uint64_t queuelike = m < 2 ? 0 : params->l * (m * (m - 1) / 2);
    const uint64_t bounded = lower_l_bounded_waiting(params);
    return queuelike > bounded ? queuelike : bounded;
}

#endif
