/*
 * One thread serves all accounts. It sleeps in poll(2), and is woken when a token comes back, when
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
    FIRST, /* of the accounts' descriptors */
};
/* Where the kernel gives no inotify instance, reads are not told of. */
enum { BLIND_LOOK = 5000000 };

struct entry {
    struct account *account;
    int watch; /* -1: none */
};

struct jobserver {
    pthread_t thread;
    pthread_mutex_t mutex;
    int wake, reads;
    bool stop;           /* under the mutex; so below */
    struct entry *entry; /* in the order in which they came */
    size_t count, room;
};

/* ---- the thread ---- */

/* What is left of it is polled again. */
static void drain(int fd)
{
    char events[4096] __attribute__((aligned(8)));
    ssize_t bytes = fd >= 0 ? read(fd, events, sizeof events) : 0;
    (void)bytes;
}

/* Serves all, and fills in what has to be polled. When to serve again at the latest. */
static uint64_t serve(struct jobserver *server, struct pollfd *polled)
{
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    uint64_t next = ACCOUNT_NEVER;
    for (size_t i = 0; i < server->count; i++) {
        struct entry *entry = &server->entry[i];
        uint64_t at = account_serve(entry->account, now);
        if (entry->watch < 0 && at > now + BLIND_LOOK)
            at = now + BLIND_LOOK;
        next = at < next ? at : next;
        int returns[ACCOUNT_POLLED];
        account_returns(entry->account, returns);
        for (unsigned r = 0; r < ACCOUNT_POLLED; r++)
            polled[FIRST + ACCOUNT_POLLED * i + r] = (struct pollfd){returns[r], POLLIN, 0};
    }
    polled[WAKE] = (struct pollfd){server->wake, POLLIN, 0};
    polled[READS] = (struct pollfd){server->reads, POLLIN, 0};
    return next;
}

static void sleep_until(struct pollfd *polled, size_t count, uint64_t next)
{
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    const struct timespec left = os_timespec(next > now ? next - now : 0);
    ppoll(polled, count, next == ACCOUNT_NEVER ? NULL : &left, NULL);
}

/* Room for this many; NULL: there is no memory, and what was there is freed. */
static struct pollfd *make_room_for(struct pollfd *polled, size_t *room, size_t count)
{
    if (polled != NULL && *room >= count)
        return polled;
    struct pollfd *more = realloc(polled, 2 * count * sizeof *more);
    if (more == NULL)
        free(polled);
    *room = more != NULL ? 2 * count : 0;
    return more;
}

static void *run(void *context)
{
    struct jobserver *server = context;
    struct pollfd *polled = NULL;
    size_t room = 0;
    for (;;) {
        pthread_mutex_lock(&server->mutex);
        const size_t count = FIRST + ACCOUNT_POLLED * server->count;
        polled = make_room_for(polled, &room, count);
        const uint64_t next =
            polled != NULL ? serve(server, polled) : os_now(CLOCK_MONOTONIC) + BLIND_LOOK;
        const bool stop = server->stop;
        pthread_mutex_unlock(&server->mutex);
        if (stop)
            break;
        sleep_until(polled, polled != NULL ? count : 0, next);
        if (polled == NULL || polled[WAKE].revents != 0)
            drain(server->wake);
        drain(server->reads); /* events up to now are no reason to wake again */
    }
    free(polled);
    return NULL;
}

static void wake(const struct jobserver *server)
{
    const uint64_t one = 1;
    ssize_t written = write(server->wake, &one, sizeof one);
    (void)written; /* it is awake already */
}

/* ---- from outside ---- */

static void release(struct jobserver *server)
{
    if (server->wake >= 0)
        close(server->wake);
    if (server->reads >= 0)
        close(server->reads);
    pthread_mutex_destroy(&server->mutex);
    free(server->entry);
    free(server);
}

/* Signals are for other threads. */
static int start_thread(struct jobserver *server)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&server->thread, NULL, run, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int jobserver_start(struct jobserver **server)
{
    struct jobserver *new = calloc(1, sizeof *new);
    if (new == NULL)
        return ENOMEM;
    pthread_mutex_init(&new->mutex, NULL);
    new->reads = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    new->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    const int error = new->wake >= 0 ? start_thread(new) : errno;
    if (error != 0) {
        release(new);
        return error;
    }
    *server = new;
    return 0;
}

static void end_thread(struct jobserver *server)
{
    pthread_mutex_lock(&server->mutex);
    server->stop = true;
    pthread_mutex_unlock(&server->mutex);
    wake(server);
    pthread_join(server->thread, NULL);
}

void jobserver_stop(struct jobserver *server)
{
    end_thread(server);
    for (size_t i = 0; i < server->count; i++)
        account_close(server->entry[i].account);
    release(server);
}

void jobserver_leave(struct jobserver *server)
{
    end_thread(server);
    for (size_t i = 0; i < server->count; i++) {
        account_retire(server->entry[i].account);
        account_close(server->entry[i].account);
    }
    release(server);
}

/* A FIFO that has lost its name can still be reached by its descriptor. */
static int watch(const struct jobserver *server, const struct account *account)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", account_pipes(account)->offer);
    return server->reads >= 0 ? inotify_add_watch(server->reads, path, IN_ACCESS) : -1;
}

static bool make_room(struct jobserver *server)
{
    if (server->count < server->room)
        return true;
    const size_t room = 2 * server->room + 8;
    struct entry *more = realloc(server->entry, room * sizeof *more);
    if (more == NULL)
        return false;
    server->entry = more;
    server->room = room;
    return true;
}

int jobserver_add(struct jobserver *server, struct account **account,
                  const struct account_options *options)
{
    struct account_options all = *options;
    all.wake = server->wake;
    int error = account_open(account, &all);
    if (error != 0)
        return error;
    pthread_mutex_lock(&server->mutex);
    if (make_room(server))
        server->entry[server->count++] = (struct entry){*account, watch(server, *account)};
    else
        error = ENOMEM;
    pthread_mutex_unlock(&server->mutex);
    if (error != 0)
        account_close(*account);
    wake(server);
    return error;
}

/* The thread polls descriptors of an account only while it is in the list, or until it is woken. */
void jobserver_remove(struct jobserver *server, struct account *account)
{
    pthread_mutex_lock(&server->mutex);
    size_t at = 0;
    while (at < server->count && server->entry[at].account != account)
        at++;
    if (at < server->count) {
        if (server->entry[at].watch >= 0)
            inotify_rm_watch(server->reads, server->entry[at].watch);
        server->count--;
        for (; at < server->count; at++)
            server->entry[at] = server->entry[at + 1];
    }
    pthread_mutex_unlock(&server->mutex);
    wake(server);
    account_close(account);
}

struct account_sum jobserver_sum(struct jobserver *server, const struct account *account)
{
    pthread_mutex_lock(&server->mutex);
    const struct account_sum sum = account_sum(account);
    pthread_mutex_unlock(&server->mutex);
    return sum;
}
