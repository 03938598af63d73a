/* All protocols of two processes with few values and few local states: which properties there
 * are. */
#include "cli.h"
#include "interrupt.h"
#include "suggest.h"

#include "check/exploration.h"
#include "refute/search.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

struct options {
    struct search_size size;
    double seconds;
    const char *write;
    bool json, help;
};

enum {
    OPTION_VALUES = 256,
    OPTION_REMAINDER,
    OPTION_TRYING,
    OPTION_CRITICAL,
    OPTION_EXIT,
    OPTION_DISTINCT,
    OPTION_GOAL,
    OPTION_TIME,
    OPTION_WRITE,
    OPTION_JSON,
};

static const struct option long_options[] = {
    {"values", required_argument, NULL, OPTION_VALUES},
    {"remainder", required_argument, NULL, OPTION_REMAINDER},
    {"trying", required_argument, NULL, OPTION_TRYING},
    {"critical", required_argument, NULL, OPTION_CRITICAL},
    {"exit", required_argument, NULL, OPTION_EXIT},
    {"distinct", no_argument, NULL, OPTION_DISTINCT},
    {"goal", required_argument, NULL, OPTION_GOAL},
    {"time", required_argument, NULL, OPTION_TIME},
    {"write", required_argument, NULL, OPTION_WRITE},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char *const goals[] = {"deadlock-free", "lockout-free", "bounded-waiting"};

static bool find_goal(const char *name, enum search_goal *goal)
{
    for (unsigned g = 0; g < sizeof goals / sizeof goals[0]; g++) {
        if (strcmp(name, goals[g]) == 0) {
            *goal = (enum search_goal)g;
            return true;
        }
    }
    return false;
}

static int parse(int argc, char **argv, struct options *options)
{
    struct search_size *size = &options->size;
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        unsigned *number = NULL;
        switch (option) {
        case OPTION_VALUES: number = &size->values; break;
        case OPTION_REMAINDER: number = &size->remainder; break;
        case OPTION_TRYING: number = &size->trying; break;
        case OPTION_CRITICAL: number = &size->critical; break;
        case OPTION_EXIT: number = &size->exit; break;
        case OPTION_DISTINCT: size->distinct = true; break;
        case OPTION_GOAL:
            if (!find_goal(optarg, &size->goal))
                return cli_usage(&cli_search,
                                 "not deadlock-free, lockout-free or bounded-waiting: %s", optarg);
            break;
        case OPTION_TIME:
            if (!cli_seconds(optarg, &options->seconds))
                return cli_usage(&cli_search, "not a number of seconds: %s", optarg);
            break;
        case OPTION_WRITE: options->write = optarg; break;
        case OPTION_JSON: options->json = true; break;
        case 'h': options->help = true; break;
        default: return cli_unknown_option(&cli_search, argv);
        }
        if (number != NULL &&
            !cli_number(optarg, number == &size->trying || number == &size->exit ? 0 : 1,
                        SEARCH_STATES, number))
            return cli_usage(&cli_search, "not a number that is searched: %s", optarg);
    }
    if (!options->help && optind != argc)
        return cli_usage(&cli_search, "nothing was expected here: %s", argv[optind]);
    return CLI_OK;
}

/* ---- a protocol as a table ---- */

static void state_name(const struct search_protocol *protocol, unsigned state, char *text,
                       size_t size)
{
    static const char letters[] = "R.TCE";
    unsigned before = 0;
    for (unsigned s = 0; s < state; s++)
        before += protocol->region[s] == protocol->region[state];
    snprintf(text, size, "%c%u", letters[protocol->region[state]], before);
}

/* Entries that are not chosen are never come to; something has to be there. */
static unsigned anywhere(const struct search_protocol *protocol, unsigned state)
{
    const enum check_region from = (enum check_region)protocol->region[state];
    const enum check_region to =
        from == CHECK_REMAINDER || from == CHECK_WAITING ? CHECK_CRITICAL : CHECK_REMAINDER;
    unsigned s = 0;
    while (protocol->region[s] != to)
        s++;
    return s;
}

static void write_table(FILE *stream, const struct search_protocol *protocol)
{
    static const struct {
        const char *name;
        enum check_region region;
    } regions[] = {{"remainder", CHECK_REMAINDER},
                   {"trying", CHECK_WAITING},
                   {"critical", CHECK_CRITICAL},
                   {"exit", CHECK_EXIT}};
    char name[16], other[16];
    fprintf(stream, "# found by berth search\nberth-table 1\nprocesses 2\nvalues");
    for (unsigned v = 0; v < protocol->values; v++)
        fprintf(stream, " %u", v);
    for (unsigned r = 0; r < 4; r++) {
        bool first = true;
        for (unsigned s = 0; s < protocol->states; s++) {
            if (protocol->region[s] != regions[r].region)
                continue;
            state_name(protocol, s, name, sizeof name);
            fprintf(stream, "%s%s %s", first ? "\n" : "", first ? regions[r].name : "", name);
            first = false;
        }
    }
    fprintf(stream, "\nclaims exclusion deadlock-free%s%s\n",
            protocol->has & SEARCH_LOCKOUT ? " lockout-free" : "",
            protocol->has & SEARCH_BOUNDED ? " bounded-waiting" : "");
    for (unsigned p = 0; p < (protocol->size.distinct ? 2 : 1); p++) {
        fprintf(stream, protocol->size.distinct ? "\nprogram %u\n" : "\nprogram\n", p);
        for (unsigned s = 0; s < protocol->states; s++) {
            bool all = true;
            state_name(protocol, s, name, sizeof name);
            for (unsigned v = 0; v < protocol->values; v++) {
                const struct search_entry entry = protocol->next[p][s][v];
                all = all && entry.value != SEARCH_UNSET;
                if (entry.value == SEARCH_UNSET)
                    continue;
                state_name(protocol, entry.state, other, sizeof other);
                fprintf(stream, "%s %u -> %u %s\n", name, v, entry.value, other);
            }
            state_name(protocol, anywhere(protocol, s), other, sizeof other);
            if (!all)
                fprintf(stream, "%s * -> * %s\n", name, other);
        }
    }
}

/* The one with most properties; of these with the fewest values. */
static const struct search_protocol *best_of(const struct search_result *result)
{
    static const unsigned sets[] = {SEARCH_LOCKOUT | SEARCH_BOUNDED, SEARCH_LOCKOUT, SEARCH_BOUNDED,
                                    0};
    for (unsigned s = 0; s < SEARCH_SETS; s++) {
        for (unsigned v = 1; v <= SEARCH_VALUES; v++) {
            if (result->has_example[v][sets[s]])
                return &result->example[v][sets[s]];
        }
    }
    return NULL;
}

/* ---- output ---- */

static uint64_t with(const struct search_result *result, unsigned values, unsigned has)
{
    uint64_t sum = 0;
    for (unsigned set = 0; set < SEARCH_SETS; set++)
        sum += (set & has) == has ? result->found[values][set] : 0;
    return sum;
}

static json_t *result_json(const struct search_size *size, const struct search_result *result)
{
    json_t *rows = json_array();
    for (unsigned v = 1; v <= size->values; v++)
        json_array_append_new(
            rows, json_pack("{s:i, s:I, s:I, s:I}", "values", (int)v, "deadlock_free",
                            (json_int_t)with(result, v, 0), "lockout_free",
                            (json_int_t)with(result, v, SEARCH_LOCKOUT), "bounded_waiting",
                            (json_int_t)with(result, v, SEARCH_LOCKOUT | SEARCH_BOUNDED)));
    return json_pack(
        "{s:i, s:i, s:i, s:i, s:i, s:b, s:s, s:f, s:I, s:{s:I, s:I, s:I, s:I}, s:I, s:b, s:o}",
        "values", (int)size->values, "remainder", (int)size->remainder, "trying", (int)size->trying,
        "critical", (int)size->critical, "exit", (int)size->exit, "distinct", size->distinct,
        "goal", goals[size->goal], "tables", result->tables, "chosen", (json_int_t)result->chosen,
        "cut", "exclusion", (json_int_t)result->cut[0], "deadlock", (json_int_t)result->cut[1],
        "lockout", (json_int_t)result->cut[2], "waiting", (json_int_t)result->cut[3], "complete",
        (json_int_t)result->complete, "all", result->all, "found", rows);
}

/* What was cut off was not counted. */
static void print_count(bool counted, int width, uint64_t count)
{
    if (counted)
        printf(" %*" PRIu64, width, count);
    else
        printf(" %*s", width, "-");
}

static void print_result(const struct search_size *size, const struct search_result *result,
                         double seconds)
{
    printf("two processes, %s, up to %u values of V\n"
           "local states: %u remainder%s, %u trying, %u critical, %u exit\n",
           size->distinct ? "each with its own program" : "one program", size->values,
           size->remainder, size->remainder == 1 ? " (no memory)" : "", size->trying,
           size->critical, size->exit);
    printf("%.3g tables; %" PRIu64 " entries chosen, %.2f s\n", result->tables, result->chosen,
           seconds);
    printf("cut off: %" PRIu64 " for exclusion, %" PRIu64 " for deadlock, %" PRIu64
           " for lockout, %" PRIu64 " for waiting without bound\n",
           result->cut[0], result->cut[1], result->cut[2], result->cut[3]);
    printf("left: %" PRIu64 "%s, up to names\n\n", result->complete,
           result->all ? "" : " so far, and the search was not finished");
    printf("%8s %14s %14s %16s\n", "values", "deadlock-free", "lockout-free", "bounded-waiting");
    for (unsigned v = 1; v <= size->values; v++) {
        printf("%8u", v);
        print_count(size->goal <= SEARCH_DEADLOCK_FREE, 14, with(result, v, 0));
        print_count(size->goal <= SEARCH_LOCKOUT_FREE, 14, with(result, v, SEARCH_LOCKOUT));
        print_count(true, 16, with(result, v, SEARCH_LOCKOUT | SEARCH_BOUNDED));
        putchar('\n');
    }
}

static int write_best(const struct search_result *result, const char *path)
{
    const struct search_protocol *best = best_of(result);
    struct cli_file file;
    if (best == NULL)
        return cli_error(CLI_OK, "nothing was found, and %s is not written", path);
    if (!cli_file_open(&file, path))
        return cli_error(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
    write_table(file.stream, best);
    return cli_file_commit(&file)
               ? CLI_OK
               : cli_error(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
}

static void show_progress(const struct search_result *so_far, double seconds, void *context)
{
    if (!cli_shows_progress(seconds, context))
        return;
    fprintf(stderr, "%" PRIu64 " entries chosen, %" PRIu64 " protocols left so far, %.0f s",
            so_far->chosen, so_far->complete, seconds);
    fflush(stderr);
}

static int run(int argc, char **argv)
{
    static struct search_result result;
    struct options options = {
        .size = {.values = 2, .remainder = 1, .trying = 1, .critical = 1, .exit = 0}};
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    if (options.help)
        return cli_help(&cli_search);
    if (options.write != NULL && !cli_file_can_open(options.write))
        return cli_error(CLI_FAILED, "cannot write %s: %s", options.write, strerror(errno));
    const double start = check_clock();
    double last = 0;
    const struct search_limits limits = {.seconds = options.seconds,
                                         .interrupts = cli_catch_interrupts(),
                                         .progress = show_progress,
                                         .context = &last};
    const char *error = search_run(&options.size, &limits, NULL, NULL, &result);
    cli_clear_progress(last);
    if (error != NULL)
        return cli_error(CLI_USAGE, "%s", error);
    status = result.all ? CLI_OK : CLI_INCOMPLETE;
    if (options.json) {
        int printed = cli_print_json(result_json(&options.size, &result));
        status = printed != CLI_OK ? printed : status;
    } else {
        print_result(&options.size, &result, check_clock() - start);
        status = cli_flush(status);
    }
    if (options.write != NULL) {
        int written = write_best(&result, options.write);
        status = written != CLI_OK ? written : status;
    }
    return status;
}

const struct cli_command cli_search = {
    .name = "search",
    .synopsis = "[OPTION...]",
    .about = "enumerate all protocols of two processes with few values, and count what they have",
    .run = run,
    .help = "  --values N       values of V, up to 4 (2)\n"
            "  --remainder N    remainder states (1: no memory)\n"
            "  --trying N       trying states (1)\n"
            "  --critical N     critical states (1)\n"
            "  --exit N         exit states (0)\n"
            "  --distinct       each process has its own program\n"
            "  --goal PROPERTY  skip protocols without it: deadlock-free (the default),\n"
            "                   lockout-free or bounded-waiting, which skip more, so that larger\n"
            "                   sizes can be searched\n"
            "  --time SECONDS   stop after this long\n"
            "  --write FILE     write the protocol with most properties there, as a table\n"
            "  --json           one JSON object\n"
            "\n"
            "Exit status: 0 searched to the end, 2 bad usage, 3 time ran out or Ctrl-C came\n"
            "first, 125 berth itself failed.\n",
};
