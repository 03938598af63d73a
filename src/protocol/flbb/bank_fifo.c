/*
 * The bank reduction (bank.inc) over a ticket lock: Theorem 4.1 (c), except the number of values.
 * About the mutual exclusion in N + 7 values the proof only says that "(c) uses an improvement of
 * the result of [CH2]". That must be A. B. Cremers, T. N. Hibbard, Arbitration and Queueing
 * under Limited Shared Storage Requirements, ICALP 1979, whose abstract promises first come, first
 * served with N + const values; what the improvement is, is printed nowhere that we know. It is
 * none of Burns et al. 1982: A, B and C have N + 6, N + 3 and floor(N/2) + 9 values, and are not
 * FIFO.
 */
#define TRANSFORMED flbb_bank_fifo
#define HAS_PROOF
#define HAS_MORE_PROOF
#define HAS_NAMES
#include "protocol/flbb/bank.h"
#include "../examples/protocol/ticket.c"

#ifdef STEP_RULES
/* Of the ticket lock, for every n. The tickets that are out are those from `serving` on, as many as
 * there are processes outside the lock's remainder. */
PROOF
    const word out = IN(TRYING) + IN(CRITICAL) + IN(EXIT);
    const word ahead = EITHER(serving <= MINE(I, mine), MINE(I, mine) - serving,
                              MINE(I, mine) + n - serving);
    INVARIANT("the next ticket is the one after those that are out",
              next == EITHER(serving + out < n, serving + out, serving + out - n));
    INVARIANT("a process outside its remainder has a ticket that is out",
              implies(!IS_IN(I, REMAINDER), ahead < out));
    INVARIANT("no two have the same ticket",
              implies(!IS_IN(I, REMAINDER) && !IS_IN(J, REMAINDER),
                      MINE(I, mine) != MINE(J, mine)));
    INVARIANT("a critical process is the one that is served",
              implies(IS_IN(I, CRITICAL) || IS_IN(I, EXIT), MINE(I, mine) == serving));

    const word ahead_of_other = EITHER(serving <= MINE(J, mine), MINE(J, mine) - serving,
                                       MINE(J, mine) + n - serving);
    RANK_OF_EACH(ONE(IS_IN(I, TRYING)));
    NUMBERED(ahead);
    ORDER_INVARIANT("a process that comes later has a later ticket",
                    implies(BEHIND, IS_TRANSFORMED_IN(J, REMAINDER) ||
                                        (!IS_IN(J, REMAINDER) && ahead < ahead_of_other)));
END_PROOF
#endif

#define BANK_NAME "flbb-bank/fifo"
#define BANK_TITLE "l-exclusion in the order of arrival, (l + 1) N N values"
#define BANK_CITATION "Fischer, Lynch, Burns, Borodin 1979, Lemma 4.1, over a ticket lock"
#define BANK_LOWER lower_l_bounded_waiting
#define BANK_SOURCE_VALUES ((uint64_t)params->n * params->n)
#define BANK_CLAIMS \
    {CHECK_LOCKOUT_FREE, CLAIMED, "Lemma 4.1"}, \
    {CHECK_FINITE_WAITING, CLAIMED, "Lemma 4.1, for k = 1", .up_to_k = 1}, \
    {CHECK_BOUNDED_WAITING, CLAIMED, "Lemma 4.1", .has_bound = true}, \
    {CHECK_FIFO, CLAIMED, "Theorem 4.1 (c)"},
#define BANK_EXPECTED \
    {SIZE(2, 1, 1), 30, 60}, \
    {SIZE(2, 1, 2), 30, 60}, \
    {SIZE(3, 1, 1), 174, 522}, \
    {SIZE(3, 2, 1), 201, 603}, \
    {SIZE(3, 2, 2), 201, 603}, \
    {SIZE(4, 1, 1), 1012, 4048}, \
    {SIZE(4, 2, 1), 1228, 4912}, \
    {SIZE(4, 2, 2), 1228, 4912}, \
    {SIZE(4, 3, 1), 1276, 5104}, \
    {SIZE(5, 2, 1), 8030, 40150}
#include "protocol/flbb/bank.inc"
