/* Distinct slots and lost slots, on systems with known answers; random ones are in
 * test_properties.c and test_choices.c. */
#include "replay_witness.h"
#include "table_model.h"

struct outcome {
    enum check_answer answer;
    enum check_end end;
    size_t length; /* of the witness */
    char about[160];
};

/* `most`: stop at this many states; 0: at none. A witness has to show what it is said to. */
static struct outcome ask(const struct table *table, enum check_property property, uint64_t most)
{
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, true);
    limits.states = most;
    const struct check_query query = {.property = property};
    struct check_result result;
    struct check_report report;
    assert_true(check_run(&table->check, &limits, &query, 1, &result, &report));
    struct outcome outcome = {
        .answer = result.answer, .end = report.end, .length = result.witness.length};
    memcpy(outcome.about, result.about, sizeof outcome.about);
    if (result.answer == CHECK_FAILS) {
        char complaint[400];
        if (!replay_witness(&table->check, &result, complaint, sizeof complaint))
            fail_msg("%s", complaint);
    }
    check_witness_free(&result.witness);
    assert_int_equal(atomic_load(&budget.used), 0);
    return outcome;
}

/* ---- distinct slots ---- */

static void a_pool_gives_out_distinct_slots(void **unused)
{
    (void)unused;
    for (unsigned n = 2; n <= 5; n++) {
        struct table table;
        table_pool(&table, n, 1);
        assert_int_equal(ask(&table, CHECK_DISTINCT_SLOTS, 0).answer, CHECK_HOLDS);
    }
}

/* A process that finds slot 0 taken enters nevertheless, and believes that it has slot 0. */
static void two_with_the_same_slot_are_found(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 4, 1);
    for (unsigned p = 0; p < 4; p++)
        table.slot[p][3][IN_1] = 0;
    struct outcome outcome = ask(&table, CHECK_DISTINCT_SLOTS, 0);
    assert_int_equal(outcome.answer, CHECK_FAILS);
    assert_int_equal(outcome.length, 4);
    assert_string_equal(outcome.about, "two processes hold the same slot");
    assert_int_equal(ask(&table, CHECK_EXCLUSION, 0).answer, CHECK_HOLDS);
}

static void a_slot_that_does_not_exist_is_found(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 3, 1);
    for (unsigned p = 0; p < 3; p++)
        table.slot[p][1][IN] = 2;
    struct outcome outcome = ask(&table, CHECK_DISTINCT_SLOTS, 0);
    assert_int_equal(outcome.answer, CHECK_FAILS);
    assert_int_equal(outcome.length, 2);
    assert_string_equal(outcome.about, "a process holds slot 2, and there are 2, numbered from 0");
}

/* In a part of the states, a violation is one; that there is none says nothing. */
static void distinct_slots_are_looked_at_in_a_part(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 5, 1);
    struct outcome outcome = ask(&table, CHECK_DISTINCT_SLOTS, 60);
    assert_int_equal(outcome.end, CHECK_TOO_MANY);
    assert_int_equal(outcome.answer, CHECK_UNDECIDED);
    for (unsigned p = 0; p < 5; p++)
        table.slot[p][3][IN_1] = 0;
    outcome = ask(&table, CHECK_DISTINCT_SLOTS, 60);
    assert_int_equal(outcome.end, CHECK_TOO_MANY);
    assert_int_equal(outcome.answer, CHECK_FAILS);
}

static void slots_without_numbers_are_not_asked_about(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 2, 1);
    assert_true(check_applies(&table.check, CHECK_DISTINCT_SLOTS));
    table.check.slot = NULL;
    assert_false(check_applies(&table.check, CHECK_DISTINCT_SLOTS));
    assert_true(check_applies(&table.check, CHECK_NO_SLOT_LOST));
    assert_int_equal(ask(&table, CHECK_DISTINCT_SLOTS, 0).answer, CHECK_UNDECIDED);
}

/* ---- lost slots ---- */

static void nothing_is_lost_without_faults(void **unused)
{
    (void)unused;
    for (unsigned n = 1; n <= 5; n++) { /* alone, it cannot fill both */
        struct table table;
        table_pool(&table, n, 1);
        assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_HOLDS);
    }
}

/* A process that is killed keeps its slot. Two of the three are left, and one slot. */
static void the_dead_lose_their_slots(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 3, 1);
    table_allow_kills(&table);
    struct outcome outcome = ask(&table, CHECK_NO_SLOT_LOST, 0);
    assert_int_equal(outcome.answer, CHECK_FAILS);
    assert_int_equal(outcome.length, 3);
    assert_string_equal(outcome.about, "from here on no 2 processes can be critical at once");
}

static void give_back_at_death(struct table *table)
{
    for (unsigned v = 0; v < 4; v++) {
        table->after_death[v][IN] = (uint8_t)(v & ~1U);
        table->after_death[v][IN_1] = (uint8_t)(v & ~2U);
    }
}

static void what_the_dead_give_back_is_not_lost(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 3, 1);
    table_allow_kills(&table);
    give_back_at_death(&table);
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_HOLDS);
    assert_int_equal(ask(&table, CHECK_DISTINCT_SLOTS, 0).answer, CHECK_HOLDS);
}

/* A revival would give all slots back; but the dead may stay dead. */
static void nobody_has_to_be_revived(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 3, 1);
    table_allow_kills(&table);
    for (unsigned v = 0; v < 4; v++)
        table_set(&table, v, table.dead, 0, REST);
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_FAILS);
}

/* Death into the remainder: the dead are alive again at once, and their slots are gone. */
static void a_death_that_is_not_seen_loses_a_slot(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 4, 1);
    table_allow_death(&table);
    struct outcome outcome = ask(&table, CHECK_NO_SLOT_LOST, 0);
    assert_int_equal(outcome.answer, CHECK_FAILS);
    assert_int_equal(outcome.length, 3);
    give_back_at_death(&table);
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_HOLDS);
}

/* A pool with one slot less from the second on that is held at once, and which says so. */
static void a_slot_that_is_taken_away_is_not_lost(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 3, 1);
    table_set(&table, 3, IN_1, 2, REST); /* slot 1 is never given back */
    table_set(&table, 2, IN_1, 2, REST);
    struct outcome outcome = ask(&table, CHECK_NO_SLOT_LOST, 0);
    assert_int_equal(outcome.answer, CHECK_FAILS);
    table.check.slots = table_slots;
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_FAILS);
    table.slots[2] = table.slots[3] = 1;
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_HOLDS);
}

/* The second slot is taken by a choice only. */
static void a_choice_may_fill_a_slot(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 3, 1);
    table_set(&table, 1, TRY, 1, TRY);
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_FAILS);
    table_allow_choices(&table);
    table_choose(&table, 1, TRY, 3, IN_1);
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_HOLDS);
}

/* Already the first state is one from which the slots cannot be filled. */
static void what_was_never_there_is_lost_at_once(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 2, 1);
    table.first_value = 3;
    struct outcome outcome = ask(&table, CHECK_NO_SLOT_LOST, 0);
    assert_int_equal(outcome.answer, CHECK_FAILS);
    assert_int_equal(outcome.length, 0);
    table.first_value = 2;
    table.check.l = 1;
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 0).answer, CHECK_HOLDS);
    table_set(&table, 2, TRY, 2, TRY);
    outcome = ask(&table, CHECK_NO_SLOT_LOST, 0);
    assert_int_equal(outcome.answer, CHECK_FAILS);
    assert_string_equal(outcome.about, "from here on nobody can be critical");
}

static void a_part_says_nothing_about_lost_slots(void **unused)
{
    (void)unused;
    struct table table;
    table_pool(&table, 5, 1);
    table.first_value = 3;
    assert_int_equal(ask(&table, CHECK_NO_SLOT_LOST, 5).answer, CHECK_UNDECIDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_gives_out_distinct_slots),
        cmocka_unit_test(two_with_the_same_slot_are_found),
        cmocka_unit_test(a_slot_that_does_not_exist_is_found),
        cmocka_unit_test(distinct_slots_are_looked_at_in_a_part),
        cmocka_unit_test(slots_without_numbers_are_not_asked_about),
        cmocka_unit_test(nothing_is_lost_without_faults),
        cmocka_unit_test(the_dead_lose_their_slots),
        cmocka_unit_test(what_the_dead_give_back_is_not_lost),
        cmocka_unit_test(nobody_has_to_be_revived),
        cmocka_unit_test(a_death_that_is_not_seen_loses_a_slot),
        cmocka_unit_test(a_slot_that_is_taken_away_is_not_lost),
        cmocka_unit_test(a_choice_may_fill_a_slot),
        cmocka_unit_test(what_was_never_there_is_lost_at_once),
        cmocka_unit_test(a_part_says_nothing_about_lost_slots),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
