/*
 * Graphs of which one state is kept for all that differ by an exchange of processes
 * (check/folded.h): what is asked of processes by name is answered as where nothing is exchanged.
 * Random systems whose processes are alike, and the pool with its variants.
 */
#include "catalogue.h"
#include "random_table.h"

#include "check/folded.h"
#include "check/graph.h"

#include <string.h>

static void test_permutations(void **unused)
{
    (void)unused;
    static const unsigned factorial[] = {1, 1, 2, 6, 24, 120};
    static struct check_folding folding;
    for (unsigned n = 2; n <= CHECK_FOLDED_PROCESSES; n++) {
        check_folding_make(&folding, n);
        assert_int_equal(folding.folds, factorial[n]);
        for (unsigned p = 0; p < n; p++)
            assert_int_equal(folding.place[0][p], p);
        for (unsigned a = 0; a < folding.folds; a++) {
            assert_int_equal(check_folding_number(&folding, folding.place[a]), a);
            for (unsigned b = 0; b < folding.folds; b++) {
                for (unsigned p = 0; p < n; p++)
                    assert_int_equal(folding.place[folding.after[a][b]][p],
                                     folding.place[a][folding.place[b][p]]);
            }
        }
        for (unsigned p = 0; p < n; p++) {
            assert_int_equal(folding.place[folding.swap[p]][0], p);
            assert_int_equal(folding.place[folding.swap[p]][p], 0);
        }
    }
}

/* ---- the same questions, both ways ---- */

struct answers {
    struct check_result result[CHECK_PROPERTIES];
    struct check_report report;
    size_t count;
};

/* All properties that can be decided where `folded` exchanges processes are asked of `model`. */
static void ask(const struct check_model *model, const struct check_model *folded, unsigned threads,
                struct answers *answers)
{
    struct check_budget budget = budget_of(4096);
    struct check_limits limits = limits_of(&budget, false);
    struct check_query queries[CHECK_PROPERTIES];
    limits.threads = threads;
    limits.plain = threads == 2; /* and not collapsed */
    answers->count = 0;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (check_applies(model, (enum check_property)p) &&
            check_decided_folded(folded, (enum check_property)p))
            queries[answers->count++] = (struct check_query){.property = (enum check_property)p};
    }
    assert_true(answers->count > 11);
    assert_true(
        check_run(model, &limits, queries, answers->count, answers->result, &answers->report));
    assert_int_equal(answers->report.end, CHECK_COMPLETE);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void forget(struct answers *answers)
{
    for (size_t q = 0; q < answers->count; q++)
        check_witness_free(&answers->result[q].witness);
}

static unsigned held[CHECK_PROPERTIES], failed[CHECK_PROPERTIES], runs, lassos, faults;

static bool has_equal_witness(const struct check_result *a, const struct check_result *b)
{
    const bool first = b->query.property == CHECK_FIRST_IN_FIRST_ENABLED ||
                       b->query.property == CHECK_STRONG_FIRST_IN_FIRST_ENABLED;
    const bool lasso = a->witness.stem < a->witness.length;
    runs += a->witness.edge != NULL;
    lassos += lasso;
    if ((a->witness.edge == NULL) != (b->witness.edge == NULL) ||
        lasso != (b->witness.stem < b->witness.length))
        return false;
    /* The others are shortest for the process or pair that they are about, here 0, or 0 and 1. */
    return !first || a->witness.length == b->witness.length;
}

/* True: they are the same. */
static bool compare(const struct answers *plain, const struct answers *folded)
{
    bool same = plain->report.fault == NULL && folded->report.fault == NULL;
    faults += folded->report.fault != NULL;
    for (size_t q = 0; q < plain->count; q++) {
        const struct check_result *a = &plain->result[q], *b = &folded->result[q];
        assert_int_not_equal(a->answer, CHECK_UNDECIDED);
        held[a->query.property] += a->answer == CHECK_HOLDS;
        failed[a->query.property] += a->answer == CHECK_FAILS;
        if (a->answer == b->answer && a->has_bound == b->has_bound &&
            (!a->has_bound || a->bound == b->bound) && has_equal_witness(a, b))
            continue;
        print_error("%s: %d, bound %llu, %zu steps; folded %d, bound %llu, %zu steps\n",
                    check_property_name(a->query.property), a->answer, (unsigned long long)a->bound,
                    a->witness.length, b->answer, (unsigned long long)b->bound, b->witness.length);
        same = false;
    }
    return same;
}

/* ---- random systems ---- */

/* A table whose processes are sorted by their local states after each move. */
struct sorted {
    struct table table; /* first: callbacks get a pointer to it */
    const struct table *raw;
    bool names;   /* V names process V - 1, or nobody if it is 0 */
    bool forgets; /* says that nothing was exchanged: a mistake to be found */
};

static void sort_processes(const struct sorted *sorted, uint64_t *state, uint8_t *to)
{
    const struct check_model *model = &sorted->table.check;
    const unsigned n = model->n, v = (unsigned)check_get(state, model->cell[0].field);
    uint64_t local[CHECK_MAX_PROCESSES], key[CHECK_MAX_PROCESSES];
    for (unsigned p = 0; p < n; p++) {
        local[p] = check_get(state, model->block[p]);
        key[p] = local[p] << 1 | (sorted->names && v == p + 1);
    }
    for (unsigned p = 0; p < n; p++) {
        unsigned place = 0;
        for (unsigned q = 0; q < n; q++)
            place += key[q] < key[p] || (key[q] == key[p] && q < p);
        to[p] = (uint8_t)place;
        check_put(state, model->block[place], local[p]);
    }
    if (sorted->names && v > 0)
        check_put(state, model->cell[0].field, to[v - 1] + 1U);
}

static struct check_moves expand_exchanging(const struct check_model *model, const uint64_t *state,
                                            uint64_t *out, uint8_t *to)
{
    const struct sorted *sorted = (const struct sorted *)model;
    struct check_moves moves = sorted->raw->check.expand(&sorted->raw->check, state, out);
    const unsigned words = model->words;
    for (unsigned e = 0; e < model->n * model->kinds; e++) {
        uint8_t *of = to + (size_t)e * model->n;
        for (unsigned p = 0; p < model->n; p++)
            of[p] = (uint8_t)p;
        if ((moves.change >> e & 1) == 0)
            continue;
        sort_processes(sorted, out + e * words, of);
        if (check_same_state(out + e * words, state, words)) /* but for who is who */
            moves.change &= ~(UINT64_C(1) << e);
        for (unsigned p = 0; p < model->n && sorted->forgets; p++)
            of[p] = (uint8_t)p;
    }
    return moves;
}

static struct check_moves expand(const struct check_model *model, const uint64_t *state,
                                 uint64_t *out)
{
    uint8_t to[CHECK_MAX_EDGES * CHECK_FOLDED_PROCESSES];
    return expand_exchanging(model, state, out, to);
}

static bool describe(const struct check_model *model, const uint64_t *state, unsigned edge,
                     uint64_t *out, struct check_note *note)
{
    const struct sorted *sorted = (const struct sorted *)model;
    uint8_t to[CHECK_MAX_PROCESSES];
    const bool made = sorted->raw->check.describe(&sorted->raw->check, state, edge, out, note);
    if (made)
        sort_processes(sorted, out, to);
    return made;
}

/* The same system with its processes sorted, as `sorted`. */
static struct check_model *make_sorted(struct sorted *sorted, struct table *table, bool names,
                                       bool forgets)
{
    table->check.anonymous = false;
    table->check.local_moves = false; /* no compact tables */
    *sorted = (struct sorted){.table = *table, .raw = table, .names = names, .forgets = forgets};
    struct check_model *check = &sorted->table.check;
    for (unsigned p = 0; p < check->n; p++)
        check->region[p] = sorted->table.region;
    check->expand = expand;
    check->expand_exchanging = expand_exchanging;
    check->describe = describe;
    check->named = &table->check;
    return check;
}

/* True: both ways say the same. */
static bool compare_random(struct table *table, bool names, bool forgets, unsigned threads)
{
    static struct answers plain, folded;
    struct sorted sorted;
    struct check_model *check = make_sorted(&sorted, table, names, forgets);
    ask(&table->check, check, 1, &plain);
    ask(check, check, threads, &folded);
    const bool same = compare(&plain, &folded);
    forget(&plain);
    forget(&folded);
    return same;
}

static unsigned run_random(unsigned seed, unsigned count, bool forgets)
{
    struct dice dice = {seed};
    unsigned differ = 0;
    for (unsigned s = 0; s < count; s++) {
        struct table table;
        struct random_wish wish = {.n = 2 + dice_below(&dice, 3),
                                   .alike = true,
                                   .deaths = dice_below(&dice, 3) == 0,
                                   .choices = dice_below(&dice, 3) == 0,
                                   .quits = dice_below(&dice, 3) == 0,
                                   .own_steps = dice_below(&dice, 2) == 0,
                                   .doorway = dice_below(&dice, 2) == 0,
                                   .exits = dice_below(&dice, 2) == 0};
        wish.kills = !wish.deaths && dice_below(&dice, 3) == 0;
        random_table(&table, &dice, wish);
        if (compare_random(&table, false, forgets, 1 + s % 2))
            continue;
        differ++;
        if (!forgets)
            table_print(&table);
    }
    return differ;
}

static void test_random(void **unused)
{
    (void)unused;
    assert_int_equal(run_random(11, scaled(300), false), 0);
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (held[p] + failed[p] > 0)
            print_message("%s: held %u times, failed %u times\n",
                          check_property_name((enum check_property)p), held[p], failed[p]);
    }
    assert_true(failed[CHECK_DEADLOCK_FREE] > 0 && failed[CHECK_FIFO_ENABLING] > 0);
    print_message("%u witnesses compared, %u of them with a cycle\n", runs, lassos);
    assert_true(runs > scaled(800) && lassos > scaled(400));
    assert_true(held[CHECK_LOCKOUT_FREE] > 0 && held[CHECK_FIRST_IN_FIRST_ENABLED] > 0);
}

/* With the exchanges forgotten, the answers are others, or witnesses do not show what they
 * should. */
static void test_is_noticed(void **unused)
{
    (void)unused;
    assert_true(run_random(11, scaled(100), true) > 0);
    assert_true(faults > 0);
}

/* ---- random systems whose variable names a process ---- */

/* What a step does depends on whether V names the process itself, another one or nobody, and so
 * does whom V names then: in no other way are processes told apart. Among two, a process can hand
 * over to the other one, which leads to the same state but for who is who. */
static void random_naming(struct table *table, struct dice *dice, unsigned n)
{
    enum { NOBODY, ITSELF, ANOTHER, WAYS };
    struct entry rule[WAYS][TABLE_LOCALS];
    table_begin(table, n, n + 1, 0, 1 + dice_below(dice, 3));
    random_regions(table, dice, dice_below(dice, 2), dice_below(dice, 2), n > 2 ? 4 : 5);
    random_fill(table, dice, true);
    for (unsigned x = 0; x < table->locals; x++) {
        for (unsigned way = 0; way < WAYS; way++)
            rule[way][x] = table->next[0][way][x];
    }
    for (unsigned p = 0; p < n; p++) {
        for (unsigned v = 0; v <= n; v++) {
            const unsigned another = v != 0 && v != p + 1 ? v : n == 2 ? 2 - p : 0;
            const unsigned names[WAYS] = {0, p + 1, another};
            for (unsigned x = 0; x < table->locals; x++) {
                const struct entry to = rule[v == 0 ? NOBODY : v == p + 1 ? ITSELF : ANOTHER][x];
                table->next[p][v][x] = (struct entry){(uint8_t)names[to.value % WAYS], to.local};
            }
        }
    }
    table->check.l = 1;
    table->check.k = 1 + dice_below(dice, n);
    table->check.own_steps = dice_below(dice, 2) == 0;
}

static void test_naming(void **unused)
{
    (void)unused;
    struct dice dice = {12};
    unsigned differ = 0;
    for (unsigned s = 0; s < scaled(600); s++) {
        struct table table;
        random_naming(&table, &dice, s % 50 == 0 ? 5 : 2 + s % 2);
        differ += !compare_random(&table, true, false, 1 + s % 2);
    }
    assert_int_equal(differ, 0);
}

/* An order of the model's own is not asked of a graph unfolded, nor what is about all processes. */
static void test_decided(void **unused)
{
    (void)unused;
    struct dice dice = {14};
    struct table table;
    struct sorted sorted;
    random_naming(&table, &dice, 2);
    struct check_model *check = make_sorted(&sorted, &table, true, false);
    assert_true(check_decided_folded(check, CHECK_FIFO));
    assert_false(check_decided_folded(check, CHECK_OVERTAKING));
    check->comes_back = true;
    assert_true(check_decided_folded(check, CHECK_FIFO_ENABLING));
    assert_false(check_decided_folded(check, CHECK_FIFO));
    check->n = CHECK_FOLDED_PROCESSES + 1;
    assert_false(check_decided_folded(check, CHECK_FIFO_ENABLING));
}

/* Where the states that are kept have numbers, and there are not enough for those of the graph
 * unfolded, nothing is said of processes by name. */
static void test_too_many(void **unused)
{
    (void)unused;
    const uint64_t most = check_most_numbers;
    const struct check_query queries[] = {
        {.property = CHECK_EXCLUSION},    {.property = CHECK_DEADLOCK_FREE},
        {.property = CHECK_LOCKOUT_FREE}, {.property = CHECK_BOUNDED_WAITING},
        {.property = CHECK_FIFO},         {.property = CHECK_FIRST_IN_FIRST_ENABLED}};
    enum { QUERIES = sizeof queries / sizeof queries[0] };
    struct dice dice = {15};
    struct table table;
    struct sorted sorted;
    random_naming(&table, &dice, 3);
    const struct check_model *check = make_sorted(&sorted, &table, true, false);
    for (unsigned enough = 0; enough < 2; enough++) {
        struct check_budget budget = budget_of(1024);
        struct check_limits limits = limits_of(&budget, false);
        struct check_result result[QUERIES];
        struct check_report report;
        assert_true(check_run(check, &limits, queries, QUERIES, result, &report));
        assert_int_equal(report.end, CHECK_COMPLETE);
        assert_null(report.fault);
        for (unsigned q = 0; q < QUERIES; q++) {
            assert_int_equal(result[q].answer != CHECK_UNDECIDED, q == 0 || enough == 0);
            check_witness_free(&result[q].witness);
        }
        check_most_numbers = report.stored + 1;
    }
    check_most_numbers = most;
}

/* ---- edges that are not kept ---- */

static void open_graph(const struct check_model *model, struct check_budget *budget, bool keep,
                       struct check_graph *graph)
{
    struct check_limits limits = limits_of(budget, false);
    struct check_space space;
    limits.threads = 1;
    limits.keep_order = true;
    assert_true(check_explore(&space, model, &limits));
    assert_true(check_graph_freeze(graph, &space, &limits, keep));
    assert_int_equal(graph->successor != NULL, keep);
}

/* States for which there was no room at the end of the table, and which are at its front. */
static unsigned count_wrapped(const struct check_graph *graph)
{
    const unsigned words = graph->model->words;
    unsigned wrapped = 0;
    for (uint64_t place = 0; place < graph->count; place++) {
        const uint64_t hash = check_set_hash(graph->table + place * words, words);
        wrapped += graph->rank[check_set_home(hash, graph->capacity) / 64].before > place;
    }
    return wrapped;
}

/* Edges that are worked out are those that would have been kept. Returns how many states are not
 * where they should be in the table, but at its front. */
static unsigned compare_rows(const struct check_model *model)
{
    struct check_budget budget = budget_of(1024);
    struct check_graph graph[2], unfolded[2];
    for (unsigned keep = 0; keep < 2; keep++) {
        open_graph(model, &budget, keep, &graph[keep]);
        unfolded[keep] = check_graph_unfold(&graph[keep]);
    }
    assert_int_equal(unfolded[0].count, unfolded[1].count);
    assert_true(unfolded[0].folds > 1);
    for (uint32_t id = 0; id < unfolded[0].count; id++) {
        uint32_t buffer[2][CHECK_MAX_EDGES];
        assert_memory_equal(check_graph_row(&unfolded[0], id, buffer[0]),
                            check_graph_row(&unfolded[1], id, buffer[1]),
                            unfolded[0].edges * sizeof(uint32_t));
    }
    const unsigned wrapped = count_wrapped(&graph[0]);
    check_graph_close(&graph[0]);
    check_graph_close(&graph[1]);
    assert_int_equal(atomic_load(&budget.used), 0);
    return wrapped;
}

/* ---- the pool ---- */

static struct step_model model, named;

static void make_pool(const char *name, unsigned n, unsigned l, unsigned kills)
{
    struct protocol_choice choice;
    assert_true(protocol_find(name, &choice));
    struct step_params params = {.n = n,
                                 .l = l,
                                 .k = 1,
                                 .kills = kills,
                                 .variant = choice.variant,
                                 .fault = STEP_FAULT_KILL};
    const unsigned broken_from = choice.protocol->broken_from;
    assert_null(choice.model->make(&model, &params));
    model.params.abridged = broken_from == 0 || choice.variant < broken_from;
    named = model;
    assert_non_null(model.expand_exchanging);
}

/* From here on it exchanges processes. */
static void exchange_in_pool(void)
{
    model.params.symmetric = true;
    model.check.expand_exchanging = model.expand_exchanging;
    model.check.named = &named.check;
}

static void compare_pool(const char *name, unsigned n, unsigned l, unsigned kills)
{
    static struct answers plain, folded;
    make_pool(name, n, l, kills);
    struct check_model as_folded = model.check;
    as_folded.expand_exchanging = model.expand_exchanging;
    as_folded.named = &named.check;
    ask(&model.check, &as_folded, 1, &plain);
    exchange_in_pool();
    ask(&model.check, &model.check, 1, &folded);
    print_message("%s, n = %u, l = %u, kills %u: %llu states, %llu kept\n", name, n, l, kills,
                  (unsigned long long)folded.report.states,
                  (unsigned long long)folded.report.stored);
    if (model.params.abridged) /* of one that is broken, NORMAL need not be right */
        assert_int_equal(plain.report.states, folded.report.states);
    assert_true(folded.report.stored < plain.report.stored);
    assert_true(compare(&plain, &folded));
    forget(&plain);
    forget(&folded);
}

static void test_pool(void **unused)
{
    (void)unused;
    compare_pool("pool", 2, 2, 1);
    compare_pool("pool/try", 2, 1, 0);
    compare_pool("pool/asleep", 2, 1, 1);
    compare_pool("pool/patient", 3, 1, 0);
    compare_pool("pool/no-recheck", 2, 1, 0);
    if (scaled_full(100) > 100) { /* make check-long */
        compare_pool("pool", 2, 1, 2);
        compare_pool("pool/no-recheck", 2, 1, 1);
        compare_pool("pool/no-help", 2, 1, 1);
        compare_pool("pool/patient", 3, 1, 1);
        compare_pool("pool", 3, 1, 1);
    }
}

static void test_rows(void **unused)
{
    (void)unused;
    struct dice dice = {13};
    for (unsigned s = 0; s < scaled(300); s++) {
        struct table table;
        struct sorted sorted;
        random_naming(&table, &dice, 2 + s % 4);
        compare_rows(make_sorted(&sorted, &table, true, false));
    }
    /* In large tables there are states beyond the end, at the front again: in the last two. */
    static const char *const pools[] = {"pool", "pool/try", "pool/asleep", "pool/patient"};
    uint64_t at_front = 0;
    for (unsigned i = some_is_enough() ? 10 : 0; i < 12; i++) {
        make_pool(pools[i % 4], 2, 1 + i / 4 % 2, 1 + i / 8);
        exchange_in_pool();
        at_front += compare_rows(&model.check);
    }
    assert_true(at_front > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permutations), cmocka_unit_test(test_random),
        cmocka_unit_test(test_is_noticed),   cmocka_unit_test(test_naming),
        cmocka_unit_test(test_decided),      cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_rows),         cmocka_unit_test(test_pool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
