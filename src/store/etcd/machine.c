#include "store/etcd/machine_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MILLISECOND UINT64_C(1000000)

enum machine_next machine_done(struct machine *machine)
{
    machine->waits_for_mail = false;
    return MACHINE_DONE;
}

enum machine_next machine_fail(struct machine *machine, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(machine->reason, sizeof machine->reason, format, arguments);
    va_end(arguments);
    machine->error = error;
    return machine_done(machine);
}

enum machine_next machine_no_memory(struct machine *machine)
{
    return machine_fail(machine, ENOMEM, "there is no memory for a request");
}

enum machine_next machine_granted(struct machine *machine, unsigned slot, int64_t token)
{
    machine->slot = slot;
    machine->token = token;
    if (machine->ticket == 0)
        machine->ticket = token;
    machine->seat->last = slot;
    return machine_done(machine);
}

enum machine_next machine_pause(struct machine *machine, struct moment until,
                                enum machine_next (*later)(struct machine *, uint64_t now))
{
    machine->wake_at = until;
    machine->later = later;
    return MACHINE_WAIT;
}

/* xorshift64*: for jitter and guesses. Safety does not depend on it. */
static uint64_t draw(struct machine_seat *seat)
{
    seat->random ^= seat->random >> 12;
    seat->random ^= seat->random << 25;
    seat->random ^= seat->random >> 27;
    return seat->random * UINT64_C(2685821657736338717);
}

uint64_t machine_about(struct machine_seat *seat, uint64_t nanoseconds)
{
    return nanoseconds / 2 + draw(seat) % (nanoseconds + 1);
}

int64_t machine_wall_ms(const struct machine_seat *seat, uint64_t now)
{
    return seat->wall_ms + (int64_t)(now / MILLISECOND);
}

bool machine_request(struct machine *machine, enum machine_next (*send)(struct machine *, uint64_t),
                     enum machine_next (*read)(struct machine *, uint64_t,
                                               const Etcd__TxnResponse *))
{
    machine->send = send;
    machine->read = read;
    machine->request = build_new();
    machine->seat->sent++;
    return machine->request != NULL;
}

static enum machine_next bare_again(struct machine *machine, uint64_t now)
{
    (void)now;
    return machine_fail(machine, ECONNRESET, "the connection was interrupted");
}

static enum machine_next read_bare(struct machine *machine, uint64_t now,
                                   const Etcd__TxnResponse *txn)
{
    (void)now, (void)txn;
    return machine_done(machine);
}

enum machine_next machine_start(struct machine *machine, uint64_t now)
{
    machine->waits_for_mail = false;
    switch (machine->goal) {
    case MACHINE_ENTER: return enter_send(machine, now);
    case MACHINE_ACQUIRE:
    case MACHINE_TRY:
        machine_forget(machine);
        machine->ticket = 0;
        machine->takes_over = false;
        machine->rank = machine->rank_at = 0;
        machine->tries = machine->rounds = machine->beaten = 0;
        acquire_name(machine);
        return acquire_send(machine, now);
    case MACHINE_RELEASE: return release_send(machine, now);
    case MACHINE_SERVE: return audit_send(machine, now);
    case MACHINE_SWEEP:
        return machine->seat->looked ? machine_done(machine) : audit_send(machine, now);
    case MACHINE_RESIZE: return resize_send(machine, now);
    case MACHINE_DESCRIBE: return describe_send(machine, now);
    case MACHINE_ENTER_DOOR: return door_enter_send(machine, now);
    case MACHINE_LEAVE_DOOR: return door_leave_send(machine, now);
    case MACHINE_BARE:
        machine->send = bare_again;
        machine->read = read_bare;
        return MACHINE_SEND;
    }
    return machine_fail(machine, EINVAL, "no such goal");
}

/* The request is made again after a while, longer each time; or this has gone on for too long. */
static enum machine_next trouble(struct machine *machine, uint64_t now,
                                 const struct machine_answer *answer)
{
    if (machine->trouble_since == 0)
        machine->trouble_since = machine->asked_at != 0 ? machine->asked_at : now;
    if (moment_has_come(patience_ends(machine->patience, machine->trouble_since), now))
        return machine_fail(machine, answer->error, "%s", answer->reason);
    layout_copy(machine->reason, sizeof machine->reason, answer->reason);
    enum machine_next (*again)(struct machine *, uint64_t) = machine->send;
    if (answer->outcome == ANSWER_UNKNOWN && (again == door_enter_send || again == door_leave_send))
        return MACHINE_LOST; /* door.c says why */
    if (answer->outcome == ANSWER_UNKNOWN) {
        machine->unsure = true;
        if (again == acquire_send)
            again = recover_send;
    }
    uint64_t pause = 20 * MILLISECOND << (machine->tries < 6 ? machine->tries : 6);
    if (again == audit_send) /* do not ask a slow store for the whole line again soon */
        pause = 25 * pause;
    machine->tries++;
    return machine_pause(machine, moment_at(now + machine_about(machine->seat, pause)), again);
}

enum machine_next machine_reply(struct machine *machine, uint64_t now,
                                const struct machine_answer *answer)
{
    /* After an answer that was lost, RECOVER comes first: so nothing else is on its way. */
    if ((answer->outcome == ANSWER_REFUSED || answer->outcome == ANSWER_UNSENT) &&
        machine->send == acquire_send)
        machine->stake = false;
    if (answer->outcome == ANSWER_REFUSED && answer->error == ESTALE &&
        machine->goal != MACHINE_RELEASE)
        return MACHINE_LOST;
    /* A hand-over puts keys, which a full store refuses; a slot that is just given up is
     * deleted. */
    if (answer->outcome == ANSWER_REFUSED && machine->goal == MACHINE_RELEASE &&
        machine->read != NULL && !machine->no_space &&
        (answer->error == ENOSPC || answer->error == ESTALE)) {
        machine->no_space = true;
        return release_drop(machine, now);
    }
    if (answer->outcome == ANSWER_REFUSED)
        return machine_fail(machine, answer->error, "%s", answer->reason);
    if (answer->outcome != ANSWER_GIVEN)
        return trouble(machine, now, answer);
    machine->trouble_since = 0;
    machine->tries = 0;
    return machine->read(machine, now, answer->txn);
}

enum machine_next machine_tick(struct machine *machine, uint64_t now)
{
    machine->seat->audits += machine->later == audit_send;
    return machine->later(machine, now);
}

/* A slot that is not known to be one of the pool's may be one by now, or a stranger's writing: the
 * pool is looked at, and the mail again. */
enum machine_next machine_mail(struct machine *machine, const Etcd__KeyValue *kv)
{
    struct intake_mail mail;
    if (!intake_mail(kv, &mail) || (mail.slot >= machine->seat->slots && machine->doubts))
        return machine_fail(machine, EPROTO, "pool %s is damaged: that is no slot",
                            machine->seat->layout.name);
    if (mail.slot >= machine->seat->slots) {
        machine->doubts = true;
        return audit_send(machine, 0);
    }
    machine->ticket = mail.ticket;
    return machine_granted(machine, mail.slot, kv->mod_revision);
}

enum machine_next machine_look_again(struct machine *machine, uint64_t now)
{
    return look_send(machine, now);
}

enum machine_next machine_give_up(struct machine *machine, uint64_t now, bool under_way)
{
    machine->giving_up = true;
    if (under_way)
        return MACHINE_WAIT; /* wait_in_line does that */
    if (machine->goal == MACHINE_ENTER_DOOR)
        return machine_fail(machine, ETIMEDOUT, "nobody came out of the store's door in time");
    /* A request that may still be carried out has to be invalidated before the machine ends. */
    return machine->later == recover_send ? recover_send(machine, now) : retreat_send(machine, now);
}

void machine_forget(struct machine *machine)
{
    machine->stake = machine->waits_for_mail = false;
    machine->trouble_since = 0;
    machine->doubts = false;
}

/* Soon, and repeated until it succeeds. If no request can be under way, no key has to be put, so
 * this works with a store that is full, too. */
enum machine_next machine_clean_up(struct machine *machine, uint64_t now)
{
    const bool unsure = machine->send == recover_send || machine->send == acquire_send;
    machine->goal = MACHINE_ACQUIRE;
    machine->giving_up = true;
    machine->waits_for_mail = false;
    machine->error = 0;
    machine->trouble_since = 0;
    machine->patience = patience_endless();
    return machine_pause(machine, moment_at(now + machine_about(machine->seat, 100 * MILLISECOND)),
                         unsure ? recover_send : retreat_send);
}
