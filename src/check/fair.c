/*
 * A schedule is admissible if a process stops only in its remainder region (or is dead, unless the
 * model says that the dead come back); with k > 1, fewer than k processes may stop in their trying
 * or exit regions, and any in the critical region. A component can be stayed in for ever by an
 * admissible schedule iff every process either moves along some edge inside it, by whichever
 * outcome of a choice, or rests in its remainder throughout, or is one of the few that fail. A
 * supervisor is none of those: it does not stop unless all the workers do, so in an infinite
 * schedule it never does.
 *
 * No subsets of failing processes have to be tried. A process without an inner edge never moves in
 * the component, so it rests in one local state; and if some sub-component works with a set of
 * stopped processes, then the whole component does: a process that moves in the part moves in the
 * whole.
 *
 * In the quotient by symmetry the places of the processes that are not named get exchanged, so the
 * question is asked of local states instead: the processes in local state y never move iff y is
 * occupied in every state of the component and no step from y stays inside. (If one of two
 * processes in the same local state can move inside, so can the other, by symmetry.)
 */
#include "check/fair.h"

#include "check/symmetry.h"

static bool place_moves(const struct check_component *component, const uint32_t *row, unsigned p)
{
    const struct check_graph *graph = component->view->graph;
    for (unsigned e = p; e < graph->edges; e += graph->model->n) {
        if (component->view->edges >> e & 1 && check_inner(component, row[e]))
            return true;
    }
    return false;
}

/* Whether a process in local state `block` moves anywhere in the component (see above). */
static bool local_state_moves(const struct check_component *component, uint64_t block)
{
    const struct check_graph *graph = component->view->graph;
    const struct check_model *model = graph->model;
    for (uint32_t m = 0; m < component->count; m++) {
        const uint64_t *key = check_graph_key(graph, component->member[m]);
        unsigned p = CHECK_NAMED;
        while (p < check_workers(model) && check_get(key, model->block[p]) != block)
            p++;
        if (p == check_workers(model))
            return true; /* the process that was there has gone */
        uint32_t buffer[CHECK_MAX_EDGES];
        if (place_moves(component, check_graph_row(graph, component->member[m], buffer), p))
            return true;
    }
    return false;
}

uint64_t check_moving_places(const struct check_component *component)
{
    const struct check_graph *graph = component->view->graph;
    const unsigned n = graph->model->n;
    const uint64_t everybody = (UINT64_C(1) << n) - 1;
    uint64_t moving = 0;
    for (uint32_t m = 0; m < component->count && moving != everybody; m++) {
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, component->member[m], buffer);
        for (unsigned p = 0; p < n; p++) {
            if ((moving >> p & 1) == 0 && place_moves(component, row, p))
                moving |= UINT64_C(1) << p;
        }
    }
    return moving;
}

bool check_process_moves(const struct check_component *component, uint64_t moving,
                         const uint64_t *key, unsigned p)
{
    const struct check_graph *graph = component->view->graph;
    if (!graph->reduced || p < CHECK_NAMED || p >= check_workers(graph->model))
        return moving >> p & 1;
    return local_state_moves(component, check_get(key, graph->model->block[p]));
}

bool check_component_fair(const struct check_component *component,
                          struct check_admissible admissible)
{
    const struct check_graph *graph = component->view->graph;
    const struct check_model *model = graph->model;
    uint64_t moving = check_moving_places(component);
    if (moving == 0)
        return false; /* not a cycle */
    if (moving >> check_workers(model) != (UINT64_C(1) << model->supervisors) - 1)
        return false;
    const uint32_t member = component->member[0];
    const uint64_t *key = check_component_key(component);
    unsigned stopped = 0;
    for (unsigned p = 0; p < check_workers(model); p++) {
        enum check_region region = check_graph_region(graph, member, p);
        bool may_rest = region == CHECK_REMAINDER || (region == CHECK_DEAD && !model->comes_back) ||
                        (region == CHECK_CRITICAL && admissible.rest_critical);
        stopped += !may_rest && !check_process_moves(component, moving, key, p);
    }
    return stopped <= admissible.failing;
}
