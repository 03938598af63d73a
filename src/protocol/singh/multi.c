/*
 * Several resources at once: ours, on ranker S of Singh 1993, for the question that Afek, Dolev,
 * Gafni, Merritt and Shavit 1994 leave open. There are two resources, A and B, with l slots each; a
 * process needs some of A, or some of B, or some of both, all or nothing.
 *
 * A process says what it needs while it is white, and asks for a rank. Then it looks at the others
 * in turn: one that is white, or lower, or dead, is not waited for again (it stays checked off, as
 * in section 8); of those that may be higher, it adds up the needs. If these and its own fit into
 * what there is, it takes it all. So nobody holds anything while it waits, and nobody takes what
 * somebody higher may need.
 *
 *  E1  A process that is checked off by u stays lower than u until u is white again: by precedence,
 *      if it was white or dead, and by stability, if it was lower.
 *  E2  A process that is higher than u asked for its rank before u had its own, so its needs do not
 *      change while u adds up, unless it has left; and then it is lower from then on.
 *  E3  Exclusion: of those that are critical and have some of a resource, the lowest has not
 *      checked off any other (E1), so it has counted all their needs (E2), and its own fitted in.
 *  E4 Progress: ranks are a total order, and the highest that waits counts only those that are
 *      critical, or grey for a few more steps.
 *  E5  Order: a process that comes when u is past its doorway is lower (precedence), and counts u.
 *
 * fifo is meant for any two whose needs do not fit in together. A kill is recovered by the others:
 * a dead process is skipped, and comes back white. Any number of kills will do for exclusion and
 * order; a process that is killed while grey, again and again for ever, can keep its old rank and
 * lock out (--fault death, which does not count deaths).
 */
#define NAME multi
enum { ITSELF, FIXED, GREY_COMPARED, NOT_COUNTED };
#define RANKER (VARIANT(GREY_COMPARED) ? STEP_RANKER_C : params->ranker)
#define APPLICATION_CELLS(cell, cells, registers) registers(need, 16)
#define APPLICATION_LOCALS(local) local(a, l + 2) local(b, l + 2)
#define APPLICATION_SUBS(sub) sub(choose)
#define MORE_DEATHS DIES(need[ME], 0);
#define HAS_REVIVAL
#define HAS_CLASH
#if defined(STEP_NATIVE)
#define STEP_ALIVE(p) true /* run by itself, a process that dies leaves its registers white */
#define STEP_MAY_take_a ((RANK(OWN(w[ME])) & 1) == 0) /* anything will do */
#define STEP_MAY_take_b ((RANK(OWN(w[ME])) & 2) == 0)
#define STEP_MAY_take_more ((RANK(OWN(w[ME])) & 4) == 0)
#endif
#include "protocol/singh/application.inc"

/* Needs: an amount of A, and one of B. */
#define OF_A(needs) ((needs) & 3)
#define OF_B(needs) ((needs) >> 2)
#define NEEDS(of_a, of_b) ((of_a) | (of_b) << 2)

static inline unsigned by_colour(const struct step_params *params, word colour)
{
    const bool compares = VARIANT(GREY_COMPARED) || RANKER == STEP_RANKER_S || colour == BLACK;
    return colour == WHITE ? PASSES : compares ? COMPARES : WAITS;
}

static inline bool by_rank(const struct step_params *params, word u, word ru, word v, word rv)
{
    return low(RANKER, v, rv, u, ru);
}

#include "protocol/singh/look.inc"

static inline word plus(word sum, word more, word l) /* more than l is more than l */
{
    return sum + more > l ? l + 1 : sum + more;
}

/* Any needs except none at all; at most 2 of each, and of both one of A and one or two of B. */
SUB(choose)
    if (VARIANT(FIXED)) { /* P0 needs A, P1 needs both, P2 needs B, and so on */
        WRITE(need, need[ME], NEEDS((word)(ME % 3 != 2), (word)(ME % 3 != 0)));
        RETURN;
    }
    WRITE(need, need[ME], NEEDS((word)MAY(take_a), (word)0));
    WRITE(need, need[ME],
          NEEDS(OF_A(OWN(need[ME])), (word)(OWN(need[ME]) == 0 || MAY(take_b))));
    if (l > 1)
        WRITE(need, need[ME],
              !MAY(take_more)            ? OWN(need[ME])
              : OF_B(OWN(need[ME])) != 0 ? NEEDS(OF_A(OWN(need[ME])), (word)2)
                                         : NEEDS((word)2, (word)0));
END_SUB(choose)

DOORWAY
    LIMIT(below_limit(shared, params));
    CALL0(say, choose);
    CALL0(ask, request);
END

WAITING
    word x;
    AGAIN {
        for (v = 0; v < n; v++) {
            if (v == ME || (checked >> v & 1))
                continue;
            CALL0(high, look);
            if (checked >> v & 1)
                continue;
            if (params->fault == STEP_FAULT_KILL) {
                ALIVE(alive, x, v);
                if (x == 0) {
                    CHECK_OFF(v);
                    continue;
                }
            }
            READ(needs, x, need[v]);
            if (VARIANT(NOT_COUNTED))
                continue;
            a = OF_A(OWN(need[ME])) != 0 ? plus(a, OF_A(x), l) : 0;
            b = OF_B(OWN(need[ME])) != 0 ? plus(b, OF_B(x), l) : 0;
        }
        FORGET(v);
        const bool fits = a + OF_A(OWN(need[ME])) <= l && b + OF_B(OWN(need[ME])) <= l;
        FORGET(a);
        FORGET(b);
        if (fits)
            break;
        PAUSE(w[ME]);
    }
    FORGET(checked);
END

EXIT
    WRITE(white, w[ME], PAIR(WHITE, RANK(OWN(w[ME]))));
    WRITE(nothing, need[ME], 0);
END

REVIVAL
    WRITE(white, w[ME], PAIR(WHITE, RANK(OWN(w[ME]))));
    WRITE(nothing, need[ME], 0);
END

CLASH
    word of_a = 0, of_b = 0;
    for (word u = 0; u < n; u++) {
        of_a += inside >> u & 1 ? OF_A(SHARED(need[u])) : 0;
        of_b += inside >> u & 1 ? OF_B(SHARED(need[u])) : 0;
    }
    return of_a > l || of_b > l;
END_CLASH

#include "protocol/singh/normal.inc"

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "E3"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "E4"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "E4"},
    {CHECK_FIFO, CLAIMED, "E5"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "responsiveness"},
};

static const struct protocol_claim grey_compared[] = {
    {CHECK_EXCLUSION, CLAIMED, "E1", .refuted_from_n = 2},
};

static const struct protocol_claim not_counted[] = {
    {CHECK_EXCLUSION, CLAIMED, "E3", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_S, .kills = 2, .fault = STEP_FAULT_KILL},
     49134,
     150128},
    {{.n = 2, .l = 2, .k = 1, .ranker = STEP_RANKER_S, .kills = 2, .fault = STEP_FAULT_KILL},
     191151,
     592338},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker S", CLAIMS(claims), EXPECTED(expected)},
    [FIXED] = {"fixed", "needs that never change: A, both, B, A, ..", CLAIMS(claims)},
    [GREY_COMPARED] = {"grey-compared", "broken: on ranker C, and compares with grey processes",
                       CLAIMS(grey_compared)},
    [NOT_COUNTED] = {"not-counted", "broken: takes no account of the needs of others",
                     CLAIMS(not_counted)},
};

PROTOCOL(.name = "multi", .title = "Several resources at once",
         .citation = "ours, on ranker S of Singh 1993", .min_n = 2, .max_n = 8, .default_n = 2,
         .max_l = 3, .fault = STEP_FAULT_KILL, .cuts_off = true, .takes_ranker = true,
         .takes_reads = true, .ranker = STEP_RANKER_S, VARIANTS(variants))
#include "step/end.h"
