/*
 * The command's process, from its start to its end.
 *
 * It stays in the process group of berth run, so the terminal treats the two as one job: Ctrl-C and
 * Ctrl-Z reach both, and reading from the terminal needs nothing special. While the command runs,
 * every signal is blocked and waited for; run_signals.c says what is done with each.
 *
 * Between the blocking of signals and the exec there is a moment in which a signal of the terminal
 * could be lost, because "the command has it already" is not true yet. So the six signals that a
 * terminal sends to a whole group are let through to handlers for that moment. The kernel handles
 * what is pending before it makes a process (clone starts again after the handler), and what
 * arrives later reaches both processes. What the handlers note is in `moment`, in memory that the
 * two share.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUN_FAILED = 127 };

/* ---- the moment between blocking and exec ---- */

static const int endings[] = {SIGINT, SIGQUIT, SIGHUP};
static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
enum {
    ENDINGS = sizeof endings / sizeof endings[0],
    STOPS = sizeof stops / sizeof stops[0],
};

static struct {
    volatile sig_atomic_t passed; /* the child is past the point where it can be called off */
    volatile sig_atomic_t early;  /* the signal that calls it off */
    volatile sig_atomic_t stop;   /* a stop that was delayed: neither may stop before the exec */
    volatile sig_atomic_t is_late[ENDINGS];
    siginfo_t late[ENDINGS]; /* came to berth run alone, or to both, while the child called exec */
} moment;

/* Runs in berth run, and before the exec in the child. */
static void note_ending(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!moment.passed) {
        moment.early = number;
        return;
    }
    for (unsigned i = 0; i < ENDINGS; i++) {
        if (endings[i] == number) {
            moment.late[i] = *info;
            moment.is_late[i] = 1;
        }
    }
}

static void note_stop(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    moment.stop = number;
}

/* Has the handler called, unless the signal is ignored, or blocked by `mask`. */
static void let_through(int number, void (*note)(int, siginfo_t *, void *), const sigset_t *mask,
                        sigset_t *open)
{
    struct sigaction before, action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    if (sigismember(mask, number) || sigaction(number, &action, &before) != 0)
        return;
    if (before.sa_handler == SIG_IGN)
        sigaction(number, &before, NULL);
    else
        sigaddset(open, number);
}

/* ---- starting it ---- */

/* What the child needs to know, and where it says why exec failed. */
struct start {
    char *const *argv;
    const struct run_keep *keep;
    pid_t parent;
    sigset_t mask;                 /* as berth run was started */
    sigset_t open;                 /* the signals that are let through */
    struct sigaction child_action; /* of SIGCHLD, as berth run was started */
    volatile int error;
    int untied; /* why the command cannot be tied to berth run; or 0 */
};

/* A handler would swallow a Ctrl-C that comes after the last look at moment.early. Stops are kept
 * from the child up to the exec, which resets the handlers: berth run could not stop with it. */
static bool restore_signals(const struct start *start)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    for (unsigned i = 0; i < ENDINGS; i++) {
        if (sigismember(&start->open, endings[i]) && sigaction(endings[i], &by_default, NULL) != 0)
            return false;
    }
    return sigaction(SIGCHLD, &start->child_action, NULL) == 0 &&
           sigprocmask(SIG_SETMASK, &start->mask, NULL) == 0;
}

/* In the child, on a stack of its own but in the memory of berth run, which is suspended until the
 * exec. */
static int become_command(void *argument)
{
    struct start *start = argument;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (moment.early != 0)
        return RUN_FAILED;
    moment.passed = 1;
    if (start->keep->tied && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        start->untied = errno; /* it would outlive berth run: no command is started then */
        return RUN_FAILED;
    }
    if (start->keep->tied && getppid() != start->parent)
        return RUN_FAILED; /* berth run is dead, and reads nothing of this */
    bool kept = true;
    for (size_t i = 0; i < start->keep->count && kept; i++)
        kept = fcntl(start->keep->fd[i], F_SETFD, 0) == 0;
    if (kept && restore_signals(start)) {
        errno = start->keep->last != NULL ? start->keep->last(start->keep->context) : 0;
        if (errno == 0)
            execvp(start->argv[0], start->argv);
    }
    start->error = errno;
    return RUN_FAILED; /* to clone(2), which ends the process without touching anything */
}

/* For execvp, which keeps a path on the stack, and a copy of argv where /bin/sh has to be
 * called. */
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
    sigprocmask(SIG_UNBLOCK, &start->open, NULL);
    pid_t pid = run_cgroup_start(become_command, start);
    if (pid < 0)
        pid = clone(become_command, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
    int error = errno;
    sigprocmask(SIG_BLOCK, &start->open, NULL);
    free(stack);
    errno = error;
    return pid;
}

/* Hands on what came while the child could not be told yet. */
static void catch_up(struct run_child *child)
{
    for (unsigned i = 0; i < ENDINGS; i++) {
        if (moment.is_late[i])
            run_forward(child, &moment.late[i]);
    }
    if (moment.stop != 0) {
        child->told_to_stop = true;
        kill(child->pid, moment.stop);
    }
}

int run_start(struct run_child *child, char *const argv[], const struct run_keep *keep)
{
    struct start start = {.argv = argv, .keep = keep, .parent = getpid()};
    *child = (struct run_child){.adopts = getpid() == 1};
    run_signals_end_init();
    /* A process that ignores SIGCHLD has no children to wait for. */
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigfillset(&child->watched);
    sigdelset(&child->watched, SIGBUS); /* run_file.c: one that is blocked would kill */
    sigemptyset(&start.open);
    if (sigaction(SIGCHLD, &by_default, &start.child_action) != 0 ||
        sigprocmask(SIG_BLOCK, &child->watched, &start.mask) != 0)
        return -1;
    for (unsigned i = 0; i < ENDINGS; i++)
        let_through(endings[i], note_ending, &start.mask, &start.open);
    for (unsigned i = 0; i < STOPS; i++)
        let_through(stops[i], note_stop, &start.mask, &start.open);
    child->pid = start_process(&start);
    if (child->pid < 0)
        return -1;
    if (!moment.passed) {
        int status = 0;
        waitpid(child->pid, &status, 0);
        child->called_off = moment.early;
        if (child->called_off == 0 && WIFSIGNALED(status)) /* it was killed before it got there */
            child->called_off = WTERMSIG(status);
        return 0;
    }
    if (start.error == 0 && start.untied == 0) {
        catch_up(child);
        return 0;
    }
    waitpid(child->pid, NULL, 0);
    errno = start.untied;
    return start.untied != 0 ? -1 : start.error;
}

/* ---- waiting for its end ---- */

/* Looks what has become of the child, and of orphans. True: the child has ended, with *status. */
static bool reap(struct run_child *child, int *status)
{
    pid_t pid;
    while ((pid = waitpid(child->adopts ? -1 : child->pid, status,
                          WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
        if (pid != child->pid)
            continue;
        if (WIFSTOPPED(*status))
            child->stopped_by = WSTOPSIG(*status);
        else if (WIFCONTINUED(*status))
            child->stopped_by = 0;
        else
            return true;
    }
    return false;
}

int run_wait(struct run_child *child, const struct run_duty *duty)
{
    int status;
    child->adopts |= duty != NULL && duty->adopts; /* run_lease.c */
    for (;;) {
        siginfo_t info;
        struct timespec next = {0};
        if (duty != NULL)
            next = duty->look(child, duty->context);
        const int number = sigtimedwait(&child->watched, &info, duty != NULL ? &next : NULL);
        if (number > 0 && reap(child, &status))
            return status;
        if (number > 0 && number != SIGCHLD)
            run_forward(child, &info);
        if (number > 0)
            run_stop_along(child);
        /* else it was interrupted: berth run was stopped, and goes on; or the time is over */
    }
}
