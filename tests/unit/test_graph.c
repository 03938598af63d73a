/* Exploration and the frozen graph: all reachable states, no others, and their successors. */
#include "brute.h"
#include "random_table.h"

#include "check/graph.h"
#include "check/symmetry.h"

struct opened {
    struct check_budget budget;
    struct check_graph graph;
    uint64_t states, transitions;
};

static void open_graph(struct opened *opened, const struct check_model *model, unsigned threads,
                       bool symmetry, bool keep)
{
    opened->budget = budget_of(512);
    struct check_limits limits = limits_of(&opened->budget, symmetry);
    limits.threads = threads;
    limits.keep_order = keep;
    struct check_space space;
    assert_true(check_explore(&space, model, &limits));
    assert_int_equal(space.end, CHECK_COMPLETE);
    opened->states = space.states;
    opened->transitions = space.transitions;
    assert_true(check_graph_freeze(&opened->graph, &space, &limits, keep));
    assert_true(opened->graph.complete);
    assert_int_equal(opened->graph.successor != NULL, keep);
}

static void close_graph(struct opened *opened)
{
    check_graph_close(&opened->graph);
    assert_int_equal(atomic_load(&opened->budget.used), 0);
}

/* ---- small graphs, state for state ---- */

static void compare_with_brute(const struct table *table, const struct brute *brute, bool keep)
{
    struct opened opened;
    open_graph(&opened, &table->check, 2, false, keep);
    const struct check_graph *graph = &opened.graph;
    assert_int_equal(graph->count, brute->count);
    assert_int_equal(opened.states, brute->count);
    assert_int_equal(opened.transitions, brute_transitions(brute));
    uint32_t id_of[BRUTE_STATES];
    for (unsigned u = 0; u < brute->count; u++) {
        uint64_t state[CHECK_MAX_WORDS];
        brute_pack(brute, u, state);
        id_of[u] = check_graph_find(graph, state);
        assert_in_range(id_of[u], 0, graph->count - 1);
        assert_true(check_same_state(check_graph_key(graph, id_of[u]), state, table->check.words));
    }
    assert_int_equal(graph->initial, id_of[0]);
    for (unsigned u = 0; u < brute->count; u++) {
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, id_of[u], buffer);
        for (unsigned e = 0; e < brute->edges; e++) {
            const unsigned v = brute->next[u][e];
            assert_int_equal(row[e], v == BRUTE_NONE ? CHECK_NONE : id_of[v]);
        }
    }
    close_graph(&opened);
}

static void small_graphs_are_right_edge_by_edge(void **unused)
{
    (void)unused;
    static struct brute brute;
    struct dice dice = {7};
    unsigned seen = 0;
    for (unsigned s = 0; s < scaled(400); s++) {
        struct table table;
        struct random_wish wish = {.n = 1 + dice_below(&dice, 3),
                                   .deaths = dice_below(&dice, 2) == 0,
                                   .kills = dice_below(&dice, 3) == 0,
                                   .choices = dice_below(&dice, 2) == 0,
                                   .quits = dice_below(&dice, 2) == 0,
                                   .bars = dice_below(&dice, 2) == 0,
                                   .doorway = true,
                                   .exits = true};
        random_table(&table, &dice, wish);
        if (!brute_explore(&brute, &table))
            continue;
        seen++;
        compare_with_brute(&table, &brute, true);
        compare_with_brute(&table, &brute, false);
    }
    assert_true(seen > scaled(400) / 2);
}

static void a_state_that_is_not_reached_is_not_found(void **unused)
{
    (void)unused;
    struct table table;
    struct opened opened;
    table_queue(&table, 3, 1, false, false, 1);
    open_graph(&opened, &table.check, 1, false, true);
    unsigned found = 0;
    for (unsigned v = 0; v < TABLE_VALUES; v++) {
        for (unsigned x = 0; x < 512; x++) {
            uint64_t state[CHECK_MAX_WORDS] = {CHECK_PRESENT | v | x << 6};
            found += check_graph_find(&opened.graph, state) != CHECK_NONE;
        }
    }
    assert_int_equal(found, opened.graph.count);
    close_graph(&opened);
}

/* ---- large graphs: the table grows, several threads are at work ---- */

enum { CODE_BITS = 21 };

/* Marks the reachable codes; a search of its own, over codes instead of packed states. */
static uint64_t mark_reachable(const struct table *table, uint8_t *seen)
{
    const unsigned n = table->check.n;
    uint32_t *stack = malloc(sizeof *stack << CODE_BITS);
    assert_non_null(stack);
    uint64_t count = 1, top = 0;
    stack[top++] = table->first_value;
    seen[table->first_value] = 1;
    while (top > 0) {
        const uint32_t code = stack[--top];
        const unsigned v = code & 63;
        for (unsigned p = 0; p < n; p++) {
            const unsigned shift = 6 + 3 * p;
            struct entry to = table->next[p][v][code >> shift & 7];
            uint32_t next = (code & ~(63U | 7U << shift)) | to.value | (uint32_t)to.local << shift;
            if (seen[next] != 0)
                continue;
            seen[next] = 1;
            stack[top++] = next;
            count++;
        }
    }
    free(stack);
    return count;
}

static void large_table(struct table *table, struct dice *dice, unsigned n, unsigned words,
                        bool alike)
{
    table_begin(table, n, TABLE_VALUES, TABLE_LOCALS, words);
    random_regions(table, dice, true, true, TABLE_LOCALS);
    random_fill(table, dice, alike);
    table->check.anonymous = alike;
}

static void large_graphs_have_every_state_once(void **unused)
{
    (void)unused;
    for (unsigned words = 1; words <= 3; words++) {
        struct dice dice = {words};
        struct table table;
        large_table(&table, &dice, scaled_full(100) < 100 ? 3 : 4, words, false);
        uint8_t *seen = calloc(1, 1 << CODE_BITS);
        assert_non_null(seen);
        uint64_t count = mark_reachable(&table, seen);
        assert_true(count > 10000);
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            struct opened opened;
            open_graph(&opened, &table.check, threads, false, threads == 1);
            assert_int_equal(opened.graph.count, count);
            assert_int_equal(opened.states, count);
            assert_int_equal(opened.transitions, count * table.check.n);
            for (uint32_t id = 0; id < opened.graph.count; id++) {
                const uint64_t *key = check_graph_key(&opened.graph, id);
                uint32_t code = (uint32_t)check_get(key, table.check.cell[0].field);
                for (unsigned p = 0; p < table.check.n; p++)
                    code |= (uint32_t)check_get(key, table.check.block[p]) << (6 + 3 * p);
                assert_int_equal(seen[code], 1);
                assert_int_equal(check_graph_find(&opened.graph, key), id);
            }
            close_graph(&opened);
        }
        free(seen);
    }
}

/* The quotient holds one state for each orbit, and says how many states there are without it. */
static void the_quotient_counts_all_states(void **unused)
{
    (void)unused;
    struct dice dice = {11};
    for (unsigned s = 0; s < scaled(20); s++) {
        struct table table;
        large_table(&table, &dice, 5, 1 + s % 3, true);
        table.values = 2;
        table.locals = 4;
        random_regions(&table, &dice, false, false, 4);
        random_fill(&table, &dice, true);
        struct opened whole, reduced;
        open_graph(&whole, &table.check, 2, false, true);
        open_graph(&reduced, &table.check, 2, true, true);
        assert_false(whole.graph.reduced);
        assert_true(reduced.graph.reduced);
        assert_int_equal(whole.states, reduced.states);
        assert_int_equal(whole.transitions, reduced.transitions);
        assert_true(reduced.graph.count <= whole.graph.count);
        uint64_t orbits = 0;
        for (uint32_t id = 0; id < reduced.graph.count; id++) {
            const uint64_t *key = check_graph_key(&reduced.graph, id);
            uint64_t canonical[CHECK_MAX_WORDS];
            memcpy(canonical, key, table.check.words * sizeof *key);
            check_canonical(&table.check, canonical);
            assert_true(check_same_state(canonical, key, table.check.words));
            orbits += check_orbit(&table.check, key);
        }
        assert_int_equal(orbits, whole.graph.count);
        for (uint32_t id = 0; id < whole.graph.count; id++) {
            uint64_t canonical[CHECK_MAX_WORDS];
            memcpy(canonical, check_graph_key(&whole.graph, id),
                   table.check.words * sizeof *canonical);
            check_canonical(&table.check, canonical);
            assert_int_not_equal(check_graph_find(&reduced.graph, canonical), CHECK_NONE);
        }
        close_graph(&whole);
        close_graph(&reduced);
    }
}

/* ---- limits ---- */

static void too_little_memory_is_said_and_nothing_leaks(void **unused)
{
    (void)unused;
    struct dice dice = {3};
    struct table table;
    large_table(&table, &dice, 4, 1, false);
    for (uint64_t kib = 0; kib < 2048; kib += 64) {
        struct check_budget budget = {.limit = kib << 10};
        struct check_limits limits = limits_of(&budget, false);
        struct check_query query = {.property = CHECK_LOCKOUT_FREE};
        struct check_result result;
        struct check_report report;
        if (check_run(&table.check, &limits, &query, 1, &result, &report)) {
            assert_int_equal(report.end, CHECK_OUT_OF_MEMORY);
            assert_int_equal(result.answer, CHECK_UNDECIDED);
            check_witness_free(&result.witness);
        }
        assert_int_equal(atomic_load(&budget.used), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs_are_right_edge_by_edge),
        cmocka_unit_test(a_state_that_is_not_reached_is_not_found),
        cmocka_unit_test(large_graphs_have_every_state_once),
        cmocka_unit_test(the_quotient_counts_all_states),
        cmocka_unit_test(too_little_memory_is_said_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
