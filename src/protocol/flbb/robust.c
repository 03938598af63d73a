/*
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Resource Allocation with Immunity to Limited
 * Process Failure, FOCS 1979, Theorem 4.3: k-robust l-exclusion with bounded waiting for enabling
 * and O(N) values. It is flbb-buckets with its supervisor eliminated, that is Lemma 4.3
 * (eliminate.inc) applied to Lemma 4.4 (buckets_steps.inc); departures from the paper are told
 * there.
 */
#define NAME flbb_robust
#include "buckets_state.inc"
#include "eliminate_state.inc"
#define CELLS(cell, cells, registers) VARIABLE(cell, cells) COPIES(cell, cells)
#define LOCALS(local) WORKER(local) COPY_LOCALS(local)
#define LOCAL_ARRAYS(array) COPY_ARRAYS(array)
#define HAS_LOCK
#define HAS_INITIAL
#define HAS_INVARIANTS
#define HAS_NORMAL
#include "step/step.h"

enum { ITSELF, WIDE, LATE, UNREADY, UNEMPTIED, UNCOUNTED, AT_ONCE, NEVER, ALL_COUNT };
#define SYSTEM_VARIANT(v) false
#define WIDE_MESSAGES VARIANT(WIDE)
/* The variants that look at what should no longer matter. */
#define REMEMBERS_THE_DEAD (VARIANT(UNREADY) || VARIANT(UNEMPTIED) || VARIANT(UNCOUNTED))

struct worker {
    WORKER(STEP_MEMBER_LOCAL)
};
static inline word state_bits(const struct step_params *params);
static inline word c3(const struct step_params *params);
#include "buckets_steps.inc"
#include "eliminate.inc"
#include "eliminate_check.inc"
#include "eliminate_normal.inc"

INITIAL
    SHARED(main) = 1;
    SHARED(gate) = 2;
END_INITIAL

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 4.3"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, "Theorem 4.3"},
    {CHECK_FINITE_WAITING_ENABLING, CLAIMED, "Theorem 4.3", .why = "follows from the bound"},
    {CHECK_BOUNDED_WAITING_ENABLING, CLAIMED, "Theorem 4.3"},
    {CHECK_VALUES, CLAIMED, "Theorem 4.3", .why = "O(N)", .has_bound = true},
    {CHECK_INVARIANTS, CLAIMED, "Lemma 4.3", .why = "it k-simulates flbb-buckets"},
};

/* With n <= c1 the state stays in the shared variable, and only what is wrong there can be seen. */
static const struct protocol_claim late[] = {
    {CHECK_INVARIANTS, CLAIMED, "S2", .why = "the code is that of another step",
     .refuted_from_n = 2},
};
static const struct protocol_claim unready[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "what is received is of two stages", .refuted_from_n = 4},
};
static const struct protocol_claim unemptied[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "what is received is of two stages", .refuted_from_n = 4},
};
static const struct protocol_claim uncounted[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "the first bits are not sent", .refuted_from_n = 4},
};
static const struct protocol_claim at_once[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "not touched"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, .why = "the last copy awake is given up",
     .refuted_from_n = 5},
};
static const struct protocol_claim all_count[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "not touched"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, .why = "the last copy awake is a quitter's",
     .refuted_from_n = 5},
};
/* It takes three quitters with a slot each, a sleeper with another, and three processes that were
 * critical, so that none was enabled in between: n = 9 with l = 3 and k = 2. test_simulation comes
 * to such a state, in which one slot is left for the two helpers that have to have the state. */
static const struct protocol_claim never[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "not touched"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, .why = "no slot is left for a helper", .refuted_from_n = 9},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 2}, 2333, 4666},
    {{.n = 3, .l = 1, .k = 2}, 15002, 45006},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "buckets, the supervisor simulated by the workers", CLAIMS(claims),
                EXPECTED(expected)},
    [WIDE] = {"wide", "the same, the whole state in one message: more values, fewer states",
              CLAIMS(claims), EXPECTED(expected)},
    [LATE] = {"late", "broken: v is set before transno is computed, as printed", CLAIMS(late)},
    [UNREADY] = {"unready", "broken: the channels are not reset", CLAIMS(unready)},
    [UNEMPTIED] = {"unemptied", "broken: what was received in another slot is not forgotten",
                   CLAIMS(unemptied)},
    [UNCOUNTED] = {"uncounted", "broken: what was sent in another stage is not forgotten",
                   CLAIMS(uncounted)},
    [AT_ONCE] = {"at-once", "broken: a quitter gives up its copy at once", CLAIMS(at_once)},
    [NEVER] = {"never", "broken: a process that has quit keeps its slot", CLAIMS(never)},
    [ALL_COUNT] = {"all-count", "broken: quitters count as holders of the state",
                   CLAIMS(all_count)},
};

/* a * b; 0 if a factor is 0, or if that is more than 63 bits. */
static uint64_t times(uint64_t a, uint64_t b)
{
    return a == 0 || b == 0 || b > (UINT64_MAX >> 1) / a ? 0 : a * b;
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t product = 1;
    while (exponent-- > 0)
        product = times(product, base);
    return product;
}

/*
 * What the parts of the shared variable come to. With V for the variable of flbb-buckets, which has
 * n + 1 in it once, and X for the supervisor's states while at most c1 try, so that maincount is at
 * most c1, it is
 *
 *     V X                                                               where n <= c1, and
 *     V (2^(3k-1) X + (X + 1) c3 (k+1) 5^(3k-1) 4^((3k-1)(3k-1)))       where n > c1:
 *
 * in SHARE, xs, and slots that are free or dead; in DIST, xs if the stage before was in SHARE, the
 * code of the step, stateholders, the slots and the channels. From c1 on that is linear in n, which
 * is the paper's O(N). But it has more than 64 bits there, for k = 2 too, and 0 is given: not to be
 * compared.
 */
static uint64_t values(const struct step_params *params)
{
    const uint64_t n = params->n, l = params->l, k = params->k;
    const uint64_t few = n < c1(params) ? n : c1(params);
    const uint64_t slots = SLOTS_OF_COPIES;
    const uint64_t V = times(COLORS * (COLORS - 1) * (COLORS - 2) * (n + 1) * (l + 1) * 2,
                             power(3 * K, COLORS));
    const uint64_t X = times(6 * (l + 1) * (few + 1) * K, power(COLORS * K, l));
    if (n <= c1(params))
        return times(V, X);
    const uint64_t shared = times(X, power(2, slots));
    const uint64_t distributed = times(times((X + 1) * c3(params) * (K + 1), power(5, slots)),
                                       power(4, slots * slots));
    return distributed == 0 ? 0 : times(V, shared + distributed);
}

PROTOCOL(.name = "flbb-robust", .title = "k-robust l-exclusion, no supervisor",
         .citation = "Fischer, Lynch, Burns, Borodin 1979, Theorem 4.3", .min_n = 2, .max_n = 9,
         .default_n = 3, .needs_l_below_n = true, .max_l = 3, .max_k = 3, /* 64 channels */
         .fault = STEP_FAULT_SLEEP, .anonymous = true, .symmetric = true, .broken_from = LATE,
         .invariants = {SIMULATES}, .values = values,
         .values_source = "Theorem 4.3, the product of the parts", VARIANTS(variants))
#include "step/end.h"
