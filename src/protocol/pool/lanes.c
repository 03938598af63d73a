/*
 * Lanes, as `berth run --lane` has them: ours. A pool has a line, and each of two lanes has a
 * line of its own, the pool of its head; they have l slots, and one. A process of a lane
 *
 *  1. waits in its lane until it is the head;
 *  2. draws a ticket of the pool, and waits there;
 *  3. leaves its lane, when it has a slot, and works.
 *
 * A process without a lane draws a ticket of the pool at once. What a pool does is taken for
 * granted (pool.c): a line in arrival order, of which the first l have slots, and the living take
 * the dead out of it. So only the places in the three lines matter.
 *
 *  L1  A process in the pool's line that has no slot is the head of its lane: at most one of each
 *      lane waits there.
 *  L2  Turns: from a head's ticket to its slot, each other lane gets at most one slot: those that
 *      were before it (L1). So a process that is k-th in its lane waits for at most k slots of
 *      each other lane, beside what they get while a head of its own lane has not drawn yet.
 *  L3  Order: in a lane, and among processes without one, first come, first served.
 *  L4  Progress: a process with a slot waits for nothing, and the head of a lane for the pool
 *      alone; so nobody waits for a process that waits for it. (`rejoins` breaks this: a process
 *      that holds a slot and waits for a head. So a run inside another one of the same pool does
 *      not use lanes.)
 */
#define NAME lanes
#define CELLS(cell, cells, registers)                                                              \
    cells(length, 3, n + 1) cells(line, 3 * n, n + 1)                                              \
        cells(turns, 2, 3) /* slots for the other lane since this lane's head has drawn */         \
        cells(of, n, 3)    /* the lane that a process is of; 0: none */
#define LOCALS(local) local(lane, 3)
#define SUBS(sub) sub(draw) sub(wait)
#define HAS_DOORWAY
#define HAS_REVIVAL
#define HAS_CHOICE
#define HAS_LOCK
#define HAS_INVARIANTS
/* The first process stands in no lane, if it likes; the second is of lane A; the others choose. */
#define STEP_MAY_take_lane (step_me != 0)
#define STEP_MAY_take_b (step_me != 1)
enum { ITSELF, NO_HEADS, HEAD_AT_ONCE, REJOINS };
#include "step/step.h"

#ifdef STEP_MODEL
#define IS_ALIVE(p) (shared->step_alive[p] != 0 || params->fault != STEP_FAULT_KILL)
#else
#define IS_ALIVE(p) true /* natively nobody is killed here */
#endif

/* Lines: 0 is the pool's, 1 and 2 those of the lanes. Processes are counted from 1; 0 is nobody. */
#define ROOM_OF(which) ((which) == 0 ? l : (word)1)

static inline void append(struct step_variable *V, word n, word which, word who)
{
    V->line[which * n + V->length[which]] = who;
    V->length[which] += 1;
}

static inline void leave(struct step_variable *V, word n, word which, word who)
{
    word *const line = &V->line[which * n];
    word left = 0;
    for (word at = 0; at < V->length[which]; at++) {
        if (line[at] != who)
            line[left++] = line[at];
    }
    for (word at = left; at < V->length[which]; at++)
        line[at] = 0;
    V->length[which] = left;
}

/* The place of a process in a line, from 0; the line's length, if it is not there. */
static inline word place(const struct step_variable *V, word n, word which, word who)
{
    word at = 0;
    while (at < V->length[which] && V->line[which * n + at] != who)
        at++;
    return at;
}

SUB(draw, word which)
    LOCK(draw)
        append(V, n, which, ME + 1);
        if (which == 0 && V->of[ME] != 0)
            V->turns[V->of[ME] - 1] = 0;
    UNLOCK
END_SUB(draw)

SUB(wait, word which)
    bool served = false;
    while (!served) {
        LOCK(wait)
            for (word p = 0; p < n; p++) {
                if (!IS_ALIVE(p))
                    leave(V, n, which, p + 1);
            }
            served = place(V, n, which, ME + 1) < ROOM_OF(which);
            /* One more for this lane: other lanes whose living heads wait in the line count it. */
            for (word at = l; at < V->length[0] && served && which == 0 && V->of[ME] != 0; at++) {
                const word other = V->of[V->line[at] - 1];
                const bool counts = other != 0 && other != V->of[ME] && IS_ALIVE(V->line[at] - 1);
                if (counts && V->turns[other - 1] < 2)
                    V->turns[other - 1] += 1;
            }
        UNLOCK
    }
END_SUB(wait)

DOORWAY
    lane = 0;
    if (MAY(take_lane))
        lane = MAY(take_b) ? 2 : 1;
    LOCK(of)
        V->of[ME] = lane;
    UNLOCK
    if (lane != 0 && !VARIANT(NO_HEADS))
        CALL(join, draw, lane);
    else
        CALL(straight, draw, 0);
END

WAITING
    if (lane != 0 && !VARIANT(NO_HEADS)) {
        CALL(head, wait, lane);
        if (VARIANT(HEAD_AT_ONCE)) {
            LOCK(early)
                leave(V, n, lane, ME + 1);
            UNLOCK
        }
        CALL(ticket, draw, 0);
    }
    CALL(slot, wait, 0);
    if (lane != 0 && !VARIANT(NO_HEADS) && !VARIANT(HEAD_AT_ONCE)) {
        LOCK(hand_on)
            leave(V, n, lane, ME + 1);
        UNLOCK
    }
    if (lane != 0 && VARIANT(REJOINS)) {
        CALL(again, draw, lane);
        CALL(rejoin, wait, lane);
    }
    FORGET(lane);
END

EXIT
    LOCK(release)
        leave(V, n, 0, ME + 1);
        for (word lane_of = 1; lane_of < 3 && VARIANT(REJOINS); lane_of++)
            leave(V, n, lane_of, ME + 1);
        V->of[ME] = 0;
    UNLOCK
END

REVIVAL
    LOCK(sweep)
        for (word which = 0; which < 3; which++)
            leave(V, n, which, ME + 1);
        V->of[ME] = 0;
    UNLOCK
END

#ifdef STEP_MODEL
INVARIANTS
    word wrong = 0;
    for (word at = l; at < SHARED(length[0]); at++) {
        const word one = SHARED(line[at]) - 1, lane_of = SHARED(of[one]);
        for (word later = at + 1; later < SHARED(length[0]); later++) {
            const word other = SHARED(line[later]) - 1;
            wrong |= lane_of != 0 && SHARED(of[other]) == lane_of && IS_TRYING(one) &&
                     IS_TRYING(other);
        }
    }
    return wrong | (word)(SHARED(turns[0]) > 1 || SHARED(turns[1]) > 1) << 1;
END_INVARIANTS
#endif

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "the pools'"},
    {CHECK_INVARIANTS, CLAIMED, "L1, L2"},
    {CHECK_NO_SLOT_LOST, CLAIMED, "L4"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "L4"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "L2"},
    {CHECK_FIFO, NOT_CLAIMED, .why = "lanes take turns", .fails_from_n = 2},
};

static const struct protocol_claim passed[] = {
    {CHECK_EXCLUSION, CLAIMED, "the pools'"},
    {CHECK_INVARIANTS, CLAIMED, "L1, L2", .refuted_from_n = 3, .beyond_l = 2},
};

static const struct protocol_claim stuck[] = {
    {CHECK_EXCLUSION, CLAIMED, "the pools'"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "L4", .refuted_from_n = 2, .beyond_l = 1},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .kills = 2, .fault = STEP_FAULT_KILL}, 877, 2558},
    {{.n = 3, .l = 1, .k = 1, .kills = 2, .fault = STEP_FAULT_KILL}, 13464, 55461},
    {{.n = 3, .l = 2, .k = 1, .kills = 2, .fault = STEP_FAULT_KILL}, 18306, 76089},
    {{.n = 4, .l = 2, .k = 1, .kills = 2, .fault = STEP_FAULT_KILL}, 301971, 1598604},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "two lanes, and processes without one", CLAIMS(claims), EXPECTED(expected)},
    [NO_HEADS] = {"no-heads", "broken: all of a lane stand in the pool's line", CLAIMS(passed)},
    [HEAD_AT_ONCE] = {"head-at-once", "broken: the lane is left before the ticket is drawn",
                      CLAIMS(passed)},
    [REJOINS] = {"rejoins", "broken: a process with a slot waits in its lane once more",
                 CLAIMS(stuck)},
};

PROTOCOL(.name = "lanes", .title = "Lanes of a pool", .citation = "ours", .min_n = 2, .max_n = 5,
         .default_n = 3, .max_l = 3, .fault = STEP_FAULT_KILL, .own_steps = true,
         .broken_from = NO_HEADS, VARIANTS(variants),
         .invariants = {"L1: one of a lane waits in the pool's line",
                        "L2: a head waits for one slot of each other lane"})
#include "step/end.h"
