/*
 * The counters for one size, explored: what the rules come to there. Each state of counters stands
 * for the states that differ by an exchange of processes, as many as there are ways to put n
 * processes at their places; so the sums can be compared with those of `berth check`.
 */
#ifndef BERTH_PROVE_UNFOLD_H
#define BERTH_PROVE_UNFOLD_H

#include "prove/system.h"

struct prove_unfolded {
    uint64_t counter_states;
    uint64_t states, transitions; /* of the processes */
    bool complete;                /* false: more than `most` states of counters, or no memory */
    bool crowded;   /* two processes in a role: the counters do not tell what is the case */
    bool ambiguous; /* two rules, or none, for one process */
    int64_t *found; /* the first state in which `sought` holds, by symbol; or NULL. In the pool */
    unsigned depth; /* how many steps lead there */
};

/* `sought`: a condition to look for; or NULL. The system is one that is not marked. */
struct prove_unfolded prove_unfold(struct prove_system *system, unsigned n, unsigned l, unsigned k,
                                   uint64_t most, prove_t sought);

#endif
