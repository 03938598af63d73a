/* The witnesses of the catalogue, and a few by hand. */
#include "catalogue.h"
#include "table_model.h"
#include "witnesses.h"

/* ---- the catalogue ---- */

/* All properties, with the bounds that are claimed; and once more with bounds that are too small,
 * so that there is something to witness. */
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
    for_each_small(1, 5, 5000, NULL, witness_all, NULL);
    print_message("%u witnesses replayed\n", replayed);
    assert_int_equal(complaints, 0);
    assert_true(replayed > 100);
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
 * shorter schedule than none, and the last state of the witness has to be one that is not
 * l-full. */
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
        cmocka_unit_test(an_endless_doorway_is_shown_by_steps_in_it),
        cmocka_unit_test(a_first_state_that_is_not_full_has_a_witness),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
