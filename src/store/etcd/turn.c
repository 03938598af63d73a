/* The machines of a session, turned by answers, by mail and by time. */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t settle_within = UINT64_C(1000000000);

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

static void keep_grant(struct session_task *task)
{
    struct session *session = task->session;
    const struct machine *machine = &task->machine;
    struct session_grant *grant = malloc(sizeof *grant);
    if (grant == NULL) { /* it cannot be given back later: give it back now */
        task->machine.error = ENOMEM;
        layout_copy(task->machine.reason, sizeof task->machine.reason,
                    "there is no memory for a grant");
        session_lose(session);
        return;
    }
    *grant = (struct session_grant){.next = session->grants,
                                    .token = machine->token,
                                    .lease = session->lease.id,
                                    .slot = machine->slot};
    memcpy(grant->entry, machine->entry, sizeof grant->entry);
    session->grants = grant;
}

/* A slot came for somebody who has left: it goes on. */
static void pass_on(struct session_task *task, uint64_t now)
{
    struct machine *machine = &task->machine;
    *machine = (struct machine){.seat = machine->seat,
                                .goal = MACHINE_RELEASE,
                                .patience = machine->patience,
                                .slot = machine->slot,
                                .token = machine->token};
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

static void finish(struct session_task *task, uint64_t now)
{
    const bool got = task->machine.error == 0 &&
                     (task->machine.goal == MACHINE_ACQUIRE || task->machine.goal == MACHINE_TRY);
    task->done = true;
    if (task->detached) {
        if (got)
            pass_on(task, now);
        return; /* tasks_tick sees to the rest */
    }
    if (got)
        keep_grant(task);
    pthread_cond_signal(&task->finished);
}

static void answered(struct link_call *call, const struct link_answer *given)
{
    struct session_task *task = call->context;
    const uint64_t now = os_now(CLOCK_MONOTONIC);
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
    task_next(task, machine_reply(&task->machine, now, &answer), now);
    if (txn != NULL)
        etcd__txn_response__free_unpacked(txn, NULL);
}

static void dispatch(struct session_task *task, uint64_t now)
{
    struct build *build = task->machine.request;
    task->machine.request = NULL;
    task->call = (struct link_call){.path = "/etcdserverpb.KV/Txn",
                                    .end = answered,
                                    .context = task,
                                    .deadline = now + attempt(task->session)};
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
    case MACHINE_LOST: session_lose(task->session); break;
    }
}

/* With a new lease, an acquire begins again, behind those who came meanwhile. What was to be done with
 * the old one is not to be done any more, nor begun: a release waits for nothing. */
static void lose_one(struct session_task *task)
{
    if (task->done)
        return;
    const enum machine_goal goal = task->machine.goal;
    if (task->under_way)
        link_cancel(&task->session->link, &task->call);
    task->under_way = task->turning = false;
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
        if (!task->turning && session->state == SESSION_OPEN) {
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
static void bury_tasks(struct session *session)
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
    bury_tasks(session);
    for (struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (task->done)
            continue;
        if (task->deadline < *until)
            *until = task->deadline;
        if (task->turning && !task->under_way && task->machine.wake_at < *until)
            *until = task->machine.wake_at;
    }
}
