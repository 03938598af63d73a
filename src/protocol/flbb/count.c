/*
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Resource Allocation with Immunity to Limited
 * Process Failure, FOCS 1979: the variable counts the copies of the resource that are taken. A
 * process that sleeps keeps at most what it has, so nothing stops the others; but nobody is
 * promised a turn.
 */
#define NAME flbb_count
#define CELLS(cell, cells, registers) cell(COUNT, l + 1)
#define LOCALS(local) local(seen, l + 1) /* of the variant alone */
#define HAS_PROOF
#include "step/step.h"

enum { ITSELF, TORN };

ENTRY
    if (VARIANT(TORN))
        goto LOOK;
    TEST(enter, v, COUNT)
        ON(v < l, v + 1, goto CRITICAL);
    END_TEST
LOOK:
    for (;;) {
        READ(look, seen, COUNT);
        if (seen < l)
            break;
        FORGET(seen);
    }
    WRITE(take, COUNT, seen + 1);
    FORGET(seen);
END

EXIT
    word v;
    UPDATE(leave, v, COUNT, v > 0 ? v - 1 : 0); /* it is 0 in the variant alone */
END

#ifdef STEP_RULES
/* For every n and l. */
PROOF
    INVARIANT("COUNT is the number of processes inside", COUNT == IN(CRITICAL));
    RANK(0); /* a step that changes something changes a region */
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 1"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, "section 1, for every k"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "section 1", .fails_from_n = 2},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "section 1", .fails_from_n = 2},
    {CHECK_FINITE_WAITING_ENABLING, NOT_CLAIMED, "section 1", .fails_from_n = 2},
    {CHECK_BOUNDED_WAITING_ENABLING, NOT_CLAIMED, "section 1", .fails_from_n = 2},
    {CHECK_L_FULL, NOT_CLAIMED,
     .why = "a process in its remainder may be as able as one that waits"},
    {CHECK_NO_MEMORY, CLAIMED, "section 1"},
    {CHECK_VALUES, CLAIMED, "section 1", .has_bound = true},
};

static const struct protocol_claim torn[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the test and the increment are two steps",
     .refuted_from_n = 2},
};

#define SIZE(n_, l_, k_) {.n = n_, .l = l_, .k = k_, .fault = STEP_FAULT_SLEEP}
static const struct protocol_expected expected[] = {
    {SIZE(2, 1, 1), 7, 14},   {SIZE(2, 1, 2), 7, 14},     {SIZE(3, 1, 2), 19, 57},
    {SIZE(3, 2, 2), 19, 57},  {SIZE(3, 2, 3), 19, 57},    {SIZE(4, 2, 2), 63, 252},
    {SIZE(4, 3, 3), 47, 188}, {SIZE(6, 3, 2), 583, 3498},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the COUNT semaphore", CLAIMS(claims), EXPECTED(expected)},
    [TORN] = {"torn", "broken: the count is read in one step and increased in another",
              CLAIMS(torn)},
};

static uint64_t values(const struct step_params *params)
{
    return params->l + 1;
}

PROTOCOL(.name = "flbb-count", .title = "l-exclusion without deadlock, l + 1 values",
         .citation = "Fischer, Lynch, Burns, Borodin 1979, section 1", .min_n = 2, .max_n = 12,
         .default_n = 3, .needs_l_below_n = true, .max_l = 11, .fault = STEP_FAULT_SLEEP,
         .anonymous = true, .values = values, .values_source = "the COUNT semaphore",
         VARIANTS(variants))
#include "step/end.h"
