/* Looking at the pool, and giving slots that are free to those who are first in line. */
#include "store/etcd/machine_parts.h"

#include <errno.h>
#include <string.h>

static const uint64_t soon = UINT64_C(5000000);

enum { BEATEN_MOST = 8 }; /* 1.3 s */

/* ---- AUDIT ---- */

static enum machine_next read_audit(struct machine *machine, uint64_t now,
                                    const Etcd__TxnResponse *txn);

enum machine_next audit_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct layout *layout = &machine->seat->layout;
    if (!machine_request(machine, audit_send, read_audit))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    view_ask(build, build->txn, false, layout, true);
    layout_key key;
    layout_in(layout, LAYOUT_WAITERS, machine->entry, key);
    build_get(build, build->txn, false, key, (struct build_range){.keys_only = true});
    layout_in(layout, LAYOUT_MAIL, machine->entry, key);
    build_get(build, build->txn, false, key, (struct build_range){0});
    return MACHINE_SEND;
}

static uint64_t rank_in(const struct view *view, const char *entry)
{
    for (size_t i = 0; i < view->first_count; i++) {
        if (strcmp(view->first[i].entry, entry) == 0)
            return i;
    }
    return view->waiters > VIEW_WAITERS ? view->waiters - 1 : VIEW_WAITERS;
}

/* Nothing is free, but there are orphans, which serve those who are first in line when their time
 * has come. */
static enum machine_next wait_for_orphans(struct machine *machine, uint64_t now,
                                          const struct view *view)
{
    const uint64_t rank = rank_in(view, machine->entry);
    const enum machine_next next =
        wait_in_line(machine, now, rank < view->orphaned ? 0 : rank - view->orphaned);
    const struct moment over =
        moment_last(orphans_next(machine->seat, view), moment_at(now + soon));
    if (next == MACHINE_WAIT && rank == 0)
        machine->wake_at = machine->look_at = moment_first(over, machine->wake_at);
    return next;
}

static enum machine_next read_audit(struct machine *machine, uint64_t now,
                                    const Etcd__TxnResponse *txn)
{
    struct machine_seat *seat = machine->seat;
    struct view view;
    view_read(&view, &machine->seat->layout, txn->header->revision, txn->responses,
              txn->n_responses);
    if (view.broken || txn->n_responses != VIEW_ANSWERS + 2)
        return machine_fail(machine, EPROTO, "pool %s is damaged: its keys contradict each other",
                            seat->layout.name);
    if (!view.there)
        return machine_fail(machine, EIDRM, "pool %s was removed", seat->layout.name);
    view_take(seat, &view, now);
    const bool waits = machine->goal == MACHINE_ACQUIRE;
    const Etcd__KeyValue *mail = only_value(txn->responses[VIEW_ANSWERS + 1]);
    if (waits && mail != NULL)
        return machine_mail(machine, mail);
    if (waits && only_value(txn->responses[VIEW_ANSWERS]) == NULL)
        return MACHINE_LOST;
    machine->watch_from = view.revision + 1;
    unsigned slot;
    const bool vacant =
        view_vacancies(&view) > 0 || (waits && orphans_over(seat, &view, now, 0, &slot));
    if (vacant && view.first_count > 0)
        return serve_build(machine, now, &view, false) ? MACHINE_SEND : machine_no_memory(machine);
    struct moment later = moment_never();
    if (!machine->giving_up && orphans_beyond(seat, &view, now, &slot, &later))
        return orphans_sweep(machine, slot);
    if (machine->goal == MACHINE_SWEEP && !moment_is_never(later))
        return machine_pause(machine, later, audit_send);
    if (waits && view.orphaned > 0)
        return wait_for_orphans(machine, now, &view);
    return waits ? wait_in_line(machine, now, rank_in(&view, machine->entry))
                 : machine_done(machine);
}

/* ---- SERVE ---- */

static enum machine_next read_serve(struct machine *machine, uint64_t now,
                                    const Etcd__TxnResponse *txn)
{
    if (machine->goal == MACHINE_RELEASE)
        return txn->succeeded ? machine_done(machine) : release_send(machine, now);
    if (!txn->succeeded) { /* somebody else served them, and may go on */
        const uint64_t pause = soon
                               << (machine->beaten < BEATEN_MOST ? machine->beaten : BEATEN_MOST);
        machine->beaten++;
        return machine_pause(machine, moment_at(now + machine_about(machine->seat, pause)),
                             audit_send);
    }
    machine->beaten = 0;
    if (strcmp(machine->served.entry, machine->entry) == 0)
        return machine_granted(machine, machine->served.slot, txn->header->revision);
    return audit_send(machine, now);
}

/* If it still waits: the slot's key gets the waiter's name and lease, its entry goes, and its mail
 * says which slot. */
static void hand_over(struct machine *machine, uint64_t now, Etcd__TxnRequest *txn,
                      const struct machine_served *to)
{
    const struct layout *layout = &machine->seat->layout;
    struct build *build = machine->request;
    char entry[LAYOUT_ENTRY];
    layout_copy(entry, sizeof entry, to->entry);
    Berth__Holder holder = BERTH__HOLDER__INIT;
    holder.entry = entry;
    holder.since_ms = machine_wall_ms(machine->seat, now);
    Berth__Mail mail = BERTH__MAIL__INIT;
    mail.slot = to->slot;
    mail.ticket = to->created;
    layout_key key;
    layout_slot(layout, to->slot, key);
    build_put(build, txn, false, key, &holder.base, to->lease);
    layout_in(layout, LAYOUT_MAIL, entry, key);
    build_put(build, txn, false, key, &mail.base, to->lease);
    layout_in(layout, LAYOUT_WAITERS, entry, key);
    build_if_created(build, txn, key, to->created);
    build_delete(build, txn, false, key, NULL);
}

/* As long as the pool has as many slots as were seen. */
static void if_unchanged(struct machine *machine, const struct view *view)
{
    layout_key key;
    layout_pool(&machine->seat->layout, key);
    build_if_modified(machine->request, machine->request->txn, key, view->pool_revision);
}

/* One at a time, though more could be served: a token is a revision, and no two grants are to have
 * the same. */
bool serve_build(struct machine *machine, uint64_t now, const struct view *view, bool holds)
{
    const struct layout *layout = &machine->seat->layout;
    struct machine_served *served = &machine->served;
    /* A hand-over that may have happened is looked into by a release that asks for the token
     * again. */
    if (!machine_request(machine, holds ? release_send : audit_send, read_serve))
        return false;
    *served = view->first[0];
    const bool fresh = view_free(view, 0, &served->slot);
    if (!fresh)
        orphans_over(machine->seat, view, now, 0, &served->slot);
    struct build *build = machine->request;
    layout_key key;
    if_unchanged(machine, view);
    const bool kept = holds && served->slot == machine->slot;
    if (!kept) {
        layout_slot(layout, served->slot, key);
        build_if_absent(build, build->txn, key);
    }
    if (!fresh) {
        orphans_take(machine, build->txn, served->slot);
    } else if (!kept) {
        layout_used(layout, served->slot, key);
        build_if_absent(build, build->txn, key);
        put_used(machine, build->txn, served->slot);
    }
    hand_over(machine, now, build->txn, served);
    if (holds) {
        layout_slot(layout, machine->slot, key);
        build_if_modified(build, build->txn, key, machine->token);
        if (!kept) {
            build_delete(build, build->txn, false, key, NULL);
            delete_used(machine, build->txn, machine->slot);
        }
        delete_others(machine, build->txn);
    }
    return true;
}

/* ---- to the client that is first in line by now ---- */

static enum machine_next read_pass(struct machine *machine, uint64_t now,
                                   const Etcd__TxnResponse *txn)
{
    if (!txn->succeeded)
        return release_send(machine, now);
    const Etcd__TxnResponse *level = nested_answer(txn);
    while (level != NULL && !level->succeeded)
        level = nested_answer(level);
    return level != NULL ? machine_done(machine) : release_send(machine, now);
}

/* Others may serve the first in line at the same time. Clients that came after those in `view`
 * are behind all of them, so the first of those that still waits is the first in line. */
bool serve_pass(struct machine *machine, uint64_t now, const struct view *view)
{
    if (!machine_request(machine, release_send, read_pass))
        return false;
    struct build *build = machine->request;
    layout_key key;
    if_unchanged(machine, view);
    layout_slot(&machine->seat->layout, machine->slot, key);
    build_if_modified(build, build->txn, key, machine->token);
    Etcd__TxnRequest *level = build->txn;
    for (unsigned i = 0; i < MACHINE_SERVED && i < view->first_count; i++) {
        struct machine_served to = view->first[i];
        to.slot = machine->slot;
        level = build_nested(build, level, i > 0);
        hand_over(machine, now, level, &to);
        delete_others(machine, level);
    }
    return true;
}
