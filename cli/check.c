#include "cli.h"

#include "check/parallel.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct protocol_choice choice;
    struct step_params params;
    struct check_limits limits;
    struct check_budget budget;
    uint64_t only;
    bool all, json, help;
    const char *witness;
};

static void show_progress(const struct check_progress *progress, void *context)
{
    double *last = context;
    if (progress->seconds - *last < 0.5)
        return;
    *last = progress->seconds;
    fprintf(stderr, "\r%12llu states  %8.2f M/s  frontier %-12llu depth %-6llu %8.2f MiB ",
            (unsigned long long)progress->states,
            (double)progress->states / progress->seconds / 1e6,
            (unsigned long long)progress->frontier, (unsigned long long)progress->depth,
            (double)progress->bytes / 1048576.0);
    fflush(stderr);
}

/* ---- arguments ---- */

enum {
    OPTION_FAULT = 256,
    OPTION_JSON,
    OPTION_WITNESS,
    OPTION_MEMORY,
    OPTION_TIME,
    OPTION_THREADS,
    OPTION_NO_SYMMETRY,
    OPTION_ONLY,
    OPTION_ALL,
    OPTION_LIMIT,
    OPTION_KILLS,
    OPTION_TIMESTAMPS,
};

static const struct option long_options[] = {
    {"fault", required_argument, NULL, OPTION_FAULT},
    {"json", no_argument, NULL, OPTION_JSON},
    {"witness", required_argument, NULL, OPTION_WITNESS},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"time", required_argument, NULL, OPTION_TIME},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"no-symmetry", no_argument, NULL, OPTION_NO_SYMMETRY},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"all", no_argument, NULL, OPTION_ALL},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"kills", required_argument, NULL, OPTION_KILLS},
    {"timestamps", required_argument, NULL, OPTION_TIMESTAMPS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool parse_only(char *list, uint64_t *only)
{
    char *rest = list;
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        enum check_property property;
        if (!check_property_find(name, &property))
            return false;
        *only |= UINT64_C(1) << property;
    }
    return true;
}

/* The protocol comes first in the options' meaning, since they depend on it; getopt moves it to the
 * end of argv, so there are two passes. */
static int parse(int argc, char **argv, struct options *options)
{
    enum { UNSET = UINT32_MAX };
    struct step_params given = {.n = UNSET, .l = UNSET, .k = UNSET, .limit = UNSET, .kills = UNSET};
    bool fault_given = false;
    unsigned *number = NULL;
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "n:l:k:h", long_options, NULL)) != -1) {
        switch (option) {
        case 'n':
        case 'l':
        case 'k':
        case OPTION_LIMIT:
        case OPTION_KILLS:
            number = option == 'n'            ? &given.n
                     : option == 'l'          ? &given.l
                     : option == 'k'          ? &given.k
                     : option == OPTION_LIMIT ? &given.limit
                                              : &given.kills;
            if (!cli_number(optarg, 1, 1000, number))
                return cli_usage(&cli_check, "not a number from 1 to 1000: %s", optarg);
            break;
        case OPTION_FAULT:
            if (!cli_fault(optarg, &given.fault))
                return cli_usage(&cli_check, "no such fault: %s", optarg);
            fault_given = true;
            break;
        case OPTION_TIMESTAMPS:
            if (!cli_timestamps(optarg, &given.timestamps))
                return cli_usage(&cli_check, "timestamps are unbounded or bounded: %s", optarg);
            break;
        case OPTION_JSON: options->json = true; break;
        case OPTION_WITNESS: options->witness = optarg; break;
        case OPTION_MEMORY:
            if (!cli_bytes(optarg, &options->budget.limit))
                return cli_usage(&cli_check, "not a size such as 500M or 8G: %s", optarg);
            break;
        case OPTION_TIME:
            if (!cli_seconds(optarg, &options->limits.seconds))
                return cli_usage(&cli_check, "not a number of seconds: %s", optarg);
            break;
        case OPTION_THREADS:
            if (!cli_number(optarg, 1, CHECK_MAX_THREADS, &options->limits.threads))
                return cli_usage(&cli_check, "threads must be from 1 to %d: %s",
                                 (int)CHECK_MAX_THREADS, optarg);
            break;
        case OPTION_NO_SYMMETRY: options->limits.symmetry = false; break;
        case OPTION_ONLY:
            if (!parse_only(optarg, &options->only))
                return cli_usage(&cli_check, "--only takes property names with commas between");
            break;
        case OPTION_ALL: options->all = true; break;
        case 'h': options->help = true; break;
        default:
            return cli_usage(&cli_check, "unknown option or missing argument: %s",
                             argv[optind - 1]);
        }
    }
    if (options->help)
        return CLI_OK;
    if (optind + 1 != argc)
        return cli_usage(&cli_check,
                         optind == argc ? "a protocol is missing" : "one protocol at a time");
    if (!protocol_find(argv[optind], &options->choice))
        return cli_error(CLI_USAGE, "no such protocol: %s (berth protocols lists them)",
                         argv[optind]);
    options->params = protocol_defaults(&options->choice);
    if (fault_given)
        options->params.fault = given.fault;
    if (given.n != UNSET)
        options->params.n = given.n;
    if (given.fault == STEP_FAULT_SLEEP)
        options->params.k = options->params.n < 2 ? 1 : 2;
    if (given.l != UNSET)
        options->params.l = given.l;
    if (given.k != UNSET)
        options->params.k = given.k;
    if (given.limit != UNSET)
        options->params.limit = given.limit;
    options->params.timestamps = given.timestamps;
    if (given.kills != UNSET)
        options->params.kills = given.kills;
    char text[256];
    const char *refusal = protocol_refuse(&options->choice, &options->params, text, sizeof text);
    return refusal != NULL ? cli_error(CLI_USAGE, "%s", refusal) : CLI_OK;
}

static int status_of(const struct protocol_checked *checked)
{
    return checked->verdict == PROTOCOL_AS_CLAIMED ? CLI_OK
           : checked->verdict == PROTOCOL_REFUTED  ? CLI_OTHERWISE
                                                   : CLI_INCOMPLETE;
}

static int run(int argc, char **argv)
{
    static struct protocol_checked checked;
    struct options options = {0};
    cli_default_limits(&options.limits, &options.budget);
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    if (options.help)
        return cli_help(&cli_check);
    /* Whether the file can be written is found out before the work; it is made after it. */
    struct cli_file file = {0};
    if (options.witness != NULL && !cli_file_open(&file, options.witness))
        return cli_error(CLI_USAGE, "cannot write %s: %s", options.witness, strerror(errno));
    cli_file_abandon(&file);
    double last = 0;
    if (isatty(STDERR_FILENO)) {
        options.limits.progress = show_progress;
        options.limits.progress_context = &last;
    }
    const char *error = protocol_check(&checked, &options.choice, &options.params, &options.limits,
                                       options.only, options.all);
    if (last > 0)
        fprintf(stderr, "\r\033[K");
    if (error != NULL)
        return cli_error(CLI_INCOMPLETE, "%s", error);
    if (checked.report.end == CHECK_OUT_OF_RANGE && !options.json)
        fprintf(stderr, "berth: the protocol stores a value outside its declared range\n");
    status = status_of(&checked);
    if (options.json) {
        int printed = cli_print_json(cli_report_json(&checked));
        status = printed != CLI_OK ? printed : status;
    } else {
        cli_report_text(&checked);
        status = cli_flush(status);
    }
    if (options.witness != NULL && !cli_report_witnesses(&checked, options.witness))
        status = cli_error(CLI_FAILED, "cannot write %s: %s", options.witness, strerror(errno));
    protocol_checked_free(&checked);
    return status;
}

const struct cli_command cli_check = {
    .name = "check",
    .synopsis = "PROTOCOL [-n N] [-l L] [-k K] [OPTION...]",
    .about = "explore a protocol exhaustively and compare what it does with what it claims",
    .run = run,
    .help = "  -n N             processes\n"
            "  -l L             slots\n"
            "  -k K             fewer than K processes may stop silently\n"
            "  --fault FAULT    none, death, sleep or kill\n"
            "  --kills N        how many kills a run may have (fault kill)\n"
            "  --limit N        where unbounded counters are cut off\n"
            "  --timestamps T   unbounded or bounded, for fife\n"
            "  --only P[,P...]  decide these properties only\n"
            "  --all            decide every property, claimed or not\n"
            "  --no-symmetry    keep all states, also of interchangeable processes, and all steps\n"
            "  --memory SIZE    stop at this much memory, such as 8G\n"
            "  --time SECONDS   stop exploring after this long\n"
            "  --threads N      the default is one for each core\n"
            "  --json           one JSON object\n"
            "  --witness FILE   write the witnesses there: text, or JSON if it ends in .json\n"
            "\n"
            "Exit status: 0 every claim came out as stated, 1 some did not, 2 bad usage,\n"
            "3 memory or time ran out first, 125 berth itself failed.\n",
};
