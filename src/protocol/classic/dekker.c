/*
 * T. J. Dekker's algorithm, as published in E. W. Dijkstra, Cooperating Sequential Processes (EWD
 * 123, 1965; in F. Genuys, Programming Languages, 1968), section 2.1: the first solution of the
 * mutual exclusion problem, for two processes.
 *
 *     A1: c1 := 0;
 *     L1: if c2 = 0 then
 *             begin if turn = 1 then goto L1;
 *                   c1 := 1;
 *             B1:   if turn = 2 then goto B1;
 *                   goto A1
 *             end;
 *         critical section 1;
 *         turn := 2; c1 := 1;
 *         remainder of cycle 1; goto A1
 *
 * The section leads up to it by four attempts that fail, each in another way. They are the variants
 * `first` to `fourth`, in the order of the text; what is wrong with each is what the text says.
 *
 * Departures from the paper:
 *  1. Processes are 0 and 1. The paper has c = 0 for a process that wants to be, or is, in its
 *     critical section; here that is c = 1, so that 0 is the value at the start.
 */
#define NAME dekker
#define CELLS(cell, cells, registers) registers(c, 2) cell(turn, 2)
#include "step/step.h"

enum { ITSELF, FIRST, SECOND, THIRD, FOURTH };

#define OTHER (1 - ME)

ENTRY
    word theirs, now;
    if (VARIANT(FIRST)) { /* the turn alone */
        AWAIT(L, t, turn, t == ME);
        goto CRITICAL;
    }
    if (VARIANT(SECOND)) { /* look, then say so */
        AWAIT(L, other, c[OTHER], other == 0);
        WRITE(A, c[ME], 1);
        goto CRITICAL;
    }
    if (VARIANT(THIRD)) { /* say so, then look */
        WRITE(A, c[ME], 1);
        AWAIT(L, other, c[OTHER], other == 0);
        goto CRITICAL;
    }
    if (VARIANT(FOURTH)) { /* the same, but give way */
        for (;;) {
            WRITE(A, c[ME], 1);
            READ(L, theirs, c[OTHER]);
            if (theirs == 0)
                goto CRITICAL;
            WRITE(B, c[ME], 0);
            RELAX;
        }
    }
A:
    WRITE(A, c[ME], 1);
    for (;;) {
        READ(L, theirs, c[OTHER]);
        if (theirs == 0)
            goto CRITICAL;
        READ(turn, now, turn);
        RELAX;
        if (now != ME) {
            WRITE(yield, c[ME], 0);
            AWAIT(B, t, turn, t == ME);
            goto A;
        }
    }
END

EXIT
    if (VARIANT(ITSELF) || VARIANT(FIRST))
        WRITE(pass, turn, OTHER);
    if (!VARIANT(FIRST))
        WRITE(leave, c[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "EWD 123, section 2.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "EWD 123, section 2.1"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "well known"},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "EWD 123, section 2.1"},
};

static const struct protocol_claim first[] = {
    {CHECK_EXCLUSION, CLAIMED, "EWD 123, section 2.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "stopping the one stops the other", .refuted_from_n = 2},
};

static const struct protocol_claim second[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "both see that nobody is there", .refuted_from_n = 2},
};

static const struct protocol_claim third[] = {
    {CHECK_EXCLUSION, CLAIMED, "EWD 123, section 2.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "each waits for the other", .refuted_from_n = 2},
};

static const struct protocol_claim fourth[] = {
    {CHECK_EXCLUSION, CLAIMED, "EWD 123, section 2.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "\"after you\", \"after you\"", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 86, 172},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Dekker's algorithm", CLAIMS(claims), EXPECTED(expected)},
    [FIRST] = {"first", "broken: they take turns, whether they want to or not", CLAIMS(first)},
    [SECOND] = {"second", "broken: looks first and says afterwards that it goes in",
                CLAIMS(second)},
    [THIRD] = {"third", "broken: both insist", CLAIMS(third)},
    [FOURTH] = {"fourth", "broken: both give way", CLAIMS(fourth)},
};

PROTOCOL(.name = "dekker", .title = "Dekker's algorithm",
         .citation = "Dekker, in Dijkstra 1965 (EWD 123)", .min_n = 2, .max_n = 2, .default_n = 2,
         .max_l = 1, VARIANTS(variants))
#include "step/end.h"
