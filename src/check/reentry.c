/*
 * Critical-section re-entry (Golab and Ramaraju 2016): if a process is killed in its critical
 * region, nobody else gets its slot before it is critical again. That is not a matter of one state,
 * but of the way there: the states that can be reached after such a kill, and before the process is
 * critical again, are marked, process by process and, where slots have numbers, with the slot.
 */
#include "check/bitset.h"
#include "check/decide.h"

#include <stdio.h>

struct reentry {
    const struct check_graph *graph;
    unsigned i;
    unsigned slots; /* that are told apart: 1 where they have no numbers */
    struct check_bits marked;
    uint64_t *stack; /* what is marked and has not been looked at; state * slots + slot */
    size_t stack_bytes;
    uint64_t pending;
    bool found;
};

static enum check_region region_of(const struct reentry *reentry, uint32_t id, unsigned p)
{
    return check_graph_region(reentry->graph, id, p);
}

/* Whether others have the slot of i, or all of them where slots have no numbers. */
static bool is_taken(const struct reentry *reentry, uint32_t id, unsigned slot)
{
    const struct check_model *model = reentry->graph->model;
    const uint64_t *key = check_graph_key(reentry->graph, id);
    unsigned others = 0;
    for (unsigned p = 0; p < check_workers(model); p++) {
        if (p == reentry->i || check_region_of(model, key, p) != CHECK_CRITICAL)
            continue;
        if (model->slot != NULL && model->slot(model, key, p) == slot)
            return true;
        others++;
    }
    return model->slot == NULL && others >= model->l;
}

/* The observer's state: 0, or 1 + the slot that i was killed with and still waits to come back
 * to. */
static uint32_t next_killed(const void *context, uint32_t now, uint32_t from, unsigned edge,
                            uint32_t to)
{
    const struct reentry *reentry = context;
    const struct check_model *model = reentry->graph->model;
    if (now == 0) {
        const bool killed = edge % model->n == reentry->i &&
                            (check_step_edges(model) >> edge & 1) == 0 &&
                            region_of(reentry, from, reentry->i) == CHECK_CRITICAL;
        if (!killed)
            return 0;
        const uint64_t *key = check_graph_key(reentry->graph, from);
        const unsigned slot = model->slot != NULL ? model->slot(model, key, reentry->i) : 0;
        now = 1 + (slot < reentry->slots ? slot : 0);
    }
    if (region_of(reentry, to, reentry->i) == CHECK_CRITICAL)
        return 0;
    return is_taken(reentry, to, now - 1) ? CHECK_ACCEPT : now;
}

static void look(struct reentry *reentry, uint32_t now, uint32_t from, unsigned edge, uint32_t to)
{
    const uint32_t next = next_killed(reentry, now, from, edge, to);
    if (next == CHECK_ACCEPT)
        reentry->found = true;
    if (next == 0 || next == CHECK_ACCEPT)
        return;
    const uint64_t at = (uint64_t)to * reentry->slots + next - 1;
    if (check_bits_has(&reentry->marked, at))
        return;
    check_bits_add(&reentry->marked, at);
    reentry->stack[reentry->pending++] = at;
}

static void look_on(struct reentry *reentry, uint32_t id, uint32_t now)
{
    uint32_t buffer[CHECK_MAX_EDGES];
    const uint32_t *row = check_graph_row(reentry->graph, id, buffer);
    for (unsigned e = 0; e < reentry->graph->edges && !reentry->found; e++) {
        if (row[e] != CHECK_NONE)
            look(reentry, now, id, e, row[e]);
    }
}

/* False: no memory. */
static bool mark(struct reentry *reentry)
{
    const struct check_graph *graph = reentry->graph;
    const uint64_t most = (uint64_t)graph->count * reentry->slots;
    reentry->stack_bytes = most * sizeof *reentry->stack;
    reentry->stack = check_map(graph->budget, reentry->stack_bytes);
    if (reentry->stack == NULL)
        return false;
    if (!check_bits_open(&reentry->marked, graph->budget, most)) {
        check_unmap(graph->budget, reentry->stack, reentry->stack_bytes);
        return false;
    }
    for (uint32_t id = 0; id < graph->count && !reentry->found; id++) {
        look_on(reentry, id, 0);
        while (reentry->pending > 0 && !reentry->found) {
            const uint64_t at = reentry->stack[--reentry->pending];
            look_on(reentry, (uint32_t)(at / reentry->slots), 1 + (uint32_t)(at % reentry->slots));
        }
    }
    check_bits_close(&reentry->marked);
    check_unmap(graph->budget, reentry->stack, reentry->stack_bytes);
    return true;
}

void check_decide_reentry(const struct check_graph *graph, struct check_result *result)
{
    const struct check_model *model = graph->model;
    for (unsigned i = 0; i < check_first_only(graph, 1); i++) {
        struct reentry reentry = {
            .graph = graph, .i = i, .slots = model->slot != NULL && model->l > 0 ? model->l : 1};
        if (!mark(&reentry))
            return;
        if (!reentry.found)
            continue;
        struct check_observer observer = {1 + reentry.slots, 0, next_killed, &reentry};
        check_witness_search(graph, &observer, &result->witness);
        result->answer = CHECK_FAILS;
        snprintf(result->about, sizeof result->about,
                 "process %u is killed in its critical region, and its slot goes to another", i);
        return;
    }
    result->answer = CHECK_HOLDS;
}
