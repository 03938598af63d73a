/*
 * The third reading of protocol files in which processes are told apart (src/prove/names.c): in
 * every reachable state of small systems, each process has exactly one rule, and it leads where the
 * model leads. And what the file says of all processes is so in each of these states. Where
 * counters are unbounded (NORMAL), states that differ by them alone are looked at once, as they
 * came.
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
    if (reading.cannot)
        return false;
    if (error == NULL && !reading.names)
        return false;
    if (error == NULL)
        error = prove_names_make(&names, &reading, choice->protocol, NULL);
    if (error != NULL)
        fail_msg("%s: %s", full_name(choice), error);
    return true;
}

enum { MOST_STATES = 60000, MOST_OF_VARIANTS = 21000, MOST_DYING = 6000 };
enum { MOST_ENDLESS = 3000, MOST_ENDLESS_OF_VARIANTS = 300, MANY = 20000, SOME = 61 };
enum { WITNESS = 64, WITNESSES = 8 * WITNESS }; /* elements of such an array, of eight at most */
enum { WALKS = 30, LENGTH = 150, KILLS = 5 };

/* ---- step by step ---- */

enum kind { STEPS, CHOOSES, IS_KILLED }; /* or it dies */

static bool is_of_kind(const struct prove_rule *rule, enum kind kind, int64_t place)
{
    if (kind == IS_KILLED || rule == &reading.killed)
        return kind == IS_KILLED && rule == &reading.killed;
    return rule->from == place &&
           (rule->choice < 0 ? kind == STEPS : rule->choice == (kind == CHOOSES));
}

/* Applies the only rule of this kind that the process can make; `after` is the new state. Gives the
 * rule's step. */
static const struct prove_step *apply(const struct protocol_choice *choice,
                                      const struct prove_tables *before, unsigned p, enum kind kind,
                                      const struct prove_tables *after)
{
    const struct prove_step *found = NULL;
    const int64_t place = *prove_tables_element(before, names.place_of, p);
    before->of[names.me] = p;
    for (unsigned s = 0; s < names.steps; s++) {
        if (!is_of_kind(names.step[s].rule, kind, place) ||
            prove_evaluate(names.step[s].guard, before->of) == 0)
            continue;
        if (names.step[s].rule->broken)
            fail_msg("%s: what is trusted is not so: %s", full_name(choice),
                     names.step[s].rule->label);
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

enum { CONDITIONS = 160 };
/* Each condition after each step; made when it is asked for, which most are not. */
static prove_t asked[PROVE_MAX_STEPS][CONDITIONS];

static prove_t asked_after(const struct prove_step *step, unsigned c)
{
    prove_t *condition = &asked[step - names.step][c];
    if (*condition == NULL)
        *condition = prove_after(&names, step, names.conjunct[c].condition);
    return *condition;
}

/* That a condition holds after a step is what prove_after makes of it, asked before the step. */
static void after_is_after(const struct protocol_choice *choice, const struct prove_tables *before,
                           const struct prove_tables *after, const struct prove_step *step,
                           unsigned n)
{
    for (unsigned c = 0; c < names.conjuncts; c++) {
        assert_true(c < CONDITIONS);
        const prove_t after_it = asked_after(step, c);
        for (unsigned i = 0; i < n; i++) {
            before->of[names.i] = after->of[names.i] = i;
            before->of[names.j] = after->of[names.j] = (i + 1) % n;
            before->of[names.any] = after->of[names.any] = i;
            before->of[names.turn] = after->of[names.turn] = i;
            if (prove_evaluate(after_it, before->of) !=
                prove_evaluate(names.conjunct[c].condition, after->of))
                fail_msg("%s: after %s: %s", full_name(choice), step->rule->label,
                         names.conjunct[c].name);
        }
    }
}

/* The checker does not have it. */
static bool is_the_provers(unsigned function)
{
    for (unsigned a = 0; a < reading.arrays; a++) {
        if (reading.array[a].symbol == function)
            return reading.array[a].witness;
    }
    return reading.constants > 0 && (function == names.quotient_of || function == names.rest_of);
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
        if (is_the_provers(names.function[f]))
            continue;
        for (int64_t at = 0; at < STEP_MAX_ARRAY; at++) {
            if (*prove_tables_element(a, names.function[f], at) !=
                *prove_tables_element(b, names.function[f], at))
                return false;
        }
    }
    return true;
}

enum { MOST_TURNS = 40 };

/* What is said of I, J and any number: for all of them. */
static void is_so(const struct protocol_choice *choice, const struct prove_tables *values,
                  unsigned n)
{
    for (unsigned c = 0; choice->variant == 0 && c < names.conjuncts; c++) {
        const struct prove_conjunct *conjunct = &names.conjunct[c];
        const unsigned is = conjunct->of & PROVE_OF_I ? n : 1;
        const unsigned js = conjunct->of & PROVE_OF_J ? n : 1;
        const unsigned anys = conjunct->of & PROVE_OF_ANY ? n + 1 : 1;
        const unsigned turns = conjunct->of & PROVE_OF_TURN ? MOST_TURNS : 1;
        for (unsigned i = 0; i < is * js * anys * turns; i++) {
            values->of[names.i] = i % is;
            values->of[names.j] = i / is % js;
            values->of[names.any] = i / is / js % anys;
            values->of[names.turn] = i / is / js / anys;
            const bool both = conjunct->of & PROVE_OF_I && conjunct->of & PROVE_OF_J;
            if (!(both && values->of[names.i] == values->of[names.j]) &&
                prove_evaluate(conjunct->condition, values->of) == 0)
                fail_msg("%s: %s: not so with n = %u", full_name(choice), conjunct->name, n);
        }
    }
}

static unsigned states_seen, deaths_seen, edges_seen; /* edges of this model */

/* The states that have been come to, as they came. */
struct reached {
    struct states known; /* each once; up to what NORMAL says is alike */
    const struct step_model *model;
    uint64_t *state;
    size_t most; /* where there is no end of them, and of a variant */
    bool whole;  /* there are not more than MOST_STATES */
    int64_t (*witness)[WITNESSES];
};

/* What only the rules know: at first, and from one state to the next. */
static void witness_first(const struct prove_tables *tables)
{
    const unsigned index = prove_symbol(&pool, "$e");
    for (unsigned a = 0; a < reading.arrays; a++) {
        for (int64_t e = 0; reading.array[a].witness && e < WITNESS; e++) {
            tables->of[index] = e;
            *prove_tables_element(tables, reading.array[a].symbol, e) =
                reading.array[a].first == NULL ? 0
                                               : prove_evaluate(reading.array[a].first, tables->of);
        }
    }
}

static void witness_copy(const struct prove_tables *tables, int64_t *kept, bool into)
{
    for (unsigned a = 0; a < reading.arrays; a++) {
        for (int64_t e = 0; reading.array[a].witness && e < WITNESS; e++) {
            int64_t *element = prove_tables_element(tables, reading.array[a].symbol, e);
            *(into ? &kept[e] : element) = *(into ? element : &kept[e]);
        }
        kept += reading.array[a].witness ? WITNESS : 0;
    }
}

static void reach(struct reached *reached, const uint64_t *state,
                  const struct prove_tables *witness)
{
    const unsigned words = reached->model->check.words;
    uint64_t alike[CHECK_MAX_WORDS];
    const size_t count = reached->known.count;
    if (count >= reached->most && !reached->whole)
        return;
    memcpy(alike, state, words * sizeof *alike);
    if (reached->model->normal != NULL)
        assert_true(reached->model->normal(reached->model, alike));
    states_add(&reached->known, words, alike);
    if (reached->known.count > count)
        memcpy(reached->state + count * words, state, words * sizeof *state);
    if (reached->known.count > count)
        witness_copy(witness, reached->witness[count], true);
}

static void compare_edge(const struct protocol_choice *choice, const struct step_model *model,
                         const struct prove_tables *tables, const uint64_t *state,
                         const uint64_t *next, enum kind kind, unsigned p)
{
    const struct prove_tables *before = &tables[0], *by_rule = &tables[1], *by_model = &tables[2];
    assert_true(prove_tables_fill(by_model, model, next));
    const struct prove_step *step = apply(choice, before, p, kind, by_rule);
    edges_seen++;
    deaths_seen += kind == IS_KILLED && reading.deaths;
    if ((model->normal == NULL && edges_seen < MANY) || edges_seen % SOME == 0)
        after_is_after(choice, before, by_rule, step, model->params.n);
    /* The checker lets nobody begin at the limit. */
    const bool barred = choice->protocol->default_limit > 0 && next == state &&
                        *prove_tables_element(before, names.place_of, p) == 0;
    if (!barred && !alike(by_rule, by_model))
        fail_msg("%s: process %u goes elsewhere by %s, n = %u", full_name(choice), p,
                 step->rule->label, model->params.n);
}

static enum kind kind_of(const struct check_model *check, unsigned edge)
{
    const unsigned kind = edge / check->n;
    return kind == 0 ? STEPS : check->has_fault && kind == check->kinds - 1 ? IS_KILLED : CHOOSES;
}

/* Compares all edges of a state. Returns one of those that change the state, chosen by `random`;
 * the number of edges if none does; more than that if the state is in error. */
static unsigned compare_state(const struct protocol_choice *choice, const struct step_model *model,
                              const struct prove_tables *tables, const uint64_t *state,
                              uint64_t *next, struct reached *reached, uint64_t random,
                              int64_t *witness)
{
    const struct check_model *check = &model->check;
    const unsigned words = check->words, edges = check->kinds * check->n;
    const struct check_moves moves = check->expand(check, state, next);
    const unsigned from = choice->protocol->broken_from;
    const bool slips = from != 0 && choice->variant >= from; /* then what slips is no edge */
    unsigned one = edges, changing = 0;
    if (moves.error)
        return edges + 1; /* a broken variant: the prover says that a value leaves its range */
    assert_true(prove_tables_fill(&tables[0], model, state));
    is_so(choice, &tables[0], model->params.n);
    for (unsigned e = 0; e < edges; e++) {
        const bool changes = moves.change >> e & 1;
        const enum kind kind = kind_of(check, e);
        if (changes || (kind == STEPS && (!slips || moves.exist >> e & 1)))
            compare_edge(choice, model, tables, state, changes ? next + e * words : state, kind,
                         e % check->n);
        if (!changes)
            continue;
        if (reached != NULL)
            reach(reached, next + e * words, &tables[1]);
        if (random % ++changing == 0) {
            one = e;
            witness_copy(&tables[1], witness, true);
        }
    }
    return one;
}

/* Where there is no end of the states: farther than all of the first ones go. */
static void walk(const struct protocol_choice *choice, const struct step_model *model,
                 const struct prove_tables *tables, uint64_t *next)
{
    static uint64_t random = 1;
    uint64_t state[CHECK_MAX_WORDS];
    int64_t witness[WITNESSES];
    for (unsigned w = 0; w < (choice->variant == 0 ? WALKS : 1); w++) {
        model->check.initial(&model->check, state);
        assert_true(prove_tables_fill(&tables[0], model, state));
        witness_first(&tables[0]);
        for (unsigned s = 0; s < LENGTH; s++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const unsigned e =
                compare_state(choice, model, tables, state, next, NULL, random >> 33, witness);
            if (e >= model->check.kinds * model->check.n)
                break;
            memcpy(state, next + e * model->check.words, model->check.words * sizeof *state);
            witness_copy(&tables[0], witness, false);
            states_seen++;
        }
    }
}

static size_t most_states(const struct protocol_choice *choice, bool endless)
{
    if (endless)
        return choice->variant == 0 ? scaled_full(MOST_ENDLESS) : MOST_ENDLESS_OF_VARIANTS;
    return choice->variant == 0 ? MOST_STATES : reading.deaths ? MOST_DYING : MOST_OF_VARIANTS;
}

static void compare_at(const struct protocol_choice *choice, const struct step_params *given)
{
    static struct step_model model, normal;
    char refused[200];
    struct step_params whole = *given, *params = &whole;
    if (protocol_refuse(choice, params, refused, sizeof refused) != NULL)
        return;
    assert_null(choice->model->make(&normal, params));
    if (normal.normal != NULL) {
        params->kills = KILLS;
        assert_null(choice->model->make(&normal, params));
        params->as_it_is = true;
    }
    assert_null(choice->model->make(&model, params));
    const unsigned words = model.check.words, edges = model.check.kinds * model.check.n;
    struct reached reached = {states_begin(words, MOST_STATES),
                              &normal,
                              malloc(MOST_STATES * words * sizeof *reached.state),
                              most_states(choice, normal.normal != NULL),
                              choice->variant == 0 && normal.normal == NULL,
                              malloc(MOST_STATES * sizeof *reached.witness)};
    assert_non_null(reached.state);
    assert_non_null(reached.witness);
    uint64_t *next = malloc(edges * words * sizeof *next), first[CHECK_MAX_WORDS];
    assert_non_null(next);
    struct prove_tables tables[3]; /* before a step, after it by rule and by model */
    for (unsigned t = 0; t < 3; t++)
        assert_true(prove_tables_make(&tables[t], &names));
    edges_seen = 0;
    model.check.initial(&model.check, first);
    assert_true(prove_tables_fill(&tables[0], &model, first));
    witness_first(&tables[0]);
    reach(&reached, first, &tables[0]);
    for (size_t s = 0; s < reached.known.count; s++) {
        uint64_t state[CHECK_MAX_WORDS];
        int64_t witness[WITNESSES];
        memcpy(state, reached.state + s * words, words * sizeof *state);
        witness_copy(&tables[0], reached.witness[s], false);
        if (compare_state(choice, &model, tables, state, next, &reached, 0, witness) > edges)
            break;
    }
    if (normal.normal != NULL)
        walk(choice, &model, tables, next);
    states_seen += (unsigned)reached.known.count;
    for (unsigned t = 0; t < 3; t++)
        prove_tables_free(&tables[t]);
    states_end(&reached.known);
    free(reached.state);
    free(reached.witness);
    free(next);
}

static void each_rule_is_a_step_and_what_is_said_is_so(void **context)
{
    const bool whole = scaled_full(100) >= 50; /* not under a sanitizer, but in its long form */
    const unsigned most_processes = whole ? 3 : 2;
    unsigned read = 0;
    (void)context;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            if (!read_rules(&choice))
                continue;
            read++;
            memset(asked, 0, sizeof asked);
            for (unsigned n = protocol->min_n; n <= most_processes; n++) {
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
    assert_true(read >= 14);
    assert_true(deaths_seen > (whole ? 100000 : 1000));
    assert_true(states_seen > (whole ? 70000 : 5000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_is_a_step_and_what_is_said_is_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
