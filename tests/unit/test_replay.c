/*
 * A witness that does not show its property is noticed: schedules that were tampered with, and a
 * model that does not do the same twice.
 */
#include "catalogue.h"
#include "table_model.h"
#include "witnesses.h"

#include "check/replay.h"

static unsigned tampered;

/* Whether there is no shorter run that shows it of anybody; of a count, the witness is the shortest
 * for the two processes that it is about. */
static bool is_shortest(const struct check_result *result)
{
    switch (result->query.property) {
    case CHECK_EXCLUSION:
    case CHECK_DISTINCT_SLOTS:
    case CHECK_NO_SLOT_LOST:
    case CHECK_L_FULL:
    case CHECK_STRONG_FIRST_IN_FIRST_ENABLED:
    case CHECK_WINDOW:
    case CHECK_INVARIANTS:
    case CHECK_ACYCLIC:
    case CHECK_COMPARABLE:
    case CHECK_STABLE: return true;
    default: return false;
    }
}

/* A shortest run shows nothing before its end, and a cycle that is cut short is none. */
static void cut_short(const struct check_model *model, const struct check_result *result)
{
    struct check_budget budget = budget_of(512);
    struct check_limits limits = limits_of(&budget, false);
    struct check_space space;
    struct check_graph graph;
    struct check_enabled enabled;
    const char *why = "";
    if (result->answer != CHECK_FAILS || result->witness.length == 0)
        return;
    limits.keep_order = true;
    assert_true(check_explore(&space, model, &limits));
    assert_true(check_graph_freeze(&graph, &space, &limits, true));
    assert_true(check_enabled_open(&enabled, &graph));
    struct check_result shorter = *result;
    const bool with = result->query.property >= CHECK_FINITE_WAITING_ENABLING &&
                      result->query.property <= CHECK_OVERTAKING &&
                      result->query.property != CHECK_WAIT_FREE_DOORWAY;
    const struct check_enabled *needed =
        with || result->query.property == CHECK_KL_DEADLOCK_FREE ||
                (result->query.property == CHECK_INVARIANTS && model->ahead != NULL)
            ? &enabled
            : NULL;
    assert_int_equal(check_replay_result(&graph, needed, result, &why), CHECK_SHOWN);
    shorter.witness.length--;
    if (result->witness.stem == result->witness.length)
        shorter.witness.stem--;
    const enum check_replayed cut = check_replay_result(&graph, needed, &shorter, &why);
    if (is_shortest(result)) {
        assert_int_equal(cut, CHECK_NOT_SHOWN);
        tampered++;
    }
    shorter = *result;
    shorter.witness.edge = malloc(result->witness.length);
    assert_non_null(shorter.witness.edge);
    memcpy(shorter.witness.edge, result->witness.edge, result->witness.length);
    shorter.witness.edge[result->witness.length / 2] = (uint8_t)(model->n * model->kinds);
    assert_int_equal(check_replay_result(&graph, needed, &shorter, &why), CHECK_NOT_SHOWN);
    free(shorter.witness.edge);
    check_enabled_close(&enabled);
    check_graph_close(&graph);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void tamper_with_all(const struct protocol_choice *choice, const struct step_params *params,
                            void *context)
{
    static struct step_model model;
    (void)context;
    assert_null(choice->model->make(&model, params));
    struct check_budget budget = budget_of(512);
    struct check_limits limits = limits_of(&budget, false);
    struct check_query queries[CHECK_PROPERTIES];
    struct check_result results[CHECK_PROPERTIES];
    struct check_report report;
    size_t count = 0;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (has_witness((enum check_property)p) &&
            (p != CHECK_WAIT_FREE_DOORWAY || choice->model->has_doorway))
            queries[count++] =
                (struct check_query){.property = (enum check_property)p, .has_bound = true};
    }
    assert_true(check_run(&model.check, &limits, queries, count, results, &report));
    assert_null(report.fault);
    for (size_t q = 0; q < count; q++) {
        if (results[q].query.property != CHECK_QUEUELIKE)
            cut_short(&model.check, &results[q]);
        check_witness_free(&results[q].witness);
    }
}

static void what_was_tampered_with_is_not_shown(void **unused)
{
    (void)unused;
    for_each_small(2, 3, 600, NULL, tamper_with_all, NULL);
    print_message("%u runs cut short\n", tampered);
    assert_true(tampered > 50);
}

/* ---- a model that lies ---- */

static bool (*honest)(const struct check_model *model, const uint64_t *state, unsigned edge,
                      uint64_t *out, struct check_note *note);

/* Process 1 does not move when it is described. */
static bool lie(const struct check_model *model, const uint64_t *state, unsigned edge,
                uint64_t *out, struct check_note *note)
{
    const bool there = honest(model, state, edge, out, note);
    for (unsigned w = 0; edge % model->n == 1 && w < model->words; w++)
        out[w] = state[w];
    return there;
}

static void a_model_that_lies_is_an_error_and_no_answer(void **unused)
{
    (void)unused;
    struct table table;
    table_begin(&table, 2, 1, SYSTEM_LOCALS, 1);
    table_regions(&table);
    for (unsigned p = 0; p < 2; p++) {
        table.next[p][0][REST] = (struct entry){0, IN};
        table.next[p][0][IN] = (struct entry){0, REST};
    }
    table.check.local_moves = false; /* not to be compiled */
    honest = table.check.describe;
    for (unsigned lies = 0; lies < 2; lies++) {
        struct check_budget budget = budget_of(64);
        struct check_limits limits = limits_of(&budget, false);
        struct check_query query = {.property = CHECK_EXCLUSION};
        struct check_result result;
        struct check_report report;
        table.check.describe = lies ? lie : honest;
        assert_true(check_run(&table.check, &limits, &query, 1, &result, &report));
        assert_int_equal(result.answer, lies ? CHECK_UNDECIDED : CHECK_FAILS);
        assert_int_equal(report.fault != NULL, lies);
        assert_true(!lies || report.fault_in == CHECK_EXCLUSION);
        check_witness_free(&result.witness);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_tampered_with_is_not_shown),
        cmocka_unit_test(a_model_that_lies_is_an_error_and_no_answer),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
