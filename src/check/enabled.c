/*
 * Who is enabled: nothing that any other process does can keep it out any more. There are two forms
 * of it; the model says which one is meant.
 *
 * The next step (Fischer, Lynch, Burns, Borodin 1979): process i is critical-able in a state if its
 * next step enters the critical region, and critical-enabled if it stays so whatever the others do;
 * remainder-enabled the same with the step that ends its exit region.
 *
 * Own steps (Afek, Dolev, Gafni, Merritt, Shavit 1994): i is critical-enabled if it is trying and
 * enters its critical region after finitely many steps of its own, whatever the others do.
 *
 * In both, i is not killed, and its choices do not count against it: that i may give up is no reason
 * to say that the others keep it out.
 */
#include "check/decide.h"
#include "check/scc.h"

#include "check/symmetry.h"

/* Processes whose bits are kept: all, or in the quotient the named ones. */
static unsigned kept(const struct check_graph *graph)
{
    return graph->reduced ? CHECK_NAMED : check_workers(graph->model);
}

/* ---- the next step: greatest fixed points ---- */

/* The processes whose next step leads into region `goal`: the able ones. */
static void fill_able(const struct check_graph *graph, uint16_t *set, enum check_region goal)
{
    const struct check_model *model = graph->model;
    for (uint32_t id = 0; id < graph->count; id++) {
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, id, buffer);
        const uint64_t *key = check_graph_key(graph, id);
        unsigned able = 0;
        for (unsigned i = 0; i < kept(graph); i++) {
            if (row[i] == CHECK_NONE)
                continue;
            enum check_region now = check_region_of(model, key, i);
            enum check_region then = check_region_of(model, check_graph_key(graph, row[i]), i);
            bool from = goal == CHECK_CRITICAL ? now == CHECK_REMAINDER || check_trying(now)
                                               : now == CHECK_EXIT;
            able |= (unsigned)(from && then == goal) << i;
        }
        set[id] = (uint16_t)able;
    }
}

/* Takes away i wherever a step of another leads to where i has been taken away, until none does. */
static void close_under_others(const struct check_graph *graph, uint16_t *set)
{
    const unsigned n = graph->model->n;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t id = 0; id < graph->count; id++) {
            unsigned stays = set[id];
            if (stays == 0)
                continue;
            uint32_t buffer[CHECK_MAX_EDGES];
            const uint32_t *row = check_graph_row(graph, id, buffer);
            for (unsigned e = 0; e < graph->edges && stays != 0; e++) {
                if (row[e] != CHECK_NONE)
                    stays &= set[row[e]] | 1U << e % n; /* i's own moves do not count */
            }
            changed |= stays != set[id];
            set[id] = (uint16_t)stays;
        }
    }
}

/* ---- own steps: components ---- */

/*
 * Of the states in which i is trying, those are bad from which i can be made to take steps for ever:
 * there is a cycle with a step of i (a busy wait is one); or from which a step of i leads out of the
 * trying region elsewhere than into the critical one. From where a bad state can be reached i is not
 * enabled, and from anywhere else it is. Components are delivered when all that they lead to has
 * been, so one pass settles it.
 */
struct own {
    struct check_view view; /* i is trying; neither its fault nor its choices */
    unsigned i;
    uint16_t *enabled;
};

static enum check_region region_of(const struct own *own, uint32_t id)
{
    const struct check_graph *graph = own->view.graph;
    return check_region_of(graph->model, check_graph_key(graph, id), own->i);
}

static bool can_be_kept_out(const struct own *own, const struct check_component *component,
                            uint32_t id)
{
    const struct check_graph *graph = own->view.graph;
    uint32_t buffer[CHECK_MAX_EDGES];
    const uint32_t *row = check_graph_row(graph, id, buffer);
    for (unsigned e = 0; e < graph->edges; e++) {
        const uint32_t to = row[e];
        if (to == CHECK_NONE || (own->view.edges >> e & 1) == 0)
            continue;
        const bool inside = check_bits_has(&own->view.inside, to);
        if (inside && !check_inner(component, to)) {
            if ((own->enabled[to] >> own->i & 1) == 0)
                return true;
        } else if (e == own->i && (inside || region_of(own, to) != CHECK_CRITICAL)) {
            return true;
        }
    }
    return false;
}

static bool settle(void *context, const struct check_component *component)
{
    const struct own *own = context;
    for (uint32_t m = 0; m < component->count; m++) {
        if (can_be_kept_out(own, component, component->member[m]))
            return true;
    }
    for (uint32_t m = 0; m < component->count; m++)
        own->enabled[component->member[m]] |= (uint16_t)(1U << own->i);
    return true;
}

/* False: no memory. */
static bool fill_own_steps(const struct check_graph *graph, uint16_t *enabled)
{
    bool memory = true;
    for (unsigned i = 0; memory && i < kept(graph); i++) {
        const uint64_t step = UINT64_C(1) << i;
        uint64_t moves = 0;
        for (unsigned e = i; e < graph->edges; e += graph->model->n)
            moves |= UINT64_C(1) << e;
        struct own own = {
            .view = {.graph = graph, .edges = ~moves | step}, .i = i, .enabled = enabled};
        memory = check_bits_open(&own.view.inside, graph->budget, graph->count);
        for (uint32_t id = 0; memory && id < graph->count; id++) {
            if (check_trying(region_of(&own, id)))
                check_bits_add(&own.view.inside, id);
        }
        memory = memory && check_components(&own.view, settle, &own);
        check_bits_close(&own.view.inside);
    }
    return memory;
}

/* ---- both ---- */

bool check_enabled_open(struct check_enabled *enabled, const struct check_graph *graph)
{
    *enabled = (struct check_enabled){.bytes = (size_t)graph->count * sizeof(uint16_t),
                                      .budget = graph->budget};
    const bool own_steps = graph->model->own_steps;
    enabled->critical = check_map(graph->budget, enabled->bytes);
    bool memory = enabled->critical != NULL;
    if (memory && own_steps) {
        memory = fill_own_steps(graph, enabled->critical);
    } else if (memory) {
        fill_able(graph, enabled->critical, CHECK_CRITICAL);
        close_under_others(graph, enabled->critical);
        enabled->remainder = check_map(graph->budget, enabled->bytes);
        memory = enabled->remainder != NULL;
    }
    if (memory && !own_steps) {
        fill_able(graph, enabled->remainder, CHECK_REMAINDER);
        close_under_others(graph, enabled->remainder);
    }
    if (!memory)
        check_enabled_close(enabled);
    return memory;
}

void check_enabled_close(struct check_enabled *enabled)
{
    check_unmap(enabled->budget, enabled->critical, enabled->bytes);
    check_unmap(enabled->budget, enabled->remainder, enabled->bytes);
    enabled->critical = enabled->remainder = NULL;
}

/* In the quotient, another process's place is exchanged with that of process 0: processes are alike,
 * so the state with the two exchanged is reachable too. */
bool check_is_enabled(const struct check_graph *graph, const uint16_t *set, uint32_t id, unsigned p)
{
    if (p < kept(graph))
        return set[id] >> p & 1;
    uint64_t state[CHECK_MAX_WORDS];
    const uint64_t *key = check_graph_key(graph, id);
    for (unsigned w = 0; w < graph->model->words; w++)
        state[w] = key[w];
    check_swap_processes(graph->model, state, 0, p);
    check_canonical(graph->model, state);
    return set[check_graph_find(graph, state)] & 1;
}
