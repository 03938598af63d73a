/*
 * R. L. Rivest, V. R. Pratt, The Mutual Exclusion Problem for Unreliable Processes, MIT/LCS/TM-84,
 * 1977, Figures 1 and 2: two processes that may die and revive.
 *
 * Departures from the paper:
 *  1. Figure 1 stores in its second statement only if S_j is not D; Figure 2 stores in either case.
 *     This is Figure 2.
 *  2. The values D, 0, 1, 2 are coded 0, 1, 2, 3, so that D is the value of the dead and of nobody.
 *
 * What the checker found: exclusion, no lockout and ultrareliability hold. The paper's proof of
 * linear waiting (Lemma 2.3) begins "once P_i has reached its wait statement": from there the other
 * process enters once at most, as claimed. Counted from P_i's first store, as constraint 9 is
 * worded ("S_j is not D"), it can enter twice: P_i stores at B, the other enters, leaves and comes
 * as far as C of its doorway; P_i stores at D, and the other enters again.
 */
#define NAME rp_two
#define CELLS(cell, cells, registers) \
    registers(S, 4) /* S[i], written by process i alone: D, 0, 1 or 2 */
#define LOCALS(local) local(u, 4)
#define HAS_DOORWAY
#define HAS_DEATH
#define HAS_ACTIVE
#define HAS_SHOW
#include "step/step.h"
#include "step/text.h"

enum { D, ZERO, ONE, TWO };
enum { ITSELF, ONE_FETCH, NO_TIE_BREAK };

#define OTHER (1 - ME)

static inline word after(word s) /* 1 + s, modulo 3 */
{
    return s == TWO ? ZERO : s + 1;
}

DOORWAY
    READ(A, u, S[OTHER]);
    WRITE(B, S[ME], u == D ? ZERO : after(u));
    FORGET(u);
    if (VARIANT(ONE_FETCH))
        RETURN;
    READ(C, u, S[OTHER]);
    WRITE(D, S[ME], u == D ? OWN(S[ME]) : after(u));
    FORGET(u);
END

WAITING
    AWAIT(E, v, S[OTHER],
          v == D || v == after(OWN(S[ME])) ||
              ((ME == 0 || VARIANT(NO_TIE_BREAK)) && v == OWN(S[ME])));
END

EXIT
    WRITE(F, S[ME], D);
END

DEATH
    DIES(S[ME], D);
END

ACTIVE
    return SHARED(S[ME]) != D;
END_ACTIVE

SHOW
    if (value == D)
        step_text(text, size, "D");
    else
        step_text(text, size, "%llu", (unsigned long long)value - 1);
END_SHOW

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lemma 2.2"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Lemma 2.1"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Lemma 2.3"},
    {CHECK_LINEAR_WAITING, CLAIMED, "Lemma 2.3", .has_bound = true, .bound = 1},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "Figure 2", .has_bound = true, .bound = 4},
    {CHECK_FIFO, CLAIMED, "found by the checker"},
    {CHECK_NO_MEMORY, CLAIMED, "Figure 2"},
    {CHECK_VALUES, CLAIMED, "section II", .has_bound = true, .bound = 4},
};

static const struct protocol_claim one_fetch[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "section II doubts it", .refuted_from_n = 2},
};

static const struct protocol_claim no_tie_break[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "Figure 2 without i = 0", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 349, 1344},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the protocol of Figure 2", CLAIMS(claims), EXPECTED(expected)},
    [ONE_FETCH] = {"one-fetch", "broken: without the second fetch and store", CLAIMS(one_fetch)},
    [NO_TIE_BREAK] = {"no-tie-break", "broken: equal values let both in", CLAIMS(no_tie_break)},
};

static uint64_t values(const struct step_params *params)
{
    (void)params;
    return 4;
}

PROTOCOL(.name = "rp-two", .title = "Two processes that may die and revive",
         .citation = "Rivest and Pratt 1977, Figures 1 and 2", .min_n = 2, .max_n = 2,
         .default_n = 2, .max_l = 1, .fault = STEP_FAULT_DEATH, .values = values,
         .values_source = "section II", VARIANTS(variants))
#include "step/end.h"
