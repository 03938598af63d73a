/*
 * The third reading of the protocol files (src/step/rules.hh) says what the second one does, which
 * the checker explores: in every reachable state of small systems, each process has exactly one
 * rule, and it leads where the model leads. And the counters, unfolded, have as many states and
 * transitions as the checker finds.
 */
#include "rule_states.h"

#include "prove/reach.h"
#include "prove/unfold.h"

static struct prove_pool pool;
static struct prove_reading reading;
static struct prove_system counters;

/* Reads the rules of a variant; false: it has none. */
static bool read_rules(const struct protocol_choice *choice)
{
    const char *text = prove_rules_text(choice->protocol->file);
    prove_pool_free(&pool);
    if (text == NULL)
        return false;
    const char *error = prove_read(&reading, &pool, text, choice->variant);
    if (reading.cannot)
        return false;
    if (error == NULL && reading.names)
        return false; /* test_names.c */
    if (error == NULL)
        error = prove_system_make(&counters, &reading, choice->protocol, PROVE_UNMARKED, NULL);
    if (error != NULL)
        fail_msg("%s: %s", full_name(choice), error);
    return true;
}

typedef void visit(const struct protocol_choice *choice);

static unsigned for_each_read(visit *visit_one)
{
    unsigned count = 0;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            if (!read_rules(&choice))
                continue;
            visit_one(&choice);
            count++;
        }
    }
    prove_pool_free(&pool);
    return count;
}

/* ---- step by step ---- */

static int64_t program_counter(const struct step_model *model, const uint64_t *local)
{
    return (int64_t)(local[0] & model->local[0].mask);
}

/* The values that a rule of process p is about. */
static void values_for(const struct step_model *model, const uint64_t *state, unsigned p,
                       int64_t *value, int64_t *pc)
{
    uint64_t cells[CHECK_MAX_CELLS], local[CHECK_MAX_WORDS];
    value[counters.n] = model->params.n;
    value[counters.l] = model->params.l;
    value[counters.k] = model->params.k;
    model->check.cell_values(&model->check, state, cells);
    for (unsigned c = 0; c < reading.cells; c++)
        value[reading.cell[c].symbol] = (int64_t)cells[c];
    model->check.local_state(&model->check, state, p, local);
    for (unsigned v = 0; v < reading.locals; v++)
        value[reading.local[v].symbol] = local_value(model, local, reading.local[v].name);
    *pc = program_counter(model, local);
}

static bool applies(const struct prove_rule *rule, const int64_t *value, int64_t pc)
{
    if (reading.place[rule->from].pc != pc)
        return false;
    for (unsigned v = 0; v < reading.locals; v++) {
        const bool is_zero = value[reading.local[v].symbol] == 0;
        if (reading.local[v].splits && reading.place[rule->from].carries[v] == is_zero)
            return false;
        if (!reading.place[rule->from].carries[v] && !is_zero)
            return false; /* such a place is said not to exist */
    }
    for (unsigned t = 0; t < rule->tests; t++) {
        if (prove_evaluate(rule->test[t], value) == 0)
            return false;
    }
    return true;
}

static void compare_process(const struct protocol_choice *choice, const struct step_model *model,
                            const uint64_t *state, const uint64_t *next, unsigned p)
{
    int64_t *value = calloc(pool.names, sizeof *value), *after = calloc(pool.names, sizeof *after);
    assert_non_null(value);
    assert_non_null(after);
    int64_t pc, pc_after;
    const struct prove_rule *found = NULL;
    values_for(model, state, p, value, &pc);
    values_for(model, next, p, after, &pc_after);
    for (unsigned r = 0; r < reading.rules; r++) {
        if (!applies(&reading.rule[r], value, pc))
            continue;
        if (found != NULL)
            fail_msg("%s: two rules for %s", full_name(choice), found->label);
        found = &reading.rule[r];
    }
    if (found == NULL) {
        fail_msg("%s: no rule at %lld", full_name(choice), (long long)pc);
        return;
    }
    assert_int_equal(reading.place[found->to].pc, pc_after);
    for (unsigned c = 0; c < reading.cells; c++) {
        const int64_t is = found->cell[c] == NULL ? value[reading.cell[c].symbol]
                                                  : prove_evaluate(found->cell[c], value);
        assert_int_equal(is, after[reading.cell[c].symbol]);
    }
    for (unsigned v = 0; v < reading.locals; v++) {
        const int64_t is = found->local[v] == NULL ? 0 : prove_evaluate(found->local[v], value);
        assert_int_equal(is, after[reading.local[v].symbol]);
    }
    free(value);
    free(after);
}

enum { MOST_STATES = 20000 };

static void compare_at(const struct protocol_choice *choice, const struct step_params *params)
{
    static struct step_model model;
    char refused[200];
    if (protocol_refuse(choice, params, refused, sizeof refused) != NULL)
        return;
    assert_null(choice->model->make(&model, params));
    const unsigned words = model.check.words, edges = model.check.kinds * model.check.n;
    struct states states = states_begin(words, MOST_STATES);
    uint64_t *next = malloc(edges * words * sizeof *next), first[CHECK_MAX_WORDS];
    assert_non_null(next);
    model.check.initial(&model.check, first);
    states_add(&states, words, first);
    for (size_t s = 0; s < states.count; s++) {
        const uint64_t *state = states.word + s * words;
        const struct check_moves moves = model.check.expand(&model.check, state, next);
        if (moves.error)
            break; /* broken on purpose: that a value leaves its range is for the prover to say */
        for (unsigned p = 0; p < model.check.n; p++) {
            const bool changes = moves.change >> p & 1;
            compare_process(choice, &model, state, changes ? next + p * words : state, p);
            if (changes)
                states_add(&states, words, next + p * words);
        }
    }
    states_end(&states);
    free(next);
}

static void compare_steps(const struct protocol_choice *choice)
{
    for (unsigned n = choice->protocol->min_n; n <= (some_is_enough() ? 2 : 3); n++) {
        for (unsigned l = 1; l <= 2; l++) {
            struct step_params params = protocol_defaults(choice);
            params.n = n;
            params.l = l;
            compare_at(choice, &params);
        }
    }
}

static void each_rule_is_a_step(void **context)
{
    (void)context;
    const unsigned read = for_each_read(compare_steps);
    assert_true(read >= 22);
}

/* ---- counted ---- */

/* Protocols in which the processes at a place with local variables are several, on purpose. */
static bool is_crowded(const struct protocol_choice *choice)
{
    return strcmp(full_name(choice), "flbb-count/torn") == 0;
}

static void compare_with_checker(const struct protocol_choice *choice, unsigned n)
{
    struct step_params params = protocol_defaults(choice);
    struct check_budget budget = {.limit = UINT64_C(1) << 30};
    struct check_limits limits = limits_of(&budget, true);
    static struct step_model model;
    struct check_query query = {.property = CHECK_EXCLUSION};
    struct check_result result;
    struct check_report report;
    char refused[200];
    params.n = n;
    if (protocol_refuse(choice, &params, refused, sizeof refused) != NULL)
        return;
    assert_null(choice->model->make(&model, &params));
    assert_true(check_run(&model.check, &limits, &query, 1, &result, &report));
    check_witness_free(&report.slip.witness);
    check_witness_free(&result.witness);
    if (report.end == CHECK_OUT_OF_RANGE)
        return;
    const struct prove_unfolded unfolded =
        prove_unfold(&counters, params.n, params.l, params.k, 1000000, NULL);
    assert_true(unfolded.crowded == (n > 1 && is_crowded(choice)));
    if (unfolded.crowded)
        return;
    assert_true(unfolded.complete);
    assert_false(unfolded.ambiguous);
    assert_int_equal(unfolded.states, report.states);
    assert_int_equal(unfolded.transitions, report.transitions);
}

static void compare_counts(const struct protocol_choice *choice)
{
    for (unsigned n = choice->protocol->min_n; n <= (some_is_enough() ? 4 : 5); n++)
        compare_with_checker(choice, n);
    /* Larger sizes: what the file expects the checker to find, and other tests compare with it. */
    const struct protocol_variant *variant = &choice->protocol->variants[choice->variant];
    for (size_t e = 0; e < variant->expected_count; e++) {
        const struct protocol_expected *expected = &variant->expected[e];
        const struct step_params *params = &expected->params;
        if (params->n > (some_is_enough() ? 5 : 8))
            continue;
        const struct prove_unfolded unfolded =
            prove_unfold(&counters, params->n, params->l, params->k, 1000000, NULL);
        assert_int_equal(unfolded.states, expected->states);
        assert_int_equal(unfolded.transitions, expected->transitions);
    }
}

static void the_counters_unfold_to_the_checkers_states(void **context)
{
    (void)context;
    assert_true(for_each_read(compare_counts) >= 22);
}

/* ---- what is said of the states ---- */

/* An invariant of the protocol itself is true in every state that there is. */
static void invariants_hold(const struct protocol_choice *choice)
{
    if (choice->variant != 0)
        return;
    for (unsigned n = choice->protocol->min_n; n <= (some_is_enough() ? 4 : 5); n++) {
        for (unsigned c = 0; c < counters.conjuncts; c++) {
            prove_t broken = prove_not(&pool, counters.conjunct[c].condition);
            const struct prove_unfolded unfolded =
                prove_unfold(&counters, n, 1, 1, 1000000, broken);
            if (unfolded.found != NULL)
                fail_msg("%s: %s: not so with n = %u", full_name(choice), counters.conjunct[c].name,
                         n);
        }
    }
}

static void what_is_said_is_so(void **context)
{
    (void)context;
    for_each_read(invariants_hold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_is_a_step),
        cmocka_unit_test(the_counters_unfold_to_the_checkers_states),
        cmocka_unit_test(what_is_said_is_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
