/*
 * berth run: waits for slots, runs a command, gives the slots back.
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
    struct run_pool pool[BERTH_MAX_WANTS];
    struct run_pools pools; /* in `pool` */
    const char *store;
    unsigned slots, mode; /* 0: not given */
    bool at_once;         /* -n, or -w 0 */
    bool limited;         /* -w */
    double seconds;
    int conflict_status; /* -1: not given */
    bool close, verbose, own;
    const char **assignments; /* of --env; NULL, or ended by NULL */
    const char *string;       /* of -c */
    char **argv;              /* the command; with -c, that is: */
    char *shell[4];
};

/* ---- arguments ---- */

enum { OPTION_ENV = 256, OPTION_OWN };

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
    {"own", no_argument, NULL, OPTION_OWN},
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
    case OPTION_OWN: options->own = true; return CLI_OK;
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

/* The words before "--" are pools. Where there is no such thing, one is, and the command follows. */
static int take_pools(int argc, char **argv, struct options *options)
{
    int end = optind;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    if (end == argc && options->string == NULL)
        end = optind + 1;
    while (optind < end) {
        if (options->pools.count == BERTH_MAX_WANTS)
            return cli_usage(&cli_run, "more than %d pools", (int)BERTH_MAX_WANTS);
        if (!run_pools_add(&options->pools, argv[optind++]))
            return cli_usage(&cli_run, "not POOL or POOL:SLOTS, from 1 to %d: %s",
                             (int)BERTH_MAX_SLOTS, argv[optind - 1]);
        /* Options are taken between them and after them; the command's own are left alone. */
        int status = take_options(argc, argv, options);
        if (status != CLI_OK)
            return status;
        if (strcmp(argv[optind - 1], "--") == 0)
            break;
    }
    return CLI_OK;
}

static int check_assignments(const struct options *options)
{
    for (const char **one = options->assignments; one != NULL && *one != NULL; one++) {
        if (!run_assignable(*one, &options->pools))
            return cli_usage(&cli_run,
                             "not NAME=TEMPLATE with {slot}, {slots}, {token} or {pool}: %s", *one);
    }
    return CLI_OK;
}

static int parse(int argc, char **argv, struct options *options)
{
    opterr = 0;
    int status = take_options(argc, argv, options);
    if (status != CLI_OK)
        return status;
    if (optind == argc)
        return cli_usage(&cli_run, "a pool is missing");
    status = take_pools(argc, argv, options);
    if (status != CLI_OK)
        return status;
    if (options->at_once && options->limited)
        return cli_usage(&cli_run, "-n or -w, not both");
    if (options->slots > 0 && options->pools.count > 1)
        return cli_usage(&cli_run, "-j is for one pool");
    if (options->string != NULL && optind < argc)
        return cli_usage(&cli_run, "-c or a command, not both: %s", argv[optind]);
    if (options->string == NULL && optind == argc)
        return cli_usage(&cli_run, "a command is missing");
    options->at_once |= options->limited && options->seconds == 0;
    options->argv = options->string != NULL ? options->shell : argv + optind;
    return check_assignments(options);
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

/* ---- the slots ---- */

static void say_places(const struct options *options)
{
    for (size_t i = 0; i < options->pools.count; i++) {
        berth_view *view;
        const char *name = options->pools.pool[i].name;
        if (berth_look(&view, name, &(berth_options){.store = options->store}) != 0)
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

static int acquire(struct options *options)
{
    struct timespec deadline = cli_deadline(options->seconds);
    if (options->at_once || options->verbose) {
        int error =
            run_loan_acquire(&options->pools, &(struct run_patience){.none = true}, options->own);
        if (error != EBUSY || options->at_once)
            return error;
        say_places(options);
    }
    return run_loan_acquire(&options->pools,
                            &(struct run_patience){.deadline = options->limited ? &deadline : NULL},
                            options->own);
}

/* No slot was had. Who names a status for that looks at it, and needs no line. */
static int unavailable(const struct options *options, int error)
{
    if (error != EBUSY && error != ETIMEDOUT)
        return cli_error(error == EINVAL ? CLI_USAGE : CLI_FAILED, "run: %s", berth_reason());
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

/* Runs it to its end. The exit status of berth run. */
static int run_command(const struct options *options, const char *description)
{
    const struct run_pools *pools = &options->pools;
    const bool can_be_lost = run_pools_can_be_lost(pools);
    struct run_lease lease = {.pools = pools};
    const struct run_duty duty = {run_lease_look, &lease};
    struct run_child child;
    struct run_keep keep = {.tied = can_be_lost};
    if (can_be_lost) {
        keep.last = run_lease_last;
        keep.context = &lease;
    }
    for (size_t i = 0; i < pools->count && !options->close && !can_be_lost; i++)
        keep.fd[keep.count++] = berth_fd(pools->pool[i].handle);
    int error =
        can_be_lost && !run_lease_begin(&lease) ? ESTALE : run_start(&child, options->argv, &keep);
    if (lease.too_late)
        return lost(pools, "; the command was not started");
    if (error != 0)
        return not_started(options->argv[0], error);
    for (size_t i = 0; i < pools->count; i++) {
        /* For people to read, and for the worst case: no reason to stop. */
        berth_describe(pools->pool[i].handle, child.pid, description);
        berth_ward(pools->pool[i].handle, child.pid);
    }
    int status = run_wait(&child, can_be_lost ? &duty : NULL);
    pid_t refused;
    if (can_be_lost && run_lease_lost(&lease, &refused)) {
        if (refused != 0)
            cli_error(CLI_OK,
                      "run: process %d of the command cannot be killed: it works on without a slot",
                      (int)refused);
        return lost(pools, "");
    }
    return WIFSIGNALED(status) ? RUN_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_with(struct options *options, const char *description)
{
    struct timespec start = {0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    int error = acquire(options);
    if (error != 0)
        return unavailable(options, error);
    if (options->verbose)
        say_slots(&options->pools, cli_elapsed(CLOCK_MONOTONIC, &start));
    error = run_environment(&options->pools, options->assignments);
    if (error == 0)
        error = run_loan_environment(&options->pools);
    if (error != 0)
        return cli_error(CLI_FAILED, "run: cannot set the environment: %s", strerror(error));
    return run_command(options, description); /* closing the pools gives the slots back */
}

static int run_in_pools(struct options *options)
{
    char description[BERTH_COMMAND_MAX];
    describe(options, description);
    run_lease_mark(options->store);
    berth_options how = {.slots = options->slots,
                         .mode = options->mode,
                         .store = options->store,
                         .command = description};
    int status, error = run_pools_open(&options->pools, &how);
    if (error != 0) {
        status = cli_error(error == EINVAL ? CLI_USAGE : CLI_FAILED, "run: %s",
                           error == ENOMEM ? "out of memory" : berth_reason());
        run_pools_close(&options->pools);
        return status;
    }
    status = run_with(options, description);
    const bool by_lease = run_pools_can_be_lost(&options->pools);
    if (run_pools_close(&options->pools) == 0 || status == RUN_LOST)
        return status;
    /* The command has had its slot all the time, and the lease gives the slot back. */
    return by_lease ? cli_error(status, "run: giving the slot back: %s", berth_reason())
                    : cli_error(CLI_FAILED, "run: %s", berth_reason());
}

static int run(int argc, char **argv)
{
    struct options options = {.conflict_status = -1, .argv = argv};
    options.pools.pool = options.pool;
    int status = parse(argc, argv, &options);
    if (status == CLI_OK)
        status = run_in_pools(&options);
    free(options.assignments);
    return status;
}

const struct cli_command cli_run = {
    .name = "run",
    .synopsis = "[-j SLOTS] [-n | -w SECONDS] [OPTION...] POOL [--] COMMAND [ARG...]\n"
                "       berth run [OPTION...] POOL[:SLOTS]... -- COMMAND [ARG...]\n"
                "       berth run [OPTION...] -c STRING POOL[:SLOTS]...",
    .about = "wait for slots, run a command, give the slots back",
    .run = run,
    .help =
        "Of several pools, and of several slots, it has all or none: berth run gpu license:2 -- CMD\n"
        "needs the --, for all before it are pools.\n"
        "\n"
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
        "                            replaced, {{ is a brace; {NAME.slot} is that of the pool NAME\n"
        "  --own                     inside another run: do not work in its slot\n"
        "  --store S                 where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "Inside the command of another run of the same pool it works in that one's slot, if no\n"
        "other run does, or else in a slot of its own, whichever comes first.\n"
        "\n"
        "The command finds BERTH_POOL, BERTH_SLOT, BERTH_SLOTS and BERTH_TOKEN in its\n"
        "environment. TERM, INT, HUP and QUIT are forwarded to it.\n"
        "\n"
        "Exit status: the command's own; 128+N where signal N ended it; 75 no slot in time;\n"
        "121 the slot was lost (etcd only); 2 bad usage; 125 berth itself failed; 126 the command\n"
        "could not be executed; 127 it was not found.\n",
};
