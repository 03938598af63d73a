#include "os/io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return higher;
}

int os_open(int directory, const char *name, int flags, mode_t mode)
{
    int fd;
    do
        fd = openat(directory, name, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return above_standard(fd);
}

ssize_t os_read(int fd, void *buffer, size_t size, int64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t some = pread(fd, (char *)buffer + done, size - done, offset + (int64_t)done);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return -1;
        if (some == 0)
            break;
        done += (size_t)some;
    }
    return (ssize_t)done;
}

int os_write(int fd, const void *buffer, size_t size, int64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t some = pwrite(fd, (const char *)buffer + done, size - done, offset + (int64_t)done);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return errno;
        if (some == 0)
            return EIO; /* never seen; trying again would not help */
        done += (size_t)some;
    }
    return 0;
}
