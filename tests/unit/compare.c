#include "compare.h"

/* ---- what the two sides say ---- */

static const enum check_property property_of[QUESTIONS] = {
    [EXCLUSION] = CHECK_EXCLUSION,
    [DISTINCT] = CHECK_DISTINCT_SLOTS,
    [NOT_LOST] = CHECK_NO_SLOT_LOST,
    [DEADLOCK] = CHECK_DEADLOCK_FREE,
    [LOCKOUT] = CHECK_LOCKOUT_FREE,
    [FINITE] = CHECK_FINITE_WAITING,
    [BOUNDED] = CHECK_BOUNDED_WAITING,
    [LINEAR] = CHECK_LINEAR_WAITING,
    [FIFO] = CHECK_FIFO,
    [NO_MEMORY] = CHECK_NO_MEMORY,
    [DOORWAY] = CHECK_WAIT_FREE_DOORWAY,
    [L_FULL] = CHECK_L_FULL,
    [FINITE_ENABLING] = CHECK_FINITE_WAITING_ENABLING,
    [BOUNDED_ENABLING] = CHECK_BOUNDED_WAITING_ENABLING,
    [FIFO_ENABLING] = CHECK_FIFO_ENABLING,
    [KL_DEADLOCK] = CHECK_KL_DEADLOCK_FREE,
    [FIRST_ENABLED] = CHECK_FIRST_IN_FIRST_ENABLED,
    [STRONG_FIRST_ENABLED] = CHECK_STRONG_FIRST_IN_FIRST_ENABLED,
    [OVERTAKING] = CHECK_OVERTAKING,
    [L_LOCKOUT] = CHECK_L_LOCKOUT_FREE,
    [QUEUELIKE] = CHECK_QUEUELIKE,
};

void take(struct answers *answers, enum question q, const struct check_result *result)
{
    assert_int_not_equal(result->answer, CHECK_UNDECIDED);
    answers->holds[q] = result->answer == CHECK_HOLDS;
    answers->bounded[q] = result->has_bound;
    answers->bound[q] = result->bound;
    if (q == LINEAR) {
        answers->active_bounded = result->has_bound_active;
        answers->active_bound = result->bound_active;
    }
}

unsigned deciding_threads = 2;

void ask_run(struct table *table, bool symmetry, bool compact, struct answers *answers)
{
    struct check_budget budget = budget_of(64);
    const bool local_moves = table->check.local_moves;
    table->check.local_moves = local_moves && compact;
    struct check_limits limits = limits_of(&budget, symmetry);
    limits.threads = deciding_threads;
    struct check_query queries[QUESTIONS] = {{0}};
    struct check_result results[QUESTIONS];
    struct check_report report;
    for (unsigned q = 0; q < QUESTIONS; q++)
        queries[q].property = property_of[q];
    assert_true(check_run(&table->check, &limits, queries, QUESTIONS, results, &report));
    table->check.local_moves = local_moves;
    assert_int_equal(report.end, CHECK_COMPLETE);
    answers->states = report.states;
    answers->transitions = report.transitions;
    for (unsigned q = 0; q < QUESTIONS; q++) {
        take(answers, (enum question)q, &results[q]);
        check_witness_free(&results[q].witness);
    }
    assert_int_equal(atomic_load(&budget.used), 0);
}

/* The same with successors that are worked out again each time, as where memory is short. Returns
 * how many questions have been asked: who overtakes whom is not asked in the quotient. */
static unsigned ask_without_successors(const struct table *table, bool symmetry,
                                       struct answers *answers)
{
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, symmetry);
    limits.threads = deciding_threads;
    struct check_space space;
    struct check_graph graph;
    struct check_enabled enabled;
    struct check_result results[QUESTIONS];
    memset(results, 0, sizeof results);
    assert_true(check_explore(&space, &table->check, &limits));
    answers->states = space.states;
    answers->transitions = space.transitions;
    assert_true(check_graph_freeze(&graph, &space, &limits, false));
    assert_null(graph.successor);
    assert_true(check_enabled_open(&enabled, &graph));
    check_decide_exclusion(&graph, &results[EXCLUSION]);
    check_decide_slots(&graph, &results[DISTINCT]);
    check_decide_lost(&graph, &results[NOT_LOST]);
    check_decide_deadlock(&graph, &results[DEADLOCK]);
    check_decide_lockout(&graph, &results[LOCKOUT]);
    check_decide_bounded(&graph, NULL, &results[BOUNDED]);
    check_decide_linear(&graph, &results[LINEAR]);
    check_decide_fifo(&graph, NULL, &results[FIFO]);
    check_decide_no_memory(&graph, &results[NO_MEMORY]);
    check_decide_doorway(&graph, &results[DOORWAY]);
    check_decide_l_full(&graph, &enabled, &results[L_FULL]);
    check_decide_finite_waiting(&graph, NULL, &results[FINITE]);
    check_decide_finite_waiting(&graph, &enabled, &results[FINITE_ENABLING]);
    check_decide_bounded(&graph, &enabled, &results[BOUNDED_ENABLING]);
    check_decide_fifo(&graph, &enabled, &results[FIFO_ENABLING]);
    check_decide_kl_deadlock(&graph, &enabled, &results[KL_DEADLOCK]);
    check_decide_first_enabled(&graph, &enabled, &results[FIRST_ENABLED]);
    check_decide_strong_first_enabled(&graph, &enabled, &results[STRONG_FIRST_ENABLED]);
    check_decide_l_lockout(&graph, &results[L_LOCKOUT]);
    check_decide_overtaking(&graph, &enabled, &results[OVERTAKING]);
    const unsigned asked = graph.reduced ? OVERTAKING : QUEUELIKE;
    for (unsigned q = 0; q < asked; q++) {
        take(answers, (enum question)q, &results[q]);
        check_witness_free(&results[q].witness);
    }
    check_enabled_close(&enabled);
    check_graph_close(&graph);
    assert_int_equal(atomic_load(&budget.used), 0);
    return asked;
}

void put(struct answers *answers, enum question q, struct counted counted)
{
    answers->holds[q] = answers->bounded[q] = counted.bounded;
    answers->bound[q] = counted.bound;
}

static void ask_brute(struct brute *brute, struct answers *answers, bool *constant)
{
    brute_enable(brute, true);
    answers->states = brute->count;
    answers->transitions = brute_transitions(brute);
    answers->holds[EXCLUSION] = brute_exclusion(brute);
    answers->holds[DISTINCT] = brute_distinct_slots(brute);
    answers->holds[NOT_LOST] = brute_no_slot_lost(brute);
    answers->holds[DEADLOCK] = brute_deadlock_free(brute);
    answers->holds[LOCKOUT] = brute_lockout_free(brute);
    put(answers, BOUNDED, brute_worst(brute, brute_fails_at, CYCLES_OF_J));
    put(answers, LINEAR, brute_worst(brute, brute_past_doorway, ENTRIES_OF_J));
    struct counted active = brute_worst(brute, brute_competes, ENTRIES_OF_J);
    answers->active_bounded = active.bounded;
    answers->active_bound = active.bound;
    answers->holds[FIFO] = brute_fifo(brute, false);
    answers->holds[NO_MEMORY] = brute_no_memory(brute);
    put(answers, DOORWAY, brute_doorway(brute));
    answers->holds[L_FULL] = brute_l_full(brute);
    answers->holds[FINITE] = brute_finite_waiting(brute, brute_fails_at);
    answers->holds[FINITE_ENABLING] = brute_finite_waiting(brute, brute_unenabled);
    put(answers, BOUNDED_ENABLING, brute_worst(brute, brute_unenabled, CYCLES_OF_J));
    answers->holds[FIFO_ENABLING] = brute_fifo(brute, true);
    answers->holds[KL_DEADLOCK] = brute_kl_deadlock_free(brute, constant);
    answers->holds[FIRST_ENABLED] = brute_first_enabled(brute, false);
    answers->bounded[FIRST_ENABLED] = brute->table->check.own_steps;
    answers->bound[FIRST_ENABLED] =
        brute->table->check.own_steps ? brute_steps_when_enabled(brute) : 0;
    answers->holds[STRONG_FIRST_ENABLED] = brute_first_enabled(brute, true);
    put(answers, OVERTAKING, brute_overtaking(brute));
    answers->holds[L_LOCKOUT] = brute_l_lockout_free(brute);
    bool exits = false;
    for (unsigned u = 0; u < brute->count; u++)
        exits |= brute_in(brute, u, CHECK_EXIT) > 0;
    answers->holds[QUEUELIKE] = answers->holds[EXCLUSION] && !exits && answers->holds[L_FULL] &&
                                answers->holds[FIFO_ENABLING];
}

/* ---- comparing ---- */

unsigned disagreements;

void compare(const struct table *table, const struct answers *brute, const struct answers *checker,
             unsigned questions, const char *way)
{
    bool same = brute->states == checker->states && brute->transitions == checker->transitions;
    if (!same)
        print_error("%s: %llu states and %llu transitions, not %llu and %llu\n", way,
                    (unsigned long long)checker->states, (unsigned long long)checker->transitions,
                    (unsigned long long)brute->states, (unsigned long long)brute->transitions);
    for (unsigned q = 0; q < questions; q++) {
        bool numbers = q == BOUNDED || q == LINEAR || q == DOORWAY || q == BOUNDED_ENABLING ||
                       q == FIRST_ENABLED || q == OVERTAKING;
        bool equal = brute->holds[q] == checker->holds[q] &&
                     (!numbers || !brute->holds[q] || brute->bound[q] == checker->bound[q]) &&
                     (!numbers || brute->bounded[q] == checker->bounded[q]);
        /* min(l - |C|, |T|) means nothing where |C| > l. */
        equal = equal || (q == L_FULL && !brute->holds[EXCLUSION]);
        if (q == LINEAR)
            equal = equal && brute->active_bounded == checker->active_bounded &&
                    (!brute->active_bounded || brute->active_bound == checker->active_bound);
        if (!equal)
            print_error("%s: %s is %s (%llu), by brute force %s (%llu)\n", way,
                        check_property_name(property_of[q]), checker->holds[q] ? "true" : "false",
                        (unsigned long long)checker->bound[q], brute->holds[q] ? "true" : "false",
                        (unsigned long long)brute->bound[q]);
        same = same && equal;
    }
    if (!same) {
        table_print(table);
        disagreements++;
    }
}

bool compare_all(struct table *table, struct tally *tally)
{
    static struct brute brute;
    if (!brute_explore(&brute, table))
        return false;
    struct answers truth = {0}, checker = {0};
    bool constant = true;
    ask_brute(&brute, &truth, &constant);
    assert_true(constant);
    ask_run(table, true, true, &checker);
    compare(table, &truth, &checker, QUESTIONS, "check_run");
    if (check_can_compact(&table->check)) {
        ask_run(table, true, false, &checker);
        compare(table, &truth, &checker, QUESTIONS, "check_run, not compiled");
    }
    const unsigned asked = ask_without_successors(table, true, &checker);
    compare(table, &truth, &checker, asked, "without successors");
    if (table->check.anonymous) {
        ask_run(table, false, true, &checker);
        compare(table, &truth, &checker, QUESTIONS, "without symmetry");
    }
    tally->systems++;
    for (unsigned q = 0; q < QUESTIONS; q++) {
        tally->holding[q] += truth.holds[q];
        tally->failing[q] += !truth.holds[q];
        if (truth.holds[q] && truth.bound[q] > tally->largest_bound)
            tally->largest_bound = truth.bound[q];
    }
    return true;
}

static void tally_print(const struct tally *tally)
{
    if (getenv("BERTH_TEST_VERBOSE") == NULL)
        return;
    for (unsigned q = 0; q < QUESTIONS; q++)
        print_message("%30s: %u hold, %u do not\n", check_property_name(property_of[q]),
                      tally->holding[q], tally->failing[q]);
    print_message("%u systems, largest bound %llu\n", tally->systems,
                  (unsigned long long)tally->largest_bound);
}

/* ---- random systems ---- */

void random_systems(uint64_t seed, unsigned count, struct random_wish wish, bool both)
{
    const unsigned least = both ? count / 130 : 0;
    struct dice dice = {seed};
    struct tally tally = {0};
    disagreements = 0;
    for (unsigned s = 0; s < count && disagreements < 3; s++) {
        struct table table;
        wish.doorway = dice_below(&dice, 2) == 0;
        wish.exits = dice_below(&dice, 2) == 0;
        wish.bars = dice_below(&dice, 4) == 0;
        random_table(&table, &dice, wish);
        compare_all(&table, &tally);
    }
    tally_print(&tally);
    assert_int_equal(disagreements, 0);
    assert_true(tally.systems >= count / 4);
    for (unsigned q = 0; q < QUESTIONS; q++) {
        assert_in_range(tally.holding[q], least, tally.systems);
        assert_in_range(tally.failing[q], least, tally.systems);
    }
}
