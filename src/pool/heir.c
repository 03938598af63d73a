#include "pool/heir.h"

#include "pool/cancel.h"
#include "pool/loan.h"
#include "pool/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_again(const struct pool_file *file)
{
    char path[sizeof "/proc/self/fd/" + 3 * sizeof file->fd];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && !pool_file_is_ours(file)) { /* the program has closed the descriptor */
        close(fd);
        errno = EBADF;
        return -1;
    }
    return fd;
}

/* Whether the program has left the descriptor alone. */
static bool is_ours(const berth_pool *pool, int fd)
{
    struct stat status;
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && fstat(fd, &status) == 0 &&
           status.st_dev == pool->queue.file.device && status.st_ino == pool->queue.file.inode;
}

/* With the list of loans locked. */
static int make(berth_pool *pool)
{
    const struct queue *queue = &pool->queue;
    const int fd = open_again(&queue->file);
    if (fd < 0)
        return errno;
    atomic_store(&pool->heir_fd, fd);
    int error = *pool->mine == HERE ? os_lock_share(fd, pool_heirs_range(queue->seat)) : 0;
    if (error == 0)
        error = loan_share_all(pool);
    if (error != 0)
        heir_close(pool, true);
    return error;
}

int heir_fd(berth_pool *pool)
{
    int error = *pool->mine == HERE || *pool->mine == UNSEATED ? 0 : ENOTSUP;
    if (error == 0) {
        const int before = cancel_later();
        loan_lock_list(&pool->queue);
        if (atomic_load(&pool->heir_fd) < 0)
            error = make(pool);
        loan_unlock_list(&pool->queue);
        cancel_as(before);
    }
    errno = error;
    return error == 0 ? atomic_load(&pool->heir_fd) : -1;
}

int heir_share(berth_pool *pool, struct os_range range)
{
    const int fd = atomic_load(&pool->heir_fd);
    return fd >= 0 && is_ours(pool, fd) ? os_lock_share(fd, range) : 0;
}

void heir_drop(berth_pool *pool, struct os_range range)
{
    const int fd = atomic_load(&pool->heir_fd);
    if (fd >= 0 && is_ours(pool, fd))
        os_lock_drop(fd, range);
}

void heir_close(berth_pool *pool, bool mine)
{
    const int fd = atomic_exchange(&pool->heir_fd, -1);
    if (fd < 0 || !is_ours(pool, fd))
        return;
    if (mine)
        os_lock_drop(fd, (struct os_range){0});
    close(fd);
}
