/* Acquiring a slot or a place in the queue; finding out whether a request without an answer was
 * carried out; and leaving the queue. */
#include "store/etcd/machine_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    TRIES = 4,         /* of MACHINE_TRY, where its guesses were wrong and there is a free slot */
    UNKNOWN_RANK = 10, /* the answer that told it was lost */
};

/* ---- waiting ---- */

static enum machine_next read_look(struct machine *machine, uint64_t now,
                                   const Etcd__TxnResponse *txn)
{
    const bool whole = txn->n_responses == 2;
    const Etcd__KeyValue *waiter = whole ? only_value(txn->responses[0]) : NULL;
    const Etcd__KeyValue *mail = whole ? only_value(txn->responses[1]) : NULL;
    if (mail != NULL)
        return machine_mail(machine, mail);
    if (waiter == NULL)
        return MACHINE_LOST;
    machine->watch_from = txn->header->revision + 1;
    return machine->giving_up ? retreat_send(machine, now) : wait_as_planned(machine);
}

enum machine_next look_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct layout *layout = &machine->seat->layout;
    if (!machine_request(machine, look_send, read_look))
        return machine_no_memory(machine);
    layout_key key;
    layout_in(layout, LAYOUT_WAITERS, machine->entry, key);
    build_get(machine->request, machine->request->txn, false, key,
              (struct build_range){.keys_only = true});
    layout_in(layout, LAYOUT_MAIL, machine->entry, key);
    build_get(machine->request, machine->request->txn, false, key, (struct build_range){0});
    return MACHINE_SEND;
}

/* ---- ACQUIRE ---- */

/* Guesses which slots are free: the one that was held last, and those that `view` shows free, if
 * there is a view. */
static void choose_guesses(struct machine *machine, uint64_t now, const struct view *view)
{
    struct machine_seat *seat = machine->seat;
    machine->guesses = 0;
    const unsigned slots = seat->slots;
    const unsigned most = slots < MACHINE_GUESSES ? slots : MACHINE_GUESSES;
    unsigned next = seat->last < slots ? seat->last : 0;
    while (machine->guesses < most) {
        const unsigned from = machine->guesses == 0 ? 0 : next;
        if (view != NULL && !(machine->takes_over ? orphans_over(seat, view, now, from, &next)
                                                  : view_free(view, from, &next)))
            break;
        machine->guess[machine->guesses++] = next;
        next = view != NULL ? next + 1 : (next + 1) % slots;
    }
}

static void put_holder(struct machine *machine, uint64_t now, Etcd__TxnRequest *txn, unsigned slot)
{
    Berth__Holder holder = BERTH__HOLDER__INIT;
    holder.entry = machine->entry;
    holder.since_ms = machine_wall_ms(machine->seat, now);
    layout_key key;
    layout_slot(&machine->seat->layout, slot, key);
    build_put(machine->request, txn, false, key, &holder.base, machine->seat->lease);
}

/* What there is to do where no guess came true. */
static void or_wait(struct machine *machine, uint64_t now, Etcd__TxnRequest *txn)
{
    if (machine->goal == MACHINE_ACQUIRE) {
        Berth__Waiter waiter = BERTH__WAITER__INIT;
        waiter.since_ms = machine_wall_ms(machine->seat, now);
        layout_key key;
        layout_in(&machine->seat->layout, LAYOUT_WAITERS, machine->entry, key);
        build_put(machine->request, txn, false, key, &waiter.base, machine->seat->lease);
    }
    view_ask(machine->request, txn, false, &machine->seat->layout, false);
}

static void if_nobody_waits(struct machine *machine, Etcd__TxnRequest *txn)
{
    layout_key key, end;
    layout_in(&machine->seat->layout, LAYOUT_WAITERS, "", key);
    layout_end(key, end);
    build_if_none(machine->request, txn, key, end);
}

/* A free slot is there for a newcomer if nobody waits. */
static void if_open(struct machine *machine, Etcd__TxnRequest *txn)
{
    layout_key key;
    layout_pool(&machine->seat->layout, key);
    build_if_modified(machine->request, txn, key, machine->seat->pool_revision);
    if_nobody_waits(machine, txn);
}

static enum machine_next read_acquire(struct machine *machine, uint64_t now,
                                      const Etcd__TxnResponse *txn);

/* Compares the client's key with its last known revision: a RECOVER changes it, so a request that
 * arrives after that has no effect. */
static void if_current(struct machine *machine, Etcd__TxnRequest *txn)
{
    const struct machine_seat *seat = machine->seat;
    layout_key key;
    layout_in(&seat->layout, LAYOUT_CLIENTS, seat->client, key);
    build_if_modified(machine->request, txn, key, seat->client_revision);
}

static void take_if_vacant(struct machine *machine, uint64_t now, Etcd__TxnRequest *txn,
                           unsigned slot)
{
    const struct layout *layout = &machine->seat->layout;
    layout_key key;
    layout_slot(layout, slot, key);
    build_if_absent(machine->request, txn, key);
    put_holder(machine, now, txn, slot);
    if (machine->takes_over) {
        orphans_take(machine, txn, slot);
        return;
    }
    layout_used(layout, slot, key);
    build_if_absent(machine->request, txn, key);
    put_used(machine, txn, slot);
}

static void take_if_free(struct machine *machine, uint64_t now, Etcd__TxnRequest *txn,
                         unsigned slot)
{
    if_current(machine, txn);
    if_open(machine, txn);
    take_if_vacant(machine, now, txn, slot);
}

void acquire_name(struct machine *machine)
{
    struct machine_seat *seat = machine->seat;
    snprintf(machine->entry, sizeof machine->entry, "%s.%llu", seat->client,
             (unsigned long long)++seat->serial);
}

/* Tries one guessed slot, or else the next one; after the last, takes a place in the queue. Mostly
 * the first guess is right, so it is the transaction itself, and the others are nested in its else
 * branch. */
static enum machine_next send(struct machine *machine, uint64_t now)
{
    const struct machine_seat *seat = machine->seat;
    if (!machine_request(machine, acquire_send, read_acquire))
        return machine_no_memory(machine);
    machine->stake = true;
    struct build *build = machine->request;
    Etcd__TxnRequest *level = build->txn;
    for (unsigned i = 0; i < machine->guesses; i++) {
        take_if_free(machine, now, level, machine->guess[i]);
        level = build_nested(build, level, true);
    }
    if_current(machine, level);
    or_wait(machine, now, level);
    layout_key key;
    layout_in(&seat->layout, LAYOUT_CLIENTS, seat->client, key);
    build_get(build, level, true, key, (struct build_range){.keys_only = true});
    return MACHINE_SEND;
}

enum machine_next acquire_send(struct machine *machine, uint64_t now)
{
    if (machine->giving_up)
        return machine_fail(machine, ETIMEDOUT, "no slot came free in time");
    machine->takes_over = false;
    choose_guesses(machine, now, NULL);
    return send(machine, now);
}

/* The way through the nested transactions: the guess that came true, or -1, and the last level. */
static int true_guess(const struct machine *machine, const Etcd__TxnResponse **level)
{
    for (unsigned i = 0; i < machine->guesses && *level != NULL; i++) {
        if ((*level)->succeeded)
            return (int)i;
        *level = nested_answer(*level);
    }
    return -1;
}

static enum machine_next damaged(struct machine *machine)
{
    return machine_fail(machine, EPROTO, "pool %s is damaged: its keys contradict each other",
                        machine->seat->layout.name);
}

/* A TRY whose guesses were wrong. Where only orphaned slots are left, it takes one of them over,
 * after their time of grace. */
static enum machine_next try_again(struct machine *machine, uint64_t now, const struct view *view)
{
    const size_t vacancies = view_vacancies(view);
    const bool orphans = vacancies == 0 && view->orphaned > view->waiters;
    if ((vacancies <= view->waiters && !orphans) || machine->rounds++ >= TRIES)
        return machine_fail(machine, EBUSY, "pool %s has no free slot", machine->seat->layout.name);
    unsigned slot;
    if (orphans && !orphans_over(machine->seat, view, now, 0, &slot))
        return machine_pause(machine, orphans_next(machine->seat, view), acquire_send);
    machine->takes_over = orphans;
    choose_guesses(machine, now, view);
    return send(machine, now);
}

/* No slot could be taken at once. If some are free nevertheless, the guesses were wrong, or a
 * holder died. */
static enum machine_next read_line(struct machine *machine, uint64_t now, struct view *view)
{
    struct machine_seat *seat = machine->seat;
    if (view->broken)
        return damaged(machine);
    if (!view->there)
        return machine_fail(machine, EIDRM, "pool %s was removed", seat->layout.name);
    view_take(seat, view, now);
    const size_t vacancies = view_vacancies(view);
    if (machine->goal == MACHINE_TRY) {
        machine->stake = false; /* it was carried out, and put nothing */
        return try_again(machine, now, view);
    }
    machine->ticket = view->revision;
    machine->watch_from = view->revision + 1;
    if (vacancies == 0 && view->orphaned == 0)
        return wait_in_line(machine, now, view->waiters - 1);
    if (vacancies == 0 || view->waiters > 1)
        return audit_send(machine, now);
    view->first_count = 1;
    layout_copy(view->first[0].entry, sizeof view->first[0].entry, machine->entry);
    view->first[0].created = view->revision;
    view->first[0].lease = seat->lease;
    return serve_build(machine, now, view, false) ? MACHINE_SEND : machine_no_memory(machine);
}

static enum machine_next read_acquire(struct machine *machine, uint64_t now,
                                      const Etcd__TxnResponse *txn)
{
    const int64_t revision = txn->header->revision;
    const Etcd__TxnResponse *level = txn;
    const int guess = true_guess(machine, &level);
    if (guess >= 0)
        return machine_granted(machine, machine->guess[guess], revision);
    if (level == NULL)
        return damaged(machine);
    if (!level->succeeded) { /* the client's key has changed, or has gone with the lease */
        machine->stake = false;
        const Etcd__KeyValue *client =
            level->n_responses == 1 ? only_value(level->responses[0]) : NULL;
        if (client == NULL)
            return MACHINE_LOST;
        machine->seat->client_revision = client->mod_revision;
        return acquire_send(machine, now);
    }
    const size_t skip = machine->goal == MACHINE_ACQUIRE ? 1 : 0;
    if (level->n_responses != VIEW_ANSWERS + skip)
        return damaged(machine);
    struct view view;
    view_read(&view, &machine->seat->layout, revision, level->responses + skip, VIEW_ANSWERS);
    return read_line(machine, now, &view);
}

/* ---- after an answer that was lost ---- */

static enum machine_next read_recover(struct machine *machine, uint64_t now,
                                      const Etcd__TxnResponse *txn);

enum machine_next recover_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct machine_seat *seat = machine->seat;
    if (!machine_request(machine, recover_send, read_recover))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key key, end;
    layout_in(&seat->layout, LAYOUT_CLIENTS, seat->client, key);
    build_if_present(build, build->txn, key);
    put_client(machine, build->txn, false);
    layout_in(&seat->layout, LAYOUT_WAITERS, machine->entry, key);
    build_get(build, build->txn, false, key, (struct build_range){.keys_only = true});
    layout_in(&seat->layout, LAYOUT_SLOTS, "", key);
    layout_end(key, end);
    build_get(build, build->txn, false, key, (struct build_range){.end = end});
    layout_in(&seat->layout, LAYOUT_MAIL, machine->entry, key);
    build_get(build, build->txn, false, key, (struct build_range){0});
    return MACHINE_SEND;
}

/* The slot that the machine's entry holds; NULL: none. */
static const Etcd__KeyValue *find_held(const struct machine *machine,
                                       const Etcd__RangeResponse *slots)
{
    for (size_t i = 0; i < slots->n_kvs; i++) {
        struct intake_holder holder;
        if (intake_holder(slots->kvs[i], &holder) && strcmp(holder.entry, machine->entry) == 0)
            return slots->kvs[i];
    }
    return NULL;
}

static enum machine_next read_recover(struct machine *machine, uint64_t now,
                                      const Etcd__TxnResponse *txn)
{
    if (!txn->succeeded)
        return MACHINE_LOST;
    if (txn->n_responses != 4 || range_of(txn->responses[2]) == NULL)
        return damaged(machine);
    machine->seat->client_revision = txn->header->revision;
    const Etcd__KeyValue *held = find_held(machine, range_of(txn->responses[2]));
    const Etcd__KeyValue *mail = only_value(txn->responses[3]);
    unsigned slot;
    if (held != NULL && mail != NULL)
        return machine_mail(machine, mail); /* it had to wait, and knows since when */
    if (held != NULL)
        return intake_slot_key(&machine->seat->layout, LAYOUT_SLOTS, held, &slot)
                   ? machine_granted(machine, slot, held->mod_revision)
                   : damaged(machine);
    const Etcd__KeyValue *waiter = only_value(txn->responses[1]);
    machine->stake = waiter != NULL;
    if (waiter == NULL)
        return acquire_send(machine, now);
    machine->ticket = waiter->create_revision;
    machine->watch_from = txn->header->revision + 1;
    /* Where all slots are taken, the first in line looks after them. */
    return range_of(txn->responses[2])->n_kvs < machine->seat->slots
               ? audit_send(machine, now)
               : wait_in_line(machine, now, machine->rank != 0 ? machine->rank : UNKNOWN_RANK);
}

/* ---- leaving the line ---- */

static enum machine_next read_retreat(struct machine *machine, uint64_t now,
                                      const Etcd__TxnResponse *txn)
{
    (void)now;
    const Etcd__KeyValue *mail =
        !txn->succeeded && txn->n_responses == 1 ? only_value(txn->responses[0]) : NULL;
    machine->stake = mail != NULL;
    return mail != NULL ? machine_mail(machine, mail)
                        : machine_fail(machine, ETIMEDOUT, "pool %s: no slot came free in time",
                                       machine->seat->layout.name);
}

enum machine_next retreat_send(struct machine *machine, uint64_t now)
{
    (void)now;
    if (!machine_request(machine, retreat_send, read_retreat))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key key;
    layout_in(&machine->seat->layout, LAYOUT_WAITERS, machine->entry, key);
    build_if_present(build, build->txn, key);
    build_delete(build, build->txn, false, key, NULL);
    layout_in(&machine->seat->layout, LAYOUT_MAIL, machine->entry, key);
    build_get(build, build->txn, true, key, (struct build_range){0});
    return MACHINE_SEND;
}
