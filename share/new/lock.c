/*
 * @TITLE@: who wrote this down, where, and which figure this follows.
 *
 * Departures from the paper:
 *  1. None. Number what you had to change, and say why.
 *
 * Check it with: berth check ./@FILE@
 * The words are explained in berth-notation(7), and a first lock step by step in berth-tutorial(7).
 */
#define NAME @NAME@

/* Shared variables, each with the number of values that it holds: one, an array, or one for each process
 * that it alone writes. n is the number of processes. */
#define CELLS(cell, cells, registers) cell(V, 2)
/* #define LOCALS(local) local(seen, 2)                what a process remembers from step to step */
#define HAS_PROPERTIES
#include "step/step.h"

/* Variants, in the order of variants[] below and with the same names; the first is the protocol itself. */
enum { ITSELF, BROKEN_TEST };

ENTRY
    if (VARIANT(BROKEN_TEST)) {
        /* To look and then to take is two steps: two may look at the same time. */
        AWAIT(look, v, V, v == 0);
        WRITE(set, V, 1);
    } else {
        /* One step: wait until V is 0, and set it to 1. */
        TEST(take, v, V)
            ON(v == 0, 1);
        END_TEST
    }
END

EXIT
    WRITE(give, V, 0);
END

/* What you want to hold of every process, WHO, in addition to what is claimed below. */
PROPERTIES
    ALWAYS("the lock is taken while somebody is inside", !IS_CRITICAL(WHO) || SHARED(V) == 1)
    AFTER("who is inside leaves", IS_CRITICAL(WHO), IS_RESTING(WHO))
END_PROPERTIES

/* What is claimed, and by whom; and what is known not to hold, from which n on. */
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "one step takes the lock"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "a free lock is taken by whoever tries"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "the same process may be lucky for ever", .fails_from_n = 2},
};

/* A variant that is broken on purpose: .refuted_from_n is the least n at which the checker finds that. */
static const struct protocol_claim broken_test[] = {
    {CHECK_EXCLUSION, CLAIMED, "two may look before one takes it", .refuted_from_n = 2},
    {CHECK_OWN, NOT_CLAIMED, "the second one gives back what the first one has", .fails_from_n = 2},
};

static const struct protocol_variant variants[] = {
    {"", "test and set", CLAIMS(claims)},
    {"broken-test", "broken: looks and takes in two steps", CLAIMS(broken_test)},
};

PROTOCOL(.name = "@PLAIN@", .title = "@TITLE@", .citation = "your paper, figure 1", .min_n = 2,
         .max_n = 8, .default_n = 3, .max_l = 1, .anonymous = true, VARIANTS(variants))
#include "step/end.h"
