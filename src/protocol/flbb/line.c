/*
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Resource Allocation with Immunity to Limited
 * Process Failure, FOCS 1979, Lemma 4.5: a queue in the order of arrival, the first part of it in
 * the shared variable under short names, the rest with a supervisor. The paper sketches it; what is
 * theirs and what is ours is told in docs/FLBB-FIFO.md. The system is in fifo_steps.inc; flbb-fifo
 * is the same without the supervisor.
 */
enum { ITSELF, SHORT, ONE_MORE, AMBIGUOUS, SKIPPING, COLOR_ALONE, ONE_BIT, KEPT };
#define SHORT_QUEUE (params->variant >= SHORT)

#define NAME flbb_line
#include "fifo_state.inc"
#define CELLS(cell, cells, registers) VARIABLE(cell, cells)
#define LOCALS(local) WORKER(local)
#define HAS_LOCK
#define HAS_INVARIANTS
#define HAS_NORMAL
#define HAS_SUPERVISOR
#include "step/step.h"

#define SYSTEM_VARIANT(v) VARIANT(v)

struct worker {
    WORKER(STEP_MEMBER_LOCAL)
};
#include "fifo_steps.inc"
#include "workers.inc"

/* The name of p: a short one, or its ticket. */
static inline word name_of(const struct step_params *params, const struct step_variable *V,
                           const struct step_local *each, word p)
{
    const word k = params->k, c = each[p].c, r = each[p].r;
    return IS_CRITICAL(p) ? c * (K - 1) + r : V->map[c] != 0 ? short_name(params, V, c, r) : r;
}

/* Nobody shares a name; and the colours that have a map are those of the exposed part. */
static inline word system_violated(const struct step_params *params, const struct step_variable *V,
                                   const struct step_local *each, const struct step_private *X)
{
    const word l = params->l, k = params->k;
    word exposed = 0, mapped = 0, shared = 0;
    (void)X;
    for (word e = 0; e < V->length; e++)
        exposed |= (word)1 << color_of(params, V->name[e]);
    for (word c = 0; c < COLORS; c++)
        mapped |= (word)(V->map[c] != 0) << c;
    for (word p = 0; p < params->n; p++) {
        for (word q = 0; q < p; q++) {
            const bool p_in = IS_TRYING(p) || IS_CRITICAL(p), q_in = IS_TRYING(q) || IS_CRITICAL(q);
            shared |= (word)(p_in && q_in && each[p].c == each[q].c &&
                             name_of(params, V, each, p) == name_of(params, V, each, q));
        }
    }
    return shared | (word)(exposed != mapped) << 1;
}

#include "supervised.inc"

#define NEXT_DIGIT(name, values) code = code * (values) + my->name;
static inline word worker_code(const struct step_params *params, const struct step_local *my)
{
    const word step_me = 0;
    word code = my->pc;
    STEP_NAMES
    WORKER(NEXT_DIGIT)
    return code;
}

/* Nothing names a process, so they are sorted where the checker may exchange them. */
NORMAL
    bool changed = false;
    (void)shared;
    for (word p = 1; p < n && params->symmetric; p++) {
        for (word q = p; q > 0; q--) {
            if (worker_code(params, &each[q - 1]) <= worker_code(params, &each[q]))
                break;
            const struct step_local moved = each[q - 1];
            each[q - 1] = each[q];
            each[q] = moved;
            changed = true;
        }
    }
    return changed;
END_NORMAL

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lemma 4.5"},
    {CHECK_KL_DEADLOCK_FREE, CLAIMED, "Lemma 4.5"},
    {CHECK_FINITE_WAITING_ENABLING, CLAIMED, "Lemma 4.5", .why = "follows from the order"},
    {CHECK_BOUNDED_WAITING_ENABLING, CLAIMED, "Lemma 4.5", .why = "follows from the order"},
    {CHECK_FIFO_ENABLING, CLAIMED, "Lemma 4.5"},
    {CHECK_INVARIANTS, CLAIMED, "Lemma 4.5", .why = "k-simulatable, but for (R7)"},
};
static const struct protocol_claim one_more[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "one is enabled too many", .refuted_from_n = 2},
};
static const struct protocol_claim ambiguous[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "two have the same short name", .refuted_from_n = 2},
};
static const struct protocol_claim skipping[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "not touched"},
    {CHECK_INVARIANTS, CLAIMED, "R1", .why = "a helper is a drone at once", .refuted_from_n = 2},
};
static const struct protocol_claim color_alone[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "names: two have one colour", .refuted_from_n = 3,
     .from_k = 3},
};
static const struct protocol_claim one_bit[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "names: one bit does not tell three apart",
     .refuted_from_n = 4, .from_k = 4},
};
/* What it leads to, for k = 3 and n = 15, is in the unit test test_colors: no colour is left. */
static const struct protocol_claim kept[] = {
    {CHECK_INVARIANTS, CLAIMED, .why = "maps: of a colour that is not exposed any more",
     .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 2}, 20610, 61830},
};
static const struct protocol_expected expected_short[] = {
    {{.n = 2, .l = 1, .k = 2}, 20160, 60480},
};
static const struct protocol_expected expected_one_more[] = {
    {{.n = 2, .l = 1, .k = 2}, 32688, 98064},
};
static const struct protocol_expected expected_ambiguous[] = {
    {{.n = 2, .l = 1, .k = 2}, 2706, 8118},
    {{.n = 3, .l = 1, .k = 3}, 46092, 184368},
};
static const struct protocol_expected expected_skipping[] = {
    {{.n = 2, .l = 1, .k = 2}, 17700, 53100},
};

static const struct protocol_expected expected_kept[] = {
    {{.n = 2, .l = 1, .k = 2}, 23100, 69300},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "a queue with an exposed and a hidden part, and a supervisor", CLAIMS(claims),
                EXPECTED(expected)},
    [SHORT] = {"short", "the same, with l + 1 entries exposed", CLAIMS(claims),
               EXPECTED(expected_short)},
    [ONE_MORE] = {"one-more", "broken: enables one more than there are slots", CLAIMS(one_more),
                  EXPECTED(expected_one_more)},
    [AMBIGUOUS] = {"ambiguous", "broken: a colour that several hold is exposed", CLAIMS(ambiguous),
                   EXPECTED(expected_ambiguous)},
    [SKIPPING] = {"skipping", "broken: a process is enabled that was no quitter before",
                  CLAIMS(skipping), EXPECTED(expected_skipping)},
    [COLOR_ALONE] = {"color-alone", "broken: the colour is the short name, which does for k = 2",
                     CLAIMS(color_alone)},
    [ONE_BIT] = {"one-bit", "broken: the map has one bit position, which does for k = 3",
                 CLAIMS(one_bit)},
    [KEPT] = {"kept", "broken: a map is kept as long as somebody has the colour", CLAIMS(kept),
              EXPECTED(expected_kept)},
};

PROTOCOL(.name = "flbb-line", .title = "l-exclusion by a queue and a supervisor",
         .citation = "Fischer, Lynch, Burns, Borodin 1979, Lemma 4.5", .min_n = 2, .max_n = 6,
         .default_n = 2, .needs_l_below_n = true, .max_l = 2, .max_k = 4, .fault = STEP_FAULT_SLEEP,
         .anonymous = true, .symmetric = true, .broken_from = ONE_MORE,
         .invariants = {SIMULATABLE, "names", "maps"}, VARIANTS(variants))
#include "step/end.h"
