/*
 * What NORMAL and SETTLED may do to a state: nothing that makes a difference. Random runs of the
 * program as it is, with its real counters; at each state r and for each move e from it, with N(r)
 * for the state that stands for r:
 *
 *  - if e is a settled step, N(e(r)) = N(r): to leave it out changes nothing, whatever others did;
 *  - else the same move can be made from N(r), and N(e(r)) = N(e(N(r))).
 *
 * So a run as it is and the run of the checker stay together, step by step.
 *
 * And where states are counted up to an exchange of processes: two runs with the same steps, made
 * by other processes in the second, lead to states with one normal form. The states that each of
 * them stands for add up to those that there are without, and so do their transitions.
 */
#include "support.h"

#include "fields.h"

enum { STEPS = 100000, FROZEN_FOR = 60 }; /* steps for which one process may stand still */

static struct step_model raw, normal;
static bool expected_to_fail;

static bool is_fault(unsigned e)
{
    return raw.check.has_fault && e / raw.check.n == raw.check.kinds - 1;
}

static void show(const char *what, const uint64_t *state)
{
    if (expected_to_fail)
        return;
    const struct check_model *model = &raw.check;
    uint64_t value[CHECK_MAX_CELLS];
    char text[400];
    print_error("%s:", what);
    model->cell_values(model, state, value);
    for (unsigned c = 0; c < model->cells; c++) {
        model->show(model, c, value[c], text, sizeof text);
        print_error(" %s[%d] = %s;", model->cell[c].name, model->cell[c].index, text);
    }
    print_error("\n");
    for (unsigned p = 0; p < model->n; p++) {
        model->show_local(model, state, p, text, sizeof text);
        struct check_note note;
        uint64_t to[CHECK_MAX_WORDS];
        model->describe(model, state, p, to, &note);
        print_error("    process %u, region %d, before %s: %s\n", p,
                    check_region_of(model, state, p), note.label, text);
    }
}

/* False: the move and its image come apart. */
static bool stay_together(const uint64_t *from, const uint64_t *image, uint64_t settled, unsigned e,
                          const uint64_t *to, uint64_t *to_image)
{
    const unsigned words = raw.check.words, p = e % raw.check.n;
    struct check_note note;
    uint64_t expected[CHECK_MAX_WORDS], again[CHECK_MAX_WORDS];
    memcpy(to_image, to, words * sizeof *to);
    if (!normal.normal(&normal, to_image)) {
        print_message("edge %u: no normal form\n", e);
        show("from", from);
        show("to", to);
        return false;
    }
    const bool left_out = !is_fault(e) && settled >> p & 1;
    if (left_out) {
        memcpy(expected, image, words * sizeof *image);
    } else if (!normal.check.describe(&normal.check, image, e, expected, &note)) {
        print_message("edge %u does not exist in the image\n", e);
        show("from", from);
        show("image", image);
        return false;
    }
    if (check_same_state(expected, to_image, words))
        return true;
    raw.check.describe(&raw.check, from, e, again, &note);
    print_message("edge %u (process %u, %s%s) comes apart\n", e, p, note.label,
                  left_out ? ", settled" : "");
    show("from", from);
    show("its image", image);
    show("to", to);
    show("image of that", to_image);
    show("expected", expected);
    return false;
}

/* The program as it is, and as the checker sees it. */
static void make_both(const char *name, unsigned n, unsigned l, unsigned kills)
{
    const struct step_params sizes = {.n = n, .l = l, .kills = kills};
    make_model(&raw, name, sizes);
    make_model(&normal, name, sizes);
    raw.params.as_it_is = true;
    raw.params.abridged = normal.params.abridged = normal.protocol->abridges;
}

static unsigned run(const char *name, unsigned n, unsigned l, unsigned kills)
{
    struct dice dice = {1};
    make_both(name, n, l, kills);
    const unsigned words = raw.check.words, edges = raw.check.n * raw.check.kinds;
    uint64_t state[CHECK_MAX_WORDS], image[CHECK_MAX_WORDS];
    const unsigned steps = scaled_full(STEPS);
    unsigned frozen = n, until = 0, runs = 0, apart = 0;
    uint64_t left_out = 0;
    bool fresh = true;
    for (unsigned step = 0; step < steps && apart == 0; step++) {
        if (fresh) {
            raw.check.initial(&raw.check, state);
            normal.check.initial(&normal.check, image);
            runs++;
            fresh = false;
        }
        if (step >= until) {
            frozen = dice_below(&dice, n + 1); /* or nobody */
            until = step + dice_below(&dice, FROZEN_FOR);
        }
        uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS], after[CHECK_MAX_EDGES][CHECK_MAX_WORDS];
        const struct check_moves moves = raw.check.expand(&raw.check, state, out);
        const uint64_t settled = normal.settled != NULL ? normal.settled(&normal, state) : 0;
        left_out += (unsigned)__builtin_popcountll(settled);
        fresh = moves.error; /* the counters have come to their end */
        unsigned go[CHECK_MAX_EDGES], can = 0;
        for (unsigned e = 0; e < edges && !fresh; e++) {
            if (moves.exist >> e & 1) {
                if (!(moves.change >> e & 1))
                    memcpy(out + e * words, state, words * sizeof *state);
                apart += !stay_together(state, image, settled, e, out + e * words, after[e]);
                if (e % n != frozen && (!is_fault(e) || dice_below(&dice, 40) == 0))
                    go[can++] = e;
            }
        }
        if (can == 0) {
            until = 0; /* only the frozen one can move */
            continue;
        }
        const unsigned e = go[dice_below(&dice, can)];
        memcpy(state, out + e * words, words * sizeof *state);
        memcpy(image, after[e], words * sizeof *image);
    }
    assert_true(runs <= steps / 100 + 1); /* it is not for anything else that a run ended */
    print_message("%s, n = %u, l = %u, kills %u: %u runs, %llu settled steps seen\n", name, n, l,
                  kills, runs, (unsigned long long)left_out);
    return apart;
}

static void test_pool(void **state)
{
    (void)state;
    unsigned apart = run("pool", 2, 1, 2);
    apart += run("pool", 2, 2, 2);
    apart += run("pool", 3, 1, 2);
    apart += run("pool", 3, 2, 2);
    apart += run("pool", 4, 2, 1);
    apart += run("pool", 4, 3, 1);
    apart += run("pool/try", 3, 2, 2);
    apart += run("pool/asleep", 3, 2, 2);
    apart += run("pool/patient", 4, 2, 2);
    apart += run("pool/resize", 2, 1, 2);
    apart += run("pool/resize", 3, 2, 2);
    assert_int_equal(apart, 0);
}

static void shuffle(struct dice *dice, unsigned *to, unsigned n)
{
    for (unsigned p = 0; p < n; p++)
        to[p] = p;
    for (unsigned p = n; p > 1; p--) {
        const unsigned q = dice_below(dice, p), other = to[q];
        to[q] = to[p - 1];
        to[p - 1] = other;
    }
}

/* States of which the exchanged ones have another normal form. */
static unsigned run_exchanged(const char *name, unsigned n, unsigned l, unsigned kills)
{
    struct dice dice = {1};
    make_both(name, n, l, kills);
    normal.params.symmetric = true;
    const unsigned words = raw.check.words, edges = n * raw.check.kinds;
    uint64_t state[CHECK_MAX_WORDS], other[CHECK_MAX_WORDS];
    unsigned to[CHECK_MAX_PROCESSES], differ = 0;
    bool fresh = true;
    for (unsigned step = 0; step < scaled_full(STEPS) && differ == 0; step++) {
        if (fresh) {
            raw.check.initial(&raw.check, state);
            raw.check.initial(&raw.check, other);
            shuffle(&dice, to, n);
        }
        uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
        const struct check_moves moves = raw.check.expand(&raw.check, state, out);
        fresh = moves.error; /* the counters have come to their end */
        if (fresh)
            continue;
        unsigned e = dice_below(&dice, edges);
        while (!(moves.exist >> e & 1) || (is_fault(e) && dice_below(&dice, 40) != 0))
            e = dice_below(&dice, edges);
        struct check_note note;
        uint64_t next[CHECK_MAX_WORDS], one[CHECK_MAX_WORDS], two[CHECK_MAX_WORDS];
        assert_true(raw.check.describe(&raw.check, state, e, next, &note));
        memcpy(state, next, words * sizeof *next);
        assert_true(raw.check.describe(&raw.check, other, e / n * n + to[e % n], next, &note));
        memcpy(other, next, words * sizeof *next);
        memcpy(one, state, words * sizeof *one);
        memcpy(two, other, words * sizeof *two);
        assert_true(normal.normal(&normal, one) && normal.normal(&normal, two));
        if (check_same_state(one, two, words))
            continue;
        print_message("%s, n = %u, l = %u: an exchange makes a difference\n", name, n, l);
        show("a state", state);
        show("its image", one);
        show("exchanged", other);
        show("image of that", two);
        differ++;
    }
    return differ;
}

static void test_exchange(void **state)
{
    (void)state;
    unsigned differ = run_exchanged("pool", 2, 1, 2);
    differ += run_exchanged("pool", 2, 2, 2);
    differ += run_exchanged("pool", 3, 1, 2);
    differ += run_exchanged("pool", 3, 2, 2);
    differ += run_exchanged("pool", 4, 2, 2);
    differ += run_exchanged("pool/try", 3, 2, 2);
    differ += run_exchanged("pool/asleep", 4, 1, 2);
    differ += run_exchanged("pool/patient", 4, 2, 2);
    assert_int_equal(differ, 0);
}

static void explore_as(bool symmetric, const char *name, struct step_params sizes,
                       struct check_report *report)
{
    struct check_budget budget = {.limit = UINT64_C(1) << 30};
    struct check_limits limits = {.budget = &budget, .threads = 1};
    const struct check_query query = {.property = CHECK_EXCLUSION};
    struct check_result result;
    make_model(&normal, name, sizes);
    normal.params.abridged = normal.protocol->abridges;
    normal.params.symmetric = symmetric;
    assert_true(check_run(&normal.check, &limits, &query, 1, &result, report));
    assert_int_equal(report->end, CHECK_COMPLETE);
    assert_int_equal(result.answer, CHECK_HOLDS);
}

static void compare_counts(const char *name, struct step_params sizes)
{
    struct check_report with, without;
    explore_as(true, name, sizes, &with);
    explore_as(false, name, sizes, &without);
    print_message("%s, n = %u, l = %u, kills %u: %llu states, %llu kept\n", name, sizes.n, sizes.l,
                  sizes.kills, (unsigned long long)with.states, (unsigned long long)with.stored);
    assert_int_equal(with.states, without.states);
    assert_int_equal(with.transitions, without.transitions);
    assert_int_equal(without.stored, without.states);
    assert_true(with.stored * 3 < without.stored * 2);
}

static void test_orbits(void **state)
{
    (void)state;
    const struct step_params two = {.n = 2, .l = 1, .kills = 2},
                             both = {.n = 2, .l = 2, .kills = 1},
                             three = {.n = 3, .l = 1, .kills = 1};
    compare_counts("pool", two);
    compare_counts("pool", both);
    compare_counts("pool/try", two);
    compare_counts("pool/asleep", two);
    compare_counts("pool/patient", two);
    compare_counts("pool/patient", three);
    if (scaled_full(100) > 100) /* make check-long */
        compare_counts("pool", three);
}

/* What is settled in the pool is not where A is changed by a store: that must be noticed. */
static void test_is_noticed(void **state)
{
    (void)state;
    expected_to_fail = true;
    assert_int_not_equal(run("pool/plain-store", 3, 1, 1), 0);
    expected_to_fail = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pool), cmocka_unit_test(test_exchange),
                                       cmocka_unit_test(test_orbits),
                                       cmocka_unit_test(test_is_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
