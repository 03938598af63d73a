/*
 * berth run: waits for a slot, runs a command, gives the slot back.
 *
 * The command inherits the file that the slot depends on, so the slot stays with it if berth run is
 * killed. While it waits for a slot, berth run has nothing to clean up: a signal ends it, the kernel
 * closes its file, and the living pass its ticket over.
 *
 * Scripts call this in loops. What costs time is starting processes, so nothing here needs jansson,
 * /proc, a thread, or a copy of the address space.
 */
#include "pool.h"
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <paths.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUN_LOST = 121, RUN_CANNOT_EXECUTE = 126, RUN_NOT_FOUND = 127, RUN_SIGNAL = 128 };

struct options {
    const char *pool;
    const char *store;
    unsigned slots, mode; /* 0: not given */
    bool at_once;         /* -n, or -w 0 */
    bool limited;         /* -w */
    double seconds;
    int conflict_status; /* -1: not given */
    bool close, verbose;
    const char **assignments; /* of --env; NULL, or ended by NULL */
    const char *string;       /* of -c */
    char **argv;              /* the command; with -c, that is: */
    char *shell[4];
};

/* ---- arguments ---- */

enum { OPTION_ENV = 256 };

static const struct option long_options[] = {
    {"slots", required_argument, NULL, 'j'},
    {"nonblock", no_argument, NULL, 'n'},
    {"nb", no_argument, NULL, 'n'},
    {"timeout", required_argument, NULL, 'w'},
    {"wait", required_argument, NULL, 'w'},
    {"conflict-exit-code", required_argument, NULL, 'E'},
    {"close", no_argument, NULL, 'o'},
    {"command", required_argument, NULL, 'c'},
    {"mode", required_argument, NULL, 'm'},
    {"verbose", no_argument, NULL, 'v'},
    {"env", required_argument, NULL, OPTION_ENV},
    {CLI_LONG_OPTION_STORE},
    {NULL, 0, NULL, 0},
};

static bool take_mode(const char *text, unsigned *mode)
{
    char *end;
    unsigned long value = strtoul(text, &end, 8);
    *mode = (unsigned)value;
    return *text >= '0' && *text <= '7' && *end == '\0' && value > 0 && value <= 0777;
}

/* There cannot be more of them than arguments: `room`. */
static int take_assignment(const char *text, size_t room, struct options *options)
{
    if (!run_assignable(text))
        return cli_usage(&cli_run, "not NAME=TEMPLATE with {slot}, {slots}, {token} or {pool}: %s",
                         text);
    if (options->assignments == NULL)
        options->assignments = calloc(room + 1, sizeof *options->assignments);
    if (options->assignments == NULL)
        return cli_error(CLI_FAILED, "run: out of memory");
    size_t count = 0;
    while (options->assignments[count] != NULL)
        count++;
    options->assignments[count] = text;
    return CLI_OK;
}

/* As flock(1) does. */
static void take_string(char *text, struct options *options)
{
    char *shell = getenv("SHELL");
    options->string = text;
    options->shell[0] = shell != NULL && *shell != '\0' ? shell : _PATH_BSHELL;
    options->shell[1] = "-c";
    options->shell[2] = text;
}

static int take_option(int option, int argc, char **argv, struct options *options)
{
    unsigned status;
    switch (option) {
    case 'j':
        if (!cli_number(optarg, 1, BERTH_MAX_SLOTS, &options->slots))
            return cli_usage(&cli_run, "not a number of slots from 1 to %d: %s",
                             (int)BERTH_MAX_SLOTS, optarg);
        return CLI_OK;
    case 'n': options->at_once = true; return CLI_OK;
    case 'w':
        if (!cli_patience(optarg, &options->seconds))
            return cli_usage(&cli_run, "not a number of seconds: %s", optarg);
        options->limited = true;
        return CLI_OK;
    case 'E':
        if (!cli_number(optarg, 0, 255, &status))
            return cli_usage(&cli_run, "not an exit status from 0 to 255: %s", optarg);
        options->conflict_status = (int)status;
        return CLI_OK;
    case 'o': options->close = true; return CLI_OK;
    case 'c': take_string(optarg, options); return CLI_OK;
    case 'm':
        if (!take_mode(optarg, &options->mode))
            return cli_usage(&cli_run, "not an octal mode up to 0777: %s", optarg);
        return CLI_OK;
    case 'v': options->verbose = true; return CLI_OK;
    case OPTION_ENV: return take_assignment(optarg, (size_t)argc, options);
    case CLI_OPTION_STORE: options->store = optarg; return CLI_OK;
    default: return cli_usage(&cli_run, "unknown option or missing argument: %s", argv[optind - 1]);
    }
}

/* Options up to the first argument that is none. */
static int take_options(int argc, char **argv, struct options *options)
{
    int option;
    while ((option = getopt_long(argc, argv, "+j:nw:E:oc:m:v", long_options, NULL)) != -1) {
        int status = take_option(option, argc, argv, options);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

/* Options are taken before the pool and after it; the command's own are left alone. */
static int parse(int argc, char **argv, struct options *options)
{
    opterr = 0;
    int status = take_options(argc, argv, options);
    if (status != CLI_OK)
        return status;
    if (optind == argc)
        return cli_usage(&cli_run, "a pool is missing");
    options->pool = argv[optind++];
    status = take_options(argc, argv, options);
    if (status != CLI_OK)
        return status;
    if (options->at_once && options->limited)
        return cli_usage(&cli_run, "-n or -w, not both");
    if (options->string != NULL && optind < argc)
        return cli_usage(&cli_run, "-c or a command, not both: %s", argv[optind]);
    if (options->string == NULL && optind == argc)
        return cli_usage(&cli_run, "a command is missing");
    options->at_once |= options->limited && options->seconds == 0;
    options->argv = options->string != NULL ? options->shell : argv + optind;
    return CLI_OK;
}

/* What status shows: the words of the command, as far as they go. */
static void describe(const struct options *options, char text[BERTH_COMMAND_MAX])
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

/* ---- the slot ---- */

static int look(const struct options *options, berth_view **view)
{
    return berth_look(view, options->pool, &(berth_options){.store = options->store});
}

static void say_place(const struct options *options)
{
    berth_view *view;
    if (look(options, &view) != 0)
        return; /* no reason not to wait */
    cli_error(CLI_OK, "pool %s: %zu ahead, waiting", options->pool, view->waiter_count);
    berth_view_free(view);
}

static int acquire(const struct options *options, berth_pool *pool, berth_grant *grant)
{
    struct timespec deadline = cli_deadline(options->seconds);
    if (options->at_once || options->verbose) {
        int error = berth_try_acquire(pool, grant);
        if (error != EBUSY || options->at_once)
            return error;
        say_place(options);
    }
    return options->limited ? berth_acquire_until(pool, grant, &deadline)
                            : berth_acquire(pool, grant);
}

/* No slot was had. Who names a status for that looks at it, and needs no line. */
static int unavailable(const struct options *options, int error)
{
    if (error != EBUSY && error != ETIMEDOUT)
        return cli_error(CLI_FAILED, "run: %s", berth_reason());
    if (options->conflict_status < 0 || options->verbose)
        cli_error(CLI_OK, "run: %s", berth_reason());
    return options->conflict_status < 0 ? CLI_NOT_IN_TIME : options->conflict_status;
}

/* ---- the command ---- */

static int not_started(const char *name, int error)
{
    if (error < 0)
        return cli_error(CLI_FAILED, "run: cannot start a process: %s", strerror(errno));
    return cli_error(error == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT_EXECUTE, "run: cannot run %s: %s",
                     name, strerror(error));
}

/* Runs it to its end. The exit status of berth run. */
static int run_command(const struct options *options, berth_pool *pool, const berth_grant *grant,
                       const char *description)
{
    const bool can_be_lost = berth_lost_fd(pool) >= 0;
    struct run_lease lease = {.pool = pool, .grant = grant};
    const struct run_duty duty = {run_lease_look, &lease};
    struct run_child child;
    int keep = options->close ? -1 : berth_fd(pool);
    int error = run_start(&child, options->argv, can_be_lost ? RUN_TIED : keep);
    if (error != 0)
        return not_started(options->argv[0], error);
    /* For people to read, and for the worst case: no reason to stop. */
    berth_describe(pool, child.pid, description);
    berth_ward(pool, child.pid);
    int status = run_wait(&child, can_be_lost ? &duty : NULL);
    if (can_be_lost && run_lease_lost(&lease))
        return cli_error(RUN_LOST, "run: pool %s: slot %u was lost, the store is out of reach",
                         options->pool, grant->slot);
    return WIFSIGNALED(status) ? RUN_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_with(const struct options *options, berth_pool *pool, const char *description)
{
    struct timespec start = {0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    berth_grant grant;
    int error = acquire(options, pool, &grant);
    if (error != 0)
        return unavailable(options, error);
    if (options->verbose)
        cli_error(CLI_OK, "pool %s: slot %u after %.1f s", options->pool, grant.slot,
                  cli_elapsed(CLOCK_MONOTONIC, &start));
    const struct run_slot slot = {.pool = options->pool,
                                  .slot = grant.slot,
                                  .slots = berth_slots(pool),
                                  .token = grant.token};
    error = run_environment(&slot, options->assignments);
    if (error != 0)
        return cli_error(CLI_FAILED, "run: cannot set the environment: %s", strerror(error));
    int status = run_command(options, pool, &grant, description);
    if (berth_lost_fd(pool) >= 0)
        return status; /* closing the pool gives the slot back in the same message */
    return berth_release(pool, &grant) == 0 ? status
                                            : cli_error(CLI_FAILED, "run: %s", berth_reason());
}

static int run_in_pool(const struct options *options)
{
    char description[BERTH_COMMAND_MAX];
    describe(options, description);
    berth_options how = {.slots = options->slots,
                         .mode = options->mode,
                         .store = options->store,
                         .command = description};
    berth_pool *pool;
    int error = berth_open(&pool, options->pool, &how);
    if (error != 0)
        return cli_error(error == EINVAL ? CLI_USAGE : CLI_FAILED, "run: %s", berth_reason());
    int status = run_with(options, pool, description);
    /* It takes the lock off the file that a daemon of the command may have inherited. */
    return berth_close(pool) == 0 || status == RUN_LOST
               ? status
               : cli_error(CLI_FAILED, "run: %s", berth_reason());
}

static int run(int argc, char **argv)
{
    struct options options = {.conflict_status = -1, .argv = argv};
    int status = parse(argc, argv, &options);
    if (status == CLI_OK)
        status = run_in_pool(&options);
    free(options.assignments);
    return status;
}

const struct cli_command cli_run = {
    .name = "run",
    .synopsis = "[-j SLOTS] [-n | -w SECONDS] [OPTION...] POOL [--] COMMAND [ARG...]\n"
                "       berth run [OPTION...] -c STRING POOL",
    .about = "wait for a slot of a pool, run a command, give the slot back",
    .run = run,
    .help =
        "  -j SLOTS, --slots         of a pool that does not exist yet; one that has another\n"
        "                            number is refused. Without it: 1, or what there is\n"
        "  -n, --nonblock, --nb      do not wait\n"
        "  -w S, --timeout, --wait   wait so many seconds at most; fractions are allowed\n"
        "  -E STATUS, --conflict-exit-code\n"
        "                            instead of 75 where no slot was to be had, without a word\n"
        "  -o, --close               the command does not keep the slot if berth run is killed\n"
        "  -c STRING, --command      a command for the shell ($SHELL, or /bin/sh)\n"
        "  -v, --verbose             say how many are ahead, and how long it took\n"
        "  -m MODE, --mode           permissions of a pool that does not exist yet, octal; 0600\n"
        "  --env NAME=TEMPLATE       for the command; {slot}, {slots}, {token} and {pool} are\n"
        "                            replaced, {{ is a brace\n"
        "  --store S                 where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "The command finds BERTH_POOL, BERTH_SLOT, BERTH_SLOTS and BERTH_TOKEN in its\n"
        "environment. TERM, INT, HUP and QUIT are forwarded to it.\n"
        "\n"
        "Exit status: the command's own; 128+N where signal N ended it; 75 no slot in time;\n"
        "121 the slot was lost (etcd only); 2 bad usage; 125 berth itself failed; 126 the command\n"
        "could not be executed; 127 it was not found.\n",
};
