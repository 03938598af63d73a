/*
 * Strongly connected components of a part of the graph, delivered in reverse topological order: when
 * a component is delivered, all that its edges lead to has been delivered before.
 */
#ifndef BERTH_CHECK_SCC_H
#define BERTH_CHECK_SCC_H

#include "check/bits.h"
#include "check/graph.h"

/* A part of the graph: the states in `inside`, the edges in the set `edges`, or of these only the
 * ones along which the process that moves stays in its region. */
struct check_view {
    const struct check_graph *graph;
    struct check_bits inside;
    uint64_t edges;
    bool keeps_regions;
};

struct check_component {
    const struct check_view *view;
    const uint32_t *member;
    uint32_t count;
    uint32_t number;           /* of this component */
    const uint32_t *number_of; /* component of each state delivered so far, by state */
};

/* Components counted from 0 in the order of delivery. */
static inline uint32_t check_component_index(uint32_t number)
{
    return UINT32_MAX - 1 - number;
}

/* Calls `deliver` for each component until it returns false. False: no memory. */
bool check_components(const struct check_view *view,
                      bool (*deliver)(void *context, const struct check_component *component),
                      void *context);

/* Regions of process j that the states of the component show. */
struct check_shown {
    bool remainder, critical;
};
struct check_shown check_component_shows(const struct check_component *component, unsigned j);

/* Whether an edge into `id` from a member of the component stays in it. */
static inline bool check_inner(const struct check_component *component, uint32_t id)
{
    return id != CHECK_NONE && check_bits_has(&component->view->inside, id) &&
           component->number_of[id] == component->number;
}

#endif
