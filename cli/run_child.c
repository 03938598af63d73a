/*
 * The command's process, and what signals do to it.
 *
 * It stays in the process group of berth run, so the terminal treats the two as one job: Ctrl-C and
 * Ctrl-Z reach both, and reading from the terminal needs nothing special. Four signals would end
 * berth run and leave the command behind; those are blocked while it runs, waited for, and forwarded:
 *
 *  - not if it was ignored when berth run was started (nohup). Blocked signals are queued all the
 *    same, so this has to be asked;
 *  - not if the kernel sent it and the child is in our group. Then the terminal sent it to the whole
 *    group, and a second Ctrl-C is what many programs take for "at once, and without cleaning up";
 *  - not if the child sent it. A script whose trap does `kill 0` would else be answered for ever.
 *
 * A process that signals the whole group by kill(2) cannot be told from one that means berth run
 * alone; the command then gets the signal twice, as it does under timeout(1). sudo(8) drops signals
 * from its own group instead. That would drop `kill $!` of a script too, which is the commoner use.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
enum { FORWARDED = sizeof forwarded / sizeof forwarded[0], RUN_FAILED = 127 };

/* What the child needs to know, and where it says why exec failed. */
struct start {
    char *const *argv;
    const struct run_keep *keep;
    pid_t parent;
    sigset_t mask;                 /* as berth run was started */
    struct sigaction child_action; /* of SIGCHLD, likewise */
    volatile int error;
};

/* In the child, on a stack of its own but in the memory of berth run, which stands still meanwhile.
 * There is no signal handler that could run here. */
static int become_command(void *argument)
{
    struct start *start = argument;
    if (start->keep->tied && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != start->parent))
        return RUN_FAILED;
    bool kept = true;
    for (size_t i = 0; i < start->keep->count && kept; i++)
        kept = fcntl(start->keep->fd[i], F_SETFD, 0) == 0;
    if (kept && sigaction(SIGCHLD, &start->child_action, NULL) == 0 &&
        sigprocmask(SIG_SETMASK, &start->mask, NULL) == 0) {
        errno = start->keep->last != NULL ? start->keep->last(start->keep->context) : 0;
        if (errno == 0)
            execvp(start->argv[0], start->argv);
    }
    start->error = errno;
    return RUN_FAILED; /* to clone(2), which ends the process without touching anything */
}

/* For execvp, which keeps a path on the stack, and a copy of argv where /bin/sh has to be called. */
static size_t stack_size(char *const argv[])
{
    size_t words = 0;
    while (argv[words] != NULL)
        words++;
    return (size_t)64 * 1024 + (words + 8) / 8 * 8 * sizeof(char *);
}

/* As vfork does: nothing of berth run is copied, and it goes on when the child has called exec. */
static pid_t start_process(struct start *start)
{
    size_t size = stack_size(start->argv);
    char *stack = malloc(size); /* used from its far end, which malloc's and our sizes align */
    if (stack == NULL)
        return -1;
    pid_t pid = clone(become_command, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
    int error = errno;
    free(stack);
    errno = error;
    return pid;
}

int run_start(struct run_child *child, char *const argv[], const struct run_keep *keep)
{
    struct start start = {.argv = argv, .keep = keep, .parent = getpid()};
    /* Who ignores SIGCHLD has no children to wait for. */
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    if (sigaction(SIGCHLD, &by_default, &start.child_action) != 0)
        return -1;
    sigemptyset(&child->watched);
    sigaddset(&child->watched, SIGCHLD);
    for (unsigned s = 0; s < FORWARDED; s++)
        sigaddset(&child->watched, forwarded[s]);
    if (sigprocmask(SIG_BLOCK, &child->watched, &start.mask) != 0)
        return -1;
    child->pid = start_process(&start);
    if (child->pid < 0)
        return -1;
    if (start.error != 0)
        waitpid(child->pid, NULL, 0);
    return start.error;
}

static void forward(const struct run_child *child, const siginfo_t *info)
{
    struct sigaction action;
    if (sigaction(info->si_signo, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        return;
    bool from_kernel = info->si_code > 0;
    if (from_kernel ? getpgid(child->pid) == getpgrp() : info->si_pid == child->pid)
        return;
    /* Nobody but us reaps the child: the number is still its own. */
    kill(child->pid, info->si_signo);
}

/* Processes of the command's that have lost their parents have come to us (run_lease.c). */
static void reap_others(const struct run_child *child)
{
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
           info.si_pid != child->pid) {
        waitpid(info.si_pid, NULL, WNOHANG);
        info.si_pid = 0;
    }
}

int run_wait(const struct run_child *child, const struct run_duty *duty)
{
    for (;;) {
        siginfo_t info;
        struct timespec next = {0};
        if (duty != NULL)
            next = duty->look(child, duty->context);
        int status, number = sigtimedwait(&child->watched, &info, duty != NULL ? &next : NULL);
        if (number == SIGCHLD) {
            if (waitpid(child->pid, &status, WNOHANG) == child->pid)
                return status;
            if (duty != NULL)
                reap_others(child);
        } else if (number > 0) {
            forward(child, &info);
        } /* else it was interrupted: berth run was stopped, and goes on; or the time is over */
    }
}
