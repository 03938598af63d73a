/*
 * berth run: waits for slots, runs a command, gives the slots back.
 *
 * The command inherits the file that the slot depends on, so the slot stays with it if berth run is
 * killed. While it waits for a slot, berth run has nothing to clean up: a signal ends it, the
 * kernel closes its file, and the other processes skip its ticket.
 *
 * Scripts call this in loops. What costs time is starting processes, so nothing here needs jansson,
 * /proc, a thread, or a copy of the address space.
 */
#include "pool_command.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    RUN_LOST = 121,
    RUN_OVER_LIMIT = 124,
    RUN_SIGNAL = 128,
    RUN_CANNOT_EXECUTE = 126,
    RUN_NOT_FOUND = 127
};

/* How it ends. */
struct run_end {
    int status;
    int signal; /* the one that ended the command, or kept it from being started; 0: none */
};

/* What status shows: the words of the command, as far as they go. */
static void describe(const struct run_options *options, char text[BERTH_COMMAND_MAX])
{
    size_t used = 0, room = BERTH_COMMAND_MAX - 1;
    char *const *next = options->string != NULL ? &options->shell[2] : options->argv;
    for (; *next != NULL && used < room; next++) {
        if (used > 0)
            text[used++] = ' ';
        size_t length = strnlen(*next, room - used);
        memcpy(text + used, *next, length);
        used += length;
    }
    text[used] = '\0';
}

/* ---- the slots ---- */

static void say_places(const struct run_options *options)
{
    for (size_t i = 0; i < options->pools.count; i++) {
        berth_view *view;
        const char *name = options->pools.pool[i].name;
        const berth_options how = {.store = cli_where_store(&options->where, name)};
        if (berth_look(&view, name, &how) != 0)
            continue; /* no reason not to wait */
        cli_error(CLI_OK, "pool %s: %zu ahead, waiting", name, view->waiter_count);
        berth_view_free(view);
    }
}

static void say_slots(const struct run_pools *pools, double seconds)
{
    for (size_t i = 0; i < pools->count; i++) {
        const struct run_pool *pool = &pools->pool[i];
        fprintf(stderr, "berth: pool %s: slot%s ", pool->name, pool->slots > 1 ? "s" : "");
        run_put_slots(stderr, pool);
        fprintf(stderr, "%s after %.1f s\n", run_loan_level(pool) > 0 ? ", borrowed," : "",
                seconds);
    }
}

/* Most runs need not wait, and start no thread for it. In etcd a first try would cost as much, and
 * perhaps the place that was taken with the seat. */
static int acquire(struct run_options *options, const struct run_patience *patience)
{
    if (options->verbose || !run_pools_can_be_lost(&options->pools)) {
        int error =
            run_loan_acquire(&options->pools, &(struct run_patience){.none = true}, options->own);
        if (error != EBUSY || patience->none)
            return error;
        if (options->verbose)
            say_places(options);
    }
    if (!patience->none && !run_is_silent(options))
        run_line_start(options);
    const int error = run_loan_acquire(&options->pools, patience, options->own);
    run_line_end();
    return error;
}

/* It got no slot. A caller that names an exit status for that (-E) looks at the status, and needs
 * no message. */
static int unavailable(const struct run_options *options, int error)
{
    const bool in_lane = options->lanes.waits; /* its pool has a name that says nothing to users */
    if (error != EBUSY && error != ETIMEDOUT)
        return cli_error(error == EINVAL ? CLI_USAGE : CLI_FAILED, "run: %s", berth_reason());
    if (options->conflict_status < 0 || options->verbose)
        run_line_gave_up(options, in_lane ? "others of the lane are ahead" : berth_reason());
    return options->conflict_status < 0 ? CLI_NOT_IN_TIME : options->conflict_status;
}

/* It had its slots, and what --when asks for did not come true. */
static int not_now(const struct run_options *options, int error)
{
    if (options->conflict_status < 0 || options->verbose)
        cli_error(CLI_OK, "run: what --when asks for is not true%s: %s",
                  error == ETIMEDOUT ? " in time" : "", options->when);
    return options->conflict_status < 0 ? CLI_NOT_IN_TIME : options->conflict_status;
}

/* ---- the command ---- */

/* Several words before a "--" used to name pools. */
static const char *hint(char *const argv[])
{
    for (char *const *next = argv + 1; *next != NULL; next++) {
        if (strcmp(*next, "--") == 0)
            return " (one word names the pools: a,b:2)";
    }
    return "";
}

static int not_started(char *const argv[], int error)
{
    if (error < 0)
        return cli_error(CLI_FAILED, "run: cannot start a process: %s", strerror(errno));
    return cli_error(error == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT_EXECUTE,
                     "run: cannot run %s: %s%s", argv[0], strerror(error),
                     error == ENOENT ? hint(argv) : "");
}

/* One of the slots was lost; giving it back says why. `more` is put after that. */
static int lost(const struct run_pools *pools, const char *more)
{
    const char *why = "";
    for (size_t i = 0; i < pools->count && *why == '\0'; i++) {
        for (unsigned s = 0; s < pools->pool[i].slots && *why == '\0'; s++) {
            if (berth_release(pools->pool[i].handle, &pools->pool[i].grants[s]) == EPERM)
                why = berth_reason();
        }
    }
    if (*why == '\0') /* the command has ended just in time */
        return cli_error(RUN_LOST,
                         "run: pool %s: the lease could not be renewed, and was about to end%s",
                         pools->pool[0].name, more);
    return cli_error(RUN_LOST, "run: %s%s", why, more);
}

/* Waits for the command's end, and for that of its tree, as far as the tree is waited for. */
static struct run_end see_to(struct run_child *child, struct run_lease *lease,
                             struct run_tree *tree)
{
    const struct run_pools *pools = lease->pools;
    const bool can_be_lost = run_pools_can_be_lost(pools);
    struct run_file file = {.pools = pools};
    tree->inner = can_be_lost ? (struct run_duty){run_lease_look, lease, true}
                              : (struct run_duty){run_file_look, &file, false};
    const struct run_duty duty = {run_tree_look, tree, tree->inner.adopts || tree->watched};
    const int status = run_wait(child, &duty);
    run_tree_end(tree, child);
    pid_t refused;
    if (can_be_lost && !lease->lost)
        run_lease_wait(lease, child);
    if (can_be_lost && run_lease_lost(lease, &refused)) {
        if (refused != 0)
            cli_error(CLI_OK,
                      "run: process %d of the command cannot be killed: it works on without a slot",
                      (int)refused);
        return (struct run_end){.status = lost(pools, "")};
    }
    if (tree->is_over)
        return (struct run_end){.status = RUN_OVER_LIMIT};
    return WIFSIGNALED(status) ? (struct run_end){.signal = WTERMSIG(status)}
                               : (struct run_end){.status = WEXITSTATUS(status)};
}

/* Runs the command until it has ended. */
static struct run_end run_command(const struct run_options *options, const char *description,
                                  struct run_jobserver *jobserver)
{
    const struct run_pools *pools = &options->pools;
    const bool can_be_lost = run_pools_can_be_lost(pools);
    struct run_lease lease = {.pools = pools};
    struct run_child child;
    struct run_tree tree;
    struct run_keep keep = {.tied = can_be_lost};
    if (can_be_lost) {
        keep.last = run_lease_last;
        keep.context = &lease;
    }
    if (!options->close && !can_be_lost)
        run_loan_keep(pools, &keep);
    const int status = run_jobserver_begin(jobserver, options, &keep);
    if (status != CLI_OK)
        return (struct run_end){.status = status};
    run_tree_begin(&tree, options);
    int error =
        can_be_lost && !run_lease_begin(&lease) ? ESTALE : run_start(&child, options->argv, &keep);
    if (lease.too_late)
        return (struct run_end){.status = lost(pools, "; the command was not started")};
    if (error != 0)
        return (struct run_end){.status = not_started(options->argv, error)};
    if (child.called_off != 0)
        return (struct run_end){.signal = child.called_off};
    run_file_watch(child.pid);
    run_detach_runs(options, child.pid);
    for (size_t i = 0; i < pools->count; i++) {
        /* For people to read, and for the worst case: no reason to stop. */
        berth_describe(pools->pool[i].handle, child.pid, description);
        berth_ward(pools->pool[i].handle, child.pid);
    }
    return see_to(&child, &lease, &tree);
}

static struct run_end run_with(struct run_options *options, const char *description,
                               struct run_each *each, const struct run_patience *patience)
{
    struct timespec start = {0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    int error = run_each_acquire(each, options, patience);
    if (error == 0)
        error = acquire(options, patience);
    run_lane_leave(&options->lanes);
    if (error != 0)
        return (struct run_end){.status = unavailable(options, error)};
    if (options->verbose)
        say_slots(&options->pools, cli_elapsed(CLOCK_MONOTONIC, &start));
    error = run_environment(&options->pools, options->assignments);
    if (error == 0)
        error = run_loan_environment(&options->pools);
    if (error == 0)
        error = run_lane_environment(&options->pools);
    if (error == 0)
        error = run_each_environment(each);
    if (error != 0)
        return (struct run_end){
            .status =
                cli_error(CLI_FAILED, "run: cannot set the environment: %s", strerror(error))};
    error = run_when(options, patience);
    if (error != 0)
        return (struct run_end){.status = not_now(options, error)};
    run_log_granted(options);
    struct run_jobserver jobserver = {0};
    const struct run_end end = run_command(options, description, &jobserver);
    if (!run_jobserver_end(&jobserver, end.signal))
        run_pools_leave(&options->pools);
    return end; /* closing the pools gives the slots back */
}

static struct run_end run_in_pools(struct run_options *options, const char *description)
{
    struct run_end end = {0};
    const struct timespec deadline = cli_deadline(options->seconds);
    const struct run_patience patience = {.none = options->at_once,
                                          .deadline = options->limited ? &deadline : NULL};
    run_lease_prepare(cli_where_store(&options->where, options->pools.pool[0].name));
    run_signals_begin_init();
    run_file_watch(0);
    int error = run_pools_open(options, description, &patience, &end.status);
    if (error == 0)
        error = run_lane_enter(options, description, &patience, &end.status);
    if (error == 0 && options->lanes.heads.count > 0)
        error = run_pools_open(options, description, &patience, &end.status);
    if (error != 0) {
        if (error > 0)
            end.status = unavailable(options, error);
        run_lane_leave(&options->lanes);
        run_pools_close(&options->pools);
        run_cgroup_remove();
        return end;
    }
    const bool by_lease = run_pools_can_be_lost(&options->pools);
    struct run_each each = {0};
    end.status = run_each_open(&each, options, description);
    if (end.status == CLI_OK)
        end = run_with(options, description, &each, &patience);
    const int closed = run_pools_close(&options->pools);
    run_pools_close(&each.pools);
    run_cgroup_remove();
    if (closed == 0 || end.status == RUN_LOST)
        return end;
    if (by_lease && closed == EPERM) /* who knows since when */
        return (struct run_end){.status = cli_error(RUN_LOST, "run: %s", berth_reason())};
    /* The command has had its slot all the time, and the lease gives the slot back. */
    if (by_lease)
        cli_error(CLI_OK, "run: giving the slot back: %s", berth_reason());
    else
        end = (struct run_end){.status = cli_error(CLI_FAILED, "run: %s", berth_reason())};
    return end;
}

static int run(int argc, char **argv)
{
    struct run_options options = {.conflict_status = -1, .argv = argv, .job.journal = -1};
    char description[BERTH_COMMAND_MAX];
    options.pools.pool = options.pool;
    struct run_end end = {.status = run_options_parse(&options, argc, argv)};
    if (options.help) {
        end.status = cli_help(&cli_run);
    } else if (end.status == CLI_OK) {
        describe(&options, description);
        cli_where_open(&options.where, options.store, argv);
        end.status = run_pools_measure(&options.pools, &options.where);
        if (end.status == CLI_OK)
            end.status = run_log_open(&options, description);
        if (end.status == CLI_OK && options.detached)
            end.status = run_detach(&options, description);
        if (end.status == CLI_OK)
            end = run_in_pools(&options, description);
        run_line_join();
        cli_where_close(&options.where);
        run_log_write(&options, end.signal != 0 ? RUN_SIGNAL + end.signal : end.status);
        run_detach_ends(&options, end.signal != 0 ? RUN_SIGNAL + end.signal : end.status);
    }
    free(options.assignments);
    return end.signal != 0 ? run_end_by(end.signal) : end.status;
}

const struct cli_command cli_run = {
    .name = "run",
    .synopsis =
        "[-j SLOTS] [-n | -w TIME] [OPTION...] POOL[:N][,POOL[:N]...] [--] COMMAND [ARG...]\n"
        "       berth run [OPTION...] -c STRING POOL[:N][,POOL[:N]...]",
    .about = "wait for slots, run a command, give the slots back",
    .run = run,
    .help =
        "One word names the pools; the next one is the command, and a -- between them is skipped.\n"
        "With several pools or slots it takes all of them or none: berth run gpu,license:2 ./solve\n"
        "Where a unit is declared, ram:16G is as many slots as that takes.\n"
        "\n"
        "  -j SLOTS, --slots         the most slots that the pool may have: one that does not\n"
        "                            exist is made with them, one that has more is refused.\n"
        "                            Without it: 1, or what the pool has\n"
        "  -n, --nonblock, --nb      do not wait\n"
        "  -w TIME, --timeout, --wait\n"
        "                            wait at most this long: 30, 0.5, 5m, 1h30m\n"
        "  -d, --detach              print a job's number and return; berth jobs, log, wait and\n"
        "                            kill are for that number\n"
        "  --log FILE                add a line of JSON to FILE when the run has ended\n"
        "  --when CMD                with the slots, ask CMD each second, for the shell, and start\n"
        "                            the command when it succeeds\n"
        "  --existing                do not make a pool that does not exist\n"
        "  -E STATUS, --conflict-exit-code\n"
        "                            instead of 75 if no slot was free; nothing is printed then\n"
        "  -o, --close               the command does not keep the slot if berth run is killed\n"
        "  --tree MODE               the processes that the command leaves behind when it ends: end\n"
        "                            or wait (for them), before the slot is given back; or leave,\n"
        "                            the default, without a slot\n"
        "  --lane NAME[:WIDTH]       wait in this lane: lanes take turns, and in each the first that\n"
        "                            has come is the first that is served. A lane of width 2 has\n"
        "                            two turns for one of the others\n"
        "  --limit TIME              end the command and all that it has started after this\n"
        "                            time (TERM, then KILL); the exit status is then 124\n"
        "  --grace TIME              between that TERM and KILL: 10s\n"
        "  -c STRING, --command      a command for the shell ($SHELL, or /bin/sh)\n"
        "  -v, --verbose             say how many are ahead, and how long it took\n"
        "  -q, --quiet               do not say after a second, and then after 2, 4, 8 minutes,\n"
        "                            who is ahead and who holds the slot\n"
        "  -m MODE, --mode           permissions of a pool that does not exist yet, octal; 0600\n"
        "  --env NAME=TEMPLATE       set NAME for the command; {slot}, {slots}, {token}, {pool} and\n"
        "                            {device} are replaced, {{ is a brace; {NAME.slot} is\n"
        "                            that of the pool NAME\n"
        "  --own                     inside another run: do not work in its slot\n"
        "  --jobserver               serve more slots of the pool to make, ninja, cargo and others\n"
        "                            in the command, as tokens of GNU make's jobserver;\n"
        "                            --jobserver=fifo and --jobserver=fds name its form\n"
        "  --store S                 where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "Inside the command of another run of the same pool it borrows that run's slot. If a third\n"
        "run has borrowed it, it waits for that one to end or for a slot of its own.\n"
        "\n"
        "The command finds BERTH_POOL, BERTH_SLOT, BERTH_SLOTS and BERTH_TOKEN in its\n"
        "environment, and BERTH_DEVICE where devices are declared. Signals are forwarded to it;\n"
        "if one ends it, berth run dies of it too.\n"
        "\n"
        "Exit status: the command's own; 128+N if signal N ended it; 75 no slot in time;\n"
        "121 the slot was lost (etcd only); 124 --limit is over; 2 bad usage; 125 berth itself failed; 126 the command\n"
        "could not be executed; 127 it was not found.\n",
};
