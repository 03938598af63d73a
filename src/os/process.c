#include "os/process.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t os_pid_namespace(void)
{
    struct stat status;
    const int saved = errno;
    const uint64_t number = stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
    errno = saved;
    return number;
}

/* A process that has ended and was not waited for (a zombie) still has its number; only its
 * descriptor tells. */
static bool has_ended(pid_t pid)
{
    const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return errno == ESRCH;
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    const bool ended = poll(&polled, 1, 0) == 1;
    close(fd);
    return ended;
}

bool os_process_is_gone(uint64_t pid)
{
    const int saved = errno;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    const bool gone = pid > 0 && pid <= INT_MAX && has_ended((pid_t)pid);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
    return gone;
}
