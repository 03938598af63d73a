/* Fair components: which of them an admissible schedule can stay in for ever. */
#ifndef BERTH_CHECK_FAIR_H
#define BERTH_CHECK_FAIR_H

#include "check/scc.h"

/* Which processes may stop for ever, and where. */
struct check_admissible {
    unsigned failing;   /* this many anywhere */
    bool rest_critical; /* all may stop in the critical region too, not only in the remainder
                         * region */
};

bool check_component_fair(const struct check_component *component,
                          struct check_admissible admissible);

/* A state of the component; NULL where processes have names, and none is asked for. */
static inline const uint64_t *check_component_key(const struct check_component *component)
{
    const struct check_graph *graph = component->view->graph;
    return graph->folds > 1 ? NULL : check_graph_key(graph, component->member[0]);
}

/* The places from which a process moves along an edge inside the component. */
uint64_t check_moving_places(const struct check_component *component);

/* Whether the process at place p of the state `key`, which is or stands for a state of the
 * component, moves inside the component. `moving` is what check_moving_places gave. */
bool check_process_moves(const struct check_component *component, uint64_t moving,
                         const uint64_t *key, unsigned p);

#endif
