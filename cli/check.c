#include "check_gpu.h"
#include "export.h"
#include "interrupt.h"
#include "fences.h"
#include "own_file.h"
#include "paper_options.h"
#include "protocol_options.h"
#include "protocol_or_table.h"
#include "second_reading.h"
#include "suggest.h"

#include "check/parallel.h"
#include "protocol/own.h"

#include "walk.h"

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
    bool all, json, help, explain, whole, paranoid, simulate, fences, gpu;
    struct cli_walks walks;
    enum cli_export export;
    const char *witness, *table;
};

static void show_progress(const struct check_progress *progress, void *context)
{
    if (!cli_shows_progress(progress->seconds, context))
        return;
    fprintf(stderr, "%s: ", progress->phase);
    if (progress->of == 0) {
        fprintf(stderr, "%llu states, %.2f M/s, frontier %llu, depth %llu, %.1f MiB, %.0f s",
                (unsigned long long)progress->states,
                (double)progress->states / progress->seconds / 1e6,
                (unsigned long long)progress->frontier, (unsigned long long)progress->depth,
                (double)progress->bytes / 1048576.0, progress->seconds);
    } else {
        fprintf(stderr, "%s%s%u of %u properties decided, %.1f MiB, %.0f s",
                progress->property != NULL ? progress->property : "",
                progress->property != NULL ? ", " : "", progress->decided, progress->of,
                (double)progress->bytes / 1048576.0, progress->seconds);
        if (progress->decided > 0 && progress->decided < progress->of)
            fprintf(stderr, ", about %.0f s left",
                    progress->seconds * (progress->of - progress->decided) / progress->decided);
    }
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
    OPTION_WHOLE,
    OPTION_PARANOID,
    OPTION_SIMULATE,
    OPTION_STEPS,
    OPTION_SEED,
    OPTION_EXPORT,
    OPTION_FENCES,
    OPTION_GPU,
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
    {"whole", no_argument, NULL, OPTION_WHOLE},
    {"paranoid", no_argument, NULL, OPTION_PARANOID},
    {"simulate", no_argument, NULL, OPTION_SIMULATE},
    {"steps", required_argument, NULL, OPTION_STEPS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"export", required_argument, NULL, OPTION_EXPORT},
    {"fences", no_argument, NULL, OPTION_FENCES},
    {"gpu", no_argument, NULL, OPTION_GPU},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int parse_only(char *list, uint64_t *only)
{
    char *rest = list;
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        enum check_property property;
        if (!check_property_find(name, &property))
            return cli_no_such_property(&cli_check, name);
        *only |= UINT64_C(1) << property;
    }
    return CLI_OK;
}

static bool has_memory(const struct step_params *params)
{
    return params->memory != STEP_SC || params->registers != STEP_ATOMIC ||
           params->remote != STEP_REMOTE_NONE || params->passages > 0;
}

/* Where remote references are counted, they are what is asked for. */
static uint64_t only_of_memory(uint64_t only, bool all, const struct step_params *params)
{
    if (only != 0 || all)
        return only;
    if (params->remote != STEP_REMOTE_NONE)
        return UINT64_C(1) << CHECK_RMR_PASSAGE | UINT64_C(1) << CHECK_RMR_SUPER_PASSAGE;
    return only;
}

/* What an option without an argument sets; NULL: it has one, or does something else. */
static bool *flag_of(struct options *options, int option)
{
    switch (option) {
    case OPTION_JSON: return &options->json;
    case OPTION_ALL: return &options->all;
    case OPTION_EXPLAIN: return &options->explain;
    case OPTION_WHOLE: return &options->whole;
    case OPTION_PARANOID: return &options->paranoid;
    case OPTION_SIMULATE: return &options->simulate;
    case OPTION_FENCES: return &options->fences;
    case OPTION_GPU: return &options->gpu;
    case 'h': return &options->help;
    default: return NULL;
    }
}

static int take_option(int option, char *text, char **argv, struct options *options)
{
    bool *flag = flag_of(options, option);
    if (flag != NULL) {
        *flag = true;
        return CLI_OK;
    }
    switch (option) {
    case OPTION_WITNESS:
        if (!cli_witness_file(text))
            return cli_usage(&cli_check, "not a file that ends in .html, .json or .txt: %s", text);
        options->witness = text;
        return CLI_OK;
    case OPTION_TABLE: options->table = text; return CLI_OK;
    case OPTION_ONLY: return parse_only(text, &options->only);
    case OPTION_NO_SYMMETRY: options->limits.symmetry = false; return CLI_OK;
    case OPTION_MEMORY:
        if (!cli_bytes(text, &options->budget.limit))
            return cli_usage(&cli_check, "not a size such as 500M or 8G: %s", text);
        return CLI_OK;
    case OPTION_TIME:
        if (!cli_seconds(text, &options->limits.seconds))
            return cli_usage(&cli_check, "not a number of seconds: %s", text);
        return CLI_OK;
    case OPTION_THREADS:
        if (!cli_number(text, 1, CHECK_MAX_THREADS, &options->limits.threads))
            return cli_usage(&cli_check, "threads must be from 1 to %d: %s", (int)CHECK_MAX_THREADS,
                             text);
        return CLI_OK;
    case OPTION_STEPS:
        if (!cli_number(text, 1, 100000000, &options->walks.steps))
            return cli_usage(&cli_check, "not a number of steps: %s", text);
        return CLI_OK;
    case OPTION_SEED:
        if (!cli_number(text, 0, UINT32_MAX, &options->walks.seed))
            return cli_usage(&cli_check, "not a number from 0 to %u: %s", UINT32_MAX, text);
        return CLI_OK;
    case OPTION_EXPORT:
        if (!cli_export_find(text, &options->export))
            return cli_usage(&cli_check, "not dot, aut, tla, promela or c11: %s", text);
        return CLI_OK;
    default: return cli_unknown_option(&cli_check, argv);
    }
}

static int take_options(int argc, char **argv, struct options *options)
{
    int option;
    const struct option *table = cli_paper_options(&cli_check, long_options);
    if (table == NULL)
        return CLI_USAGE;
    opterr = 0;
    cli_subject_begin(&options->subject);
    while ((option = getopt_long(argc, argv, CLI_SUBJECT_SHORT "h", table, NULL)) != -1) {
        const enum cli_taken taken =
            cli_subject_option(&options->subject, &cli_check, option, optarg);
        if (taken == CLI_BAD)
            return CLI_USAGE;
        if (taken == CLI_TAKEN)
            continue;
        const int status = take_option(option, optarg, argv, options);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

/* Options that cannot be used together, or not with this protocol or table. */
static int refuse_together(const struct options *options)
{
    const struct step_params *params = &options->system.params;
    if (options->fences && params->memory == STEP_SC)
        return cli_error(CLI_USAGE, "--fences is for --memory-model tso or native");
    if (options->system.is_table && has_memory(params))
        return cli_error(CLI_USAGE, "a table has one variable, which is accessed as a whole");
    if (options->gpu && has_memory(params))
        return cli_error(CLI_USAGE, "the kernels of a GPU know no memory but the papers'");
    return CLI_OK;
}

static int parse(int argc, char **argv, struct options *options)
{
    int status = take_options(argc, argv, options);
    if (status != CLI_OK || options->help)
        return status;
    struct cli_system *system = &options->system;
    struct step_params *params = &system->params;
    status = cli_system_find(&cli_check, system, argc - optind, argv + optind, options->table);
    if (status == CLI_OK)
        status = cli_subject_apply(&options->subject, system->choice.protocol, params);
    if (status == CLI_OK)
        status = refuse_together(options);
    if (status != CLI_OK)
        return status;
    options->only = only_of_memory(options->only, options->all, params);
    /* For a table that claims nothing, all properties are decided. */
    options->all |= system->is_table && system->table.variant.claim_count == 0;
    char text[256];
    const char *refusal = protocol_refuse(&system->choice, params, text, sizeof text);
    return refusal != NULL ? cli_error(CLI_USAGE, "%s", refusal) : CLI_OK;
}

static int status_of(const struct protocol_checked *checked)
{
    return checked->verdict == PROTOCOL_AS_CLAIMED ? CLI_OK
           : checked->verdict == PROTOCOL_REFUTED  ? CLI_OTHERWISE
                                                   : CLI_INCOMPLETE;
}

/* Properties that are asked for by name have to apply to the model. */
static int refuse_only(const struct options *options, const struct check_model *model)
{
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if ((options->only >> p & 1) && !check_applies(model, (enum check_property)p))
            return cli_error(CLI_USAGE, "%s does not apply to %s",
                             check_property_name((enum check_property)p),
                             options->system.choice.protocol->name);
    }
    return CLI_OK;
}

static bool is_own(const struct options *options)
{
    return protocol_own.path != NULL && options->system.choice.model == protocol_own.model;
}

/* Compares what was found with a second reading: of a file of the user's always, as far as some
 * states; with --paranoid, with all of them. */
static int read_twice(const struct options *options, const struct protocol_checked *first)
{
    const struct cli_asked asked = {&options->system, &options->limits, options->only, options->all,
                                    !options->json};
    if (first->report.abandoned || first->report.unlike || (!is_own(options) && !options->paranoid))
        return CLI_OK;
    return cli_read_twice(&asked, first, options->paranoid ? 0 : CLI_PLAIN_STATES);
}

static int show(struct options *options, const struct protocol_checked *checked)
{
    int status = status_of(checked);
    const int second = read_twice(options, checked);
    if (second != CLI_OK)
        return second;
    if (options->json) {
        json_t *report = cli_report_json(checked);
        cli_gpu_report_json(checked, report);
        int printed = cli_print_json(report);
        status = printed != CLI_OK ? printed : status;
    } else {
        cli_report_text(checked, options->explain);
        cli_gpu_report_text(checked);
        status = cli_flush(status);
    }
    if (options->witness != NULL && !cli_report_witnesses(checked, options->witness))
        status = cli_error(CLI_FAILED, "cannot write %s: %s", options->witness, strerror(errno));
    return status;
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
    options.limits.early =
        !options.whole && !options.all && !options.paranoid && options.witness == NULL;
    /* A second Ctrl-C does not wait for what is being decided. */
    options.limits.interrupts = cli_catch_interrupts();
    /* Other tools exchange no processes. */
    const struct protocol *protocol = options.system.choice.protocol;
    if (options.export != CLI_EXPORT_NOTHING && protocol->symmetric)
        options.system.params.as_it_is = !protocol->counts_for_ever && !protocol->cuts_off;
    const struct cli_system *system = &options.system;
    const char *error = cli_system_make(system, &checked.model);
    if (error != NULL)
        return cli_cannot_make(&system->choice, &checked.model, error);
    status = refuse_only(&options, &checked.model.check);
    if (status != CLI_OK)
        return status;
    if (options.fences) {
        step_memory_close(&checked.model);
        return cli_fences(system, &options.limits, options.only, options.json);
    }
    if (options.export == CLI_EXPORT_C11)
        return cli_export_c11(&system->choice, &system->params, &checked.model.check);
    if (options.export != CLI_EXPORT_NOTHING)
        return cli_export_model(&system->choice, &checked.model.check, options.export,
                                &options.limits);
    if (options.simulate) {
        options.walks.seconds = options.limits.seconds;
        return cli_walk(&system->choice, &checked.model, &options.walks, options.limits.interrupts,
                        options.json);
    }
    if (options.gpu)
        cli_gpu_prepare(system, &options.limits);
    if (is_own(&options)) {
        const struct cli_asked asked = {system, &options.limits, options.only, options.all,
                                        !options.json};
        status = cli_look_at_doorway(&asked);
        if (status == CLI_OK)
            status = cli_read_smaller_twice(&asked);
        if (status != CLI_OK)
            return status;
    }
    error = protocol_check_made(&checked, &system->choice, &system->params, &options.limits,
                                options.only, options.all);
    cli_clear_progress(last);
    if (error != NULL)
        return cli_cannot_make(&system->choice, &checked.model, error);
    if (checked.report.fault != NULL)
        return cli_error(CLI_FAILED, "internal error: the witness of %s does not show it: %s",
                         check_property_name(checked.report.fault_in), checked.report.fault);
    status = show(&options, &checked);
    if (checked.report.abandoned) { /* threads still use what would be freed */
        fflush(stdout);
        _exit(status);
    }
    protocol_checked_free(&checked);
    cli_system_free(&options.system);
    return status;
}

const struct cli_command cli_check = {
    .name = "check",
    .synopsis = "{PROTOCOL | FILE.c | --table FILE} [-n N] [-l L] [-k K] [OPTION...]",
    .about = "explore a protocol exhaustively and compare what it does with what it claims",
    .run = run,
    CLI_TAKES_PAPER_OPTIONS,
    .help =
        "  --table FILE     a transition table in place of a protocol\n" CLI_SUBJECT_HELP
        "  --only P[,P...]  decide these properties only\n"
        "  --all            decide every property, claimed or not\n"
        "  --explain        also show witnesses of properties that are not claimed\n"
        "  --fences         a smallest set of stores that have to be ordered for the claims to\n"
        "                   hold (--memory-model tso)\n"
        "  --whole          explore to the end, even after a claim has failed\n"
        "  --no-symmetry    keep all states, also of interchangeable processes, and all steps\n"
        "  --paranoid       check again without tables, symmetry, NORMAL and SETTLED, and compare\n"
        "  --simulate       random walks instead, for 10 s or --time; they prove nothing\n"
        "  --steps N        the length of each walk (10000)\n"
        "  --seed S         the seed of the walks (0)\n"
        "  --export FORMAT  write the system for another tool instead: dot, aut, tla,\n"
        "                   promela or c11\n"
        "  --memory SIZE    stop at this much memory, such as 8G\n"
        "  --time SECONDS   stop exploring after this long\n"
        "  --threads N      the default is one for each core\n"
        "  --gpu            explore on an NVIDIA GPU what can be decided there, the rest on the CPU\n"
        "  --json           one JSON object\n"
        "  --witness FILE   write the witnesses there: text, JSON if it ends in .json, or a\n"
        "                   page to look at if it ends in .html\n"
        "\n" CLI_OWN_FILE_HELP "\n"
        "Exit status: 0 every claim came out as stated, 1 some did not, 2 bad usage,\n"
        "3 memory or time ran out first, 125 berth itself failed.\n",
};
