/*
 * A model compiled into tables is the same system as the original, also where a process's death
 * writes more than its own registers: here the lock itself is given back by a process that dies,
 * even by one that does not hold it. The notation may refuse such a protocol instead.
 */
#include "support.h"

#include "step/frame.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

#define STEP_MODEL
#define NAME test_frail
#define CELLS(cell, cells, registers) cell(V, 2)
#define HAS_DEATH
#include "step/step.h"

/* Laid out by hand, as protocol files are. */
/* clang-format off */
ENTRY
    TEST(A, v, V)
        ON(v == 0, 1);
    END_TEST
END

EXIT
    WRITE(B, V, 0);
END

DEATH DIES(V, 0);
END

static const struct protocol_claim claims[] = {{CHECK_EXCLUSION, NOT_CLAIMED, "a test"}};
static const struct protocol_variant variants[] = {{"", "a test", CLAIMS(claims)}};
PROTOCOL(.name = "test-frail", .title = "a test", .citation = "none", .min_n = 1, .max_n = 3,
         .default_n = 2, .max_l = 1, .fault = STEP_FAULT_DEATH, VARIANTS(variants))
/* clang-format on */
#include "step/end.h"

#pragma GCC diagnostic pop

static struct check_result exclusion_of(struct step_model *model, struct check_report *report)
{
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, false);
    struct check_query query = {.property = CHECK_EXCLUSION};
    struct check_result result;
    assert_true(check_run(&model->check, &limits, &query, 1, &result, report));
    assert_int_equal(report->end, CHECK_COMPLETE);
    check_witness_free(&result.witness);
    return result;
}

static void a_death_that_writes_a_shared_cell_is_not_lost(void **unused)
{
    (void)unused;
    static struct step_model model;
    const struct step_params params = {.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH};
    if (protocol_model_test_frail.make(&model, &params) != NULL)
        return;
    struct check_report original, compiled;
    struct check_result with = exclusion_of(&model, &compiled);
    model.check.local_moves = false;
    struct check_result without = exclusion_of(&model, &original);
    assert_int_equal(without.answer, CHECK_FAILS);
    assert_int_equal(with.answer, without.answer);
    assert_int_equal(compiled.states, original.states);
    assert_int_equal(compiled.transitions, original.transitions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_death_that_writes_a_shared_cell_is_not_lost),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
