/* The arguments of `berth run`. */
#include "lanes.h"
#include "pool_command.h"
#include "run.h"
#include "suggest.h"

#include <getopt.h>
#include <paths.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_ENV = 256,
    OPTION_EXISTING,
    OPTION_OWN,
    OPTION_JOBSERVER,
    OPTION_TREE,
    OPTION_LIMIT,
    OPTION_GRACE,
    OPTION_LANE,
    OPTION_LOG,
    OPTION_WHEN
};

static const double usual_grace = 10;

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
    {"quiet", no_argument, NULL, 'q'},
    {"existing", no_argument, NULL, OPTION_EXISTING},
    {"own", no_argument, NULL, OPTION_OWN},
    {"env", required_argument, NULL, OPTION_ENV},
    {"jobserver", optional_argument, NULL, OPTION_JOBSERVER},
    {"tree", required_argument, NULL, OPTION_TREE},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"grace", required_argument, NULL, OPTION_GRACE},
    {"lane", required_argument, NULL, OPTION_LANE},
    {"detach", no_argument, NULL, 'd'},
    {"log", required_argument, NULL, OPTION_LOG},
    {"when", required_argument, NULL, OPTION_WHEN},
    {"help", no_argument, NULL, 'h'},
    {CLI_LONG_OPTION_STORE},
    {NULL, 0, NULL, 0},
};

/* There cannot be more of them than arguments: `room`. */
static int take_assignment(const char *text, size_t room, struct run_options *options)
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
static void take_string(char *text, struct run_options *options)
{
    char *shell = getenv("SHELL");
    options->string = text;
    options->shell[0] = shell != NULL && *shell != '\0' ? shell : _PATH_BSHELL;
    options->shell[1] = "-c";
    options->shell[2] = text;
}

/* NAME or NAME:WIDTH. */
static bool take_lane(const char *text, struct run_options *options)
{
    const size_t length = strcspn(text, ":");
    options->width = 0;
    if (length >= sizeof options->lane)
        return false;
    memcpy(options->lane, text, length);
    options->lane[length] = '\0';
    return cli_lane_is_name(options->lane) &&
           (text[length] == '\0' ||
            cli_number(text + length + 1, 1, BERTH_MAX_SLOTS, &options->width));
}

static int take_option(int option, int argc, char **argv, struct run_options *options)
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
            return cli_usage(&cli_run, "not a time such as 30, 0.5, 5m or 1h30m: %s", optarg);
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
        if (!cli_mode(optarg, &options->mode))
            return cli_usage(&cli_run, "not an octal mode up to 0777: %s", optarg);
        return CLI_OK;
    case 'd': options->detached = true; return CLI_OK;
    case OPTION_WHEN: options->when = optarg; return CLI_OK;
    case OPTION_LOG: options->log = optarg; return CLI_OK;
    case 'v': options->verbose = true; return CLI_OK;
    case 'q': options->quiet = true; return CLI_OK;
    case 'h': options->help = true; return CLI_OK;
    case OPTION_EXISTING: options->existing = true; return CLI_OK;
    case OPTION_OWN: options->own = true; return CLI_OK;
    case OPTION_JOBSERVER:
        if (optarg != NULL && !run_jobserver_form(optarg))
            return cli_usage(&cli_run,
                             "not a form of a jobserver that clients understand (fifo or fds): %s",
                             optarg);
        options->jobserver = true;
        options->form = optarg;
        return CLI_OK;
    case OPTION_TREE:
        if (!cli_tree_mode(optarg, &options->tree))
            return cli_usage(&cli_run, "--tree is end, wait or leave, not %s", optarg);
        return CLI_OK;
    case OPTION_LIMIT:
        if (!cli_patience(optarg, &options->limit) || options->limit == 0)
            return cli_usage(&cli_run, "not a time such as 30, 5m or 1h30m: %s", optarg);
        return CLI_OK;
    case OPTION_GRACE:
        if (!cli_patience(optarg, &options->grace))
            return cli_usage(&cli_run, "not a time such as 0, 30 or 5m: %s", optarg);
        return CLI_OK;
    case OPTION_LANE:
        return take_lane(optarg, options)
                   ? CLI_OK
                   : cli_usage(&cli_run, "not LANE or LANE:WIDTH, named as a pool is: %s", optarg);
    case OPTION_ENV: return take_assignment(optarg, (size_t)argc, options);
    case CLI_OPTION_STORE: options->store = optarg; return CLI_OK;
    default: return cli_unknown_option(&cli_run, argv);
    }
}

/* Options up to the first argument that is none. */
static int take_options(int argc, char **argv, struct run_options *options)
{
    int option;
    while ((option = getopt_long(argc, argv, "+j:nw:E:oc:m:dvqh", long_options, NULL)) != -1) {
        int status = take_option(option, argc, argv, options);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

/* One word names the pools, with commas between them. Options may follow it; then comes the
 * command, after a "--" or without one. Any later "--" is the command's own. */
static int take_pools(int argc, char **argv, struct run_options *options)
{
    const char *text = argv[optind++];
    for (const char *next = text; next != NULL; text = next) {
        next = strchr(text, ',');
        const size_t length = next != NULL ? (size_t)(next++ - text) : strlen(text);
        if (options->pools.count == BERTH_MAX_WANTS)
            return cli_usage(&cli_run, "more than %d pools", (int)BERTH_MAX_WANTS);
        if (!run_pools_add(&options->pools, text, length))
            return cli_usage(&cli_run, "not POOL, POOL:SLOTS, from 1 to %d, or POOL:SIZE: %.*s",
                             (int)BERTH_MAX_SLOTS, (int)length, text);
    }
    const int after = optind;
    const int status = take_options(argc, argv, options);
    if (optind < after) /* behind a "--", getopt goes back to where it stood */
        optind = after;
    return status;
}

bool run_is_silent(const struct run_options *options)
{
    return options->quiet || (options->conflict_status >= 0 && !options->verbose);
}

int run_options_check(const struct run_options *options)
{
    for (const char **one = options->assignments; one != NULL && *one != NULL; one++) {
        if (!run_assignable(*one, &options->pools) && strstr(*one, "device}") != NULL)
            return cli_usage(&cli_run, "no devices are declared for the pool of %s", *one);
        if (!run_assignable(*one, &options->pools))
            return cli_usage(&cli_run,
                             "not NAME=TEMPLATE with {slot}, {slots}, {token}, {pool}, or "
                             "{device} where one is declared: %s",
                             *one);
    }
    return CLI_OK;
}

int run_options_parse(struct run_options *options, int argc, char **argv)
{
    opterr = 0;
    options->grace = usual_grace;
    int status = take_options(argc, argv, options);
    if (status != CLI_OK || options->help)
        return status;
    if (optind == argc)
        return cli_usage(&cli_run, "a pool is missing");
    status = take_pools(argc, argv, options);
    if (status != CLI_OK || options->help)
        return status;
    if (options->at_once && options->limited)
        return cli_usage(&cli_run, "-n or -w, not both");
    if (options->verbose && options->quiet)
        return cli_usage(&cli_run, "-v or -q, not both");
    if (options->slots > 0 && options->pools.count > 1)
        return cli_usage(&cli_run, "-j is for one pool");
    if (options->jobserver && !run_pools_single(&options->pools))
        return cli_usage(&cli_run, "--jobserver is for one pool, and one slot of it to begin with");
    if (options->string != NULL && optind < argc)
        return cli_usage(&cli_run, "-c or a command, not both: %s", argv[optind]);
    if (options->string == NULL && optind == argc)
        return cli_usage(&cli_run, "a command is missing");
    options->at_once |= options->limited && options->seconds == 0;
    options->argv = options->string != NULL ? options->shell : argv + optind;
    return run_options_check(options);
}
