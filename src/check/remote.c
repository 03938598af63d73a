/*
 * Remote references (which they are, the model says): the most that one process makes on its way
 * from its remainder back to it, over all runs. As in waiting.c, by dynamic programming over the
 * components of the states in which the process is on its way; it is unbounded if a cycle has one.
 */
#include "check/decide.h"
#include "check/hunt.h"

#include <stdio.h>

struct pass {
    const struct check_graph *graph;
    struct check_view view;
    unsigned i;
    uint32_t *best; /* from here on; by component, in the order of delivery */
    uint64_t bound;
    bool unbounded;
};

static enum check_region region_of(const struct pass *pass, uint32_t id)
{
    return check_graph_region(pass->graph, id, pass->i);
}

static bool is_step_of(const struct pass *pass, unsigned edge)
{
    const struct check_model *model = pass->graph->model;
    return edge % model->n == pass->i && check_step_edges(model) >> edge & 1;
}

static unsigned weight(const struct pass *pass, uint32_t from, unsigned edge)
{
    const struct check_model *model = pass->graph->model;
    return is_step_of(pass, edge) && model->remote(model, check_graph_key(pass->graph, from), edge);
}

static bool counts_for_ever(const void *context, const struct check_component *component)
{
    const struct pass *pass = context;
    for (uint32_t m = 0; m < component->count; m++) {
        const uint32_t from = component->member[m];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(pass->graph, from, buffer);
        for (unsigned e = pass->i; e < pass->graph->edges; e += pass->graph->model->n) {
            if (check_inner(component, row[e]) && weight(pass, from, e) > 0)
                return true;
        }
    }
    return false;
}

static bool deliver(void *context, const struct check_component *component)
{
    struct pass *pass = context;
    const struct check_graph *graph = pass->graph;
    uint32_t best = 0;
    if (counts_for_ever(pass, component)) {
        pass->unbounded = true;
        return false;
    }
    for (uint32_t m = 0; m < component->count; m++) {
        const uint32_t from = component->member[m];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, from, buffer);
        for (unsigned e = 0; e < graph->edges; e++) {
            const uint32_t to = row[e];
            if (to == CHECK_NONE || check_inner(component, to))
                continue;
            uint32_t count = weight(pass, from, e); /* also of the step that ends the passage */
            if (check_bits_has(&pass->view.inside, to))
                count += pass->best[check_component_index(component->number_of[to])];
            best = count > best ? count : best;
        }
    }
    pass->best[check_component_index(component->number)] = best;
    pass->bound = best > pass->bound ? best : pass->bound;
    return true;
}

/* The step out of the remainder is the first of the passage: what it adds, over all states. The
 * components are not kept, so that a second look is taken with the best of each state's. */
struct first_steps {
    struct pass *pass;
    uint32_t *of_state; /* best by state */
};

static bool deliver_and_keep(void *context, const struct check_component *component)
{
    struct first_steps *first = context;
    if (!deliver(first->pass, component))
        return false;
    for (uint32_t m = 0; m < component->count; m++)
        first->of_state[component->member[m]] =
            first->pass->best[check_component_index(component->number)];
    return true;
}

static void add_first_steps(struct first_steps *first)
{
    struct pass *pass = first->pass;
    const struct check_graph *graph = pass->graph;
    for (uint32_t id = 0; id < graph->count; id++) {
        if (region_of(pass, id) != CHECK_REMAINDER)
            continue;
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, id, buffer);
        for (unsigned e = pass->i; e < graph->edges; e += graph->model->n) {
            if (row[e] == CHECK_NONE)
                continue;
            uint64_t count = weight(pass, id, e);
            if (check_bits_has(&pass->view.inside, row[e]))
                count += first->of_state[row[e]];
            pass->bound = count > pass->bound ? count : pass->bound;
        }
    }
}

static bool is_on_its_way(const void *context, uint32_t id)
{
    const enum check_region region = region_of(context, id);
    return region != CHECK_REMAINDER && region != CHECK_DEAD;
}

static bool is_on_its_way_or_dead(const void *context, uint32_t id)
{
    return region_of(context, id) != CHECK_REMAINDER;
}

/* The states in which i is on its way. False: no memory. */
static bool open_view(struct pass *pass, bool super)
{
    pass->view = (struct check_view){.graph = pass->graph, .edges = ~UINT64_C(0)};
    return check_view_open(&pass->view, super ? is_on_its_way_or_dead : is_on_its_way, pass);
}

/* Computes the bound for process i. The caller closes pass->view.inside. False: no memory. */
static bool run_pass(struct pass *pass, bool super)
{
    const struct check_graph *graph = pass->graph;
    const size_t bytes = (size_t)graph->count * sizeof(uint32_t);
    if (!open_view(pass, super))
        return false;
    struct first_steps first = {pass, check_map(graph->budget, bytes)};
    pass->best = check_map(graph->budget, bytes);
    const bool memory = pass->best != NULL && first.of_state != NULL &&
                        check_components(&pass->view, deliver_and_keep, &first);
    if (memory && !pass->unbounded)
        add_first_steps(&first);
    check_unmap(graph->budget, pass->best, bytes);
    check_unmap(graph->budget, first.of_state, bytes);
    return memory;
}

/* ---- witnesses ---- */

struct watch {
    const struct pass *pass;
    uint64_t target;
};

/* The observer's state: 0 in the remainder, else 1 + the count. */
static uint32_t next_watch(const void *context, uint32_t now, uint32_t from, unsigned edge,
                           uint32_t to)
{
    const struct watch *watch = context;
    const struct pass *pass = watch->pass;
    const uint64_t count = (now == 0 ? 0 : now - 1) + weight(pass, from, edge);
    if (count > watch->target)
        return CHECK_ACCEPT;
    return check_bits_has(&pass->view.inside, to) ? 1 + (uint32_t)count : 0;
}

static void witness_over(const struct pass *pass, uint64_t target, struct check_result *result)
{
    const struct watch watch = {pass, target};
    struct check_observer observer = {
        .states = (uint32_t)target + 2, .next = next_watch, .context = &watch};
    check_witness_search(pass->graph, &observer, &result->witness);
}

static bool counts(const void *context, uint32_t from, unsigned edge)
{
    return weight(context, from, edge) > 0;
}

static void witness_unbounded(const struct pass *pass, struct check_result *result)
{
    const struct check_hunt hunt = {.bad = counts_for_ever,
                                    .context = pass,
                                    .cycle = {.j = CHECK_NONE, .through = counts, .context = pass}};
    check_hunt_in(&pass->view, hunt, &result->witness);
}

struct asked {
    const struct check_graph *graph;
    bool super;
};

static void count_of(const void *context, unsigned i, struct check_most *most)
{
    const struct asked *asked = context;
    struct pass pass = {.graph = asked->graph, .i = i};
    most->memory = run_pass(&pass, asked->super);
    most->unbounded = pass.unbounded;
    most->bound = pass.bound;
    check_bits_close(&pass.view.inside);
}

void check_decide_remote(const struct check_graph *graph, bool super, struct check_result *result)
{
    const struct asked asked = {graph, super};
    const struct check_most most = check_most(graph, check_first_only(graph, 1), count_of, &asked);
    if (!check_most_concludes(&most, result))
        return;
    struct pass pass = {.graph = graph, .i = most.i};
    const bool memory = open_view(&pass, super);
    if (memory && most.unbounded)
        witness_unbounded(&pass, result);
    else if (memory)
        witness_over(&pass, result->query.bound, result);
    check_bits_close(&pass.view.inside);
    snprintf(result->about, sizeof result->about, "process %u makes %s on one %spassage", most.i,
             most.unbounded ? "remote references without bound"
                            : "more remote references than claimed",
             super ? "super-" : "");
}
