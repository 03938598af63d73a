/* Giving a slot back: to nobody, or to the first in line. */
#include "store/etcd/machine_parts.h"

#include <errno.h>
#include <string.h>

static enum machine_next read_release(struct machine *machine, uint64_t now,
                                      const Etcd__TxnResponse *txn);

void delete_others(struct machine *machine, Etcd__TxnRequest *txn)
{
    const struct machine_seat *seat = machine->seat;
    struct build *build = machine->request;
    layout_key key;
    if (!machine->no_mail) {
        layout_in(&seat->layout, LAYOUT_MAIL, machine->entry, key);
        build_delete(build, txn, false, key, NULL);
    }
    if (machine->leaving) {
        layout_in(&seat->layout, LAYOUT_CLIENTS, seat->client, key);
        build_delete(build, txn, false, key, NULL);
    }
}

void put_used(struct machine *machine, Etcd__TxnRequest *txn, unsigned slot)
{
    layout_key key;
    layout_used(&machine->seat->layout, slot, key);
    build_put_text(machine->request, txn, false, key, "");
}

void delete_used(struct machine *machine, Etcd__TxnRequest *txn, unsigned slot)
{
    layout_key key;
    layout_used(&machine->seat->layout, slot, key);
    build_delete(machine->request, txn, false, key, NULL);
}

static void delete_slot(struct machine *machine)
{
    const struct layout *layout = &machine->seat->layout;
    struct build *build = machine->request;
    layout_key key;
    layout_slot(layout, machine->slot, key);
    build_if_modified(build, build->txn, key, machine->token);
    build_delete(build, build->txn, false, key, NULL);
    delete_used(machine, build->txn, machine->slot);
    delete_others(machine, build->txn);
}

enum machine_next release_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct layout *layout = &machine->seat->layout;
    if (!machine_request(machine, release_send, read_release))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key key, end;
    delete_slot(machine);
    layout_in(layout, LAYOUT_WAITERS, "", key);
    layout_end(key, end);
    build_if_none(build, build->txn, key, end);
    view_ask(build, build->txn, true, layout, true);
    return MACHINE_SEND;
}

/* Whether the slot is still held by this token, in the answer to view_ask. */
static bool still_held(const struct machine *machine, const Etcd__TxnResponse *txn)
{
    const Etcd__RangeResponse *slots = range_of(txn->responses[1]);
    for (size_t i = 0; i < slots->n_kvs; i++) {
        unsigned slot;
        if (intake_slot_key(&machine->seat->layout, LAYOUT_SLOTS, slots->kvs[i], &slot) &&
            slot == machine->slot)
            return slots->kvs[i]->mod_revision == machine->token;
    }
    return false;
}

static enum machine_next read_free(struct machine *machine, uint64_t now,
                                   const Etcd__TxnResponse *txn)
{
    (void)txn;
    machine->goal = MACHINE_SERVE;
    return audit_send(machine, now);
}

/* The slot is orphaned, and its last holder says itself that it works there no more: nobody has to
 * wait for that. If somebody has taken the slot over, its key in use is newer than the token. */
static enum machine_next free_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct layout *layout = &machine->seat->layout;
    if (!machine_request(machine, release_send, read_free))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key key;
    layout_slot(layout, machine->slot, key);
    build_if_absent(build, build->txn, key);
    layout_used(layout, machine->slot, key);
    build_if_none_since(build, build->txn, key, NULL, machine->token);
    build_delete(build, build->txn, false, key, NULL);
    return MACHINE_SEND;
}

static enum machine_next not_held(struct machine *machine, uint64_t now)
{
    if (machine->lost)
        return free_send(machine, now);
    if (machine->unsure)
        return machine_done(machine); /* an earlier request did it, and its answer was lost */
    return machine_fail(machine, EPERM, "slot %u of pool %s is not held by this handle any more",
                        machine->slot, machine->seat->layout.name);
}

static enum machine_next read_release(struct machine *machine, uint64_t now,
                                      const Etcd__TxnResponse *txn)
{
    if (txn->succeeded)
        return machine_done(machine);
    struct view view;
    view_read(&view, &machine->seat->layout, txn->header->revision, txn->responses,
              txn->n_responses);
    if (view.broken)
        return machine_fail(machine, EPROTO, "pool %s is damaged: its keys contradict each other",
                            machine->seat->layout.name);
    if (!still_held(machine, txn))
        return not_held(machine, now);
    view_take(machine->seat, &view, now);
    view_leave(&view, machine->slot);
    unsigned slot;
    if (view_vacancies(&view) == 0 || !view_free(&view, 0, &slot))
        return release_drop(machine, now); /* the pool is being made smaller */
    if (view.first_count == 0)
        return release_send(machine, now); /* the waiter has gone */
    /* Mostly it is the only one that is free. */
    const bool alone = view_vacancies(&view) == 1 && slot == machine->slot;
    const bool built =
        alone ? serve_pass(machine, now, &view) : serve_build(machine, now, &view, true);
    return built ? MACHINE_SEND : machine_no_memory(machine);
}

static enum machine_next read_drop(struct machine *machine, uint64_t now,
                                   const Etcd__TxnResponse *txn)
{
    return txn->succeeded ? machine_done(machine) : not_held(machine, now);
}

/* Without handing it over: there are too many slots, or the store takes no more keys. */
enum machine_next release_drop(struct machine *machine, uint64_t now)
{
    (void)now;
    if (!machine_request(machine, release_drop, read_drop))
        return machine_no_memory(machine);
    delete_slot(machine);
    return MACHINE_SEND;
}
