/*
 * Singh 1993, section 6: the first-come, first-served doorway, on ranker A, and what it is for.
 * Several may be in the doorway ("enter") at once; fifo is the FCFS of section 6.1: a process that
 * comes after u is through does not get in before u is out again. The paper has enter.u in that
 * invariant where enter.v is meant: a process that is alone would violate it.
 *
 * Composed with a lock that is only free of deadlock, here one bit and test-and-set (variant lock),
 * it makes one that is free of lockout (variant composed).
 *
 * Departure from the paper: as 1 of hungry.inc.
 */
#define NAME doorway
enum { ITSELF, TIMEOUT, LOCK, COMPOSED, NOBODY_WAITS };
#define APPLICATION_CELLS(cell, cells, registers) cell(lock, 2)
#define HAS_CLASH
#define NO_DEATH /* a lock that somebody dead has is lost */
#include "protocol/singh/application.inc"

#define OTHERS step_neighbours(params, ME)
#define LOCKS (VARIANT(LOCK) || VARIANT(COMPOSED))

static inline unsigned by_colour(const struct step_params *params, word colour)
{
    return colour != BLACK || VARIANT(NOBODY_WAITS) ? PASSES : COMPARES;
}

static inline bool by_rank(const struct step_params *params, word u, word ru, word v, word rv)
{
    return !low(RANKER, u, ru, v, rv);
}

#include "protocol/singh/look.inc"

DOORWAY
    LIMIT(below_limit(shared, params));
    if (!VARIANT(LOCK))
        CALL0(at, request);
END

WAITING
    v = ME;
    AGAIN {
        if ((OTHERS & ~checked) == 0 || VARIANT(LOCK))
            break;
        v = next_of(OTHERS & ~checked, v, n);
        CALL0(high, look);
        if (checked >> v & 1)
            continue;
        if (VARIANT(TIMEOUT) && MAY(time_out)) {
            FORGET(v);
            FORGET(checked);
            WRITE(time_out, w[ME], PAIR(WHITE, RANK(OWN(w[ME]))));
            goto REMAINDER;
        }
        PAUSE(w[v]);
    }
    FORGET(v);
    FORGET(checked);
    if (LOCKS) {
        TEST(lock, taken, lock)
            ON(taken == 0, 1);
        END_TEST
    }
END

EXIT
    if (LOCKS)
        WRITE(unlock, lock, 0);
    if (!VARIANT(LOCK))
        WRITE(out, w[ME], PAIR(WHITE, RANK(OWN(w[ME]))));
END

CLASH
    return LOCKS && (inside & (inside - 1)) != 0;
END_CLASH

#include "protocol/singh/normal.inc"

static const struct protocol_claim claims[] = {
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 6.3"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "found", .why = "the critical region is left at last"},
    {CHECK_FIFO, CLAIMED, "section 6.3"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, "section 6.3", .why = "no waiting"},
};

static const struct protocol_claim lock[] = {
    {CHECK_EXCLUSION, CLAIMED, "test-and-set"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "test-and-set"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 6", .why = "not of the lock by itself",
     .refuted_from_n = 2},
};

static const struct protocol_claim composed[] = {
    {CHECK_EXCLUSION, CLAIMED, "section 6"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "section 6"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "section 6", .why = "individual progress"},
    {CHECK_FIFO, CLAIMED, "section 6.3"},
};

static const struct protocol_claim nobody_waits[] = {
    {CHECK_FIFO, CLAIMED, "section 6.3", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .ranker = STEP_RANKER_A}, 468, 948},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "on ranker A", CLAIMS(claims), EXPECTED(expected)},
    [TIMEOUT] = {"timeout", "a waiter may give up", CLAIMS(claims)},
    [LOCK] = {"lock", "the inner lock by itself", CLAIMS(lock)},
    [COMPOSED] = {"composed", "the inner lock within the doorway", CLAIMS(composed)},
    [NOBODY_WAITS] = {"nobody-waits", "broken: nobody is waited for", CLAIMS(nobody_waits)},
};

PROTOCOL(.name = "doorway", .title = "First-come, first-served doorway",
         .citation = "Singh 1993, section 6", .min_n = 2, .max_n = 8, .default_n = 2, .max_l = 1,
         .cuts_off = true, .takes_ranker = true, .takes_reads = true, .ranker = STEP_RANKER_A,
         .first_come = true, VARIANTS(variants))
#include "step/end.h"
