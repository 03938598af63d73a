/* A POSIX semaphore in a shared mapping. */
#include "bench/subject.h"

#include <errno.h>
#include <semaphore.h>

static int posix_make(struct bench_place *place)
{
    return sem_init(place->shared, 1, place->slots) == 0 ? 0 : errno;
}

static void posix_unmake(struct bench_place *place)
{
    sem_destroy(place->shared);
}

static int posix_acquire(struct bench_seat *seat)
{
    while (sem_wait(seat->place->shared) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

static int posix_try_acquire(struct bench_seat *seat)
{
    if (sem_trywait(seat->place->shared) == 0)
        return 0;
    return errno == EAGAIN ? EBUSY : errno;
}

static int posix_release(struct bench_seat *seat)
{
    return sem_post(seat->place->shared) == 0 ? 0 : errno;
}

BENCH_PAIRS(posix)

const struct bench_subject bench_sem = {
    .name = "sem_t",
    .about = "POSIX semaphore, process-shared: sem_wait, sem_post",
    .most = BENCH_SLOTS,
    .make = posix_make,
    .unmake = posix_unmake,
    .join = bench_join_nothing,
    .acquire = posix_acquire,
    .try_acquire = posix_try_acquire,
    .release = posix_release,
    .leave = bench_leave_nothing,
    .pairs = posix_pairs,
};
