/*
 * Several pools at once, as berth_acquire_all does it: ours. There are two pools, A and B, with l
 * slots each; a process needs some of A, or some of B, or some of both, all or nothing.
 *
 * What a pool does is taken for granted here (pool.c): a line, in arrival order, of which the first
 * l have slots; and the living take the dead out of it. So only the processes' places in the queues
 * matter. If u is before v in one line and v before u in the other, each may have what the other
 * waits for. So:
 *
 *  - Each pool has a door, which the kernel gives to one process at a time and takes back when that
 *    dies. A process that needs more than one slot enters the doors of all its pools, in an order
 *    that is the same for everybody; draws all of its tickets; leaves the doors; and waits for its
 *    slots.
 *  - A process that needs one slot of one pool draws a ticket, and knows of no doors.
 *
 *  E1  Any two that were behind a door together with their pools stand in the same order in every
 *      line that they share, and the order of all of them has no cycle: it is that of the moments
 *      at which each was behind all of its doors.
 *  E2  Progress: of those that wait, take the first in that order. Before it in any line stand only
 *      processes that have all they need, and processes that need one slot, the first of which
 *      has it.
 *  E3  Order: a process that comes when u has drawn all of its tickets stands behind u wherever
 *      both need slots.
 *
 * This is `multi` with tickets for ranks: u counts, in each line, what those before it need. Doors
 * make the tickets a ranker S (precedence, no cycles, comparable where there is a conflict,
 * stable). What they cost is the wait-free doorway; what they bring is that users of one pool need
 * not know.
 *
 * The kernel's lock is not first come, first served. A process that wants to enter a door may lose
 * it to another again and again, so that lockout-free is not claimed; with doors that are
 * (fair-doors) it is.
 */
#define NAME several
#define CELLS(cell, cells, registers)                                                              \
    cells(need, n, 16) cells(door, 2, n + 1) cells(length, 2, 2 * n + 1)                           \
        cells(line, 4 * n, n + 1) cells(outside, FAIR ? 2 * n : 1, FAIR ? n + 1 : 1)
#define LOCALS(local)                                                                              \
    local(a, 3) local(b, 3)        /* what I need */                                               \
        local(r, 3) local(drawn, 3) /* a pool, and how many tickets I have there */
#define SUBS(sub) sub(enter) sub(draw) sub(come_out) sub(wait)
#define HAS_DOORWAY
#define HAS_REVIVAL
#define HAS_CHOICE
#define HAS_CLASH
#define HAS_LOCK
#define STEP_MAY_take_a (step_me % 3 != 2) /* anything will do */
#define STEP_MAY_take_b (step_me % 3 != 0)
#define STEP_MAY_take_more_a (step_me % 2 == 1)
#define STEP_MAY_take_more_b (step_me % 4 > 1)
#define FAIR (params->variant == FAIR_DOORS)
enum { ITSELF, FAIR_DOORS, NO_DOORS, ONE_BY_ONE, AS_NAMED, ONE_AFTER_ANOTHER };
#include "step/step.h"

#ifdef STEP_MODEL
#define IS_ALIVE(p) (shared->step_alive[p] != 0 || params->fault != STEP_FAULT_KILL)
#else
#define IS_ALIVE(p) true /* natively nobody is killed here */
#endif

#define NEED(pool) ((pool) == 0 ? a : b)
#define NEEDS(of_a, of_b) ((of_a) | (of_b) << 2)
#define OF_A(needs) ((needs) & 3)
#define OF_B(needs) ((needs) >> 2)

/* The doors are entered, and tickets drawn, in this order. */
#define POOL(r) ((VARIANT(AS_NAMED) || VARIANT(ONE_AFTER_ANOTHER)) && ME % 2 == 1 ? 1 - (r) : (r))
#define KNOWS_OF_DOORS (a + b > 1 && !VARIANT(NO_DOORS))
#define ALL_AT_ONCE (!VARIANT(ONE_BY_ONE) && !VARIANT(ONE_AFTER_ANOTHER))

/* Processes are counted from 1 in what follows; 0 is nobody. */

static inline void append(struct step_variable *V, word n, word pool, word who)
{
    V->line[pool * 2 * n + V->length[pool]] = who;
    V->length[pool] += 1;
}

static inline void leave(struct step_variable *V, word n, word pool, word who)
{
    word *const line = &V->line[pool * 2 * n];
    word left = 0;
    for (word at = 0; at < V->length[pool]; at++) {
        if (line[at] != who)
            line[left++] = line[at];
    }
    for (word at = left; at < V->length[pool]; at++)
        line[at] = 0;
    V->length[pool] = left;
}

/* Whether all tickets that `who` has drawn there are among the first l. */
static inline bool is_served(const struct step_variable *V, word n, word l, word pool, word who)
{
    for (word at = l; at < V->length[pool]; at++) {
        if (V->line[pool * 2 * n + at] == who)
            return false;
    }
    return true;
}

/* A door that is fair: processes that want to enter stand outside, in order. */
static inline bool is_next(struct step_variable *V, word n, word pool, word who)
{
    word *const outside = &V->outside[pool * n];
    word at = 0;
    while (outside[at] != 0 && outside[at] != who)
        at++;
    outside[at] = who;
    return at == 0;
}

static inline void step_aside(struct step_variable *V, word n, word pool, word who)
{
    word *const outside = &V->outside[pool * n];
    word left = 0;
    for (word at = 0; at < n; at++) {
        const word one = outside[at];
        outside[at] = 0;
        if (one != who)
            outside[left++] = one;
    }
}

SUB(enter, word pool)
    bool inside = false;
    while (!inside) {
        LOCK(door)
            for (word p = 0; p < n && FAIR; p++) {
                if (!IS_ALIVE(p))
                    step_aside(V, n, pool, p + 1);
            }
            inside = V->door[pool] == 0 || !IS_ALIVE(V->door[pool] - 1);
            inside &= !FAIR || is_next(V, n, pool, ME + 1);
            if (inside) {
                V->door[pool] = ME + 1;
                if (FAIR)
                    step_aside(V, n, pool, ME + 1);
            }
        UNLOCK
    }
END_SUB(enter)

SUB(draw, word pool)
    for (; drawn < NEED(pool); drawn++) {
        LOCK(draw)
            append(V, n, pool, ME + 1);
        UNLOCK
    }
    FORGET(drawn);
END_SUB(draw)

SUB(come_out, word pool)
    LOCK(leave)
        V->door[pool] = 0;
    UNLOCK
END_SUB(come_out)

SUB(wait, word pool)
    bool served = false;
    while (!served) {
        LOCK(wait)
            for (word p = 0; p < n; p++) {
                if (!IS_ALIVE(p))
                    leave(V, n, pool, p + 1);
            }
            served = is_served(V, n, l, pool, ME + 1);
        UNLOCK
    }
END_SUB(wait)

/* Any needs but none at all; 2 at most of each. */
DOORWAY
    a = MAY(take_a);
    b = a == 0 || MAY(take_b);
    if (l > 1 && a != 0 && MAY(take_more_a))
        a = 2;
    if (l > 1 && b != 0 && MAY(take_more_b))
        b = 2;
    LOCK(need)
        V->need[ME] = NEEDS(a, b);
    UNLOCK
    for (r = 0; r < 2 && KNOWS_OF_DOORS && ALL_AT_ONCE; r++) {
        if (NEED(POOL(r)) != 0)
            CALL(enter, enter, POOL(r));
    }
    for (r = 0; r < 2; r++) {
        if (NEED(POOL(r)) == 0)
            continue;
        if (KNOWS_OF_DOORS && VARIANT(ONE_BY_ONE))
            CALL(enter, enter, POOL(r));
        CALL(draw, draw, POOL(r));
        if (KNOWS_OF_DOORS && VARIANT(ONE_BY_ONE))
            CALL(out, come_out, POOL(r));
        if (VARIANT(ONE_AFTER_ANOTHER))
            CALL(wait, wait, POOL(r));
    }
    for (r = 0; r < 2 && KNOWS_OF_DOORS && ALL_AT_ONCE; r++) {
        if (NEED(POOL(r)) != 0)
            CALL(out, come_out, POOL(r));
    }
    FORGET(r);
END

WAITING
    for (r = 0; r < 2; r++) {
        if (NEED(r) != 0)
            CALL(wait, wait, r);
    }
    FORGET(r);
END

EXIT
    for (r = 0; r < 2; r++) {
        if (NEED(r) == 0)
            continue;
        LOCK(release)
            leave(V, n, r, ME + 1);
            V->need[ME] = NEEDS(r == 0 ? 0 : OF_A(V->need[ME]), r == 1 ? 0 : OF_B(V->need[ME]));
        UNLOCK
    }
    FORGET(r);
    FORGET(a);
    FORGET(b);
END

REVIVAL
    for (r = 0; r < 2; r++) {
        LOCK(sweep)
            leave(V, n, r, ME + 1);
            V->need[ME] = 0;
            for (word pool = 0; pool < 2; pool++) {
                if (V->door[pool] == ME + 1)
                    V->door[pool] = 0;
                if (FAIR)
                    step_aside(V, n, pool, ME + 1);
            }
        UNLOCK
    }
    FORGET(r);
END

CLASH
    word of_a = 0, of_b = 0;
    for (word u = 0; u < n; u++) {
        of_a += inside >> u & 1 ? OF_A(SHARED(need[u])) : 0;
        of_b += inside >> u & 1 ? OF_B(SHARED(need[u])) : 0;
    }
    return of_a > l || of_b > l;
END_CLASH

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, "the pools'"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "E2"},
    {CHECK_LOCKOUT_FREE, NOT_CLAIMED, .why = "a door may be lost again and again"},
    {CHECK_FIFO, CLAIMED, "E3"},
    {CHECK_WAIT_FREE_DOORWAY, NOT_CLAIMED, .why = "a process behind the door is waited for"},
};

static const struct protocol_claim fair_doors[] = {
    {CHECK_EXCLUSION, CLAIMED, "the pools'"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "E2"},
    {CHECK_LOCKOUT_FREE, CLAIMED, "E2"},
    {CHECK_FIFO, CLAIMED, "E3"},
};

static const struct protocol_claim stuck[] = {
    {CHECK_EXCLUSION, CLAIMED, "the pools'"},
    {CHECK_DEADLOCK_FREE, CLAIMED, "E1", .refuted_from_n = 2},
};

static const struct protocol_expected expected[] = {
    {{.n = 2, .l = 1, .k = 1, .kills = 2, .fault = STEP_FAULT_KILL}, 2934, 7956},
    {{.n = 2, .l = 2, .k = 1, .kills = 2, .fault = STEP_FAULT_KILL}, 4982, 13076},
    {{.n = 3, .l = 1, .k = 1, .kills = 2, .fault = STEP_FAULT_KILL}, 71637, 273543},
    {{.n = 3, .l = 2, .k = 1, .kills = 2, .fault = STEP_FAULT_KILL}, 164121, 604071},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "several pools at once", CLAIMS(claims), EXPECTED(expected)},
    [FAIR_DOORS] = {"fair-doors", "the same, with doors that are first come, first served",
                    CLAIMS(fair_doors)},
    [NO_DOORS] = {"no-doors", "broken: tickets are drawn without doors", CLAIMS(stuck)},
    [ONE_BY_ONE] = {"one-by-one", "broken: one door is left before the next is entered",
                    CLAIMS(stuck)},
    [AS_NAMED] = {"as-named", "broken: doors in the order in which the pools were named",
                  CLAIMS(stuck)},
    [ONE_AFTER_ANOTHER] = {"one-after-another",
                           "broken: draws in one pool and waits there, then in the next, as named",
                           CLAIMS(stuck)},
};

PROTOCOL(.name = "several", .title = "Several pools at once",
         .citation = "ours; for the question of Afek et al. 1994", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 3, .fault = STEP_FAULT_KILL, .own_steps = true,
         .broken_from = NO_DOORS, VARIANTS(variants))
#include "step/end.h"
