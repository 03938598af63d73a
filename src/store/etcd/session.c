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

/* Does what is due, and sends what is to be sent. Gives when to come again at the latest. */
static struct moment do_due(struct session *session, uint64_t now)
{
    struct moment until = moment_never();
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
static void set_timer(struct session *session, struct moment until)
{
    const uint64_t now = os_now(STORE_CLOCK);
    if (until.at == session->timer.at && !moment_has_come(until, now))
        return;
    session->timer = until;
    const uint64_t left = moment_left(until, now);
    const struct itimerspec when = {.it_value = os_timespec(moment_is_never(until) ? 0
                                                            : left > 1000          ? left
                                                                                   : 1000)};
    timerfd_settime(session->timer_fd, 0, &when, NULL); /* 0 is never */
}

static void drain(int fd, const struct pollfd *poll)
{
    uint64_t count;
    if ((poll->revents & POLLIN) != 0 && read(fd, &count, sizeof count) < 0)
        return;
}

/* With the mutex held, which is given back while there is nothing to do: does all that is due, and
 * waits until something happens. */
static void turn(struct session *session)
{
    struct pollfd all[4] = {{.fd = session->wake_fd, .events = POLLIN},
                            {.fd = session->timer_fd, .events = POLLIN},
                            {.fd = session->guard.bye ? -1 : session->guard.channel}};
    const uint64_t before = os_now(STORE_CLOCK);
    struct moment link_until;
    session_lease_look(session, before);  /* ignore an answer that comes too late */
    link_advance(&session->link, before); /* answers first: what they change is seen next */
    const struct moment until = do_due(session, before);
    if (session->closing)
        return;
    link_poll(&session->link, &all[3].fd, &all[3].events, &link_until);
    pthread_mutex_unlock(&session->mutex);
    set_timer(session, moment_first(until, link_until));
    ppoll(all, 4, NULL, NULL);
    drain(session->wake_fd, &all[0]);
    drain(session->timer_fd, &all[1]);
    if (all[2].revents != 0)
        guard_again(&session->guard, session->charge, &session->mutex);
    pthread_mutex_lock(&session->mutex);
}

void *session_thread(void *argument)
{
    struct session *session = argument;
    pthread_mutex_lock(&session->mutex);
    while (!session->closing)
        turn(session);
    pthread_mutex_unlock(&session->mutex);
    return NULL;
}

void session_wake(struct session *session)
{
    const uint64_t one = 1;
    if (write(session->wake_fd, &one, sizeof one) < 0)
        return; /* it is full: the thread is awake */
}

/* ---- turning a machine ---- */

static int take_result(struct session_task *task, struct machine *machine,
                       char reason[STORE_REASON])
{
    *machine = task->machine;
    snprintf(reason, STORE_REASON, "%s", machine->reason);
    task_unlist(task);
    pthread_cond_destroy(&task->finished);
    free(task);
    return machine->error;
}

static struct session_task *new_task(struct session *session, const struct machine *machine,
                                     struct moment deadline, char reason[STORE_REASON])
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
    task->begun = os_now(STORE_CLOCK);
    pthread_cond_init(&task->finished, NULL);
    return task;
}

static void enlist(struct session *session, struct session_task *task)
{
    task->next = session->tasks;
    session->tasks = task;
    session_wake(session);
}

/* With the mutex held. */
static int turn_alone(struct session *session, const struct machine *machine, uint64_t start_at,
                      char reason[STORE_REASON])
{
    struct session_task *task = new_task(session, machine, moment_never(), reason);
    if (task == NULL)
        return ENOMEM;
    task->caller = CALLER_GONE;
    task->start_at = start_at;
    enlist(session, task);
    return 0;
}

int session_turn_alone(struct session *session, const struct machine *machine, uint64_t start_at,
                       char reason[STORE_REASON])
{
    pthread_mutex_lock(&session->mutex);
    const int error = turn_alone(session, machine, start_at, reason);
    pthread_mutex_unlock(&session->mutex);
    return error;
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
        task_fail(task, ESTALE, "the lease has ended");
        return;
    }
    task_requeue(task);
    session_wake(task->session);
}

/* Leaves a task whose caller was freed to the session's thread. */
static int take_freed(struct session_task *task, char reason[STORE_REASON])
{
    const int error = task->freed_error;
    snprintf(reason, STORE_REASON, "%s", task->freed_reason);
    task->caller = CALLER_GONE;
    session_wake(task->session);
    return error;
}

/* Has an acquire leave the line, as if its deadline had passed. */
static void hurry(struct session_task *task)
{
    if (task->machine.giving_up)
        return;
    task->deadline = moment_at(0);
    session_wake(task->session);
}

/* Nobody waits for the task any more. It goes on until nothing of it is left. */
static void leave(struct session_task *task)
{
    struct session *session = task->session;
    struct session_grant *grant =
        task->state == TASK_ENDED && task->machine.error == 0
            ? holding_find(session, &(berth_grant){.token = (uint64_t)task->machine.token,
                                                   .slot = task->machine.slot})
            : NULL;
    const bool held = grant != NULL && grant->lost == NULL;
    if (grant != NULL)
        holding_remove(session, grant);
    if (task->state != TASK_ENDED)
        hurry(task);
    task->caller = CALLER_GONE; /* and freed by the session's thread, when it has ended */
    if (held)
        task_give_back(task, os_now(STORE_CLOCK));
    session_wake(session);
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

/* Says whether there is something for the caller. */
static bool is_answered(const struct session_task *task)
{
    return task->state == TASK_ENDED || task->caller == CALLER_FREED;
}

/* Asks from time to time whether it can stop waiting; then it leaves the line. */
static void wait_or(struct session_task *task, const struct store_patience *patience)
{
    struct session *session = task->session;
    uint64_t pause = first_ask;
    while (!is_answered(task)) {
        const struct timespec until = os_timespec(os_now(CLOCK_MONOTONIC) + pause);
        pthread_cond_clockwait(&task->finished, &session->mutex, CLOCK_MONOTONIC, &until);
        if (is_answered(task) || task->machine.giving_up)
            continue;
        pthread_mutex_unlock(&session->mutex);
        const bool enough = patience->instead(patience->context);
        pthread_mutex_lock(&session->mutex);
        if (enough && !is_answered(task))
            hurry(task);
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
        while (!is_answered(task))
            wait_once(task, patience != NULL && patience->can_be_cancelled);
        if (task->caller == CALLER_FREED || !is_over(task))
            break;
        begin_again(task);
        if (task->state == TASK_ENDED)
            break;
    }
    const int error = task->caller == CALLER_FREED ? take_freed(task, reason)
                                                   : take_result(task, machine, reason);
    pthread_mutex_unlock(&session->mutex);
    return error;
}

int session_turn_or(struct session *session, struct machine *machine, struct moment deadline,
                    const struct store_patience *patience, char reason[STORE_REASON])
{
    struct session_task *task = new_task(session, machine, deadline, reason);
    if (task == NULL)
        return ENOMEM;
    pthread_mutex_lock(&session->mutex);
    enlist(session, task);
    return wait_for_end(task, patience, machine, reason);
}

int session_turn(struct session *session, struct machine *machine, struct moment deadline,
                 char reason[STORE_REASON])
{
    return session_turn_or(session, machine, deadline, NULL, reason);
}

int session_begin(struct session *session, const struct machine *machine, struct moment deadline,
                  struct session_task **result, char reason[STORE_REASON])
{
    struct session_task *task = new_task(session, machine, deadline, reason);
    if (task == NULL)
        return ENOMEM;
    task->once = true;
    pthread_mutex_lock(&session->mutex);
    enlist(session, task);
    while (!is_answered(task) && !task_waits(task))
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
    if (patience->none)
        hurry(task);
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

/* The caller works in a slot no more that was lost: others need not wait for that. If the store
 * cannot be reached now, they do. */
static void free_lost(struct session *session, const struct session_grant *grant, bool leaving)
{
    struct machine machine = {.goal = MACHINE_RELEASE,
                              .patience =
                                  patience_for((uint64_t)session->address.timeout * OS_SECOND),
                              .slot = grant->slot,
                              .token = grant->token,
                              .leaving = leaving,
                              .lost = true};
    char ignored[STORE_REASON];
    memcpy(machine.entry, grant->entry, sizeof machine.entry);
    turn_alone(session, &machine, 0, ignored);
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
    if (found == NULL)
        return not_held(session, grant, lost, reason);
    if (lost != NULL) {
        free_lost(session, found, machine->leaving);
        holding_remove(session, found);
        return not_held(session, grant, lost, reason);
    }
    found->releasing = true;
    machine->unsure = found->unsure;
    machine->no_mail = found->at_once;
    memcpy(machine->entry, found->entry, sizeof machine->entry);
    return 0;
}

int session_release(struct session *session, const berth_grant *grant, struct patience patience,
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
    error = session_turn(session, &machine, moment_never(), reason);
    pthread_mutex_lock(&session->mutex);
    struct session_grant *found = holding_find(session, grant);
    if (error == EPERM && found != NULL) {
        if (found->lost == NULL)
            found->lost = "its key was deleted or changed in the store";
        free_lost(session, found, leaving);
        not_held(session, grant, found->lost, reason);
    }
    if (found != NULL && (error == 0 || error == EPERM)) {
        holding_remove(session, found);
        session_wake(session);
    } else if (found != NULL) {
        found->releasing = false;
        found->unsure |= machine.unsure;
    }
    pthread_mutex_unlock(&session->mutex);
    return error;
}
