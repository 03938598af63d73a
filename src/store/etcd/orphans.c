/*
 * Slots whose holders' leases have ended. A client that gives a slot back deletes the key that says
 * that the slot is in use; where this key is left and the holder's is gone, the store has ended the
 * holder's lease. Mostly the holder is dead. But etcd also ends leases that were renewed
 * (docs/ETCD.md, "A leader that was paused"), and their holders count on them until they hear of
 * it, or until their own count is over: at most 7/8 of a lease after the last renewal that the
 * store confirmed, which was before the lease ended. So nobody takes such a slot over before it has
 * been like that for a whole lease, that of the client which has the longest one, since it was seen
 * so, or since it was told that its holder's key was deleted. The eighth is for clocks that do not
 * run alike.
 *
 * Where the pool has been made smaller, the key of such a slot that it has no more is deleted after
 * that time: by those who wait, and by a handle that has been open for as long as a lease.
 *
 * Each slot has a time of its own: another one may have been seen earlier. And taking a slot over
 * puts the key again, so that its revision tells this end of a lease from any other one of the same
 * slot.
 */
#include "store/etcd/machine_parts.h"

void orphans_see(struct machine_seat *seat, const struct view *view, uint64_t now)
{
    for (unsigned slot = 0; slot < BERTH_MAX_SLOTS; slot++) {
        struct machine_orphan *orphan = &seat->orphans[slot];
        const int64_t used = view_is_orphan(view, slot) ? view->used[slot] : 0;
        if (orphan->used == used)
            continue;
        orphan->used = used;
        orphan->since = news_gone_at(seat, slot, used, now);
    }
}

static uint64_t grace(const struct machine_seat *seat)
{
    const uint64_t ttl = seat->ttl > seat->pool_ttl ? seat->ttl : seat->pool_ttl;
    return ttl * UINT64_C(1000000000);
}

static uint64_t over_at(const struct machine_seat *seat, unsigned slot)
{
    return seat->orphans[slot].since + grace(seat);
}

bool orphans_over(const struct machine_seat *seat, const struct view *view, uint64_t now,
                  unsigned from, unsigned *slot)
{
    for (*slot = from; *slot < view->slots; ++*slot) {
        if (view_is_orphan(view, *slot) && now >= over_at(seat, *slot))
            return true;
    }
    return false;
}

struct moment orphans_next(const struct machine_seat *seat, const struct view *view)
{
    struct moment next = moment_never();
    for (unsigned slot = 0; slot < view->slots; slot++) {
        if (view_is_orphan(view, slot))
            next = moment_first(next, moment_at(over_at(seat, slot)));
    }
    return next;
}

/* ---- of a pool that has been made smaller: slots that it has no more ---- */

bool orphans_beyond(const struct machine_seat *seat, const struct view *view, uint64_t now,
                    unsigned *slot, struct moment *next)
{
    *next = moment_never();
    for (*slot = view->slots; *slot < BERTH_MAX_SLOTS; ++*slot) {
        if (view->used[*slot] == 0)
            continue;
        const bool orphan = view_is_orphan(view, *slot);
        const uint64_t over = orphan ? over_at(seat, *slot) : now + grace(seat); /* it is held */
        if (now >= over)
            return true;
        *next = moment_first(*next, moment_at(over));
    }
    return false;
}

static enum machine_next read_sweep(struct machine *machine, uint64_t now,
                                    const Etcd__TxnResponse *txn)
{
    (void)txn; /* if it was changed meanwhile, that is seen now */
    return audit_send(machine, now);
}

enum machine_next orphans_sweep(struct machine *machine, unsigned slot)
{
    const struct machine_seat *seat = machine->seat;
    if (!machine_request(machine, audit_send, read_sweep))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key key;
    layout_pool(&seat->layout, key);
    build_if_modified(build, build->txn, key, seat->pool_revision);
    layout_slot(&seat->layout, slot, key);
    build_if_absent(build, build->txn, key);
    layout_used(&seat->layout, slot, key);
    build_if_modified(build, build->txn, key, seat->orphans[slot].used);
    build_delete(build, build->txn, false, key, NULL);
    return MACHINE_SEND;
}

/* ---- */

void orphans_take(struct machine *machine, Etcd__TxnRequest *txn, unsigned slot)
{
    layout_key key;
    layout_used(&machine->seat->layout, slot, key);
    build_if_modified(machine->request, txn, key, machine->seat->orphans[slot].used);
    put_used(machine, txn, slot);
}
