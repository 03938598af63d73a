/*
 * Order between two that are ranked, or that wait. Each of these properties says: if u was there
 * before v came, then something. "u was there before v came" is not a matter of one state, but of
 * the way there: it becomes true when u is there while v is away, and stays true while u is there.
 * States that can be reached with it true are marked, pair by pair.
 */
#include "check/bitset.h"
#include "check/decide.h"

#include <stdio.h>

struct order {
    const struct check_graph *graph;
    unsigned u, v;
    bool (*there)(const struct order *order, const uint64_t *key);
    bool (*away)(const struct order *order, const uint64_t *key);
    bool (*bad)(const struct order *order, const uint64_t *key); /* if u was there first */
};

struct marking {
    const struct order *order;
    struct check_bits marked;
    uint32_t *stack; /* marked states whose successors have not been looked at */
    uint32_t pending;
    bool found;
};

static void look(struct marking *marking, uint32_t id, bool before)
{
    const struct order *order = marking->order;
    const uint64_t *key = check_graph_key(order->graph, id);
    if (check_bits_has(&marking->marked, id) || !order->there(order, key) ||
        !(before || order->away(order, key)))
        return;
    check_bits_add(&marking->marked, id);
    marking->stack[marking->pending++] = id;
    marking->found |= order->bad(order, key);
}

enum found { NOTHING, SOMETHING, NO_MEMORY };

static enum found find_bad(const struct order *order)
{
    const struct check_graph *graph = order->graph;
    const size_t bytes = (size_t)graph->count * sizeof(uint32_t);
    struct marking marking = {.order = order, .stack = check_map(graph->budget, bytes)};
    if (marking.stack == NULL)
        return NO_MEMORY;
    if (!check_bits_open(&marking.marked, graph->budget, graph->count)) {
        check_unmap(graph->budget, marking.stack, bytes);
        return NO_MEMORY;
    }
    for (uint32_t id = 0; id < graph->count && !marking.found; id++) {
        look(&marking, id, false);
        while (marking.pending > 0 && !marking.found) {
            uint32_t buffer[CHECK_MAX_EDGES];
            const uint32_t *row = check_graph_row(graph, marking.stack[--marking.pending], buffer);
            for (unsigned e = 0; e < graph->edges; e++) {
                if (row[e] != CHECK_NONE)
                    look(&marking, row[e], true);
            }
        }
    }
    check_bits_close(&marking.marked);
    check_unmap(graph->budget, marking.stack, bytes);
    return marking.found ? SOMETHING : NOTHING;
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

struct pairs {
    const struct order *order;
    unsigned count;
    _Atomic(unsigned) first; /* the first pair for which it was found; later ones are skipped */
    enum found found[CHECK_MAX_RANKED * CHECK_MAX_RANKED];
};

static struct order order_of_pair(const struct pairs *pairs, uint64_t pair)
{
    struct order order = *pairs->order;
    order.u = (unsigned)pair / pairs->count;
    order.v = (unsigned)pair % pairs->count;
    return order;
}

static void look_at_pair(void *context, uint64_t pair)
{
    struct pairs *pairs = context;
    const struct order order = order_of_pair(pairs, pair);
    unsigned first = atomic_load(&pairs->first);
    if (order.u == order.v || pair > first)
        return;
    pairs->found[pair] = find_bad(&order);
    while (pairs->found[pair] == SOMETHING && pair < first &&
           !atomic_compare_exchange_weak(&pairs->first, &first, (unsigned)pair)) {
    }
}

/* Asks about every pair of `count`; the first that is bad is told. `about` is given v and u. */
static void decide_pairs(const struct order *order, unsigned count, const char *about,
                         struct check_result *result)
{
    const unsigned all = count * count;
    struct pairs pairs = {.order = order, .count = count, .first = all};
    check_share(check_threads_for(order->graph), all, look_at_pair, &pairs);
    unsigned pair = 0;
    while (pair < all && pairs.found[pair] == NOTHING)
        pair++;
    if (pair == all) {
        result->answer = CHECK_HOLDS;
    } else if (pairs.found[pair] == SOMETHING) {
        const struct order bad = order_of_pair(&pairs, pair);
        struct check_observer observer = {2, 0, next_before, &bad};
        check_witness_search(bad.graph, &observer, &result->witness);
        result->answer = CHECK_FAILS;
        snprintf(result->about, sizeof result->about, about, bad.v, bad.u);
    }
}

_Static_assert((int)CHECK_MAX_PROCESSES <= (int)CHECK_MAX_RANKED, "pairs of processes as well");

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

/* From one state to the next, u stays black or turns grey and loses its higher rank. */
static bool shifts(const struct check_graph *graph, uint32_t id, uint32_t next, struct pair *pair)
{
    const struct check_ranks from = ranks_of(graph, check_graph_key(graph, id));
    const struct check_ranks to = ranks_of(graph, check_graph_key(graph, next));
    for (unsigned u = 0; u < from.count; u++) {
        if (from.colour[u] != CHECK_BLACK || to.colour[u] == CHECK_WHITE)
            continue;
        for (unsigned v = 0; v < from.count; v++) {
            const bool before = from.lower[v] >> u & 1;
            const bool after = to.colour[u] == CHECK_BLACK && to.lower[v] >> u & 1;
            if (before && !after) {
                *pair = (struct pair){u, v};
                return true;
            }
        }
    }
    return false;
}

static uint32_t next_shift(const void *context, uint32_t now, uint32_t from, unsigned edge,
                           uint32_t to)
{
    struct pair pair;
    (void)now, (void)edge;
    return shifts(context, from, to, &pair) ? CHECK_ACCEPT : 0;
}

static bool leads_to_shift(const void *context, uint32_t id)
{
    const struct check_graph *graph = context;
    uint32_t buffer[CHECK_MAX_EDGES];
    const uint32_t *row = check_graph_row(graph, id, buffer);
    struct pair pair;
    for (unsigned e = 0; e < graph->edges; e++) {
        if (row[e] != CHECK_NONE && row[e] != id && shifts(graph, id, row[e], &pair))
            return true;
    }
    return false;
}

/* Stability of Singh 1993: while u is black, every process lower than u stays lower. */
void check_decide_stable(const struct check_graph *graph, struct check_result *result)
{
    struct pair shown = {0, 0};
    struct check_step last = {graph->initial, graph->initial};
    const bool found = check_any_state(graph, leads_to_shift, graph);
    result->answer = found ? CHECK_FAILS : CHECK_HOLDS;
    if (!found)
        return;
    struct check_observer observer = {1, 0, next_shift, graph};
    check_witness_search_to(graph, &observer, &result->witness, &last);
    shifts(graph, last.from, last.to, &shown);
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
 *  - first_come: nobody that was in its remainder when u was past its doorway becomes critical
 *    before u is in its remainder again;
 *  - otherwise (processes clash, or come back from the dead): nobody that excludes u, and was in
 *    its remainder when u waited past its doorway, becomes critical before u does.
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
