/*
 * A process that is let in by the same step that lets another one in. The first process that
 * comes waits for a second one. The first step of the second process takes it into its critical
 * region, and enables the first process.
 *
 * fifo-enabling counts the step that ends the wait (Fischer, Lynch, Burns and Borodin 1979: the
 * wait lasts through every proper prefix of the schedule), so it fails. first-in-first-enabled is
 * about states (Afek et al. 1994, Definition 2.5: if j is in the critical section, then i is
 * enabled), so it holds.
 */
#define NAME handover
#define CELLS(cell, cells, registers) cell(V, 3)
#define LOCALS(local) local(seen, 3)
#include "step/step.h"

enum { NOBODY, ONE, BOTH };

ENTRY
    TEST(come, v, V)
        ON(v == NOBODY, ONE);
        ON(v != NOBODY, BOTH, goto CRITICAL);
    END_TEST
    AWAIT(wait, w, V, w == BOTH);
END

EXIT
    READ(go, seen, V);
    FORGET(seen);
END

static const struct protocol_claim claims[] = {
    {CHECK_FIFO_ENABLING, NOT_CLAIMED, "the step that ends the wait counts", .fails_from_n = 2},
    {CHECK_FIRST_IN_FIRST_ENABLED, CLAIMED, "after that step the first one is enabled"},
};

static const struct protocol_variant variants[] = {
    {"", "the second one lets the first one in", CLAIMS(claims)},
};

PROTOCOL(.name = "handover", .title = "Let in by the same step", .citation = "an example",
         .min_n = 2, .max_n = 3, .default_n = 2, .min_l = 2, .max_l = 3, VARIANTS(variants))
#include "step/end.h"
