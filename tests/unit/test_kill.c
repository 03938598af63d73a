/*
 * The fault kill: a process stops in the middle, the others can learn it, and it may come back. The
 * protocol here is a lock that names its holder; a process that waits looks whether the holder is
 * alive and, if it is not, takes the lock from it. That is not good enough, and the checker has to
 * see why: the dead may come back between the look and the taking.
 */
#include "support.h"

#include "step/frame.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

#define STEP_MODEL
#define NAME test_heir
#define CELLS(cell, cells, registers) cell(V, n + 1) /* 0: free; p + 1: held by p */
#define LOCALS(local) local(holder, n + 1)
#define HAS_INITIAL
#include "step/step.h"

/* Laid out by hand, as protocol files are. */
/* clang-format off */
enum { ITSELF, BLIND, NO_RECOVERY };

INITIAL
    SHARED(V) = 0;
END_INITIAL

ENTRY
    word alive;
    for (;;) {
        TEST(take, v, V)
            ON(v == 0, ME + 1, goto CRITICAL);
            ON(v == ME + 1, v, goto CRITICAL); /* it was killed with the lock, and is back */
            ON(true, v, holder = v);
        END_TEST
        if (VARIANT(NO_RECOVERY))
            continue;
        ALIVE(look, alive, holder - 1);
        if (alive) {
            FORGET(holder);
            continue;
        }
        TEST(inherit, v, V)
            ON(v == holder || VARIANT(BLIND), ME + 1, FORGET(holder); goto CRITICAL);
            ON(true, v, FORGET(holder));
        END_TEST
    }
END

EXIT
    WRITE(leave, V, 0);
END

static const struct protocol_claim claims[] = {{CHECK_EXCLUSION, CLAIMED, "a test"}};
static const struct protocol_variant variants[] = {{"", "a test", CLAIMS(claims)},
                                                   {"blind", "a test", CLAIMS(claims)},
                                                   {"no-recovery", "a test", CLAIMS(claims)}};
PROTOCOL(.name = "test-heir", .title = "a test", .citation = "none", .min_n = 2, .max_n = 4,
         .default_n = 3, .max_l = 1, .fault = STEP_FAULT_KILL, VARIANTS(variants))
/* clang-format on */
#include "step/end.h"

#pragma GCC diagnostic pop

struct answer {
    enum check_answer exclusion, deadlock;
    uint64_t states;
};

static struct answer ask(unsigned variant, unsigned kills)
{
    static struct step_model model;
    const struct step_params params = {
        .n = 3, .l = 1, .k = 1, .variant = variant, .kills = kills, .fault = STEP_FAULT_KILL};
    struct check_budget budget = budget_of(256);
    struct check_limits limits = limits_of(&budget, false);
    const struct check_query queries[] = {{.property = CHECK_EXCLUSION},
                                          {.property = CHECK_DEADLOCK_FREE}};
    struct check_result results[2];
    struct check_report report;
    assert_null(protocol_model_test_heir.make(&model, &params));
    assert_true(check_run(&model.check, &limits, queries, 2, results, &report));
    assert_int_equal(report.end, CHECK_COMPLETE);
    for (unsigned r = 0; r < 2; r++)
        check_witness_free(&results[r].witness);
    return (struct answer){results[0].answer, results[1].answer, report.states};
}

static void without_kills_all_is_well(void **unused)
{
    (void)unused;
    for (unsigned variant = ITSELF; variant <= NO_RECOVERY; variant++) {
        assert_int_equal(ask(variant, 0).exclusion, CHECK_HOLDS);
        assert_int_equal(ask(variant, 0).deadlock, CHECK_HOLDS);
    }
}

/* Its heir has seen it dead; it comes back, finds the lock its own, and goes in with its heir. Or
 * it comes back and rests, and nobody inherits from the living. */
static void who_comes_back_meets_its_heir(void **unused)
{
    (void)unused;
    assert_int_equal(ask(ITSELF, 1).exclusion, CHECK_FAILS);
    assert_int_equal(ask(ITSELF, 1).deadlock, CHECK_FAILS);
    assert_int_equal(ask(BLIND, 1).exclusion, CHECK_FAILS);
}

static void without_recovery_a_kill_is_a_deadlock(void **unused)
{
    (void)unused;
    assert_int_equal(ask(NO_RECOVERY, 2).exclusion, CHECK_HOLDS);
    assert_int_equal(ask(NO_RECOVERY, 1).deadlock, CHECK_FAILS);
}

/* Each kill allowed adds states. */
static void kills_are_counted(void **unused)
{
    (void)unused;
    uint64_t none = ask(ITSELF, 0).states, one = ask(ITSELF, 1).states;
    assert_true(none < one);
    assert_true(one < ask(ITSELF, 2).states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_kills_all_is_well),
        cmocka_unit_test(who_comes_back_meets_its_heir),
        cmocka_unit_test(without_recovery_a_kill_is_a_deadlock),
        cmocka_unit_test(kills_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
