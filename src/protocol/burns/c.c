/*
 * J. E. Burns, P. Jackson, N. A. Lynch, M. J. Fischer, G. L. Peterson, Data Requirements for
 * Implementation of N-Process Mutual Exclusion Using a Single Shared Variable, JACM 29(1), 1982,
 * Algorithm C: no lockout with floor(N/2) + 9 values (Theorem 3.3).
 *
 * Departures from the paper:
 *  1. As printed, Sr, Sl, SI and Si are Sj, and "+ i" is + j: damage of the scan. The alternatives
 *     of REMAINDER are tried in the order FREE, Sk, Sj, STOP, other.
 *  2. "test V while STOP setto STOP" is AWAIT(V != STOP): it reads V and changes nothing.
 *  3. (ours) The exit code. As printed, the former executive first wakes the idlers and then goes
 *     on as in Algorithm A, which moves the buffer to the main area only if that is empty: after
 *     the idlers have been woken it is not. So a process can be left in the buffer by an executive
 *     that came to its critical region by FREE, with BUFF > 0. From N = 5 on that can go on for
 *     ever (burns-c/printed): each time the ENTER meant for the waiting process is on its way, a
 *     newcomer holds it, two more arrivals make V wrap around, one of them takes the ENTER, and the
 *     new executive sees FREE before it has stopped everybody it should. Theorem 3.3 does not hold
 *     for the algorithm as printed. Here the buffer is moved before the idlers are woken, if the
 *     main area is empty; nothing else changes, the values are the same, and there is no lockout
 *     for any N up to 12. Why it helps: an executive that came by FREE finds the main area empty,
 *     so it takes everybody along, buffer and idlers; while it does so at most floor(N/2) processes
 *     are left to arrive, too few for V to wrap around, so every ENTER is answered by somebody who
 *     is counted, until the buffer is empty.
 */
#define NAME burns_c
#define CELLS(cell, cells, registers) \
    cell(V, K + 9) /* S0 .. Sk, FREE, ENTER, ELECT, COUNT, ACK, BYE, STOP, GO */
#define LOCALS(local) local(MAIN, n + 1) local(BUFF, 2 * n) local(M, K + 9) local(IDLERS, n + 1)
#define HAS_INITIAL
#define HAS_SHOW
#define HAS_PROOF
#define SPLITS(local) local(IDLERS)
#include "step/step.h"
#include "step/text.h"

#include "protocol/burns/lower.h"

enum { ITSELF, PRINTED };
#define FORGETS_ARRIVALS false
#define IDLE_SOMEWHERE (IDLERS > 0)

#define K (n / 2)
#define S(j) (j)
#define IS_S(v) ((v) <= K)
#define FREE (K + 1)
#define ENTER (K + 2)
#define ELECT (K + 3)
#define COUNT (K + 4)
#define ACK (K + 5)
#define BYE (K + 6)
#define STOP (K + 7)
#define GO (K + 8)

INITIAL
    SHARED(V) = FREE;
END_INITIAL

ENTRY
    TEST(REMAINDER, v, V)
        ON(v == FREE, S(0), goto CRITICAL);
        ON(v == S(K), S(0), goto EXECUTIVE);
        ON(IS_S(v), S(v + 1), goto BUFFER);
        ON(v == STOP, S(1), goto IDLE);
        ON(true, S(1), M = v; goto HOLDING);
    END_TEST

EXECUTIVE:
    BUFF = K;
    while (BUFF > 0) {
        TEST(EXECUTIVE, v, V)
            ON(IS_S(v), STOP, BUFF += v - 1; IDLERS += 1);
            ON(v == STOP, STOP);
            ON(v == FREE, S(0), M = S(0); goto CRITICAL);
            ON(true, S(0), M = v);
        END_TEST
    }
    AWAIT(STOPPED, v, V, v != STOP); /* test V while STOP setto STOP */
    if (M != S(0)) {
        TEST(RESTORE, v, V)
            ON(v == S(0), M, M = S(0));
        END_TEST
    }
    TEST(ANNOUNCE, v, V)
        ON(v == FREE, S(0), goto CRITICAL);
        ON(IS_S(v), S(v + 1), goto BUFFER);
        ON(true, S(1), M = v);
    END_TEST

HOLDING:
    TEST(HOLDING, v, V)
        ON(v == S(0), M, M = S(0); goto BUFFER);
        ON(v == STOP, M, M = S(0); goto IDLE);
    END_TEST

BUFFER:
    TEST(BUFFER, v, V)
        ON(v == ENTER, ACK, goto MAINAREA);
        ON(v == STOP, S(0), goto IDLE);
    END_TEST

IDLE:
    TEST(IDLE, v, V)
        ON(v == GO, ACK, goto MAINAREA);
    END_TEST

MAINAREA:
    TEST(MAINAREA, v, V)
        ON(v == ELECT, ACK);
    END_TEST
#include "protocol/burns/receive.inc"
END

EXIT
    if (VARIANT(PRINTED))
        goto WAKE;
MOVE:
#include "protocol/burns/move.inc"
    if (VARIANT(PRINTED))
        goto SELECT;
WAKE:
    while (IDLERS > 0) {
        TEST(WAKE, v, V)
            ON(IS_S(v), GO, BUFF += v; IDLERS -= 1; MAIN += 1);
        END_TEST
        for (;;) {
            TEST(WOKEN, v, V)
                ON(IS_S(v), S(0), BUFF += v);
                ON(v == ACK, S(0), goto woken);
            END_TEST
        }
    woken:;
    }
    if (VARIANT(PRINTED))
        goto MOVE;
SELECT:
#include "protocol/burns/elect.inc"
#include "protocol/burns/send.inc"
END

SHOW
    static const char *const messages[] = {"FREE", "ENTER", "ELECT", "COUNT",
                                           "ACK",  "BYE",   "STOP",  "GO"};
    if (IS_S(value))
        step_text(text, size, "S%llu", (unsigned long long)value);
    else
        step_text(text, size, "%s", messages[value - FREE]);
END_SHOW

#ifdef STEP_RULES
/* For every N. The controller is the process in its critical or exit region; an executive is one
 * that stops others, until it has joined the buffer itself; a message is under way while it is in
 * V, or a newcomer or the executive holds it. The process that has IDLERS told that many to be
 * idle, and will wake them. */
#define UNDER_WAY(message) (ONE(V == (message)) + ONE(SUM(M) == (message)))
#define HAS_K_BEHIND(label)                                                                       \
    implies(0 < VALUE(label, IDLERS),                                                             \
            K <= VALUE(label, IDLERS) + VALUE(label, MAIN) + VALUE(label, BUFF))
PROOF
    const word arrived = EITHER(IS_S(V), V, 0);
    const word stop = ONE(V == STOP);
    const word controllers = IN(CRITICAL) + IN(EXIT);
    const word executives = AT(EXECUTIVE) + AT(STOPPED) + AT(RESTORE) + AT(ANNOUNCE);
    const word stopped = VALUE(EXECUTIVE, IDLERS) + VALUE(STOPPED, IDLERS) +
                         VALUE(RESTORE, IDLERS) + VALUE(ANNOUNCE, IDLERS);
    const word sending = AT(COUNT) + AT(COUNTED) + AT(SEND) + AT(BYE);
    const word buffer = AT(BUFFER) + AT(HOLDING);

    INVARIANT("a process that holds a message has one, and V is not one meanwhile",
              AT(HOLDING) <= 1 &&
                  implies(AT(HOLDING) == 1,
                          ENTER <= VALUE(HOLDING, M) && VALUE(HOLDING, M) == SUM(M)) &&
                  implies(0 < SUM(M), (IS_S(V) || V == STOP) && SUM(M) != STOP && ENTER <= SUM(M)));
    INVARIANT("there is a controller, or V says FREE, or BYE is under way",
              controllers + ONE(V == FREE) + UNDER_WAY(BYE) == 1);
    INVARIANT("everybody in the buffer has been counted",
              buffer == arrived + SUM(BUFF) + UNDER_WAY(ENTER) + stop);
    INVARIANT("everybody in the main area has been counted",
              AT(MAINAREA) + UNDER_WAY(ENTER) + UNDER_WAY(GO) ==
                  SUM(MAIN) + UNDER_WAY(ELECT) + UNDER_WAY(COUNT));
    INVARIANT("every process that is idle has been counted",
              AT(IDLE) + stop == SUM(IDLERS) + UNDER_WAY(GO));
    INVARIANT("the controller waits for what it has sent",
              AT(MOVED) + AT(WOKEN) + AT(SELECTED) + AT(COUNTED) ==
                      UNDER_WAY(ENTER) + UNDER_WAY(GO) + UNDER_WAY(ELECT) + UNDER_WAY(COUNT) +
                          UNDER_WAY(ACK) &&
                  UNDER_WAY(ENTER) <= AT(MOVED) && UNDER_WAY(GO) <= AT(WOKEN) &&
                  UNDER_WAY(ELECT) <= AT(SELECTED) && UNDER_WAY(COUNT) <= AT(COUNTED));
    INVARIANT("there is a receiver from the election to BYE",
              AT(RECEIVE) == sending + AT(SELECTED) - UNDER_WAY(ELECT) + UNDER_WAY(BYE));
    INVARIANT("the controller moves, wakes and sends what it has",
              VALUE(EXIT, MAIN) == 0 && VALUE(EXIT, BUFF) == 0 && VALUE(EXIT, IDLERS) == 0 &&
                  AT(MOVE) <= VALUE(MOVE, BUFF) && AT(MOVED) <= VALUE(MOVED, MAIN) &&
                  AT(WAKE) <= VALUE(WAKE, IDLERS) && AT(WOKEN) <= VALUE(WOKEN, MAIN) &&
                  AT(SELECT) <= VALUE(SELECT, MAIN) && AT(COUNT) <= VALUE(COUNT, MAIN) &&
                  AT(SEND) <= VALUE(SEND, BUFF) && VALUE(SEND, MAIN) == 0 &&
                  VALUE(BYE, MAIN) == 0 && VALUE(BYE, BUFF) == 0);
    INVARIANT("there is one executive at most, and only it says STOP",
              executives <= 1 && stop <= AT(EXECUTIVE) + AT(STOPPED) &&
                  implies(executives == 1, SUM(IDLERS) == stopped));
    INVARIANT("an executive stops those whom it knows of",
              AT(EXECUTIVE) <= VALUE(EXECUTIVE, BUFF) && VALUE(STOPPED, BUFF) == 0 &&
                  VALUE(RESTORE, BUFF) == 0 && VALUE(ANNOUNCE, BUFF) == 0 &&
                  AT(RESTORE) <= VALUE(RESTORE, M) && VALUE(ANNOUNCE, M) == 0);
    INVARIANT("an executive knows of N/2 others, at least",
              implies(executives == 1, K <= VALUE(EXECUTIVE, BUFF) + stopped));
    INVARIANT("whoever has IDLERS has N/2 others behind it, at least",
              HAS_K_BEHIND(HOLDING) && HAS_K_BEHIND(BUFFER) && HAS_K_BEHIND(MAINAREA) &&
                  HAS_K_BEHIND(MOVE) && HAS_K_BEHIND(MOVED) && HAS_K_BEHIND(WAKE) &&
                  implies(AT(WOKEN) == 1, K <= VALUE(WOKEN, IDLERS) + VALUE(WOKEN, MAIN) +
                                                   VALUE(WOKEN, BUFF)) &&
                  VALUE(IDLE, IDLERS) == 0 &&
                  implies(0 < VALUE(RECEIVE, IDLERS), K <= VALUE(RECEIVE, IDLERS)) &&
                  implies(0 < VALUE_IN(CRITICAL, IDLERS),
                          K <= VALUE_IN(CRITICAL, IDLERS) + VALUE_IN(CRITICAL, MAIN) +
                                   VALUE_IN(CRITICAL, BUFF)));

    /* As printed, the idlers are woken before the buffer is moved. */
    const word moving = 5 * AT(MOVE) + 6 * AT(MOVED) - 2 * UNDER_WAY(ENTER);
    const word waking = 5 * AT(WAKE) + 6 * AT(WOKEN) - 2 * UNDER_WAY(GO);
    const word phase = sending + 2 * AT(SELECTED) + 3 * AT(SELECT) + moving + waking +
                       10 * AT(EXIT) +
                       4 * (VARIANT(PRINTED) ? AT(WAKE) + AT(WOKEN) : AT(MOVE) + AT(MOVED));
    RANK(executives, buffer, AT(IDLE), AT(MAINAREA),
         3 * AT(EXECUTIVE) + 2 * AT(STOPPED) + AT(RESTORE), phase,
         VALUE(COUNT, MAIN) + VALUE(COUNTED, MAIN),
         VALUE(COUNT, BUFF) + VALUE(COUNTED, BUFF) + VALUE(SEND, BUFF),
         AT(COUNTED) + UNDER_WAY(COUNT), ONE(AT(EXECUTIVE) == 1 && V != STOP), AT(HOLDING),
         ONE(FREE < V), arrived);

    /* Why nobody is locked out. A waiter goes on from the executive's places to the buffer, to
     * being idle, to the main area, to RECEIVE. How it gets there depends on the process with
     * IDLERS. */
    const cond moves = AT(MOVE) + AT(MOVED) == 1;
    const cond executive = executives == 1;
    const cond in_buffer = 0 < VALUE(HOLDING, IDLERS) + VALUE(BUFFER, IDLERS);
    const cond in_main = 0 < VALUE(MAINAREA, IDLERS) + VALUE(RECEIVE, IDLERS);
    const cond in_critical = 0 < VALUE_IN(CRITICAL, IDLERS);
    const cond will_move = IN(CRITICAL) == 1 && VALUE_IN(CRITICAL, MAIN) == 0 &&
                           0 < VALUE_IN(CRITICAL, BUFF) &&
                           K <= VALUE_IN(CRITICAL, BUFF) + VALUE_IN(CRITICAL, IDLERS);
    const cond moves_many = moves && K <= VALUE(MOVE, IDLERS) + VALUE(MOVE, MAIN) +
                                              VALUE(MOVE, BUFF) + VALUE(MOVED, IDLERS) +
                                              VALUE(MOVED, MAIN) + VALUE(MOVED, BUFF);
    const cond is_executive =
        WAITER(EXECUTIVE) || WAITER(STOPPED) || WAITER(RESTORE) || WAITER(ANNOUNCE);
    const cond buffered = WAITER(BUFFER) || WAITER(HOLDING);
    const word where = EITHER(is_executive, 5, EITHER(buffered, 4, EITHER(WAITER(IDLE), 3,
                       EITHER(WAITER(MAINAREA), 2, EITHER(WAITER(RECEIVE), 1, 0)))));
    /* In the buffer: a process that has been told to wake wakes; then the next move takes the
     * waiter along, unless an executive comes in between: it either stops the move, or joins the
     * buffer, and then the next move takes the waiter along. */
    const word until_moved =
        EITHER(executive, 3, EITHER(moves && (0 < SUM(IDLERS) || moves_many), 1,
        EITHER(in_buffer || will_move, 2,
        EITHER(0 < SUM(IDLERS), 6, EITHER(moves, 4, 5)))));
    /* Idle: the executive joins the buffer, is moved, is elected, and wakes. */
    const word until_woken =
        EITHER(executive, 6, EITHER(in_buffer, EITHER(moves, 4, 5), EITHER(in_main,
        EITHER(moves, 4, 3), EITHER(in_critical, 2, EITHER(moves, 1, 0)))));
    const word epoch = EITHER(buffered, until_moved, EITHER(WAITER(IDLE), until_woken,
                       EITHER(WAITER(MAINAREA) && moves, 1, 0)));
    const cond by_executive =
        is_executive || (executive && (buffered || WAITER(IDLE)));
    HELPER(EXECUTIVE, by_executive && AT(EXECUTIVE) == 1 && V != STOP);
    HELPER(STOPPED, by_executive && AT(STOPPED) == 1 && V != STOP);
    HELPER(ANNOUNCE, by_executive && AT(ANNOUNCE) == 1);
    const cond helped = by_executive && (AT(RESTORE) == 0 && V != STOP);
    /* How many may come to the main area before it is empty. */
    const word late = SUM(IDLERS) - stopped - VALUE(HOLDING, IDLERS) - VALUE(BUFFER, IDLERS);
    LOCKOUT_RANK(where, epoch, EITHER(by_executive, n - stopped, 0),
                 EITHER(by_executive, 3 * AT(EXECUTIVE) + 2 * AT(STOPPED) + AT(RESTORE), 0),
                 EITHER(by_executive, stop, 0),
                 EITHER(by_executive, ONE(VALUE(EXECUTIVE, M) == 0), 0),
                 EITHER(by_executive || moves || where == 0, 0,
                        2 * late + UNDER_WAY(GO) + AT(MAINAREA)),
                 EITHER(helped || where == 0, 0,
                        2 * AT(RECEIVE) + ONE(AT(RECEIVE) == 1 && controllers == 1) + IN(CRITICAL)),
                 EITHER(helped, 0, YET_TO_COME));
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 3.3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Theorem 3.3 (C3 implies C2)"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 3.3"},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "section 3.4", .fails_from_n = 3},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 3},
    {CHECK_NO_MEMORY, CLAIMED, "Theorem 3.3"},
    {CHECK_VALUES, CLAIMED, "Theorem 3.3", .has_bound = true},
};

static const struct protocol_claim printed[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 3.3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Theorem 3.3 (C3 implies C2)"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 3.3", .refuted_from_n = 5},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, "section 3.4", .fails_from_n = 3},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 3},
    {CHECK_NO_MEMORY, CLAIMED, "Theorem 3.3"},
    {CHECK_VALUES, CLAIMED, "Theorem 3.3", .has_bound = true},
};

static const struct protocol_expected expected[] = {
    {{.n = 1, .l = 1, .k = 1}, 2, 2},
    {{.n = 2, .l = 1, .k = 1}, 29, 58},
    {{.n = 3, .l = 1, .k = 1}, 616, 1848},
    {{.n = 4, .l = 1, .k = 1}, 4025, 16100},
    {{.n = 5, .l = 1, .k = 1}, 47061, 235305},
    {{.n = 6, .l = 1, .k = 1}, 239425, 1436550},
    {{.n = 7, .l = 1, .k = 1}, 2428469, 16999283},
    {{.n = 8, .l = 1, .k = 1}, 10857233, 86857864},
    {{.n = 9, .l = 1, .k = 1}, 104168107, 937512963},
    {{.n = 10, .l = 1, .k = 1}, 426539831, 4265398310},
    {{.n = 11, .l = 1, .k = 1}, 4020329061, 44223619671},
    {{.n = 12, .l = 1, .k = 1}, 15531260389, 186375124668},
};

static const struct protocol_expected expected_printed[] = {
    {{.n = 1, .l = 1, .k = 1}, 2, 2},
    {{.n = 2, .l = 1, .k = 1}, 29, 58},
    {{.n = 3, .l = 1, .k = 1}, 589, 1767},
    {{.n = 4, .l = 1, .k = 1}, 3913, 15652},
    {{.n = 5, .l = 1, .k = 1}, 45146, 225730},
    {{.n = 6, .l = 1, .k = 1}, 231079, 1386474},
    {{.n = 7, .l = 1, .k = 1}, 2329146, 16304022},
    {{.n = 8, .l = 1, .k = 1}, 10458113, 83664904},
    {{.n = 9, .l = 1, .k = 1}, 100570528, 905134752},
    {{.n = 10, .l = 1, .k = 1}, 412771981, 4127719810},
    {{.n = 11, .l = 1, .k = 1}, 3914428640, 43058715040},
    {{.n = 12, .l = 1, .k = 1}, 15135602653, 181627231836},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the buffer is moved before the idlers are woken", CLAIMS(claims),
                EXPECTED(expected)},
    [PRINTED] = {"printed", "the algorithm as printed", CLAIMS(printed),
                 EXPECTED(expected_printed)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n / 2 + 9;
}

static uint64_t lower(const struct step_params *params)
{
    return lower_memoryless(params->n);
}

PROTOCOL(.name = "burns-c", .title = "No lockout, one variable with N/2 + 9 values",
         .citation = "Burns, Jackson, Lynch, Fischer, Peterson 1982, Algorithm C, Theorem 3.3",
         .min_n = 1, .max_n = 12, .default_n = 3, .max_l = 1, .anonymous = true, .values = values,
         .lower = lower, .values_source = "Theorem 3.3", VARIANTS(variants))
#include "step/end.h"
