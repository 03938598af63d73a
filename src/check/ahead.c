/*
 * Checks on the graph which processes a waiting process still waits for, as the model says
 * (check_model.ahead): while process i waits past its doorway, the set does not grow; and i is
 * enabled if and only if it has fewer than l members.
 */
#include "check/decide.h"

#include <stdio.h>

struct belief {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
    unsigned i;
};

static bool waits(const struct belief *belief, uint32_t id)
{
    const struct check_graph *graph = belief->graph;
    return check_graph_region(graph, id, belief->i) == CHECK_WAITING;
}

static uint64_t ahead(const struct belief *belief, uint32_t id)
{
    const struct check_model *model = belief->graph->model;
    return model->ahead(model, check_graph_key(belief->graph, id), belief->i);
}

/* i waits, and is enabled although the model says that it is not, or the other way round. */
static bool misjudged(const struct belief *belief, uint32_t id)
{
    if (!waits(belief, id))
        return false;
    const bool few = (unsigned)__builtin_popcountll(ahead(belief, id)) < belief->graph->model->l;
    return few != check_is_enabled(belief->graph, belief->enabled->critical, id, belief->i);
}

static bool grows(const struct belief *belief, uint32_t from, uint32_t to)
{
    return waits(belief, from) && waits(belief, to) &&
           (ahead(belief, to) & ~ahead(belief, from)) != 0;
}

static uint32_t next_wrong(const void *context, uint32_t now, uint32_t from, unsigned edge,
                           uint32_t to)
{
    (void)now, (void)edge;
    return misjudged(context, to) || grows(context, from, to) ? CHECK_ACCEPT : 0;
}

static bool is_wrong(const void *context, uint32_t id)
{
    return misjudged(context, id);
}

static bool leads_to_more(const void *context, uint32_t id)
{
    const struct belief *belief = context;
    uint32_t buffer[CHECK_MAX_EDGES];
    if (!waits(belief, id))
        return false;
    const uint32_t *row = check_graph_row(belief->graph, id, buffer);
    for (unsigned e = 0; e < belief->graph->edges; e++) {
        if (row[e] != CHECK_NONE && grows(belief, id, row[e]))
            return true;
    }
    return false;
}

void check_decide_ahead(const struct check_graph *graph, const struct check_enabled *enabled,
                        struct check_result *result)
{
    result->answer = CHECK_HOLDS;
    for (unsigned i = 0; i < check_first_only(graph, 1); i++) {
        const struct belief belief = {graph, enabled, i};
        const bool growing = check_any_state(graph, leads_to_more, &belief);
        if (!growing && !check_any_state(graph, is_wrong, &belief))
            continue;
        struct check_observer observer = {1, 0, next_wrong, &belief};
        check_witness_search(graph, &observer, &result->witness);
        result->answer = CHECK_FAILS;
        snprintf(result->about, sizeof result->about,
                 growing ? "the set of those that process %u waits for grows"
                         : "process %u is enabled, and waits for l others; or the reverse",
                 i);
        return;
    }
}
