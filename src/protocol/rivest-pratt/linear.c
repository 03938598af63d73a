/*
 * R. L. Rivest, V. R. Pratt, The Mutual Exclusion Problem for Unreliable Processes, MIT/LCS/TM-84,
 * 1977, Figure 6: n processes, final version, with clocks modulo M.
 *
 * Departures from the paper:
 *  1. Three "not equal" signs are lost in the print: in the test and the result of sysclock, and in
 *     step 4.
 *  2. Step 2 prints "nprocess" where the race of Figure 4 is meant, with "or R_j = Q" added to its
 *     tests for D, those of the fetches too (see n.c).
 *  3. (R, S, c) is one public variable. Death and the exit store write its one dead value: R = D, S
 *     = c = 0. Step 1 stores c while R is still D.
 *  4. sysclock leaves out the process itself: it is not in the system, and its own clock is not a
 *     system clock.
 *  5. A process starts with c = 0, where the paper has a random value; c is not read while R = D.
 *  6. Steps 1 to 4 are taken for the doorway, though step 2 waits: they end with joining the
 *     system.
 *
 * What the checker found. The paper wants n >= 7, or padding: M = 5n. With M = n, exclusion fails
 * for n = 2 and 3, and for n = 3 there is deadlock. The window hypothesis and all else hold from M
 * = 5 on for n = 2 (M = 4: two clocks end up 2 apart, and both processes wait for ever), and for n
 * = 3 with M = 6, 7 and 15 = 5n (112,460,965 states); 7 is not needed there. Without the test in
 * step 4 the window breaks for n = 3 (variant no-test; two processes cannot show it), without ok a
 * process repeats its turn without bound (no-ok). Linear waiting: from joining the system on, every
 * other process enters once at most, as claimed. From the first store on ("while R is not D", as
 * the paper words it), it can enter twice with M = 5n, for n = 2 and 3 alike, and three times for n
 * = 3 with M = 6 or 7.
 */
#define NAME rp_linear
#define CELLS(cell, cells, registers) \
    registers(P, 3 * (n + 2) * M) /* P[i] = (R, S, c), written by i alone */
#define LOCALS(local) \
    local(j, n) local(q, n) local(u, 4) local(m, M + 1) local(ok, 2)
#define SUBS(sub) sub(race) sub(sysclock)
#define HAS_DOORWAY
#define HAS_DEATH
#define HAS_ACTIVE
#define HAS_INVARIANTS
#define HAS_SHOW
#include "step/step.h"
#include "step/text.h"

enum { ITSELF, PADDED, TWO_APART, TWO_APART_AND_ONE, THREE_APART, NO_TEST, NO_OK };

/* Clocks are modulo M, and process i is served at clock ID(i): SPACING apart. */
#define SPACING                                                                                   \
    (VARIANT(ITSELF)                                      ? 1                                      \
     : VARIANT(PADDED)                                    ? 5                                      \
     : VARIANT(TWO_APART) || VARIANT(TWO_APART_AND_ONE) ? 2                                      \
                                                          : 3)
#define M (SPACING * n + VARIANT(TWO_APART_AND_ONE))
#define ID(i) (SPACING * (i))

#define D 0 /* of R; R = j is coded 1 + j, R = Q is coded 1 + n. Also of u and of m. */
#define Q n
#define TRIPLE(r, s, c) ((3 * ((r) + 1) + (s)) * M + (c))
#define ALIVE_R(p) ((p) / M / 3)
#define R(p) ((p) / M / 3 - 1) /* where it is not D */
#define S(p) ((p) / M % 3)
#define C(p) ((p) % M)
#define WITH(p, r, s) TRIPLE(r, s, C(p))
#define IS_DEAD(p) (ALIVE_R(p) == D || R(p) < ME || R(p) == Q)
#define FETCH(p) (IS_DEAD(p) ? D : 1 + S(p))
#define BEFORE(c) (((c) + M - 1) % M)
#define WITH_CLOCK(p, c) ((p) / M * M + (c))

static inline word after(word s) /* 1 + s, modulo 3 */
{
    return (s + 1) % 3;
}

#include "protocol/rivest-pratt/race.inc"

SUB(sysclock)
    m = D;
    for (q = 0; q < n; q++) {
        if (q == ME)
            continue;
        word p;
        READ(sysclock, p, P[q]);
        if (ALIVE_R(p) != D && R(p) == Q && (m == D || (C(p) + 1) % M != m - 1))
            m = 1 + C(p);
    }
    FORGET(q);
    m = m != D ? m - 1 : 0;
END_SUB(sysclock)

DOORWAY
    CALL0(1, sysclock);
    WRITE(1, P[ME], WITH_CLOCK(OWN(P[ME]), m));
    FORGET(m);
    for (j = 0; j < n; j++)
        CALL(2, race, j);
    FORGET(j);
    CALL0(3, sysclock);
    WRITE(3, P[ME], WITH_CLOCK(OWN(P[ME]), m));
    FORGET(m);
    CALL0(4, sysclock);
    WRITE(4, P[ME],
          TRIPLE(Q, S(OWN(P[ME])),
                 m != BEFORE(C(OWN(P[ME]))) || VARIANT(NO_TEST) ? m : C(OWN(P[ME]))));
    FORGET(m);
END

WAITING
step5:
    for (q = 0; q < n; q++) {
        if (q != ME) {
            AWAIT(5, other, P[q],
                  ALIVE_R(other) == D || C(other) == C(OWN(P[ME])) ||
                      C(other) == (C(OWN(P[ME])) + 1) % M);
        }
    }
    FORGET(q);
    if (C(OWN(P[ME])) != ID(ME) || (!ok && !VARIANT(NO_OK))) {
        FORGET(ok);
        WRITE(6, P[ME], WITH_CLOCK(OWN(P[ME]), (C(OWN(P[ME])) + 1) % M));
        ok = !VARIANT(NO_OK);
        goto step5;
    }
    FORGET(ok);
END

EXIT
    WRITE(F, P[ME], D);
END

DEATH
    DIES(P[ME], D);
END

ACTIVE
    return ALIVE_R(SHARED(P[ME])) != D;
END_ACTIVE

/* The window hypothesis: no two clocks of processes with R = Q differ by more than 1. */
INVARIANTS
    for (word a = 0; a < n; a++) {
        for (word b = 0; b < n; b++) {
            word pa = SHARED(P[a]), pb = SHARED(P[b]);
            if (ALIVE_R(pa) == D || R(pa) != Q || ALIVE_R(pb) == D || R(pb) != Q)
                continue;
            word apart = (C(pa) + M - C(pb)) % M;
            if (apart > 1 && apart < M - 1)
                return 1;
        }
    }
    return 0;
END_INVARIANTS

SHOW
    if (ALIVE_R(value) == D)
        step_text(text, size, "(D c=%llu)", (unsigned long long)C(value));
    else if (R(value) == Q)
        step_text(text, size, "(Q S=%llu c=%llu)", (unsigned long long)S(value),
                  (unsigned long long)C(value));
    else
        step_text(text, size, "(R=%llu S=%llu c=%llu)", (unsigned long long)R(value),
                  (unsigned long long)S(value), (unsigned long long)C(value));
END_SHOW

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 4.8"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Theorem 4.8"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 4.8"},
    {CHECK_LINEAR_WAITING, CLAIMED, "Theorem 4.8", .has_bound = true, .bound = 1},
    {CHECK_NO_MEMORY, CLAIMED, "Figure 6"},
    {CHECK_VALUES, CLAIMED, "section IV", .has_bound = true},
    {CHECK_WINDOW, CLAIMED, "Lemma 4.7"},
};

static const struct protocol_claim unpadded[] = {
    {CHECK_EXCLUSION, NOT_CLAIMED, "section IV wants n >= 7 or padding", .fails_from_n = 2},
    {CHECK_DEADLOCK_FREE, NOT_CLAIMED, "section IV wants n >= 7 or padding", .fails_from_n = 3},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, "section IV wants n >= 7 or padding", .fails_from_n = 3},
    {CHECK_LINEAR_WAITING, NOT_CLAIMED, "section IV wants padding", .fails_from_n = 2,
     .until = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Figure 6"},
    {CHECK_VALUES, CLAIMED, "section IV", .has_bound = true},
};

static const struct protocol_claim four[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 4.8"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Theorem 4.8", .refuted_from_n = 2, .until = 2},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 4.8", .refuted_from_n = 2, .until = 2},
    {CHECK_LINEAR_WAITING, CLAIMED, "Theorem 4.8", .has_bound = true, .bound = 1},
    {CHECK_WINDOW, CLAIMED, "Lemma 4.7", .refuted_from_n = 2, .until = 2},
};

static const struct protocol_claim no_test[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 4.8"},
    {CHECK_WINDOW, CLAIMED, "Lemma 4.7", .refuted_from_n = 3},
};

static const struct protocol_claim no_ok[] = {
    {CHECK_EXCLUSION, CLAIMED, "Theorem 4.8"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Theorem 4.8"},
    {CHECK_LINEAR_WAITING, CLAIMED, "Theorem 4.8", .has_bound = true, .bound = 1,
     .refuted_from_n = 2},
    {CHECK_WINDOW, CLAIMED, "Lemma 4.7"},
};

#define TWO_PROCESSES {.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}
static const struct protocol_expected expected[] = {{TWO_PROCESSES, 3139, 12382}};
static const struct protocol_expected expected_padded[] = {{TWO_PROCESSES, 21141, 83608}};
static const struct protocol_expected expected_two[] = {{TWO_PROCESSES, 6784, 26779}};
static const struct protocol_expected expected_one[] = {{TWO_PROCESSES, 8728, 34465}};
static const struct protocol_expected expected_three[] = {{TWO_PROCESSES, 10946, 43239}};
static const struct protocol_expected expected_no_ok[] = {{TWO_PROCESSES, 8855, 34923}};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "as printed, M = n", CLAIMS(unpadded), EXPECTED(expected)},
    [PADDED] = {"padded", "M = 5n", CLAIMS(claims), EXPECTED(expected_padded)},
    [TWO_APART] = {"two-apart", "M = 2n", CLAIMS(four), EXPECTED(expected_two)},
    [TWO_APART_AND_ONE] = {"two-apart-and-one", "M = 2n + 1", CLAIMS(claims),
                           EXPECTED(expected_one)},
    [THREE_APART] = {"three-apart", "M = 3n", CLAIMS(claims), EXPECTED(expected_three)},
    [NO_TEST] = {"no-test", "M = 3n, without the test of step 4", CLAIMS(no_test),
                 EXPECTED(expected_three)},
    [NO_OK] = {"no-ok", "M = 3n, without ok", CLAIMS(no_ok), EXPECTED(expected_no_ok)},
};

static uint64_t values(const struct step_params *params)
{
    const word step_me = 0;
    STEP_NAMES
    return 3 * (n + 1) * M + M;
}

PROTOCOL(.name = "rp-linear", .title = "n processes that may die and revive, with clocks",
         .citation = "Rivest and Pratt 1977, Figure 6", .min_n = 2, .max_n = 7, .default_n = 2,
         .max_l = 1, .fault = STEP_FAULT_DEATH, .invariants = {"window"}, .values = values,
         .values_source = "section IV", VARIANTS(variants))
#include "step/end.h"
