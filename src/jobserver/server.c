/*
 * One thread serves the account. It sleeps in poll(2), and is woken when a token comes back, when
 * one is read (inotify tells that of a FIFO), when a slot has come, and when the time of an offer
 * is over.
 */
#include "jobserver/server.h"

#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
    WAKE,
    READS,
    RETURNS, /* the account's descriptors */
    POLLED = RETURNS + ACCOUNT_POLLED,
};
/* Where the kernel gives no inotify instance, reads are not told of. */
enum { BLIND_LOOK = 5000000 };

struct jobserver {
    pthread_t thread;
    pthread_mutex_t mutex;
    int wake, reads;
    bool sees_reads;         /* the FIFO is watched by inotify */
    bool stop;               /* under the mutex */
    struct account *account; /* what it points to is under the mutex */
};

/* ---- the thread ---- */

/* Reads what woke the thread from `fd`; what is left of it is polled again. */
static void forget_wakes(int fd)
{
    char events[4096] __attribute__((aligned(8)));
    ssize_t bytes = fd >= 0 ? read(fd, events, sizeof events) : 0;
    (void)bytes;
}

/* Serves the account and fills in what has to be polled. Gives the time to serve it again at the
 * latest. */
static uint64_t serve_account(struct jobserver *server, struct pollfd polled[POLLED])
{
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    int returns[ACCOUNT_POLLED];
    uint64_t next = account_serve(server->account, now);
    if (!server->sees_reads && next > now + BLIND_LOOK)
        next = now + BLIND_LOOK;
    account_returns(server->account, returns);
    for (unsigned r = 0; r < ACCOUNT_POLLED; r++)
        polled[RETURNS + r] = (struct pollfd){returns[r], POLLIN, 0};
    polled[WAKE] = (struct pollfd){server->wake, POLLIN, 0};
    polled[READS] = (struct pollfd){server->reads, POLLIN, 0};
    return next;
}

static void *serve_until_stopped(void *context)
{
    struct jobserver *server = context;
    for (;;) {
        struct pollfd polled[POLLED];
        pthread_mutex_lock(&server->mutex);
        const uint64_t next = serve_account(server, polled);
        const bool stop = server->stop;
        pthread_mutex_unlock(&server->mutex);
        if (stop)
            return NULL;
        const uint64_t now = os_now(CLOCK_MONOTONIC);
        const struct timespec left = os_timespec(next > now ? next - now : 0);
        ppoll(polled, POLLED, next == ACCOUNT_NEVER ? NULL : &left, NULL);
        if (polled[WAKE].revents != 0)
            forget_wakes(server->wake);
        forget_wakes(server->reads); /* events up to now are no reason to wake again */
    }
}

/* ---- from outside ---- */

static void free_server(struct jobserver *server)
{
    if (server->account != NULL)
        account_close(server->account);
    if (server->wake >= 0)
        close(server->wake);
    if (server->reads >= 0)
        close(server->reads);
    pthread_mutex_destroy(&server->mutex);
    free(server);
}

/* Watches the FIFO for reads. One that has lost its name can still be reached by its descriptor. */
static bool watch_reads(const struct jobserver *server)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", account_pipes(server->account)->offer);
    return server->reads >= 0 && inotify_add_watch(server->reads, path, IN_ACCESS) >= 0;
}

/* Starts the thread with all signals blocked: they are for other threads. */
static int start_thread(struct jobserver *server)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&server->thread, NULL, serve_until_stopped, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int jobserver_start(struct jobserver **server, const struct account_options *options)
{
    struct jobserver *new = calloc(1, sizeof *new);
    if (new == NULL)
        return ENOMEM;
    pthread_mutex_init(&new->mutex, NULL);
    new->reads = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    new->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int error = new->wake >= 0 ? 0 : errno;
    if (error == 0) {
        struct account_options all = *options;
        all.wake = new->wake;
        error = account_open(&new->account, &all);
    }
    if (error == 0) {
        new->sees_reads = watch_reads(new);
        error = start_thread(new);
    }
    if (error != 0) {
        free_server(new);
        return error;
    }
    *server = new;
    return 0;
}

static void end_thread(struct jobserver *server)
{
    const uint64_t one = 1;
    pthread_mutex_lock(&server->mutex);
    server->stop = true;
    pthread_mutex_unlock(&server->mutex);
    ssize_t written = write(server->wake, &one, sizeof one);
    (void)written; /* the thread is awake already */
    pthread_join(server->thread, NULL);
}

void jobserver_stop(struct jobserver *server)
{
    end_thread(server);
    free_server(server);
}

void jobserver_leave(struct jobserver *server)
{
    end_thread(server);
    account_retire(server->account);
    free_server(server);
}

const struct pipes *jobserver_pipes(const struct jobserver *server)
{
    return account_pipes(server->account);
}

struct account_sum jobserver_sum(struct jobserver *server)
{
    pthread_mutex_lock(&server->mutex);
    const struct account_sum sum = account_sum(server->account);
    pthread_mutex_unlock(&server->mutex);
    return sum;
}
