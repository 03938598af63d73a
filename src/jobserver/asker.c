#include "jobserver/asker.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 256 * 1024, PAUSE_NS = 200000 };

static void tell(const struct asker *asker)
{
    const uint64_t one = 1;
    ssize_t written = write(asker->wake, &one, sizeof one);
    (void)written; /* the counter is full: it is readable already */
}

static void set(struct asker *asker, enum asker_state state)
{
    pthread_mutex_lock(&asker->mutex);
    asker->state = state;
    pthread_mutex_unlock(&asker->mutex);
}

static bool is_asked(struct asker *asker)
{
    pthread_mutex_lock(&asker->mutex);
    while (asker->state != ASKER_ASKS && !asker->stop)
        pthread_cond_wait(&asker->change, &asker->mutex);
    pthread_mutex_unlock(&asker->mutex);
    return !asker->stop;
}

static void *wait_in_line(void *context)
{
    struct asker *asker = context;
    while (is_asked(asker)) {
        asker->error = berth_acquire_unless(asker->pool, &asker->grant, NULL, &asker->stop);
        set(asker, asker->error == 0 ? ASKER_CAME : ASKER_FAILED);
        tell(asker);
    }
    return NULL;
}

/* Signals are for other threads. */
static int start(struct asker *asker)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&asker->thread, &attributes, wait_in_line, asker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    asker->started = error == 0;
    return error;
}

int asker_open(struct asker *asker, berth_pool *pool, int wake)
{
    *asker = (struct asker){.pool = pool, .wake = wake};
    const int error = pthread_mutex_init(&asker->mutex, NULL);
    return error != 0 ? error : pthread_cond_init(&asker->change, NULL);
}

/* A wait that was about to sleep may miss a wake-up, so it is woken again until the thread has
 * ended. */
void asker_end(struct asker *asker)
{
    pthread_mutex_lock(&asker->mutex);
    asker->stop = 1;
    pthread_cond_signal(&asker->change);
    pthread_mutex_unlock(&asker->mutex);
    while (asker->started && pthread_tryjoin_np(asker->thread, NULL) == EBUSY) {
        berth_interrupt(asker->pool);
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    asker->started = false;
}

void asker_close(struct asker *asker)
{
    asker_end(asker);
    pthread_cond_destroy(&asker->change);
    pthread_mutex_destroy(&asker->mutex);
}

/* A slot that is free needs no thread. */
int asker_ask(struct asker *asker)
{
    int error = berth_try_acquire(asker->pool, &asker->grant);
    if (error == EBUSY && !asker->started) {
        const int not_started = start(asker);
        if (not_started != 0)
            return not_started;
    } else if (error != 0 && error != EBUSY) {
        return error;
    }
    pthread_mutex_lock(&asker->mutex);
    asker->state = error == 0 ? ASKER_CAME : ASKER_ASKS;
    pthread_cond_signal(&asker->change);
    pthread_mutex_unlock(&asker->mutex);
    return 0;
}

enum asker_state asker_look(struct asker *asker, berth_grant *grant, int *error)
{
    pthread_mutex_lock(&asker->mutex);
    const enum asker_state state = asker->state;
    if (state == ASKER_CAME)
        *grant = asker->grant;
    if (state == ASKER_FAILED)
        *error = asker->error;
    if (state != ASKER_ASKS)
        asker->state = ASKER_RESTS;
    pthread_mutex_unlock(&asker->mutex);
    return state;
}
