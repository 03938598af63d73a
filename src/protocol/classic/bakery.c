/*
 * L. Lamport, A New Solution of Dijkstra's Concurrent Programming Problem, CACM 17(8), 1974: the
 * bakery. Here for calibration: everybody knows the answer.
 *
 * Departures from the paper:
 *  1. Tickets are unbounded. The checker does not let a process leave its remainder while some
 *     number is at the limit (those inside may still draw higher ones, up to limit + n - 1);
 *     results are for runs cut off there. What that leaves undecided is proved: berth prove.
 *  2. Registers are atomic here; Lamport needs only safe ones.
 */
#define NAME bakery
#define CELLS(cell, cells, registers) registers(choosing, 2) registers(number, params->limit + n)
#define LOCALS(local) local(q, n) local(most, params->limit + n)
#define HAS_DOORWAY
#define HAS_PROOF
#define HAS_NAMES
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

#ifdef STEP_RULES
/* For every n, and numbers without a limit. */
PROOF
    const cond draws = IS_AT(J, most) || IS_AT(J, take);
    const cond has_number =
        IS_AT(I, chosen) || IS_AT(I, choosing) || IS_AT(I, number) || IS_IN(I, CRITICAL);
    /* I's number does not escape J, which draws: J has seen it, or will. */
    const cond will_be_higher = number[I] <= MINE(J, most) || (IS_AT(J, most) && MINE(J, q) <= I);
    const cond before = number[I] < number[J] || (number[I] == number[J] && I < J);
    const cond passed =
        ((IS_AT(I, choosing) || IS_AT(I, number)) && J < MINE(I, q)) || IS_IN(I, CRITICAL);

    INVARIANT("a process has a number from take to exit",
              implies(has_number, 0 < number[I]) &&
                  implies(!has_number && !IS_IN(I, EXIT), number[I] == 0));
    INVARIANT("a process is choosing until it has its number",
              implies(draws || IS_AT(J, chosen), choosing[J] == 1));
    INVARIANT("a process that was not choosing sees the number when it draws",
              implies(IS_AT(I, number) && MINE(I, q) == J,
                      implies(draws, will_be_higher) &&
                          implies(IS_AT(J, chosen), number[I] < number[J])));
    INVARIANT("a process that has been passed comes later",
              implies(passed, implies(draws, will_be_higher) &&
                                  (number[J] == 0 || before)));

    /* No deadlock: a process that waits does so for one that chooses, or that comes before it. */
    const cond looks = IS_AT(I, choosing) || IS_AT(I, number);
    INVARIANT("nobody else is choosing",
              implies(choosing[J] == 1, draws || IS_AT(J, chosen)));
    INVARIANT("a process looks at others", implies(looks, MINE(I, q) != I));
    RANK_OF_EACH(EITHER(IS_AT(I, most), 4 * n + 6 - MINE(I, q),
                 EITHER(IS_AT(I, take), 2 * n + 6, EITHER(IS_AT(I, chosen), 2 * n + 5,
                 EITHER(IS_AT(I, choosing), 2 * n + 1 - 2 * MINE(I, q),
                 EITHER(IS_AT(I, number), 2 * n - 2 * MINE(I, q), 0))))));
    BLOCKED_BY(MINE(I, q), ONE(looks), number[I], I);
    ORDER_INVARIANT("a process that begins later comes later",
                    implies(BEHIND, 0 < number[I] && implies(draws, will_be_higher) &&
                                        (number[J] == 0 || before)));
END_PROOF
#endif

#define BY_PROOF "berth prove"
static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lamport 1974"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Lamport 1974"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Lamport 1974", .why = BY_PROOF, .uncut = true},
    {CHECK_LINEAR_WAITING, CLAIMED, "Lamport 1974", .why = BY_PROOF, .has_bound = true,
     .bound = 1, .uncut = true},
    {CHECK_FIFO, CLAIMED, "Lamport 1974"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "Lamport 1974", .why = BY_PROOF, .uncut = true},
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
