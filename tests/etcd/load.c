/*
 * berth-etcd-load STORE POOL SLOTS CLIENTS ACQUIRES HOLD_US [HISTORY]: so many clients, each a thread
 * with a handle of its own, take slots of a pool and give them back, so often altogether. Each grant is
 * a line of the history: client, slot, token, ticket, and, in nanoseconds of CLOCK_MONOTONIC, when it
 * was asked for, when it was had, when it was given back at the latest, and whether it had been lost.
 * Prints how long it took, and fails if any call did that should not have.
 */
#include <berth.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void complain(struct client *client, const char *what)
{
    client->failures++;
    fprintf(stderr, "client %u: %s: %s\n", client->number, what, berth_reason());
}

static void hold(struct client *client, const berth_grant *grant, int64_t asked)
{
    const int64_t had = now();
    struct timespec good;
    if (hold_us > 0)
        nanosleep(&(struct timespec){.tv_sec = hold_us / 1000000,
                                     .tv_nsec = (long)(hold_us % 1000000) * 1000},
                  NULL);
    const bool lost =
        berth_good_for(client->pool, grant, &good) != 0 || (good.tv_sec == 0 && good.tv_nsec == 0);
    const int64_t given = now();
    const int error = berth_release(client->pool, grant);
    if (error != 0 && !(lost || error == EPERM))
        complain(client, "release");
    if (history == NULL)
        return;
    pthread_mutex_lock(&writing);
    fprintf(history, "%u %u %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
            client->number, grant->slot, grant->token, grant->ticket, asked, had, given, lost);
    pthread_mutex_unlock(&writing);
}

static void *run(void *argument)
{
    struct client *client = argument;
    const berth_options options = {.slots = slots, .store = store, .command = "load"};
    if (berth_open(&client->pool, name, &options) != 0) {
        complain(client, "open");
        client->pool = NULL;
    }
    pthread_barrier_wait(&all_open);
    while (client->pool != NULL && atomic_fetch_sub(&left, 1) > 0) {
        berth_grant grant;
        const int64_t asked = now();
        if (berth_acquire(client->pool, &grant) != 0) {
            complain(client, "acquire");
            break;
        }
        hold(client, &grant, asked);
    }
    pthread_barrier_wait(&all_open);
    if (client->pool != NULL && berth_close(client->pool) != 0)
        complain(client, "close");
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return 2;
    store = argv[1];
    name = argv[2];
    slots = (unsigned)atoi(argv[3]);
    const unsigned count = (unsigned)atoi(argv[4]);
    left = atoi(argv[5]);
    hold_us = (unsigned)atoi(argv[6]);
    history = argc > 7 ? fopen(argv[7], "w") : NULL;
    struct client *clients = calloc(count, sizeof *clients);
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
