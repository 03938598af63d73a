/*
 * Recovery: what REVIVAL leads to, and the properties of recoverable mutual exclusion. First a lock
 * with known answers, in right and wrong forms; then the catalogue, against searches that carry the
 * count, or the slot of the killed process, along with the state.
 */
#include "catalogue.h"
#include "visited.h"

/* ---- a lock with known answers ---- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

#define STEP_MODEL
#define NAME test_owner
#define CELLS(cell, cells, registers) cell(owner, n + 1) registers(wants, 2)
#define HAS_DOORWAY
#define HAS_REVIVAL
#include "step/step.h"

/* Laid out by hand, as protocol files are. */
/* clang-format off */
enum { ITSELF, DROPS, LOOPS, FORGETS };

DOORWAY
    WRITE(want, wants[ME], 1);
END

WAITING
    TEST(take, v, owner)
        ON(v == 0 || v == ME + 1, ME + 1);
    END_TEST
END

EXIT
    WRITE(leave, owner, 0);
    WRITE(done, wants[ME], 0);
END

REVIVAL
    word seen;
    READ(whose, seen, owner);
    if (seen == ME + 1 && !VARIANT(DROPS) && !VARIANT(FORGETS))
        goto CRITICAL;
    if (seen == ME + 1 && VARIANT(DROPS))
        WRITE(drop, owner, 0);
    if (VARIANT(LOOPS))
        AWAIT(free, v, owner, v == 0);
    if (VARIANT(FORGETS))
        goto REMAINDER;
    READ(wanted, seen, wants[ME]);
    if (seen)
        goto TRYING;
END

static const struct protocol_claim claims[] = {{CHECK_EXCLUSION, CLAIMED, "a test"}};
static const struct protocol_variant variants[] = {{"", "a test", CLAIMS(claims)},
                                                   {"drops", "a test", CLAIMS(claims)},
                                                   {"loops", "a test", CLAIMS(claims)},
                                                   {"forgets", "a test", CLAIMS(claims)}};
PROTOCOL(.name = "test-owner", .title = "a test", .citation = "none", .min_n = 2, .max_n = 3,
         .default_n = 2, .max_l = 1, .fault = STEP_FAULT_KILL, .comes_back = true,
         VARIANTS(variants))
/* clang-format on */
#include "step/end.h"

#pragma GCC diagnostic pop

enum { ASKED = 7 };
static const enum check_property asked[ASKED] = {
    CHECK_EXCLUSION,    CHECK_DEADLOCK_FREE, CHECK_REENTRY, CHECK_BOUNDED_RECOVERY,
    CHECK_BOUNDED_EXIT, CHECK_BOUNDED_ABORT, CHECK_FIFO,
};

struct answers {
    enum check_answer answer[ASKED];
    bool has_bound[ASKED];
    uint64_t bound[ASKED];
};

static struct answers ask(unsigned variant, unsigned n, unsigned kills, bool comes_back)
{
    static struct step_model model;
    const struct step_params params = {
        .n = n, .l = 1, .k = 1, .variant = variant, .kills = kills, .fault = STEP_FAULT_KILL};
    struct check_budget budget = budget_of(256);
    struct check_limits limits = limits_of(&budget, false);
    struct check_query queries[ASKED];
    struct check_result results[ASKED];
    struct check_report report;
    struct answers answers;
    assert_null(protocol_model_test_owner.make(&model, &params));
    assert_true(model.check.comes_back && model.check.kills);
    model.check.comes_back = comes_back;
    for (unsigned q = 0; q < ASKED; q++)
        queries[q] = (struct check_query){.property = asked[q]};
    assert_true(check_run(&model.check, &limits, queries, ASKED, results, &report));
    assert_int_equal(report.end, CHECK_COMPLETE);
    for (unsigned q = 0; q < ASKED; q++) {
        answers.answer[q] = results[q].answer;
        answers.has_bound[q] = results[q].has_bound;
        answers.bound[q] = results[q].bound;
        check_witness_free(&results[q].witness);
    }
    assert_int_equal(atomic_load(&budget.used), 0);
    return answers;
}

static void who_comes_back_keeps_the_lock(void **unused)
{
    (void)unused;
    for (unsigned n = 2; n <= 3; n++) {
        const struct answers right = ask(ITSELF, n, 2, true);
        assert_int_equal(right.answer[0], CHECK_HOLDS);
        assert_int_equal(right.answer[1], CHECK_HOLDS);
        assert_int_equal(right.answer[2], CHECK_HOLDS);
        assert_int_equal(right.answer[3], CHECK_HOLDS);
        assert_int_equal(right.bound[3], 2); /* whose, wanted */
        assert_int_equal(right.answer[4], CHECK_HOLDS);
        assert_int_equal(right.bound[4], 2);                /* leave, done */
        assert_int_equal(right.answer[5], CHECK_UNDECIDED); /* nobody gives up */
        assert_int_equal(right.answer[6], CHECK_FAILS);     /* test-and-set */
    }
}

/* If the dead may stay dead, one that dies with the lock stops all the others. */
static void the_dead_have_to_come_back(void **unused)
{
    (void)unused;
    assert_int_equal(ask(ITSELF, 2, 1, true).answer[1], CHECK_HOLDS);
    assert_int_equal(ask(ITSELF, 2, 1, false).answer[1], CHECK_FAILS);
}

static void a_lock_that_is_dropped_goes_to_another(void **unused)
{
    (void)unused;
    const struct answers drops = ask(DROPS, 2, 1, true);
    assert_int_equal(drops.answer[0], CHECK_HOLDS);
    assert_int_equal(drops.answer[2], CHECK_FAILS);
    assert_int_equal(drops.bound[3], 3); /* whose, drop, wanted */
    assert_int_equal(ask(DROPS, 2, 0, true).answer[2], CHECK_HOLDS);
}

static void a_recovery_that_waits_has_no_bound(void **unused)
{
    (void)unused;
    const struct answers loops = ask(LOOPS, 2, 1, true);
    assert_int_equal(loops.answer[3], CHECK_FAILS);
    assert_false(loops.has_bound[3]);
    assert_int_equal(loops.answer[2], CHECK_HOLDS);
    assert_int_equal(loops.answer[4], CHECK_HOLDS);
}

/* Back in its remainder with the lock still its own: nobody else gets in, and if it does not want
 * to, nobody at all. */
static void a_lock_that_is_forgotten_is_a_deadlock(void **unused)
{
    (void)unused;
    const struct answers forgets = ask(FORGETS, 2, 1, true);
    assert_int_equal(forgets.answer[1], CHECK_FAILS);
    assert_int_equal(forgets.answer[2], CHECK_HOLDS);
}

/* ---- the catalogue, by brute force ---- */

enum { MOST = 60 };

/* One more word goes along with the state. */
typedef bool follow(const struct check_model *model, unsigned i, uint64_t *carried,
                    const uint64_t *from, unsigned edge, const uint64_t *to, uint64_t *most);

static void search(const struct check_model *model, unsigned i, follow *next, uint64_t *most)
{
    const unsigned words = model->words;
    struct visited visited;
    uint64_t to[CHECK_MAX_WORDS];
    assert_true(words < CHECK_MAX_WORDS);
    visited_open(&visited, words + 1);
    model->initial(model, to);
    to[words] = CHECK_PRESENT;
    visited_add(&visited, to);
    for (size_t at = 0; at < visited.count; at++) {
        for (unsigned e = 0; e < model->n * model->kinds; e++) {
            const uint64_t *from = visited.state[at];
            struct check_note note;
            if (!model->describe(model, from, e, to, &note))
                continue;
            to[words] = from[words];
            if (next(model, i, &to[words], from, e, to, most))
                visited_add(&visited, to);
        }
    }
    visited_close(&visited);
}

static enum check_region way;

static bool steps_on(const struct check_model *model, unsigned i, uint64_t *carried,
                     const uint64_t *from, unsigned edge, const uint64_t *to, uint64_t *most)
{
    const enum check_region before = check_region_of(model, from, i);
    const enum check_region after = check_region_of(model, to, i);
    const bool mine = edge % model->n == i && check_step_edges(model) >> edge & 1;
    uint64_t steps = *carried & ~CHECK_PRESENT; /* 0: not on the way; else 1 + steps */
    if (mine && (before == CHECK_DOORWAY ? CHECK_WAITING : before) == way &&
        (after == CHECK_EXIT || after == CHECK_REMAINDER))
        steps = way == CHECK_DEAD ? 1 : 2;
    else if (before != CHECK_EXIT)
        steps = 0;
    else if (steps > 0 && mine)
        steps++;
    if (steps > *most)
        *most = steps;
    if (after != CHECK_EXIT)
        steps = 0;
    *carried = CHECK_PRESENT | steps;
    return *most <= MOST;
}

static bool loses(const struct check_model *model, unsigned i, uint64_t *carried,
                  const uint64_t *from, unsigned edge, const uint64_t *to, uint64_t *most)
{
    const enum check_region before = check_region_of(model, from, i);
    const enum check_region after = check_region_of(model, to, i);
    uint64_t lost = *carried & ~CHECK_PRESENT; /* 0: nothing; else 1 + the slot */
    (void)edge;
    if (before == CHECK_CRITICAL && after == CHECK_DEAD)
        lost = 1 + (model->slot != NULL ? model->slot(model, from, i) : 0);
    if (after == CHECK_CRITICAL)
        lost = 0;
    unsigned others = 0;
    for (unsigned p = 0; p < model->n && lost != 0; p++) {
        if (p == i || check_region_of(model, to, p) != CHECK_CRITICAL)
            continue;
        others++;
        *most |= model->slot != NULL && model->slot(model, to, p) == lost - 1;
    }
    *most |= lost != 0 && model->slot == NULL && others >= model->l;
    *carried = CHECK_PRESENT | lost;
    return true;
}

static unsigned differences, compared;

static void expect(const char *name, const struct check_model *model, enum check_property property,
                   bool holds, bool has_bound, uint64_t bound)
{
    struct check_budget budget = budget_of(512);
    struct check_limits limits = limits_of(&budget, false);
    const struct check_query query = {.property = property};
    struct check_result result;
    struct check_report report;
    assert_true(check_run(model, &limits, &query, 1, &result, &report));
    assert_int_equal(report.end, CHECK_COMPLETE);
    check_witness_free(&result.witness);
    compared++;
    /* Up to a limit both look at the same runs, but the checker knows that there are others. */
    const bool is_so =
        result.answer == CHECK_HOLDS || (result.answer == CHECK_UNDECIDED && result.cut);
    if (is_so == holds && result.has_bound == has_bound && (!has_bound || result.bound == bound))
        return;
    differences++;
    print_error("%s: %s: %d, bound %llu; by brute force %d, %llu\n", name,
                check_property_name(property), (int)result.answer, (unsigned long long)result.bound,
                (int)holds, (unsigned long long)bound);
}

static void compare(const struct protocol_choice *choice, const struct step_params *params,
                    void *context)
{
    static struct step_model model;
    const struct check_model *check = &model.check;
    char name[80];
    (void)context;
    protocol_full_name(choice, name, sizeof name);
    assert_null(choice->model->make(&model, params));
    if (check->supervisors > 0)
        return;
    static const struct {
        enum check_property property;
        enum check_region from;
    } ways[] = {{CHECK_BOUNDED_EXIT, CHECK_CRITICAL},
                {CHECK_BOUNDED_ABORT, CHECK_WAITING},
                {CHECK_BOUNDED_RECOVERY, CHECK_DEAD}};
    for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        uint64_t most = 0;
        if (!check_applies(check, ways[w].property))
            continue;
        way = ways[w].from;
        for (unsigned i = 0; i < check->n && most <= MOST; i++)
            search(check, i, steps_on, &most);
        const bool bounded = most <= MOST;
        expect(name, check, ways[w].property, bounded, bounded, most > 0 ? most - 1 : 0);
    }
    uint64_t lost = 0;
    if (!check_applies(check, CHECK_REENTRY))
        return;
    for (unsigned i = 0; i < check->n; i++)
        search(check, i, loses, &lost);
    expect(name, check, CHECK_REENTRY, lost == 0, false, 0);
}

static void the_catalogue_agrees_with_brute_force(void **unused)
{
    (void)unused;
    differences = compared = 0;
    for_each_small(2, 3, 3500, NULL, compare, NULL);
    print_message("%u compared\n", compared);
    assert_int_equal(differences, 0);
    assert_true(compared > 100);
}

/* What is too large for the round above, with one kill. */
static void the_recoverable_locks_agree_with_brute_force(void **unused)
{
    (void)unused;
    static const char *const names[] = {"golab-ramaraju",          "golab-ramaraju/forgetful",
                                        "golab-ramaraju/early",    "jayanti-joshi",
                                        "jayanti-joshi/forgetful", "jayanti-joshi/no-seq"};
    differences = compared = 0;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct protocol_choice choice;
        assert_true(protocol_find(names[i], &choice));
        struct step_params params = protocol_defaults(&choice);
        params.kills = 1;
        params.limit = params.limit > 0 ? 2 : 0;
        compare(&choice, &params, NULL);
    }
    assert_int_equal(compared, 3 * 6);
    assert_int_equal(differences, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_back_keeps_the_lock),
        cmocka_unit_test(the_dead_have_to_come_back),
        cmocka_unit_test(a_lock_that_is_dropped_goes_to_another),
        cmocka_unit_test(a_recovery_that_waits_has_no_bound),
        cmocka_unit_test(a_lock_that_is_forgotten_is_a_deadlock),
        cmocka_unit_test(the_catalogue_agrees_with_brute_force),
        cmocka_unit_test(the_recoverable_locks_agree_with_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
