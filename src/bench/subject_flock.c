/* flock(2) on a file that every process opens for itself: the lock is the open file's. */
#include "bench/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int open_file(const struct bench_place *place, int flags, int *fd)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.lock", place->directory, place->name);
    *fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
    return *fd < 0 ? errno : 0;
}

static int flock_make(struct bench_place *place)
{
    int fd, error = open_file(place, O_CREAT, &fd);
    if (error == 0)
        close(fd);
    return error;
}

static void flock_unmake(struct bench_place *place)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.lock", place->directory, place->name);
    unlink(path);
}

static int flock_join(struct bench_seat *seat)
{
    return open_file(seat->place, 0, &seat->own.fd);
}

static void flock_leave(struct bench_seat *seat)
{
    close(seat->own.fd);
}

static int operate(const struct bench_seat *seat, int operation)
{
    while (flock(seat->own.fd, operation) != 0) {
        if (errno != EINTR)
            return errno == EWOULDBLOCK ? EBUSY : errno;
    }
    return 0;
}

static int flock_acquire(struct bench_seat *seat)
{
    return operate(seat, LOCK_EX);
}

static int flock_try_acquire(struct bench_seat *seat)
{
    return operate(seat, LOCK_EX | LOCK_NB);
}

static int flock_release(struct bench_seat *seat)
{
    return operate(seat, LOCK_UN);
}

BENCH_PAIRS(flock)

const struct bench_subject bench_flock = {
    .name = "flock",
    .about = "flock(2) on a file in shared memory",
    .most = 1,
    .recovers = true,
    .make = flock_make,
    .unmake = flock_unmake,
    .join = flock_join,
    .acquire = flock_acquire,
    .try_acquire = flock_try_acquire,
    .release = flock_release,
    .leave = flock_leave,
    .pairs = flock_pairs,
};
