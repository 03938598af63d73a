/*
 * What a command costs that is run with a slot, beside the same command without. Each round runs
 * every one of them once, in an order that is new each time; the time is from before posix_spawn
 * until the end is known.
 */
#include "bench/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { COMMANDS = 4, MOST_ARGUMENTS = 10 };
enum { BARE, BERTH, FLOCK, SEM };

static const double patience = 10;

struct command {
    const char *name;
    unsigned slots; /* 0: none */
    bool slow;      /* not in every round */
    const char *argument[MOST_ARGUMENTS];
    double *ns; /* of each round; NAN: not run in it */
    char note[120];
};

struct commands {
    struct bench_run *run;
    struct command command[COMMANDS];
    char **environment;
    char store[96], parallel[96], lock[96];
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
};

/* ---- one command, once ---- */

/* Waits for its end. False: interrupted, and it has been ended. */
static bool wait_for_it(struct bench_run *run, pid_t pid, int *status)
{
    const double deadline = bench_now() + patience;
    while (waitpid(pid, status, WNOHANG) == 0) {
        bool too_long = bench_now() > deadline;
        if (!too_long && bench_doze(run, 0.1))
            continue;
        kill(-pid, SIGKILL); /* with its children: it is a group of its own */
        while (waitpid(pid, status, 0) < 0 && errno == EINTR)
            continue;
        return too_long;
    }
    return true;
}

/* Nanoseconds, or NAN and a note. False: interrupted. */
static bool time_one(struct commands *all, struct command *command, double *ns)
{
    pid_t pid;
    int status = 0;
    *ns = NAN;
    uint64_t begun = bench_now_ns();
    int error = posix_spawnp(&pid, command->argument[0], &all->actions, &all->attributes,
                             (char **)(void *)command->argument, all->environment);
    if (error != 0) {
        snprintf(command->note, sizeof command->note, "cannot be run: %s",
                 error == ENOENT ? "not installed" : strerror(error));
        return true;
    }
    if (!wait_for_it(all->run, pid, &status))
        return false;
    uint64_t ended = bench_now_ns();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        *ns = (double)(ended - begun);
    else if (WIFEXITED(status))
        snprintf(command->note, sizeof command->note, "ended with status %d", WEXITSTATUS(status));
    else
        snprintf(command->note, sizeof command->note, "ended by signal %d", WTERMSIG(status));
    return true;
}

static bool measure(struct commands *all)
{
    const struct bench_sizes *size = all->run->size;
    const unsigned every = size->command_rounds / size->slow_command_rounds;
    for (unsigned round = 0; round < size->command_rounds; round++) {
        unsigned order[COMMANDS];
        bench_progress(all->run, "command", round, size->command_rounds);
        bench_shuffle(&all->run->random, order, COMMANDS);
        for (unsigned i = 0; i < COMMANDS; i++) {
            struct command *command = &all->command[order[i]];
            command->ns[round] = NAN;
            if (command->note[0] != '\0' || (command->slow && round % every != 0))
                continue;
            if (!time_one(all, command, &command->ns[round]))
                return false;
        }
    }
    return true;
}

/* ---- reporting ---- */

static struct bench_spread ratio(const struct command *command, const struct command *base,
                                 double *value, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++)
        value[round] = command->ns[round] / base->ns[round];
    return bench_spread_of(value, rounds);
}

static bool report(struct commands *all, const struct command *command, double *value)
{
    const unsigned rounds = all->run->size->command_rounds;
    struct bench_row row = bench_row_of(BENCH_COMMAND, command->name, 1, command->slots);
    row.ratio = ratio(command, &all->command[BARE], value, rounds);
    row.ratio_to_flock = ratio(command, &all->command[FLOCK], value, rounds);
    for (unsigned round = 0; round < rounds; round++) {
        value[round] = command->ns[round];
        row.samples += isfinite(value[round]);
    }
    row.p99_us = bench_quantile(value, rounds, 0.99) / 1e3;
    row.ns_per_pair = bench_spread_of(value, row.samples);
    snprintf(row.note, sizeof row.note, "%s", command->note);
    return bench_add(all->run, &row);
}

static bool report_all(struct commands *all)
{
    double *value = calloc(all->run->size->command_rounds, sizeof *value);
    bool kept = true;
    if (value == NULL)
        return bench_fail(all->run, "cannot work it out", ENOMEM);
    for (unsigned i = 0; i < COMMANDS && kept; i++)
        kept = report(all, &all->command[i], value);
    free(value);
    return kept;
}

/* ---- setting up ---- */

/* The environment, in which pools and the locks of sem live in the run's own directory. */
static bool set_environment(struct commands *all)
{
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    all->environment = calloc(count + 3, sizeof *all->environment);
    if (all->environment == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], "BERTH_STORE=", 12) != 0 &&
            strncmp(environ[i], "PARALLEL_HOME=", 14) != 0)
            all->environment[kept++] = environ[i];
    }
    snprintf(all->store, sizeof all->store, "BERTH_STORE=%s", all->run->directory);
    snprintf(all->parallel, sizeof all->parallel, "PARALLEL_HOME=%s", all->run->directory);
    all->environment[kept++] = all->store;
    all->environment[kept] = all->parallel;
    return true;
}

/* Signals as the user left them, a group of its own, and nothing to read or write. */
static int set_attributes(struct commands *all)
{
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP;
    int error = posix_spawnattr_setflags(&all->attributes, flags);
    if (error == 0)
        error = posix_spawnattr_setsigmask(&all->attributes, &all->run->signals.mask_before);
    if (error == 0)
        error = posix_spawnattr_setpgroup(&all->attributes, 0);
    for (int fd = 0; fd <= 2 && error == 0; fd++)
        error = posix_spawn_file_actions_addopen(&all->actions, fd, "/dev/null", O_RDWR, 0);
    return error;
}

static bool set_commands(struct commands *all)
{
    snprintf(all->lock, sizeof all->lock, "%s/command.lock", all->run->directory);
    all->command[BARE] = (struct command){.name = "fork+exec", .argument = {"/bin/true"}};
    all->command[BERTH] = (struct command){
        .name = "berth run",
        .slots = BENCH_SLOTS,
        .argument = {all->run->plan->command, "run", "-j", "4", "p", "--", "true"}};
    all->command[FLOCK] =
        (struct command){.name = "flock", .slots = 1, .argument = {"flock", all->lock, "true"}};
    all->command[SEM] = (struct command){
        .name = "sem",
        .slots = BENCH_SLOTS,
        .slow = true,
        .argument = {"sem", "-j", "4", "--id", "berth-bench", "--will-cite", "--fg", "true"}};
    for (unsigned i = 0; i < COMMANDS; i++) {
        all->command[i].ns = calloc(all->run->size->command_rounds, sizeof(double));
        if (all->command[i].ns == NULL)
            return false;
    }
    return true;
}

bool bench_command(struct bench_run *run)
{
    struct commands all = {.run = run};
    int error = posix_spawnattr_init(&all.attributes);
    if (error != 0)
        return bench_fail(run, "cannot set up the commands", error);
    error = posix_spawn_file_actions_init(&all.actions);
    if (error != 0) {
        posix_spawnattr_destroy(&all.attributes);
        return bench_fail(run, "cannot set up the commands", error);
    }
    error = set_attributes(&all);
    if (error == 0 && (!set_environment(&all) || !set_commands(&all)))
        error = ENOMEM;
    bool ran = error == 0 ? measure(&all) && report_all(&all)
                          : bench_fail(run, "cannot set up the commands", error);
    for (unsigned i = 0; i < COMMANDS; i++)
        free(all.command[i].ns);
    free(all.environment);
    posix_spawn_file_actions_destroy(&all.actions);
    posix_spawnattr_destroy(&all.attributes);
    return ran;
}
