/*
 * Graphs that are kept folded: of all states that differ by an exchange of processes, one is kept
 * (model->expand_exchanging), and of each of its edges, which processes are exchanged along it.
 *
 * Properties of single processes are decided on the unfolded graph: its states are pairs of a state
 * that is kept and a permutation, which says where each process is in it. No more is stored for
 * that; edges and regions are worked out from those that are kept. A state that some exchanges do
 * not change is there several times, with the same future. So every answer is that of the graph in
 * which nothing was exchanged. And since each state is there with its processes in any order, it is
 * enough to ask of process 0, or of the pair (0, 1).
 *
 * A way through the unfolded graph is one of the model that exchanges nothing (model->named), from
 * its initial state on: its edges name the processes that move. So witnesses are found here, and
 * replayed there.
 */
#ifndef BERTH_CHECK_FOLDED_H
#define BERTH_CHECK_FOLDED_H

#include <stdint.h>

enum {
    CHECK_FOLDED_PROCESSES = 5, /* at most: a permutation has a number of 8 bits */
    CHECK_MAX_FOLDS = 120,
};

/* Permutations of n processes by number; 0 is the identity. */
struct check_folding {
    unsigned n, folds; /* n, and how many permutations there are */
    uint8_t place[CHECK_MAX_FOLDS][CHECK_FOLDED_PROCESSES]; /* of process p */
    uint8_t after[CHECK_MAX_FOLDS][CHECK_MAX_FOLDS];        /* after[a][b]: first b, then a */
    uint8_t swap[CHECK_FOLDED_PROCESSES];                   /* of processes 0 and p */
};

void check_folding_make(struct check_folding *folding, unsigned n);

/* The number of the permutation that takes p to to[p]. */
uint8_t check_folding_number(const struct check_folding *folding, const uint8_t *to);

#endif
