/*
 * J. E. Burns, P. Jackson, N. A. Lynch, M. J. Fischer, G. L. Peterson, Data Requirements for
 * Implementation of N-Process Mutual Exclusion Using a Single Shared Variable, JACM 29(1), 1982,
 * section 3.1: two values suffice for mutual exclusion without deadlock (Theorem 3.1), not for
 * more.
 *
 * Departures from the paper:
 *  1. The table of delta has (0, C0) -> (0, C0), which cannot happen and which condition (c) of the
 *     model forbids (a step from C leads to E or R). Here a step from C sets V to 0 whatever it
 *     was.
 */
#define NAME burns_bit
#define CELLS(cell, cells, registers) cell(V, 2)
#define HAS_PROOF
#include "step/step.h"

#include "protocol/burns/lower.h"

enum { ITSELF, NO_TEST };

ENTRY
    TEST(T0, v, V)
        ON(v == 0 || VARIANT(NO_TEST), 1);
    END_TEST
END

EXIT
    WRITE(C0, V, 0);
END

#ifdef STEP_RULES
/* For every N. */
PROOF
    INVARIANT("V is set while somebody is critical", IN(CRITICAL) == V);
    RANK(0); /* a step that changes something changes a region */
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 3.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Theorem 3.1"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "section 3.1", .why = "the schedule (121) for ever",
     .fails_from_n = 2},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "section 3.1", .fails_from_n = 2},
    {CHECK_LINEAR_WAITING, NOT_CLAIMED, "section 3.1", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "section 3.1", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Theorem 3.1"},
    {CHECK_VALUES, CLAIMED, "Theorem 3.1", .has_bound = true},
};

static const struct protocol_claim no_test[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "Theorem 3.1 without the test", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 7, 14},
    {{.n = 3, .l = 1, .k = 1}, 19, 57},
    {{.n = 5, .l = 1, .k = 1}, 111, 555},
    {{.n = 10, .l = 1, .k = 1}, 6143, 61430},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the system of section 3.1", CLAIMS(claims), EXPECTED(expected)},
    [NO_TEST] = {"no-test", "broken: enters whatever V is", CLAIMS(no_test)},
};

static uint64_t values(const struct step_params *params)
{
    (void)params;
    return 2;
}

static uint64_t lower(const struct step_params *params)
{
    return lower_deadlock_free(params->n);
}

PROTOCOL(.name = "burns-bit", .title = "Mutual exclusion without deadlock, two values",
         .citation = "Burns, Jackson, Lynch, Fischer, Peterson 1982, section 3.1, Theorem 3.1",
         .min_n = 1, .max_n = 16, .default_n = 3, .max_l = 1, .anonymous = true, .values = values,
         .lower = lower, .values_source = "Theorem 3.1", VARIANTS(variants))
#include "step/end.h"
