/*
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Resource Allocation with Immunity to Limited
 * Process Failure, FOCS 1979, Lemma 4.4: l-exclusion by buckets and a supervisor, a process that
 * takes no part and never stops. The system and its departures from the paper are in
 * buckets_steps.inc; flbb-robust is the same without the supervisor.
 */
#define NAME flbb_buckets
#include "buckets_state.inc"
#define CELLS(cell, cells, registers) VARIABLE(cell, cells)
#define LOCALS(local) WORKER(local)
#define HAS_LOCK
#define HAS_INITIAL
#define HAS_INVARIANTS
#define HAS_SUPERVISOR
#include "step/step.h"

enum { ITSELF, LESS, GREEDY, REUSED, UNMARKED, DOUBLED };
#define SYSTEM_VARIANT(v) VARIANT(v)

struct worker {
    WORKER(STEP_MEMBER_LOCAL)
};
#include "buckets_steps.inc"
#include "workers.inc"

/* The counts are what they count: the holders of each colour, and those that are critical. */
static inline word system_violated(const struct step_params *params, const struct step_variable *V,
                                   const struct step_local *each, const struct step_private *X)
{
    word holders[STEP_ARRAY] = {0}, critical = 0;
    for (word p = 0; p < params->n; p++) {
        critical += IS_CRITICAL(p);
        holders[each[p].c] += IS_TRYING(p);
    }
    const bool moved = X->pc == WAIT && !V->move; /* somebody, and the supervisor has not seen it */
    bool wrong = holders[V->buf] != V->bufcount;
    wrong |= X->pc != COPY && holders[V->main] + moved != X->maincount;
    wrong |= holders[V->gate] != X->gatecount + moved;
    for (word i = 0; i < X->length; i++)
        wrong |= holders[X->queue[i]] != X->count[i] + V->enb[X->queue[i]];
    return (word)wrong | (word)(critical != V->cscount) << 1;
}

INITIAL
    SHARED(main) = 1;
    SHARED(gate) = 2;
END_INITIAL

#include "supervised.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lemma 4.4"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, "Lemma 4.4"},
    {CHECK_FINITE_WAITING_ENABLING, CLAIMED, "Lemma 4.4", .why = "follows from the bound"},
    {CHECK_BOUNDED_WAITING_ENABLING, CLAIMED, "Lemma 4.4"},
    {CHECK_VALUES, CLAIMED, "Lemma 4.4", .why = "O(N)", .has_bound = true},
    {CHECK_INVARIANTS, CLAIMED, "Lemma 4.4", .why = "k-simulatable"},
};

static const struct protocol_claim less[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "not touched"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, .why = "a process asleep alone in the main bucket stops all",
     .refuted_from_n = 2},
};
static const struct protocol_claim greedy[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "one is enabled too many", .refuted_from_n = 2},
};
static const struct protocol_claim reused[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "a colour of the queue is new", .refuted_from_n = 2},
};
static const struct protocol_claim unmarked[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "not touched"},
    {CHECK_INVARIANTS, CLAIMED, "R4", .why = "a quitter is critical-able", .refuted_from_n = 2},
};
static const struct protocol_claim doubled[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "not touched"},
    {CHECK_INVARIANTS, CLAIMED, "R5", .why = "the buffer is counted twice", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 2}, 5116, 15348},
    {{.n = 3, .l = 1, .k = 2}, 25650, 102600},
    {{.n = 4, .l = 1, .k = 2}, 118594, 592970},
    {{.n = 4, .l = 1, .k = 3}, 173050, 865250},
};

static const struct protocol_expected expected_less[] = {
    {{.n = 2, .l = 1, .k = 2}, 6130, 18390},
};
static const struct protocol_expected expected_greedy[] = {
    {{.n = 2, .l = 1, .k = 2}, 4875, 14625},
};
static const struct protocol_expected expected_reused[] = {
    {{.n = 2, .l = 1, .k = 2}, 6304, 18912},
};
static const struct protocol_expected expected_unmarked[] = {
    {{.n = 2, .l = 1, .k = 2}, 4748, 14244},
};
static const struct protocol_expected expected_doubled[] = {
    {{.n = 2, .l = 1, .k = 2}, 5116, 15348},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "buckets and a supervisor", CLAIMS(claims), EXPECTED(expected)},
    [LESS] = {"less", "broken: maincount < k - 1, as the scan of the print reads", CLAIMS(less),
              EXPECTED(expected_less)},
    [GREEDY] = {"greedy", "broken: enables one more than there are slots", CLAIMS(greedy),
                EXPECTED(expected_greedy)},
    [REUSED] = {"reused", "broken: a new colour may be on the queue", CLAIMS(reused),
                EXPECTED(expected_reused)},
    [UNMARKED] = {"unmarked", "broken: a process that is enabled stays a quitter", CLAIMS(unmarked),
                  EXPECTED(expected_unmarked)},
    [DOUBLED] = {"doubled", "broken: maincount is a part of the active while the buffer is counted",
                 CLAIMS(doubled), EXPECTED(expected_doubled)},
};

/* Three distinct colours, two counts, a bit, and for each colour how many are enabled and the
 * class. */
static uint64_t values(const struct step_params *params)
{
    const uint64_t n = params->n, l = params->l, k = params->k;
    uint64_t all = COLORS * (COLORS - 1) * (COLORS - 2) * (n + 1) * (l + 1) * 2;
    for (uint64_t c = 0; c < COLORS; c++)
        all *= 3 * K;
    return all;
}

PROTOCOL(.name = "flbb-buckets", .title = "l-exclusion by buckets and a supervisor",
         .citation = "Fischer, Lynch, Burns, Borodin 1979, Lemma 4.4", .min_n = 2, .max_n = 8,
         .default_n = 3, .needs_l_below_n = true, .max_l = 3, .fault = STEP_FAULT_SLEEP,
         .anonymous = true, .broken_from = LESS, .invariants = {SIMULATABLE, "census", "critical"},
         .values = values, .values_source = "Lemma 4.4, the product of the parts",
         VARIANTS(variants))
#include "step/end.h"
