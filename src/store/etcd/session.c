/* The thread of a session, and the machines that the program's threads hand it. */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the thread ---- */

/* What is due is done, and what is to be sent is sent; when to come again at the latest. */
static uint64_t go_on(struct session *session, uint64_t now)
{
    uint64_t until = UINT64_MAX;
    tenure_keep(session, now, &until);
    tasks_tick(session, now, &until);
    watch_keep(session, now);
    link_flush(&session->link, now);
    return until;
}

void *session_thread(void *argument)
{
    struct session *session = argument;
    pthread_mutex_lock(&session->mutex);
    while (!session->closing) {
        struct pollfd both[2] = {{.fd = session->wake_fd, .events = POLLIN}};
        const uint64_t before = os_now(CLOCK_MONOTONIC);
        uint64_t link_until;
        link_advance(&session->link, before); /* answers first: what they change is seen next */
        uint64_t until = go_on(session, before);
        if (session->closing)
            break;
        link_poll(&session->link, &both[1].fd, &both[1].events, &link_until);
        if (link_until < until)
            until = link_until;
        session->polling_until = until;
        pthread_mutex_unlock(&session->mutex);
        const uint64_t now = os_now(CLOCK_MONOTONIC);
        const struct timespec wait = os_timespec(until > now ? until - now : 0);
        ppoll(both, 2, until == UINT64_MAX ? NULL : &wait, NULL);
        uint64_t drained;
        if ((both[0].revents & POLLIN) != 0 &&
            read(session->wake_fd, &drained, sizeof drained) < 0 && errno != EAGAIN)
            drained = 0; /* it is looked at again anyway */
        pthread_mutex_lock(&session->mutex);
        session->polling_until = 0;
    }
    pthread_mutex_unlock(&session->mutex);
    return NULL;
}

void session_wake(struct session *session)
{
    const uint64_t one = 1;
    if (write(session->wake_fd, &one, sizeof one) < 0)
        session->polling_until = 0; /* it is full: the thread is awake */
}

/* ---- turning a machine ---- */

void session_go_on(struct session *session)
{
    int fd;
    short events;
    uint64_t link_until;
    uint64_t until = go_on(session, os_now(CLOCK_MONOTONIC));
    link_poll(&session->link, &fd, &events, &link_until);
    if (link_until < until)
        until = link_until;
    if (session->link.state != LINK_UP || (events & POLLOUT) != 0 || until < session->polling_until)
        session_wake(session);
}

static int take_result(struct session_task *task, struct machine *machine,
                       char reason[STORE_REASON])
{
    *machine = task->machine;
    snprintf(reason, STORE_REASON, "%s", machine->reason);
    if (machine->error == ETIMEDOUT)
        snprintf(reason, STORE_REASON, "pool %s: no slot came free in time",
                 machine->seat->layout.name);
    task_end(task);
    pthread_cond_destroy(&task->finished);
    free(task);
    return machine->error;
}

static struct session_task *new_task(struct session *session, const struct machine *machine,
                                     uint64_t deadline, char reason[STORE_REASON])
{
    struct session_task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        snprintf(reason, STORE_REASON, "there is no memory for a request");
        return NULL;
    }
    task->machine = *machine;
    task->machine.seat = &session->seat;
    task->session = session;
    task->deadline = deadline;
    pthread_cond_init(&task->finished, NULL);
    return task;
}

static void begin(struct session *session, struct session_task *task)
{
    task->next = session->tasks;
    session->tasks = task;
    session_go_on(session);
}

int session_turn_alone(struct session *session, const struct machine *machine,
                       char reason[STORE_REASON])
{
    struct session_task *task = new_task(session, machine, UINT64_MAX, reason);
    if (task == NULL)
        return ENOMEM;
    task->detached = true;
    pthread_mutex_lock(&session->mutex);
    begin(session, task);
    pthread_mutex_unlock(&session->mutex);
    return 0;
}

/* With the mutex held, which is given back. */
static int wait_for_end(struct session_task *task, struct machine *machine,
                        char reason[STORE_REASON])
{
    struct session *session = task->session;
    while (!task->done && !task->given_up)
        pthread_cond_wait(&task->finished, &session->mutex);
    int error = ETIMEDOUT;
    if (task->done) {
        error = take_result(task, machine, reason);
    } else {
        task->detached = true;
        snprintf(reason, STORE_REASON, "pool %s: no slot came free in time",
                 session->seat.layout.name);
    }
    pthread_mutex_unlock(&session->mutex);
    return error;
}

int session_turn(struct session *session, struct machine *machine, uint64_t deadline,
                 char reason[STORE_REASON])
{
    struct session_task *task = new_task(session, machine, deadline, reason);
    if (task == NULL)
        return ENOMEM;
    pthread_mutex_lock(&session->mutex);
    begin(session, task);
    return wait_for_end(task, machine, reason);
}

int session_begin(struct session *session, const struct machine *machine, uint64_t deadline,
                  struct session_task **result, char reason[STORE_REASON])
{
    struct session_task *task = new_task(session, machine, deadline, reason);
    if (task == NULL)
        return ENOMEM;
    task->once = true;
    pthread_mutex_lock(&session->mutex);
    begin(session, task);
    while (!task->done && !task->given_up && !task->in_line)
        pthread_cond_wait(&task->finished, &session->mutex);
    pthread_mutex_unlock(&session->mutex);
    *result = task;
    return 0;
}

int session_finish(struct session_task *task, bool now, struct machine *machine,
                   char reason[STORE_REASON])
{
    struct session *session = task->session;
    pthread_mutex_lock(&session->mutex);
    if (now && !task->machine.giving_up) {
        task->deadline = 0;
        session_go_on(session);
    }
    return wait_for_end(task, machine, reason);
}

struct session_grant **session_find(struct session *session, const berth_grant *grant)
{
    struct session_grant **at = &session->grants;
    while (*at != NULL && ((*at)->token != (int64_t)grant->token || (*at)->slot != grant->slot))
        at = &(*at)->next;
    return *at != NULL ? at : NULL;
}
