/*
 * Strongly connected components of a part of the graph, delivered in reverse topological order:
 * when a component is delivered, all that its edges lead to has been delivered before.
 */
#ifndef BERTH_CHECK_SCC_H
#define BERTH_CHECK_SCC_H

#include "check/bitset.h"
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
    const uint32_t *number_of; /* component of each state inside, by state */
};

/* Components are numbered downwards from here; counted from 0 in the order of delivery. */
#define CHECK_FIRST_COMPONENT (UINT32_MAX - 1)

static inline uint32_t check_component_index(uint32_t number)
{
    return CHECK_FIRST_COMPONENT - number;
}

/* Opens view->inside and puts the states into it of which `is_in` is true, on all threads. False:
 * no memory. */
bool check_view_open(struct check_view *view, bool (*is_in)(const void *context, uint32_t id),
                     const void *context);

/* All components of a part, found once, to be looked at any number of times. */
struct check_condensed {
    const struct check_view *view;
    uint32_t *number_of; /* by state */
    uint32_t *member;    /* component after component, in the order of delivery */
    uint32_t states;     /* inside the view: this many members */
    size_t number_bytes, member_bytes;
};

bool check_condense(struct check_condensed *condensed, const struct check_view *view);
void check_condensed_close(struct check_condensed *condensed);

/* Calls `deliver` for each component until it returns false. */
void check_deliver(const struct check_condensed *condensed,
                   bool (*deliver)(void *context, const struct check_component *component),
                   void *context);

/* The same in any order, on all threads. */
void check_deliver_any(const struct check_condensed *condensed,
                       void (*deliver)(void *context, const struct check_component *component),
                       void *context);

/* The component of a state. */
struct check_component check_component_of(const struct check_condensed *condensed, uint32_t id);

/* All three at once, for callers that look once. False: no memory. */
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
