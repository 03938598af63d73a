#include "subject.h"
#include "system.h"

#include "check/parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct cli_subject subject;
    struct cli_system system;
    struct check_limits limits;
    struct check_budget budget;
    uint64_t only;
    bool all, json, help, explain;
    const char *witness, *table;
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
    OPTION_JSON = 256,
    OPTION_WITNESS,
    OPTION_MEMORY,
    OPTION_TIME,
    OPTION_THREADS,
    OPTION_NO_SYMMETRY,
    OPTION_ONLY,
    OPTION_ALL,
    OPTION_TABLE,
    OPTION_EXPLAIN,
};

static const struct option long_options[] = {
    CLI_SUBJECT_LONG,
    {"json", no_argument, NULL, OPTION_JSON},
    {"witness", required_argument, NULL, OPTION_WITNESS},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"time", required_argument, NULL, OPTION_TIME},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"no-symmetry", no_argument, NULL, OPTION_NO_SYMMETRY},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"all", no_argument, NULL, OPTION_ALL},
    {"table", required_argument, NULL, OPTION_TABLE},
    {"explain", no_argument, NULL, OPTION_EXPLAIN},
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

static int parse(int argc, char **argv, struct options *options)
{
    int option, status;
    opterr = 0;
    cli_subject_begin(&options->subject);
    while ((option = getopt_long(argc, argv, CLI_SUBJECT_SHORT "h", long_options, NULL)) != -1) {
        const enum cli_taken taken =
            cli_subject_option(&options->subject, &cli_check, option, optarg);
        if (taken == CLI_BAD)
            return CLI_USAGE;
        if (taken == CLI_TAKEN)
            continue;
        switch (option) {
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
        case OPTION_EXPLAIN: options->explain = true; break;
        case OPTION_TABLE: options->table = optarg; break;
        case 'h': options->help = true; break;
        default:
            return cli_usage(&cli_check, "unknown option or missing argument: %s",
                             argv[optind - 1]);
        }
    }
    if (options->help)
        return CLI_OK;
    status =
        cli_system_find(&cli_check, &options->system, argc - optind, argv + optind, options->table);
    if (status != CLI_OK)
        return status;
    struct step_params *params = &options->system.params;
    status = cli_subject_apply(&options->subject, options->system.choice.protocol, params);
    if (status != CLI_OK)
        return status;
    /* Of a table that claims nothing, everything is of interest. */
    const struct cli_system *system = &options->system;
    options->all |= system->is_table && system->table.variant.claim_count == 0;
    char text[256];
    const char *refusal = protocol_refuse(&options->system.choice, params, text, sizeof text);
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
    static struct options options;
    cli_default_limits(&options.limits, &options.budget);
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    if (options.help)
        return cli_help(&cli_check);
    if (options.witness != NULL && !cli_file_can_open(options.witness))
        return cli_error(CLI_USAGE, "cannot write %s: %s", options.witness, strerror(errno));
    double last = 0;
    if (isatty(STDERR_FILENO)) {
        options.limits.progress = show_progress;
        options.limits.progress_context = &last;
    }
    const struct cli_system *system = &options.system;
    const char *error = cli_system_make(system, &checked.model);
    for (unsigned p = 0; error == NULL && p < CHECK_PROPERTIES; p++) {
        if ((options.only >> p & 1) && !check_applies(&checked.model.check, (enum check_property)p))
            return cli_error(CLI_USAGE, "%s does not apply to %s",
                             check_property_name((enum check_property)p),
                             system->choice.protocol->name);
    }
    if (error == NULL)
        error = protocol_check_made(&checked, &system->choice, &system->params, &options.limits,
                                    options.only, options.all);
    if (last > 0)
        fprintf(stderr, "\r\033[K");
    if (error != NULL)
        return cli_cannot_make(&system->choice, &checked.model, error);
    status = status_of(&checked);
    if (options.json) {
        int printed = cli_print_json(cli_report_json(&checked));
        status = printed != CLI_OK ? printed : status;
    } else {
        cli_report_text(&checked, options.explain);
        status = cli_flush(status);
    }
    if (options.witness != NULL && !cli_report_witnesses(&checked, options.witness))
        status = cli_error(CLI_FAILED, "cannot write %s: %s", options.witness, strerror(errno));
    protocol_checked_free(&checked);
    cli_system_free(&options.system);
    return status;
}

const struct cli_command cli_check = {
    .name = "check",
    .synopsis = "{PROTOCOL | --table FILE} [-n N] [-l L] [-k K] [OPTION...]",
    .about = "explore a protocol exhaustively and compare what it does with what it claims",
    .run = run,
    .help = "  --table FILE     a transition table in place of a protocol\n" CLI_SUBJECT_HELP
            "  --only P[,P...]  decide these properties only\n"
            "  --all            decide every property, claimed or not\n"
            "  --explain        show the witnesses of what is not claimed, too\n"
            "  --no-symmetry    keep all states, also of interchangeable processes, and all steps\n"
            "  --memory SIZE    stop at this much memory, such as 8G\n"
            "  --time SECONDS   stop exploring after this long\n"
            "  --threads N      the default is one for each core\n"
            "  --json           one JSON object\n"
            "  --witness FILE   write the witnesses there: text, JSON if it ends in .json, or a\n"
            "                   page to look at if it ends in .html\n"
            "\n"
            "Exit status: 0 every claim came out as stated, 1 some did not, 2 bad usage,\n"
            "3 memory or time ran out first, 125 berth itself failed.\n",
};
