/*
 * Pools in etcd: the client's algorithm (src/store/etcd/machine.h), over a model of the store.
 *
 * The store is one variable, and a transaction is one step, LOCK to UNLOCK: etcd's transactions are
 * linearizable. What is under a client's lease goes when the lease ends: some time after the client
 * was killed (its guardian ends the lease, or it expires), in a step of the store's own. A process
 * that waits takes these steps: no other process could tell whether they were taken.
 *
 *     slot[j]    the holder of slot j (s/SLOT)      queue    waiters, in order of creation (w/)
 *     mail[p]    the slot that p was given (m/)     late[p]  a request of p's that is under way
 *
 * What is left out: revisions. That a slot "still has its token" is that ME still holds it. That
 * the entry which was first in line "is still there" is that its process is first in line: nobody
 * gets ahead of it. (That the process waits somewhere would not do: it may have been killed, and
 * stand in line again. In etcd that is another entry.) A killed process comes back only after its
 * lease has ended, for in etcd it would be another client. Also left out: leases that end while the
 * holder lives, which is etcd-lease's subject.
 *
 * Found by the checker: with l > 1 this is not lockout-free. If two releases see the same waiter
 * first in the queue, one has to look again, and may lose every time. (`berth check etcd-pool -n 3
 * -l 2 --only lockout-free`; with l = 1 it is.) In src/store/etcd a release tries up to eight
 * waiters, in order, in one transaction, so that it takes eight others to make it look again.
 *
 * late: an acquire may get no answer. It is carried out later, or never; the client recovers, which
 * cancels a request that is under way. Arrival is then when a request is carried out, not when it
 * is made, so that nothing is claimed about order.
 *
 * told: a waiter looks for free slots only if it was told that one came free, or saw one when it
 * came, and until it sees none any more (src/store/etcd/news.c; there it also looks now and then).
 * All who wait are told: it is not enough to tell the first in line, which may be dead, too.
 */
#define NAME etcd_pool
#define CELLS(cell, cells, registers)                                                              \
    cells(slot, l, n + 1) cell(length, n + 1) cells(queue, n, n + 1) cells(mail, n, l + 1)         \
        cells(late, n, 2) cells(told, n, 2)
#define LOCALS(local) local(mine, l + 1) local(next, n + 1) local(vacant, l + 1) local(lost, 2)
#define HAS_DOORWAY
#define HAS_REVIVAL
#define HAS_CHOICE
#define HAS_SLOT
#define HAS_LOCK
#define STEP_MAY_be_late false
#define STEP_MAY_deliver false
#include "step/step.h"

enum {
    ITSELF, LATE, TOLD,
    NO_AUDIT, NO_GUARD, BARGING, BLIND, NO_FENCE, DEAF
};

#define CAN_BE_LATE (VARIANT(LATE) || VARIANT(NO_FENCE))
#define LOOKS_WHEN_TOLD (VARIANT(TOLD) || VARIANT(DEAF))

#ifdef STEP_MODEL
#define HAS_LEASE(p) (shared->step_alive[p] != 0)
#else
#define HAS_LEASE(p) true /* natively nobody is killed here */
#endif

/* Places, slots and processes are counted from 1; 0 is none. */

static inline word place_of(const struct step_variable *V, word who)
{
    for (word at = 0; at < V->length; at++) {
        if (V->queue[at] == who)
            return at + 1;
    }
    return 0;
}

/* Of process who - 1; with 0, the first that is free. */
static inline word slot_of(const struct step_variable *V, word l, word who)
{
    for (word j = 0; j < l; j++) {
        if (V->slot[j] == who)
            return j + 1;
    }
    return 0;
}

static inline void leave_queue(struct step_variable *V, word who)
{
    const word place = place_of(V, who);
    if (place == 0)
        return;
    for (word at = place; at < V->length; at++)
        V->queue[at - 1] = V->queue[at];
    V->length -= 1;
    V->queue[V->length] = 0;
}

/* ACQUIRE: a free slot if nobody waits; or the end of the line. */
static inline word acquire(struct step_variable *V, word l, word who, bool barging)
{
    const word j = slot_of(V, l, 0);
    if (j != 0 && (V->length == 0 || barging)) {
        V->slot[j - 1] = who;
        return j;
    }
    V->queue[V->length] = who;
    V->length += 1;
    return 0;
}

/* The first request that is on its way. */
static inline void deliver(struct step_variable *V, word l, word n)
{
    word from = 0;
    while (from < n && V->late[from] == 0)
        from++;
    if (from < n) {
        acquire(V, l, from + 1, false);
        V->late[from] = 0;
    }
}

static inline void hand_over(struct step_variable *V, word j, word who)
{
    V->slot[j - 1] = who;
    V->mail[who - 1] = j;
    leave_queue(V, who);
}

/* All that is under a lease goes with it, and a request that comes later is refused. If `tells`,
 * those who wait are told of a slot that came free. */
static inline void end_lease(struct step_variable *V, word l, word who, bool tells)
{
    const word told = tells && slot_of(V, l, who) != 0 ? V->length : 0;
    for (word j = 0; j < l; j++) {
        if (V->slot[j] == who)
            V->slot[j] = 0;
    }
    for (word at = 0; at < told; at++)
        V->told[V->queue[at] - 1] = 1;
    leave_queue(V, who);
    V->mail[who - 1] = 0;
    V->late[who - 1] = 0;
    V->told[who - 1] = 0;
}

DOORWAY
    if (VARIANT(BLIND)) {
        LOCK(look_first)
            vacant = V->length == 0 ? slot_of(V, l, 0) : 0;
        UNLOCK
        LOCK(take)
            if (vacant != 0)
                V->slot[vacant - 1] = ME + 1;
            mine = vacant != 0 ? vacant : acquire(V, l, ME + 1, false);
            FORGET(vacant);
        UNLOCK
    } else if (CAN_BE_LATE && MAY(be_late)) {
        LOCK(send)
            V->late[ME] = 1;
            lost = 1;
        UNLOCK
    } else {
        LOCK(acquire)
            mine = acquire(V, l, ME + 1, VARIANT(BARGING));
            V->told[ME] = LOOKS_WHEN_TOLD && mine == 0 && slot_of(V, l, 0) != 0;
        UNLOCK
    }
END

WAITING
    if (lost != 0) {
        LOCK(recover)
            if (!VARIANT(NO_FENCE))
                V->late[ME] = 0;
            mine = slot_of(V, l, ME + 1);
            lost = mine == 0 && place_of(V, ME + 1) == 0;
        UNLOCK
        if (lost != 0) {
            LOCK(repeat)
                mine = acquire(V, l, ME + 1, false);
                FORGET(lost);
            UNLOCK
        }
    }
    while (mine == 0) {
        LOCK(audit)
            mine = V->mail[ME];
            vacant = slot_of(V, l, 0);
            next = V->queue[0];
            if (LOOKS_WHEN_TOLD && V->told[ME] == 0)
                vacant = 0;
            if (mine != 0 || vacant == 0)
                V->told[ME] = 0;
            if (mine != 0 || vacant == 0 || next == 0 || VARIANT(NO_AUDIT)) {
                FORGET(vacant);
                FORGET(next);
            }
        UNLOCK
        if (next != 0) {
            LOCK(serve)
                if (V->slot[vacant - 1] == 0 && V->queue[0] == next)
                    hand_over(V, vacant, next);
                FORGET(vacant);
                FORGET(next);
            UNLOCK
        }
        if (mine == 0) {
            LOCK(lease_ends)
                word dead = 0;
                while (dead < n && HAS_LEASE(dead))
                    dead++;
                for (; dead < n; dead++) {
                    if (!HAS_LEASE(dead))
                        end_lease(V, l, dead + 1, VARIANT(TOLD));
                }
            UNLOCK
        }
        if (mine == 0 && CAN_BE_LATE && MAY(deliver)) {
            LOCK(deliver)
                deliver(V, l, n);
            UNLOCK
        }
    }
END

EXIT
    bool left = false;
    while (!left) {
        LOCK(release)
            next = V->queue[0];
            left = next == 0;
            if (left) {
                V->slot[mine - 1] = 0;
                V->mail[ME] = 0;
            }
        UNLOCK
        if (left)
            break;
        LOCK(hand_over)
            left = V->queue[0] == next || VARIANT(NO_GUARD);
            if (left) {
                hand_over(V, mine, next);
                V->mail[ME] = 0;
            }
            FORGET(next);
        UNLOCK
    }
    FORGET(mine);
END

/* Another client, in the place of one that was killed. */
REVIVAL
    LOCK(lease_ended)
        end_lease(V, l, ME + 1, VARIANT(TOLD));
    UNLOCK
END

HOLDS
    return my->mine - 1;
END_HOLDS

static const struct protocol_claim claims[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "a slot's key is put only where there is none"},
    {CHECK_DISTINCT_SLOTS, CLAIMED, .why = "one key for each slot"},
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "a waiter audits"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "a waiter audits"},
    {CHECK_FIFO_ENABLING, CLAIMED, .why = "the first in line is served first"},
    {CHECK_FIRST_IN_FIRST_ENABLED, CLAIMED, .why = "the first in line is served first"},
};

static const struct protocol_claim late[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "a slot's key is put only where there is none"},
    {CHECK_DISTINCT_SLOTS, CLAIMED, .why = "one key for each slot"},
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "recovery makes void what is on its way"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "a waiter audits"},
};

static const struct protocol_claim told[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "a slot's key is put only where there is none"},
    {CHECK_DISTINCT_SLOTS, CLAIMED, .why = "one key for each slot"},
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "each waiter is told, and looks until no slot is free"},
    {CHECK_DEADLOCK_FREE, CLAIMED, .why = "each waiter is told, and looks until no slot is free"},
    {CHECK_FIFO_ENABLING, CLAIMED, .why = "the first in line is served first"},
    {CHECK_FIRST_IN_FIRST_ENABLED, CLAIMED, .why = "the first in line is served first"},
};

static const struct protocol_claim no_audit[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "nobody serves after a death", .refuted_from_n = 2},
};
static const struct protocol_claim no_guard[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "handed over to somebody who has gone",
     .refuted_from_n = 2},
};
static const struct protocol_claim barging[] = {
    {CHECK_FIRST_IN_FIRST_ENABLED, CLAIMED,
     .why = "a newcomer takes a slot that somebody waits for", .refuted_from_n = 2},
};
static const struct protocol_claim blind[] = {
    {CHECK_EXCLUSION, CLAIMED, .why = "a slot is put without looking in the same transaction",
     .refuted_from_n = 2},
};
static const struct protocol_claim no_fence[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "a request is carried out after it was made again",
     .refuted_from_n = 2},
};
static const struct protocol_claim deaf[] = {
    {CHECK_NO_SLOT_LOST, CLAIMED, .why = "nobody looks after a death", .refuted_from_n = 2},
};

static const struct protocol_variant variants[] = {
    [ITSELF] = {"", "pools in etcd", CLAIMS(claims)},
    [LATE] = {"late", "pools in etcd, where requests may be late", CLAIMS(late)},
    [TOLD] = {"told", "pools in etcd, where waiters look when they are told", CLAIMS(told)},
    [NO_AUDIT] = {"no-audit", "broken: a waiter does not look for slots that a death left free",
                  CLAIMS(no_audit)},
    [NO_GUARD] = {"no-guard",
                  "broken: a slot is handed over without looking whether the waiter is still there",
                  CLAIMS(no_guard)},
    [BARGING] = {"barging", "broken: a newcomer does not look whether somebody waits",
                 CLAIMS(barging)},
    [BLIND] = {"blind", "broken: to look for a slot and to take it are two transactions",
               CLAIMS(blind)},
    [NO_FENCE] = {"no-fence", "broken: recovery leaves a late request as it is", CLAIMS(no_fence)},
    [DEAF] = {"deaf", "broken: waiters look when they are told, and are told nothing",
              CLAIMS(deaf)},
};

PROTOCOL(.name = "etcd-pool", .title = "pools in etcd", .citation = "ours; src/store/etcd",
         .min_n = 2, .max_n = 4, .default_n = 2, .needs_l_below_n = true, .max_l = 3,
         .fault = STEP_FAULT_KILL, .own_steps = true, .broken_from = NO_AUDIT, VARIANTS(variants))
#include "step/end.h"
