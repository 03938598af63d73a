/* Every decision procedure against brute force (compare.h), on systems with known answers and on
 * random ones. */
#include "compare.h"

/* ---- known answers ---- */

static void queue_has_every_property(void **unused)
{
    (void)unused;
    for (unsigned n = 2; n <= 3; n++) {
        for (unsigned l = 1; l < n; l++) {
            struct table table;
            struct answers answers = {0};
            struct tally tally = {0};
            table_queue(&table, n, l, false, false, 1);
            for (table.check.k = 1; table.check.k <= n; table.check.k++) {
                ask_run(&table, true, true, &answers);
                for (unsigned q = 0; q < QUESTIONS; q++) {
                    /* The queue is first in, first *enabled*. */
                    bool expected = l == 1 || (q != FIFO && q != BOUNDED && q != LINEAR &&
                                               q != LOCKOUT && (q != FINITE || table.check.k == 1));
                    if (expected)
                        assert_true(answers.holds[q]);
                }
                assert_true(answers.holds[LOCKOUT]);
                assert_int_equal(answers.bound[BOUNDED_ENABLING], 0);
            }
            table.check.k = 1;
            assert_true(compare_all(&table, &tally));
        }
    }
    assert_int_equal(disagreements, 0);
}

static void semaphore_locks_out(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    table_semaphore(&table, 3, 1, false, 2);
    ask_run(&table, true, true, &answers);
    assert_true(answers.holds[EXCLUSION]);
    assert_true(answers.holds[DEADLOCK]);
    assert_false(answers.holds[LOCKOUT]);
    assert_false(answers.holds[BOUNDED]);
    assert_false(answers.holds[LINEAR]);
    assert_false(answers.holds[FIFO]);
    assert_true(answers.holds[NO_MEMORY]);
    /* A free slot is somebody's in the next step, but nobody's in particular. */
    assert_false(answers.holds[L_FULL]);
    assert_true(answers.holds[KL_DEADLOCK]);
}

/* Two processes that wait for each other's turn: nobody ever changes its region. */
static void a_closed_door_is_a_deadlock(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    table_semaphore(&table, 2, 1, false, 1);
    table.first_value = 1; /* nobody holds it and nobody gives it back */
    ask_run(&table, true, true, &answers);
    assert_true(answers.holds[EXCLUSION]);
    assert_false(answers.holds[DEADLOCK]);
    assert_false(answers.holds[LOCKOUT]);
    assert_false(answers.holds[KL_DEADLOCK]);
    assert_true(answers.holds[BOUNDED]);
    assert_int_equal(answers.bound[BOUNDED], 0);
}

/* With l = 2 the queue keeps order, and one that sleeps at its head costs a slot but no more. */
static void a_queue_of_two_slots_survives_one_sleeper(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    table_queue(&table, 3, 2, false, false, 3);
    table.check.k = 3;
    ask_run(&table, true, true, &answers);
    assert_true(answers.holds[QUEUELIKE]);
    assert_true(answers.holds[KL_DEADLOCK]);
    assert_true(answers.holds[FINITE_ENABLING]);
    /* An enabled process may be overtaken as often as anybody likes. */
    assert_false(answers.holds[BOUNDED]);
}

/* The token ring: V names whose turn it is, whether it wants it or not. */
static void a_ring_deadlocks_when_the_holder_rests(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    table_begin(&table, 2, 2, SYSTEM_LOCALS, 1);
    table_regions(&table);
    for (unsigned p = 0; p < 2; p++) {
        for (unsigned v = 0; v < 2; v++) {
            table.next[p][v][REST] = (struct entry){(uint8_t)v, TRY};
            table.next[p][v][TRY] = (struct entry){(uint8_t)v, v == p ? IN : TRY};
            table.next[p][v][IN] = (struct entry){(uint8_t)(1 - p), REST};
        }
    }
    ask_run(&table, true, true, &answers);
    assert_true(answers.holds[EXCLUSION]);
    assert_false(answers.holds[DEADLOCK]); /* the one whose turn it is never comes */
    assert_true(answers.holds[BOUNDED]);
    assert_int_equal(answers.bound[BOUNDED], 1);
    assert_false(answers.holds[FIFO]);
    assert_int_equal(answers.bound[LINEAR], 1);
}

/*
 * C5 of Fischer et al. is 0-bounded waiting, which counts a process that lingers in its exit region
 * while another goes round. Here the queue is left on entering the exit region.
 */
static void fifo_looks_at_the_exit_region_too(void **unused)
{
    (void)unused;
    static struct brute brute;
    struct table table;
    struct answers answers = {0};
    table_queue(&table, 2, 1, false, true, 1);
    for (unsigned p = 0; p < 2; p++) {
        for (unsigned v = 0; v < table.values; v++) {
            table.next[p][v][IN] = (struct entry){table.next[p][v][LEAVE].value, LEAVE};
            table.next[p][v][LEAVE] = (struct entry){(uint8_t)v, REST};
        }
    }
    ask_run(&table, true, true, &answers);
    assert_true(brute_explore(&brute, &table));
    assert_false(answers.holds[FIFO]);
    assert_false(brute_fifo(&brute, false));
    assert_false(answers.holds[BOUNDED]);
}

/* ---- random systems ---- */

static void random_pairs(void **unused)
{
    (void)unused;
    random_systems(1, scaled(1000), (struct random_wish){.n = 2}, true);
}

static void random_triples(void **unused)
{
    (void)unused;
    random_systems(2, scaled(300), (struct random_wish){.n = 3}, true);
}

static void random_pairs_with_deaths(void **unused)
{
    (void)unused;
    random_systems(3, scaled(700), (struct random_wish){.n = 2, .deaths = true}, true);
}

/* Four or five alike: the quotient by symmetry against brute force on all the states. */
static void random_alike(void **unused)
{
    (void)unused;
    random_systems(4, scaled(130), (struct random_wish){.n = 4, .alike = true}, false);
    random_systems(5, scaled(8), (struct random_wish){.n = 5, .alike = true}, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_has_every_property),
        cmocka_unit_test(semaphore_locks_out),
        cmocka_unit_test(a_closed_door_is_a_deadlock),
        cmocka_unit_test(a_queue_of_two_slots_survives_one_sleeper),
        cmocka_unit_test(a_ring_deadlocks_when_the_holder_rests),
        cmocka_unit_test(fifo_looks_at_the_exit_region_too),
        cmocka_unit_test(random_pairs),
        cmocka_unit_test(random_triples),
        cmocka_unit_test(random_pairs_with_deaths),
        cmocka_unit_test(random_alike),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
