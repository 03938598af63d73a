/*
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Resource Allocation with Immunity to Limited
 * Process Failure, FOCS 1979, Theorem 4.4: k-robust l-exclusion in the order of arrival. It is
 * flbb-line with its supervisor eliminated, that is Lemma 4.3 (eliminate.inc) applied to Lemma 4.5
 * (fifo_steps.inc). What is theirs and what is ours is told in docs/FLBB-FIFO.md.
 */
enum { ITSELF, SHORT, LATE, UNREADY, UNEMPTIED, UNCOUNTED, AT_ONCE, NEVER, ALL_COUNT };
/* Those after LATE are faults of eliminate.inc that are shown with flbb-robust. */
#define SHORT_QUEUE (params->variant == SHORT)

#define NAME flbb_fifo
#include "fifo_state.inc"
#include "eliminate_state.inc"
#define CELLS(cell, cells, registers) VARIABLE(cell, cells) COPIES(cell, cells)
#define LOCALS(local) WORKER(local) COPY_LOCALS(local)
#define LOCAL_ARRAYS(array) COPY_ARRAYS(array)
#define HAS_LOCK
#define HAS_INVARIANTS
#define HAS_NORMAL
#include "step/step.h"

#define SYSTEM_VARIANT(v) false
#define WIDE_MESSAGES false
#define REMEMBERS_THE_DEAD false

struct worker {
    WORKER(STEP_MEMBER_LOCAL)
};
static inline word state_bits(const struct step_params *params);
static inline word c3(const struct step_params *params);
#include "fifo_steps.inc"
#include "eliminate.inc"
#include "eliminate_check.inc"
#include "eliminate_normal.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 4.4"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, "Theorem 4.4"},
    {CHECK_FINITE_WAITING_ENABLING, CLAIMED, "Theorem 4.4", .why = "follows from the order"},
    {CHECK_BOUNDED_WAITING_ENABLING, CLAIMED, "Theorem 4.4", .why = "follows from the order"},
    {CHECK_FIFO_ENABLING, CLAIMED, "Theorem 4.4"},
    {CHECK_INVARIANTS, CLAIMED, "Lemma 4.3", .why = "it k-simulates flbb-line"},
};
static const struct protocol_claim late[] = {
    {CHECK_INVARIANTS, CLAIMED, "S2", .why = "the code is that of another step",
     .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 2}, 9193, 18386},
};
static const struct protocol_expected expected_short[] = {
    {{.n = 2, .l = 1, .k = 2}, 5319, 10638},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the queue, the supervisor simulated by the workers", CLAIMS(claims),
                EXPECTED(expected)},
    [SHORT] = {"short", "the same, with l + 1 entries exposed", CLAIMS(claims),
               EXPECTED(expected_short)},
    [LATE] = {"late", "broken: v is set before transno is computed, as printed", CLAIMS(late)},
};

PROTOCOL(.name = "flbb-fifo", .title = "k-robust l-exclusion in the order of arrival",
         .citation = "Fischer, Lynch, Burns, Borodin 1979, Theorem 4.4", .min_n = 2, .max_n = 5,
         .default_n = 2, .needs_l_below_n = true, .max_l = 2, .max_k = 3, .fault = STEP_FAULT_SLEEP,
         .anonymous = true, .symmetric = true, .broken_from = LATE, .invariants = {SIMULATES},
         VARIANTS(variants))
#include "step/end.h"
