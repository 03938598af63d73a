/*
 * The third reading of protocol files in which processes are told apart (src/prove/names.c): in
 * every reachable state of small systems, each process has exactly one rule, and it leads where the
 * model leads. And what the file says of all processes is so in each of these states.
 */
#include "rule_states.h"

#include "prove/tables.h"

static struct prove_pool pool;
static struct prove_reading reading;
static struct prove_system names;

static bool read_rules(const struct protocol_choice *choice)
{
    const char *text = prove_rules_text(choice->protocol->file);
    prove_pool_free(&pool);
    if (text == NULL)
        return false;
    const char *error = prove_read(&reading, &pool, text, choice->variant);
    if (error == NULL && !reading.names)
        return false;
    if (error == NULL)
        error = prove_names_make(&names, &reading, choice->protocol, NULL);
    if (error != NULL)
        fail_msg("%s: %s", full_name(choice), error);
    return true;
}

enum { MOST_STATES = 40000 };

/* ---- step by step ---- */

/* What the one rule that the process has makes of the state; gives its step. */
static const struct prove_step *apply(const struct protocol_choice *choice,
                                      const struct prove_tables *before, unsigned p,
                                      const struct prove_tables *after)
{
    const struct prove_step *found = NULL;
    before->of[names.me] = p;
    for (unsigned s = 0; s < names.steps; s++) {
        if (prove_evaluate(names.step[s].guard, before->of) == 0)
            continue;
        if (found != NULL)
            fail_msg("%s: two rules for %s", full_name(choice), found->rule->label);
        found = &names.step[s];
    }
    if (found == NULL) {
        fail_msg("%s: no rule", full_name(choice));
        return NULL;
    }
    prove_tables_step(before, found, after);
    return found;
}

enum { CONDITIONS = 64 };
static prove_t asked[PROVE_MAX_STEPS][CONDITIONS]; /* each condition after each step */

static void make_asked(void)
{
    for (unsigned s = 0; s < names.steps; s++) {
        for (unsigned c = 0; c < names.conjuncts && c < CONDITIONS; c++)
            asked[s][c] = prove_after(&names, &names.step[s], names.conjunct[c].condition);
    }
}

/* That a condition holds after a step is what prove_after makes of it, asked before the step. */
static void after_is_after(const struct protocol_choice *choice, const struct prove_tables *before,
                           const struct prove_tables *after, const struct prove_step *step,
                           unsigned n)
{
    const size_t s = (size_t)(step - names.step);
    for (unsigned c = 0; c < names.conjuncts; c++) {
        assert_true(c < CONDITIONS);
        for (unsigned i = 0; i < n; i++) {
            before->of[names.i] = after->of[names.i] = i;
            before->of[names.j] = after->of[names.j] = (i + 1) % n;
            before->of[names.any] = after->of[names.any] = i;
            if (prove_evaluate(asked[s][c], before->of) !=
                prove_evaluate(names.conjunct[c].condition, after->of))
                fail_msg("%s: after %s: %s", full_name(choice), step->rule->label,
                         names.conjunct[c].name);
        }
    }
}

static bool alike(const struct prove_tables *a, const struct prove_tables *b)
{
    for (unsigned v = 0; v < reading.cells; v++) {
        const unsigned symbol = reading.cell[v].symbol;
        if (a->of[symbol] != b->of[symbol])
            return false;
    }
    for (unsigned p = 0; names.counts && p < reading.places; p++) {
        if (a->of[names.at[p]] != b->of[names.at[p]])
            return false;
    }
    for (unsigned f = 0; f < names.functions; f++) {
        for (int64_t at = 0; at < STEP_MAX_ARRAY; at++) {
            if (*prove_tables_element(a, names.function[f], at) !=
                *prove_tables_element(b, names.function[f], at))
                return false;
        }
    }
    return true;
}

/* What is said of I, J and any number: for all of them. */
static void is_so(const struct protocol_choice *choice, const struct prove_tables *values,
                  unsigned n)
{
    for (unsigned c = 0; choice->variant == 0 && c < names.conjuncts; c++) {
        const struct prove_conjunct *conjunct = &names.conjunct[c];
        const unsigned is = conjunct->of & PROVE_OF_I ? n : 1;
        const unsigned js = conjunct->of & PROVE_OF_J ? n : 1;
        const unsigned anys = conjunct->of & PROVE_OF_ANY ? n + 1 : 1;
        for (unsigned i = 0; i < is * js * anys; i++) {
            values->of[names.i] = i % is;
            values->of[names.j] = i / is % js;
            values->of[names.any] = i / is / js;
            const bool both = conjunct->of & PROVE_OF_I && conjunct->of & PROVE_OF_J;
            if (!(both && values->of[names.i] == values->of[names.j]) &&
                prove_evaluate(conjunct->condition, values->of) == 0)
                fail_msg("%s: %s: not so with n = %u", full_name(choice), conjunct->name, n);
        }
    }
}

static unsigned states_seen;

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
    struct prove_tables before, by_rule, by_model;
    assert_true(prove_tables_make(&before, &names));
    assert_true(prove_tables_make(&by_rule, &names));
    assert_true(prove_tables_make(&by_model, &names));
    model.check.initial(&model.check, first);
    states_add(&states, words, first);
    for (size_t s = 0; s < states.count; s++) {
        uint64_t state[CHECK_MAX_WORDS];
        memcpy(state, states.word + s * words, words * sizeof *state);
        const struct check_moves moves = model.check.expand(&model.check, state, next);
        if (moves.error)
            break; /* broken on purpose: that a value leaves its range is for the prover to say */
        assert_true(prove_tables_fill(&before, &model, state));
        is_so(choice, &before, params->n);
        for (unsigned p = 0; p < model.check.n; p++) {
            const bool changes = moves.change >> p & 1;
            assert_true(prove_tables_fill(&by_model, &model, changes ? next + p * words : state));
            const struct prove_step *step = apply(choice, &before, p, &by_rule);
            after_is_after(choice, &before, &by_rule, step, params->n);
            /* The checker lets nobody begin at the limit. */
            const bool barred = choice->protocol->default_limit > 0 && !changes &&
                                *prove_tables_element(&before, names.place_of, p) == 0;
            if (!barred && !alike(&by_rule, &by_model))
                fail_msg("%s: process %u goes elsewhere, n = %u", full_name(choice), p, params->n);
            if (changes)
                states_add(&states, words, next + p * words);
        }
    }
    states_seen += (unsigned)states.count;
    prove_tables_free(&before);
    prove_tables_free(&by_rule);
    prove_tables_free(&by_model);
    states_end(&states);
    free(next);
}

static void each_rule_is_a_step_and_what_is_said_is_so(void **context)
{
    unsigned read = 0;
    (void)context;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            if (!read_rules(&choice))
                continue;
            read++;
            make_asked();
            for (unsigned n = protocol->min_n; n <= 3; n++) {
                for (unsigned l = 1; l <= 2; l++) {
                    struct step_params params = protocol_defaults(&choice);
                    params.n = n;
                    params.l = l;
                    compare_at(&choice, &params);
                }
            }
        }
    }
    prove_pool_free(&pool);
    assert_true(read >= 9);
    assert_true(states_seen > 15000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_is_a_step_and_what_is_said_is_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
