/*
 * T. E. Anderson, The Performance of Spin Lock Alternatives for Shared-Memory Multiprocessors, IEEE
 * TPDS 1(1), 1990: the array-based queueing lock. Everybody spins on a flag of its own.
 *
 *     init:    flags[0] := HAS_LOCK;
 *              flags[1 .. P-1] := MUST_WAIT;
 *              queueLast := 0;
 *     lock:    myPlace := ReadAndIncrement(queueLast);
 *              while (flags[myPlace mod P] = MUST_WAIT) ;
 *              CRITICAL SECTION;
 *     unlock:  flags[myPlace mod P] := MUST_WAIT;
 *              flags[(myPlace + 1) mod P] := HAS_LOCK;
 *
 * Departures from the paper:
 *  1. queueLast counts modulo P = n and not only when it is used: the paper is free of this only if
 *     the width of the counter is a multiple of P.
 *  2. HAS_LOCK is 1.
 *  3. The flag may as well be reset at the end of lock; Mellor-Crummey and Scott 1991 have it
 *     there.
 */
#define NAME anderson
#define CELLS(cell, cells, registers) cell(queueLast, n) cells(flags, n, 2)
#define LOCALS(local) local(myPlace, n)
#define HAS_DOORWAY
#define HAS_INITIAL
#include "step/step.h"

enum { ITSELF, SHORT, PASS_FIRST };

#define P (VARIANT(SHORT) ? n - 1 : n)

INITIAL
    SHARED(flags[0]) = 1;
END_INITIAL

static inline word after(word place, word places) /* place + 1, modulo the number of them */
{
    return place + 1 >= places ? 0 : place + 1;
}

DOORWAY
    UPDATE(queue, myPlace, queueLast, after(myPlace, P));
END

WAITING
    AWAIT(wait, flag, flags[myPlace], flag == 1);
END

EXIT
    if (VARIANT(PASS_FIRST)) {
        WRITE(pass, flags[after(myPlace, P)], 1);
        WRITE(reset, flags[myPlace], 0);
    } else {
        WRITE(reset, flags[myPlace], 0);
        WRITE(pass, flags[after(myPlace, P)], 1);
    }
    FORGET(myPlace);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Anderson 1990"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Anderson 1990"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "follows from the order"},
    {CHECK_LINEAR_WAITING, CLAIMED, "follows from the order", .has_bound = true, .bound = 1},
    {CHECK_FIFO, CLAIMED, "Anderson 1990"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, .why = "one access", .has_bound = true, .bound = 1},
    {CHECK_NO_MEMORY, CLAIMED, .why = "the place is dropped"},
    {CHECK_VALUES, CLAIMED, "departure 1", .has_bound = true},
};

static const struct protocol_claim too_short[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with a place too few", .refuted_from_n = 2},
};

static const struct protocol_claim pass_first[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "with the two stores of unlock exchanged",
     .refuted_from_n = 3},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 26, 52},
    {{.n = 3, .l = 1, .k = 1}, 138, 414},
    {{.n = 4, .l = 1, .k = 1}, 772, 3088},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "Anderson's array lock", CLAIMS(claims), EXPECTED(expected)},
    [SHORT] = {"short", "broken: the array has n - 1 places", CLAIMS(too_short)},
    [PASS_FIRST] = {"pass-first", "broken: passes the lock on before it resets its own flag",
                    CLAIMS(pass_first)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n;
}

PROTOCOL(.name = "anderson", .title = "Anderson's array lock", .citation = "Anderson 1990",
         .min_n = 2, .max_n = 12, .default_n = 3, .max_l = 1, .anonymous = true, .values = values,
         .values_source = "departure 1", VARIANTS(variants))
#include "step/end.h"
