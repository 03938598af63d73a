/*
 * berth run --when: with its slots, and so at the head of the line, the run asks a command whether
 * it may start: whether enough memory is free, or a card. It asks again each second; nobody
 * overtakes in the meantime.
 */
#include "pool_command.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ASK_MS = 1000, LOOK_MS = 20, CANNOT = 127 };

static bool is_late(const struct run_patience *patience)
{
    struct timespec now = {0};
    if (patience->deadline == NULL)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > patience->deadline->tv_sec ||
           (now.tv_sec == patience->deadline->tv_sec && now.tv_nsec >= patience->deadline->tv_nsec);
}

/* In the child. What the command prints is for nobody, unless it was asked for. */
static void become_question(const struct run_options *options)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(options->verbose ? STDERR_FILENO : nothing, STDOUT_FILENO);
        if (!options->verbose)
            dup2(nothing, STDERR_FILENO);
    }
    execl(_PATH_BSHELL, "sh", "-c", options->when, (char *)NULL);
    _exit(CANNOT);
}

/* Asks once. Its wait status; -1: no process could be started, or the time is over. */
static int ask(const struct run_options *options, const struct run_patience *patience)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0)
        become_question(options);
    while (pid > 0) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended != 0)
            return ended == pid ? status : -1;
        if (is_late(patience)) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    }
    return -1;
}

static void say_when(const struct run_options *options, int status)
{
    cli_error(CLI_OK, "waiting with the slot of %s until this succeeds (now: %s %d): %s",
              options->pools.pool[0].name, WIFSIGNALED(status) ? "signal" : "status",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), options->when);
}

int run_when(const struct run_options *options, const struct run_patience *patience)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct sigaction before;
    int error = 0;
    if (options->when == NULL)
        return 0;
    sigaction(SIGCHLD, &by_default, &before); /* one that is ignored leaves no status */
    for (unsigned asked = 0;; asked++) {
        const int status = ask(options, patience);
        if (status == 0)
            break;
        error = patience->none ? EBUSY : is_late(patience) ? ETIMEDOUT : 0;
        if (error != 0)
            break;
        if (status > 0 && asked == 1 && !run_is_silent(options))
            say_when(options, status);
        nanosleep(&(struct timespec){.tv_sec = ASK_MS / 1000}, NULL);
    }
    sigaction(SIGCHLD, &before, NULL);
    return error;
}
