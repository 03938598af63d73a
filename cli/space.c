/*
 * How many values the shared variables take, compared with the papers: an upper bound, the number
 * of values that the algorithm is said to need, and a lower bound for any algorithm.
 *
 * Where no sizes are named, n grows for as long as the states stay few. States are counted and not
 * seconds, so that the same sizes come out on every machine.
 */
#include "space.h"
#include "own_file.h"
#include "suggest.h"

#include "check/parallel.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FEW_STATES = 200000 };

struct range {
    unsigned from, to; /* 0: none was given */
};

struct options {
    const char *protocol; /* NULL: all of them */
    struct range n, l, k; /* not given: n as far as the states are few, every l, the usual k */
    bool json;
    const char *svg;
    struct check_limits limits;
    struct check_budget budget;
};

static bool table_add(struct space_table *table, const struct space_row *row)
{
    if (table->count == table->room) {
        size_t room = table->room == 0 ? 64 : 2 * table->room;
        struct space_row *grown = reallocarray(table->row, room, sizeof *grown);
        if (grown == NULL)
            return false;
        table->row = grown;
        table->room = room;
    }
    table->row[table->count++] = *row;
    return true;
}

/* ---- what a row says ---- */

static bool complete(const struct space_row *row)
{
    return row->end == CHECK_COMPLETE;
}

static bool above(const struct space_row *row)
{
    return row->upper > 0 && row->values > row->upper;
}

static bool below(const struct space_row *row)
{
    return complete(row) && row->values < row->lower;
}

int space_status(const struct space_row *row)
{
    if (above(row) || below(row) || row->end == CHECK_OUT_OF_RANGE)
        return CLI_OTHERWISE;
    return complete(row) ? CLI_OK : CLI_INCOMPLETE;
}

const char *space_note(const struct space_row *row)
{
    if (above(row))
        return "more than the upper bound";
    if (below(row))
        return "fewer than the lower bound";
    if (row->end == CHECK_OUT_OF_RANGE)
        return "a value left its declared range";
    if (!complete(row))
        return "not explored to the end";
    if (row->choice.protocol->default_limit > 0)
        return "of counters that are cut off";
    return row->upper > 0 && row->values < row->upper ? "fewer than the upper bound" : "";
}

/* ---- output ---- */

static json_t *number_json(bool known, uint64_t number)
{
    return known ? json_integer((json_int_t)number) : json_null();
}

static json_t *table_json(const struct space_table *table)
{
    json_t *list = json_array();
    for (size_t i = 0; i < table->count; i++) {
        const struct space_row *row = &table->row[i];
        const char *source = row->choice.protocol->values_source;
        char name[128];
        protocol_full_name(&row->choice, name, sizeof name);
        json_array_append_new(
            list, json_pack("{s:s, s:i, s:i, s:i, s:b, s:o, s:o, s:o, s:s?}", "protocol", name, "n",
                            (int)row->params.n, "l", (int)row->params.l, "k", (int)row->params.k,
                            "bounded", row->choice.protocol->default_limit > 0, "values",
                            number_json(complete(row), row->values), "upper",
                            number_json(row->upper > 0, row->upper), "lower",
                            number_json(row->lower > 0, row->lower), "source", source));
    }
    return json_pack("{s:o}", "space", list);
}

static void print_number(bool known, uint64_t number)
{
    if (known)
        printf(" %7" PRIu64, number);
    else
        printf(" %7s", "-");
}

static void print_table(const struct space_table *table, const struct options *options)
{
    printf("%-18s %3s %3s %3s %7s %7s %7s\n", "protocol", "n", "l", "k", "values", "upper",
           "lower");
    for (size_t i = 0; i < table->count; i++) {
        const struct space_row *row = &table->row[i];
        char name[128];
        protocol_full_name(&row->choice, name, sizeof name);
        printf("%-18s %3u %3u %3u", name, row->params.n, row->params.l, row->params.k);
        print_number(complete(row), row->values);
        print_number(row->upper > 0, row->upper);
        print_number(row->lower > 0, row->lower);
        printf("%s%s\n", *space_note(row) != '\0' ? "  " : "", space_note(row));
    }
    if (options->n.from == 0)
        printf("\nSizes with more than %d states, symmetric ones counted once, are left out;\n"
               "-n asks for them.\n",
               FEW_STATES);
}

/* ---- measuring ---- */

/* NULL, or a sentence that says why there is no result. */
static const char *measure(struct space_row *row, const struct check_limits *limits)
{
    static struct protocol_checked checked; /* large */
    const struct protocol *protocol = row->choice.protocol;
    const char *error = protocol_check(&checked, &row->choice, &row->params, limits,
                                       UINT64_C(1) << CHECK_VALUES, false);
    if (error != NULL)
        return error;
    row->end = checked.report.end;
    row->values = checked.values;
    row->upper = protocol->values != NULL ? protocol->values(&row->params) : 0;
    row->lower = protocol->lower != NULL ? protocol->lower(&row->params) : 0;
    protocol_checked_free(&checked);
    return NULL;
}

/* One n, l and k; *more: a larger n is worth a try. */
static int add_row(struct space_table *table, struct space_row *row, const struct options *options,
                   bool *more)
{
    const bool asked = options->n.from > 0;
    char text[256];
    if (protocol_refuse(&row->choice, &row->params, text, sizeof text) != NULL)
        return CLI_OK;
    const char *error = measure(row, &options->limits);
    if (error != NULL)
        return asked ? cli_error(CLI_INCOMPLETE, "%s with n = %u: %s", row->choice.protocol->name,
                                 row->params.n, error)
                     : CLI_OK;
    *more |= complete(row);
    if ((asked || space_status(row) != CLI_INCOMPLETE) && !table_add(table, row))
        return cli_error(CLI_FAILED, "out of memory");
    return CLI_OK;
}

/* All l and k for one n. */
static int add_size(struct space_table *table, struct space_row row, const struct options *options,
                    bool *more)
{
    const struct range every = {1, row.choice.protocol->max_l};
    const struct range usual = {row.params.k, row.params.k};
    const struct range l = options->l.from > 0 ? options->l : every;
    const struct range k = options->k.from > 0 ? options->k : usual;
    int status = CLI_OK;
    *more = false;
    for (row.params.l = l.from; row.params.l <= l.to && status == CLI_OK; row.params.l++) {
        for (row.params.k = k.from; row.params.k <= k.to && status == CLI_OK; row.params.k++)
            status = add_row(table, &row, options, more);
    }
    return status;
}

static int add_protocol(struct space_table *table, const struct protocol_choice *choice,
                        const struct options *options)
{
    const struct protocol *protocol = choice->protocol;
    struct space_row row = {.choice = *choice, .params = protocol_defaults(choice)};
    const bool asked = options->n.from > 0;
    unsigned from = options->n.from > protocol->min_n ? options->n.from : protocol->min_n;
    unsigned to = asked && options->n.to < protocol->max_n ? options->n.to : protocol->max_n;
    bool more = true;
    const unsigned least =
        options->l.from + 1 > options->k.from ? options->l.from + 1 : options->k.from;
    for (unsigned n = from; n <= to && (asked || more || n <= least); n++) {
        row.params.n = n;
        int status = add_size(table, row, options, &more);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

static int add_all(struct space_table *table, const struct options *options)
{
    if (options->protocol != NULL) {
        struct protocol_choice choice;
        if (!protocol_find(options->protocol, &choice))
            return cli_no_such_protocol(options->protocol);
        struct step_params params = protocol_defaults(&choice);
        char text[256];
        params.n = options->n.from;
        if (options->n.from > 0 &&
            (options->n.to < choice.protocol->min_n || options->n.from > choice.protocol->max_n))
            return cli_error(CLI_USAGE, "%s", protocol_refuse(&choice, &params, text, sizeof text));
        return add_protocol(table, &choice, options);
    }
    for (size_t i = 0; i < protocol_count; i++) {
        struct protocol_choice choice = {protocol_models[i], protocol_natives[i],
                                         protocol_models[i]->protocol, 0};
        const struct protocol *protocol = choice.protocol;
        if ((protocol->counts_for_ever && protocol->values == NULL) || protocol->cuts_off)
            continue; /* its words take as many values as they have room for */
        int status = add_protocol(table, &choice, options);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

/* ---- arguments ---- */

/* "3" or "2-5"; `text` is cut up. */
static bool parse_range(char *text, struct range *range)
{
    char *dash = strchr(text, '-');
    if (dash != NULL)
        *dash = '\0';
    return cli_number(text, 1, CHECK_MAX_PROCESSES, &range->from) &&
           cli_number(dash != NULL ? dash + 1 : text, range->from, CHECK_MAX_PROCESSES, &range->to);
}

static int parse(int argc, char **argv, struct options *options)
{
    enum { OPTION_JSON = 256, OPTION_SVG };
    static const struct option long_options[] = {{"json", no_argument, NULL, OPTION_JSON},
                                                 {"svg", required_argument, NULL, OPTION_SVG},
                                                 {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "n:l:k:", long_options, NULL)) != -1) {
        switch (option) {
        case 'n':
        case 'l':
        case 'k':
            if (!parse_range(optarg, option == 'n'   ? &options->n
                                     : option == 'l' ? &options->l
                                                     : &options->k))
                return cli_usage(&cli_space, "-%c takes a number or a range of them, 1 to %d",
                                 option, (int)CHECK_MAX_PROCESSES);
            break;
        case OPTION_JSON: options->json = true; break;
        case OPTION_SVG: options->svg = optarg; break;
        default: return cli_unknown_option(&cli_space, argv);
        }
    }
    if (argc - optind > 1)
        return cli_usage(&cli_space, "one protocol at a time");
    if (options->svg != NULL && options->k.from != options->k.to)
        return cli_usage(&cli_space, "a plot is for one k");
    options->protocol = argv[optind]; /* NULL after the last */
    return CLI_OK;
}

/* ---- the run ---- */

static int show(const struct space_table *table, const struct options *options)
{
    int status = CLI_OK;
    for (size_t i = 0; i < table->count && status != CLI_OTHERWISE; i++)
        status = space_status(&table->row[i]) == CLI_OK ? status : space_status(&table->row[i]);
    if (options->json) {
        int printed = cli_print_json(table_json(table));
        return printed != CLI_OK ? printed : status;
    }
    print_table(table, options);
    return cli_flush(status);
}

static int draw(const struct space_table *table, const struct options *options)
{
    struct cli_file svg;
    char sizes[80];
    if (options->n.from == 0)
        snprintf(sizes, sizeof sizes, "n as far as there are at most %d states", FEW_STATES);
    else if (options->n.from == options->n.to)
        snprintf(sizes, sizeof sizes, "n = %u", options->n.from);
    else
        snprintf(sizes, sizeof sizes, "n = %u to %u", options->n.from, options->n.to);
    bool written = cli_file_open(&svg, options->svg);
    if (written) {
        space_plot(svg.stream, table, sizes);
        written = cli_file_commit(&svg);
    }
    return written ? CLI_OK
                   : cli_error(CLI_FAILED, "cannot write %s: %s", options->svg, strerror(errno));
}

static int run(int argc, char **argv)
{
    struct options options = {0};
    cli_default_limits(&options.limits, &options.budget);
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    if (options.svg != NULL && !cli_file_can_open(options.svg))
        return cli_error(CLI_FAILED, "cannot write %s: %s", options.svg, strerror(errno));
    if (options.n.from == 0)
        options.limits.states = FEW_STATES;
    struct space_table table = {0};
    status = add_all(&table, &options);
    if (status == CLI_OK && options.svg != NULL)
        status = draw(&table, &options);
    if (status == CLI_OK)
        status = show(&table, &options);
    free(table.row);
    return status;
}

const struct cli_command cli_space = {
    .name = "space",
    .synopsis = "[PROTOCOL] [-n N] [-l L] [-k K] [--json] [--svg FILE]",
    .about = "values of the shared variables: reached, claimed, and the lower bound",
    .run = run,
    .help = "  -n N, -n FROM-TO   processes; without it, as many as make few states\n"
            "  -l L, -l FROM-TO   slots; without it, every number that the protocol is for\n"
            "  -k K, -k FROM-TO   fewer than K may sleep; without it, as for berth check\n"
            "  --json             one JSON object\n"
            "  --svg FILE         also write a plot\n"
            "\n"
            "The columns: values is the most values that any shared variable takes in a run,\n"
            "upper the number that the algorithm's source claims, lower the least that any\n"
            "algorithm with the same properties needs.\n" CLI_OWN_FILE_HELP "\n"
            "Exit status: 0 every count is between its bounds, 1 some is not, 2 bad usage,\n"
            "3 memory ran out first, 125 berth itself failed.\n",
};
