#include "pool/door.h"

#include "os/clock.h"
#include "os/lock.h"
#include "pool/reason.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Who is behind a door draws a few tickets there, which takes microseconds, unless it is stopped. */
enum { YIELDS = 20, FIRST_PAUSE = 50 * 1000, LAST_PAUSE = 20 * OS_MILLISECOND };

static const struct os_range door_range = {.start = POOL_DOOR_BYTE, .length = 1};

int door_name(struct door *door, const struct pool_file *file)
{
    struct stat status;
    *door = (struct door){.fd = -1};
    if (fstat(file->fd, &status) != 0)
        return errno;
    door->device = status.st_dev;
    door->inode = status.st_ino;
    return 0;
}

int door_find(struct door *door, const struct pool_file *file)
{
    char link[sizeof "/proc/self/fd/" + 3 * sizeof file->fd];
    int error = door_name(door, file);
    if (error != 0)
        return pool_fail(error, "cannot look at the file of the pool %s: %s", file->name,
                         strerror(error));
    snprintf(link, sizeof link, "/proc/self/fd/%d", file->fd);
    door->fd = open(link, O_RDWR | O_CLOEXEC);
    return door->fd >= 0 ? 0
                         : pool_fail(errno, "cannot open the pool %s once more, by %s: %s",
                                     file->name, link, strerror(errno));
}

int door_compare(const struct door *one, const struct door *other)
{
    if (one->device != other->device)
        return one->device < other->device ? -1 : 1;
    return one->inode == other->inode ? 0 : one->inode < other->inode ? -1 : 1;
}

int door_enter(const struct door *door, const struct pool_file *file, uint64_t deadline)
{
    uint64_t pause = FIRST_PAUSE;
    for (unsigned round = 0;; round++) {
        const int error = os_lock_take(door->fd, door_range);
        if (error == 0)
            return 0;
        if (error != EAGAIN)
            return pool_fail(error, "cannot lock the door of the pool %s: %s", file->name,
                             strerror(error));
        if (round < YIELDS) {
            sched_yield();
            continue;
        }
        const uint64_t now = os_now(CLOCK_MONOTONIC);
        if (now >= deadline)
            return pool_fail(ETIMEDOUT, "pool %s: nobody came out of its door in time", file->name);
        const struct timespec sleep = os_timespec(pause < deadline - now ? pause : deadline - now);
        nanosleep(&sleep, NULL); /* a signal makes it shorter, no more */
        pause = 2 * pause < LAST_PAUSE ? 2 * pause : LAST_PAUSE;
    }
}

void door_close(struct door *door)
{
    if (door->fd >= 0)
        close(door->fd); /* and with it goes the lock */
    door->fd = -1;
}
