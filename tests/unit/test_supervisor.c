/*
 * Supervisors: every decision procedure against brute force on random systems with one, and a
 * system that is nothing without its supervisor's steps.
 */
#include "compare.h"

/* V: 0 nobody, 1 somebody may enter, 2 somebody is in. Only the supervisor turns 0 into 1. */
static void table_usher(struct table *table, unsigned n, unsigned words)
{
    table_begin(table, n, 3, SYSTEM_LOCALS, words);
    table_regions(table);
    for (unsigned v = 0; v < 3; v++) {
        table_set(table, v, REST, v, TRY);
        table_set(table, v, TRY, v == 1 ? 2 : v, v == 1 ? IN : TRY);
        table_set(table, v, IN, 0, REST);
    }
    table->check.anonymous = true;
    table_add_supervisor(table);
    for (unsigned v = 0; v < 3; v++)
        table->next[n][v][0] = (struct entry){(uint8_t)(v == 0 ? 1 : v), 0};
}

static void a_supervisor_does_not_stop(void **unused)
{
    (void)unused;
    for (unsigned n = 2; n <= 4; n++) {
        struct table table;
        struct answers answers = {0};
        struct tally tally = {0};
        table_usher(&table, n, 2);
        table.check.k = n;
        ask_run(&table, true, true, &answers);
        assert_true(answers.holds[EXCLUSION]);
        assert_true(answers.holds[DEADLOCK]); /* else everybody would wait for V to become 1 */
        assert_true(answers.holds[KL_DEADLOCK]);
        assert_false(answers.holds[LOCKOUT]);
        assert_false(answers.holds[L_FULL]); /* until the usher has looked */
        assert_true(compare_all(&table, &tally));
        /* One that does nothing is as good as none. */
        for (unsigned v = 0; v < 3; v++)
            table.next[n][v][0] = (struct entry){(uint8_t)v, 0};
        ask_run(&table, true, true, &answers);
        assert_false(answers.holds[DEADLOCK]);
        assert_false(answers.holds[KL_DEADLOCK]);
        assert_true(compare_all(&table, &tally));
    }
    assert_int_equal(disagreements, 0);
}

static void random_with_supervisor(void **unused)
{
    (void)unused;
    random_systems(81, scaled(500), (struct random_wish){.n = 2, .supervisor = true}, true);
    random_systems(82, scaled(60), (struct random_wish){.n = 3, .supervisor = true}, false);
}

/* The supervisor is not exchanged with the workers, however alike they are. */
static void random_alike_with_supervisor(void **unused)
{
    (void)unused;
    random_systems(83, scaled(60), (struct random_wish){.n = 4, .alike = true, .supervisor = true},
                   false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_supervisor_does_not_stop),
        cmocka_unit_test(random_with_supervisor),
        cmocka_unit_test(random_alike_with_supervisor),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
