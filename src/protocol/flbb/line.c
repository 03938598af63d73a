/*
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Resource Allocation with Immunity to Limited
 * Process Failure, FOCS 1979, Lemma 4.5: a queue in the order of arrival, the first part of it in the
 * shared variable under short names, the rest with a supervisor. The paper sketches it; what is
 * theirs and what is ours is told in docs/FLBB-FIFO.md. The system is in fifo_steps.inc; flbb-fifo is
 * the same without the supervisor.
 */
enum { ITSELF, SHORT, ONE_MORE, AMBIGUOUS, SKIPPING };
#define SHORT_QUEUE (params->variant >= SHORT)

#define NAME flbb_line
#include "fifo_state.inc"
#define CELLS(cell, cells, registers) VARIABLE(cell, cells)
#define LOCALS(local) WORKER(local)
#define HAS_LOCK
#define HAS_INVARIANTS
#define HAS_SUPERVISOR
#include "step/step.h"

#define SYSTEM_VARIANT(v) VARIANT(v)

struct worker {
    WORKER(STEP_MEMBER_LOCAL)
};
#include "fifo_steps.inc"
#include "workers.inc"

/* Nobody shares a name: of the exposed part, or a ticket. */
static inline word system_violated(const struct step_params *params, const struct step_variable *V,
                                   const struct step_local *each, const struct step_private *X)
{
    bool shared = false;
    (void)X;
    for (word p = 0; p < params->n; p++) {
        for (word q = 0; q < p; q++) {
            const bool p_in = IS_TRYING(p) || IS_CRITICAL(p), q_in = IS_TRYING(q) || IS_CRITICAL(q);
            shared |= p_in && q_in && each[p].c == each[q].c &&
                      (V->mapped[each[p].c] || each[p].r == each[q].r);
        }
    }
    return shared;
}

#include "supervised.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lemma 4.5"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, "Lemma 4.5"},
    {CHECK_FINITE_WAITING_ENABLING, CLAIMED, "Lemma 4.5: follows from the order"},
    {CHECK_BOUNDED_WAITING_ENABLING, CLAIMED, "Lemma 4.5: follows from the order"},
    {CHECK_FIFO_ENABLING, CLAIMED, "Lemma 4.5"},
    {CHECK_INVARIANTS, CLAIMED, "Lemma 4.5: k-simulatable"},
};
static const struct protocol_claim one_more[] = {
    {CHECK_EXCLUSION, CLAIMED, "one is enabled too many", .from = 2},
};
static const struct protocol_claim ambiguous[] = {
    {CHECK_INVARIANTS, CLAIMED, "two have the same short name", .from = 2},
};
static const struct protocol_claim skipping[] = {
    {CHECK_EXCLUSION, CLAIMED, "not touched"},
    {CHECK_INVARIANTS, CLAIMED, "R1: a helper is a drone at once", .from = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 2}, 23178, 69534},
};
static const struct protocol_expected expected_short[] = {
    {{.n = 2, .l = 1, .k = 2}, 27636, 82908},
};
static const struct protocol_expected expected_one_more[] = {
    {{.n = 2, .l = 1, .k = 2}, 45496, 136488},
};
static const struct protocol_expected expected_ambiguous[] = {
    {{.n = 2, .l = 1, .k = 2}, 3442, 10326},
};
static const struct protocol_expected expected_skipping[] = {
    {{.n = 2, .l = 1, .k = 2}, 24496, 73488},
};

static const struct protocol_variant variants[] = {
    {"", "a queue with an exposed and a hidden part, and a supervisor", CLAIMS(claims),
     EXPECTED(expected)},
    {"short", "the same, with l + 1 entries exposed", CLAIMS(claims), EXPECTED(expected_short)},
    {"one-more", "broken: enables one more than there are slots", CLAIMS(one_more),
     EXPECTED(expected_one_more)},
    {"ambiguous", "broken: a colour that several hold is exposed", CLAIMS(ambiguous),
     EXPECTED(expected_ambiguous)},
    {"skipping", "broken: who is enabled was no quitter before", CLAIMS(skipping),
     EXPECTED(expected_skipping)},
};

PROTOCOL(.name = "flbb-line", .title = "l-exclusion by a queue and a supervisor",
         .citation = "Fischer, Lynch, Burns, Borodin 1979, Lemma 4.5", .min_n = 2, .max_n = 6,
         .default_n = 2, .needs_l_below_n = true, .max_l = 2, .max_k = 2,
         .fault = STEP_FAULT_SLEEP, .anonymous = true, .broken_from = ONE_MORE,
         .invariants = {SIMULATABLE, "names"}, VARIANTS(variants))
#include "step/end.h"
