/* Strongly connected components of a part of a graph, against Warshall's closure. */
#include "brute.h"
#include "random_table.h"

#include "check/parallel.h"
#include "check/scc.h"

/* ---- random parts of random graphs ---- */

struct watch {
    const struct brute *brute;
    const struct part *part;
    const struct relation *reach;
    const struct check_graph *graph;
    const uint16_t *brute_of; /* from numbers of the graph to those of brute force */
    bool delivered[BRUTE_STATES];
    unsigned states, components;
};

static bool check_one(void *context, const struct check_component *component)
{
    struct watch *watch = context;
    const struct brute *brute = watch->brute;
    bool member[BRUTE_STATES] = {false};
    const unsigned first = watch->brute_of[component->member[0]];
    for (uint32_t m = 0; m < component->count; m++) {
        const unsigned u = watch->brute_of[component->member[m]];
        assert_true(watch->part->inside[u]);
        assert_false(watch->delivered[u]);
        assert_false(member[u]);
        assert_int_equal(component->number_of[component->member[m]], component->number);
        member[u] = true;
    }
    for (unsigned u = 0; u < brute->count; u++)
        assert_int_equal(member[u], u == first || together(watch->reach, first, u));
    for (unsigned u = 0; u < brute->count; u++) {
        for (unsigned e = 0; member[u] && e < brute->edges; e++) {
            if (!part_has(brute, watch->part, u, e))
                continue;
            /* Reverse topological order: what an edge leads to has been delivered before. */
            const unsigned v = brute->next[u][e];
            assert_true(member[v] || watch->delivered[v]);
            uint64_t state[CHECK_MAX_WORDS];
            brute_pack(brute, v, state);
            uint32_t id = check_graph_find(watch->graph, state);
            assert_int_equal(check_inner(component, id), member[v]);
        }
    }
    for (unsigned u = 0; u < brute->count; u++)
        watch->delivered[u] |= member[u];
    watch->states += component->count;
    watch->components++;
    return true;
}

static void compare_parts(const struct table *table, const struct brute *brute, struct dice *dice,
                          unsigned *components)
{
    static struct relation reach;
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, false);
    struct check_space space;
    struct check_graph graph;
    limits.threads = 1 + dice_below(dice, 4);
    assert_true(check_explore(&space, &table->check, &limits));
    assert_true(check_graph_freeze(&graph, &space, &limits, dice_below(dice, 2) == 0));
    uint16_t brute_of[BRUTE_STATES];
    uint32_t id_of[BRUTE_STATES];
    for (unsigned u = 0; u < brute->count; u++) {
        uint64_t state[CHECK_MAX_WORDS];
        brute_pack(brute, u, state);
        id_of[u] = check_graph_find(&graph, state);
        brute_of[id_of[u]] = (uint16_t)u;
    }
    for (unsigned turn = 0; turn < 4; turn++) {
        struct part part = {.keeps_regions = turn % 2 != 0, .no_faults = dice_below(dice, 2) == 0};
        struct check_view view = {.graph = &graph,
                                  .edges =
                                      part.no_faults ? (UINT64_C(1) << brute->n) - 1 : ~UINT64_C(0),
                                  .keeps_regions = part.keeps_regions};
        assert_true(check_bits_open(&view.inside, &budget, graph.count));
        const unsigned left_out = dice_below(dice, 4);
        unsigned inside = 0;
        for (unsigned u = 0; u < brute->count; u++) {
            part.inside[u] = dice_below(dice, 10) >= left_out;
            inside += part.inside[u];
            if (part.inside[u])
                check_bits_add(&view.inside, id_of[u]);
        }
        part_closure(brute, &part, &reach);
        struct watch watch = {
            .brute = brute, .part = &part, .reach = &reach, .graph = &graph, .brute_of = brute_of};
        assert_true(check_components(&view, check_one, &watch));
        assert_int_equal(watch.states, inside);
        *components += watch.components;
        check_bits_close(&view.inside);
    }
    check_graph_close(&graph);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void random_parts_have_the_right_components_in_order(void **unused)
{
    (void)unused;
    static struct brute brute;
    struct dice dice = {21};
    unsigned systems = 0, components = 0;
    const uint64_t worth = check_worth_threads;
    check_worth_threads = 1;
    for (unsigned s = 0; s < scaled(400); s++) {
        struct table table;
        struct random_wish wish = {.n = 1 + dice_below(&dice, 3),
                                   .deaths = dice_below(&dice, 2) == 0,
                                   .doorway = true,
                                   .exits = true};
        random_table(&table, &dice, wish);
        if (!brute_explore(&brute, &table))
            continue;
        systems++;
        compare_parts(&table, &brute, &dice, &components);
    }
    check_worth_threads = worth;
    assert_true(systems > scaled(400) / 2);
    assert_true(components > 20 * systems);
}

/* ---- long graphs: the stacks have to grow ---- */

/* One process that counts from 0 to LONG - 1; then it starts again, or stays there. */
enum { LONG = 100000 };

struct counter {
    struct check_model check;
    bool again;
    uint8_t region[1];
};

static void counter_initial(const struct check_model *model, uint64_t *state)
{
    (void)model;
    state[0] = CHECK_PRESENT;
}

static struct check_moves counter_expand(const struct check_model *model, const uint64_t *state,
                                         uint64_t *out)
{
    const struct counter *counter = (const struct counter *)model;
    uint64_t now = state[0] & ~CHECK_PRESENT;
    bool last = now + 1 == LONG;
    out[0] = CHECK_PRESENT | (last ? (counter->again ? 0 : now) : now + 1);
    return (struct check_moves){.exist = 1, .change = !last || counter->again};
}

static void counter_begin(struct counter *counter, bool again)
{
    memset(counter, 0, sizeof *counter);
    counter->again = again;
    counter->check.n = counter->check.kinds = counter->check.words = 1;
    counter->check.l = counter->check.k = counter->check.block_words = 1;
    counter->check.block[0].mask = (1 << 20) - 1;
    counter->check.region[0] = counter->region;
    counter->check.initial = counter_initial;
    counter->check.expand = counter_expand;
}

struct order {
    const struct check_graph *graph;
    uint64_t components, states, next;
    bool in_order;
};

static bool follow(void *context, const struct check_component *component)
{
    struct order *order = context;
    uint64_t first = check_graph_key(order->graph, component->member[0])[0] & ~CHECK_PRESENT;
    order->in_order = order->in_order && first == --order->next;
    order->components++;
    order->states += component->count;
    return true;
}

static struct order run_counter(bool again)
{
    struct counter counter;
    struct check_budget budget = budget_of(256);
    struct check_limits limits = limits_of(&budget, false);
    struct check_space space;
    struct check_graph graph;
    counter_begin(&counter, again);
    assert_true(check_explore(&space, &counter.check, &limits));
    assert_int_equal(space.states, LONG);
    assert_true(check_graph_freeze(&graph, &space, &limits, true));
    struct check_view view = {.graph = &graph, .edges = 1};
    assert_true(check_bits_open(&view.inside, &budget, graph.count));
    for (uint32_t id = 0; id < graph.count; id++)
        check_bits_add(&view.inside, id);
    struct order order = {.graph = &graph, .next = LONG, .in_order = true};
    assert_true(check_components(&view, follow, &order));
    check_bits_close(&view.inside);
    check_graph_close(&graph);
    assert_int_equal(atomic_load(&budget.used), 0);
    return order;
}

static void a_long_chain_is_delivered_from_its_end(void **unused)
{
    (void)unused;
    struct order order = run_counter(false);
    assert_int_equal(order.components, LONG);
    assert_int_equal(order.states, LONG);
    assert_true(order.in_order);
}

static void a_long_ring_is_one_component(void **unused)
{
    (void)unused;
    struct order order = run_counter(true);
    assert_int_equal(order.components, 1);
    assert_int_equal(order.states, LONG);
}

static bool stop_at_once(void *context, const struct check_component *component)
{
    (void)component;
    ++*(unsigned *)context;
    return false;
}

static void delivery_stops_when_told_to(void **unused)
{
    (void)unused;
    struct table table;
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, false);
    struct check_space space;
    struct check_graph graph;
    table_queue(&table, 3, 1, false, false, 1);
    assert_true(check_explore(&space, &table.check, &limits));
    assert_true(check_graph_freeze(&graph, &space, &limits, true));
    struct check_view view = {.graph = &graph, .edges = 7};
    assert_true(check_bits_open(&view.inside, &budget, graph.count));
    check_bits_add(&view.inside, 0);
    check_bits_add(&view.inside, 1);
    check_bits_add(&view.inside, 2);
    unsigned calls = 0;
    assert_true(check_components(&view, stop_at_once, &calls));
    assert_int_equal(calls, 1);
    check_bits_close(&view.inside);
    check_graph_close(&graph);
    assert_int_equal(atomic_load(&budget.used), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_parts_have_the_right_components_in_order),
        cmocka_unit_test(a_long_chain_is_delivered_from_its_end),
        cmocka_unit_test(a_long_ring_is_one_component),
        cmocka_unit_test(delivery_stops_when_told_to),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
