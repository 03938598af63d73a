/* Locks on ranges of bytes that belong to an open file, and go when its last descriptor and its
 * last mapping do. */
#include "sim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

static void wake_waiters(const struct sim_inode *inode)
{
    sim_wake(SIM_ON_LOCK, inode->number, 64);
}

/* The list is in the kernel's order, in which it also looks for a lock in the way: the locks of one
 * open file lie together, sorted, and those of a new one come last (fs/locks.c). */
static void remove_at(unsigned i)
{
    memmove(&sim.lock[i], &sim.lock[i + 1], (--sim.locks - i) * sizeof sim.lock[0]);
}

static void insert_at(unsigned i, struct sim_lock lock)
{
    if (sim.locks == SIM_LOCKS) {
        sim_fail("the simulator has room for %d locks", SIM_LOCKS);
        return;
    }
    memmove(&sim.lock[i + 1], &sim.lock[i], (sim.locks++ - i) * sizeof sim.lock[0]);
    sim.lock[i] = lock;
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
    for (unsigned i = 0; i < sim.locks; i++) {
        const struct sim_lock *lock = &sim.lock[i];
        if (lock->inode == ofd->inode && lock->ofd != ofd && lock->end > start &&
            lock->start < end && (exclusive || lock->exclusive))
            return lock;
    }
    return NULL;
}

/* Takes the open file's own locks off the range. */
static void clear(const struct sim_ofd *ofd, int64_t start, int64_t end)
{
    for (unsigned i = sim.locks; i-- > 0;) {
        const struct sim_lock lock = sim.lock[i];
        if (lock.ofd != ofd || lock.end <= start || lock.start >= end)
            continue;
        remove_at(i);
        if (lock.end > end)
            insert_at(i, (struct sim_lock){lock.inode, lock.ofd, lock.exclusive, end, lock.end});
        if (lock.start < start)
            insert_at(i,
                      (struct sim_lock){lock.inode, lock.ofd, lock.exclusive, lock.start, start});
    }
}

/* Adds `lock` on a range on which its open file has none, joined with neighbours of the same kind;
 * before `place` in the list if the open file has no other. */
static void add(struct sim_lock lock, unsigned place)
{
    unsigned at = place;
    bool has_other = false;
    for (unsigned i = sim.locks; i-- > 0;) {
        const struct sim_lock *own = &sim.lock[i];
        if (own->ofd != lock.ofd)
            continue;
        if (own->start >= lock.end)
            at = i;
        else if (!has_other)
            at = i + 1;
        has_other = true;
        if (own->exclusive != lock.exclusive || (own->end != lock.start && own->start != lock.end))
            continue;
        lock.start = own->start < lock.start ? own->start : lock.start;
        lock.end = own->end > lock.end ? own->end : lock.end;
        remove_at(i);
        at -= at > i;
    }
    insert_at(at, lock);
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
    unsigned place = 0;
    while (place < sim.locks && sim.lock[place].ofd != ofd)
        place++;
    clear(ofd, start, end);
    add((struct sim_lock){ofd->inode, ofd, lock->l_type == F_WRLCK, start, end}, place);
    return 0;
}
