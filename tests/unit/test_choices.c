/* Every decision procedure against brute force (compare.h), on systems whose processes make
 * choices, quit without one, are killed and revived, or are enabled in own steps; with known
 * answers and on random ones. */
#include "compare.h"

#include "check/symmetry.h"

/* ---- known answers ---- */

/* Nobody ever gets in, but a process that finds the door closed goes home: nobody is locked out,
 * and somebody changes its region again and again. */
static void who_goes_home_is_not_deadlocked(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    table_semaphore(&table, 2, 1, false, 1);
    table.first_value = 1; /* nobody holds it and nobody gives it back */
    table_set(&table, 1, TRY, 1, REST);
    ask_run(&table, true, true, &answers);
    assert_true(answers.holds[DEADLOCK]);
    assert_true(answers.holds[LOCKOUT]);
    assert_false(answers.holds[NOT_LOST]);
}

/* Where it is a choice, it may as well choose to wait for ever. */
static void who_may_go_home_may_be_deadlocked(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    table_semaphore(&table, 2, 1, false, 1);
    table.first_value = 1;
    table_allow_choices(&table);
    ask_run(&table, true, true, &answers);
    assert_false(answers.holds[DEADLOCK]);
    assert_false(answers.holds[LOCKOUT]);
    assert_false(answers.holds[KL_DEADLOCK]);
}

/* That the head of the queue may give up takes nothing from it: nobody else can keep it out. */
static void a_queue_stays_one_when_all_may_give_up(void **unused)
{
    (void)unused;
    for (unsigned l = 1; l <= 2; l++) {
        for (unsigned own_steps = 0; own_steps < 2; own_steps++) {
            struct table table;
            struct answers answers = {0};
            struct tally tally = {0};
            table_queue(&table, 3, l, false, false, 1);
            table_allow_choices(&table);
            table.check.own_steps = own_steps != 0;
            table.check.k = 2;
            ask_run(&table, true, true, &answers);
            assert_true(answers.holds[QUEUELIKE]);
            assert_true(answers.holds[KL_DEADLOCK]);
            assert_true(answers.holds[LOCKOUT]);
            assert_true(answers.holds[FIRST_ENABLED]);
            assert_true(answers.holds[DISTINCT]);
            assert_true(answers.holds[NOT_LOST]);
            assert_true(compare_all(&table, &tally));
        }
    }
    assert_int_equal(disagreements, 0);
}

/*
 * Process 0 has to find the door open (V = 2) when it steps, and process 1, where it may give up,
 * closes it (V = 1) as it does; otherwise it waits for process 0. That process 1 can do so leaves
 * the slot unallocated while process 0 sleeps. Its own choice would not.
 */
static void the_choice_of_another_can_take_a_slot_away(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    enum { FREE, CLOSED, OPEN, HELD_BY_0, HELD_BY_1 };
    table_begin(&table, 2, 5, SYSTEM_LOCALS, 1);
    table_regions(&table);
    table.check.k = 2;
    for (unsigned v = 0; v < 5; v++) {
        table.next[0][v][REST] = (struct entry){(uint8_t)v, REST};
        table.next[0][v][TRY] = (struct entry){HELD_BY_0, IN};
        table.next[0][v][IN] = table.next[1][v][IN] = (struct entry){FREE, REST};
        table.next[1][v][REST] = table.next[1][v][TRY] = (struct entry){(uint8_t)v, TRY};
    }
    table.next[0][FREE][REST] = table.next[0][CLOSED][TRY] = (struct entry){OPEN, TRY};
    table.next[1][FREE][TRY] = (struct entry){HELD_BY_1, IN};
    table.next[1][CLOSED][TRY] = (struct entry){CLOSED, REST};
    ask_run(&table, true, true, &answers);
    assert_true(answers.holds[KL_DEADLOCK]);
    table_allow_choices(&table);
    table.asks[0][OPEN][TRY] = true;
    table.other[0][OPEN][TRY] = (struct entry){FREE, REST};
    ask_run(&table, true, true, &answers);
    assert_true(answers.holds[KL_DEADLOCK]);
    table.asks[1][OPEN][TRY] = true;
    table.other[1][OPEN][TRY] = (struct entry){CLOSED, REST};
    ask_run(&table, true, true, &answers);
    assert_false(answers.holds[KL_DEADLOCK]);
}

/*
 * Process 0 gets in by its next step, and process 1 waits for it. That process 0 may die before
 * takes nothing from it: the slot is its own while it sleeps. But where a death of process 1 shuts
 * it out (V = 1), the slot is nobody's.
 */
static void the_death_of_another_can_take_a_slot_away(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    struct tally tally = {0};
    enum { FREE, CLOSED, OPEN, HELD_BY_0, HELD_BY_1 };
    table_begin(&table, 2, 5, SYSTEM_LOCALS, 1);
    table_regions(&table);
    table.check.k = 2;
    table_allow_death(&table);
    for (unsigned v = 0; v < 5; v++) {
        table.next[0][v][REST] = (struct entry){(uint8_t)v, REST};
        table.next[0][v][TRY] = (struct entry){HELD_BY_0, IN};
        table.next[0][v][IN] = table.next[1][v][IN] = (struct entry){FREE, REST};
        table.next[1][v][REST] = table.next[1][v][TRY] = (struct entry){(uint8_t)v, TRY};
        table.after_death[v][IN] = FREE;
    }
    table.next[0][FREE][REST] = table.next[0][CLOSED][REST] = (struct entry){OPEN, TRY};
    table.next[0][CLOSED][TRY] = (struct entry){OPEN, TRY};
    table.next[1][FREE][TRY] = table.next[1][CLOSED][TRY] = (struct entry){HELD_BY_1, IN};
    table.after_death[OPEN][TRY] = FREE;
    ask_run(&table, true, true, &answers);
    assert_true(answers.holds[KL_DEADLOCK]);
    assert_true(compare_all(&table, &tally));
    table.after_death[OPEN][TRY] = CLOSED;
    ask_run(&table, true, true, &answers);
    assert_false(answers.holds[KL_DEADLOCK]);
    assert_true(compare_all(&table, &tally));
    assert_int_equal(disagreements, 0);
}

/*
 * A relay: process 2 goes in, process 0 comes, process 1 comes after it; process 2 leaves for
 * process 0, and process 0 for process 1. If process 2 dies inside, process 1 is let in, and
 * process 0 never is.
 */
static void a_death_can_put_one_ahead(void **unused)
{
    (void)unused;
    struct table table;
    struct answers answers = {0};
    enum { EMPTY, TURN_OF_1, TURN_OF_0, HELD, ONE_WAITS, OVER, VALUES };
    table_begin(&table, 3, VALUES, SYSTEM_LOCALS, 1);
    table_regions(&table);
    table.check.local_moves = false; /* which process may begin depends on V */
    for (unsigned v = 0; v < VALUES; v++) {
        for (unsigned p = 0; p < 3; p++) {
            table.barred[p][v] = true;
            table.next[p][v][TRY] = (struct entry){(uint8_t)v, TRY};
        }
        table.next[0][v][IN] = (struct entry){TURN_OF_1, REST};
        table.next[1][v][IN] = (struct entry){(uint8_t)v, REST};
        table.next[2][v][IN] = (struct entry){v == ONE_WAITS ? TURN_OF_0 : OVER, REST};
    }
    table.barred[2][EMPTY] = table.barred[0][HELD] = table.barred[1][ONE_WAITS] = false;
    table.next[2][EMPTY][REST] = (struct entry){HELD, IN};
    table.next[0][HELD][REST] = (struct entry){ONE_WAITS, TRY};
    table.next[1][ONE_WAITS][REST] = (struct entry){ONE_WAITS, TRY};
    table.next[0][TURN_OF_0][TRY] = (struct entry){TURN_OF_1, IN};
    table.next[1][TURN_OF_1][TRY] = (struct entry){TURN_OF_1, IN};
    ask_run(&table, false, false, &answers);
    assert_true(answers.holds[FIRST_ENABLED]);
    table_allow_death(&table);
    table.after_death[ONE_WAITS][IN] = TURN_OF_1;
    ask_run(&table, false, false, &answers);
    assert_false(answers.holds[FIRST_ENABLED]);
}

/* ---- who is enabled ---- */

struct sets {
    struct check_budget budget;
    struct check_graph graph;
    struct check_enabled enabled;
};

static void open_sets(struct sets *sets, const struct table *table, bool symmetry)
{
    struct check_space space;
    sets->budget = budget_of(64);
    struct check_limits limits = limits_of(&sets->budget, symmetry);
    assert_true(check_explore(&space, &table->check, &limits));
    assert_true(check_graph_freeze(&sets->graph, &space, &limits, true));
    assert_true(check_enabled_open(&sets->enabled, &sets->graph));
}

static void close_sets(struct sets *sets)
{
    check_enabled_close(&sets->enabled);
    check_graph_close(&sets->graph);
    assert_int_equal(atomic_load(&sets->budget.used), 0);
}

/* A lock that is taken two steps before the critical region, by a process that finds it free: from
 * there on its holder is sure to enter, but not by its next step. */
static void table_two_steps(struct table *table)
{
    enum { FIRST = DOOR, SECOND = LEAVE };
    table_begin(table, 2, 2, SYSTEM_LOCALS, 1);
    table_regions(table);
    table->region[FIRST] = table->region[SECOND] = CHECK_WAITING;
    for (unsigned v = 0; v < 2; v++) {
        table_set(table, v, REST, v, TRY);
        table_set(table, v, TRY, 1, v == 0 ? FIRST : TRY);
        table_set(table, v, FIRST, v, SECOND);
        table_set(table, v, SECOND, v, IN);
        table_set(table, v, IN, 0, REST);
    }
}

/* Whether process 0 is enabled in local state x, with V = v and process 1 at rest. */
static bool is_enabled_at(const struct sets *sets, unsigned v, unsigned x)
{
    const struct check_model *model = sets->graph.model;
    uint64_t state[CHECK_MAX_WORDS] = {CHECK_PRESENT};
    check_put(state, model->cell[0].field, v);
    check_put(state, model->block[0], x);
    const uint32_t id = check_graph_find(&sets->graph, state);
    assert_int_not_equal(id, CHECK_NONE);
    return check_is_enabled(&sets->graph, sets->enabled.critical, id, 0);
}

static void own_steps_look_further_than_the_next(void **unused)
{
    (void)unused;
    struct table table;
    struct sets sets;
    table_two_steps(&table);
    open_sets(&sets, &table, false);
    assert_false(is_enabled_at(&sets, 0, TRY)); /* the other may come first */
    assert_false(is_enabled_at(&sets, 1, DOOR));
    assert_true(is_enabled_at(&sets, 1, LEAVE));
    close_sets(&sets);
    table.check.own_steps = true;
    open_sets(&sets, &table, false);
    assert_false(is_enabled_at(&sets, 0, REST)); /* it has to try */
    assert_false(is_enabled_at(&sets, 0, TRY));
    assert_true(is_enabled_at(&sets, 1, DOOR));
    assert_true(is_enabled_at(&sets, 1, LEAVE));
    close_sets(&sets);
}

/* A choice to give up is no reason against, a step that sends it home is; and so is one that the
 * other can make it repeat. */
static void what_is_sure_in_own_steps(void **unused)
{
    (void)unused;
    struct table table;
    struct sets sets;
    table_two_steps(&table);
    table.check.own_steps = true;
    table_allow_choices(&table);
    table_allow_kills(&table);
    table_choose(&table, 1, DOOR, 0, REST);
    table_choose(&table, 1, LEAVE, 0, TRY); /* or to begin again */
    open_sets(&sets, &table, false);
    assert_true(is_enabled_at(&sets, 1, DOOR));
    assert_true(is_enabled_at(&sets, 1, LEAVE));
    close_sets(&sets);

    table_two_steps(&table);
    table.check.own_steps = true;
    table_set(&table, 1, LEAVE, 0, REST);
    open_sets(&sets, &table, false);
    assert_false(is_enabled_at(&sets, 1, DOOR));
    assert_false(is_enabled_at(&sets, 1, LEAVE));
    close_sets(&sets);

    table_two_steps(&table); /* a process that enters its critical region has to find V as it was */
    table.check.own_steps = true;
    table_set(&table, 0, LEAVE, 1, DOOR);
    table_set(&table, 1, REST, 0, TRY);
    open_sets(&sets, &table, false);
    assert_false(is_enabled_at(&sets, 1, DOOR));
    close_sets(&sets);
}

/* State by state, with and without the quotient. */
static void compare_sets(const struct table *table, const struct brute *brute, bool symmetry)
{
    struct sets sets;
    open_sets(&sets, table, symmetry);
    for (unsigned u = 0; u < brute->count; u++) {
        uint64_t state[CHECK_MAX_WORDS];
        brute_pack(brute, u, state);
        if (sets.graph.reduced)
            check_canonical(&table->check, state);
        const uint32_t id = check_graph_find(&sets.graph, state);
        const unsigned sure = sets.graph.reduced ? CHECK_NAMED : brute->n;
        for (unsigned p = 0; p < sure; p++)
            assert_int_equal(check_is_enabled(&sets.graph, sets.enabled.critical, id, p),
                             brute->enabled[u] >> p & 1);
        unsigned count = 0;
        for (unsigned p = 0; p < brute->n; p++)
            count += check_is_enabled(&sets.graph, sets.enabled.critical, id, p);
        assert_int_equal(count, __builtin_popcount(brute->enabled[u]));
    }
    close_sets(&sets);
}

static void enabled_sets_are_right_state_by_state(void **unused)
{
    (void)unused;
    static struct brute brute;
    struct dice dice = {10};
    unsigned enabled = 0, seen = 0;
    for (unsigned s = 0; s < scaled(600); s++) {
        struct table table;
        struct random_wish wish = {.n = 2 + dice_below(&dice, 3),
                                   .choices = dice_below(&dice, 2) == 0,
                                   .kills = dice_below(&dice, 2) == 0,
                                   .quits = dice_below(&dice, 2) == 0,
                                   .doorway = dice_below(&dice, 2) == 0,
                                   .exits = dice_below(&dice, 2) == 0,
                                   .own_steps = dice_below(&dice, 4) != 0};
        wish.alike = wish.n == 4;
        random_table(&table, &dice, wish);
        if (!brute_explore(&brute, &table))
            continue;
        brute_enable(&brute, false);
        for (unsigned u = 0; u < brute.count; u++)
            enabled += (unsigned)__builtin_popcount(brute.enabled[u]);
        seen += brute.count;
        compare_sets(&table, &brute, false);
        compare_sets(&table, &brute, true);
    }
    assert_in_range(enabled, seen / 20, seen);
}

/* ---- random systems ---- */

static void random_pairs(void **unused)
{
    (void)unused;
    random_systems(11, scaled(300), (struct random_wish){.n = 2, .choices = true}, true);
    random_systems(12, scaled(260), (struct random_wish){.n = 2, .own_steps = true, .quits = true},
                   true);
    random_systems(13, scaled(300),
                   (struct random_wish){.n = 2, .choices = true, .own_steps = true}, true);
}

static void random_pairs_with_deaths(void **unused)
{
    (void)unused;
    random_systems(14, scaled(320),
                   (struct random_wish){.n = 2, .choices = true, .quits = true, .deaths = true},
                   true);
    random_systems(15, scaled(320), (struct random_wish){.n = 2, .choices = true, .kills = true},
                   true);
    random_systems(16, scaled(320),
                   (struct random_wish){.n = 2, .kills = true, .quits = true, .own_steps = true},
                   true);
}

static void random_triples(void **unused)
{
    (void)unused;
    random_systems(17, scaled(260), (struct random_wish){.n = 3, .choices = true}, true);
    random_systems(18, scaled(100),
                   (struct random_wish){.n = 3, .choices = true, .kills = true, .own_steps = true},
                   false);
}

/* The quotient by symmetry against brute force on all the states. */
static void random_alike(void **unused)
{
    (void)unused;
    random_systems(19, scaled(50), (struct random_wish){.n = 4, .alike = true, .choices = true},
                   false);
    random_systems(20, scaled(50),
                   (struct random_wish){.n = 4, .alike = true, .choices = true, .own_steps = true},
                   false);
    random_systems(21, scaled(50),
                   (struct random_wish){
                       .n = 4, .alike = true, .quits = true, .kills = true, .own_steps = true},
                   false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_goes_home_is_not_deadlocked),
        cmocka_unit_test(who_may_go_home_may_be_deadlocked),
        cmocka_unit_test(a_queue_stays_one_when_all_may_give_up),
        cmocka_unit_test(the_choice_of_another_can_take_a_slot_away),
        cmocka_unit_test(the_death_of_another_can_take_a_slot_away),
        cmocka_unit_test(a_death_can_put_one_ahead),
        cmocka_unit_test(own_steps_look_further_than_the_next),
        cmocka_unit_test(what_is_sure_in_own_steps),
        cmocka_unit_test(enabled_sets_are_right_state_by_state),
        cmocka_unit_test(random_pairs),
        cmocka_unit_test(random_pairs_with_deaths),
        cmocka_unit_test(random_triples),
        cmocka_unit_test(random_alike),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
