/*
 * J. E. Burns, N. A. Lynch, Mutual Exclusion Using Indivisible Reads and Writes, 18th Allerton
 * Conference, 1980; with the lower bound of n shared variables in Bounds on Shared Memory for
 * Mutual Exclusion, Information and Computation 107(2), 1993. n bits suffice, and n variables are
 * needed.
 *
 *     L: flag[i] := down;
 *        for j := 1 to i - 1: if flag[j] = up then goto L;
 *        flag[i] := up;
 *        for j := 1 to i - 1: if flag[j] = up then goto L;
 *     M: for j := i + 1 to N: if flag[j] = up then goto M;
 *        critical section;
 *        flag[i] := down
 *
 * Departures from the paper:
 *  1. Processes are counted from 0. up is 1.
 */
#define NAME burns_lynch
#define CELLS(cell, cells, registers) registers(flag, 2)
#define LOCALS(local) local(j, n)
#include "step/step.h"

enum { ITSELF, ONE_LOOK, NO_UPPER };

ENTRY
    word theirs;
L:
    WRITE(L, flag[ME], 0);
    for (j = 0; j < ME; j++) {
        READ(before, theirs, flag[j]);
        if (theirs) {
            FORGET(j);
            RELAX;
            goto L;
        }
    }
    FORGET(j);
    WRITE(up, flag[ME], 1);
    for (j = 0; j < ME && !VARIANT(ONE_LOOK); j++) {
        READ(after, theirs, flag[j]);
        if (theirs) {
            FORGET(j);
            RELAX;
            goto L;
        }
    }
    if (VARIANT(NO_UPPER)) {
        FORGET(j);
        goto CRITICAL;
    }
    for (j = ME + 1; j < n; j++)
        AWAIT(M, other, flag[j], other == 0);
    FORGET(j);
END

EXIT
    WRITE(down, flag[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Burns and Lynch 1980"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Burns and Lynch 1980"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "Burns and Lynch 1980", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "follows", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Burns and Lynch 1980"},
    {CHECK_VALUES, CLAIMED, "Burns and Lynch 1980", .has_bound = true},
};

static const struct protocol_claim one_look[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without the second loop", .refuted_from_n = 2},
};

static const struct protocol_claim no_upper[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without the third loop", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 27, 54},
    {{.n = 3, .l = 1, .k = 1}, 307, 921},
    {{.n = 4, .l = 1, .k = 1}, 4139, 16556},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Burns and Lynch's one-bit algorithm", CLAIMS(claims), EXPECTED(expected)},
    [ONE_LOOK] = {"one-look", "broken: no second look at those with lower numbers",
                  CLAIMS(one_look)},
    [NO_UPPER] = {"no-upper", "broken: does not wait for those with higher numbers",
                  CLAIMS(no_upper)},
};

static uint64_t values(const struct step_params *params)
{
    (void)params;
    return 2;
}

PROTOCOL(.name = "burns-lynch", .title = "Burns and Lynch's one-bit algorithm",
         .citation = "Burns and Lynch 1980", .min_n = 2, .max_n = 8, .default_n = 3, .max_l = 1,
         .values = values, .values_source = "one bit for each process", VARIANTS(variants))
#include "step/end.h"
