/*
 * J. M. Mellor-Crummey, M. L. Scott, Algorithms for Scalable Synchronization on Shared-Memory
 * Multiprocessors, TOCS 9(1), 1991: the ticket lock. The idea is that of Reed and
 * Kanodia's sequencers (examples/protocol/ticket.c); here it has the paper's two counters.
 *
 *     acquire: my_ticket := fetch_and_increment(L->next_ticket);
 *              loop
 *                  pause(my_ticket - L->now_serving);
 *                  if L->now_serving = my_ticket then return
 *     release: L->now_serving := L->now_serving + 1
 *
 * Departures from the paper:
 *  1. The counters are as wide as a word in the paper, and come round. Here they count modulo n,
 *     the least that is enough.
 *  2. The pause is natively that of berth, which knows nothing of the distance; the checker has no
 *     time.
 *  3. A process that releases knows now_serving, which is its ticket.
 */
#define NAME ticket_lock
#define CELLS(cell, cells, registers) cell(next_ticket, n) cell(now_serving, n)
#define LOCALS(local) local(my_ticket, n)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"

enum { ITSELF, NARROW, SPLIT };

#define TICKETS (VARIANT(NARROW) ? n - 1 : n)

static inline word after(word ticket, word tickets) /* ticket + 1, modulo the number of them */
{
    return ticket + 1 >= tickets ? 0 : ticket + 1;
}

DOORWAY
    if (VARIANT(SPLIT)) {
        READ(fetch, my_ticket, next_ticket);
        WRITE(increment, next_ticket, after(my_ticket, TICKETS));
    } else {
        UPDATE(draw, my_ticket, next_ticket, after(my_ticket, TICKETS));
    }
END

WAITING
    AWAIT(wait, serving, now_serving, serving == my_ticket);
END

EXIT
    WRITE(release, now_serving, after(my_ticket, TICKETS));
    FORGET(my_ticket);
END

#ifdef STEP_RULES
/* For every n. The tickets that are out are those from now_serving on, as many as there are
 * processes outside their remainder. */
PROOF
    const word out = IN(TRYING) + IN(CRITICAL) + IN(EXIT);
    const word ahead = EITHER(now_serving <= MINE(I, my_ticket), MINE(I, my_ticket) - now_serving,
                              MINE(I, my_ticket) + n - now_serving);
    INVARIANT("the next ticket is the one after those that are out",
              next_ticket ==
                  EITHER(now_serving + out < n, now_serving + out, now_serving + out - n));
    INVARIANT("a process outside its remainder has a ticket that is out",
              implies(!IS_IN(I, REMAINDER), ahead < out));
    INVARIANT("no two have the same ticket",
              implies(!IS_IN(I, REMAINDER) && !IS_IN(J, REMAINDER),
                      MINE(I, my_ticket) != MINE(J, my_ticket)));
    INVARIANT("a critical process is the one that is served",
              implies(IS_IN(I, CRITICAL) || IS_IN(I, EXIT), MINE(I, my_ticket) == now_serving));

    const word ahead_of_other =
        EITHER(now_serving <= MINE(J, my_ticket), MINE(J, my_ticket) - now_serving,
               MINE(J, my_ticket) + n - now_serving);
    RANK_OF_EACH(0);
    NUMBERED(ahead);
    ORDER_INVARIANT("a process that comes later has a later ticket",
                    implies(BEHIND, IS_IN(J, REMAINDER) || ahead < ahead_of_other));
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "follows from the order"},
    {CHECK_LINEAR_WAITING, CLAIMED, "follows from the order", .has_bound = true, .bound = 1},
    {CHECK_FIFO, CLAIMED, "Mellor-Crummey and Scott 1991"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, .why = "one access", .has_bound = true, .bound = 1},
    {CHECK_NO_MEMORY, CLAIMED, .why = "the ticket is dropped"},
    {CHECK_VALUES, CLAIMED, "departure 1", .has_bound = true},
};

static const struct protocol_claim narrow[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with a counter that comes round too soon",
     .refuted_from_n = 2},
};

static const struct protocol_claim split[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with fetch and increment in two steps", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 18, 36},
    {{.n = 3, .l = 1, .k = 1}, 93, 279},
    {{.n = 4, .l = 1, .k = 1}, 516, 2064},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the ticket lock", CLAIMS(claims), EXPECTED(expected)},
    [NARROW] = {"narrow", "broken: the counters come round after n - 1 tickets", CLAIMS(narrow)},
    [SPLIT] = {"split", "broken: fetches and increments in two steps", CLAIMS(split)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n;
}

PROTOCOL(.name = "ticket-lock", .title = "The ticket lock",
         .citation = "Mellor-Crummey and Scott 1991", .min_n = 2, .max_n = 12, .default_n = 3,
         .max_l = 1, .anonymous = true, .values = values, .values_source = "departure 1",
         VARIANTS(variants))
#include "step/end.h"
