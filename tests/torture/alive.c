#include "alive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* PF_EXITING of the kernel: set on the way into do_exit, before files are closed. The state becomes
 * Z only afterwards. */
enum { EXITING = 4 };

/* The line of /proc about the thread; false if there is no such thread. */
static bool read_line(int pid, int tid, char *line, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT && errno != ESRCH;
    ssize_t length = read(fd, line, size - 1);
    const bool there = length > 0 || errno != ESRCH;
    line[length > 0 ? length : 0] = '\0';
    close(fd);
    return there;
}

bool thread_is_dead(int pid, int tid)
{
    char line[512] = "";
    char state;
    unsigned flags;
    if (!read_line(pid, tid, line, sizeof line))
        return true;
    /* The name of the program may contain anything; what follows it does not contain ')'. */
    const char *rest = strrchr(line, ')');
    if (rest == NULL || sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2)
        return false; /* death is not proved */
    return state == 'Z' || state == 'X' || (flags & EXITING) != 0;
}

bool thread_is_dead_works(void)
{
    siginfo_t ended;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    bool works = pid > 0 && waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) == 0;
    char line[512] = "";
    unsigned flags = 0;
    const char *rest;
    works = works && read_line(pid, pid, line, sizeof line) && (rest = strrchr(line, ')')) &&
            sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && (flags & EXITING) != 0;
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return works && thread_is_dead(pid, pid) && !thread_is_dead(getpid(), getpid());
}
