/* Locks on ranges of bytes that belong to an open file, and go when its last descriptor and its
 * last mapping do. */
#include "sim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>

static void wake_waiters(const struct sim_inode *inode)
{
    sim_wake(SIM_ON_LOCK, inode->number, 64);
}

static void remove_at(unsigned i)
{
    sim.lock[i] = sim.lock[--sim.locks];
}

void sim_locks_drop(struct sim_ofd *ofd)
{
    bool any = false;
    for (unsigned i = sim.locks; i-- > 0;) {
        if (sim.lock[i].ofd != ofd)
            continue;
        remove_at(i);
        any = true;
    }
    if (any)
        wake_waiters(ofd->inode);
}

/* The first of the locks of others that conflict with it. */
static const struct sim_lock *in_the_way(const struct sim_ofd *ofd, bool exclusive, int64_t start,
                                         int64_t end)
{
    const struct sim_lock *found = NULL;
    for (unsigned i = 0; i < sim.locks; i++) {
        const struct sim_lock *lock = &sim.lock[i];
        if (lock->inode != ofd->inode || lock->ofd == ofd || lock->end <= start ||
            lock->start >= end || !(exclusive || lock->exclusive))
            continue;
        if (found == NULL || lock->start < found->start)
            found = lock;
    }
    return found;
}

static void add(struct sim_lock lock)
{
    if (sim.locks == SIM_LOCKS)
        sim_fail("the simulator has room for %d locks", SIM_LOCKS);
    else
        sim.lock[sim.locks++] = lock;
}

/* Takes the open file's own locks off the range. */
static void clear(const struct sim_ofd *ofd, int64_t start, int64_t end)
{
    for (unsigned i = sim.locks; i-- > 0;) {
        const struct sim_lock lock = sim.lock[i];
        if (lock.ofd != ofd || lock.end <= start || lock.start >= end)
            continue;
        remove_at(i);
        if (lock.start < start)
            add((struct sim_lock){lock.inode, lock.ofd, lock.exclusive, lock.start, start});
        if (lock.end > end)
            add((struct sim_lock){lock.inode, lock.ofd, lock.exclusive, end, lock.end});
    }
}

static int find(struct sim_ofd *ofd, struct flock *lock, int64_t start, int64_t end)
{
    const struct sim_lock *found = in_the_way(ofd, lock->l_type == F_WRLCK, start, end);
    if (found == NULL) {
        lock->l_type = F_UNLCK;
        return 0;
    }
    lock->l_type = found->exclusive ? F_WRLCK : F_RDLCK;
    lock->l_whence = SEEK_SET;
    lock->l_start = found->start;
    lock->l_len = found->end == INT64_MAX ? 0 : found->end - found->start;
    lock->l_pid = -1;
    return 0;
}

int sim_lock_control(struct sim_ofd *ofd, int command, struct flock *lock)
{
    const int64_t start = lock->l_start;
    const int64_t end = lock->l_len == 0 ? INT64_MAX : start + lock->l_len;
    if (ofd->inode == NULL || ofd->inode->directory) {
        errno = EBADF;
        return -1;
    }
    if (command == F_OFD_GETLK)
        return find(ofd, lock, start, end);
    if (lock->l_type == F_UNLCK) {
        clear(ofd, start, end);
        wake_waiters(ofd->inode);
        return 0;
    }
    if (lock->l_type == F_WRLCK && (ofd->flags & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        return -1;
    }
    while (in_the_way(ofd, lock->l_type == F_WRLCK, start, end) != NULL) {
        if (command == F_OFD_SETLK) {
            errno = EAGAIN;
            return -1;
        }
        if (sim_block(SIM_ON_LOCK, ofd->inode->number, SIM_FOREVER, true) == SIM_INTERRUPTED) {
            errno = EINTR;
            return -1;
        }
    }
    clear(ofd, start, end);
    add((struct sim_lock){ofd->inode, ofd, lock->l_type == F_WRLCK, start, end});
    return 0;
}
