/*
 * T. S. Craig, Building FIFO and Priority-Queueing Spin Locks from Atomic Swap, University of
 * Washington TR 93-02-02, 1993; P. Magnusson, A. Landin, E. Hagersten, Queue Locks on Cache
 * Coherent Multiprocessors, 8th IPPS, 1994: the CLH lock. A process spins on its predecessor's
 * record, and has that record from then on.
 *
 *     init:     tail := a record with locked = false;
 *     acquire:  my_record->locked := true;
 *               my_pred := fetch_and_store(tail, my_record);
 *               while my_pred->locked ;
 *     release:  my_record->locked := false;
 *               my_record := my_pred
 *
 * Departures from the paper:
 *  1. Records are numbered 0 .. n; process i has record i at first, and record n is at the tail.
 *     What a process remembers is counted from its own number: it is 0 at first, as a local
 *     variable has to be.
 */
#define NAME clh
#define CELLS(cell, cells, registers) cell(tail, n + 1) cells(locked, n + 1, 2)
#define HOMES(home) home(locked, i) /* a node lives with the process that had it first */
#define LOCALS(local) local(mine, n + 1) local(pred, n + 1)
#define HAS_DOORWAY
#define HAS_INITIAL
#define HAS_MEMORY
#include "step/step.h"

enum { ITSELF, KEEPS, LATE };

INITIAL
    SHARED(tail) = n;
END_INITIAL

#define RECORD_OF(v) (((v) + ME) % (n + 1))
#define SEEN_AS(record) (((record) + n + 1 - ME) % (n + 1))

DOORWAY
    if (!VARIANT(LATE))
        WRITE(locked, locked[RECORD_OF(mine)], 1);
    UPDATE(swap, pred, tail, RECORD_OF(mine));
    if (VARIANT(LATE))
        WRITE(locked, locked[RECORD_OF(mine)], 1);
END

WAITING
    AWAIT(wait, busy, locked[pred], busy == 0);
    if (VARIANT(KEEPS))
        FORGET(pred);
END

EXIT
    WRITE(release, locked[RECORD_OF(mine)], 0);
    if (!VARIANT(KEEPS))
        mine = SEEN_AS(pred);
    FORGET(pred);
END

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "Craig 1993"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "Craig 1993"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "Craig 1993"},
    {CHECK_LINEAR_WAITING, CLAIMED, "follows from the order", .has_bound = true, .bound = 1},
    {CHECK_FIFO, CLAIMED, "Craig 1993"},
    {CHECK_WAIT_FREE_DOORWAY, CLAIMED, .why = "up to the swap", .has_bound = true, .bound = 2},
    {CHECK_NO_MEMORY, NOT_CLAIMED, .why = "a process remembers its record", .fails_from_n = 2},
    {CHECK_VALUES, CLAIMED, .why = "the number of a record", .has_bound = true},
};

static const struct protocol_claim keeps[] = {
    {CHECK_EXCLUSION, CLAIMED, "Craig 1993"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "if one's own record is used again", .refuted_from_n = 2},
};

static const struct protocol_claim late[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "if locked is set after the swap", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1}, 96, 192},
    {{.n = 3, .l = 1, .k = 1}, 1632, 4896},
    {{.n = 4, .l = 1, .k = 1}, 38400, 153600},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "the CLH lock", CLAIMS(claims), EXPECTED(expected)},
    [KEEPS] = {"keeps",
               "broken: uses its own record again, while its successor may still look at it",
               CLAIMS(keeps)},
    [LATE] = {"late", "broken: sets locked after the swap", CLAIMS(late)},
};

static uint64_t values(const struct step_params *params)
{
    return params->n + 1;
}

PROTOCOL(.name = "clh", .title = "The CLH lock", .citation = "Craig 1993; Magnusson et al. 1994",
         .min_n = 2, .max_n = 8, .default_n = 3, .max_l = 1, .values = values,
         .values_source = "the number of a record", VARIANTS(variants))
#include "step/end.h"
