/* A robust mutex in a shared mapping: one slot, and the next owner hears of the last one's
 * death. */
#include "bench/subject.h"

#include <errno.h>
#include <pthread.h>

static int robust_make(struct bench_place *place)
{
    pthread_mutexattr_t attributes;
    int error = pthread_mutexattr_init(&attributes);
    if (error != 0)
        return error;
    error = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    if (error == 0)
        error = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (error == 0)
        error = pthread_mutex_init(place->shared, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return error;
}

static void robust_unmake(struct bench_place *place)
{
    /* Its last owner may have been killed: there is nothing to destroy in an orderly way. */
    (void)place;
}

static int owned(struct bench_seat *seat, int error)
{
    return error == EOWNERDEAD ? pthread_mutex_consistent(seat->place->shared) : error;
}

static int robust_acquire(struct bench_seat *seat)
{
    return owned(seat, pthread_mutex_lock(seat->place->shared));
}

static int robust_try_acquire(struct bench_seat *seat)
{
    return owned(seat, pthread_mutex_trylock(seat->place->shared));
}

static int robust_release(struct bench_seat *seat)
{
    return pthread_mutex_unlock(seat->place->shared);
}

BENCH_PAIRS(robust)

const struct bench_subject bench_robust = {
    .name = "robust-mutex",
    .about = "pthread mutex, robust and process-shared",
    .most = 1,
    .recovers = true,
    .make = robust_make,
    .unmake = robust_unmake,
    .join = bench_join_nothing,
    .acquire = robust_acquire,
    .try_acquire = robust_try_acquire,
    .release = robust_release,
    .leave = bench_leave_nothing,
    .pairs = robust_pairs,
};
