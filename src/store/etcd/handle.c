/* What the library asks of a store, for a pool in etcd. */
#include "store/etcd/session.h"

#include "os/clock.h"
#include "store/etcd/dead_lease.h"
#include "store/etcd/look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t publish_after = 30 * (uint64_t)OS_MILLISECOND;

static int open_pool(void **handle, const char *store, const char *name,
                     const berth_options *options, char reason[STORE_REASON])
{
    struct session *session;
    const int error = session_open(&session, store, name, options, reason);
    *handle = error == 0 ? session : NULL;
    return error;
}

/* The caller's deadline is on CLOCK_MONOTONIC. */
static struct moment deadline_of(struct store_patience patience)
{
    if (patience.deadline == NULL)
        return moment_never();
    const uint64_t deadline = os_nanoseconds(patience.deadline);
    const uint64_t now = os_now(CLOCK_MONOTONIC), here = os_now(STORE_CLOCK);
    const uint64_t left = deadline > now ? deadline - now : 0;
    return patience_ends(patience_for(left), here);
}

static berth_grant grant_of(const struct machine *machine)
{
    return (berth_grant){.token = (uint64_t)machine->token,
                         .slot = machine->slot,
                         .ticket = (uint64_t)machine->ticket};
}

static int acquire(void *handle, struct store_patience patience, berth_grant *grant,
                   char reason[STORE_REASON])
{
    struct session *session = handle;
    struct machine machine = {.goal = patience.none ? MACHINE_TRY : MACHINE_ACQUIRE,
                              .patience = patience_for(SESSION_OUTAGE)};
    const int error = session_turn_or(session, &machine, deadline_of(patience), &patience, reason);
    if (error == 0)
        *grant = grant_of(&machine);
    return error;
}

/* ---- slots of several pools ---- */

static int enter_door(void *handle, struct store_patience patience, int64_t *door,
                      char reason[STORE_REASON])
{
    struct machine machine = {.goal = MACHINE_ENTER_DOOR, .patience = patience_for(SESSION_OUTAGE)};
    const int error = session_turn(handle, &machine, deadline_of(patience), reason);
    *door = machine.token;
    return error == EPERM ? ESTALE : error;
}

static int leave_door(void *handle, int64_t door, char reason[STORE_REASON])
{
    struct machine machine = {
        .goal = MACHINE_LEAVE_DOOR, .patience = patience_for(SESSION_OUTAGE), .token = door};
    const int error = session_turn(handle, &machine, moment_never(), reason);
    return error == EPERM ? ESTALE : error;
}

static int draw(void *handle, struct store_patience patience, void **ticket,
                char reason[STORE_REASON])
{
    const struct machine machine = {.goal = MACHINE_ACQUIRE,
                                    .patience = patience_for(SESSION_OUTAGE)};
    struct session_task *task;
    const int error = session_begin(handle, &machine, deadline_of(patience), &task, reason);
    *ticket = error == 0 ? task : NULL;
    return error;
}

static int wait_for(void *handle, void *ticket, struct store_patience patience, berth_grant *grant,
                    char reason[STORE_REASON])
{
    (void)handle;
    struct machine machine;
    const int error = session_finish(ticket, &patience, &machine, reason);
    if (error == 0)
        *grant = grant_of(&machine);
    return error;
}

static bool is_together(void *handle, void *other)
{
    const struct address *one = &((struct session *)handle)->address;
    const struct address *two = &((struct session *)other)->address;
    return strcmp(one->shown, two->shown) == 0;
}

/* ---- */

static int release(void *handle, const berth_grant *grant, char reason[STORE_REASON])
{
    struct session *session = handle;
    return session_release(session, grant, patience_for((uint64_t)session->address.ttl * OS_SECOND),
                           false, reason);
}

/* ---- loans ---- */

static int lend(void *handle, const berth_grant *grant, int *fd, char reason[STORE_REASON])
{
    struct session *session = handle;
    pthread_mutex_lock(&session->mutex);
    const int error = loans_lend(session, grant, fd, reason);
    pthread_mutex_unlock(&session->mutex);
    return error;
}

static bool lends(void *handle, const struct chain_page *page)
{
    struct session *session = handle;
    pthread_mutex_lock(&session->mutex);
    const bool same = loans_same_pool(session, page);
    pthread_mutex_unlock(&session->mutex);
    return same;
}

static struct patience patience_of_call(const struct session *session)
{
    return patience_for((uint64_t)session->address.timeout * OS_SECOND);
}

/* Updates what status shows, a moment later: a loan may be short, and most commands are described
 * anyway. */
static void publish(struct session *session)
{
    const struct machine machine = {.goal = MACHINE_DESCRIBE,
                                    .patience = patience_of_call(session)};
    char reason[STORE_REASON];
    session_turn_alone(session, &machine, os_now(STORE_CLOCK) + publish_after, reason);
}

static int borrow(void *handle, const berth_grant *grant, unsigned level, int fd,
                  char reason[STORE_REASON])
{
    struct session *session = handle;
    pthread_mutex_lock(&session->mutex);
    const int error = loans_borrow(session, grant, level, fd, reason);
    pthread_mutex_unlock(&session->mutex);
    if (error == 0)
        publish(session);
    return error;
}

static void give_back(void *handle, const berth_grant *grant)
{
    struct session *session = handle;
    pthread_mutex_lock(&session->mutex);
    loans_give_back(session, grant);
    pthread_mutex_unlock(&session->mutex);
    publish(session);
}

static int resize(void *handle, unsigned wanted, char reason[STORE_REASON])
{
    struct session *session = handle;
    struct machine machine = {.goal = MACHINE_RESIZE, .patience = patience_of_call(session)};
    pthread_mutex_lock(&session->mutex);
    session->seat.wanted = wanted;
    pthread_mutex_unlock(&session->mutex);
    return session_turn(session, &machine, moment_never(), reason);
}

static int describe(void *handle, int pid, const char *command, char reason[STORE_REASON])
{
    struct session *session = handle;
    struct machine machine = {.goal = MACHINE_DESCRIBE, .patience = patience_of_call(session)};
    pthread_mutex_lock(&session->mutex);
    struct machine_seat *seat = &session->seat;
    seat->pid = pid;
    snprintf(seat->command, sizeof seat->command, "%s", command);
    pthread_mutex_unlock(&session->mutex);
    /* The caller does not wait for it, and a command that has ended by then is not described. */
    return session_turn_alone(session, &machine, os_now(STORE_CLOCK) + publish_after, reason);
}

static unsigned slots(void *handle)
{
    struct session *session = handle;
    pthread_mutex_lock(&session->mutex);
    const unsigned number = session->seat.slots;
    pthread_mutex_unlock(&session->mutex);
    return number;
}

static int good_for(void *handle, const berth_grant *grant, struct timespec *left,
                    char reason[STORE_REASON])
{
    struct session *session = handle;
    pthread_mutex_lock(&session->mutex);
    const struct session_grant *found = holding_find(session, grant);
    const struct session_loan *loan = loans_find(session, grant);
    const uint64_t now = os_now(STORE_CLOCK);
    uint64_t until = 0;
    if (found != NULL && found->lost == NULL && session_lease_good(session, now))
        until = session->lease.good_until;
    else if (loan != NULL)
        until = loans_good_until(loan, now);
    pthread_mutex_unlock(&session->mutex);
    *left = os_timespec(until > now ? until - now : 0);
    if (found != NULL || loan != NULL)
        return 0;
    snprintf(reason, STORE_REASON, "slot %u of pool %s is not held by this handle", grant->slot,
             session->seat.layout.name);
    return EPERM;
}

static int lost_fd(void *handle)
{
    return ((struct session *)handle)->lost_fd;
}

static int ward(void *handle, int pid, char reason[STORE_REASON])
{
    struct session *session = handle;
    const bool itself = pid == getpid(); /* in a process that shares our memory: it takes no lock */
    if (!itself)
        pthread_mutex_lock(&session->mutex);
    const int error = guard_ward(&session->guard, pid);
    if (!itself)
        pthread_mutex_unlock(&session->mutex);
    if (error != 0)
        snprintf(reason, STORE_REASON, "the guardian cannot take care of process %d: %s", pid,
                 strerror(error));
    return error;
}

static int close_pool(void *handle, char reason[STORE_REASON])
{
    return session_close(handle, reason);
}

static void abandon(void *handle)
{
    session_abandon(handle);
}

BERTH_API extern const struct store_operations berth_store_etcd;
const struct store_operations berth_store_etcd = {
    .interface = STORE_INTERFACE,
    .open = open_pool,
    .acquire = acquire,
    .enter_door = enter_door,
    .leave_door = leave_door,
    .draw = draw,
    .wait = wait_for,
    .is_together = is_together,
    .release = release,
    .lend = lend,
    .lends = lends,
    .borrow = borrow,
    .give_back = give_back,
    .resize = resize,
    .describe = describe,
    .slots = slots,
    .good_for = good_for,
    .lost_fd = lost_fd,
    .ward = ward,
    .close = close_pool,
    .abandon = abandon,
    .look = look_pool,
    .list = look_list,
    .remove = look_remove,
    .end_lease = dead_lease_end,
};
