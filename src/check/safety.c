/* Properties of single states. They are decided on whatever has been reached: a violation found in
 * an incomplete exploration is a violation. */
#include "check/decide.h"

#include "check/breaks.h"
#include "check/parallel.h"
#include "check/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

/* A predicate on states, looked for in all of them. */
struct scan {
    const struct check_graph *graph;
    uint64_t invariants; /* the set of those that are asked for */
    bool (*bad)(const struct scan *scan, const uint64_t *key);
    _Atomic(uint64_t) taken;
    _Atomic(bool) found;
};

/* Each critical process holds a slot of its own. */
static bool breaks_slots(const struct check_model *model, const uint64_t *key)
{
    uint64_t held = 0;
    for (unsigned p = 0; p < model->n; p++) {
        if (check_region_of(model, key, p) != CHECK_CRITICAL)
            continue;
        const unsigned slot = model->slot(model, key, p);
        if (slot >= model->l || held >> slot & 1)
            return true;
        held |= UINT64_C(1) << slot;
    }
    return false;
}

bool check_state_breaks(const struct check_model *model, const uint64_t *state,
                        enum check_property property)
{
    switch (property) {
    case CHECK_EXCLUSION: return check_clash(model, state, check_critical_set(model, state));
    case CHECK_DISTINCT_SLOTS: return model->slot != NULL && breaks_slots(model, state);
    case CHECK_INVARIANTS: return model->violated != NULL && model->violated(model, state) != 0;
    case CHECK_WINDOW: return model->violated != NULL && (model->violated(model, state) & 1) != 0;
    case CHECK_OWN: return model->own != NULL && check_own_breaks(model, state);
    default: return false;
    }
}

static bool bad_exclusion(const struct scan *scan, const uint64_t *key)
{
    return check_state_breaks(scan->graph->model, key, CHECK_EXCLUSION);
}

static bool bad_slots(const struct scan *scan, const uint64_t *key)
{
    return breaks_slots(scan->graph->model, key);
}

static bool bad_invariant(const struct scan *scan, const uint64_t *key)
{
    return scan->graph->model->violated(scan->graph->model, key) & scan->invariants;
}

/* A process is lower than itself, in the transitive closure. */
static bool bad_acyclic(const struct scan *scan, const uint64_t *key)
{
    const struct check_model *model = scan->graph->model;
    struct check_ranks ranks;
    model->ranks(model, key, &ranks);
    return check_ranks_form_cycle(&ranks);
}

/* Of two, neither is lower than the other. */
static bool bad_comparable(const struct scan *scan, const uint64_t *key)
{
    const struct check_model *model = scan->graph->model;
    struct check_ranks ranks;
    model->ranks(model, key, &ranks);
    return !check_ranks_comparable(&ranks);
}

static void scan_part(void *context, unsigned thread)
{
    (void)thread;
    struct scan *scan = context;
    const struct check_graph *graph = scan->graph;
    for (;;) {
        uint64_t first = atomic_fetch_add(&scan->taken, BLOCK);
        if (first >= graph->count || atomic_load(&scan->found))
            return;
        uint64_t last = first + BLOCK < graph->count ? first + BLOCK : graph->count;
        for (uint64_t id = first; id < last; id++) {
            if (scan->bad(scan, check_graph_key(graph, id)))
                atomic_store(&scan->found, true);
        }
    }
}

static uint32_t next_bad(const void *context, uint32_t now, uint32_t from, unsigned edge,
                         uint32_t to)
{
    const struct scan *scan = context;
    (void)now, (void)from, (void)edge;
    return scan->bad(scan, check_graph_key(scan->graph, to)) ? CHECK_ACCEPT : 0;
}

/* Returns the state that the witness leads to; CHECK_NONE where there is none. */
static uint32_t decide(struct scan *scan, struct check_result *result)
{
    const struct check_graph *graph = scan->graph;
    check_parallel(graph->count < check_worth_threads ? 1 : graph->threads, scan_part, scan);
    if (!atomic_load(&scan->found)) {
        result->answer = graph->complete ? CHECK_HOLDS : CHECK_UNDECIDED;
        return CHECK_NONE;
    }
    result->answer = CHECK_FAILS;
    if (!check_graph_numbered(graph))
        return CHECK_NONE; /* a search has nothing to guide it */
    if (scan->bad(scan, check_graph_key(graph, graph->initial))) {
        check_witness_empty(&result->witness);
        return graph->initial;
    }
    struct check_observer observer = {1, 0, next_bad, scan};
    struct check_step last = {CHECK_NONE, CHECK_NONE};
    check_witness_search_to(graph, &observer, &result->witness, &last);
    return last.to;
}

void check_decide_exclusion(const struct check_graph *graph, struct check_result *result)
{
    struct scan scan = {.graph = graph, .bad = bad_exclusion};
    decide(&scan, result);
    if (result->answer != CHECK_FAILS)
        return;
    if (graph->model->clash != NULL)
        snprintf(result->about, sizeof result->about,
                 "processes that exclude each other are critical at once");
    else /* a step adds one at most, so the first bad state has l + 1 */
        snprintf(result->about, sizeof result->about, "%u processes are critical at once",
                 graph->model->l + 1);
}

/* Acyclicity of Singh 1993: the transitive closure of "lower" is irreflexive, whatever the
 * colours. */
void check_decide_acyclic(const struct check_graph *graph, struct check_result *result)
{
    struct scan scan = {.graph = graph, .bad = bad_acyclic};
    decide(&scan, result);
    if (result->answer == CHECK_FAILS)
        snprintf(result->about, sizeof result->about, "the ranks form a cycle");
}

/* Comparability of Singh 1993: of any two, one is lower than the other, whatever their colours. */
void check_decide_comparable(const struct check_graph *graph, struct check_result *result)
{
    struct scan scan = {.graph = graph, .bad = bad_comparable};
    decide(&scan, result);
    if (result->answer == CHECK_FAILS)
        snprintf(result->about, sizeof result->about, "of two ranks neither is lower");
}

void check_decide_slots(const struct check_graph *graph, struct check_result *result)
{
    const struct check_model *model = graph->model;
    struct scan scan = {.graph = graph, .bad = bad_slots};
    uint32_t shown = decide(&scan, result);
    if (result->answer != CHECK_FAILS)
        return;
    snprintf(result->about, sizeof result->about, "two processes hold the same slot");
    for (unsigned p = 0; shown != CHECK_NONE && p < model->n; p++) {
        const uint64_t *key = check_graph_key(graph, shown);
        if (check_region_of(model, key, p) == CHECK_CRITICAL &&
            model->slot(model, key, p) >= model->l)
            snprintf(result->about, sizeof result->about,
                     "a process holds slot %u, and there are %u, numbered from 0",
                     model->slot(model, key, p), model->l);
    }
}

void check_decide_invariants(const struct check_graph *graph, uint64_t asked,
                             struct check_result *result)
{
    const struct check_model *model = graph->model;
    struct scan scan = {.graph = graph, .invariants = asked, .bad = bad_invariant};
    uint32_t shown = decide(&scan, result);
    if (result->answer != CHECK_FAILS)
        return;
    snprintf(result->about, sizeof result->about, "a state is reached that violates it");
    const uint64_t broken =
        shown != CHECK_NONE ? model->violated(model, check_graph_key(graph, shown)) & asked : 0;
    const unsigned first = broken != 0 ? (unsigned)__builtin_ctzll(broken) : 0;
    if (broken != 0 && first >= model->invariants)
        snprintf(result->about, sizeof result->about,
                 "INVARIANTS gives bit %u, and .invariants has %u name%s", first, model->invariants,
                 model->invariants == 1 ? "" : "s");
    else if (broken != 0 && asked != 1 && model->invariants > 1)
        snprintf(result->about, sizeof result->about, "a state is reached in which not: %s",
                 model->invariant_name[first]);
}

/* C5 of Burns et al.: every process has one local state in its remainder region. */
void check_decide_no_memory(const struct check_graph *graph, struct check_result *result)
{
    const struct check_model *model = graph->model;
    uint64_t first[CHECK_MAX_PROCESSES][CHECK_MAX_WORDS];
    bool seen[CHECK_MAX_PROCESSES] = {false};
    for (uint64_t id = 0; id < graph->count; id++) {
        const uint64_t *key = check_graph_key(graph, id);
        for (unsigned p = 0; p < model->n; p++) {
            if (check_region_of(model, key, p) != CHECK_REMAINDER)
                continue;
            uint64_t local[CHECK_MAX_WORDS] = {0};
            model->local_state(model, key, p, local);
            if (!seen[p])
                memcpy(first[p], local, sizeof local);
            seen[p] = true;
            if (!check_same_state(first[p], local, CHECK_MAX_WORDS)) {
                result->answer = CHECK_FAILS;
                snprintf(result->about, sizeof result->about,
                         "process %u has more than one state in its remainder region", p);
                return;
            }
        }
    }
    result->answer = graph->complete ? CHECK_HOLDS : CHECK_UNDECIDED;
}

uint64_t check_count_whole(const struct check_graph *graph)
{
    const struct check_model *model = graph->model;
    uint64_t mask[CHECK_MAX_WORDS] = {0}, count = 0;
    for (unsigned c = 0; c < model->cells; c++)
        mask[model->cell[c].field.word] |= model->cell[c].field.mask << model->cell[c].field.shift;
    struct check_set set;
    if (!check_set_open(&set, graph->budget, model->words, graph->count + graph->count / 4 + 1))
        return 0;
    for (uint64_t id = 0; id < graph->count; id++) {
        uint64_t value[CHECK_MAX_WORDS];
        for (unsigned w = 0; w < model->words; w++)
            value[w] = CHECK_PRESENT | (check_graph_key(graph, id)[w] & mask[w]);
        const uint64_t hash = check_set_hash(value, model->words);
        count += check_set_add(&set, value, check_set_home(hash, set.capacity));
    }
    check_set_close(&set);
    return count;
}

bool check_count_values(const struct check_graph *graph, uint64_t *values)
{
    enum { MOST = 1 << 24 }; /* values that all cells may have declared, to be counted */
    const struct check_model *model = graph->model;
    uint64_t first[CHECK_MAX_CELLS + 1] = {0}; /* of each cell, in `seen` */
    for (unsigned c = 0; c < model->cells; c++)
        first[c + 1] = first[c] + model->cell[c].field.values;
    if (first[model->cells] > MOST)
        return false;
    uint8_t *seen = calloc(first[model->cells] + 1, 1);
    if (seen == NULL)
        return false;
    for (uint64_t id = 0; id < graph->count; id++) {
        uint64_t value[CHECK_MAX_CELLS];
        model->cell_values(model, check_graph_key(graph, id), value);
        for (unsigned c = 0; c < model->cells; c++)
            seen[first[c] + value[c]] = 1;
    }
    for (unsigned c = 0; c < model->cells; c++) {
        values[c] = 0;
        for (uint64_t v = first[c]; v < first[c + 1]; v++)
            values[c] += seen[v];
    }
    free(seen);
    return true;
}
