/* Every witness is a schedule of the model and shows what it is said to show (replay.h). */
#include "brute.h"
#include "catalogue.h"
#include "replay.h"

static unsigned complaints, replayed;

static bool has_witness(enum check_property property)
{
    return property != CHECK_NO_MEMORY && property != CHECK_VALUES;
}

/* Depth of the first state with more than l critical, by a search of its own over describe. */
static size_t exclusion_depth(const struct check_model *model)
{
    const unsigned words = model->words;
    struct check_budget budget = budget_of(256);
    struct check_set seen;
    size_t room = 1 << 18, count = 1, depth = 0, level_end = 1;
    uint64_t(*queue)[CHECK_MAX_WORDS] = calloc(room, sizeof *queue);
    assert_non_null(queue);
    assert_true(check_set_open(&seen, &budget, words, 2 * room));
    model->initial(model, queue[0]);
    check_set_add(&seen, queue[0], check_set_home(check_set_hash(queue[0], words), seen.capacity));
    for (size_t at = 0; at < count; at++) {
        unsigned critical = 0;
        if (at == level_end) {
            depth++;
            level_end = count;
        }
        for (unsigned p = 0; p < model->n; p++)
            critical += check_region_of(model, queue[at], p) == CHECK_CRITICAL;
        if (critical > model->l)
            break;
        for (unsigned e = 0; e < model->n * model->kinds; e++) {
            struct check_note note;
            uint64_t next[CHECK_MAX_WORDS];
            if (!model->describe(model, queue[at], e, next, &note) ||
                !check_set_add(&seen, next,
                               check_set_home(check_set_hash(next, words), seen.capacity)))
                continue;
            assert_true(count < room);
            memcpy(queue[count++], next, sizeof next);
        }
    }
    check_set_close(&seen);
    free(queue);
    return depth;
}

static void replay_one(const struct check_model *model, const struct check_result *result,
                       const char *name, bool symmetry)
{
    char complaint[400];
    if (result->answer != CHECK_FAILS || !has_witness(result->query.property))
        return;
    if (strcmp(result->about, "it has an exit region") == 0)
        return; /* a property of the program, not of a schedule */
    replayed++;
    bool good = replay_witness(model, result, complaint, sizeof complaint);
    if (good && result->query.property == CHECK_EXCLUSION &&
        result->witness.length != exclusion_depth(model)) {
        snprintf(complaint, sizeof complaint, "%zu steps, but %zu are enough",
                 result->witness.length, exclusion_depth(model));
        good = false;
    }
    if (good)
        return;
    complaints++;
    print_error("%s, n = %u, l = %u, k = %u%s: %s: %s\n", name, model->n, model->l, model->k,
                symmetry ? "" : ", without symmetry", check_property_name(result->query.property),
                complaint);
}

/* ---- the catalogue ---- */

/* All properties, with the bounds that are claimed; and once more with bounds that are too small, so
 * that there is something to witness. */
static void witness_all(const struct protocol_choice *choice, const struct step_params *params,
                        void *context)
{
    (void)context;
    static struct step_model model;
    char name[80];
    protocol_full_name(choice, name, sizeof name);
    assert_null(choice->model->make(&model, params));
    for (unsigned way = 0; way < 4; way++) {
        const bool symmetry = way % 2 == 0, tight = way / 2 != 0;
        if (!symmetry && !model.check.anonymous)
            continue;
        struct check_budget budget = budget_of(1024);
        struct check_limits limits = limits_of(&budget, symmetry);
        struct check_query queries[CHECK_PROPERTIES];
        struct check_result results[CHECK_PROPERTIES];
        struct check_report report;
        size_t count = 0;
        for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
            if (p == CHECK_WAIT_FREE_DOORWAY && !choice->model->has_doorway)
                continue;
            queries[count++] = (struct check_query){.property = (enum check_property)p,
                                                    .has_bound = tight && has_witness(p)};
        }
        assert_true(check_run(&model.check, &limits, queries, count, results, &report));
        assert_int_equal(report.end, CHECK_COMPLETE);
        for (size_t q = 0; q < count; q++) {
            replay_one(&model.check, &results[q], name, symmetry);
            check_witness_free(&results[q].witness);
        }
        assert_int_equal(atomic_load(&budget.used), 0);
    }
}

static void every_witness_of_the_catalogue_can_be_replayed(void **unused)
{
    (void)unused;
    complaints = replayed = 0;
    for_each_small(1, 5, SANITIZED ? 2000 : 8000, NULL, witness_all, NULL);
    print_message("%u witnesses replayed\n", replayed);
    assert_int_equal(complaints, 0);
    assert_true(replayed > 100);
}

/* ---- random systems ---- */

/* `bound`: of each property, one less than the exact bound, which has to be exceeded; NULL: none. On
 * return the exact bounds less one are in `found`. */
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
    random_witnesses(31, scaled(400), (struct random_wish){.n = 2});
    random_witnesses(32, scaled(400), (struct random_wish){.n = 2, .deaths = true});
}

static void witnesses_of_random_triples_can_be_replayed(void **unused)
{
    (void)unused;
    random_witnesses(33, scaled(200), (struct random_wish){.n = 3});
}

static void witnesses_in_the_quotient_can_be_replayed(void **unused)
{
    (void)unused;
    random_witnesses(34, scaled(200), (struct random_wish){.n = 4, .alike = true});
    random_witnesses(35, scaled(100), (struct random_wish){.n = 5, .alike = true});
}

/* ---- by hand ---- */

/* Process 0 goes straight to its waiting room and waits there for ever; process 1 never gets out of
 * its doorway. That process 0 waits shows nothing: process 1 has to take steps. */
static void an_endless_doorway_is_shown_by_steps_in_it(void **unused)
{
    (void)unused;
    struct table table;
    table_begin(&table, 2, 1, SYSTEM_LOCALS, 1);
    table_regions(&table);
    table.next[0][0][REST] = (struct entry){0, TRY};
    table.next[0][0][TRY] = (struct entry){0, TRY};
    table.next[1][0][REST] = (struct entry){0, DOOR};
    table.next[1][0][DOOR] = (struct entry){0, DOOR};
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, false);
    struct check_query query = {.property = CHECK_WAIT_FREE_DOORWAY};
    struct check_result result;
    struct check_report report;
    assert_true(check_run(&table.check, &limits, &query, 1, &result, &report));
    assert_int_equal(result.answer, CHECK_FAILS);
    assert_non_null(result.witness.edge);
    bool moves = false;
    for (size_t s = result.witness.stem; s < result.witness.length; s++)
        moves |= result.witness.edge[s] == 1;
    check_witness_free(&result.witness);
    assert_true(moves);
}

/* A process that is enabled in its remainder makes the first state already not l-full: there is no
 * shorter schedule than none, and the last state of the witness has to be one that is not l-full. */
static void a_first_state_that_is_not_full_has_a_witness(void **unused)
{
    (void)unused;
    struct table table;
    table_begin(&table, 1, 1, SYSTEM_LOCALS, 1);
    table_regions(&table);
    table_set(&table, 0, REST, 0, IN);
    table_set(&table, 0, IN, 0, REST);
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, false);
    struct check_query query = {.property = CHECK_L_FULL};
    struct check_result result;
    struct check_report report;
    char complaint[400];
    assert_true(check_run(&table.check, &limits, &query, 1, &result, &report));
    assert_int_equal(result.answer, CHECK_FAILS);
    assert_true(replay_witness(&table.check, &result, complaint, sizeof complaint));
    check_witness_free(&result.witness);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_witness_of_the_catalogue_can_be_replayed),
        cmocka_unit_test(witnesses_of_random_pairs_can_be_replayed),
        cmocka_unit_test(witnesses_of_random_triples_can_be_replayed),
        cmocka_unit_test(witnesses_in_the_quotient_can_be_replayed),
        cmocka_unit_test(an_endless_doorway_is_shown_by_steps_in_it),
        cmocka_unit_test(a_first_state_that_is_not_full_has_a_witness),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
