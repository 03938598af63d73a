/* Brute force (brute.h) for enabling and what is built on it. */
#ifndef BERTH_TESTS_BRUTE_ENABLING_H
#define BERTH_TESTS_BRUTE_ENABLING_H

#include "brute.h"

void brute_enable(struct brute *brute, bool allocation);

/* l-full: |CEn| = min(l - |C|, |T|), always. */
bool brute_l_full(const struct brute *brute);

/* i waits for enabling: in T and not critical-enabled, or in E and not remainder-enabled. In own
 * steps, nobody waits in E. */
bool brute_unenabled(const struct brute *brute, unsigned u, unsigned i);

/* C3 and C3': under a k-admissible schedule nobody waits (for enabling) for ever while another goes
 * from its remainder to its critical region again and again. */
bool brute_finite_waiting(const struct brute *brute,
                          bool (*waits)(const struct brute *brute, unsigned u, unsigned i));

/*
 * C2 of Fischer et al.: no k-admissible infinite schedule without a change of region, along which
 * the allocations stay the same, and |T| > C-allocation with C-allocation + |C| < l, or |E| >
 * R-allocation. `*constant` becomes false where the allocation is not the same all around a cycle,
 * which the checker takes for granted.
 */
bool brute_kl_deadlock_free(const struct brute *brute, bool *constant);

/* i is past its doorway and not enabled. */
bool brute_held_up(const struct brute *brute, unsigned u, unsigned i);

/* First in, first enabled: while i is held up, no process that has been in its remainder since is
 * critical; nor, in the strong form, enabled in its waiting room. */
bool brute_first_enabled(const struct brute *brute, bool strong);

/* The most own steps from where a process waits past its doorway and is enabled (in own steps) to
 * its critical region. */
unsigned brute_steps_when_enabled(const struct brute *brute);

#endif
