/*
 * A cgroup for the command, where one can be made: see os/cgroup.h. It is made before the guardian
 * is started, which finds it in its environment; the command has the same variable, and ignores it.
 */
#include "run.h"

#include "os/cgroup.h"
#include "os/environment.h"
#include "store/etcd/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char path[PATH_MAX]; /* empty: there is none */

void run_cgroup_make(const char *number)
{
    char name[128];
    if (path[0] != '\0')
        return;
    snprintf(name, sizeof name, "%s%s", GUARD_CGROUP_PREFIX, number);
    os_environment_unset(GUARD_CGROUP);
    const char *wanted = getenv("BERTH_CGROUP");
    if ((wanted != NULL && strcmp(wanted, "no") == 0) || !os_cgroup_make(name, path))
        path[0] = '\0';
    else
        os_environment_set(GUARD_CGROUP, path);
}

bool run_cgroup_kill(void)
{
    return path[0] != '\0' && os_cgroup_kill(path);
}

void run_cgroup_remove(void)
{
    if (path[0] != '\0')
        os_cgroup_remove(path, GUARD_CGROUP_PREFIX);
    path[0] = '\0';
}

/* ---- a process in it, from its first instruction on ---- */

/* The child goes on here, on the stack of its parent, which stands still: so this is no call, whose
 * return address the child would write over. */
static inline __attribute__((always_inline)) long clone_here(const struct clone_args *arguments)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_clone3), "D"(arguments), "S"(sizeof *arguments)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long result __asm__("x0") = (long)arguments;
    register long size __asm__("x1") = (long)sizeof *arguments;
    register long number __asm__("x8") = SYS_clone3;
    __asm__ volatile("svc #0" : "+r"(result) : "r"(size), "r"(number) : "memory");
    return result;
#else
    (void)arguments;
    return -ENOSYS;
#endif
}

__attribute__((noinline)) pid_t run_cgroup_start(int (*function)(void *), void *argument)
{
    const int fd = path[0] != '\0' ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0)
        return -1;
    const struct clone_args arguments = {.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP,
                                         .exit_signal = SIGCHLD,
                                         .cgroup = (unsigned)fd};
    const long pid = clone_here(&arguments);
    if (pid == 0)
        _exit(function(argument));
    close(fd);
    errno = pid < 0 ? (int)-pid : 0;
    return pid < 0 ? -1 : (pid_t)pid;
}
