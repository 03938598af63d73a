/* A System V semaphore whose operations the kernel undoes when the process ends. */
#include "bench/subject.h"

#include <errno.h>
#include <sys/sem.h>

struct sysv {
    int id;
};

/* The caller has to define it, says semctl(2). */
union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

static int sysv_make(struct bench_place *place)
{
    struct sysv *sysv = place->shared;
    sysv->id = semget(IPC_PRIVATE, 1, 0600);
    if (sysv->id < 0)
        return errno;
    if (semctl(sysv->id, 0, SETVAL, (union semun){.val = (int)place->slots}) == 0)
        return 0;
    int error = errno;
    semctl(sysv->id, 0, IPC_RMID);
    return error;
}

static void sysv_unmake(struct bench_place *place)
{
    const struct sysv *sysv = place->shared;
    semctl(sysv->id, 0, IPC_RMID);
}

static int operate(const struct bench_seat *seat, short by, short flags)
{
    const struct sysv *sysv = seat->place->shared;
    struct sembuf operation = {.sem_op = by, .sem_flg = (short)(SEM_UNDO | flags)};
    while (semop(sysv->id, &operation, 1) != 0) {
        if (errno != EINTR)
            return errno == EAGAIN ? EBUSY : errno;
    }
    return 0;
}

static int sysv_acquire(struct bench_seat *seat)
{
    return operate(seat, -1, 0);
}

static int sysv_try_acquire(struct bench_seat *seat)
{
    return operate(seat, -1, IPC_NOWAIT);
}

static int sysv_release(struct bench_seat *seat)
{
    return operate(seat, 1, 0);
}

BENCH_PAIRS(sysv)

const struct bench_subject bench_sysv = {
    .name = "sysv",
    .about = "System V semaphore: semop with SEM_UNDO",
    .most = BENCH_SLOTS,
    .recovers = true,
    .make = sysv_make,
    .unmake = sysv_unmake,
    .join = bench_join_nothing,
    .acquire = sysv_acquire,
    .try_acquire = sysv_try_acquire,
    .release = sysv_release,
    .leave = bench_leave_nothing,
    .pairs = sysv_pairs,
};
