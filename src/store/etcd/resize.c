/* Another number of slots; and another description of the client. */
#include "store/etcd/machine_parts.h"

#include <errno.h>

static enum machine_next read_resize(struct machine *machine, uint64_t now,
                                     const Etcd__TxnResponse *txn);

enum machine_next resize_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct machine_seat *seat = machine->seat;
    if (!machine_request(machine, resize_send, read_resize))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    Berth__Pool pool = BERTH__POOL__INIT;
    pool.format = LAYOUT_FORMAT;
    pool.slots = seat->wanted;
    pool.ttl = seat->pool_ttl;
    layout_key key;
    layout_pool(&seat->layout, key);
    build_if_modified(build, build->txn, key, seat->pool_revision);
    build_put(build, build->txn, false, key, &pool.base, 0);
    view_ask(build, build->txn, true, &seat->layout, false);
    return MACHINE_SEND;
}

/* Serves every waiter that can be served now. */
static enum machine_next read_resize(struct machine *machine, uint64_t now,
                                     const Etcd__TxnResponse *txn)
{
    struct machine_seat *seat = machine->seat;
    if (txn->succeeded) {
        seat->pool_revision = txn->header->revision;
        seat->slots = seat->wanted;
        return audit_send(machine, now);
    }
    struct view view;
    view_read(&view, &machine->seat->layout, txn->header->revision, txn->responses,
              txn->n_responses);
    if (view.broken)
        return machine_fail(machine, EPROTO, "pool %s is damaged", seat->layout.name);
    if (!view.there)
        return machine_fail(machine, EIDRM, "pool %s was removed", seat->layout.name);
    view_take(seat, &view, now);
    return view.slots == seat->wanted ? audit_send(machine, now) : resize_send(machine, now);
}

static enum machine_next read_describe(struct machine *machine, uint64_t now,
                                       const Etcd__TxnResponse *txn)
{
    (void)now;
    if (txn->succeeded)
        machine->seat->client_revision = txn->header->revision;
    /* Otherwise the client's key has gone: it has left, or its lease has ended, which others will
     * notice. */
    return machine_done(machine);
}

enum machine_next describe_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct machine_seat *seat = machine->seat;
    if (!machine_request(machine, describe_send, read_describe))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key key;
    layout_in(&seat->layout, LAYOUT_CLIENTS, seat->client, key);
    build_if_present(build, build->txn, key);
    put_client(machine, build->txn, false);
    return MACHINE_SEND;
}
