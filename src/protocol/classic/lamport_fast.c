/*
 * L. Lamport, A Fast Mutual Exclusion Algorithm, TOCS 5(1), 1987, Figure 2 (Algorithm 2): without
 * contention, five writes and two reads in all, whatever n is.
 *
 *     start: <b[i] := true>;
 *            <x := i>;
 *            if <y /= 0> then <b[i] := false>;
 *                             await <y = 0>;
 *                             goto start fi;
 *            <y := i>;
 *            if <x /= i> then <b[i] := false>;
 *                             for j := 1 to N do await <not b[j]> od;
 *                             if <y /= i> then await <y = 0>;
 *                                              goto start fi fi;
 *            critical section;
 *            <y := 0>;
 *            <b[i] := false>
 *
 * Algorithm 1 of the paper has no b and waits in the middle for longer than anybody needs from its
 * test of y to its own test of x. There is no time in the checker's model, so that is not here; the
 * variant `no-delay` is Algorithm 1 without the delay.
 *
 * Departures from the paper:
 *  1. Processes are counted from 0 and stored as 1 .. n, with 0 for nobody, as in the paper. x is 0
 *     at the start, where the paper leaves it open.
 */
#define NAME lamport_fast
#define CELLS(cell, cells, registers) registers(b, 2) cell(x, n + 1) cell(y, n + 1)
#define LOCALS(local) local(j, n)
#include "step/step.h"

enum { ITSELF, NO_DELAY, NO_SECOND };

#define I (ME + 1)

ENTRY
    word seen;
start:
    if (!VARIANT(NO_DELAY))
        WRITE(start, b[ME], 1);
    WRITE(x, x, I);
    READ(test_y, seen, y);
    if (seen != 0) {
        if (!VARIANT(NO_DELAY))
            WRITE(retract, b[ME], 0);
        AWAIT(free, now, y, now == 0);
        goto start;
    }
    WRITE(y, y, I);
    READ(test_x, seen, x);
    if (seen != I) {
        if (!VARIANT(NO_DELAY)) {
            WRITE(step_back, b[ME], 0);
            for (j = 0; j < n; j++) {
                if (j != ME)
                    AWAIT(others, other, b[j], other == 0);
            }
            FORGET(j);
        }
        if (VARIANT(NO_SECOND))
            goto CRITICAL;
        READ(mine, seen, y);
        if (seen != I) {
            AWAIT(free_again, now, y, now == 0);
            goto start;
        }
    }
END

EXIT
    WRITE(leave_y, y, 0);
    if (!VARIANT(NO_DELAY))
        WRITE(leave_b, b[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lamport 1987"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Lamport 1987"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "Lamport 1987", .why = "a process may starve",
     .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "follows", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Lamport 1987"},
    {CHECK_VALUES, CLAIMED, .why = "x and y", .has_bound = true},
};

static const struct protocol_claim no_delay[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "Algorithm 1 without its delay", .refuted_from_n = 2},
};

static const struct protocol_claim no_second[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "without the second test of y", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 304, 608},
    {{.n = 3, .l = 1, .k = 1}, 9623, 28869},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Lamport's fast mutex", CLAIMS(claims), EXPECTED(expected)},
    [NO_DELAY] = {"no-delay",
                  "broken: Algorithm 1 of the paper, without the delay that it depends on",
                  CLAIMS(no_delay)},
    [NO_SECOND] = {"no-second", "broken: goes in after the slow path without a second look at y",
                   CLAIMS(no_second)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n + 1;
}

PROTOCOL(.name = "lamport-fast", .title = "Lamport's fast mutex",
         .citation = "Lamport 1987, Algorithm 2", .min_n = 2, .max_n = 8, .default_n = 3,
         .max_l = 1, .values = values, .values_source = "x and y", VARIANTS(variants))
#include "step/end.h"
