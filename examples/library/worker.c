/*
 * Three processes with two threads each share two slots.
 *
 *     cc worker.c $(pkg-config --cflags --libs berth) -pthread -o worker
 *
 * A process opens the pool for itself, after fork; its threads share the handle.
 */
#include <berth.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 3, THREADS = 2, SLOTS = 2, ROUNDS = 1000 };

static const char name[] = "worker-example";

/* What the slots protect: here only a count of who is at work on each. */
static struct work {
    atomic_int at_slot[SLOTS];
    atomic_int done, clashes;
} * work;

static void fail(const char *what, int error)
{
    fprintf(stderr, "%s: %s: %s\n", what, strerror(error), berth_reason());
    exit(1);
}

static void *thread(void *handle)
{
    berth_pool *pool = handle;
    for (int i = 0; i < ROUNDS; i++) {
        berth_grant grant;
        int error = berth_acquire(pool, &grant);
        if (error != 0)
            fail("berth_acquire", error);

        if (atomic_fetch_add(&work->at_slot[grant.slot], 1) != 0)
            atomic_fetch_add(&work->clashes, 1);
        atomic_fetch_add(&work->done, 1);
        atomic_fetch_sub(&work->at_slot[grant.slot], 1);

        error = berth_release(pool, &grant);
        if (error != 0)
            fail("berth_release", error);
    }
    return NULL;
}

static int process(void)
{
    pthread_t threads[THREADS];
    berth_pool *pool;
    int error = berth_open(&pool, name, &(berth_options){.slots = SLOTS});
    if (error != 0)
        fail("berth_open", error);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, thread, pool) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return berth_close(pool);
}

int main(void)
{
    work = mmap(NULL, sizeof *work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work == MAP_FAILED)
        return 1;
    for (int i = 0; i < PROCESSES; i++) {
        pid_t pid = fork();
        if (pid < 0)
            return 1;
        if (pid == 0)
            exit(process());
    }
    int status, failed = 0;
    while (wait(&status) > 0)
        failed |= status;

    printf("%d times a slot was held; %d times by two at once\n", work->done, work->clashes);
    int error = berth_remove(name, NULL);
    if (error != 0)
        fail("berth_remove", error);
    return failed != 0 || work->clashes != 0 || work->done != PROCESSES * THREADS * ROUNDS;
}
