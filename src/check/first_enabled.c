/*
 * The order in which processes become enabled, as Afek, Dolev, Gafni, Merritt and Shavit 1994 mean
 * it.
 *
 * First in, first enabled (Definition 2.5): if i is past its doorway and not enabled while j is in
 * its remainder, then j is not critical as long as i stays so. The stronger form (Definition 5.1,
 * with 2.5): nor is j enabled in its waiting room. For each i, the states in which it is held up
 * are labelled with the processes that have been in their remainder since, along some way through
 * such states.
 */
#include "check/decide.h"
#include "check/hunt.h"
#include "check/parallel.h"
#include "check/scc.h"

#include <stdio.h>

struct order {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
    unsigned i, j;
    bool strong; /* to be enabled in the waiting room is to be ahead already */
};

static bool is_held_up(const struct order *order, uint32_t id)
{
    const struct check_graph *graph = order->graph;
    return check_graph_region(graph, id, order->i) == CHECK_WAITING &&
           !check_is_enabled(graph, order->enabled->critical, id, order->i);
}

static bool rests(const struct order *order, uint32_t id, unsigned j)
{
    return check_graph_region(order->graph, id, j) == CHECK_REMAINDER;
}

static bool is_ahead(const struct order *order, uint32_t id, unsigned j)
{
    const struct check_graph *graph = order->graph;
    const enum check_region region = check_graph_region(graph, id, j);
    return region == CHECK_CRITICAL || (order->strong && region == CHECK_WAITING &&
                                        check_is_enabled(graph, order->enabled->critical, id, j));
}

struct labels {
    struct check_bits held_up; /* the states that are labelled */
    struct check_bits fresh;   /* of those, the ones whose successors have not seen their label */
    uint16_t *rested;          /* processes, one bit each */
    size_t bytes;
};

struct spreading {
    const struct check_graph *graph;
    struct labels *labels;
    bool upwards;
    _Atomic(bool) any; /* a label has grown in this sweep */
};

/* A state is no longer fresh before its label is looked at, and a label grows before its state is
 * fresh: so nothing that is added at the same time gets lost. */
static void spread_block(void *context, uint64_t first, uint64_t last)
{
    struct spreading *spreading = context;
    const struct check_graph *graph = spreading->graph;
    struct labels *labels = spreading->labels;
    bool any = false;
    for (uint64_t k = first; k < last; k++) {
        const uint32_t id = (uint32_t)(spreading->upwards ? k : first + last - 1 - k);
        if (!check_bits_seen(&labels->fresh, id))
            continue;
        check_bits_unmark(&labels->fresh, id);
        const uint16_t label = __atomic_load_n(&labels->rested[id], __ATOMIC_SEQ_CST);
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, id, buffer);
        for (unsigned e = 0; e < graph->edges; e++) {
            const uint32_t to = row[e];
            if (to == CHECK_NONE || !check_bits_has(&labels->held_up, to) ||
                (label & ~__atomic_load_n(&labels->rested[to], __ATOMIC_SEQ_CST)) == 0)
                continue;
            __atomic_fetch_or(&labels->rested[to], label, __ATOMIC_SEQ_CST);
            check_bits_mark(&labels->fresh, to);
            any = true;
        }
    }
    if (any)
        atomic_store(&spreading->any, true);
}

/* Hands the labels on until nothing is fresh; a sweep against the order of discovery follows one
 * along it. */
static void spread(const struct check_graph *graph, struct labels *labels)
{
    struct spreading spreading = {.graph = graph, .labels = labels, .upwards = true};
    do {
        atomic_store(&spreading.any, false);
        check_parallel_blocks(graph->threads, graph->count, !spreading.upwards, spread_block,
                              &spreading);
        spreading.upwards = !spreading.upwards;
    } while (atomic_load(&spreading.any));
}

struct finding {
    const struct order *order;
    struct labels *labels;
    unsigned others;
    _Atomic(unsigned) ahead;
};

static void label_block(void *context, uint64_t first, uint64_t last)
{
    const struct finding *finding = context;
    struct labels *labels = finding->labels;
    for (uint64_t k = first; k < last; k++) {
        const uint32_t id = (uint32_t)k;
        if (!is_held_up(finding->order, id))
            continue;
        check_bits_add(&labels->held_up, id);
        for (unsigned j = 0; j < finding->others; j++)
            labels->rested[id] |= (uint16_t)((unsigned)rests(finding->order, id, j) << j);
        if (labels->rested[id] != 0)
            check_bits_add(&labels->fresh, id);
    }
}

static void ahead_block(void *context, uint64_t first, uint64_t last)
{
    struct finding *finding = context;
    unsigned ahead = 0;
    for (uint64_t id = first; id < last; id++) {
        const unsigned rested = finding->labels->rested[id];
        for (unsigned j = 0; rested >> j != 0; j++)
            ahead |= (unsigned)(rested >> j & 1 && is_ahead(finding->order, (uint32_t)id, j)) << j;
    }
    atomic_fetch_or(&finding->ahead, ahead);
}

/* The processes that get ahead of order->i, in *ahead. False: no memory. */
static bool find_ahead(const struct order *order, unsigned *ahead)
{
    const struct check_graph *graph = order->graph;
    struct labels labels = {.bytes = (size_t)graph->count * sizeof(uint16_t)};
    struct finding finding = {
        .order = order, .labels = &labels, .others = check_first_only(graph, 2)};
    bool memory = check_bits_open(&labels.held_up, graph->budget, graph->count) &&
                  check_bits_open(&labels.fresh, graph->budget, graph->count);
    labels.rested = memory ? check_map(graph->budget, labels.bytes) : NULL;
    memory = labels.rested != NULL;
    if (memory) {
        check_parallel_blocks(graph->threads, graph->count, false, label_block, &finding);
        spread(graph, &labels);
        check_parallel_blocks(graph->threads, graph->count, false, ahead_block, &finding);
    }
    *ahead = atomic_load(&finding.ahead);
    check_unmap(graph->budget, labels.rested, labels.bytes);
    check_bits_close(&labels.fresh);
    check_bits_close(&labels.held_up);
    return memory;
}

/* The observer's state: whether j has been in its remainder while i was held up. */
static uint32_t next_in_order(const void *context, uint32_t now, uint32_t from, unsigned edge,
                              uint32_t to)
{
    const struct order *order = context;
    (void)from, (void)edge;
    if (!is_held_up(order, to) || (now == 0 && !rests(order, to, order->j)))
        return 0;
    return is_ahead(order, to, order->j) ? CHECK_ACCEPT : 1;
}

/* All pairs, in any order. */
struct pairs {
    struct order order; /* of any of them */
    _Atomic(bool) no_memory, no_witness;
    unsigned ahead[CHECK_MAX_PROCESSES]; /* of each i */
    struct check_witness witness[CHECK_MAX_PROCESSES][CHECK_MAX_PROCESSES];
};

static void find_ahead_of(void *context, uint64_t i)
{
    struct pairs *pairs = context;
    struct order order = pairs->order;
    order.i = (unsigned)i;
    if (!find_ahead(&order, &pairs->ahead[i]))
        atomic_store(&pairs->no_memory, true);
}

static void find_witness(void *context, uint64_t pair)
{
    struct pairs *pairs = context;
    struct order order = pairs->order;
    order.i = (unsigned)pair / CHECK_MAX_PROCESSES;
    order.j = (unsigned)pair % CHECK_MAX_PROCESSES;
    if ((pairs->ahead[order.i] >> order.j & 1) == 0)
        return;
    struct check_observer observer = {2, 0, next_in_order, &order};
    if (check_witness_search(order.graph, &observer, &pairs->witness[order.i][order.j]) !=
        CHECK_RUN_FOUND)
        atomic_store(&pairs->no_witness, true);
}

/* Tells the first of the pairs with the shortest witness, and frees the others. If one was not
 * found because memory ran out, it is not known which is the shortest. */
static void tell_shortest(struct pairs *pairs, struct check_result *result)
{
    for (unsigned i = 0; i < CHECK_MAX_PROCESSES; i++) {
        for (unsigned j = 0; j < CHECK_MAX_PROCESSES; j++) {
            struct check_witness *witness = &pairs->witness[i][j];
            const bool first = result->answer != CHECK_FAILS;
            if ((pairs->ahead[i] >> j & 1) == 0)
                continue;
            result->answer = CHECK_FAILS;
            if (!first && (witness->edge == NULL || result->witness.length <= witness->length)) {
                check_witness_free(witness);
                continue;
            }
            check_witness_free(&result->witness);
            result->witness = *witness;
            snprintf(result->about, sizeof result->about,
                     "process %u, which is in its remainder while process %u waits, gets ahead of "
                     "it",
                     j, i);
        }
    }
    if (atomic_load(&pairs->no_witness))
        check_witness_free(&result->witness);
}

/* Says yes or no, with the shortest witness over all pairs. False: no memory. */
static bool decide_order(const struct check_graph *graph, const struct check_enabled *enabled,
                         bool strong, struct check_result *result)
{
    struct pairs pairs = {.order = {.graph = graph, .enabled = enabled, .strong = strong}};
    const unsigned processes = check_first_only(graph, 1), threads = check_threads_for(graph);
    check_share(threads, processes, find_ahead_of, &pairs);
    if (atomic_load(&pairs.no_memory))
        return false;
    check_share(threads, (uint64_t)processes * CHECK_MAX_PROCESSES, find_witness, &pairs);
    tell_shortest(&pairs, result);
    if (result->answer == CHECK_UNDECIDED)
        result->answer = CHECK_HOLDS;
    return true;
}

/* ---- the bounded form: how many steps of its own take an enabled process in ---- */

struct steps {
    struct check_view
        view; /* i waits past its doorway and is enabled; neither its fault nor choice */
    unsigned i;
    uint16_t *most; /* from each component, by number */
    uint16_t bound;
};

/* No step of i stays inside a component, or i would not be enabled. */
static bool count_steps(void *context, const struct check_component *component)
{
    struct steps *steps = context;
    const struct check_graph *graph = steps->view.graph;
    uint16_t most = 0;
    for (uint32_t m = 0; m < component->count; m++) {
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, component->member[m], buffer);
        for (unsigned e = 0; e < graph->edges; e++) {
            const uint32_t to = row[e];
            if (to == CHECK_NONE || (steps->view.edges >> e & 1) == 0 || check_inner(component, to))
                continue;
            uint16_t after = e == steps->i;
            if (check_bits_has(&steps->view.inside, to))
                after = (uint16_t)(after +
                                   steps->most[check_component_index(component->number_of[to])]);
            most = after > most ? after : most;
        }
    }
    steps->most[check_component_index(component->number)] = most;
    steps->bound = most > steps->bound ? most : steps->bound;
    return true;
}

struct most {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
    _Atomic(bool) no_memory;
    uint16_t bound[CHECK_MAX_PROCESSES];
};

struct able {
    const struct most *most;
    unsigned i;
};

static bool waits_enabled(const void *context, uint32_t id)
{
    const struct able *able = context;
    const struct check_graph *graph = able->most->graph;
    return check_graph_region(graph, id, able->i) == CHECK_WAITING &&
           check_is_enabled(graph, able->most->enabled->critical, id, able->i);
}

static void most_steps_of(void *context, uint64_t i)
{
    struct most *most = context;
    const struct check_graph *graph = most->graph;
    const struct able able = {most, (unsigned)i};
    uint64_t moves = 0;
    for (unsigned e = able.i; e < graph->edges; e += graph->model->n)
        moves |= UINT64_C(1) << e;
    struct steps steps = {.view = {.graph = graph, .edges = ~moves | UINT64_C(1) << i},
                          .i = able.i};
    const size_t bytes = (size_t)graph->count * sizeof *steps.most;
    bool memory = check_view_open(&steps.view, waits_enabled, &able);
    steps.most = memory ? check_map(graph->budget, bytes) : NULL;
    memory = steps.most != NULL && check_components(&steps.view, count_steps, &steps);
    check_unmap(graph->budget, steps.most, bytes);
    check_bits_close(&steps.view.inside);
    most->bound[i] = steps.bound;
    if (!memory)
        atomic_store(&most->no_memory, true);
}

/* The most steps of its own that a process which waits and is enabled takes to its critical region.
 * False: no memory. */
static bool most_steps(const struct check_graph *graph, const struct check_enabled *enabled,
                       uint64_t *bound)
{
    struct most most = {.graph = graph, .enabled = enabled};
    check_share(check_threads_for(graph), check_first_only(graph, 1), most_steps_of, &most);
    *bound = 0;
    for (unsigned i = 0; i < CHECK_MAX_PROCESSES; i++)
        *bound = most.bound[i] > *bound ? most.bound[i] : *bound;
    return !atomic_load(&most.no_memory);
}

/* The observer's state: how many steps i has taken since it has been enabled in its waiting
 * room. */
struct watch {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
    unsigned i;
    uint64_t allowed;
};

static uint32_t next_watch(const void *context, uint32_t now, uint32_t from, unsigned edge,
                           uint32_t to)
{
    const struct watch *watch = context;
    const struct check_graph *graph = watch->graph;
    (void)to;
    if (check_graph_region(graph, from, watch->i) != CHECK_WAITING ||
        !check_is_enabled(graph, watch->enabled->critical, from, watch->i))
        return 0;
    const uint32_t count = now + (edge == watch->i);
    return count > watch->allowed ? CHECK_ACCEPT : count;
}

static void witness_steps(const struct check_graph *graph, const struct check_enabled *enabled,
                          struct check_result *result)
{
    enum check_searched searched = CHECK_NO_SUCH_RUN;
    for (unsigned i = 0; searched == CHECK_NO_SUCH_RUN && i < check_first_only(graph, 1); i++) {
        struct watch watch = {graph, enabled, i, result->query.bound};
        struct check_observer observer = {(uint32_t)watch.allowed + 1, 0, next_watch, &watch};
        searched = check_witness_search(graph, &observer, &result->witness);
    }
    snprintf(result->about, sizeof result->about,
             "an enabled process takes more steps of its own to its critical region than claimed");
}

void check_decide_first_enabled(const struct check_graph *graph,
                                const struct check_enabled *enabled, struct check_result *result)
{
    uint64_t bound;
    if (!decide_order(graph, enabled, false, result) || !graph->model->own_steps)
        return;
    if (!most_steps(graph, enabled, &bound)) {
        check_result_undecided(result);
        return;
    }
    result->has_bound = true;
    result->bound = bound;
    if (result->answer == CHECK_HOLDS && result->query.has_bound && bound > result->query.bound) {
        result->answer = CHECK_FAILS;
        witness_steps(graph, enabled, result);
    }
}

void check_decide_strong_first_enabled(const struct check_graph *graph,
                                       const struct check_enabled *enabled,
                                       struct check_result *result)
{
    decide_order(graph, enabled, true, result);
}
