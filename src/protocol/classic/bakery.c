/*
 * L. Lamport, A New Solution of Dijkstra's Concurrent Programming Problem, CACM 17(8), 1974: the
 * bakery. Here for calibration: everybody knows the answer.
 *
 * Departures from print:
 *  1. Tickets are unbounded. The checker does not let a process leave its remainder while some
 *     number is at the limit (those inside may still draw higher ones, up to limit + n - 1);
 *     results are for runs cut off there.
 *  2. Registers are atomic here; Lamport needs only safe ones.
 */
#define NAME bakery
#define CELLS(cell, cells, registers) registers(choosing, 2) registers(number, params->limit + n)
#define LOCALS(local) local(q, n) local(most, params->limit + n)
#define HAS_DOORWAY
#include "step/step.h"

enum { ITSELF, NO_CHOOSING };

static inline bool below_limit(const struct step_shared *shared, const struct step_params *params)
{
    for (unsigned q = 0; q < params->n; q++) {
        if (shared->number[q] >= params->limit)
            return false;
    }
    return true;
}

DOORWAY
    LIMIT(below_limit(shared, params));
    if (!VARIANT(NO_CHOOSING))
        WRITE(choose, choosing[ME], 1);
    for (q = 0; q < n; q++) {
        if (q != ME) {
            word other;
            READ(most, other, number[q]);
            most = other > most ? other : most;
        }
    }
    FORGET(q);
    WRITE(take, number[ME], most + 1);
    FORGET(most);
    if (!VARIANT(NO_CHOOSING))
        WRITE(chosen, choosing[ME], 0);
END

WAITING
    for (q = 0; q < n; q++) {
        if (q != ME) {
            AWAIT(choosing, c, choosing[q], c == 0);
            AWAIT(number, other, number[q],
                  other == 0 || other > OWN(number[ME]) ||
                      (other == OWN(number[ME]) && q > ME));
        }
    }
    FORGET(q);
END

EXIT
    WRITE(exit, number[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lamport 1974"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Lamport 1974"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Lamport 1974"},
    {CHECK_LINEAR_WAITING, CLAIMED, "Lamport 1974", .has_bound = true, .bound = 1},
    {CHECK_FIFO, CLAIMED, "Lamport 1974"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "Lamport 1974"},
    {CHECK_NO_MEMORY, CLAIMED, "Lamport 1974"},
};

static const struct protocol_claim no_choosing[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "the bakery without choosing", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .limit = 4}, 274, 534},
    {{.n = 3, .l = 1, .k = 1, .limit = 4}, 12456, 36486},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the bakery", CLAIMS(claims), EXPECTED(expected)},
    [NO_CHOOSING] = {"no-choosing", "broken: nobody shows that it is choosing",
                     CLAIMS(no_choosing)},
};

PROTOCOL(.name = "bakery", .title = "Lamport's bakery", .citation = "Lamport 1974", .min_n = 2,
         .max_n = 8, .default_n = 2, .max_l = 1, .default_limit = 4, VARIANTS(variants))
#include "step/end.h"
