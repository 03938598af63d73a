/*
 * Which processes are enabled: no other process can keep an enabled process out any more. There are
 * two definitions; the model says which one is meant.
 *
 * The next step (Fischer, Lynch, Burns, Borodin 1979): process i is critical-able in a state if its
 * next step enters the critical region, and critical-enabled if it stays so whatever the others do;
 * remainder-enabled the same with the step that ends its exit region.
 *
 * Own steps (Afek, Dolev, Gafni, Merritt, Shavit 1994): i is critical-enabled if it is trying and
 * enters its critical region after finitely many steps of its own, whatever the others do.
 *
 * In both, i is not killed, and its choices do not count against it: that i may give up is no
 * reason to say that the others keep it out.
 */
#include "check/decide.h"
#include "check/parallel.h"
#include "check/scc.h"
#include "check/symmetry.h"

#include <string.h>

/* Processes whose bits are kept: all, or in the quotient the named ones, or in a graph unfolded the
 * first. */
static unsigned kept(const struct check_graph *graph)
{
    return graph->folds > 1 ? 1 : graph->reduced ? CHECK_NAMED : check_workers(graph->model);
}

/* ---- the next step: greatest fixed points ---- */

struct fixed {
    const struct check_graph *graph;
    uint16_t *set;
    enum check_region goal;
    _Atomic(bool) changed;
};

/* The processes whose next step leads into the goal: the able ones. */
static void fill_able(void *context, uint64_t first, uint64_t last)
{
    const struct fixed *fixed = context;
    const struct check_graph *graph = fixed->graph;
    for (uint64_t id = first; id < last; id++) {
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, (uint32_t)id, buffer);
        unsigned able = 0;
        for (unsigned i = 0; i < kept(graph); i++) {
            if (row[i] == CHECK_NONE)
                continue;
            enum check_region now = check_graph_region(graph, (uint32_t)id, i);
            enum check_region then = check_graph_region(graph, row[i], i);
            bool from = fixed->goal == CHECK_CRITICAL ? now == CHECK_REMAINDER || check_trying(now)
                                                      : now == CHECK_EXIT;
            able |= (unsigned)(from && then == fixed->goal) << i;
        }
        fixed->set[id] = (uint16_t)able;
    }
}

/* Takes away i wherever a step of another leads to where i has been taken away. Others may be at
 * work on other states: sets only get smaller, and what they end up as is the same in any order. */
static void take_away(void *context, uint64_t first, uint64_t last)
{
    struct fixed *fixed = context;
    const struct check_graph *graph = fixed->graph;
    const unsigned n = graph->model->n;
    bool changed = false;
    for (uint64_t id = first; id < last; id++) {
        const unsigned had = fixed->set[id];
        unsigned stays = had;
        if (stays == 0)
            continue;
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, (uint32_t)id, buffer);
        for (unsigned e = 0; e < graph->edges && stays != 0; e++) {
            if (row[e] != CHECK_NONE) /* i's own moves do not count */
                stays &= __atomic_load_n(&fixed->set[row[e]], __ATOMIC_RELAXED) | 1U << e % n;
        }
        if (stays == had)
            continue;
        changed = true;
        __atomic_store_n(&fixed->set[id], (uint16_t)stays, __ATOMIC_RELAXED);
    }
    if (changed)
        atomic_store(&fixed->changed, true);
}

static void fill_next_step(const struct check_graph *graph, uint16_t *set, enum check_region goal)
{
    struct fixed fixed = {.graph = graph, .set = set, .goal = goal};
    check_parallel_blocks(graph->threads, graph->count, false, fill_able, &fixed);
    do {
        atomic_store(&fixed.changed, false);
        check_parallel_blocks(graph->threads, graph->count, false, take_away, &fixed);
    } while (atomic_load(&fixed.changed));
}

/* ---- own steps: components ---- */

/*
 * A state in which i is trying is bad if i can be made to take steps for ever from it, that is if
 * there is a cycle with a step of i (a busy wait is one), or if a step of i leads out of the trying
 * region but not into the critical one. Where a bad state can be reached, i is not enabled;
 * everywhere else it is. Components are delivered when all that they lead to has been, so one pass
 * settles it.
 */
struct own {
    struct check_view view; /* i is trying; neither its fault nor its choices */
    unsigned i;
    uint16_t *enabled;
};

static enum check_region region_of(const struct own *own, uint32_t id)
{
    const struct check_graph *graph = own->view.graph;
    return check_graph_region(graph, id, own->i);
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
            if ((__atomic_load_n(&own->enabled[to], __ATOMIC_RELAXED) >> own->i & 1) == 0)
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
        __atomic_fetch_or(&own->enabled[component->member[m]], (uint16_t)(1U << own->i),
                          __ATOMIC_RELAXED); /* other threads change other bits of it */
    return true;
}

static bool is_trying(const void *context, uint32_t id)
{
    return check_trying(region_of(context, id));
}

struct by_process {
    const struct check_graph *graph;
    uint16_t *enabled;
    _Atomic(bool) no_memory;
};

static void fill_own_steps_of(void *context, uint64_t i)
{
    struct by_process *by_process = context;
    const struct check_graph *graph = by_process->graph;
    uint64_t moves = 0;
    for (unsigned e = (unsigned)i; e < graph->edges; e += graph->model->n)
        moves |= UINT64_C(1) << e;
    struct own own = {.view = {.graph = graph, .edges = ~moves | UINT64_C(1) << i},
                      .i = (unsigned)i,
                      .enabled = by_process->enabled};
    if (!check_view_open(&own.view, is_trying, &own) || !check_components(&own.view, settle, &own))
        atomic_store(&by_process->no_memory, true);
    check_bits_close(&own.view.inside);
}

/* The processes in parallel, or one after the other if there is not enough memory. False: not even
 * for that. */
static bool fill_own_steps(const struct check_graph *graph, uint16_t *enabled)
{
    for (unsigned threads = check_threads_for(graph);; threads = 1) {
        struct by_process by_process = {.graph = graph, .enabled = enabled};
        memset(enabled, 0, (size_t)graph->count * sizeof *enabled);
        check_share(threads, kept(graph), fill_own_steps_of, &by_process);
        if (!atomic_load(&by_process.no_memory) || threads == 1)
            return !atomic_load(&by_process.no_memory);
    }
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
        fill_next_step(graph, enabled->critical, CHECK_CRITICAL);
        enabled->remainder = check_map(graph->budget, enabled->bytes);
        memory = enabled->remainder != NULL;
    }
    if (memory && !own_steps)
        fill_next_step(graph, enabled->remainder, CHECK_REMAINDER);
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

/* In the quotient, another process's place is exchanged with that of process 0: processes are
 * alike, so the state with the two exchanged is reachable too. */
bool check_is_enabled(const struct check_graph *graph, const uint16_t *set, uint32_t id, unsigned p)
{
    if (p < kept(graph))
        return set[id] >> p & 1;
    if (graph->folds > 1)
        return set[check_graph_swapped(graph, id, p)] & 1;
    uint64_t state[CHECK_MAX_WORDS];
    const uint64_t *key = check_graph_key(graph, id);
    for (unsigned w = 0; w < graph->model->words; w++)
        state[w] = key[w];
    check_swap_processes(graph->model, state, 0, p);
    check_canonical(graph->model, state);
    return set[check_graph_find(graph, state)] & 1;
}
