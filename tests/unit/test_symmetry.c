/*
 * The two short cuts of a check give the same as the long way: the quotient by symmetry, and the
 * model compiled into tables. States, transitions, answers and bounds are equal with and without.
 */
#include "catalogue.h"

static unsigned differences, compared;

struct outcome {
    struct check_report report;
    size_t count;
    struct check_result result[CHECK_PROPERTIES];
};

static void run(const struct protocol_choice *choice, struct step_model *model, bool symmetry,
                bool compiled, struct outcome *outcome)
{
    struct check_budget budget = budget_of(2048);
    struct check_limits limits = limits_of(&budget, symmetry);
    struct check_query queries[CHECK_PROPERTIES];
    outcome->count = 0;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (!check_applies(&model->check, (enum check_property)p))
            continue;
        if (p == CHECK_WAIT_FREE_DOORWAY && !choice->model->has_doorway)
            continue;
        queries[outcome->count++] = (struct check_query){.property = (enum check_property)p};
    }
    const bool local_moves = model->check.local_moves;
    model->check.local_moves = local_moves && compiled;
    assert_true(check_run(&model->check, &limits, queries, outcome->count, outcome->result,
                          &outcome->report));
    model->check.local_moves = local_moves;
    check_witness_free(&outcome->report.slip.witness);
    for (size_t q = 0; q < outcome->count; q++)
        check_witness_free(&outcome->result[q].witness);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static bool same_result(const struct check_result *a, const struct check_result *b)
{
    return a->answer == b->answer && a->has_bound == b->has_bound &&
           (!a->has_bound || a->bound == b->bound) && a->has_bound_active == b->has_bound_active &&
           (!a->has_bound_active || a->bound_active == b->bound_active);
}

static void compare(const struct protocol_choice *choice, const struct step_params *params,
                    const struct outcome *a, const struct outcome *b, const char *what)
{
    char name[80];
    protocol_full_name(choice, name, sizeof name);
    bool same = a->report.end == CHECK_COMPLETE && b->report.end == CHECK_COMPLETE &&
                a->report.states == b->report.states &&
                a->report.transitions == b->report.transitions;
    if (!same)
        print_error("%s, n = %u, %s: %llu states, %llu transitions, else %llu, %llu\n", name,
                    params->n, what, (unsigned long long)a->report.states,
                    (unsigned long long)a->report.transitions, (unsigned long long)b->report.states,
                    (unsigned long long)b->report.transitions);
    for (size_t q = 0; q < a->count; q++) {
        const struct check_result *one = &a->result[q], *other = &b->result[q];
        /* Where there may be too many to count, or a limit cuts off what is asked about. */
        if (one->query.property != CHECK_VALUES && !one->cut)
            assert_int_not_equal(one->answer, CHECK_UNDECIDED);
        if (same_result(one, other))
            continue;
        same = false;
        print_error("%s, n = %u, %s: %s is %d (%llu), else %d (%llu)\n", name, params->n, what,
                    check_property_name(one->query.property), one->answer,
                    (unsigned long long)one->bound, other->answer,
                    (unsigned long long)other->bound);
    }
    for (unsigned c = 0; c < CHECK_MAX_CELLS; c++)
        same = same && a->report.values[c] == b->report.values[c];
    differences += !same;
    compared++;
}

static bool is_anonymous(const struct protocol_choice *choice)
{
    return choice->protocol->anonymous;
}

static void compare_symmetry(const struct protocol_choice *choice, const struct step_params *params,
                             void *context)
{
    static struct step_model model;
    static struct outcome with, without;
    (void)context;
    assert_null(choice->model->make(&model, params));
    run(choice, &model, true, true, &with);
    run(choice, &model, false, true, &without);
    assert_int_equal(with.report.reduced, params->n > 3);
    assert_false(without.report.reduced);
    assert_true(params->n <= 3 || with.report.stored < without.report.stored);
    compare(choice, params, &with, &without, "with symmetry");
}

static void anonymous_protocols_are_the_same_without_symmetry(void **unused)
{
    (void)unused;
    differences = compared = 0;
    for_each_small(2, 5, 10000, is_anonymous, compare_symmetry, NULL);
    print_message("%u compared\n", compared);
    assert_int_equal(differences, 0);
    assert_true(compared >= 10);
}

static void compare_compiled(const struct protocol_choice *choice, const struct step_params *params,
                             void *context)
{
    static struct step_model model;
    static struct outcome with, without;
    unsigned *compiled = context;
    assert_null(choice->model->make(&model, params));
    *compiled += model.check.local_moves;
    run(choice, &model, true, true, &with);
    run(choice, &model, true, false, &without);
    compare(choice, params, &with, &without, "compiled");
}

static void compiled_models_are_the_same_as_the_originals(void **unused)
{
    (void)unused;
    unsigned compiled = 0;
    differences = compared = 0;
    for_each_small(1, 4, 10000, NULL, compare_compiled, &compiled);
    print_message("%u compared, %u of them compiled\n", compared, compiled);
    assert_int_equal(differences, 0);
    assert_true(compiled >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anonymous_protocols_are_the_same_without_symmetry),
        cmocka_unit_test(compiled_models_are_the_same_as_the_originals),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
