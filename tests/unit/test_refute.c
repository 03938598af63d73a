/*
 * The adversaries. With fewer values than a theorem asks for, every system whatever is refuted, and
 * the schedule shows it: to the replay, and the whole checker agrees that the property fails.
 * Systems are random tables, and good protocols with values merged at random; between them every
 * case of every proof turns up.
 */
#include "support.h"

#include "refute/refute.h"
#include "refute/search.h"
#include "refute/table.h"

/* ---- systems ---- */

static void table_fill(struct table *table, unsigned n, unsigned l, unsigned values,
                       const uint8_t *region, unsigned states)
{
    *table = (struct table){.processes = n,
                            .slots = l,
                            .alike = true,
                            .values = values,
                            .states = states,
                            .programs = 1};
    table->value_name = calloc(values, sizeof *table->value_name);
    table->state_name = calloc(states, sizeof *table->state_name);
    table->region = calloc((size_t)1 << check_bits_for(states), 1);
    table->next = calloc((size_t)values * states, sizeof *table->next);
    for (unsigned v = 0; v < values; v++)
        snprintf(table->value_name[v], TABLE_NAME, "%u", v);
    for (unsigned s = 0; s < states; s++) {
        snprintf(table->state_name[s], TABLE_NAME, "%u", s);
        table->region[s] = region[s];
    }
}

static bool may_lead(unsigned from, unsigned to)
{
    return from == CHECK_REMAINDER || from == CHECK_WAITING
               ? to == CHECK_WAITING || to == CHECK_CRITICAL
               : to == CHECK_EXIT || to == CHECK_REMAINDER;
}

/* Any table. */
static void table_random(struct table *table, struct dice *dice, unsigned least, unsigned most)
{
    uint8_t region[16];
    unsigned states = 0;
    const unsigned counts[] = {1 + (dice_below(dice, 6) == 0), 1 + dice_below(dice, 3), 1,
                               dice_below(dice, 3)};
    static const uint8_t regions[] = {CHECK_REMAINDER, CHECK_WAITING, CHECK_CRITICAL, CHECK_EXIT};
    for (unsigned r = 0; r < 4; r++) {
        for (unsigned c = 0; c < counts[r]; c++)
            region[states++] = regions[r];
    }
    const unsigned n = least + dice_below(dice, most - least + 1);
    table_fill(table, n, 1 + dice_below(dice, n > 2 ? 2 : 1), 1 + dice_below(dice, 3), region,
               states);
    for (unsigned s = 0; s < states; s++) {
        for (unsigned v = 0; v < table->values; v++) {
            unsigned to;
            do {
                to = dice_below(dice, states);
            } while (!may_lead(region[s], region[to]));
            *table_entry(table, 0, s, v) =
                (struct table_entry){(uint16_t)dice_below(dice, table->values), (uint16_t)to};
        }
    }
}

/* A ticket lock modulo m: V is the next ticket and the one that is served. States: R, T0 .., C. */
static void table_ticket(struct table *table, unsigned n, unsigned m)
{
    uint8_t region[TABLE_MAX_STATES] = {CHECK_REMAINDER};
    memset(region + 1, CHECK_WAITING, m);
    region[m + 1] = CHECK_CRITICAL;
    table_fill(table, n, 1, m * m, region, m + 2);
    for (unsigned v = 0; v < m * m; v++) {
        const unsigned next = v / m, serving = v % m;
        *table_entry(table, 0, 0, v) =
            (struct table_entry){(uint16_t)((next + 1) % m * m + serving), (uint16_t)(1 + next)};
        for (unsigned t = 0; t < m; t++)
            *table_entry(table, 0, 1 + t, v) =
                (struct table_entry){(uint16_t)v, (uint16_t)(t == serving ? m + 1 : 1 + t)};
        *table_entry(table, 0, m + 1, v) =
            (struct table_entry){(uint16_t)(next * m + (serving + 1) % m), 0};
    }
}

/* l slots behind a ticket lock: V has also how many are in. */
static void table_bank(struct table *table, unsigned n, unsigned l, unsigned m)
{
    uint8_t region[TABLE_MAX_STATES] = {CHECK_REMAINDER};
    memset(region + 1, CHECK_WAITING, m);
    region[m + 1] = CHECK_CRITICAL;
    table_fill(table, n, l, m * m * (l + 1), region, m + 2);
    for (unsigned v = 0; v < table->values; v++) {
        const unsigned in = v / (m * m), next = v / m % m, serving = v % m;
        const unsigned base = in * m * m;
        *table_entry(table, 0, 0, v) = (struct table_entry){
            (uint16_t)(base + (next + 1) % m * m + serving), (uint16_t)(1 + next)};
        for (unsigned t = 0; t < m; t++) {
            const bool enters = t == serving && in < l;
            *table_entry(table, 0, 1 + t, v) =
                enters
                    ? (struct table_entry){(uint16_t)(base + m * m + next * m + (serving + 1) % m),
                                           (uint16_t)(m + 1)}
                    : (struct table_entry){(uint16_t)v, (uint16_t)(1 + t)};
        }
        *table_entry(table, 0, m + 1, v) =
            (struct table_entry){(uint16_t)(in > 0 ? v - m * m : v), 0};
    }
}

/* A queue with l slots: V counts tickets and those that have been let in, modulo m; a ticket is
 * good if it is among the last m/2 that were let in. */
static void table_window(struct table *table, unsigned n, unsigned l, unsigned m)
{
    uint8_t region[TABLE_MAX_STATES] = {CHECK_REMAINDER};
    memset(region + 1, CHECK_WAITING, m);
    region[m + 1] = CHECK_CRITICAL;
    table_fill(table, n, l, m * m, region, m + 2);
    table->first_value = l % m;
    for (unsigned v = 0; v < m * m; v++) {
        const unsigned next = v / m, valid = v % m;
        *table_entry(table, 0, 0, v) =
            (struct table_entry){(uint16_t)((next + 1) % m * m + valid), (uint16_t)(1 + next)};
        for (unsigned t = 0; t < m; t++) {
            const unsigned ahead = (valid + m - t) % m;
            const bool enters = ahead >= 1 && ahead <= m / 2;
            *table_entry(table, 0, 1 + t, v) =
                (struct table_entry){(uint16_t)v, (uint16_t)(enters ? m + 1 : 1 + t)};
        }
        *table_entry(table, 0, m + 1, v) =
            (struct table_entry){(uint16_t)(next * m + (valid + 1) % m), 0};
    }
}

/* A protocol that the search found. What nobody comes to leads anywhere. */
static void table_found(struct table *table, const struct search_protocol *protocol)
{
    table_fill(table, 2, 1, protocol->values, protocol->region, protocol->states);
    if (protocol->size.distinct) {
        table->alike = false;
        table->programs = 2;
        free(table->next);
        table->next = calloc((size_t)2 * protocol->values * protocol->states, sizeof *table->next);
    }
    for (unsigned p = 0; p < table->programs; p++) {
        for (unsigned s = 0; s < protocol->states; s++) {
            for (unsigned v = 0; v < protocol->values; v++) {
                const struct search_entry entry = protocol->next[p][s][v];
                struct table_entry *to = table_entry(table, p, s, v);
                if (entry.value != SEARCH_UNSET)
                    *to = (struct table_entry){entry.value, entry.state};
                while (entry.value == SEARCH_UNSET &&
                       !may_lead(protocol->region[s], protocol->region[to->state]))
                    to->state++;
            }
        }
    }
}

/* Merges the values at random: what was many is `values`. Each local state takes a merged value for
 * one of those that it stands for. */
static void merge(struct table *table, struct dice *dice, unsigned values)
{
    unsigned *to = calloc(table->values, sizeof *to);
    struct table_entry *next = calloc((size_t)values * table->states, sizeof *next);
    for (unsigned v = 0; v < table->values; v++)
        to[v] = v < values ? v : dice_below(dice, values);
    for (unsigned v = table->values; v-- > 1;) { /* which ones stay apart is left to chance */
        const unsigned u = dice_below(dice, v + 1), kept = to[u];
        to[u] = to[v];
        to[v] = kept;
    }
    for (unsigned s = 0; s < table->states; s++) {
        for (unsigned w = 0; w < values; w++) {
            unsigned v;
            do {
                v = dice_below(dice, table->values);
            } while (to[v] != w);
            struct table_entry entry = *table_entry(table, 0, s, v);
            next[s * values + w] = (struct table_entry){(uint16_t)to[entry.value], entry.state};
        }
    }
    table->first_value = to[table->first_value];
    table->values = values;
    free(table->next);
    table->next = next;
    free(to);
}

/* ---- what is asked of every outcome ---- */

static const char *const cases[] = {
    "Lemma 4.3: V(q0)",
    "case 1: V(q",
    "case 2: V(q",
    "case 3.1",
    "case 3.2",
    "Lemma 4.3: V is",
    "Lemma 4.6, case 1",
    "Lemma 4.6, case 2.1",
    "Lemma 4.6, case 2.2",
    "Lemma 4.7: P0",
    "then some value",
    "the loop of",
    "; case 1",
    "; case 2",
    "Lemma 5.1, case 1",
    "Lemma 5.1, case 2",
    "enabled at the second",
};
enum { CASES = sizeof cases / sizeof cases[0] };

struct tally {
    unsigned refuted[REFUTE_THEOREMS], stopped[REFUTE_THEOREMS];
    unsigned seen[CASES][REFUTE_THEOREMS];
    unsigned broken[CHECK_PROPERTIES], asked;
};

static bool agrees(struct check_model *model, const struct refute_outcome *outcome)
{
    struct check_budget budget = budget_of(256);
    const struct check_limits limits = limits_of(&budget, false);
    const struct check_query query = {.property = outcome->result.query.property};
    struct check_result result;
    struct check_report report;
    model->k = outcome->k;
    bool ran = check_run(model, &limits, &query, 1, &result, &report);
    check_witness_free(&result.witness);
    return ran && result.answer == CHECK_FAILS;
}

static void ask(const struct table *table, enum refute_theorem theorem, struct tally *tally)
{
    static struct step_model model;
    struct check_budget budget = budget_of(256);
    const struct check_limits check = limits_of(&budget, false);
    const struct refute_limits limits = {.check = &check, .states = 1 << 20};
    const struct step_params params = table_params(table);
    struct refute_outcome outcome;
    assert_null(table_make(&model, table, &params));
    assert_null(refute_refuses(&model.check));
    refute_run(&outcome, theorem, &model.check, &limits);
    const bool too_few = table->values < outcome.bound;
    const bool about = outcome.end != REFUTE_NOT_ABOUT;
    if (about && too_few)
        assert_int_equal(outcome.end, REFUTE_BROKEN);
    if (outcome.end == REFUTE_BROKEN) {
        assert_string_equal(outcome.why, "");
        assert_int_equal(outcome.replayed, CHECK_SHOWN);
        if (tally->asked++ % 64 == 0) /* a whole check takes its time */
            assert_true(agrees(&model.check, &outcome));
        tally->refuted[theorem]++;
        tally->broken[outcome.result.query.property]++;
        for (unsigned c = 0; c < CASES; c++)
            tally->seen[c][theorem] += strstr(outcome.how, cases[c]) != NULL;
    } else if (about) {
        /* Only because there is no contradiction, and never where a step did something
         * unforeseen. */
        assert_int_equal(outcome.end, REFUTE_STOPPED);
        assert_null(strstr(outcome.how, "and do not"));
        assert_null(strstr(outcome.how, "and does not"));
        assert_null(strstr(outcome.how, "no contradiction follows"));
        assert_null(strstr(outcome.how, "though it is blocked"));
        assert_null(strstr(outcome.how, "something else"));
        assert_null(strstr(outcome.how, "third value"));
        assert_null(strstr(outcome.how, "nobody else in its place"));
        assert_null(strstr(outcome.how, "not critical"));
        tally->stopped[theorem]++;
    }
    refute_outcome_free(&outcome);
}

static void ask_all(const struct table *table, struct tally *tally)
{
    for (unsigned t = 0; t < REFUTE_THEOREMS; t++)
        ask(table, (enum refute_theorem)t, tally);
}

static struct tally whole;

static void random_tables(void **unused)
{
    (void)unused;
    struct dice dice = {.state = 1};
    for (unsigned i = 0; i < scaled_full(2000); i++) {
        struct table table;
        table_random(&table, &dice, 2, 5);
        ask_all(&table, &whole);
        table_free(&table);
    }
}

/* The lemmas of Cremers and Hibbard have cases that few tables come to. */
static void random_pairs(void **unused)
{
    (void)unused;
    struct dice dice = {.state = 3};
    for (unsigned i = 0; i < scaled_full(40000); i++) {
        struct table table;
        table_random(&table, &dice, 2, 2);
        ask(&table, REFUTE_4_10, &whole);
        table_free(&table);
    }
}

static void merged_tables(void **unused)
{
    (void)unused;
    struct dice dice = {.state = 2};
    for (unsigned i = 0; i < scaled_full(2000); i++) {
        struct table table;
        const unsigned n = 2 + dice_below(&dice, 4), l = n > 2 ? 1 + dice_below(&dice, 2) : 1;
        switch (dice_below(&dice, 3)) {
        case 0: table_ticket(&table, n, n); break;
        case 1: table_bank(&table, n, l, n); break;
        default: table_window(&table, n, l, 2 * n); break;
        }
        const unsigned most = table.values;
        if (n <= 4 && dice_below(&dice, 2) != 0) /* nearly whole */
            merge(&table, &dice, most - dice_below(&dice, 4));
        else
            merge(&table, &dice, 1 + dice_below(&dice, most < 12 ? most : 12));
        ask_all(&table, &whole);
        table_free(&table);
    }
}

/* Of two processes, every protocol with two values that excludes and does not deadlock locks
 * somebody out: Corollary 4.8, and the adversary shows it for each. */
static void refute_found(const struct search_protocol *protocol, void *context)
{
    struct table table;
    (void)context;
    table_found(&table, protocol);
    ask(&table, REFUTE_4_10, &whole);
    ask(&table, REFUTE_4_9, &whole);
    table_free(&table);
}

static void all_pairs_with_two_values(void **unused)
{
    (void)unused;
    static const struct search_size sizes[] = {
        {.values = 2, .remainder = 1, .trying = 2, .critical = 1, .exit = 1},
        {.values = 2, .remainder = 2, .trying = 1, .critical = 1, .exit = 1},
        {.values = 2, .remainder = 1, .trying = 1, .critical = 1, .exit = 1, .distinct = true},
    };
    static struct search_result result;
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        assert_null(search_run(&sizes[s], &(struct search_limits){0}, refute_found, NULL, &result));
        assert_true(result.all && result.complete > 0);
        print_message("%llu\n", (unsigned long long)result.complete);
    }
}

/* The same with three values and five processes, or seven: Theorem 4.10 asks for four values, and
 * Theorem 4.12 for more than two, or three, while P0 is critical. */
static void refute_crowd(const struct search_protocol *protocol, void *context)
{
    const unsigned *n = context;
    struct table table;
    table_found(&table, protocol);
    table.processes = *n;
    ask(&table, REFUTE_4_9, &whole);
    ask(&table, REFUTE_4_10, &whole);
    ask(&table, REFUTE_4_12, &whole);
    table_free(&table);
}

static void crowds_with_three_values(void **unused)
{
    (void)unused;
    static const struct search_size sizes[] = {
        {.values = 3, .remainder = 1, .trying = 1, .critical = 1, .exit = 0},
        {.values = 3,
         .remainder = 1,
         .trying = 1,
         .critical = 1,
         .exit = 1,
         .goal = SEARCH_LOCKOUT_FREE},
    };
    static struct search_result result;
    for (unsigned s = 0; s < (SANITIZED ? 1 : 2); s++) {
        for (unsigned n = 5; n <= 7; n += 2)
            assert_null(
                search_run(&sizes[s], &(struct search_limits){0}, refute_crowd, &n, &result));
        assert_true(result.all && result.complete > 0);
    }
}

/* Theorem 4.10, its induction: a process that comes for the first time and finds the section busy
 * says so with a third value, and later on does not any more. */
static void values_get_lost(void **unused)
{
    (void)unused;
    static const char text[] = "berth-table 1\nprocesses 4\nvalues free busy more\n"
                               "remainder first later\ntrying T\ncritical C\n"
                               "program\n"
                               "first free -> busy C\nfirst * -> more T\n"
                               "later free -> busy C\nlater * -> * T\n"
                               "T free -> busy C\nT * -> * T\nC * -> free later\n";
    struct table table;
    char error[256];
    assert_true(table_parse(&table, "lost", text, strlen(text), error, sizeof error));
    ask_all(&table, &whole);
    table_free(&table);
}

static void every_case_turned_up(void **unused)
{
    (void)unused;
    unsigned missing = 0;
    for (unsigned c = 0; c < CASES; c++) {
        unsigned sum = 0;
        for (unsigned t = 0; t < REFUTE_THEOREMS; t++)
            sum += whole.seen[c][t];
        print_message("%6u  %s\n", sum, cases[c]);
        missing += sum == 0;
    }
    for (unsigned t = 0; t < REFUTE_THEOREMS; t++) {
        print_message("%s: refuted %u, stopped %u\n", refute_about((enum refute_theorem)t)->name,
                      whole.refuted[t], whole.stopped[t]);
        assert_true(whole.refuted[t] > 0 && whole.stopped[t] > 0);
    }
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (whole.broken[p] > 0)
            print_message("%6u  %s\n", whole.broken[p],
                          check_property_name((enum check_property)p));
    }
    /* With less effort there is too little time for the rare ones. */
    if (scaled_full(100) >= 100)
        assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tables),
        cmocka_unit_test(random_pairs),
        cmocka_unit_test(all_pairs_with_two_values),
        cmocka_unit_test(crowds_with_three_values),
        cmocka_unit_test(merged_tables),
        cmocka_unit_test(values_get_lost),
        cmocka_unit_test(every_case_turned_up),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
