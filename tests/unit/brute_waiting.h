/* Brute force (brute.h) for how often one is overtaken, and for order. */
#ifndef BERTH_TESTS_BRUTE_WAITING_H
#define BERTH_TESTS_BRUTE_WAITING_H

#include "brute_enabling.h"

struct counted {
    bool bounded;
    unsigned bound;
};

enum count_what { CYCLES_OF_J, ENTRIES_OF_J, STEPS_OF_I };

typedef bool brute_waits(const struct brute *brute, unsigned u, unsigned i);

/* The worst over all pairs. */
struct counted brute_worst(const struct brute *brute, brute_waits *waits, enum count_what what);

bool brute_past_doorway(const struct brute *brute, unsigned u, unsigned i);

bool brute_competes(const struct brute *brute, unsigned u, unsigned i);

/*
 * First in, first out: while i waits past its doorway, no process that is in its remainder then
 * becomes critical, at the latest by the step that ends the wait. Waiting in the exit region counts
 * too (C5 of Fischer et al. is 0-bounded waiting).
 */
bool brute_fifo(const struct brute *brute, bool enabling);

/* The most steps of its own that a process takes from its remainder to the end of its doorway. */
struct counted brute_doorway(const struct brute *brute);

/*
 * How often a process can be overtaken on one way through its waiting room. most[u][set]: having
 * arrived at u, with those of `set` seen in their remainder since and not counted after it.
 */
struct counted brute_overtaking(const struct brute *brute);

#endif
