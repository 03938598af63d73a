/*
 * The tasks of a session: machines that are turned by answers, by mail and by time. All of this is
 * done by the session's thread, with the mutex held.
 *
 *     QUEUED -> ASKING <-> WAITING -> ENDED      QUEUED again, where the lease is lost
 *
 * Whatever belongs to a lease goes with it: task_requeue is the only way back to QUEUED.
 */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t settle_within = UINT64_C(1000000000), repeat_after = UINT64_C(1000000000);

/* Gives how long one request may take, before it is made again at another endpoint. */
static uint64_t attempt(const struct session *session)
{
    const unsigned seconds = session->address.timeout < session->address.ttl
                                 ? session->address.timeout
                                 : session->address.ttl;
    return (uint64_t)(seconds < 4 ? seconds : 4) * OS_SECOND / 2;
}

/* Says whether what the task does depends on the lease. */
static bool needs_lease(const struct session_task *task)
{
    return !task->machine.lost;
}

static bool acquires(const struct session_task *task)
{
    return task->machine.goal == MACHINE_ACQUIRE || task->machine.goal == MACHINE_TRY;
}

bool task_is_turning(const struct session_task *task)
{
    return task->state == TASK_ASKING || task->state == TASK_WAITING;
}

bool task_waits(const struct session_task *task)
{
    return task_is_turning(task) && task->machine.waits_for_mail;
}

void task_unlist(struct session_task *task)
{
    struct session_task **at = &task->session->tasks;
    while (*at != NULL && *at != task)
        at = &(*at)->next;
    if (*at != NULL)
        *at = task->next;
}

/* ---- from one state to another ---- */

void task_interrupt(struct session_task *task)
{
    if (task->state != TASK_ASKING)
        return;
    link_cancel(&task->session->link, &task->call);
    task->state = TASK_WAITING;
}

/* Somebody waits for the end of `task`, or of those that nobody waits for (session_close). */
static void end(struct session_task *task)
{
    task->state = TASK_ENDED;
    pthread_cond_signal(&task->finished);
    pthread_cond_broadcast(&task->session->opened);
}

void task_fail(struct session_task *task, int error, const char *reason)
{
    task->machine.error = error;
    layout_copy(task->machine.reason, sizeof task->machine.reason, reason);
    end(task);
}

static void time_out(struct session_task *task)
{
    char reason[MACHINE_REASON];
    snprintf(reason, sizeof reason, "pool %s: no slot came free in time",
             task->session->seat.layout.name);
    task_fail(task, ETIMEDOUT, reason);
}

void task_free_caller(struct session_task *task, int error, const char *reason)
{
    if (task->caller != CALLER_WAITS)
        return;
    task->caller = CALLER_FREED;
    task->deadline = moment_never();
    task->freed_error = error;
    layout_copy(task->freed_reason, sizeof task->freed_reason, reason);
    pthread_cond_signal(&task->finished);
}

void task_requeue(struct session_task *task)
{
    task_interrupt(task);
    machine_forget(&task->machine);
    task->state = TASK_QUEUED;
}

void task_start(struct session_task *task, uint64_t now)
{
    task->state = TASK_WAITING;
    task_next(task, machine_start(&task->machine, now), now);
}

void task_give_back(struct session_task *task, uint64_t now)
{
    struct machine release = {.seat = task->machine.seat,
                              .goal = MACHINE_RELEASE,
                              .patience = patience_endless(),
                              .slot = task->machine.slot,
                              .token = task->machine.token};
    memcpy(release.entry, task->machine.entry, sizeof release.entry);
    task->machine = release;
    task->aim = AIM_GIVE_BACK;
    task->deadline = moment_never();
    task_start(task, now);
}

/* ---- what failed, and may have left something in the store ---- */

static bool is_alone(const struct session *session)
{
    const struct session_task *task = session->tasks;
    while (task != NULL && (task->state == TASK_ENDED ||
                            (task->caller != CALLER_WAITS && task->aim != AIM_GIVE_BACK)))
        task = task->next;
    return task == NULL && session->grants == NULL;
}

/* Takes back what an acquire that has failed may have in the store: a slot could be nobody's as
 * long as the handle is open. Where the store refuses that too, the lease is given up, unless
 * others depend on it. */
static void clean_up(struct session_task *task, uint64_t now)
{
    const bool refused = task->aim == AIM_CLEAN_UP;
    task_free_caller(task, task->machine.error, task->machine.reason);
    task->aim = AIM_CLEAN_UP;
    task->deadline = moment_never();
    if (refused && is_alone(task->session))
        session_lose(task->session, "the lease was given up");
    else
        task_next(task, machine_clean_up(&task->machine, now), now);
}

/* A slot that nobody wants could not be given back: that is tried again. */
static void repeat_later(struct session_task *task, uint64_t now)
{
    task->machine.error = 0;
    task_requeue(task);
    task->start_at = now + repeat_after;
}

bool tasks_want_lease(const struct session *session)
{
    const struct session_task *task = session->tasks;
    while (task != NULL && (task->state != TASK_QUEUED || !needs_lease(task)))
        task = task->next;
    return task != NULL;
}

bool tasks_settle(const struct session *session)
{
    const struct session_task *task = session->tasks;
    while (task != NULL && (task->state == TASK_ENDED || task->caller == CALLER_WAITS ||
                            !(acquires(task) || task->machine.goal == MACHINE_RELEASE ||
                              task->machine.goal == MACHINE_SERVE)))
        task = task->next;
    return task != NULL;
}

/* The machine has a slot. It is the caller's, if there is one; without, it goes back. */
static void granted(struct session_task *task, uint64_t now)
{
    struct session *session = task->session;
    if (!session_lease_good(session, now)) { /* back to the end of the line */
        session_lease_look(session, now);
        return;
    }
    if (task->caller == CALLER_WAITS && holding_add(session, &task->machine, now) == NULL)
        task_free_caller(task, ENOMEM, "there is no memory for a grant");
    if (task->caller == CALLER_WAITS)
        end(task);
    else
        task_give_back(task, now);
}

/* The machine is done, with the lease that it was started with. */
static void finish(struct session_task *task, uint64_t now)
{
    const int error = task->machine.error;
    if (acquires(task) && error == 0)
        granted(task, now);
    else if (acquires(task) && task->machine.stake)
        clean_up(task, now);
    else if (task->aim == AIM_GIVE_BACK && error != 0 && error != EPERM)
        repeat_later(task, now);
    else
        end(task);
}

/* ---- turning ---- */

static void answered(struct link_call *call, const struct link_answer *given)
{
    struct session_task *task = call->context;
    const uint64_t now = os_now(STORE_CLOCK);
    struct machine_answer answer = {
        .outcome = given->outcome, .error = given->error, .reason = given->reason};
    Etcd__TxnResponse *txn = NULL;
    task->state = TASK_WAITING;
    if (given->outcome == ANSWER_GIVEN) {
        txn = intake_message(&etcd__txn_response__descriptor, given->size, given->message);
        answer.txn = txn;
        if (txn == NULL || txn->header == NULL)
            answer = (struct machine_answer){.outcome = ANSWER_REFUSED,
                                             .error = EPROTO,
                                             .reason = "the store's answer is not etcd's"};
    }
    if (answer.outcome != ANSWER_GIVEN || header_take(task->session, txn->header, task->seen))
        task_next(task, machine_reply(&task->machine, now, &answer), now);
    if (txn != NULL)
        etcd__txn_response__free_unpacked(txn, NULL);
}

static void ask(struct session_task *task, uint64_t now)
{
    struct build *build = task->machine.request;
    task->machine.request = NULL;
    task->machine.asked_at = now;
    task->call = (struct link_call){.path = "/etcdserverpb.KV/Txn",
                                    .end = answered,
                                    .context = task,
                                    .deadline = now + attempt(task->session),
                                    .patient = true};
    task->seen = task->session->revision;
    const int error = link_call(&task->session->link, &task->call, &build->txn->base);
    free(build);
    if (error == 0) {
        task->state = TASK_ASKING;
        return;
    }
    task->machine.error = error;
    layout_copy(task->machine.reason, sizeof task->machine.reason,
                "there is no memory for a request");
    finish(task, now);
}

void task_next(struct session_task *task, enum machine_next next, uint64_t now)
{
    switch (next) {
    case MACHINE_SEND: ask(task, now); break;
    case MACHINE_WAIT:
        if (task->once && task->machine.waits_for_mail)
            pthread_cond_signal(&task->finished); /* session_begin waits for that */
        break;
    case MACHINE_DONE: finish(task, now); break;
    case MACHINE_LOST: session_lose(task->session, "its keys were gone from the store"); break;
    }
}

/* ---- the lease is lost ---- */

/* With a new lease, an acquire begins again, behind those who came meanwhile. What was to be done
 * with the old one is not to be done any more: a release waits for nothing. */
static void lose_one(struct session_task *task)
{
    const enum machine_goal goal = task->machine.goal;
    const bool again = goal == MACHINE_ACQUIRE || goal == MACHINE_TRY || goal == MACHINE_RESIZE;
    if (task->state == TASK_ENDED || !needs_lease(task))
        return;
    task_requeue(task);
    if (task->caller != CALLER_WAITS)
        end(task);
    else if (task->once || !again)
        task_fail(task, task->once ? ESTALE : EPERM, "the lease has ended");
    else if (task->machine.giving_up)
        time_out(task);
}

void tasks_lose(struct session *session)
{
    lose_one(&session->enter);
    for (struct session_task *task = session->tasks; task != NULL; task = task->next)
        lose_one(task);
}

/* ---- time ---- */

/* The deadline of an acquire is over. It has a moment to leave the line in good order; then its
 * caller goes. */
static void pass_deadline(struct session_task *task, uint64_t now)
{
    if (task->state == TASK_QUEUED) {
        time_out(task);
    } else if (!task->machine.giving_up) {
        task->deadline = moment_at(now + settle_within);
        task_next(task, machine_give_up(&task->machine, now, task->state == TASK_ASKING), now);
    } else {
        char reason[MACHINE_REASON];
        snprintf(reason, sizeof reason, "pool %s: no slot came free in time",
                 task->session->seat.layout.name);
        task_free_caller(task, ETIMEDOUT, reason);
    }
}

/* Does what is due for `task`; false: nothing is. */
static bool tick_one(struct session_task *task, uint64_t now)
{
    const struct session *session = task->session;
    if (task->state == TASK_ENDED)
        return false;
    if (task->state == TASK_QUEUED && session->state == SESSION_FAILED)
        task_fail(task, session->error, session->reason);
    else if (task->state == TASK_QUEUED && now >= task->start_at &&
             (session->state == SESSION_OPEN || !needs_lease(task)))
        task_start(task, now);
    else if (moment_has_come(task->deadline, now))
        pass_deadline(task, now);
    else if (task->state == TASK_WAITING && moment_has_come(task->machine.wake_at, now))
        task_next(task, machine_tick(&task->machine, now), now);
    else
        return false;
    return true;
}

static bool tick_any(struct session *session, uint64_t now)
{
    struct session_task *task = session->tasks;
    while (task != NULL && !tick_one(task, now))
        task = task->next;
    return task != NULL;
}

static void free_ended(struct session *session)
{
    for (struct session_task **at = &session->tasks; *at != NULL;) {
        struct session_task *task = *at;
        if (task->state != TASK_ENDED || task->caller != CALLER_GONE) {
            at = &task->next;
            continue;
        }
        *at = task->next;
        pthread_cond_destroy(&task->finished);
        free(task);
    }
}

static struct moment next_time(const struct session_task *task)
{
    switch (task->state) {
    case TASK_QUEUED: /* the lease has times of its own, and so has the pool */
        return task->session->state == SESSION_OPEN
                   ? moment_first(task->deadline, moment_at(task->start_at))
                   : task->deadline;
    case TASK_ASKING: return task->deadline;
    case TASK_WAITING: return moment_first(task->deadline, task->machine.wake_at);
    case TASK_ENDED: break;
    }
    return moment_never();
}

void tasks_tick(struct session *session, uint64_t now, struct moment *until)
{
    while (tick_any(session, now))
        ; /* what a task does may change the others */
    free_ended(session);
    for (struct session_task *task = session->tasks; task != NULL; task = task->next)
        *until = moment_first(*until, next_time(task));
}
