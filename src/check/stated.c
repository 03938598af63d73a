/*
 * Properties that a protocol file states itself, of every process: a condition that always or never
 * holds, and "after p eventually q".
 *
 * The last is violated by an admissible schedule along which some process, which is not killed,
 * comes to a state with p, and to none with q then or later. On the graph: the states without q
 * that can be reached from one with p and without q, by states without q, are closed under steps,
 * except those that lead to q; so the schedule ends up in a fair component of them.
 */
#include "check/decide.h"
#include "check/fair.h"
#include "check/hunt.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"always", "never", "after", "always eventually"};

static bool is_dead(const struct check_model *model, const uint64_t *state, unsigned p)
{
    return check_region_of(model, state, p) == CHECK_DEAD;
}

/* Whether `state` shows that property q, always or never, fails of process p. */
static bool breaks(const struct check_model *model, const uint64_t *state, unsigned q, unsigned p)
{
    uint64_t first = 0, second = 0;
    if (model->own_property[q].kind >= CHECK_AFTER)
        return false;
    model->own(model, state, p, &first, &second);
    return (first >> q & 1) == (model->own_property[q].kind == CHECK_NEVER);
}

bool check_own_breaks(const struct check_model *model, const uint64_t *state)
{
    for (unsigned q = 0; q < model->own_properties; q++) {
        for (unsigned p = 0; p < check_workers(model); p++) {
            if (breaks(model, state, q, p))
                return true;
        }
    }
    return false;
}

struct asked {
    const struct check_graph *graph;
    unsigned q, p;
    bool comes_up;            /* after p: p does */
    struct check_bits *waits; /* after p: the states in which q is still to come */
    const struct check_component *component;
};

static uint32_t next_broken(const void *context, uint32_t now, uint32_t from, unsigned edge,
                            uint32_t to)
{
    const struct asked *asked = context;
    (void)now, (void)from, (void)edge;
    return breaks(asked->graph->model, check_graph_key(asked->graph, to), asked->q, asked->p)
               ? CHECK_ACCEPT
               : 0;
}

static void conclude(const struct asked *asked, struct check_result *result)
{
    const struct check_own_property *property = &asked->graph->model->own_property[asked->q];
    const size_t used = strlen(result->about);
    result->answer = CHECK_FAILS;
    result->own_failed |= (uint16_t)(1U << asked->q);
    snprintf(result->about + used, sizeof result->about - used, "%s\"%s\" (%s) of P%u",
             used > 0 ? ", " : "", property->name, kinds[property->kind], asked->p);
}

/* Always and never. True: it fails; the witness is found unless there is one of another
 * property. */
static bool decide_state(const struct check_graph *graph, unsigned q, struct check_result *result)
{
    for (uint64_t id = 0; id < graph->count; id++) {
        for (unsigned p = 0; p < check_workers(graph->model); p++) {
            if (!breaks(graph->model, check_graph_key(graph, id), q, p))
                continue;
            const struct asked asked = {.graph = graph, .q = q, .p = p};
            const struct check_observer observer = {1, 0, next_broken, &asked};
            const bool wanted = result->witness.edge == NULL && check_graph_numbered(graph);
            if (wanted && breaks(graph->model, check_graph_key(graph, graph->initial), q, p))
                check_witness_empty(&result->witness);
            else if (wanted)
                check_witness_search(graph, &observer, &result->witness);
            conclude(&asked, result);
            return true;
        }
    }
    return false;
}

/* Bit 0: p holds in the state; bit 1: q does, or the process is dead. */
static unsigned look(const struct asked *asked, uint32_t id)
{
    const struct check_model *model = asked->graph->model;
    const uint64_t *key = check_graph_key(asked->graph, id);
    uint64_t first = 0, second = 0;
    model->own(model, key, asked->p, &first, &second);
    return (unsigned)(first >> asked->q & 1) |
           (unsigned)((second >> asked->q & 1) || is_dead(model, key, asked->p)) << 1;
}

static bool stays(const void *context, const struct check_component *component)
{
    (void)context;
    return check_component_fair(component, (struct check_admissible){0});
}

/* The observer's state: whether q is being waited for. */
static uint32_t next_waiting(const void *context, uint32_t now, uint32_t from, unsigned edge,
                             uint32_t to)
{
    const struct asked *asked = context;
    (void)from, (void)edge;
    const unsigned seen = look(asked, to);
    if ((seen & 2) != 0 || (now == 0 && (seen & 1) == 0))
        return 0;
    return asked->component != NULL && check_inner(asked->component, to) ? CHECK_ACCEPT : 1;
}

/* Hands the waiting on, against and along the order of discovery, until nothing changes. */
static void spread(const struct asked *asked, struct check_bits *fresh, uint64_t edges)
{
    const struct check_graph *graph = asked->graph;
    bool any = true;
    for (bool upwards = true; any; upwards = !upwards) {
        any = false;
        for (uint32_t k = 0; k < graph->count;
             k++) { /* where edges are followed, it is small enough */
            const uint32_t id = upwards ? k : (uint32_t)graph->count - 1 - k;
            uint32_t buffer[CHECK_MAX_EDGES];
            if (!check_bits_has(fresh, id))
                continue;
            check_bits_remove(fresh, id);
            const uint32_t *row = check_graph_row(graph, id, buffer);
            for (unsigned e = 0; e < graph->edges; e++) {
                if (row[e] == CHECK_NONE || (edges >> e & 1) == 0 ||
                    check_bits_has(asked->waits, row[e]) || (look(asked, row[e]) & 2) != 0)
                    continue;
                check_bits_add(asked->waits, row[e]);
                check_bits_add(fresh, row[e]);
                any = true;
            }
        }
    }
}

/* After p eventually q, of one process. False: no memory. */
static bool decide_after(struct asked *asked, struct check_result *result)
{
    const struct check_graph *graph = asked->graph;
    const struct check_model *model = graph->model;
    struct check_view view = {.graph = graph, .edges = ~UINT64_C(0)};
    struct check_bits fresh = {0};
    if (model->has_fault) /* the process itself is not killed */
        view.edges &= ~(UINT64_C(1) << ((model->kinds - 1) * model->n + asked->p));
    bool memory = check_bits_open(&view.inside, graph->budget, graph->count) &&
                  check_bits_open(&fresh, graph->budget, graph->count);
    asked->waits = &view.inside;
    for (uint32_t id = 0; memory && id < graph->count; id++) {
        const unsigned seen = look(asked, id);
        asked->comes_up |= (seen & 1) != 0;
        if (seen == 1) {
            check_bits_add(&view.inside, id);
            check_bits_add(&fresh, id);
        }
    }
    if (memory) {
        spread(asked, &fresh, view.edges);
        const struct check_observer stem = {2, look(asked, graph->initial) == 1, next_waiting,
                                            asked};
        struct check_witness witness = {0};
        const struct check_hunt hunt = {
            .bad = stays,
            .cycle = {.fair = true, .j = CHECK_NONE, .stem = &stem, .into = &asked->component}};
        const enum check_hunted hunted = check_hunt_in(&view, hunt, &witness);
        memory = hunted != CHECK_HUNT_NO_MEMORY;
        if (hunted == CHECK_FOUND)
            conclude(asked, result);
        if (result->witness.edge == NULL)
            result->witness = witness;
        else
            check_witness_free(&witness);
    }
    check_bits_close(&fresh);
    check_bits_close(&view.inside);
    asked->waits = NULL;
    return memory;
}

void check_decide_own(const struct check_graph *graph, struct check_result *result)
{
    const struct check_model *model = graph->model;
    bool all = true;
    for (unsigned q = 0; q < model->own_properties; q++) {
        /* What has to happen at last may be put off for ever by those that a limit keeps out. */
        const bool cut = graph->barred && model->own_property[q].kind >= CHECK_AFTER;
        bool decided = graph->complete, empty = model->own_property[q].kind == CHECK_AFTER;
        if (model->own_property[q].kind < CHECK_AFTER)
            decide_state(graph, q, result);
        for (unsigned p = 0; model->own_property[q].kind >= CHECK_AFTER && decided &&
                             (result->own_failed >> q & 1) == 0 && p < check_workers(model);
             p++) {
            struct asked asked = {.graph = graph, .q = q, .p = p};
            decided = decide_after(&asked, result);
            empty &= decided && !asked.comes_up;
        }
        result->own_empty |= (uint16_t)((unsigned)(empty && decided) << q);
        all &= decided && (result->own_failed >> q & 1) == 0;
        if (decided && !cut && (result->own_failed >> q & 1) == 0)
            result->own_held |= (uint16_t)(1U << q);
    }
    if (all)
        result->answer = CHECK_HOLDS;
}
