/*
 * J. E. Burns, P. Jackson, N. A. Lynch, M. J. Fischer, G. L. Peterson, Data Requirements for
 * Implementation of N-Process Mutual Exclusion Using a Single Shared Variable, JACM 29(1), 1982,
 * Algorithm A: 1-bounded waiting with N + 6 values.
 *
 * Departures from the paper:
 *  1. As printed, Sr, Sl, SI and Si are Sj, and "+ h", "+ l - 1", "+ i" are + j: damage of the
 *     scan.
 */
#define NAME burns_a
#define CELLS(cell, cells, registers) \
    cell(V, n + 6) /* S0 .. S(N-1), FREE, ENTER, ELECT, COUNT, ACK, BYE; at first FREE */
#define LOCALS(local) local(MAIN, n) local(BUFF, n) local(M, n + 6)
#define HAS_INITIAL
#define HAS_SHOW
#define HAS_PROOF
#include "step/step.h"
#include "step/text.h"

#include "protocol/burns/lower.h"

enum { ITSELF, FORGETFUL, NO_HOLDING, MERGED };
#define FORGETS_ARRIVALS VARIANT(FORGETFUL)
#define IDLE_SOMEWHERE false

#define S(j) (j)
#define IS_S(v) ((v) < n)
#define FREE (n)
#define ENTER (n + 1)
#define ELECT (n + 2)
#define COUNT (n + 3)
#define ACK (n + 4)
#define BYE (n + 5)

INITIAL
    SHARED(V) = FREE;
END_INITIAL

ENTRY
    TEST(REMAINDER, v, V)
        ON(v == FREE, S(0), goto CRITICAL);
        ON(IS_S(v), VARIANT(MERGED) ? S(1) : S(v + 1), goto BUFFER);
        ON(true, VARIANT(NO_HOLDING) ? v : S(1), M = VARIANT(NO_HOLDING) ? S(0) : v);
    END_TEST
    TEST(HOLDING, v, V)
        ON(v == S(0) && !VARIANT(NO_HOLDING), M, M = S(0));
        ON(IS_S(v) && VARIANT(NO_HOLDING), S(v + 1), M = S(0));
    END_TEST
BUFFER:
    TEST(BUFFER, v, V)
        ON(v == ENTER, ACK);
    END_TEST
    TEST(MAINAREA, v, V)
        ON(v == ELECT, ACK);
    END_TEST
#include "protocol/burns/receive.inc"
END

EXIT
#include "protocol/burns/move.inc"
#include "protocol/burns/elect.inc"
#include "protocol/burns/send.inc"
END

SHOW
    static const char *const messages[] = {"FREE", "ENTER", "ELECT", "COUNT", "ACK", "BYE"};
    if (IS_S(value))
        step_text(text, size, "S%llu", (unsigned long long)value);
    else
        step_text(text, size, "%s", messages[value - n]);
END_SHOW

#ifdef STEP_RULES
/* For every N. The controller is the process in its critical or exit region; a message is under way
 * while it is in V or a newcomer holds it. */
#define UNDER_WAY(message) (ONE(V == (message)) + ONE(VALUE(HOLDING, M) == (message)))
PROOF
    const word arrived = EITHER(IS_S(V), V, 0);
    const word controllers = IN(CRITICAL) + IN(EXIT);
    const word sending = AT(COUNT) + AT(COUNTED) + AT(SEND) + AT(BYE);

    INVARIANT("a newcomer holds a message, and V counts arrivals meanwhile",
              implies(AT(HOLDING) == 1, IS_S(V) && ENTER <= VALUE(HOLDING, M)));
    INVARIANT("there is a controller, or V says FREE, or BYE is under way",
              controllers + ONE(V == FREE) + UNDER_WAY(BYE) == 1);
    INVARIANT("everybody in the buffer has been counted",
              AT(BUFFER) + AT(HOLDING) == arrived + SUM(BUFF) + UNDER_WAY(ENTER));
    INVARIANT("everybody in the main area has been counted",
              AT(MAINAREA) + UNDER_WAY(ENTER) ==
                  SUM(MAIN) + UNDER_WAY(ELECT) + UNDER_WAY(COUNT));
    INVARIANT("the controller waits for what it has sent",
              AT(MOVED) + AT(SELECTED) + AT(COUNTED) ==
                      UNDER_WAY(ENTER) + UNDER_WAY(ELECT) + UNDER_WAY(COUNT) + UNDER_WAY(ACK) &&
                  UNDER_WAY(ENTER) <= AT(MOVED) && UNDER_WAY(ELECT) <= AT(SELECTED) &&
                  UNDER_WAY(COUNT) <= AT(COUNTED));
    INVARIANT("there is a receiver from the election to BYE",
              AT(RECEIVE) == sending + AT(SELECTED) - UNDER_WAY(ELECT) + UNDER_WAY(BYE));
    INVARIANT("the controller moves and sends what it has",
              AT(EXIT) == 0 && AT(MOVE) <= VALUE(MOVE, BUFF) && AT(MOVED) <= VALUE(MOVED, MAIN) &&
                  AT(SELECT) <= VALUE(SELECT, MAIN) && AT(COUNT) <= VALUE(COUNT, MAIN) &&
                  AT(SEND) <= VALUE(SEND, BUFF) && VALUE(SEND, MAIN) == 0 &&
                  VALUE(BYE, MAIN) == 0 && VALUE(BYE, BUFF) == 0);

    RANK(AT(BUFFER) + AT(HOLDING), AT(MAINAREA),
         sending + 2 * AT(SELECTED) + 3 * AT(SELECT) + 5 * AT(MOVE) + 6 * AT(MOVED) -
             2 * UNDER_WAY(ENTER),
         VALUE(COUNT, MAIN) + VALUE(COUNTED, MAIN),
         VALUE(COUNT, BUFF) + VALUE(COUNTED, BUFF) + VALUE(SEND, BUFF),
         AT(COUNTED) + UNDER_WAY(COUNT), AT(HOLDING), arrived);

    WAITING_INVARIANT("a waiter that has been overtaken is in the main area, or beyond",
                      ENTRIES <= 1 &&
                          implies(ENTRIES == 1, WAITER(MAINAREA) || WAITER(RECEIVE) ||
                                                    WAITER_IN(CRITICAL) || WAITER_IN(EXIT)));
    WAITING_INVARIANT("nobody has been overtaken while the buffer is moved",
                      implies(AT(MOVE) + AT(MOVED) == 1 && WAITER_IN(TRYING), ENTRIES == 0));
    WAITING_INVARIANT("a process that came later is not moved before",
                      implies(RETURNED && (OTHER(MAINAREA) || OTHER(RECEIVE)) &&
                                  AT(MOVE) + AT(MOVED) == 0 && WAITER_IN(TRYING),
                              WAITER(MAINAREA) || WAITER(RECEIVE)));
    WAITING_INVARIANT("a process that has overtaken is not moved again",
                      implies(ENTRIES == 1 && RETURNED && WAITER_IN(TRYING),
                              OTHER_IN(REMAINDER) || OTHER(HOLDING) || OTHER(BUFFER)));
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 3.3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 3.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 3.3 (C2 and C4 imply C3)"},
    {CHECK_BOUNDED_WAITING, CLAIMED, "section 3.3", .has_bound = true, .bound = 1},
    {CHECK_LINEAR_WAITING, CLAIMED, "follows from C4", .has_bound = true, .bound = 2},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 3},
    {CHECK_NO_MEMORY, CLAIMED, "section 3.3"},
    {CHECK_VALUES, CLAIMED, "section 3.3", .has_bound = true},
};

static const struct protocol_claim forgetful[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 3.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 3.3", .refuted_from_n = 3},
};

static const struct protocol_claim no_holding[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 3.3"},
    {CHECK_BOUNDED_WAITING, CLAIMED, "section 3.3", .has_bound = true, .bound = 1,
     .refuted_from_n = 2},
};

/* Too few values: a process that comes while another waits at S1 is not counted. */
static const struct protocol_claim merged[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 3.3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 3.3", .refuted_from_n = 3},
    {CHECK_BOUNDED_WAITING, CLAIMED, "section 3.3", .has_bound = true, .bound = 1,
     .refuted_from_n = 3},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 3.3", .refuted_from_n = 3},
    {CHECK_NO_MEMORY, CLAIMED, "section 3.3"},
};

static const struct protocol_expected expected[] = {
    {{.n = 1, .l = 1, .k = 1}, 2, 2},
    {{.n = 2, .l = 1, .k = 1}, 29, 58},
    {{.n = 3, .l = 1, .k = 1}, 313, 939},
    {{.n = 4, .l = 1, .k = 1}, 2577, 10308},
    {{.n = 5, .l = 1, .k = 1}, 18761, 93805},
    {{.n = 6, .l = 1, .k = 1}, 125599, 753594},
    {{.n = 7, .l = 1, .k = 1}, 783469, 5484283},
    {{.n = 8, .l = 1, .k = 1}, 4588369, 36706952},
    {{.n = 9, .l = 1, .k = 1}, 25399549, 228595941},
    {{.n = 10, .l = 1, .k = 1}, 133764951, 1337649510},
    {{.n = 11, .l = 1, .k = 1}, 674253977, 7416793747},
    {{.n = 12, .l = 1, .k = 1}, 3270448465, 39245381580},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the algorithm as printed", CLAIMS(claims), EXPECTED(expected)},
    [FORGETFUL] = {"forgetful", "broken: arrivals during a move are not counted",
                   CLAIMS(forgetful)},
    [NO_HOLDING] = {"no-holding",
                    "broken: a newcomer that meets a message does not announce itself",
                    CLAIMS(no_holding)},
    [MERGED] = {"merged", "broken: S1 to S(N-1) are one value", CLAIMS(merged)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n + 6;
}

static uint64_t lower(const struct step_params *params)
{
    return lower_bounded_waiting(params->n);
}

PROTOCOL(.name = "burns-a", .title = "1-bounded waiting, one variable with N + 6 values",
         .citation = "Burns, Jackson, Lynch, Fischer, Peterson 1982, Algorithm A", .min_n = 1,
         .max_n = 12, .default_n = 3, .max_l = 1, .anonymous = true, .values = values,
         .lower = lower, .values_source = "section 3.3", VARIANTS(variants))
#include "step/end.h"
