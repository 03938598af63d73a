/*
 * l-assignment: each process inside an l-exclusion has one of l slots to itself. J. H. Anderson, M.
 * Moir, Using Local-Spin k-Exclusion Algorithms to Improve Wait-Free Object Implementations,
 * Distributed Computing 11(1), 1997: test-and-set bits are tried in order, and the last slot needs
 * none.
 *
 * It works on any l-exclusion. So here it stands on the most liberal one: a process may go through
 * the gate whenever fewer than l are between it and the way out, in any order, and for ever pushing
 * ahead of others. What is found to hold then holds with any l-exclusion protocol in the gate's
 * place, as far as it is about slots; order and fairness are the protocol's own. `berth stress
 * l-assignment --on fife` puts one there.
 */
#define NAME l_assignment
#define CELLS(cell, cells, registers) cell(gate, l + 1) cells(X, l, 2)
#define LOCALS(local) local(slot, l + 1)
#define HAS_SLOT
#define HAS_DOORWAY
#include "step/step.h"

enum { ITSELF, NOT_ATOMIC, OUT_FIRST, NO_GATE };

/* Natively, the gate may be another protocol's, around this one. */
#define HAS_GATE (!params->gated && !VARIANT(NO_GATE))

/* The waiting room is the gate; the claim is wait-free, and is looked at as a doorway would be. */
DOORWAY
    word taken;
    if (HAS_GATE) {
        TEST(gate, g, gate)
            ON(g < l, g + 1);
        END_TEST
    }
    for (slot = 0; slot + 1 < l; slot++) {
        if (VARIANT(NOT_ATOMIC)) {
            READ(test, taken, X[slot]);
            if (!taken) {
                WRITE(set, X[slot], 1);
                break;
            }
        } else {
            UPDATE(claim, taken, X[slot], 1);
            if (!taken)
                break;
        }
    }
END

WAITING
END

#define LEAVE                                                                                      \
    if (HAS_GATE) {                                                                                \
        TEST(leave, g, gate)                                                                       \
            ON(true, g - 1);                                                                       \
        END_TEST                                                                                   \
    }

EXIT
    if (VARIANT(OUT_FIRST))
        LEAVE
    if (slot + 1 < l)
        WRITE(clear, X[slot], 0);
    FORGET(slot);
    if (!VARIANT(OUT_FIRST))
        LEAVE
END

HOLDS
    return my->slot;
END_HOLDS

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "of the gate"},
    {CHECK_DISTINCT_SLOTS, CLAIMED, "Anderson and Moir 1997"},
    {CHECK_NO_SLOT_LOST, CLAIMED, "Anderson and Moir 1997"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "of the gate"},
    {CHECK_NO_MEMORY, CLAIMED, .why = "the slot is dropped"},
};
static const struct protocol_claim not_atomic[] = {
    {CHECK_DISTINCT_SLOTS, CLAIMED, .why = "two read a bit before either sets it",
     .refuted_from_n = 3, .from_l = 2},
};
static const struct protocol_claim out_first[] = {
    {CHECK_DISTINCT_SLOTS, CLAIMED, .why = "the next one finds a slot taken that is not",
     .refuted_from_n = 3, .from_l = 2},
};
static const struct protocol_claim no_gate[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "nothing keeps the others out", .refuted_from_n = 2},
    {CHECK_DISTINCT_SLOTS, CLAIMED, .why = "more than l are inside", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 3, .l = 2, .k = 1}, 124, 372},
    {{.n = 4, .l = 3, .k = 1}, 1935, 7740},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "slots by test-and-set bits, within any l-exclusion", CLAIMS(claims),
                EXPECTED(expected)},
    [NOT_ATOMIC] = {"not-atomic", "broken: a bit is read, and then set", CLAIMS(not_atomic)},
    [OUT_FIRST] = {"out-first", "broken: the l-exclusion is left before the bit is cleared",
                   CLAIMS(out_first)},
    [NO_GATE] = {"no-gate", "broken: without l-exclusion", CLAIMS(no_gate)},
};

PROTOCOL(.name = "l-assignment", .title = "Distinct slots within any l-exclusion",
         .citation = "Anderson and Moir 1997; asked for in Afek et al. 1994", .min_n = 2,
         .max_n = 8, .default_n = 4, .max_l = 6, .needs_l_below_n = true, .anonymous = true,
         VARIANTS(variants))
#include "step/end.h"
