/*
 * R. L. Rivest, V. R. Pratt, The Mutual Exclusion Problem for Unreliable Processes, MIT/LCS/TM-84,
 * 1977, Figure 4: n processes, first version. Each process races with processes 0 .. n-1 in turn by
 * the protocol for two, naming in R whom it races with.
 *
 * Departures from the paper:
 *  1. The "and" and "or" of the wait test in Figure 4 are garbled; the formula displayed before the
 *     figure is used. Its "S_j = D" is left out: S is never D while R is not.
 *  2. The fetches. Figure 4 takes R_j = D for "the other is dead". With that test exclusion fails
 *     already for n = 2 (rp-n/printed): a process that has gone on to race with somebody else still
 *     shows the S of an old race, and the newcomer counts from there. Section IV says that the test
 *     S_j = D of the two-process protocol becomes R_j = D or R_j < i (or R_j = Q), and the fetches
 *     are part of that protocol: with this test in the fetches too, the algorithm holds.
 *  3. (R, S) is one public variable, as the text says. Variants split-* have R and S in registers
 *     of their own: then exclusion fails, whichever is written first.
 *  4. A race with oneself has its two stores; its fetches and its wait are local work.
 *  5. Death and the exit store write the one dead value: R = D, S = 0.
 */
#define NAME rp_n
#define CELLS(cell, cells, registers) \
    registers(P, SPLIT ? 1 : 3 * n + 1) /* P[i] = (R, S), written by i alone */ \
    registers(RR, SPLIT ? n + 1 : 1)    /* variants split-*: R and S apart */ \
    registers(SS, SPLIT ? 3 : 1)
#define LOCALS(local) local(j, n) local(u, 4)
#define SUBS(sub) sub(race) sub(split_race)
#define HAS_DEATH
#define HAS_ACTIVE
#define HAS_SHOW
#define HAS_PROOF
#define HAS_NAMES
#include "step/step.h"
#include "step/text.h"

enum { ITSELF, PRINTED, PRINTED_FETCH, SPLIT_R_FIRST, SPLIT_S_FIRST };
#define SPLIT (VARIANT(SPLIT_R_FIRST) || VARIANT(SPLIT_S_FIRST))

enum { D }; /* of P, where R is D. Of u: a value s of S is coded 1 + s. */
#define PAIR(r, s) (1 + 3 * (r) + (s))
#define WITH(p, r, s) PAIR(r, s)
#define R(p) (((p)-1) / 3) /* where it is not D */
#define S(p) (((p)-1) % 3)
#define IS_DEAD(p) ((p) == D || R(p) < ME)
#define PRINTED_DEAD(p) ((p) == D)
#define FETCH(p)                                                                                  \
    ((VARIANT(PRINTED) || VARIANT(PRINTED_FETCH) ? PRINTED_DEAD(p) : IS_DEAD(p)) ? D : 1 + S(p))

static inline word after(word s) /* 1 + s, modulo 3 */
{
    return (s + 1) % 3;
}

#include "protocol/rivest-pratt/race.inc"

/* The same race with R and S in registers of their own: each is an access. */
#define SPLIT_DEAD(r) ((r) == D || (r)-1 < ME)

SUB(split_race, word opponent)
    word r, s;
    if (opponent == ME) {
        u = SPLIT_DEAD(OWN(RR[ME])) ? D : 1 + OWN(SS[ME]);
    } else {
        READ(A.R, r, RR[opponent]);
        if (!SPLIT_DEAD(r)) {
            READ(A.S, s, SS[opponent]);
            u = 1 + s;
        }
    }
    if (VARIANT(SPLIT_R_FIRST))
        WRITE(B.R, RR[ME], 1 + opponent);
    WRITE(B.S, SS[ME], u == D ? 0 : after(u - 1));
    FORGET(u);
    if (VARIANT(SPLIT_S_FIRST))
        WRITE(B.R, RR[ME], 1 + opponent);
    if (opponent == ME) {
        u = 1 + OWN(SS[ME]);
    } else {
        READ(C.R, r, RR[opponent]);
        if (!SPLIT_DEAD(r)) {
            READ(C.S, s, SS[opponent]);
            u = 1 + s;
        }
    }
    WRITE(D, SS[ME], u == D ? OWN(SS[ME]) : after(u - 1));
    FORGET(u);
    while (opponent != ME) {
        READ(E.R, r, RR[opponent]);
        if (SPLIT_DEAD(r))
            RETURN;
        if (r - 1 == ME) {
            READ(E.S, s, SS[opponent]);
            if (s == after(OWN(SS[ME])) || (s == OWN(SS[ME]) && ME <= opponent))
                RETURN;
        }
    }
END_SUB(split_race)

ENTRY
    for (j = 0; j < n; j++) {
        if (SPLIT)
            CALL(race, split_race, j);
        else
            CALL(race, race, j);
    }
    FORGET(j);
END

EXIT
    if (SPLIT)
        WRITE(F, RR[ME], D);
    else
        WRITE(F, P[ME], D);
END

DEATH
    DIES(P[ME], D);
    DIES(RR[ME], D);
    DIES(SS[ME], 0);
END

ACTIVE
    return SHARED(P[ME]) != D || SHARED(RR[ME]) != D;
END_ACTIVE

SHOW
    if (SPLIT)
        step_text(text, size, "%llu", (unsigned long long)value);
    else if (value == D)
        step_text(text, size, "D");
    else
        step_text(text, size, "(R=%llu S=%llu)", (unsigned long long)R(value),
                  (unsigned long long)S(value));
END_SHOW

#ifdef STEP_RULES
/* For every n, with deaths. Two processes race with each other alone: what others do changes
 * nothing of what is said here of a pair. A process that has passed the other goes on to show the S
 * of their race, or a later race, and is not passed by the other unless it dies. */
#define RACES(p, label, q) (IS_AT(p, label) && MINE(p, j) == (q))
#define HAS_PASSED(p, q) ((IS_WITHIN(p, race) && (q) < MINE(p, j)) || IS_IN(p, CRITICAL))
#define BEATS(s, t) ((t) == after(s) || ((t) == (s) && I < J)) /* I with s passes J with t */
PROOF
    const word i = MINE(I, j), u = MINE(I, u), v = MINE(J, u), s = S(P[I]), t = S(P[J]);
    const cond is_shown = R(P[I]) == J;
    const cond passes = HAS_PASSED(I, J) || (RACES(I, E, J) && BEATS(s, t));

    INVARIANT("a process shows how many races it has begun",
              (P[I] + 2) / 3 ==
                  EITHER(IS_IN(I, REMAINDER), 0,
                         EITHER(IS_IN(I, CRITICAL), n, i + ONE(!IS_AT(I, A) && !IS_AT(I, B)))));
    INVARIANT("of two processes that have stored once, one has seen what the other shows",
              implies(RACES(I, D, J) && RACES(J, D, I), u == 1 + t || v == 1 + s));
    INVARIANT("a process that has died since it was seen has seen the other",
              implies(RACES(I, D, J) && u != D,
                      implies(RACES(J, B, I), v == 1 + s) &&
                          implies((RACES(J, C, I) || RACES(J, D, I)) && u != 1 + t,
                                  t == after(s))));
    INVARIANT("a process that is about to store does not go before one that passes it",
              implies(RACES(J, D, I) && passes,
                      v != D && implies(is_shown, BEATS(s, after(v - 1)))));
    INVARIANT("nor does one that waits",
              implies(RACES(J, E, I) && HAS_PASSED(I, J) && is_shown, BEATS(s, t)));
    INVARIANT("no two have passed each other", !(HAS_PASSED(I, J) && HAS_PASSED(J, I)));

    /* No deadlock: where I waits for J and J for K, J has passed I, so that I < K; and I + J, for
     * J's turn J + K, cannot grow for ever. */
    const word other = P[i];
    const cond may_pass = other == D || R(other) < I ||
                          (R(other) == I && (S(other) == after(s) || (S(other) == s && I <= i)));
    RANK_OF_EACH(5 * (n - i) + 4 * ONE(IS_AT(I, A)) + 3 * ONE(IS_AT(I, B)) +
                 2 * ONE(IS_AT(I, C)) + ONE(IS_AT(I, D)));
    BLOCKED_BY(i, ONE(IS_AT(I, E) && !may_pass), 2 * n - I - i);
    /* No lockout: a process that comes again sees the one that waits for it, and lets it pass. */
    RELEASED(implies(RACES(I, E, J),
                     !HAS_PASSED(J, I) &&
                         implies(RACES(J, B, I) || RACES(J, D, I), v == 1 + s) &&
                         implies(RACES(J, C, I) || RACES(J, D, I) || RACES(J, E, I),
                                 t == after(s))));
END_PROOF
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lemma 3.1"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Lemma 3.1"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Lemma 3.1"},
    {CHECK_LINEAR_WAITING, NOT_CLAIMED, "section IV", .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Figure 4"},
    {CHECK_VALUES, CLAIMED, "section III", .has_bound = true},
};

static const struct protocol_claim printed[] = {
    {CHECK_EXCLUSION, CLAIMED, "Lemma 3.1", .refuted_from_n = 2},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Lemma 3.1"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Lemma 3.1"},
};

static const struct protocol_claim split[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "Lemma 3.1 without the super variable", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 445, 1724},
    {{.n = 3, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 54161, 318693},
    {{.n = 4, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 7513101, 59203383},
};

static const struct protocol_expected expected_printed[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 525, 2040},
    {{.n = 3, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 110871, 655508},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the fetches take R_j < i for dead too", CLAIMS(claims), EXPECTED(expected)},
    [PRINTED] = {"printed", "as printed: the fetches take only R_j = D for dead", CLAIMS(printed),
                 EXPECTED(expected_printed)},
    [PRINTED_FETCH] = {"printed-fetch", "another name of rp-n/printed", CLAIMS(printed),
                       EXPECTED(expected_printed)},
    [SPLIT_R_FIRST] = {"split-r-first", "R and S in two registers, R written first", CLAIMS(split)},
    [SPLIT_S_FIRST] = {"split-s-first", "R and S in two registers, S written first", CLAIMS(split)},
};

static uint64_t values(const struct step_params *params)
{
    return 3 * params->n + 1; /* D, and n values of R with three of S */
}

PROTOCOL(.name = "rp-n", .title = "n processes that may die and revive",
         .citation = "Rivest and Pratt 1977, Figure 4", .min_n = 2, .max_n = 8, .default_n = 3,
         .max_l = 1, .fault = STEP_FAULT_DEATH, .values = values, .values_source = "section III",
         VARIANTS(variants))
#include "step/end.h"
