/*
 * D. P. Reed, R. K. Kanodia, Synchronization with Eventcounts and Sequencers, CACM 22(2), 1979:
 * draw a ticket from a sequencer, wait until the eventcount comes to it, advance the eventcount.
 * Since Mellor-Crummey and Scott (1991) this is called the ticket lock.
 *
 * Departures from the paper:
 *  1. Both counters are unbounded in the paper. Here they count modulo n: no two of at most n
 *     tickets that are out at the same time are then equal.
 *  2. The eventcount is advanced by a plain store: only the process that holds the lock does it.
 */
#define NAME ticket
#define CELLS(cell, cells, registers) cell(next, n) cell(serving, n)
#define LOCALS(local) local(mine, n)
#define HAS_DOORWAY
#include "step/step.h"

enum { ITSELF, SHORT };

#define TICKETS (VARIANT(SHORT) ? n - 1 : n)

static inline word after(word ticket, word tickets) /* 1 + ticket, modulo tickets */
{
    return ticket + 1 == tickets ? 0 : ticket + 1;
}

DOORWAY
    TEST(draw, v, next)
        ON(true, after(v, TICKETS), mine = v);
    END_TEST
END

WAITING
    AWAIT(wait, v, serving, v == mine);
END

EXIT
    WRITE(advance, serving, after(mine, TICKETS));
    FORGET(mine);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Reed and Kanodia 1979"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Reed and Kanodia 1979"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "follows from the order"},
    {CHECK_LINEAR_WAITING, CLAIMED, "follows from the order", .has_bound = true, .bound = 1},
    {CHECK_FIFO, CLAIMED, "Reed and Kanodia 1979"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "one access", .has_bound = true, .bound = 1},
    {CHECK_NO_MEMORY, CLAIMED, "the ticket is dropped"},
    {CHECK_VALUES, CLAIMED, "departure 1", .has_bound = true},
};

static const struct protocol_claim short_of_one[] = {
    {CHECK_EXCLUSION, CLAIMED, "with one ticket too few", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 18, 36},
    {{.n = 3, .l = 1, .k = 1}, 93, 279},
    {{.n = 4, .l = 1, .k = 1}, 516, 2064},
};

static const struct protocol_variant variants[] = {
    {"", "the ticket lock, modulo n", CLAIMS(claims), EXPECTED(expected)},
    {"short", "broken: counts modulo n - 1", CLAIMS(short_of_one)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n;
}

PROTOCOL(.name = "ticket", .title = "The ticket lock", .citation = "Reed and Kanodia 1979",
         .min_n = 2, .max_n = 12, .default_n = 3, .max_l = 1, .anonymous = true,
         .values = values, .values_source = "departure 1", VARIANTS(variants))
#include "step/end.h"
