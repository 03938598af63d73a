/* berth trace: one run of a protocol, to be looked at. */
#include "own_file.h"
#include "own_text.h"
#include "page.h"
#include "paper_options.h"
#include "protocol_options.h"
#include "suggest.h"

#include "protocol/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_STEPS = 200, MOST_STEPS = 20000 };

struct options {
    struct cli_subject subject;
    const char *schedule, *file;
    unsigned steps;
    bool random, help, steps_given;
    uint64_t seed;
};

enum { OPTION_RANDOM = 256, OPTION_SCHEDULE, OPTION_STEPS };

static const struct option long_options[] = {
    CLI_SUBJECT_LONG,
    {"random", required_argument, NULL, OPTION_RANDOM},
    {"schedule", required_argument, NULL, OPTION_SCHEDULE},
    {"steps", required_argument, NULL, OPTION_STEPS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool parse_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    *seed = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static int parse(int argc, char **argv, struct options *options)
{
    int option;
    const struct option *table = cli_paper_options(&cli_trace, long_options);
    if (table == NULL)
        return CLI_USAGE;
    opterr = 0;
    options->steps = DEFAULT_STEPS;
    cli_subject_begin(&options->subject);
    while ((option = getopt_long(argc, argv, CLI_SUBJECT_SHORT "h", table, NULL)) != -1) {
        const enum cli_taken taken =
            cli_subject_option(&options->subject, &cli_trace, option, optarg);
        if (taken == CLI_BAD)
            return CLI_USAGE;
        if (taken == CLI_TAKEN)
            continue;
        switch (option) {
        case OPTION_RANDOM:
            options->random = true;
            if (!parse_seed(optarg, &options->seed))
                return cli_usage(&cli_trace, "not a seed: %s", optarg);
            break;
        case OPTION_SCHEDULE: options->schedule = optarg; break;
        case OPTION_STEPS:
            options->steps_given = true;
            if (!cli_number(optarg, 1, MOST_STEPS, &options->steps))
                return cli_usage(&cli_trace, "steps must be from 1 to %d: %s", MOST_STEPS, optarg);
            break;
        case 'h': options->help = true; break;
        default: return cli_unknown_option(&cli_trace, argv);
        }
    }
    if (options->help)
        return CLI_OK;
    if (optind == argc)
        return cli_usage(&cli_trace, "a protocol is missing");
    if (optind + 2 < argc)
        return cli_usage(&cli_trace, "unexpected argument: %s", argv[optind + 2]);
    options->file = optind + 1 < argc ? argv[optind + 1] : NULL;
    if (options->file != NULL && !cli_witness_file(options->file) &&
        !cli_ends_in(options->file, ".dot"))
        return cli_usage(&cli_trace, "not a file that ends in .html, .json or .txt: %s",
                         options->file);
    if (options->schedule != NULL && (options->random || options->steps_given))
        return cli_usage(&cli_trace, "--schedule says who moves, and how often");
    return cli_subject_resolve(&options->subject, argv[optind]);
}

/* Chooses the moves of the run. CLI_OK, or the status after a message. */
static int schedule(const struct options *options, const struct check_model *model,
                    struct cli_schedule *run)
{
    struct cli_replay replay;
    cli_replay_begin(&replay, model);
    if (options->schedule != NULL) {
        char text[128];
        const char *wrong = cli_schedule_parse(run, model, options->schedule, text, sizeof text);
        if (wrong != NULL)
            return cli_error(CLI_USAGE, "%s", wrong);
        for (size_t s = 0; s < run->length; s++) {
            if (!cli_replay_move(&replay, run->edge[s]))
                return cli_error(CLI_USAGE,
                                 "move %zu of the schedule cannot be made: P%u cannot %s", s + 1,
                                 replay.process,
                                 cli_edge_is_fault(model, run->edge[s])    ? "fail there"
                                 : cli_edge_is_choice(model, run->edge[s]) ? "choose there"
                                                                           : "step there");
        }
        return CLI_OK;
    }
    struct cli_scheduler scheduler = {.random = options->seed, .faults = true};
    while (run->length < options->steps &&
           (options->random ? cli_schedule_random(run, &replay, &scheduler)
                            : cli_schedule_fair(run, &replay, &scheduler)))
        continue;
    return CLI_OK;
}

static bool write_page(FILE *stream, const struct options *options, const struct step_model *model,
                       const struct check_witness *run)
{
    static struct cli_outlook outlook;
    struct cli_page page;
    cli_outlook_open(&outlook, &model->check);
    cli_page_begin(&page, &options->subject.choice, model, &outlook);
    cli_page_add(&page, run, NULL, false);
    json_t *data = cli_page_end(&page, true);
    cli_outlook_close(&outlook);
    return cli_page_write(stream, data);
}

static bool write_json(FILE *stream, const struct options *options, const struct step_model *model,
                       const struct check_witness *run)
{
    const struct step_params *params = &options->subject.params;
    char name[128];
    protocol_full_name(&options->subject.choice, name, sizeof name);
    json_t *whole = json_pack("{s:i, s:s, s:i, s:i, s:i, s:s}", "version", 1, "protocol", name, "n",
                              (int)params->n, "l", (int)params->l, "k", (int)params->k, "fault",
                              cli_fault_name(params->fault));
    json_t *steps = cli_run_json(&model->check, run);
    bool written = whole != NULL && steps != NULL && json_object_update(whole, steps) == 0 &&
                   json_dumpf(whole, stream, JSON_INDENT(1)) == 0;
    fputc('\n', stream);
    json_decref(steps);
    json_decref(whole);
    return written;
}

static int write_file(const struct options *options, const struct step_model *model,
                      const struct check_witness *run)
{
    struct cli_file file;
    bool written = true;
    if (!cli_file_open(&file, options->file))
        return cli_error(CLI_USAGE, "cannot write %s: %s", options->file, strerror(errno));
    if (cli_ends_in(options->file, ".html"))
        written = write_page(file.stream, options, model, run);
    else if (cli_ends_in(options->file, ".json"))
        written = write_json(file.stream, options, model, run);
    else
        cli_run_text(file.stream, &model->check, run);
    if (!written) {
        cli_file_abandon(&file);
        return cli_error(CLI_FAILED, "cannot write %s: out of memory", options->file);
    }
    if (!cli_file_commit(&file))
        return cli_error(CLI_FAILED, "cannot write %s: %s", options->file, strerror(errno));
    return CLI_OK;
}

/* No run, but all ways through the program. */
static int draw(const struct options *options)
{
    if (protocol_own.path == NULL)
        return cli_error(CLI_USAGE, "the graph of accesses is for a file of your own: ./lock.c %s",
                         options->file);
    if (options->schedule != NULL || options->random || options->steps_given)
        return cli_error(CLI_USAGE, "the graph of accesses shows no run");
    return cli_own_draw(protocol_own.path, options->file);
}

static int run(int argc, char **argv)
{
    static struct step_model model;
    struct options options = {0};
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    if (options.help)
        return cli_help(&cli_trace);
    if (options.file != NULL && cli_ends_in(options.file, ".dot"))
        return draw(&options);
    const char *error = options.subject.choice.model->make(&model, &options.subject.params);
    if (error != NULL)
        return cli_cannot_make(&options.subject.choice, &model, error);
    struct cli_schedule moves = {0};
    status = schedule(&options, &model.check, &moves);
    const struct check_witness whole = {moves.edge, moves.length, moves.length};
    if (status == CLI_OK && options.file != NULL)
        status = write_file(&options, &model, &whole);
    else if (status == CLI_OK) {
        cli_run_text(stdout, &model.check, &whole);
        status = cli_flush(CLI_OK);
    }
    cli_schedule_free(&moves);
    return status;
}

const struct cli_command cli_trace = {
    .name = "trace",
    .synopsis = "PROTOCOL[/VARIANT] [OPTION...] [FILE.html|FILE.json|FILE.txt|FILE.dot]",
    .about = "make one run of a protocol and show it, as a page, JSON or text",
    .run = run,
    CLI_TAKES_PAPER_OPTIONS,
    .help = CLI_SUBJECT_HELP
    "  --random SEED    any process may move next, and fail; without it, one after the other\n"
    "  --steps N        how many moves; the default is 200\n"
    "  --schedule TEXT  these moves: 0 1 1! is a step of P0, one of P1, and a fault of P1;\n"
    "                   0? is a step of P0 with the other outcome of a choice\n"
    "\n"
    "FILE.dot gets no run, but the accesses of a file of your own as a graph, for Graphviz.\n"
    "Without FILE, text goes to standard output. Nothing is checked exhaustively: that is\n"
    "what berth check is for, and its --witness FILE.html shows why a property fails.\n" CLI_OWN_FILE_HELP
    "Exit status: 0, 2 bad usage, 3 too large for a packed state, 125 berth itself failed.\n",
};
