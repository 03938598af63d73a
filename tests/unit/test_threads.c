/*
 * Any number of threads says the same: counts, verdicts, bounds, and the lengths of witnesses. Here
 * a second thread is worth it for a single state, so that small systems show it.
 */
#include "catalogue.h"

#include "check/parallel.h"

static unsigned compared;

struct outcome {
    struct check_report report;
    struct check_result result[CHECK_PROPERTIES];
    size_t count;
};

static void ask(const struct check_model *model, const struct protocol_choice *choice,
                unsigned threads, bool tight, struct outcome *outcome)
{
    struct check_budget budget = budget_of(1024);
    struct check_limits limits = limits_of(&budget, true);
    struct check_query queries[CHECK_PROPERTIES];
    limits.threads = threads;
    outcome->count = 0;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (p != CHECK_WAIT_FREE_DOORWAY || choice->model->has_doorway)
            queries[outcome->count++] =
                (struct check_query){.property = (enum check_property)p, .has_bound = tight};
    }
    assert_true(
        check_run(model, &limits, queries, outcome->count, outcome->result, &outcome->report));
    assert_int_equal(outcome->report.end, CHECK_COMPLETE);
    assert_null(outcome->report.fault);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void forget(struct outcome *outcome)
{
    check_witness_free(&outcome->report.slip.witness);
    for (size_t q = 0; q < outcome->count; q++)
        check_witness_free(&outcome->result[q].witness);
}

static void compare(const char *name, unsigned threads, const struct outcome *one,
                    const struct outcome *many)
{
    assert_int_equal(one->report.states, many->report.states);
    assert_int_equal(one->report.transitions, many->report.transitions);
    assert_int_equal(one->report.stored, many->report.stored);
    assert_int_equal(one->report.depth, many->report.depth);
    for (size_t q = 0; q < one->count; q++) {
        const struct check_result *a = &one->result[q], *b = &many->result[q];
        compared++;
        if (a->answer == b->answer && a->has_bound == b->has_bound && a->bound == b->bound &&
            a->bound_active == b->bound_active && a->witness.length == b->witness.length &&
            a->witness.stem == b->witness.stem)
            continue;
        print_error("%s, %s on %u threads: answer %d and %d, bound %llu and %llu, %zu and %zu "
                    "steps\n",
                    name, check_property_name(a->query.property), threads, a->answer, b->answer,
                    (unsigned long long)a->bound, (unsigned long long)b->bound, a->witness.length,
                    b->witness.length);
        fail();
    }
}

static void compare_threads(const struct protocol_choice *choice, const struct step_params *params,
                            void *context)
{
    static struct step_model model;
    static struct outcome one, many;
    static unsigned turn;
    const unsigned numbers[] = {2, 4};
    const unsigned number = turn / 2 % 2;
    const bool tight = turn++ % 2 == 0, both = scaled_full(100) > 100; /* make check-long */
    char name[80];
    (void)context;
    protocol_full_name(choice, name, sizeof name);
    assert_null(choice->model->make(&model, params));
    ask(&model.check, choice, 1, tight, &one);
    for (unsigned k = both ? 0 : number; k < (both ? 2 : number + 1); k++) {
        ask(&model.check, choice, numbers[k], tight, &many);
        compare(name, numbers[k], &one, &many);
        forget(&many);
    }
    forget(&one);
}

static void any_number_of_threads_says_the_same(void **unused)
{
    (void)unused;
    check_worth_threads = 1;
    for_each_small(2, 3, 1500, NULL, compare_threads, NULL);
    print_message("%u answers compared\n", compared);
    assert_true(compared > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_says_the_same),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
