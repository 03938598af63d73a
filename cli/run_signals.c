/*
 * What signals do to berth run while its command runs, and what its own end looks like.
 *
 * Every signal that can be waited for is forwarded to the command, with these exceptions:
 *
 *  - what was ignored when berth run was started (nohup). Blocked signals are queued even if they
 *  are ignored, so this has to be checked;
 *  - what the terminal sent to the whole group, if the command is in it. It has the signal already,
 *    and a second Ctrl-C is what many programs take for "at once, and without cleaning up";
 *  - what the command sent. Otherwise a script whose trap does `kill 0` would be signalled for
 *  ever.
 *
 * A process that signals the whole group by kill(2) cannot be told from one that means berth run
 * alone; the command then gets the signal twice, as it does under timeout(1). sudo(8) drops signals
 * from its own group instead. That would drop `kill $!` of a script too, which is the commoner use.
 *
 * A stop is the command's to obey or not. berth run stops when the command has, so that the command
 * can clean up first, and a shell sees what it would see without berth.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUN_SIGNAL = 128 };

/* ---- forwarding ---- */

static bool is_stop(int number)
{
    return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* What the kernel sends to all of a process group. */
static bool goes_to_groups(int number)
{
    return is_stop(number) || number == SIGINT || number == SIGQUIT || number == SIGHUP ||
           number == SIGCONT || number == SIGWINCH;
}

bool run_is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Whether the command has it already, or must not have it. */
static bool is_not_for(const struct run_child *child, const siginfo_t *info)
{
    if (info->si_code > 0)
        return goes_to_groups(info->si_signo) && getpgid(child->pid) == getpgrp();
    return info->si_pid == child->pid;
}

void run_forward(struct run_child *child, const siginfo_t *info)
{
    if (run_is_ignored(info->si_signo))
        return;
    child->told_to_stop =
        info->si_signo != SIGCONT && (child->told_to_stop || is_stop(info->si_signo));
    if (is_not_for(child, info))
        return;
    /* Only this process reaps the child, so the number is still its own. */
    if (info->si_code == SI_QUEUE)
        sigqueue(child->pid, info->si_signo, info->si_value);
    else
        kill(child->pid, info->si_signo);
}

/* ---- stopping ---- */

/* The terminal has to be given back to the shell. */
static bool is_in_foreground(void)
{
    const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    const bool is = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
    if (terminal >= 0)
        close(terminal);
    return is;
}

void run_stop_self(int number)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigset_t one;
    if (!run_is_ignored(number))
        sigaction(number, &by_default, NULL);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL); /* stops here, until CONT comes */
    sigprocmask(SIG_BLOCK, &one, NULL);
}

/* Stops this process as the command was stopped. The signal is sent, and not SIGSTOP: the kernel
 * ignores it if there is no shell that could continue us. */
void run_stop_along(struct run_child *child)
{
    const int number = is_stop(child->stopped_by) ? child->stopped_by : SIGTSTP;
    sigset_t pending;
    if (child->stopped_by == 0 || !(child->told_to_stop || is_in_foreground()))
        return;
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGCONT))
        return; /* it is over */
    child->stopped_by = 0;
    child->told_to_stop = false;
    run_stop_self(number);
}

/* ---- the end ---- */

/* The command has left a core already, if it leaves one. */
int run_end_by(int number)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    const struct rlimit none = {0};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE,
          0); /* a program that takes cores from a pipe does not ask for the limit */
    sigaction(number, &by_default, NULL);
    kill(getpid(), number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    return RUN_SIGNAL + number; /* the first process of a container does not die so */
}

/* ---- the first process of a container, while it waits for a slot ---- */

static struct sigaction child_action_before;
static bool is_init;

static void leave(int number)
{
    _exit(RUN_SIGNAL + number); /* the kernel gives the place back */
}

/* The kernel gives the first process no signal that it has no handler for, and makes it the parent
 * of all orphans. */
void run_signals_begin_init(void)
{
    static const int ending[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
    struct sigaction before, action = {.sa_handler = leave}, ignore = {.sa_handler = SIG_IGN};
    if (getpid() != 1)
        return;
    for (unsigned i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        if (sigaction(ending[i], &action, &before) == 0 && before.sa_handler == SIG_IGN)
            sigaction(ending[i], &before, NULL);
    }
    is_init = sigaction(SIGCHLD, &ignore, &child_action_before) == 0; /* and so they are reaped */
}

void run_signals_end_init(void)
{
    if (is_init)
        sigaction(SIGCHLD, &child_action_before, NULL);
}
