/*
 * J. E. Burns, P. Jackson, N. A. Lynch, M. J. Fischer, G. L. Peterson, Data Requirements for
 * Implementation of N-Process Mutual Exclusion Using a Single Shared Variable, JACM 29(1), 1982,
 * Algorithm B: 1-bounded waiting with N + 3 values (Theorem 3.2).
 *
 * Departures from the paper:
 *  1. As printed, Sr, Sl, SI and Si are Sj, and "+ h", "+ l", "+ i" are + j: damage of the scan.
 *  2. FREE is S(N-1), as the text says; the first test in REMAINDER tries FREE first.
 */
#define NAME burns_b
#define CELLS(cell, cells, registers) \
    cell(V, n + 3) /* S0 .. S(N-1), ENTER, ELECT, ACK; FREE is S(N-1) */
#define LOCALS(local) local(MAIN, n) local(BUFF, n * n + n) local(M, n + 3)
#define HAS_INITIAL
#define HAS_SHOW
#define HAS_PROOF
#include "step/step.h"
#include "step/text.h"

#include "protocol/burns/lower.h"

enum { ITSELF, NO_FIRST_LOOP, FORGETFUL };

#define S(j) (j)
#define IS_S(v) ((v) < n)
#define FREE (n - 1)
#define ENTER (n)
#define ELECT (n + 1)
#define ACK (n + 2)

#define FORGETS_ARRIVALS VARIANT(FORGETFUL)
#define IDLE_SOMEWHERE false

INITIAL
    SHARED(V) = FREE;
END_INITIAL

ENTRY
    TEST(REMAINDER, v, V)
        ON(v == FREE, S(0), goto CRITICAL);
        ON(IS_S(v), S(v + 1), goto BUFFER);
        ON(true, S(1), M = v);
    END_TEST
    TEST(HOLDING, v, V)
        ON(v == S(0), M, M = S(0));
    END_TEST
BUFFER:
    TEST(BUFFER, v, V)
        ON(v == ENTER, ACK);
    END_TEST
    TEST(MAINAREA, v, V)
        ON(v == ELECT, ACK);
    END_TEST

    /* RECEIVECOUNTS */
    while (BUFF < n && !VARIANT(NO_FIRST_LOOP)) {
        TEST(RECEIVE1, v, V)
            ON(IS_S(v), S(0), BUFF += v);
        END_TEST
    }
    for (;;) {
        TEST(RECEIVE2, v, V)
            ON(IS_S(v), S(0), BUFF += v);
            ON(v == ACK, S(0), goto received);
        END_TEST
    }
received:
    if (BUFF >= n) { /* always true, except in the variant without the loop above */
        MAIN = BUFF / n - 1;
        BUFF -= (MAIN + 1) * n;
    }
END

EXIT
#include "protocol/burns/move.inc"
#include "protocol/burns/elect.inc"

    /* SENDCOUNTS */
    BUFF += (MAIN + 1) * n;
    FORGET(MAIN);
    while (BUFF > 0) {
        TEST(SEND, v, V)
            ON(v == S(0), S(1), BUFF -= 1);
        END_TEST
    }
    TEST(BYE, v, V)
        ON(v == S(0), ACK);
    END_TEST
END

SHOW
    if (value == FREE)
        step_text(text, size, "FREE/S%llu", (unsigned long long)value);
    else if (IS_S(value))
        step_text(text, size, "S%llu", (unsigned long long)value);
    else
        step_text(text, size, "%s",
                  value == ENTER ? "ENTER" : value == ELECT ? "ELECT" : "ACK");
END_SHOW

#ifdef STEP_RULES
/* For every N. The controller is the process in its critical or exit region; a message is under way
 * while it is in V or a newcomer holds it. From SENDCOUNTS to the last ACK, N units stand for each
 * process of the main area and for the receiver, and one for each of the buffer. */
#define UNDER_WAY(message) (ONE(V == (message)) + ONE(VALUE(HOLDING, M) == (message)))
PROOF
    const word arrived = EITHER(IS_S(V), V, 0);
    const word controllers = IN(CRITICAL) + IN(EXIT);
    const word receivers = AT(RECEIVE1) + AT(RECEIVE2);
    const word bye = ONE(controllers == 0 && UNDER_WAY(ACK) == 1);
    const word sending = AT(SEND) + AT(BYE) + bye;
    const word buffer = AT(BUFFER) + AT(HOLDING);

    INVARIANT("a newcomer holds a message, and V counts arrivals meanwhile",
              implies(AT(HOLDING) == 1, IS_S(V) && ENTER <= VALUE(HOLDING, M)));
    INVARIANT("there is a controller, or the last ACK is under way, or nobody is here and V is "
              "FREE",
              controllers <= 1 && implies(controllers + bye == 0, IN(REMAINDER) == n && V == FREE));
    INVARIANT("everybody in the buffer has been counted",
              implies(controllers == 1 && sending == 0,
                      buffer == arrived + SUM(BUFF) + UNDER_WAY(ENTER)));
    INVARIANT("everybody in the main area has been counted",
              implies(controllers == 1 && sending == 0,
                      AT(MAINAREA) + UNDER_WAY(ENTER) == SUM(MAIN) + UNDER_WAY(ELECT)));
    INVARIANT("all units are somewhere",
              implies(sending == 1, (AT(MAINAREA) + 1) * n + buffer == arrived + SUM(BUFF)));
    INVARIANT("besides arrivals V counts one unit at most",
              implies(sending == 1, arrived + bye <= buffer + 1));
    INVARIANT("the controller waits for what it has sent",
              AT(MOVED) + AT(SELECTED) + bye ==
                      UNDER_WAY(ENTER) + UNDER_WAY(ELECT) + UNDER_WAY(ACK) &&
                  UNDER_WAY(ENTER) <= AT(MOVED) && UNDER_WAY(ELECT) <= AT(SELECTED));
    INVARIANT("there is a receiver from the election to the last ACK",
              receivers == sending + AT(SELECTED) - UNDER_WAY(ELECT));
    INVARIANT("the receiver takes an ACK for the last one when it has N units",
              bye <= AT(RECEIVE2) && VALUE(RECEIVE1, BUFF) < n &&
                  implies(AT(RECEIVE2) == 1, n <= VALUE(RECEIVE2, BUFF)));
    INVARIANT("the controller moves and sends what it has",
              AT(EXIT) == 0 && AT(MOVE) <= VALUE(MOVE, BUFF) && AT(MOVED) <= VALUE(MOVED, MAIN) &&
                  AT(SELECT) <= VALUE(SELECT, MAIN) && AT(SEND) <= VALUE(SEND, BUFF) &&
                  VALUE(BYE, BUFF) == 0);

    RANK(buffer, AT(MAINAREA),
         sending + 2 * AT(SELECTED) + 3 * AT(SELECT) + 5 * AT(MOVE) + 6 * AT(MOVED) -
             2 * UNDER_WAY(ENTER),
         VALUE(SEND, BUFF), AT(HOLDING), arrived);

    const cond waiter_moved = WAITER(MAINAREA) || WAITER(RECEIVE1) || WAITER(RECEIVE2);
    const cond other_moved = OTHER(MAINAREA) || OTHER(RECEIVE1) || OTHER(RECEIVE2);
    WAITING_INVARIANT("a waiter that has been overtaken is in the main area, or beyond",
                      ENTRIES <= 1 && implies(ENTRIES == 1, waiter_moved || WAITER_IN(CRITICAL) ||
                                                                WAITER_IN(EXIT)));
    WAITING_INVARIANT("nobody has been overtaken while the buffer is moved",
                      implies(AT(MOVE) + AT(MOVED) == 1 && WAITER_IN(TRYING), ENTRIES == 0));
    WAITING_INVARIANT("a process that came later is not moved before",
                      implies(RETURNED && other_moved && AT(MOVE) + AT(MOVED) == 0 &&
                                  WAITER_IN(TRYING),
                              waiter_moved));
    WAITING_INVARIANT("a process that has overtaken is not moved again",
                      implies(ENTRIES == 1 && RETURNED && WAITER_IN(TRYING),
                              OTHER_IN(REMAINDER) || OTHER(HOLDING) || OTHER(BUFFER)));
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 3.2"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Theorem 3.2"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 3.2 (C2 and C4 imply C3)"},
    {CHECK_BOUNDED_WAITING, CLAIMED, "Theorem 3.2", .has_bound = true, .bound = 1},
    {CHECK_NO_MEMORY, CLAIMED, "Theorem 3.2"},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 3},
    {CHECK_VALUES, CLAIMED, "Theorem 3.2", .has_bound = true},
};

static const struct protocol_claim no_first_loop[] = {
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 3.2",
     .refuted_from_n = 2}, /* from n = 3 on counts run away */
    {CHECK_BOUNDED_WAITING, CLAIMED, "Theorem 3.2", .has_bound = true, .bound = 1,
     .refuted_from_n = 2},
};

static const struct protocol_claim forgetful[] = {
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 3.2", .refuted_from_n = 3},
    {CHECK_BOUNDED_WAITING, CLAIMED, "Theorem 3.2", .has_bound = true, .bound = 1,
     .refuted_from_n = 3},
};

static const struct protocol_expected expected[] = {
    {{.n = 1, .l = 1, .k = 1}, 2, 2},
    {{.n = 2, .l = 1, .k = 1}, 37, 74},
    {{.n = 3, .l = 1, .k = 1}, 457, 1371},
    {{.n = 4, .l = 1, .k = 1}, 3993, 15972},
    {{.n = 5, .l = 1, .k = 1}, 28781, 143905},
    {{.n = 6, .l = 1, .k = 1}, 182119, 1092714},
    {{.n = 7, .l = 1, .k = 1}, 1047313, 7331191},
    {{.n = 8, .l = 1, .k = 1}, 5595361, 44762888},
    {{.n = 9, .l = 1, .k = 1}, 28193077, 253737693},
    {{.n = 10, .l = 1, .k = 1}, 135427071, 1354270710},
    {{.n = 11, .l = 1, .k = 1}, 625177697, 6876954667},
    {{.n = 12, .l = 1, .k = 1}, 2790655657, 33487867884},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the algorithm as printed", CLAIMS(claims), EXPECTED(expected)},
    [NO_FIRST_LOOP] = {"no-first-loop", "broken: RECEIVECOUNTS without its first loop",
                       CLAIMS(no_first_loop)},
    [FORGETFUL] = {"forgetful", "broken: arrivals during a move are not counted",
                   CLAIMS(forgetful)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n + 3;
}

static uint64_t lower(const struct step_params *params)
{
    return lower_bounded_waiting(params->n);
}

PROTOCOL(.name = "burns-b", .title = "1-bounded waiting, one variable with N + 3 values",
         .citation = "Burns, Jackson, Lynch, Fischer, Peterson 1982, Algorithm B, Theorem 3.2",
         .min_n = 1, .max_n = 12, .default_n = 3, .max_l = 1, .anonymous = true, .values = values,
         .lower = lower, .values_source = "Theorem 3.2", VARIANTS(variants))
#include "step/end.h"
