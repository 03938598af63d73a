/*
 * L. Rudolph, Z. Segall, Dynamic Decentralized Cache Schemes for MIMD Parallel Processors, 11th
 * ISCA, 1984: test-and-test-and-set. A process spins on a copy in its cache, and tests and sets
 * only when that says that the lock is free. T. E. Anderson (IEEE TPDS 1(1), 1990) calls it "spin
 * on read":
 *
 *     lock:    while (lock = BUSY or TestAndSet(lock) = BUSY) ;
 *     unlock:  lock := CLEAR;
 *
 * Departures from the paper: none.
 */
#define NAME test_and_test_and_set
#define CELLS(cell, cells, registers) cell(lock, 2)
#include "step/step.h"

enum { ITSELF, NO_SECOND };

ENTRY
    word busy;
    for (;;) {
        AWAIT(test, v, lock, v == 0);
        if (VARIANT(NO_SECOND)) {
            WRITE(set, lock, 1);
            goto CRITICAL;
        }
        UPDATE(test_and_set, busy, lock, 1);
        if (busy == 0)
            goto CRITICAL;
    }
END

EXIT
    WRITE(clear, lock, 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Rudolph and Segall 1984"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Rudolph and Segall 1984"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "well known", .fails_from_n = 2},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "well known", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "well known", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Rudolph and Segall 1984"},
    {CHECK_VALUES, CLAIMED, .why = "a bit", .has_bound = true},
};

static const struct protocol_claim no_second[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without the second test", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 14, 28},
    {{.n = 3, .l = 1, .k = 1}, 53, 159},
    {{.n = 4, .l = 1, .k = 1}, 188, 752},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the test-and-test-and-set lock", CLAIMS(claims), EXPECTED(expected)},
    [NO_SECOND] = {"no-second", "broken: does not look again when it sets", CLAIMS(no_second)},
};

static uint64_t values(const struct step_params *params)
{
    (void)params;
    return 2;
}

PROTOCOL(.name = "test-and-test-and-set", .title = "The test-and-test-and-set lock",
         .citation = "Rudolph and Segall 1984", .min_n = 2, .max_n = 12, .default_n = 3, .max_l = 1,
         .anonymous = true, .values = values, .values_source = "a bit", VARIANTS(variants))
#include "step/end.h"
