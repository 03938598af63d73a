#include "os/process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

uint64_t os_pid_namespace(void)
{
    struct stat status;
    const int saved = errno;
    const uint64_t number = stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
    errno = saved;
    return number;
}

bool os_process_is_gone(uint64_t pid)
{
    const int saved = errno;
    const bool gone = pid > 0 && pid <= INT_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
    errno = saved;
    return gone;
}
