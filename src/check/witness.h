/*
 * Witnesses: schedules that show a property failing. A witness is a list of edges from the initial
 * state; for a liveness property the part from `stem` on is a cycle that may be repeated for ever.
 */
#ifndef BERTH_CHECK_WITNESS_H
#define BERTH_CHECK_WITNESS_H

#include "check/scc.h"

struct check_witness {
    uint8_t *edge; /* NULL: none */
    size_t length;
    size_t stem; /* == length: no cycle */
};

void check_witness_free(struct check_witness *witness);
/* The run without steps: the initial state shows it. */
void check_witness_empty(struct check_witness *witness);

/* Observes a run step by step. Its states are 0 .. states - 1; it is deterministic, and is asked by
 * several threads at once. */
#define CHECK_ACCEPT UINT32_MAX       /* the run shows what was sought */
#define CHECK_REJECT (UINT32_MAX - 1) /* do not go there */
struct check_observer {
    uint32_t states;
    uint32_t start; /* its state at the beginning of the run */
    uint32_t (*next)(const void *context, uint32_t now, uint32_t from, unsigned edge, uint32_t to);
    const void *context;
};

/* What came of a search. Without memory it is not known whether there is such a run. */
enum check_searched { CHECK_NO_SUCH_RUN, CHECK_RUN_FOUND, CHECK_SEARCH_NO_MEMORY };

/* The shortest run from `from` that the observer accepts, appended to `run` as edges of the graph;
 * *end is the state it ends in. */
struct check_run_list {
    uint8_t *edge;
    size_t length, room;
};
enum check_searched check_search(const struct check_graph *graph, uint32_t from, uint64_t edges,
                                 const struct check_observer *observer, struct check_run_list *run,
                                 uint32_t *end);
void check_run_free(struct check_run_list *run);

/* The shortest accepted run from the initial state, as a witness. */
enum check_searched check_witness_search(const struct check_graph *graph,
                                         const struct check_observer *observer,
                                         struct check_witness *witness);

/* The same; *last is the step that it ends with, if there is such a run. */
struct check_step {
    uint32_t from, to;
};
enum check_searched check_witness_search_to(const struct check_graph *graph,
                                            const struct check_observer *observer,
                                            struct check_witness *witness, struct check_step *last);

/* What a cycle has to show. */
struct check_cycle {
    bool fair;       /* it goes along an edge of every process that has one in the component */
    uint64_t movers; /* and along one of each of these */
    uint32_t j;      /* and through states in which this one is in its remainder and in its critical
                   region, if it is not CHECK_NONE */
    /* And along an edge of which this is true, if it is not NULL. */
    bool (*through)(const void *context, uint32_t from, unsigned edge);
    const void *context;
    /* What the way into the component has to show as well, if it is not NULL; *into is set to the
     * component then. */
    const struct check_observer *stem;
    const struct check_component **into;
};

/* A run into the component, and such a cycle in it. False: no memory for it. */
bool check_witness_lasso(const struct check_component *component, const struct check_cycle *cycle,
                         struct check_witness *witness);

#endif
