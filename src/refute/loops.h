/*
 * Burns et al., Lemma 4.11 and its proof in the appendix, which is an algorithm: in a digraph whose
 * edges have labels, with an edge of every label from every vertex, and at least twice as many
 * labels as vertices, there is a loop trail from every vertex, with the labels of its two parts
 * kept apart.
 *
 * A highway is a path with no label twice. A loop trail from x is a pair of highways: the first
 * begins at x, the second is a loop of at least one edge, and passes only vertices that the first
 * one passes.
 */
#ifndef BERTH_REFUTE_LOOPS_H
#define BERTH_REFUTE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

enum { LOOPS_LABELS = 16, LOOPS_VERTICES = LOOPS_LABELS };

struct loops_edge {
    unsigned from, to, label;
    bool dummy;
    size_t steps, period; /* for the caller to use */
};

struct loops_graph {
    unsigned vertices, labels;
    struct loops_edge *edge;
    size_t edges, room;
};

/* No label twice, so it is short. */
struct loops_highway {
    unsigned begin; /* vertex */
    size_t edge[LOOPS_LABELS];
    unsigned length;
};

struct loops_trail {
    struct loops_highway way, loop;
};

/* A trail for each vertex. False: a stage halts with an error, at vertex *stuck. */
bool loops_find(const struct loops_graph *graph, struct loops_trail *trail, unsigned *stuck);

bool loops_add(struct loops_graph *graph, struct loops_edge edge); /* false: no memory */
void loops_free(struct loops_graph *graph);

#endif
