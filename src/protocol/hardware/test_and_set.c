/*
 * The lock that comes with the instruction TEST AND SET of System/360 (G. M. Amdahl, G. A. Blaauw,
 * F. P. Brooks, Architecture of the IBM System/360, IBM J. R&D 8(2), 1964), as T. E. Anderson, The
 * Performance of Spin Lock Alternatives for Shared-Memory Multiprocessors, IEEE TPDS 1(1), 1990,
 * has it ("spin on test-and-set"):
 *
 *     init:    lock := CLEAR;
 *     lock:    while (TestAndSet(lock) = BUSY) ;
 *     unlock:  lock := CLEAR;
 *
 * To the checker this is burns-bit. It stands here for its native form, beside the others.
 *
 * Departures from the paper:
 *  1. Natively, a test that finds BUSY stores nothing and then waits as every wait of berth does,
 *     by spinning, yielding and sleeping in this order. So it does not show the traffic on the bus
 *     that the paper measures.
 */
#define NAME test_and_set
#define CELLS(cell, cells, registers) cell(lock, 2)
#include "step/step.h"

enum { ITSELF, SPLIT };

ENTRY
    if (VARIANT(SPLIT)) {
        AWAIT(test, busy, lock, busy == 0);
        WRITE(set, lock, 1);
        goto CRITICAL;
    }
    TEST(test_and_set, busy, lock)
        ON(busy == 0, 1);
    END_TEST
END

EXIT
    WRITE(clear, lock, 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Anderson 1990"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Anderson 1990"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "well known", .fails_from_n = 2},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "well known", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "well known", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Anderson 1990"},
    {CHECK_VALUES, CLAIMED, .why = "a bit", .has_bound = true},
};

static const struct protocol_claim split[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with test and set in two steps", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 7, 14},
    {{.n = 3, .l = 1, .k = 1}, 19, 57},
    {{.n = 4, .l = 1, .k = 1}, 47, 188},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the test-and-set lock", CLAIMS(claims), EXPECTED(expected)},
    [SPLIT] = {"split", "broken: tests and sets in two steps", CLAIMS(split)},
};

static uint64_t values(const struct step_params *params)
{
    (void)params;
    return 2;
}

PROTOCOL(.name = "test-and-set", .title = "The test-and-set lock", .citation = "Anderson 1990",
         .min_n = 2, .max_n = 12, .default_n = 3, .max_l = 1, .anonymous = true, .values = values,
         .values_source = "a bit", VARIANTS(variants))
#include "step/end.h"
