/*
 * berth run --jobserver: the command and its tree share slots of the pool as GNU make's jobserver
 * shares tokens. The slot that berth run has waited for is the one that every client has from the
 * start. A thread serves more of them, by the same handle; so they stay with the tree if berth run
 * is killed, and come back when it has ended (docs/JOBSERVER.md).
 */
#include "cli.h"
#include "run.h"

#include "jobserver/flags.h"
#include "jobserver/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NEWER_MAJOR = 4, NEWER_MINOR = 4 }; /* from this version on make knows named pipes */

bool run_jobserver_form(const char *text)
{
    return strcmp(text, "fifo") == 0 || strcmp(text, "fds") == 0;
}

/* ---- which form the command understands ---- */

extern char **environ;

/* Starts `program --version`, its output in a pipe. -1, or the end to read from. */
static int ask_version(const char *program, pid_t *pid)
{
    char *const argv[] = {(char *)(uintptr_t)program, "--version", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawnp(pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

enum make_kind { NO_MAKE, OLDER_MAKE, NEWER_MAKE, UNKNOWN_MAKE };

/* MAKEFLAGS of another jobserver would be in its way. */
static enum make_kind kind_of_make(const char *program)
{
    char *flags = getenv("MAKEFLAGS"), *kept = flags != NULL ? strdup(flags) : NULL;
    unsigned major = 0, minor = 0;
    pid_t pid;
    unsetenv("MAKEFLAGS");
    const int fd = ask_version(program, &pid);
    if (kept != NULL)
        setenv("MAKEFLAGS", kept, 1);
    free(kept);
    FILE *text = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (text == NULL)
        return NO_MAKE;
    char line[256] = "";
    const bool has_line = fgets(line, sizeof line, text) != NULL;
    fclose(text);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (!has_line || sscanf(line, "GNU Make %u.%u", &major, &minor) != 2)
        return UNKNOWN_MAKE;
    return major > NEWER_MAJOR || (major == NEWER_MAJOR && minor >= NEWER_MINOR) ? NEWER_MAKE
                                                                                 : OLDER_MAKE;
}

/* CLI_OK and *form, or a status after saying what is wrong. */
static int choose_form(const struct run_options *options, enum flags_program program,
                       enum pipes_form *form)
{
    *form = PIPES_FIFO;
    if (options->form != NULL) {
        *form = strcmp(options->form, "fds") == 0 ? PIPES_PAIR : PIPES_FIFO;
        return CLI_OK;
    }
    if (program == FLAGS_NINJA)
        return CLI_OK;
    if (program == FLAGS_CARGO) {
        *form = PIPES_PAIR; /* which every version understands */
        return CLI_OK;
    }
    const char *make = program == FLAGS_MAKE ? options->argv[0] : "make";
    switch (kind_of_make(make)) {
    case OLDER_MAKE: *form = PIPES_PAIR; return CLI_OK;
    case NEWER_MAKE:
    case NO_MAKE: return CLI_OK; /* or it is found out when the command is started */
    case UNKNOWN_MAKE: break;
    }
    if (program != FLAGS_MAKE)
        return CLI_OK;
    return cli_error(CLI_FAILED,
                     "run: %s is not GNU make, and what form of a jobserver it understands is not "
                     "known (--jobserver=fifo or --jobserver=fds says it)",
                     make);
}

/* ---- the server ---- */

static int failed(int error)
{
    return cli_error(CLI_FAILED, "run: cannot make a jobserver: %s", strerror(error));
}

static int tell_command(const struct account *account, unsigned jobs)
{
    char *flags = flags_make(getenv("MAKEFLAGS"), account_pipes(account), jobs);
    const int error = flags == NULL ? ENOMEM : setenv("MAKEFLAGS", flags, 1) != 0 ? errno : 0;
    free(flags);
    unsetenv("CARGO_MAKEFLAGS"); /* it would be another jobserver's */
    return error;
}

static void keep_open(struct run_keep *keep, const struct pipes *pipes,
                      const struct pipes_folder *folder)
{
    const int fds[] = {pipes->client[0], pipes->client[1], folder->lock};
    for (unsigned i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0)
            keep->fd[keep->count++] = fds[i];
    }
}

/* Whatever else may run below make, ninja hardly does. */
static enum account_kind kind_of(enum flags_program program)
{
    switch (program) {
    case FLAGS_MAKE:
    case FLAGS_CARGO: return ACCOUNT_SLEEPS;
    case FLAGS_NINJA: return ACCOUNT_POLLS;
    case FLAGS_OTHER: break;
    }
    return ACCOUNT_ANY;
}

static int begin(struct run_jobserver *jobserver, const struct run_options *options,
                 enum pipes_form form, unsigned jobs, struct run_keep *keep)
{
    const struct run_pool *pool = &options->pools.pool[0];
    struct account *account;
    jobserver->stays = !options->close;
    jobserver->folder = calloc(1, sizeof *jobserver->folder);
    if (jobserver->folder == NULL)
        return ENOMEM;
    int error = pipes_folder_make(jobserver->folder);
    if (error != 0)
        return error;
    error = jobserver_start(&jobserver->server);
    if (error != 0)
        return error;
    const struct account_options wanted = {.pool = pool->handle,
                                           .form = form,
                                           .folder = jobserver->folder,
                                           .name = "tokens",
                                           .most = jobs > 1 ? jobs - 1 : 0,
                                           .none = jobs == 1,
                                           .kind = kind_of(flags_program(options->argv[0])),
                                           .own = run_loan_level(pool) > 0 ? 0 : 1};
    error = jobserver_add(jobserver->server, &account, &wanted);
    if (error == 0)
        error = tell_command(account, jobs > 0 && jobs < pool->of ? jobs : pool->of);
    if (error == 0)
        keep_open(keep, account_pipes(account), jobserver->folder);
    return error;
}

int run_jobserver_begin(struct run_jobserver *jobserver, const struct run_options *options,
                        struct run_keep *keep)
{
    enum pipes_form form;
    if (!options->jobserver)
        return CLI_OK;
    if (run_pools_can_be_lost(&options->pools))
        return cli_error(CLI_FAILED,
                         "run: --jobserver is for pools in a directory, and %s is in etcd",
                         options->pools.pool[0].name);
    const enum flags_program program = flags_program(options->argv[0]);
    const int status = choose_form(options, program, &form);
    if (status != CLI_OK)
        return status;
    const unsigned jobs = flags_take_jobs(program, options->argv);
    const int error = begin(jobserver, options, form, jobs, keep);
    if (error == 0)
        return CLI_OK;
    run_jobserver_end(jobserver, 0);
    return failed(error);
}

/* A program that is ended by another signal has had the time to end its children. */
static bool is_sudden(int signal)
{
    static const int sudden[] = {SIGKILL, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    for (unsigned i = 0; i < sizeof sudden / sizeof sudden[0]; i++) {
        if (signal == sudden[i])
            return true;
    }
    return false;
}

bool run_jobserver_end(struct run_jobserver *jobserver, int signal)
{
    const bool leaves = jobserver->server != NULL && jobserver->stays && is_sudden(signal);
    if (leaves)
        jobserver_leave(jobserver->server);
    else if (jobserver->server != NULL)
        jobserver_stop(jobserver->server);
    if (jobserver->folder != NULL)
        pipes_folder_remove(jobserver->folder);
    free(jobserver->folder);
    *jobserver = (struct run_jobserver){0};
    return !leaves;
}
