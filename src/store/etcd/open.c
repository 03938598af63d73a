/* Opening a session, and closing it. */
#include "store/etcd/session.h"

#include "os/clock.h"
#include "store/etcd/place.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static const uint64_t settle_within = UINT64_C(1000000000);

/* ---- its parts, one by one ---- */

static void describe(struct session *session, const char *name, const berth_options *options)
{
    struct machine_seat *seat = &session->seat;
    const char *command = options != NULL && options->command != NULL
                              ? options->command
                              : program_invocation_short_name;
    const uint64_t wall = os_now(CLOCK_REALTIME) / OS_MILLISECOND;
    seat->wall_ms = (int64_t)wall - (int64_t)(os_now(STORE_CLOCK) / OS_MILLISECOND);
    seat->opened_ms = (int64_t)wall;
    layout_copy(seat->layout.prefix, sizeof seat->layout.prefix, session->address.prefix);
    snprintf(seat->layout.name, sizeof seat->layout.name, "%s", name);
    snprintf(seat->command, sizeof seat->command, "%s", command);
    if (gethostname(seat->host, sizeof seat->host) != 0)
        seat->host[0] = '\0';
    seat->host[sizeof seat->host - 1] = '\0';
    seat->pid = (int)getpid();
    seat->place = place_here();
    seat->wanted = options != NULL ? options->slots : 0;
    seat->existing = options != NULL && (options->flags & BERTH_EXISTING) != 0;
}

static int start_thread(struct session *session)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    pthread_attr_setstacksize(&attributes, (size_t)512 * 1024);
    sigfillset(&all); /* signals are for the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&session->thread, &attributes, session_thread, session);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

/* All that the guardian has to know; it does not depend on the environment, or on the folder. */
static void charge_guard(struct session *session, const char *store, const char *name)
{
    struct guard_message *charge = session->charge;
    charge->word = GUARD_CHARGE;
    layout_copy(charge->store, sizeof charge->store, store);
    layout_copy(charge->name, sizeof charge->name, name);
    layout_copy(charge->password, sizeof charge->password, session->address.password);
    if (getcwd(charge->folder, sizeof charge->folder) == NULL)
        charge->folder[0] = '\0';
}

static int prepare(struct session *session, const char *store, const char *name,
                   const berth_options *options, char reason[STORE_REASON])
{
    session->wake_fd = session->lost_fd = session->timer_fd = session->guard.channel = -1;
    session->charge = calloc(1, sizeof *session->charge);
    if (session->charge == NULL) {
        snprintf(reason, STORE_REASON, "there is no memory for a handle");
        return ENOMEM;
    }
    int error = address_parse(&session->address, store, reason);
    if (error == 0)
        error = link_open(&session->link, &session->address, reason);
    if (error != 0)
        return error;
    describe(session, name, options);
    charge_guard(session, store, name);
    session->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->lost_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->timer_fd = timerfd_create(STORE_CLOCK, TFD_CLOEXEC | TFD_NONBLOCK);
    if (session->wake_fd < 0 || session->lost_fd < 0 || session->timer_fd < 0) {
        error = errno;
        snprintf(reason, STORE_REASON, "cannot make a descriptor: %s", strerror(error));
        return error;
    }
    return 0;
}

/* The session's thread asks for a lease in the meantime. */
static int start_guard(struct session *session, char reason[STORE_REASON])
{
    struct guard guard;
    const int error = guard_start(&guard, session->charge, reason);
    pthread_mutex_lock(&session->mutex);
    session->guard = guard;
    if (session->lease.good_until != 0)
        loans_tell_guard(session);
    session_wake(session); /* to watch the guardian, too */
    pthread_mutex_unlock(&session->mutex);
    return error;
}

/* Waits until the pool is open, or that has failed. */
static int wait_until_open(struct session *session, char reason[STORE_REASON])
{
    pthread_mutex_lock(&session->mutex);
    while (session->state != SESSION_OPEN && session->state != SESSION_FAILED)
        pthread_cond_wait(&session->opened, &session->mutex);
    const int error = session->state == SESSION_FAILED ? session->error : 0;
    if (error != 0)
        snprintf(reason, STORE_REASON, "%s", session->reason);
    pthread_mutex_unlock(&session->mutex);
    return error;
}

/* ---- and their end ---- */

static void destroy(struct session *session)
{
    link_close(&session->link);
    if (session->wake_fd >= 0)
        close(session->wake_fd);
    if (session->lost_fd >= 0)
        close(session->lost_fd);
    if (session->timer_fd >= 0)
        close(session->timer_fd);
    free(session->charge);
    while (session->grants != NULL) {
        struct session_grant *next = session->grants->next;
        loans_grant_ends(session, session->grants);
        free(session->grants);
        session->grants = next;
    }
    while (session->loans != NULL)
        loans_give_back(session, &session->loans->grant);
    while (session->tasks != NULL) { /* detached: nobody waits for them */
        struct session_task *next = session->tasks->next;
        free(session->tasks);
        session->tasks = next;
    }
    pthread_mutex_destroy(&session->mutex);
    pthread_cond_destroy(&session->opened);
    free(session);
}

static void end_thread(struct session *session)
{
    pthread_mutex_lock(&session->mutex);
    session->closing = true;
    session_wake(session);
    pthread_mutex_unlock(&session->mutex);
    pthread_join(session->thread, NULL);
    /* Calls that are still under way end with the link, and turn machines that nobody reads. */
    while (session->link.calls != NULL)
        link_cancel(&session->link, session->link.calls);
}

/* Ends the lease, and waits for that as long as the store may take to answer. If no key is left
 * under it, it can simply expire: then it is enough to have sent the request. */
static void end_lease(struct session *session, bool wait)
{
    pthread_mutex_lock(&session->mutex);
    session_lease_end(session, os_now(STORE_CLOCK));
    session_wake(session);
    while (wait && session->revoking)
        pthread_cond_wait(&session->opened, &session->mutex);
    pthread_mutex_unlock(&session->mutex);
}

/* ---- opening and closing a session ---- */

int session_open(struct session **result, const char *store, const char *name,
                 const berth_options *options, char reason[STORE_REASON])
{
    struct session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        snprintf(reason, STORE_REASON, "there is no memory for a handle");
        return ENOMEM;
    }
    pthread_mutex_init(&session->mutex, NULL);
    pthread_cond_init(&session->opened, NULL);
    int error = prepare(session, store, name, options, reason);
    if (error != 0) {
        destroy(session);
        return error;
    }
    error = start_thread(session);
    if (error != 0) {
        snprintf(reason, STORE_REASON, "cannot start a thread: %s", strerror(error));
        destroy(session);
        return error;
    }
    error = start_guard(session, reason);
    if (error == 0)
        error = wait_until_open(session, reason);
    if (error == 0) {
        const struct machine sweep = {.goal = MACHINE_SWEEP,
                                      .patience = patience_for(SESSION_OUTAGE)};
        session_turn_alone(session, &sweep,
                           os_now(STORE_CLOCK) + (uint64_t)session->address.ttl * OS_SECOND,
                           reason);
        *result = session;
        return 0;
    }
    end_lease(session, true);
    end_thread(session);
    guard_end(&session->guard, session->revoked);
    destroy(session);
    return error;
}

/* How long a request about the lease still makes sense. */
static struct patience patience_left(const struct session *session)
{
    const uint64_t now = os_now(STORE_CLOCK), until = session->lease.good_until;
    const uint64_t most = (uint64_t)session->address.timeout * OS_SECOND;
    const uint64_t left = until > now ? until - now : 0;
    return patience_for(left < most ? left : most);
}

/* Gives back what is held; with the last slot, the client's key goes in the same transaction. */
static int release_all(struct session *session, bool *left, char reason[STORE_REASON])
{
    int error = 0;
    *left = false;
    for (;;) {
        pthread_mutex_lock(&session->mutex); /* the thread may lose the lease at any time */
        const struct session_grant *first = session->grants;
        const bool last = first != NULL && first->next == NULL;
        const berth_grant grant = {.token = first != NULL ? (uint64_t)first->token : 0,
                                   .slot = first != NULL ? first->slot : 0};
        const struct patience patience = patience_left(session);
        pthread_mutex_unlock(&session->mutex);
        if (first == NULL)
            return error;
        const int failed = session_release(session, &grant, patience, last, reason);
        *left = failed == 0 && last;
        error = error != 0 ? error : failed;
        pthread_mutex_lock(&session->mutex);
        struct session_grant *found = holding_find(session, &grant);
        if (found != NULL) /* the guardian goes on asking */
            holding_remove(session, found);
        pthread_mutex_unlock(&session->mutex);
    }
}

/* What calls that have failed left to the thread is done now: with the lease ended instead, a slot
 * among it would be nobody's for the time of grace. */
static void settle(struct session *session)
{
    const struct timespec until = os_timespec(os_now(CLOCK_MONOTONIC) + settle_within);
    int error = 0;
    pthread_mutex_lock(&session->mutex);
    while (tasks_settle(session) && error == 0)
        error = pthread_cond_clockwait(&session->opened, &session->mutex, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&session->mutex);
}

int session_close(struct session *session, char reason[STORE_REASON])
{
    bool left;
    settle(session);
    const int error = release_all(session, &left, reason);
    if (left) {
        pthread_mutex_lock(&session->mutex);
        guard_bye(&session->guard);
        pthread_mutex_unlock(&session->mutex);
    }
    /* Where the store did not answer just now, the guardian goes on asking it. */
    end_lease(session, error == 0 && !left);
    end_thread(session);
    guard_end(&session->guard, left || session->revoked);
    destroy(session);
    return error;
}

/* The thread does not exist here, and the mutex may be locked for ever: only descriptors go. */
void session_abandon(struct session *session)
{
    if (session->link.connection.fd >= 0)
        close(session->link.connection.fd);
    if (session->guard.channel >= 0)
        close(session->guard.channel);
    for (const struct session_grant *grant = session->grants; grant != NULL; grant = grant->next) {
        if (grant->page != NULL)
            close(grant->loan_fd);
    }
    for (const struct session_loan *loan = session->loans; loan != NULL; loan = loan->next)
        close(loan->fd);
    close(session->wake_fd);
    close(session->lost_fd);
    close(session->timer_fd);
}
