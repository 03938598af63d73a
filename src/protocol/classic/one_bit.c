/*
 * L. Lamport, The Mutual Exclusion Problem: Part II, Statement and Solutions, JACM 33(2), 1986,
 * Figure 1: the One-Bit Algorithm. One bit for each process is all that the processes share, and no
 * solution has less.
 *
 *     l: x_i := true;
 *        for j := 1 until i - 1
 *            do if x_j then x_i := false;
 *                           while x_j do od;
 *                           goto l
 *               fi od;
 *        for j := i + 1 until N
 *            do while x_j do od od;
 *        critical section;
 *        x_i := false
 *
 * Departures from the paper:
 *  1. Processes are counted from 0.
 *  2. Registers are atomic here; Lamport needs only safe ones.
 */
#define NAME one_bit
#define CELLS(cell, cells, registers) registers(x, 2)
#define LOCALS(local) local(j, n)
#include "step/step.h"

enum { ITSELF, NO_UPPER, NO_RETREAT };

ENTRY
    word theirs;
l:
    WRITE(l, x[ME], 1);
    for (j = 0; j < ME; j++) {
        READ(lower, theirs, x[j]);
        if (theirs) {
            if (!VARIANT(NO_RETREAT))
                WRITE(retreat, x[ME], 0);
            AWAIT(wait, other, x[j], other == 0);
            FORGET(j);
            goto l;
        }
    }
    if (VARIANT(NO_UPPER)) {
        FORGET(j);
        goto CRITICAL;
    }
    for (j = ME + 1; j < n; j++)
        AWAIT(upper, other, x[j], other == 0);
    FORGET(j);
END

EXIT
    WRITE(leave, x[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lamport 1986, Part II"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Lamport 1986, Part II"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "Lamport 1986, Part II", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "follows", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Lamport 1986, Part II"},
    {CHECK_VALUES, CLAIMED, "Lamport 1986, Part II", .has_bound = true},
};

static const struct protocol_claim no_upper[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without the second loop", .refuted_from_n = 2},
};

static const struct protocol_claim no_retreat[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lamport 1986, Part II"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "when nobody gives way", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 17, 34},
    {{.n = 3, .l = 1, .k = 1}, 197, 591},
    {{.n = 4, .l = 1, .k = 1}, 2828, 11312},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the One-Bit Algorithm", CLAIMS(claims), EXPECTED(expected)},
    [NO_UPPER] = {"no-upper", "broken: does not wait for those with higher numbers",
                  CLAIMS(no_upper)},
    [NO_RETREAT] = {"no-retreat", "broken: keeps its bit set while it waits for a lower one",
                    CLAIMS(no_retreat)},
};

static uint64_t values(const struct step_params *params)
{
    (void)params;
    return 2;
}

PROTOCOL(.name = "one-bit", .title = "Lamport's One-Bit Algorithm",
         .citation = "Lamport 1986, Part II, Figure 1", .min_n = 2, .max_n = 8, .default_n = 3,
         .max_l = 1, .values = values, .values_source = "one bit for each process",
         VARIANTS(variants))
#include "step/end.h"
