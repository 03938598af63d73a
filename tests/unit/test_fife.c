/*
 * What NORMAL does to a state of `fife` (fife_normal.inc), and what it does where exclusion alone
 * is asked (fife_free.inc): nothing that makes a difference. All states of the program are looked
 * at, with labels moved together and nothing left out; those of larger sizes in random runs. For
 * each state r and each step e of a process, with N(r) for the state that stands for r,
 *
 *  - N(e(r)) = N(e(N(r))): the same step can be made there, and leads to the same; or
 *  - N(e(r)) = N(r), and the process has not entered before the step: it is left out.
 *
 * If exclusion alone is asked, those that are critical in N(r) can all be so, from r on, by steps
 * of their own that lead to no other N(r). So a state with too many of them is reached by both, or
 * by neither. Else
 *
 *  - a step is left out only where e changes nothing in N(r) either, or the process comes to
 *    e(N(r)) by steps of its own: so who is enabled and who waits for ever are the same;
 *  - the last step of a doorway may lead to the critical region from N(r) where it leads into the
 *    waiting region from r, and on by itself;
 *  - in r and N(r) all are in the same region, but for who is past its doorway in N(r) whatever it
 *    reads next; and who waits for l others or more waits for the same ones.
 */
#include "support.h"

#include "fields.h"

#include "check/exploration.h"

enum { WORDS = 4, MOST_ALONE = 32, STEPS = 20000, FROZEN_FOR = 60 };

static struct step_model whole, normal;
static bool expected_to_fail;

static void make_both(const char *name, unsigned n, unsigned l, bool terse)
{
    const struct step_params sizes = {.n = n, .l = l};
    make_model(&whole, name, sizes);
    make_model(&normal, name, sizes);
    whole.params.abridged = whole.params.terse = false;
    normal.params.abridged = true;
    normal.params.terse = terse;
    assert_true(whole.check.words <= WORDS);
}

static void show(const char *what, const uint64_t *state)
{
    const struct check_model *model = &whole.check;
    uint64_t value[CHECK_MAX_CELLS];
    char text[400];
    print_message("%s:", what);
    model->cell_values(model, state, value);
    for (unsigned c = 0; c < model->cells; c++) {
        if (value[c] != 0)
            print_message(" %s[%d]=%llu", model->cell[c].name, model->cell[c].index,
                          (unsigned long long)value[c]);
    }
    for (unsigned p = 0; p < model->n; p++) {
        model->show_local(model, state, p, text, sizeof text);
        print_message(" | %u: %s", p, text);
    }
    print_message("\n");
}

static bool image_of(const uint64_t *state, uint64_t *image)
{
    memcpy(image, state, whole.check.words * sizeof *image);
    return normal.normal(&normal, image);
}

static bool same(const uint64_t *one, const uint64_t *other)
{
    return check_same_state(one, other, whole.check.words);
}

/* The step of process p, in one model or the other; it always has one. */
static void step(const struct step_model *model, const uint64_t *from, unsigned p, uint64_t *to)
{
    struct check_note note;
    assert_true(model->check.describe(&model->check, from, p, to, &note));
}

enum outcome { APART, TOGETHER, LEFT_OUT };

/* Whether the process may stay where it is in the image: if exclusion alone is asked, until it has
 * entered; else while it waits for others there, or its next step there is made by itself. */
static bool is_left_out(const uint64_t *state, const uint64_t *image, const uint64_t *expected,
                        unsigned p)
{
    uint64_t at[WORDS], to[WORDS], now[WORDS];
    if (!check_trying(check_region_of(&whole.check, state, p)))
        return false;
    if (normal.params.terse || same(expected, image))
        return true;
    memcpy(at, state, whole.check.words * sizeof *state);
    for (unsigned steps = 0; steps < MOST_ALONE; steps++) {
        step(&whole, at, p, to);
        if (!image_of(to, now))
            return false;
        if (same(now, expected))
            return true;
        memcpy(at, to, whole.check.words * sizeof *to);
    }
    return false;
}

/* Whether it is past its doorway and sure to enter, and in the image does so by the same step. */
static bool enters_at_once(const uint64_t *after, const uint64_t *expected, unsigned p)
{
    uint64_t to[WORDS];
    if (check_region_of(&normal.check, after, p) != CHECK_WAITING ||
        check_region_of(&normal.check, expected, p) != CHECK_CRITICAL)
        return false;
    step(&normal, after, p, to);
    return same(to, expected);
}

static enum outcome follow(const uint64_t *state, const uint64_t *image, unsigned p, uint64_t *to)
{
    uint64_t expected[WORDS], after[WORDS];
    step(&whole, state, p, to);
    if (!image_of(to, after))
        return APART;
    step(&normal, image, p, expected);
    if (same(after, expected))
        return TOGETHER;
    if (!normal.params.terse && enters_at_once(after, expected, p))
        return TOGETHER;
    if (is_left_out(state, image, expected, p) && same(after, image))
        return LEFT_OUT;
    if (!expected_to_fail) {
        print_message("a step of process %u comes apart\n", p);
        show("from", state);
        show("its image", image);
        show("to", to);
        show("image of that", after);
        show("expected", expected);
    }
    return APART;
}

/* Those who are critical in the image are so in the state too, or come to be by steps of their own,
 * one after the other, which nobody else notices. */
static bool all_enter(const uint64_t *from, const uint64_t *image)
{
    uint64_t state[WORDS], to[WORDS], now[WORDS];
    memcpy(state, from, whole.check.words * sizeof *state);
    const uint64_t inside = check_critical_set(&whole.check, image);
    for (unsigned p = 0; p < whole.check.n; p++) {
        for (unsigned steps = 0; inside >> p & 1 && steps < MOST_ALONE &&
                                 check_region_of(&whole.check, state, p) != CHECK_CRITICAL;
             steps++) {
            step(&whole, state, p, to);
            memcpy(state, to, whole.check.words * sizeof *state);
        }
    }
    return image_of(state, now) && same(now, image) &&
           check_critical_set(&whole.check, state) == inside;
}

/* All are in the same region, but for those who are at the end of their doorway: whatever they
 * read, they may be past it. And who waits for l others or more waits for the same ones. */
static bool are_alike(const uint64_t *state, const uint64_t *image)
{
    bool alike = true;
    for (unsigned p = 0; p < whole.check.n; p++) {
        const enum check_region here = check_region_of(&whole.check, state, p);
        const enum check_region there = check_region_of(&normal.check, image, p);
        const uint64_t ahead = whole.check.ahead(&whole.check, state, p);
        const uint64_t few = normal.check.ahead(&normal.check, image, p);
        alike &= here == there || (here == CHECK_DOORWAY && there == CHECK_WAITING);
        if (here == CHECK_WAITING)
            alike &= few == ((unsigned)__builtin_popcountll(ahead) < whole.check.l ? 0 : ahead);
    }
    return alike;
}

/* How many steps come apart. */
static unsigned look_at(const uint64_t *state, uint64_t *left_out)
{
    uint64_t image[WORDS], to[WORDS];
    unsigned apart = !image_of(state, image);
    apart +=
        apart == 0 && !(normal.params.terse ? all_enter(state, image) : are_alike(state, image));
    for (unsigned p = 0; p < whole.check.n && apart == 0; p++) {
        const enum outcome outcome = follow(state, image, p, to);
        *left_out += outcome == LEFT_OUT;
        apart += outcome == APART;
    }
    return apart;
}

static unsigned explore(const char *name, unsigned n, unsigned l, bool terse)
{
    struct check_budget budget = budget_of(512);
    struct check_limits limits = limits_of(&budget, false);
    struct check_space space;
    unsigned apart = 0;
    uint64_t states = 0, left_out = 0;
    make_both(name, n, l, terse);
    assert_true(check_explore(&space, &whole.check, &limits));
    assert_int_equal(space.end, CHECK_COMPLETE);
    for (uint64_t s = 0; s < space.set.capacity && apart == 0; s++) {
        uint64_t state[WORDS] = {0};
        for (unsigned w = 0; w < whole.check.words; w++)
            state[w] = atomic_load(&space.set.slots[s * whole.check.words + w]);
        if (state[0] == 0)
            continue;
        states++;
        apart += look_at(state, &left_out);
    }
    print_message("%s, n = %u, l = %u: %llu states, %llu steps left out\n", name, n, l,
                  (unsigned long long)states, (unsigned long long)left_out);
    assert_true(apart > 0 || (states == space.states && (left_out > 0 || n == 2)));
    check_space_close(&space);
    return apart;
}

/* One process at a time may stand still for a while, so that the others come far ahead of it. */
static unsigned run(const char *name, unsigned n, unsigned l, bool terse)
{
    struct dice dice = {1};
    uint64_t state[WORDS], to[WORDS], left_out = 0;
    unsigned apart = 0, frozen = n, until = 0;
    make_both(name, n, l, terse);
    whole.check.initial(&whole.check, state);
    for (unsigned at = 0; at < scaled_full(STEPS) && apart == 0; at++) {
        if (at >= until) {
            frozen = dice_below(&dice, n + 1); /* or nobody */
            until = at + dice_below(&dice, FROZEN_FOR);
        }
        const unsigned p = dice_below(&dice, n);
        apart += look_at(state, &left_out);
        step(&whole, state, p == frozen ? (p + 1) % n : p, to);
        memcpy(state, to, whole.check.words * sizeof *state);
    }
    print_message("%s, n = %u, l = %u: %llu steps left out\n", name, n, l,
                  (unsigned long long)left_out);
    return apart;
}

static void test_all_states(void **unused)
{
    (void)unused;
    for (unsigned terse = 0; terse <= 1; terse++) {
        assert_int_equal(explore("fife", 2, 1, terse), 0);
        assert_int_equal(explore("fife", 3, 1, terse), 0);
        assert_int_equal(explore("fife", 3, 2, terse), 0);
    }
}

static void test_random_runs(void **unused)
{
    (void)unused;
    for (unsigned n = 4; n <= 5; n++) {
        for (unsigned l = 1; l < n; l++)
            assert_int_equal(run("fife", n, l, false) + run("fife", n, l, true), 0);
    }
}

/* Without the line that an argument rests on, its conclusion is wrong: that must be noticed. */
static void test_is_noticed(void **unused)
{
    (void)unused;
    expected_to_fail = true;
    assert_int_not_equal(explore("fife/no-exit-label", 3, 1, true), 0);
    assert_int_not_equal(explore("fife/exit-label-first", 3, 1, true), 0);
    assert_int_not_equal(explore("fife/s-before-label", 3, 1, true), 0);
    assert_int_not_equal(explore("fife/no-s", 3, 1, true), 0);
    expected_to_fail = false;
}

static enum check_answer decide(const char *name, bool abridged, enum check_property property)
{
    struct check_budget budget = budget_of(512);
    struct check_limits limits = limits_of(&budget, true);
    const struct check_query query = {.property = property};
    struct check_result result;
    struct check_report report;
    make_both(name, 3, 1, false);
    normal.params.abridged = abridged;
    limits.threads = 1;
    assert_true(check_run(&normal.check, &limits, &query, 1, &result, &report));
    assert_int_equal(report.end, CHECK_COMPLETE);
    check_witness_free(&result.witness);
    return result.answer;
}

/* Variants forget less: where S is read before the label, that is what a label may still change. */
static void test_variants(void **unused)
{
    (void)unused;
    const char *const names[] = {"fife/s-before-label", "fife/no-exit-label", "fife/scan-first"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(decide(names[i], true, CHECK_FIFO_ENABLING),
                         decide(names[i], false, CHECK_FIFO_ENABLING));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_states), cmocka_unit_test(test_random_runs),
        cmocka_unit_test(test_variants), cmocka_unit_test(test_is_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
