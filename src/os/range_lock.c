#include "os/range_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int control(int fd, int command, short type, struct os_range range, struct flock *lock)
{
    int result;
    *lock = (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = range.start, .l_len = range.length};
    do
        result = fcntl(fd, command, lock);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return 0;
    return errno == EACCES ? EAGAIN : errno; /* POSIX leaves the choice between the two */
}

int os_lock_take(int fd, struct os_range range)
{
    struct flock lock;
    return control(fd, F_OFD_SETLK, F_WRLCK, range, &lock);
}

int os_lock_share(int fd, struct os_range range)
{
    struct flock lock;
    return control(fd, F_OFD_SETLK, F_RDLCK, range, &lock);
}

int os_lock_drop(int fd, struct os_range range)
{
    struct flock lock;
    return control(fd, F_OFD_SETLK, F_UNLCK, range, &lock);
}

int os_lock_find(int fd, struct os_range range, struct os_range *found)
{
    struct flock lock;
    int error = control(fd, F_OFD_GETLK, F_WRLCK, range, &lock);
    if (error != 0)
        return error;
    if (lock.l_type == F_UNLCK)
        return ENOENT;
    *found = (struct os_range){
        .start = lock.l_start, .length = lock.l_len, .exclusive = lock.l_type == F_WRLCK};
    return 0;
}
