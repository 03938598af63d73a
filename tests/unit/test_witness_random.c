/* The witnesses of random systems. */
#include "brute_enabling.h"
#include "random_table.h"
#include "witnesses.h"

/* `bound`: of each property, one less than the exact bound, which has to be exceeded; NULL: none.
 * On return the exact bounds less one are in `found`. */
static void witness_table(struct table *table, bool symmetry, const uint64_t *bound,
                          uint64_t *found)
{
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, symmetry);
    struct check_query queries[CHECK_PROPERTIES];
    struct check_result results[CHECK_PROPERTIES];
    struct check_report report;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++)
        queries[p] = (struct check_query){.property = (enum check_property)p,
                                          .has_bound = bound != NULL && bound[p] != UINT64_MAX,
                                          .bound = bound != NULL ? bound[p] : 0};
    unsigned before = complaints;
    assert_true(check_run(&table->check, &limits, queries, CHECK_PROPERTIES, results, &report));
    for (unsigned q = 0; q < CHECK_PROPERTIES; q++) {
        const struct check_result *result = &results[q];
        bool counts = has_witness(result->query.property) && result->has_bound;
        found[q] = counts && result->bound > 0 ? result->bound - 1 : UINT64_MAX;
        if (queries[q].has_bound)
            assert_int_equal(result->answer, CHECK_FAILS);
        replay_one(&table->check, result, "random table", symmetry);
        check_witness_free(&results[q].witness);
    }
    if (complaints != before)
        table_print(table);
}

static void random_witnesses(uint64_t seed, unsigned count, struct random_wish wish)
{
    struct dice dice = {seed};
    complaints = replayed = 0;
    for (unsigned s = 0; s < count && complaints < 3; s++) {
        struct table table;
        wish.doorway = dice_below(&dice, 2) == 0;
        wish.exits = dice_below(&dice, 2) == 0;
        random_table(&table, &dice, wish);
        for (unsigned way = 0; way < (wish.alike ? 2 : 1); way++) {
            uint64_t bound[CHECK_PROPERTIES], again[CHECK_PROPERTIES];
            witness_table(&table, way == 0, NULL, bound);
            witness_table(&table, way == 0, bound, again);
        }
    }
    assert_int_equal(complaints, 0);
    assert_true(replayed > 3 * count);
}

static void witnesses_of_random_pairs_can_be_replayed(void **unused)
{
    (void)unused;
    random_witnesses(31, scaled(300), (struct random_wish){.n = 2});
    random_witnesses(32, scaled(300), (struct random_wish){.n = 2, .deaths = true});
    random_witnesses(39, scaled(200), (struct random_wish){.n = 2, .supervisor = true});
    random_witnesses(40, scaled(30),
                     (struct random_wish){.n = 4, .alike = true, .supervisor = true});
}

static void witnesses_of_random_triples_can_be_replayed(void **unused)
{
    (void)unused;
    random_witnesses(33, scaled(200), (struct random_wish){.n = 3});
}

static void witnesses_in_the_quotient_can_be_replayed(void **unused)
{
    (void)unused;
    random_witnesses(34, scaled(150), (struct random_wish){.n = 4, .alike = true});
    random_witnesses(35, scaled(70), (struct random_wish){.n = 5, .alike = true});
}

static void witnesses_with_choices_can_be_replayed(void **unused)
{
    (void)unused;
    random_witnesses(36, scaled(200), (struct random_wish){.n = 2, .choices = true});
    random_witnesses(37, scaled(150),
                     (struct random_wish){.n = 2, .choices = true, .kills = true, .quits = true});
    random_witnesses(38, scaled(150),
                     (struct random_wish){.n = 3, .choices = true, .own_steps = true});
    random_witnesses(
        39, scaled(100),
        (struct random_wish){.n = 4, .alike = true, .choices = true, .own_steps = true});
    random_witnesses(40, scaled(40),
                     (struct random_wish){.n = 4, .alike = true, .kills = true, .own_steps = true});
}

/* ---- shortest ones ---- */

enum { NO_WAY = UINT32_MAX };

/*
 * By breadth-first search over the states of brute force, each with a mark: whether j has been in
 * its remainder while i has been held up. For i == j there is no such thing, and `bad` is looked
 * for.
 */
static unsigned shortest_way(const struct brute *brute, bool (*bad)(const struct brute *, unsigned),
                             unsigned i, unsigned j)
{
    static unsigned depth[BRUTE_STATES][2];
    static uint16_t queue[2 * BRUTE_STATES][2];
    unsigned count = 1;
    memset(depth, 0xff, sizeof depth);
    queue[0][0] = queue[0][1] = 0; /* everybody is in its remainder */
    depth[0][0] = 0;
    for (unsigned at = 0; at < count; at++) {
        const unsigned u = queue[at][0], mark = queue[at][1];
        if (i == j && bad(brute, u))
            return depth[u][mark];
        for (unsigned e = 0; e < brute->edges; e++) {
            const unsigned v = brute->next[u][e];
            if (v == BRUTE_NONE)
                continue;
            const bool held_up = i != j && brute_region(brute, v, i) == CHECK_WAITING &&
                                 (brute->enabled[v] >> i & 1) == 0;
            const unsigned then =
                held_up && (mark == 1 || brute_region(brute, v, j) == CHECK_REMAINDER);
            if (then == 1 &&
                (brute_region(brute, v, j) == CHECK_CRITICAL ||
                 (brute_region(brute, v, j) == CHECK_WAITING && brute->enabled[v] >> j & 1)))
                return depth[u][mark] + 1;
            if (depth[v][then] != NO_WAY)
                continue;
            depth[v][then] = depth[u][mark] + 1;
            queue[count][0] = (uint16_t)v;
            queue[count++][1] = (uint16_t)then;
        }
    }
    return NO_WAY;
}

static bool has_clash(const struct brute *brute, unsigned u)
{
    uint64_t state[CHECK_MAX_WORDS];
    brute_pack(brute, u, state);
    return walk_slots_clash(&brute->table->check, state);
}

static bool cannot_be_filled(const struct brute *brute, unsigned u)
{
    uint64_t state[CHECK_MAX_WORDS];
    brute_pack(brute, u, state);
    return !walk_can_fill(&brute->table->check, state);
}

static unsigned shortest_ahead(const struct brute *brute)
{
    unsigned least = NO_WAY;
    for (unsigned i = 0; i < brute->n; i++) {
        for (unsigned j = 0; j < brute->n; j++) {
            const unsigned one = i != j ? shortest_way(brute, NULL, i, j) : NO_WAY;
            least = one < least ? one : least;
        }
    }
    return least;
}

static void compare_length(const struct table *table, enum check_property property, unsigned least,
                           unsigned *shown)
{
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, true);
    const struct check_query query = {.property = property};
    struct check_result result;
    struct check_report report;
    assert_true(check_run(&table->check, &limits, &query, 1, &result, &report));
    assert_int_equal(result.answer, least == NO_WAY ? CHECK_HOLDS : CHECK_FAILS);
    if (least != NO_WAY)
        assert_int_equal(result.witness.length, least);
    *shown += least != NO_WAY;
    check_witness_free(&result.witness);
}

static void witnesses_of_states_and_order_are_shortest(void **unused)
{
    (void)unused;
    static struct brute brute;
    struct dice dice = {41};
    unsigned clashes = 0, lost = 0, ahead = 0, count = scaled(200);
    for (unsigned s = 0; s < count; s++) {
        struct table table;
        struct random_wish wish = {.n = 2 + dice_below(&dice, 3),
                                   .choices = dice_below(&dice, 2) == 0,
                                   .kills = dice_below(&dice, 2) == 0,
                                   .own_steps = dice_below(&dice, 2) == 0};
        wish.alike = wish.n == 4;
        random_table(&table, &dice, wish);
        if (!brute_explore(&brute, &table))
            continue;
        brute_enable(&brute, false);
        compare_length(&table, CHECK_DISTINCT_SLOTS, shortest_way(&brute, has_clash, 0, 0),
                       &clashes);
        compare_length(&table, CHECK_NO_SLOT_LOST, shortest_way(&brute, cannot_be_filled, 0, 0),
                       &lost);
        compare_length(&table, CHECK_STRONG_FIRST_IN_FIRST_ENABLED, shortest_ahead(&brute), &ahead);
    }
    assert_in_range(clashes, count / 10, count);
    assert_in_range(lost, count / 10, count);
    assert_in_range(ahead, count / 10, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(witnesses_of_random_pairs_can_be_replayed),
        cmocka_unit_test(witnesses_of_random_triples_can_be_replayed),
        cmocka_unit_test(witnesses_in_the_quotient_can_be_replayed),
        cmocka_unit_test(witnesses_with_choices_can_be_replayed),
        cmocka_unit_test(witnesses_of_states_and_order_are_shortest),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
