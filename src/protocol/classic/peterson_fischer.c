/*
 * G. L. Peterson, M. J. Fischer, Economical Solutions for the Critical Section Problem in a
 * Distributed System, 9th STOC, 1977: a tournament in which a process has one
 * variable, of 1 + 2 ceil(log2 n) values, and writes no other one. For two processes
 * it takes three values.
 *
 * Q[i] is (level, bit); (0, 0) stands for a process that does not compete, and for one that has
 * died. MAX(i, k) is a look at the processes on the other side of i's match on level k, those whose
 * number differs from i in bit k - 1 and perhaps in lower ones: the first one that is at level k or
 * above; or (0, 0). odd is bit k - 1 of i.
 *
 *     for k := 1 to ceil(log2 n) do
 *        opp := MAX(i, k);
 *        Q[i] := (k, if opp is at level k then opp's bit xor odd else 1);
 *        opp := MAX(i, k);
 *        if opp is at level k then Q[i] := (k, opp's bit xor odd);
 *        wait until opp := MAX(i, k) is below level k,
 *                   or at level k with (opp's bit = Q[i]'s bit) = odd
 *     critical section;
 *     Q[i] := (0, 0)
 *
 * One side of a match wants the bits to be equal, the other one wants them to differ, and the one
 * that has what it wants waits.
 *
 * Departures from the paper:
 *  1. Processes are counted from 0; those beyond n - 1 that would fill up the tree are not there.
 *  2. MAX reads one process after the other, in ascending order.
 *  3. The pair is coded as 0, or 2 level - 1 + bit.
 */
#define NAME peterson_fischer
#define CELLS(cell, cells, registers) registers(Q, 2 * rounds(params->n) + 1)
#define LOCALS(local) \
    local(level, rounds(params->n) + 1) local(j, n + 1) local(opp, 2 * rounds(params->n) + 1)
#define SUBS(sub) sub(max)
#define HAS_DEATH

static inline unsigned long rounds(unsigned n) /* the logarithm, rounded up */
{
    unsigned long count = 0;
    while (1ul << count < n)
        count++;
    return count;
}

#include "step/step.h"

enum { ITSELF, ONCE, BOTH_EQUAL };

#define LEVEL(q) (((q) + 1) / 2)
#define BIT(q) ((q) == 0 ? 0 : ((q) + 1) & 1)
#define PAIR(level, bit) (2 * (level)-1 + (bit))
#define ODD (VARIANT(BOTH_EQUAL) ? 0 : ME >> (level - 1) & 1)

/* The first of those on the other side, and how many they are. */
static inline word low(word me, word level)
{
    return ((me >> (level - 1)) ^ 1) << (level - 1);
}

SUB(max)
    for (j = low(ME, level); j < n && j < low(ME, level) + ((word)1 << (level - 1)); j++) {
        READ(max, opp, Q[j]);
        if (LEVEL(opp) >= level)
            break;
        FORGET(opp);
    }
    FORGET(j);
END_SUB(max)

ENTRY
    for (level = 1; level <= rounds(params->n); level++) {
        CALL0(first, max);
        opp = LEVEL(opp) == level ? PAIR(level, BIT(opp) ^ ODD) : PAIR(level, 1);
        WRITE(choose, Q[ME], opp);
        FORGET(opp);
        if (!VARIANT(ONCE)) {
            CALL0(second, max);
            if (LEVEL(opp) == level) {
                opp = PAIR(level, BIT(opp) ^ ODD);
                WRITE(correct, Q[ME], opp);
            }
            FORGET(opp);
        }
        for (;;) {
            CALL0(wait, max);
            if (LEVEL(opp) < level ||
                (LEVEL(opp) == level && (BIT(opp) == BIT(OWN(Q[ME]))) == ODD))
                break;
            FORGET(opp);
            RELAX;
        }
        FORGET(opp);
    }
    FORGET(level);
END

EXIT
    WRITE(leave, Q[ME], 0);
END

DEATH
    DIES(Q[ME], 0);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Peterson and Fischer 1977"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Peterson and Fischer 1977"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Peterson and Fischer 1977"},
    {CHECK_BOUNDED_WAITING, NOT_CLAIMED, .why = "a process that dies again and again",
     .fails_from_n = 2},
    {CHECK_FIFO, NOT_CLAIMED, "found by the checker", .fails_from_n = 2},
    {CHECK_NO_MEMORY, CLAIMED, "Peterson and Fischer 1977"},
    {CHECK_VALUES, CLAIMED, "Peterson and Fischer 1977", .has_bound = true},
};

static const struct protocol_claim once[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with one look before the wait", .refuted_from_n = 2},
};

static const struct protocol_claim both_equal[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with the same wish on both sides"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "with the same wish on both sides", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 127, 482},
    {{.n = 3, .l = 1, .k = 1, .fault = STEP_FAULT_DEATH}, 6505, 37717},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Peterson and Fischer's tournament", CLAIMS(claims), EXPECTED(expected)},
    [ONCE] = {"once", "broken: the bit is chosen once and not corrected", CLAIMS(once)},
    [BOTH_EQUAL] = {"both-equal", "broken: both sides of a match want the bits to be equal",
                    CLAIMS(both_equal)},
};

static uint64_t values(const struct step_params *params)
{
    return 2 * rounds(params->n) + 1;
}

PROTOCOL(.name = "peterson-fischer", .title = "Peterson and Fischer's tournament",
         .citation = "Peterson and Fischer 1977", .min_n = 2, .max_n = 8, .default_n = 3,
         .max_l = 1, .fault = STEP_FAULT_DEATH, .values = values,
         .values_source = "1 + 2 ceil(log2 n)", VARIANTS(variants))
#include "step/end.h"
