/*
 * More states than there are numbers of 32 bits. That takes more memory than machines have, so here
 * there are fewer numbers: what is said of single states and of lost slots is what is said with
 * enough of them, a witness apart, and nothing is said of anything else.
 */
#include "compare.h"

static const enum check_property single[] = {CHECK_EXCLUSION, CHECK_DISTINCT_SLOTS, CHECK_NO_MEMORY,
                                             CHECK_NO_SLOT_LOST};
static const enum check_property others[] = {CHECK_LOCKOUT_FREE, CHECK_FIFO_ENABLING};
enum { SINGLE = sizeof single / sizeof single[0], ALL = SINGLE + 2 };

static void ask(const struct table *table, uint64_t numbers, struct check_result *results,
                struct check_report *report)
{
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, true);
    struct check_query queries[ALL] = {{0}};
    const uint64_t most = check_most_numbers;
    for (unsigned q = 0; q < ALL; q++)
        queries[q].property = q < SINGLE ? single[q] : others[q - SINGLE];
    check_most_numbers = numbers;
    assert_true(check_run(&table->check, &limits, queries, ALL, results, report));
    check_most_numbers = most;
    assert_null(report->fault);
    assert_int_equal(report->end, CHECK_COMPLETE);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void single_states_need_no_numbers(void **unused)
{
    (void)unused;
    struct dice dice = {5};
    unsigned holding = 0, failing = 0;
    for (unsigned s = 0; s < scaled(200); s++) {
        struct table table;
        struct check_result enough[ALL], few[ALL];
        struct check_report with, without;
        const struct random_wish wish = {
            .n = 2 + dice_below(&dice, 2), .deaths = dice_below(&dice, 3) == 0, .doorway = true};
        random_table(&table, &dice, wish);
        ask(&table, UINT32_MAX, enough, &with);
        ask(&table, with.stored, few, &without);
        assert_int_equal(with.states, without.states);
        assert_int_equal(with.transitions, without.transitions);
        for (unsigned q = 0; q < SINGLE; q++) {
            assert_int_equal(enough[q].answer, few[q].answer);
            assert_null(few[q].witness.edge);
            holding += few[q].answer == CHECK_HOLDS;
            failing += few[q].answer == CHECK_FAILS;
        }
        for (unsigned q = SINGLE; q < ALL; q++) {
            assert_int_not_equal(enough[q].answer, CHECK_UNDECIDED);
            assert_int_equal(few[q].answer, CHECK_UNDECIDED);
        }
        /* One number more, and there are enough. */
        for (unsigned q = 0; q < ALL; q++)
            check_witness_free(&few[q].witness);
        ask(&table, with.stored + 1, few, &without);
        for (unsigned q = 0; q < ALL; q++) {
            assert_int_equal(enough[q].answer, few[q].answer);
            assert_int_equal(enough[q].witness.length, few[q].witness.length);
            check_witness_free(&enough[q].witness);
            check_witness_free(&few[q].witness);
        }
    }
    assert_true(holding > scaled(50));
    assert_true(failing > scaled(50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_states_need_no_numbers),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
