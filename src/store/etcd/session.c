/* The thread of a session, and the machines that the program's threads hand it. */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* For a loan, while it waits for a slot. */
static const uint64_t first_ask = 2 * (uint64_t)OS_MILLISECOND,
                      last_ask = 32 * (uint64_t)OS_MILLISECOND;

/* ---- the thread ---- */

/* What is due is done, and what is to be sent is sent; when to come again at the latest. */
static uint64_t go_on(struct session *session, uint64_t now)
{
    uint64_t until = UINT64_MAX;
    session_lease_keep(session, now, &until);
    tasks_tick(session, now, &until);
    watch_keep(session, now, &until);
    news_keep(session, now, &until);
    holding_keep(session, now, &until);
    loans_look(session, now, &until);
    link_flush(&session->link, now);
    return until;
}

/* A timer, and no time-out of poll: it goes on while the machine is suspended. */
static void set_timer(struct session *session, uint64_t until)
{
    const uint64_t now = os_now(STORE_CLOCK);
    if (until == session->timer && until > now)
        return;
    session->timer = until;
    const uint64_t left = until == UINT64_MAX  ? 0
                          : until > now + 1000 ? until - now
                                               : 1000; /* 0 is never */
    const struct itimerspec when = {.it_value = os_timespec(left)};
    timerfd_settime(session->timer_fd, 0, &when, NULL);
}

static void drain(int fd, const struct pollfd *poll)
{
    uint64_t count;
    if ((poll->revents & POLLIN) != 0 && read(fd, &count, sizeof count) < 0)
        return; /* another thread was faster */
}

static bool is_settled(const struct session *session)
{
    return session->state == SESSION_OPEN || session->state == SESSION_FAILED;
}

/* With the mutex held, which is given back while there is nothing to do: does all that is due, and
 * waits until something happens; while it is `opening`, only if there is something to wait for. */
static void turn(struct session *session, bool opening)
{
    struct pollfd all[4] = {{.fd = session->wake_fd, .events = POLLIN},
                            {.fd = session->timer_fd, .events = POLLIN},
                            {.fd = session->guard.bye ? -1 : session->guard.channel}};
    const uint64_t before = os_now(STORE_CLOCK);
    uint64_t link_until;
    session_lease_look(session, before);  /* ignore an answer that comes too late */
    link_advance(&session->link, before); /* answers first: what they change is seen next */
    uint64_t until = go_on(session, before);
    if (session->closing || (opening && is_settled(session)))
        return;
    link_poll(&session->link, &all[3].fd, &all[3].events, &link_until);
    if (link_until < until)
        until = link_until;
    session->polling_until = until;
    pthread_mutex_unlock(&session->mutex);
    set_timer(session, until);
    ppoll(all, 4, NULL, NULL);
    drain(session->wake_fd, &all[0]);
    drain(session->timer_fd, &all[1]);
    if (all[2].revents != 0)
        guard_again(&session->guard, session->charge, &session->mutex);
    pthread_mutex_lock(&session->mutex);
    session->polling_until = 0;
}

void *session_thread(void *argument)
{
    struct session *session = argument;
    pthread_mutex_lock(&session->mutex);
    while (!session->closing)
        turn(session, false);
    pthread_mutex_unlock(&session->mutex);
    return NULL;
}

int session_drive(struct session *session, char reason[STORE_REASON])
{
    pthread_mutex_lock(&session->mutex);
    while (!is_settled(session))
        turn(session, true);
    const int error = session->state == SESSION_FAILED ? session->error : 0;
    if (error != 0)
        snprintf(reason, STORE_REASON, "%s", session->reason);
    pthread_mutex_unlock(&session->mutex);
    return error;
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
    uint64_t until = go_on(session, os_now(STORE_CLOCK));
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

int session_turn_alone(struct session *session, const struct machine *machine, uint64_t start_at,
                       char reason[STORE_REASON])
{
    struct session_task *task = new_task(session, machine, UINT64_MAX, reason);
    if (task == NULL)
        return ENOMEM;
    task->detached = true;
    task->start_at = start_at;
    pthread_mutex_lock(&session->mutex);
    begin(session, task);
    pthread_mutex_unlock(&session->mutex);
    return 0;
}

/* An acquire has ended well, in the session's thread. This one may have been stopped since. */
static bool is_over(struct session_task *task)
{
    struct session *session = task->session;
    const enum machine_goal goal = task->machine.goal;
    if (task->machine.error != 0 || (goal != MACHINE_ACQUIRE && goal != MACHINE_TRY))
        return false;
    session_lease_look(session, os_now(STORE_CLOCK));
    struct session_grant *grant =
        holding_find(session, &(berth_grant){.token = (uint64_t)task->machine.token,
                                             .slot = task->machine.slot});
    if (grant != NULL && grant->lost == NULL)
        return false;
    if (grant != NULL)
        holding_remove(session, grant);
    return true;
}

/* It stands in line again; or, if it is to do so only once, that is its result. */
static void begin_again(struct session_task *task)
{
    if (task->once) {
        task->machine.error = ESTALE;
        layout_copy(task->machine.reason, sizeof task->machine.reason, "the lease has ended");
        return;
    }
    task->done = task->turning = task->in_line = false;
    session_go_on(task->session);
}

/* From now on the session's thread takes care of it. */
static int detach(struct session_task *task, char reason[STORE_REASON])
{
    const int error = task->given_error != 0 ? task->given_error : ETIMEDOUT;
    if (task->given_error != 0)
        snprintf(reason, STORE_REASON, "%s", task->given_reason);
    else
        snprintf(reason, STORE_REASON, "pool %s: no slot came free in time",
                 task->session->seat.layout.name);
    task->detached = true; /* and freed there, if it is done */
    session_go_on(task->session);
    return error;
}

/* Nobody waits for it any more. It goes on until nothing of it is left. */
static void leave(struct session_task *task)
{
    struct session *session = task->session;
    struct session_grant *grant =
        task->done && task->machine.error == 0
            ? holding_find(session, &(berth_grant){.token = (uint64_t)task->machine.token,
                                                   .slot = task->machine.slot})
            : NULL;
    const bool held = grant != NULL && grant->lost == NULL;
    if (grant != NULL)
        holding_remove(session, grant);
    if (!task->done && !task->machine.giving_up)
        task->deadline = 0;
    task->detached = true; /* and freed there, when it is done */
    if (held)
        task_pass_on(task, os_now(STORE_CLOCK));
    session_go_on(session);
}

/* The thread that waits was cancelled, and has the mutex. A ticket is given up by the one who drew
 * it (session_finish). */
static void cancelled(void *context)
{
    struct session_task *task = context;
    struct session *session = task->session;
    if (!task->once)
        leave(task);
    pthread_mutex_unlock(&session->mutex);
}

static void wait_once(struct session_task *task, bool can_be_cancelled)
{
    int before;
    pthread_cleanup_push(cancelled, task);
    pthread_setcancelstate(can_be_cancelled ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE,
                           &before);
    pthread_cond_wait(&task->finished, &task->session->mutex);
    pthread_setcancelstate(before, NULL);
    pthread_cleanup_pop(0);
}

/* Asks from time to time whether it can stop waiting; then it leaves the line. */
static void wait_or(struct session_task *task, const struct store_patience *patience)
{
    struct session *session = task->session;
    uint64_t pause = first_ask;
    while (!task->done && !task->given_up) {
        const struct timespec until = os_timespec(os_now(CLOCK_MONOTONIC) + pause);
        pthread_cond_clockwait(&task->finished, &session->mutex, CLOCK_MONOTONIC, &until);
        if (task->done || task->given_up || task->machine.giving_up)
            continue;
        pthread_mutex_unlock(&session->mutex);
        const bool enough = patience->instead(patience->context);
        pthread_mutex_lock(&session->mutex);
        if (enough && !task->machine.giving_up && !task->done) {
            task->deadline = 0;
            session_go_on(session);
        }
        pause = 2 * pause < last_ask ? 2 * pause : last_ask;
    }
}

/* With the mutex held, which is given back. `patience` may be NULL. */
static int wait_for_end(struct session_task *task, const struct store_patience *patience,
                        struct machine *machine, char reason[STORE_REASON])
{
    struct session *session = task->session;
    for (;;) {
        if (patience != NULL && patience->instead != NULL)
            wait_or(task, patience);
        while (!task->done && !task->given_up)
            wait_once(task, patience != NULL && patience->can_be_cancelled);
        if (task->given_up || !is_over(task))
            break;
        begin_again(task);
        if (task->done)
            break;
    }
    const int error = task->given_up ? detach(task, reason) : take_result(task, machine, reason);
    pthread_mutex_unlock(&session->mutex);
    return error;
}

int session_turn_or(struct session *session, struct machine *machine, uint64_t deadline,
                    const struct store_patience *patience, char reason[STORE_REASON])
{
    struct session_task *task = new_task(session, machine, deadline, reason);
    if (task == NULL)
        return ENOMEM;
    pthread_mutex_lock(&session->mutex);
    begin(session, task);
    return wait_for_end(task, patience, machine, reason);
}

int session_turn(struct session *session, struct machine *machine, uint64_t deadline,
                 char reason[STORE_REASON])
{
    return session_turn_or(session, machine, deadline, NULL, reason);
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

int session_finish(struct session_task *task, const struct store_patience *patience,
                   struct machine *machine, char reason[STORE_REASON])
{
    struct session *session = task->session;
    pthread_mutex_lock(&session->mutex);
    if (patience->none && !task->machine.giving_up) {
        task->deadline = 0;
        session_go_on(session);
    }
    return wait_for_end(task, patience, machine, reason);
}

/* ---- giving back ---- */

static int not_held(const struct session *session, const berth_grant *grant, const char *lost,
                    char reason[STORE_REASON])
{
    snprintf(reason, STORE_REASON, "slot %u of pool %s %s%s", grant->slot,
             session->seat.layout.name, lost != NULL ? "was lost: " : "is not held by this handle",
             lost != NULL ? lost : "");
    return EPERM;
}

/* Marks the grant, so that nobody else gives it back. */
static int begin_release(struct session *session, const berth_grant *grant, struct machine *machine,
                         char reason[STORE_REASON])
{
    struct session_grant *found = holding_find(session, grant);
    if (found != NULL && found->releasing) {
        snprintf(reason, STORE_REASON, "slot %u is being given back by another thread",
                 grant->slot);
        return EALREADY;
    }
    session_lease_look(session, os_now(STORE_CLOCK));
    const char *lost = found != NULL ? found->lost : NULL;
    if (found == NULL || lost != NULL) {
        if (found != NULL)
            holding_remove(session, found);
        return not_held(session, grant, lost, reason);
    }
    found->releasing = true;
    machine->unsure = found->unsure;
    machine->no_mail = found->at_once;
    memcpy(machine->entry, found->entry, sizeof machine->entry);
    return 0;
}

int session_release(struct session *session, const berth_grant *grant, uint64_t patience,
                    bool leaving, char reason[STORE_REASON])
{
    struct machine machine = {.goal = MACHINE_RELEASE,
                              .patience = patience,
                              .slot = grant->slot,
                              .token = (int64_t)grant->token,
                              .leaving = leaving};
    pthread_mutex_lock(&session->mutex);
    int error = begin_release(session, grant, &machine, reason);
    pthread_mutex_unlock(&session->mutex);
    if (error != 0)
        return error;
    error = session_turn(session, &machine, UINT64_MAX, reason);
    pthread_mutex_lock(&session->mutex);
    struct session_grant *found = holding_find(session, grant);
    if (error == EPERM && found != NULL && found->lost != NULL)
        not_held(session, grant, found->lost, reason);
    if (found != NULL && (error == 0 || error == EPERM)) {
        holding_remove(session, found);
        session_go_on(session);
    } else if (found != NULL) {
        found->releasing = false;
        found->unsure |= machine.unsure;
    }
    pthread_mutex_unlock(&session->mutex);
    return error;
}
