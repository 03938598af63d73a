/*
 * berth-etcd-handle STORE POOL [SLOTS]: one handle, and what to do with it on standard input, a
 * word a line: try, acquire, until (a second from now), until N, within TEXT (without waiting),
 * release, good, lend, lost. After each there is a line: "ok" with slot and token, with the
 * milliseconds that are left, with the text of a loan, or with whether berth_lost_fd is readable;
 * or "error", its number and the reason. After "thread" another thread acquires, and says "thread
 * ok", with slot and token, when it has; "cancel" cancels it and waits for its end. "cancels N" has
 * N of them one after the other, each cancelled soon, and giving back the slot if it has one. After
 * "thread all" the thread calls berth_acquire_all. The handle stays open until the input ends.
 */
#include <berth.h>

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int acquire(berth_pool *pool, const char *word, berth_grant *grant)
{
    struct timespec deadline;
    if (strcmp(word, "try") == 0)
        return berth_try_acquire(pool, grant);
    if (strcmp(word, "acquire") == 0)
        return berth_acquire(pool, grant);
    if (strncmp(word, "within ", 7) == 0)
        return berth_acquire_within(&(berth_want){.pool = pool, .slots = 1, .grants = grant}, 1,
                                    word + 7, NULL, BERTH_TRY);
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += word[5] == ' ' ? atoi(word + 6) : 1;
    return berth_acquire_until(pool, grant, &deadline);
}

static pthread_t thread;

static bool all; /* by berth_acquire_all */

static void *acquire_too(void *pool)
{
    berth_grant grant;
    const berth_want want = {.pool = pool, .slots = 1, .grants = &grant};
    if ((all ? berth_acquire_all(&want, 1) : berth_acquire(pool, &grant)) == 0)
        printf("thread ok %u %" PRIu64 "\n", grant.slot, grant.token);
    else
        printf("thread error %s\n", berth_reason());
    fflush(stdout);
    return NULL;
}

static void *acquire_and_release(void *pool)
{
    berth_grant grant;
    int error = berth_acquire(pool, &grant), before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    if (error == 0)
        error = berth_release(pool, &grant);
    if (error != 0)
        printf("error %d %s\n", error, berth_reason());
    return NULL;
}

/* How many of them were cancelled; -1: there are no threads. */
static int cancel_many(berth_pool *pool, int count)
{
    int cancelled = 0;
    for (int i = 0; i < count; i++) {
        void *result;
        if (pthread_create(&thread, NULL, acquire_and_release, pool) != 0)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = i % 20 * 300000}, NULL);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    return cancelled;
}

static void act(berth_pool *pool, const char *word, berth_grant *grant)
{
    struct timespec left;
    char text[BERTH_LOAN_MAX];
    int error = 0;
    if (strcmp(word, "release") == 0) {
        error = berth_release(pool, grant);
        if (error == 0)
            printf("ok\n");
    } else if (strcmp(word, "good") == 0) {
        error = berth_good_for(pool, grant, &left);
        if (error == 0)
            printf("ok %lld\n", (long long)left.tv_sec * 1000 + left.tv_nsec / 1000000);
    } else if (strcmp(word, "lend") == 0) {
        error = berth_lend(pool, grant, text);
        if (error == 0)
            printf("ok %s\n", text);
    } else if (strcmp(word, "lost") == 0) {
        struct pollfd lost = {.fd = berth_lost_fd(pool), .events = POLLIN};
        printf("ok %d\n", poll(&lost, 1, 0));
    } else if (strcmp(word, "thread") == 0 || strcmp(word, "thread all") == 0) {
        all = strcmp(word, "thread") != 0;
        error = pthread_create(&thread, NULL, acquire_too, pool);
        if (error == 0)
            printf("ok\n");
    } else if (strcmp(word, "cancel") == 0) {
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        printf("ok\n");
    } else if (strncmp(word, "cancels ", 8) == 0) {
        printf("ok %d\n", cancel_many(pool, atoi(word + 8)));
    } else {
        error = acquire(pool, word, grant);
        if (error == 0)
            printf("ok %u %" PRIu64 "\n", grant->slot, grant->token);
    }
    if (error != 0)
        printf("error %d %s\n", error, berth_reason());
    fflush(stdout);
}

int main(int argc, char **argv)
{
    berth_pool *pool;
    berth_grant grant = {0};
    char line[512];
    if (argc != 3 && argc != 4)
        return 2;
    const berth_options options = {.store = argv[1],
                                   .slots = argc > 3 ? (unsigned)atoi(argv[3]) : 0};
    if (berth_open(&pool, argv[2], &options) != 0) {
        fprintf(stderr, "%s\n", berth_reason());
        return 1;
    }
    printf("open\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        act(pool, line, &grant);
    }
    return berth_close(pool) != 0;
}
