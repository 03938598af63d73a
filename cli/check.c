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

/* ---- output ---- */

static json_t *bound_json(bool has, uint64_t bound)
{
    return has ? json_integer((json_int_t)bound) : json_null();
}

static json_t *line_json(const struct protocol_line *line)
{
    const struct check_result *result = &line->result;
    const struct protocol_claim *claim = line->claim;
    bool witnessed = result->witness.edge != NULL;
    json_t *object = json_object();
    json_object_set_new(object, "property",
                        json_string(check_property_name(result->query.property)));
    json_object_set_new(object, "claimed",
                        claim == NULL ? json_null() : json_boolean(claim->stance == CLAIMED));
    json_object_set_new(object, "holds",
                        result->answer == CHECK_UNDECIDED
                            ? json_null()
                            : json_boolean(result->answer == CHECK_HOLDS));
    json_object_set_new(object, "bound", bound_json(result->has_bound, result->bound));
    if (result->query.has_bound)
        json_object_set_new(object, "bound_claimed", json_integer((json_int_t)result->query.bound));
    if (result->query.property == CHECK_LINEAR_WAITING)
        json_object_set_new(object, "bound_active",
                            bound_json(result->has_bound_active, result->bound_active));
    json_object_set_new(object, "source", claim == NULL ? json_null() : json_string(claim->source));
    json_object_set_new(object, "witness_steps", bound_json(witnessed, result->witness.length));
    return object;
}

static const char *end_text(enum check_end end)
{
    switch (end) {
    case CHECK_OUT_OF_MEMORY: return "memory ran out";
    case CHECK_OUT_OF_TIME: return "time ran out";
    case CHECK_TOO_MANY: return "more than 4294967294 states";
    case CHECK_OUT_OF_RANGE: return "a value left its declared range";
    case CHECK_COMPLETE:
    default: return "complete";
    }
}

/* Of the search: the states and the frontier. The graph that other properties need comes on top. */
static double bytes_per_state(const struct check_report *report)
{
    return report->stored > 0 ? (double)report->search_bytes / (double)report->stored : 0.0;
}

static json_t *checked_json(const struct protocol_checked *checked)
{
    const struct check_report *report = &checked->report;
    const struct step_params *params = &checked->model.params;
    char name[128];
    protocol_full_name(&checked->choice, name, sizeof name);
    json_t *claims = json_array(), *cells = json_array();
    for (size_t i = 0; i < checked->lines; i++)
        json_array_append_new(claims, line_json(&checked->line[i]));
    for (unsigned c = 0; c < checked->model.check.cells && checked->values > 0; c++) {
        const struct check_cell *cell = &checked->model.check.cell[c];
        json_array_append_new(cells, json_pack("{s:s, s:o, s:I}", "name", cell->name, "index",
                                               bound_json(cell->index >= 0, (uint64_t)cell->index),
                                               "values", (json_int_t)report->values[c]));
    }
    bool bounded = checked->choice.protocol->default_limit > 0;
    return json_pack(
        "{s:s, s:i, s:i, s:i, s:s, s:b, s:o, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:f, s:f, s:o, "
        "s:I, s:s, s:s}",
        "protocol", name, "n", (int)params->n, "l", (int)params->l, "k", (int)params->k, "fault",
        cli_fault_name(params->fault), "bounded", bounded, "limit",
        bound_json(bounded, params->limit), "states", (json_int_t)report->states, "transitions",
        (json_int_t)report->transitions, "stored", (json_int_t)report->stored, "symmetry",
        report->reduced, "values", bound_json(checked->values > 0, checked->values),
        "values_claimed", bound_json(checked->values_claimed > 0, checked->values_claimed), "cells",
        cells, "seconds", report->seconds, "bytes_per_state", bytes_per_state(report), "claims",
        claims, "peak_bytes", (json_int_t)report->peak_bytes, "end", end_text(report->end),
        "verdict", protocol_verdict_name(checked->verdict));
}

static bool has_a_bound(enum check_property property)
{
    return property == CHECK_BOUNDED_WAITING || property == CHECK_LINEAR_WAITING ||
           property == CHECK_BOUNDED_WAITING_ENABLING || property == CHECK_WAIT_FREE_DOORWAY;
}

static void print_bound(const struct check_result *result, bool has_doorway)
{
    const enum check_property property = result->query.property;
    if (property == CHECK_VALUES && result->has_bound)
        printf("  reached %llu", (unsigned long long)result->bound);
    if (!has_a_bound(property) || result->answer == CHECK_UNDECIDED)
        return;
    const char *from = property == CHECK_LINEAR_WAITING && has_doorway ? " from the doorway" : "";
    if (result->has_bound)
        printf("  bound %llu%s", (unsigned long long)result->bound, from);
    else
        printf("  no bound%s", from);
    if (*from != '\0' && result->has_bound_active)
        printf(", %llu from the first store", (unsigned long long)result->bound_active);
    else if (*from != '\0')
        printf(", none from the first store");
}

static void print_line(const struct protocol_line *line, bool has_doorway)
{
    static const char *const answers[] = {"undecided", "holds", "fails"};
    const struct check_result *result = &line->result;
    const char *claim = line->claim == NULL              ? "no claim"
                        : line->claim->stance == CLAIMED ? "claimed"
                                                         : "not claimed";
    bool more = line->claim != NULL || has_a_bound(result->query.property);
    printf("  %-26s %-10s %-*s", check_property_name(result->query.property),
           answers[result->answer], more ? 11 : 0, claim);
    print_bound(result, has_doorway);
    if (line->claim != NULL)
        printf("  [%s]", line->claim->source);
    if (result->answer == CHECK_FAILS && result->witness.edge != NULL)
        printf("  witness of %zu steps", result->witness.length);
    putchar('\n');
}

static void print_checked(const struct protocol_checked *checked)
{
    const struct check_report *report = &checked->report;
    const struct step_params *params = &checked->model.params;
    char name[128];
    protocol_full_name(&checked->choice, name, sizeof name);
    printf("%s  n=%u", name, params->n);
    if (checked->choice.protocol->max_l > 1)
        printf(" l=%u", params->l);
    if (params->k > 1)
        printf(" k=%u", params->k);
    printf(" fault=%s", cli_fault_name(params->fault));
    if (checked->choice.protocol->default_limit > 0)
        printf(" bounded by %u", params->limit);
    printf("\n%s\n", checked->choice.protocol->citation);
    if (checked->choice.variant != 0)
        printf("%s\n", checked->choice.protocol->variants[checked->choice.variant].about);
    printf("%llu states, %llu transitions", (unsigned long long)report->states,
           (unsigned long long)report->transitions);
    if (report->reduced)
        printf(" (%llu states kept, by symmetry)", (unsigned long long)report->stored);
    printf(", %.2f s, %.1f MiB\n", report->seconds, (double)report->peak_bytes / 1048576.0);
    for (size_t i = 0; i < checked->lines; i++)
        print_line(&checked->line[i], checked->choice.model->has_doorway);
    printf("%s", protocol_verdict_name(checked->verdict));
    if (report->end != CHECK_COMPLETE)
        printf(": %s", end_text(report->end));
    putchar('\n');
}

/* Every failing property comes with its witness; a long one only if it refutes a claim. */
static void print_witnesses(const struct protocol_checked *checked)
{
    enum { LONG = 60 };
    for (size_t i = 0; i < checked->lines; i++) {
        const struct protocol_line *line = &checked->line[i];
        const struct check_result *result = &line->result;
        bool refutes = line->claim != NULL && line->claim->stance == CLAIMED;
        if (result->answer != CHECK_FAILS)
            continue;
        putchar('\n');
        if (result->witness.edge == NULL || (!refutes && result->witness.length > LONG))
            printf("%s fails: %s%s\n", check_property_name(result->query.property), result->about,
                   result->witness.edge == NULL ? "" : " (--witness FILE has the schedule)");
        else
            cli_witness_text(stdout, checked, result);
    }
}

static bool write_witnesses(const struct protocol_checked *checked, const char *path)
{
    const char *dot = strrchr(path, '.');
    bool json = dot != NULL && strcmp(dot, ".json") == 0;
    struct cli_file file;
    if (!cli_file_open(&file, path))
        return false;
    json_t *list = json_array();
    for (size_t i = 0; i < checked->lines; i++) {
        const struct check_result *result = &checked->line[i].result;
        if (result->answer != CHECK_FAILS || result->witness.edge == NULL)
            continue;
        if (json)
            json_array_append_new(list, cli_witness_json(checked, result));
        else
            cli_witness_text(file.stream, checked, result);
    }
    bool written = true;
    if (json) {
        char name[128];
        protocol_full_name(&checked->choice, name, sizeof name);
        json_t *whole = json_pack("{s:i, s:s, s:i, s:s, s:O}", "version", 1, "protocol", name, "n",
                                  (int)checked->model.params.n, "fault",
                                  cli_fault_name(checked->model.params.fault), "witnesses", list);
        written = whole != NULL && json_dumpf(whole, file.stream, JSON_INDENT(1)) == 0;
        fputc('\n', file.stream);
        json_decref(whole);
    }
    json_decref(list);
    if (!written) {
        cli_file_abandon(&file);
        errno = ENOMEM;
        return false;
    }
    return cli_file_commit(&file);
}

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
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct options options = {.limits = {.threads = cores < 1                   ? 1
                                                    : cores > CHECK_MAX_THREADS ? CHECK_MAX_THREADS
                                                                                : (unsigned)cores,
                                         .symmetry = true},
                              .budget = {.limit = check_memory_available() / 10 * 9}};
    options.limits.budget = &options.budget;
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
        int printed = cli_print_json(checked_json(&checked));
        status = printed != CLI_OK ? printed : status;
    } else {
        print_checked(&checked);
        print_witnesses(&checked);
        status = cli_flush(status);
    }
    if (options.witness != NULL && !write_witnesses(&checked, options.witness))
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
            "  --only P[,P...]  decide these properties only\n"
            "  --all            decide every property, claimed or not\n"
            "  --no-symmetry    keep all states, also of interchangeable processes\n"
            "  --memory SIZE    stop at this much memory, such as 8G\n"
            "  --time SECONDS   stop exploring after this long\n"
            "  --threads N      the default is one for each core\n"
            "  --json           one JSON object\n"
            "  --witness FILE   write the witnesses there: text, or JSON if it ends in .json\n"
            "\n"
            "Exit status: 0 every claim came out as stated, 1 some did not, 2 bad usage,\n"
            "3 memory or time ran out first, 125 berth itself failed.\n",
};
