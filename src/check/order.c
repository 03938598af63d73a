/*
 * Order between two that are ranked, or that wait. Each of these properties says: if u was there
 * before v came, then something. "u was there before v came" is not a matter of one state, but of the
 * way there: it becomes true when u is there while v is away, and stays true while u is there. States
 * that can be reached with it true are marked, pair by pair.
 */
#include "check/bits.h"
#include "check/decide.h"

#include <stdio.h>

struct order {
    const struct check_graph *graph;
    unsigned u, v;
    bool (*there)(const struct order *order, const uint64_t *key);
    bool (*away)(const struct order *order, const uint64_t *key);
    bool (*bad)(const struct order *order, const uint64_t *key); /* if u was there first */
    struct check_bits marked;
    uint32_t *stack; /* marked states whose successors have not been looked at */
    size_t stack_bytes;
    uint32_t pending;
    bool found;
};

static void look(struct order *order, uint32_t id, bool before)
{
    const uint64_t *key = check_graph_key(order->graph, id);
    if (check_bits_has(&order->marked, id) || !order->there(order, key) ||
        !(before || order->away(order, key)))
        return;
    check_bits_add(&order->marked, id);
    order->stack[order->pending++] = id;
    order->found |= order->bad(order, key);
}

/* False: no memory. */
static bool mark(struct order *order)
{
    const struct check_graph *graph = order->graph;
    order->stack_bytes = (size_t)graph->count * sizeof *order->stack;
    order->stack = check_map(graph->budget, order->stack_bytes);
    if (order->stack == NULL)
        return false;
    if (!check_bits_open(&order->marked, graph->budget, graph->count)) {
        check_unmap(graph->budget, order->stack, order->stack_bytes);
        return false;
    }
    for (uint32_t id = 0; id < graph->count && !order->found; id++) {
        look(order, id, false);
        while (order->pending > 0 && !order->found) {
            uint32_t buffer[CHECK_MAX_EDGES];
            const uint32_t *row = check_graph_row(graph, order->stack[--order->pending], buffer);
            for (unsigned e = 0; e < graph->edges; e++) {
                if (row[e] != CHECK_NONE)
                    look(order, row[e], true);
            }
        }
    }
    check_bits_close(&order->marked);
    check_unmap(graph->budget, order->stack, order->stack_bytes);
    return true;
}

/* The observer's state: whether u was there before v came. */
static uint32_t next_before(const void *context, uint32_t now, uint32_t from, unsigned edge,
                            uint32_t to)
{
    const struct order *order = context;
    const uint64_t *key = check_graph_key(order->graph, to);
    (void)from, (void)edge;
    if (!order->there(order, key) || !(now == 1 || order->away(order, key)))
        return 0;
    return order->bad(order, key) ? CHECK_ACCEPT : 1;
}

/* Asks about every pair of `count`. `about` is given v and u. */
static void decide_pairs(struct order *order, unsigned count, const char *about,
                         struct check_result *result)
{
    for (order->u = 0; order->u < count; order->u++) {
        for (order->v = 0; order->v < count; order->v++) {
            if (order->u == order->v)
                continue;
            order->pending = 0;
            if (!mark(order))
                return;
            if (!order->found)
                continue;
            struct check_observer observer = {2, 0, next_before, order};
            check_witness_search(order->graph, &observer, &result->witness);
            result->answer = CHECK_FAILS;
            snprintf(result->about, sizeof result->about, about, order->v, order->u);
            return;
        }
    }
    result->answer = CHECK_HOLDS;
}

static struct check_ranks ranks_of(const struct check_graph *graph, const uint64_t *key)
{
    struct check_ranks ranks;
    graph->model->ranks(graph->model, key, &ranks);
    return ranks;
}

/* ---- ranks ---- */

static bool u_is_black(const struct order *order, const uint64_t *key)
{
    return ranks_of(order->graph, key).colour[order->u] == CHECK_BLACK;
}

static bool v_is_white(const struct order *order, const uint64_t *key)
{
    return ranks_of(order->graph, key).colour[order->v] == CHECK_WHITE;
}

static bool v_is_not_lower(const struct order *order, const uint64_t *key)
{
    const struct check_ranks ranks = ranks_of(order->graph, key);
    return ranks.colour[order->v] == CHECK_BLACK && (ranks.lower[order->v] >> order->u & 1) == 0;
}

static bool v_is_served(const struct order *order, const uint64_t *key)
{
    return ranks_of(order->graph, key).served >> order->v & 1;
}

static unsigned ranked_count(const struct check_graph *graph)
{
    return ranks_of(graph, check_graph_key(graph, graph->initial)).count;
}

/* Precedence of Singh 1993: if u was black while v was white, and both are black, v is lower. */
void check_decide_precedence(const struct check_graph *graph, struct check_result *result)
{
    struct order order = {
        .graph = graph, .there = u_is_black, .away = v_is_white, .bad = v_is_not_lower};
    decide_pairs(&order, ranked_count(graph),
                 "%u asked for its rank when %u had one, and does not have a lower one", result);
}

/* ---- stability ---- */

struct pair {
    unsigned u, v;
};

struct shift {
    const struct check_graph *graph;
    struct pair *shown; /* the last one found */
};

/* From one state to the next, u stays black or turns grey and loses its higher rank. */
static bool shifts(const struct shift *shift, const struct check_ranks *from,
                   const struct check_ranks *to)
{
    for (unsigned u = 0; u < from->count; u++) {
        if (from->colour[u] != CHECK_BLACK || to->colour[u] == CHECK_WHITE)
            continue;
        for (unsigned v = 0; v < from->count; v++) {
            const bool before = from->lower[v] >> u & 1;
            const bool after = to->colour[u] == CHECK_BLACK && to->lower[v] >> u & 1;
            if (before && !after) {
                *shift->shown = (struct pair){u, v};
                return true;
            }
        }
    }
    return false;
}

static uint32_t next_shift(const void *context, uint32_t now, uint32_t from, unsigned edge,
                           uint32_t to)
{
    const struct shift *shift = context;
    const struct check_ranks before = ranks_of(shift->graph, check_graph_key(shift->graph, from));
    const struct check_ranks after = ranks_of(shift->graph, check_graph_key(shift->graph, to));
    (void)now, (void)edge;
    return shifts(shift, &before, &after) ? CHECK_ACCEPT : 0;
}

/* Stability of Singh 1993: while u is black, whoever is lower than u stays lower. */
void check_decide_stable(const struct check_graph *graph, struct check_result *result)
{
    struct pair shown = {0, 0};
    const struct shift shift = {graph, &shown};
    bool found = false;
    for (uint32_t id = 0; id < graph->count && !found; id++) {
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, id, buffer);
        const struct check_ranks from = ranks_of(graph, check_graph_key(graph, id));
        for (unsigned e = 0; e < graph->edges && !found; e++) {
            if (row[e] == CHECK_NONE || row[e] == id)
                continue;
            const struct check_ranks to = ranks_of(graph, check_graph_key(graph, row[e]));
            found = shifts(&shift, &from, &to);
        }
    }
    result->answer = found ? CHECK_FAILS : CHECK_HOLDS;
    if (!found)
        return;
    struct check_observer observer = {1, 0, next_shift, &shift};
    check_witness_search(graph, &observer, &result->witness);
    snprintf(result->about, sizeof result->about,
             "%u has a higher rank than %u, and while it keeps it, that is no longer so", shown.u,
             shown.v);
}

/* ---- first come, first served ---- */

static enum check_region region(const struct order *order, const uint64_t *key, unsigned p)
{
    return check_region_of(order->graph->model, key, p);
}

static bool u_waits(const struct order *order, const uint64_t *key)
{
    const enum check_region u = region(order, key, order->u);
    return u == CHECK_WAITING ||
           (order->graph->model->first_come && (u == CHECK_CRITICAL || u == CHECK_EXIT));
}

static bool v_rests(const struct order *order, const uint64_t *key)
{
    return region(order, key, order->v) == CHECK_REMAINDER;
}

static bool v_is_in(const struct order *order, const uint64_t *key)
{
    const struct check_model *model = order->graph->model;
    const uint64_t both = UINT64_C(1) << order->u | UINT64_C(1) << order->v;
    return region(order, key, order->v) == CHECK_CRITICAL &&
           (model->first_come || check_clash(model, key, both));
}

bool check_has_own_order(const struct check_model *model)
{
    return model->clash != NULL || model->first_come || model->ranks_things || model->comes_back;
}

/*
 * fifo, where
 *  - things are ranked: none is served while one is there that was there before it came;
 *  - first_come: nobody that was in its remainder when u was past its doorway becomes critical before
 *    u is in its remainder again;
 *  - otherwise (processes clash, or come back from the dead): nobody that excludes u, and was in its remainder when u waited past its doorway,
 *    becomes critical before u does.
 */
void check_decide_own_order(const struct check_graph *graph, struct check_result *result)
{
    const struct check_model *model = graph->model;
    struct order order = {.graph = graph, .there = u_waits, .away = v_rests, .bad = v_is_in};
    if (model->ranks_things)
        order = (struct order){
            .graph = graph, .there = u_is_black, .away = v_is_white, .bad = v_is_served};
    decide_pairs(&order, model->ranks_things ? ranked_count(graph) : model->n,
                 "%u came after %u and is let in before it", result);
}
