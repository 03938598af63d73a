/* The machines of a session, turned by answers, by mail and by time. */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t settle_within = UINT64_C(1000000000), repeat_after = UINT64_C(1000000000);

/* How long one request may take, before it is made again at another endpoint. */
static uint64_t attempt(const struct session *session)
{
    const unsigned seconds = session->address.timeout < session->address.ttl
                                 ? session->address.timeout
                                 : session->address.ttl;
    return (uint64_t)(seconds < 4 ? seconds : 4) * OS_SECOND / 2;
}

static void unlist(struct session_task *task)
{
    struct session_task **at = &task->session->tasks;
    while (*at != NULL && *at != task)
        at = &(*at)->next;
    if (*at != NULL)
        *at = task->next;
}

bool task_waits(const struct session_task *task)
{
    return !task->done && task->turning && task->machine.waits_for_mail;
}

static bool acquires(const struct session_task *task)
{
    return task->machine.goal == MACHINE_ACQUIRE || task->machine.goal == MACHINE_TRY;
}

void task_pass_on(struct session_task *task, uint64_t now)
{
    struct machine release = {.seat = task->machine.seat,
                              .goal = MACHINE_RELEASE,
                              .patience = UINT64_MAX,
                              .slot = task->machine.slot,
                              .token = task->machine.token};
    memcpy(release.entry, task->machine.entry, sizeof release.entry);
    task->machine = release;
    task->done = false;
    task->deadline = UINT64_MAX;
    task_start(task, now);
}

void task_end(struct session_task *task)
{
    if (task->under_way)
        link_cancel(&task->session->link, &task->call);
    task->under_way = false;
    unlist(task);
}

/* ---- what failed, and may have left something in the store ---- */

/* The caller that waits for the task is told now. The task goes on without it. */
static void leave_alone(struct session_task *task, int error, const char *reason)
{
    if (task->cleaning)
        return;
    task->cleaning = task->given_up = true;
    task->given_error = error;
    task->deadline = UINT64_MAX;
    layout_copy(task->given_reason, sizeof task->given_reason, reason);
    pthread_cond_signal(&task->finished);
}

static bool is_alone(const struct session *session)
{
    const struct session_task *task = session->tasks;
    while (task != NULL && (task->done || task->cleaning))
        task = task->next;
    return task == NULL && session->grants == NULL;
}

/* Without this, a slot could be nobody's as long as the handle is open. Where the store does not
 * let it, the lease is given up, unless others depend on it. */
static void clean_up(struct session_task *task, uint64_t now)
{
    const bool refused = task->cleaning;
    leave_alone(task, task->machine.error, task->machine.reason);
    if (refused && is_alone(task->session))
        session_lose(task->session, "the lease was given up");
    else
        task_next(task, machine_clean_up(&task->machine, now), now);
}

/* A slot that nobody wants, and that could not be given back. */
static void repeat_later(struct session_task *task, uint64_t now)
{
    task->machine.error = 0;
    task->machine.trouble_since = 0;
    task->turning = false;
    task->start_at = now + repeat_after;
}

/* Somebody waits for it, or for those that nobody waits for (session_close). */
static void is_done(struct session_task *task)
{
    task->done = true;
    pthread_cond_signal(&task->finished);
    pthread_cond_broadcast(&task->session->opened);
}

bool tasks_go_on(const struct session *session)
{
    const struct session_task *task = session->tasks;
    while (task != NULL && (task->done || !task->detached ||
                            !(acquires(task) || task->machine.goal == MACHINE_RELEASE)))
        task = task->next;
    return task != NULL;
}

static void finish(struct session_task *task, uint64_t now)
{
    struct session *session = task->session;
    const int error = task->machine.error;
    const bool alone = task->detached || task->cleaning;
    if (error == 0 && acquires(task)) {
        if (!session_lease_good(session, now)) { /* it goes back to the end of the line */
            session_lose(session, "the lease could not be renewed in time");
            return;
        }
        if (!alone && holding_add(session, &task->machine, now) == NULL)
            leave_alone(task, ENOMEM, "there is no memory for a grant");
        if (alone || task->cleaning) {
            task_pass_on(task, now);
            return;
        }
    } else if (error != 0 && acquires(task) && task->machine.stake && session->lease.id != 0) {
        clean_up(task, now);
        return;
    } else if (alone && task->machine.goal == MACHINE_RELEASE && error != 0 && error != EPERM &&
               session->lease.id != 0) {
        repeat_later(task, now);
        return;
    }
    is_done(task);
}

/* ---- turning ---- */

static void answered(struct link_call *call, const struct link_answer *given)
{
    struct session_task *task = call->context;
    const uint64_t now = os_now(STORE_CLOCK);
    struct machine_answer answer = {
        .outcome = given->outcome, .error = given->error, .reason = given->reason};
    Etcd__TxnResponse *txn = NULL;
    task->under_way = false;
    if (given->outcome == ANSWER_GIVEN) {
        txn = etcd__txn_response__unpack(NULL, given->size, given->message);
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

static void dispatch(struct session_task *task, uint64_t now)
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
    if (error != 0) {
        task->machine.error = error;
        layout_copy(task->machine.reason, sizeof task->machine.reason,
                    "there is no memory for a request");
        finish(task, now);
        return;
    }
    task->under_way = true;
}

void task_next(struct session_task *task, enum machine_next next, uint64_t now)
{
    switch (next) {
    case MACHINE_SEND: dispatch(task, now); break;
    case MACHINE_WAIT:
        if (task->machine.waits_for_mail && !task->in_line) {
            task->in_line = true;
            pthread_cond_signal(&task->finished);
        }
        break;
    case MACHINE_DONE: finish(task, now); break;
    case MACHINE_LOST: session_lose(task->session, "its keys were gone from the store"); break;
    }
}

/* With a new lease, an acquire begins again, behind those who came meanwhile. What was to be done
 * with the old one is not to be done any more, nor begun: a release waits for nothing. */
static void lose_one(struct session_task *task)
{
    if (task->done)
        return;
    const enum machine_goal goal = task->machine.goal;
    if (task->under_way)
        link_cancel(&task->session->link, &task->call);
    task->under_way = task->turning = false;
    if (task->cleaning || task->detached) { /* what there was has gone with the lease */
        is_done(task);
        return;
    }
    if (!task->once && (goal == MACHINE_ACQUIRE || goal == MACHINE_TRY || goal == MACHINE_RESIZE))
        return;
    task->machine.error = task->once ? ESTALE : EPERM;
    layout_copy(task->machine.reason, sizeof task->machine.reason, "the lease has ended");
    finish(task, 0);
}

void tasks_lose(struct session *session)
{
    lose_one(&session->enter);
    for (struct session_task *task = session->tasks; task != NULL; task = task->next)
        lose_one(task);
}

void task_start(struct session_task *task, uint64_t now)
{
    task->turning = true;
    task_next(task, machine_start(&task->machine, now), now);
}

/* The time is up for an acquire. It has a moment to leave in good order. */
static void time_is_up(struct session_task *task, uint64_t now)
{
    if (!task->turning) {
        task->machine.error = ETIMEDOUT;
        finish(task, now);
        return;
    }
    if (!task->machine.giving_up) {
        task->deadline = now + settle_within;
        task_next(task, machine_give_up(&task->machine, now, task->under_way), now);
        return;
    }
    task->deadline = UINT64_MAX;
    task->given_up = true;
    pthread_cond_signal(&task->finished);
}

static bool tick_one(struct session *session, uint64_t now)
{
    for (struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (task->done)
            continue;
        if (!task->turning && session->state == SESSION_FAILED) {
            task->machine.error = session->error;
            layout_copy(task->machine.reason, sizeof task->machine.reason, session->reason);
            finish(task, now);
            return true;
        }
        if (!task->turning && session->state == SESSION_OPEN && now >= task->start_at) {
            task_start(task, now);
            return true;
        }
        if (now >= task->deadline) {
            time_is_up(task, now);
            return true;
        }
        if (task->turning && !task->under_way && now >= task->machine.wake_at) {
            task_next(task, machine_tick(&task->machine, now), now);
            return true;
        }
    }
    return false;
}

/* Those that have ended and that nobody waits for. */
static void free_finished_tasks(struct session *session)
{
    for (struct session_task **at = &session->tasks; *at != NULL;) {
        struct session_task *task = *at;
        if (!task->done || !task->detached) {
            at = &task->next;
            continue;
        }
        *at = task->next;
        pthread_cond_destroy(&task->finished);
        free(task);
    }
}

void tasks_tick(struct session *session, uint64_t now, uint64_t *until)
{
    while (tick_one(session, now))
        ; /* what a task does may change the others */
    free_finished_tasks(session);
    for (struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (task->done)
            continue;
        if (task->deadline < *until)
            *until = task->deadline;
        if (!task->turning && task->start_at > now && task->start_at < *until)
            *until = task->start_at;
        if (task->turning && !task->under_way && task->machine.wake_at < *until)
            *until = task->machine.wake_at;
    }
}
