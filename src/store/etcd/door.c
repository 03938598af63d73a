/*
 * The door of a store: a client that wants several slots draws all of its tickets behind it, one
 * client at a time (protocol/pool/several.c says why). It is a key under the client's lease, so
 * that it opens when the client dies. Clients that want one slot do not use it.
 *
 * A request whose answer was lost might be carried out later, and leave the door locked by a client
 * that has gone. So the lease is given up then, which also ends whatever was requested under it.
 */
#include "store/etcd/machine_parts.h"

#include <errno.h>

static const uint64_t first_pause = 2 * UINT64_C(1000000), last_pause = 64 * UINT64_C(1000000);

static enum machine_next read_enter(struct machine *machine, uint64_t now,
                                    const Etcd__TxnResponse *txn)
{
    if (txn->succeeded) {
        machine->token = txn->header->revision;
        return machine_done(machine);
    }
    if (machine->giving_up)
        return machine_fail(machine, ETIMEDOUT, "nobody came out of the store's door in time");
    const uint64_t pause = first_pause << (machine->rounds < 5 ? machine->rounds : 5);
    machine->rounds++;
    return machine_pause(
        machine,
        moment_at(now + machine_about(machine->seat, pause < last_pause ? pause : last_pause)),
        door_enter_send);
}

enum machine_next door_enter_send(struct machine *machine, uint64_t now)
{
    const struct machine_seat *seat = machine->seat;
    if (!machine_request(machine, door_enter_send, read_enter))
        return machine_no_memory(machine);
    Berth__Waiter waiter = BERTH__WAITER__INIT;
    waiter.since_ms = machine_wall_ms(seat, now);
    struct build *build = machine->request;
    layout_key key;
    layout_door(&seat->layout, key);
    build_if_absent(build, build->txn, key);
    build_put(build, build->txn, false, key, &waiter.base, seat->lease);
    return MACHINE_SEND;
}

static enum machine_next read_leave(struct machine *machine, uint64_t now,
                                    const Etcd__TxnResponse *txn)
{
    (void)now;
    return txn->succeeded ? machine_done(machine)
                          : machine_fail(machine, ESTALE, "the store's door was lost");
}

enum machine_next door_leave_send(struct machine *machine, uint64_t now)
{
    (void)now;
    if (!machine_request(machine, door_leave_send, read_leave))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key key;
    layout_door(&machine->seat->layout, key);
    build_if_created(build, build->txn, key, machine->token);
    build_delete(build, build->txn, false, key, NULL);
    return MACHINE_SEND;
}
