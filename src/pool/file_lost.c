#include "pool/file_lost.h"

#include "pool/reason.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

/* The signal by which the open file could report events, and does not, tells it from other files
 * with the same descriptor; and the process to which it would tells it from those of a parent. */
enum { MARK = SIGPWR };

int lost_check(const struct pool_file *file, int fd)
{
    char event[sizeof(struct inotify_event) + NAME_MAX + 1];
    while (fd >= 0 && read(fd, event, sizeof event) > 0)
        continue; /* before the file is looked at, so that nothing is missed */
    if (!pool_file_is_ours(file))
        return pool_fail(EBADF, "the program has closed the descriptor of the pool %s", file->name);
    if (atomic_load(&file->control->removed) != 0 || pool_file_is_gone(file))
        return pool_fail(EIDRM, "the file of the pool %s has been deleted", file->name);
    return 0;
}

/* The number of names is an attribute of the file: it is told when one is taken away. Changes of
 * its owner, mode or times are reported in the same way, so a reader asks berth_good_for what has
 * happened. */
static int watch(const struct pool_file *file)
{
    char link[sizeof "/proc/self/fd/" + 3 * sizeof file->fd];
    const int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0)
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file->fd);
    if (inotify_add_watch(fd, link, IN_ATTRIB | IN_DELETE_SELF) >= 0 &&
        fcntl(fd, F_SETSIG, MARK) == 0 && fcntl(fd, F_SETOWN, getpid()) == 0)
        return fd;
    close(fd);
    return -1;
}

int lost_fd(_Atomic(int) *kept, const struct pool_file *file)
{
    int fd = atomic_load(kept), none = -1;
    if (fd >= 0)
        return fd;
    fd = watch(file);
    if (fd < 0 || atomic_compare_exchange_strong(kept, &none, fd))
        return fd;
    close(fd); /* another thread was faster */
    return none;
}

void lost_fd_close(int fd, bool is_mine)
{
    if (fd >= 0 && fcntl(fd, F_GETSIG) == MARK && (fcntl(fd, F_GETOWN) == getpid()) == is_mine)
        close(fd);
}
