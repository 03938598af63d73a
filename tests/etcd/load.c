/*
 * berth-etcd-load STORE POOL SLOTS CLIENTS ACQUIRES HOLD_US [HISTORY]: CLIENTS threads, each with a
 * handle of its own, take slots of a pool and give them back, ACQUIRES times altogether, or until
 * SIGTERM. Each grant is a line of the history: client, slot, token, ticket; then, in nanoseconds
 * of CLOCK_MONOTONIC, when it was asked for, when it was granted, until when it was good; and
 * whether it was lost. It was good until it was given back, or, if it was lost, until the last look
 * at which the library still said that it was good. When it is granted, a line with a + and the
 * first six of these is written, so that the grants of a client that is killed later are known too.
 *
 * LOAD_TOLERANT: a store that is full, away for long, or set back to an old state is waited for,
 * and the pool is opened again, unless handles are shared. LOAD_WRONG=lease: believes in each grant
 * for eight seconds longer than the library says; somebody has to notice (campaign).
 * LOAD_HANDLES=N: they share N handles, so that more can wait than there can be processes.
 *
 * Prints how long it took, and fails if any call did that should not have.
 */
#include <berth.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct client {
    pthread_t thread;
    unsigned number;
    berth_pool *pool;
    unsigned failures;
};

static const char *store, *name;
static unsigned slots, hold_us;
static atomic_int left;
static FILE *history;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_open;
static bool tolerant, wrong_lease;
static struct client *clients;
static unsigned count;
static unsigned handles; /* clients from this number on use the handle of another one */

/* By the kernel: the clock that the library sees may be another (faketime). */
static int64_t now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void complain(struct client *client, const char *what)
{
    client->failures++;
    fprintf(stderr, "client %u: %s: %s\n", client->number, what, berth_reason());
}

/* Works, and looks now and then whether the slot is still its own. *until is when that was so for
 * the last time; false: it was lost. */
static bool work(struct client *client, const berth_grant *grant, int64_t *until)
{
    const int64_t end = *until + (int64_t)hold_us * 1000, pause = 2000000;
    for (;;) {
        struct timespec good;
        const int64_t looked = now();
        if (berth_good_for(client->pool, grant, &good) != 0 ||
            (good.tv_sec == 0 && good.tv_nsec == 0)) {
            if (wrong_lease) {
                nanosleep(&(struct timespec){.tv_sec = 8}, NULL);
                *until = now();
            }
            return false;
        }
        *until = looked;
        if (looked >= end)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = end - looked < pause ? end - looked : pause}, NULL);
    }
}

static void hold(struct client *client, const berth_grant *grant, int64_t asked)
{
    const int64_t had = now();
    int64_t until = had;
    if (history != NULL) {
        pthread_mutex_lock(&writing);
        fprintf(history, "+ %u %u %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 "\n",
                client->number, grant->slot, grant->token, grant->ticket, asked, had);
        pthread_mutex_unlock(&writing);
    }
    const bool lost = !work(client, grant, &until);
    const int error = berth_release(client->pool, grant);
    if (error != 0 && !(lost || error == EPERM || tolerant))
        complain(client, "release");
    if (history == NULL)
        return;
    pthread_mutex_lock(&writing);
    fprintf(history, "%u %u %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
            client->number, grant->slot, grant->token, grant->ticket, asked, had, until, lost);
    pthread_mutex_unlock(&writing);
}

static bool open_pool(struct client *client)
{
    const berth_options options = {.slots = slots, .store = store, .command = "load"};
    while (berth_open(&client->pool, name, &options) != 0) {
        client->pool = NULL;
        if (!tolerant || atomic_load(&left) <= 0) {
            complain(client, "open");
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    }
    return true;
}

/* Whether it can go on after that. */
static bool get_over(struct client *client, int error)
{
    if (!tolerant || (error != ENOSPC && error != EHOSTUNREACH && error != ENOTRECOVERABLE))
        return false;
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    if (error != ENOTRECOVERABLE)
        return true;
    if (handles < count) /* others use it */
        return false;
    berth_close(client->pool);
    return open_pool(client);
}

static void *run(void *argument)
{
    struct client *client = argument;
    if (client->number < handles)
        open_pool(client);
    pthread_barrier_wait(&all_open);
    if (client->number >= handles)
        client->pool = clients[client->number % handles].pool;
    while (client->pool != NULL && atomic_fetch_sub(&left, 1) > 0) {
        berth_grant grant;
        const int64_t asked = now();
        const int error = berth_acquire(client->pool, &grant);
        if (error != 0 && get_over(client, error))
            continue;
        if (error != 0) {
            complain(client, "acquire");
            break;
        }
        hold(client, &grant, asked);
    }
    pthread_barrier_wait(&all_open);
    if (client->pool != NULL && client->number < handles && berth_close(client->pool) != 0 &&
        !tolerant)
        complain(client, "close");
    return NULL;
}

static void stop(int signal)
{
    (void)signal;
    left = 0;
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return 2;
    store = argv[1];
    name = argv[2];
    slots = (unsigned)atoi(argv[3]);
    count = (unsigned)atoi(argv[4]);
    left = atoi(argv[5]);
    hold_us = (unsigned)atoi(argv[6]);
    tolerant = getenv("LOAD_TOLERANT") != NULL;
    const char *wrong = getenv("LOAD_WRONG");
    wrong_lease = wrong != NULL && strcmp(wrong, "lease") == 0;
    history = argc > 7 ? fopen(argv[7], "w") : NULL;
    if (history != NULL)
        setvbuf(history, NULL, _IOLBF, 0); /* others count the lines while it runs */
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    clients = calloc(count, sizeof *clients);
    handles = getenv("LOAD_HANDLES") != NULL ? (unsigned)atoi(getenv("LOAD_HANDLES")) : count;
    if (clients == NULL || handles == 0)
        return 2;
    pthread_barrier_init(&all_open, NULL, count + 1);
    for (unsigned i = 0; i < count; i++) {
        clients[i].number = i;
        if (pthread_create(&clients[i].thread, NULL, run, &clients[i]) != 0)
            return 2;
    }
    pthread_barrier_wait(&all_open);
    printf("open\n");
    fflush(stdout);
    const int64_t start = now();
    pthread_barrier_wait(&all_open);
    printf("%.6f\n", (double)(now() - start) / 1e9);
    fflush(stdout);
    unsigned failures = 0;
    for (unsigned i = 0; i < count; i++) {
        pthread_join(clients[i].thread, NULL);
        failures += clients[i].failures;
    }
    free(clients);
    return history != NULL && fclose(history) != 0 ? 2 : failures > 0;
}
