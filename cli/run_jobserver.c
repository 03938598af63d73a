/*
 * berth run --jobserver: the command and its tree share slots of the pool as GNU make's jobserver
 * shares tokens. The slot that berth run has waited for is the one that every client has from the
 * start. A thread serves more of them, by the same handle; so they stay with the tree if berth run
 * is killed, and come back when it has ended (docs/JOBSERVER.md).
 */
#include "cli.h"
#include "os/environment.h"
#include "run.h"

#include "jobserver/command.h"
#include "jobserver/server.h"
#include "jobserver/version.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool run_jobserver_form(const char *text)
{
    return strcmp(text, "fifo") == 0 || strcmp(text, "fds") == 0;
}

/* ---- which form the command understands ---- */

/* What the program is known not to understand. CLI_OK, or a status after saying it. */
static int refuse(const char *path, const char *version, enum version_form knows, bool wants_fds)
{
    if (knows == VERSION_NEITHER)
        return cli_error(
            CLI_FAILED,
            "run: %s is version %s, which understands no jobserver of this form and would run as "
            "many jobs as it likes (make does from 4.2 on, ninja from 1.13 on)",
            path, version);
    if (knows == VERSION_FIFO_ALONE && wants_fds)
        return cli_error(CLI_FAILED,
                         "run: %s understands a jobserver at a named pipe alone: --jobserver=fifo",
                         path);
    if (knows == VERSION_FDS && !wants_fds)
        return cli_error(CLI_FAILED,
                         "run: %s understands a jobserver at descriptors alone: --jobserver=fds",
                         path);
    return CLI_OK;
}

/* A script, or what starts others, is taken to start make. */
static int choose_form(const struct run_options *options, const struct command *command,
                       enum pipes_form *form)
{
    const bool is_make = command->program == FLAGS_MAKE;
    const bool other = command->program == FLAGS_OTHER;
    char version[VERSION_TEXT];
    enum version_form knows = VERSION_UNKNOWN;
    *form = PIPES_FIFO;
    if (options->form != NULL)
        *form = strcmp(options->form, "fds") == 0 ? PIPES_PAIR : PIPES_FIFO;
    else if (command->program == FLAGS_CARGO)
        *form = PIPES_PAIR; /* which every version understands */
    if (command->program == FLAGS_CARGO || (other && options->form != NULL))
        return CLI_OK;
    knows =
        version_ask(other ? FLAGS_MAKE : command->program, other ? "make" : command->path, version);
    if (options->form == NULL && knows == VERSION_FDS)
        *form = PIPES_PAIR;
    if (options->form == NULL && is_make && knows == VERSION_UNKNOWN)
        return cli_error(
            CLI_FAILED,
            "run: %s is not GNU make, and what form of a jobserver it understands is not "
            "known (--jobserver=fifo or --jobserver=fds says it)",
            command->path);
    if (other && knows == VERSION_NEITHER)
        return refuse("make", version, knows, false);
    return other ? CLI_OK : refuse(command->path, version, knows, *form == PIPES_PAIR);
}

/* ---- the server ---- */

static int failed(int error)
{
    return cli_error(CLI_FAILED, "run: cannot make a jobserver, with pipes in %s: %s",
                     pipes_folder_base(), strerror(error));
}

static int tell_command(const struct pipes *pipes, unsigned jobs)
{
    char *flags = flags_make(getenv("MAKEFLAGS"), pipes, jobs);
    int error = flags == NULL ? ENOMEM : os_environment_set("MAKEFLAGS", flags);
    free(flags);
    if (error == 0) /* it would be another jobserver's */
        error = os_environment_unset("CARGO_MAKEFLAGS");
    if (error == 0) /* cmake would make a -j of it */
        error = os_environment_unset("CMAKE_BUILD_PARALLEL_LEVEL");
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
                 enum pipes_form form, enum flags_program program, unsigned jobs,
                 struct run_keep *keep)
{
    const struct run_pool *pool = &options->pools.pool[0];
    jobserver->stays = !options->close;
    jobserver->folder = calloc(1, sizeof *jobserver->folder);
    if (jobserver->folder == NULL)
        return ENOMEM;
    int error = pipes_folder_make(jobserver->folder);
    if (error != 0)
        return error;
    const struct account_options wanted = {.pool = pool->handle,
                                           .form = form,
                                           .folder = jobserver->folder,
                                           .most = jobs > 1 ? jobs - 1 : 0,
                                           .none = jobs == 1,
                                           .kind = kind_of(program),
                                           .own = run_loan_level(pool) > 0 ? 0 : 1};
    error = jobserver_start(&jobserver->server, &wanted);
    if (error == 0)
        error = tell_command(jobserver_pipes(jobserver->server),
                             jobs > 0 && jobs < pool->of ? jobs : pool->of);
    if (error == 0)
        keep_open(keep, jobserver_pipes(jobserver->server), jobserver->folder);
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
    struct command command;
    command_find(&command, options->argv);
    const int status = choose_form(options, &command, &form);
    if (status != CLI_OK)
        return status;
    const unsigned jobs = command_take_jobs(&command);
    const int error = begin(jobserver, options, form, command.program, jobs, keep);
    if (error == 0)
        return CLI_OK;
    run_jobserver_end(jobserver, 0);
    return failed(error);
}

/* A program that is ended by another signal has had the time to end its children. */
static bool is_sudden(int signal)
{
    static const int sudden[] = {SIGKILL, SIGABRT, SIGBUS, SIGFPE,
                                 SIGILL,  SIGSEGV, SIGSYS, SIGTRAP};
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
