#include "bench_report.h"
#include "own_file.h"
#include "suggest.h"

#include "protocol/own.h"

#include "bench/locks.h"
#include "store/store.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
    const char *one; /* a lock by itself; NULL: pools and their alternatives, or --locks */
    struct bench_plan plan;
    bool json;
    const char *svg;
    const char *store; /* NULL: pools in memory, and the alternatives */
    bool locks, pools; /* --locks; an option that is about pools */
    const char *lock[BENCH_LOCKS];
    size_t lock_count; /* 0: all of them */
};

/* ---- JSON ---- */

static json_t *number_json(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static json_t *count_json(double number)
{
    return isfinite(number) ? json_integer((json_int_t)number) : json_null();
}

/* A member NAME with the median and a member NAME_quartiles with the spread. */
static void set_spread(json_t *object, const char *name, const struct bench_spread *spread)
{
    char quartiles[64];
    snprintf(quartiles, sizeof quartiles, "%s_quartiles", name);
    json_object_set_new(object, name, number_json(spread->median));
    json_object_set_new(object, quartiles,
                        isfinite(spread->median) ? json_pack("[f, f]", spread->low, spread->high)
                                                 : json_null());
}

static json_t *row_json(const struct bench_row *row)
{
    json_t *object = json_pack(
        "{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "case", bench_case_names[row->of],
        "subject", row->subject, "processes", (int)row->processes, "slots",
        row->slots > 0 ? json_integer((json_int_t)row->slots) : json_null(), "ns_per_pair",
        number_json(row->ns_per_pair.median), "ratio", number_json(row->ratio.median), "fairness",
        number_json(row->fairness.median), "overtakes", count_json(row->overtakes), "p99_us",
        number_json(row->p99_us));
    json_object_set_new(object, "section_us", number_json(row->section_us));
    json_object_set_new(object, "samples", json_integer((json_int_t)row->samples));
    set_spread(object, "ns_per_pair", &row->ns_per_pair);
    set_spread(object, "ratio", &row->ratio);
    set_spread(object, "fairness", &row->fairness);
    set_spread(object, "cpu_ns_per_pair", &row->cpu_ns_per_pair);
    set_spread(object, "ratio_to_sysv", &row->ratio_to_sysv);
    set_spread(object, "cpu_ratio_to_sysv", &row->cpu_ratio_to_sysv);
    set_spread(object, "ratio_to_flock", &row->ratio_to_flock);
    json_object_set_new(object, "watched", count_json(row->watched));
    json_object_set_new(object, "overtakes_by_ticket", count_json(row->overtakes_by_ticket));
    json_object_set_new(object, "overtakes_from_call", count_json(row->overtakes_from_call));
    json_object_set_new(object, "p50_us", number_json(row->p50_us));
    json_object_set_new(object, "max_us", number_json(row->max_us));
    json_object_set_new(object, "kills", count_json(row->kills));
    json_object_set_new(object, "slots_left", count_json(row->slots_left));
    json_object_set_new(object, "dead_after", count_json(row->dead_after));
    json_object_set_new(object, "cpu_percent", number_json(row->cpu_percent));
    json_object_set_new(object, "note",
                        row->note[0] != '\0' ? json_string(row->note) : json_null());
    return object;
}

static int print_json(const struct bench_report *report, const struct bench_plan *plan)
{
    const struct bench_machine *machine = &report->machine;
    json_t *rows = json_array(), *missing = json_array();
    for (size_t i = 0; i < report->count; i++)
        json_array_append_new(rows, row_json(&report->row[i]));
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        if (bench_subjects[s]->missing != NULL)
            json_array_append_new(missing,
                                  json_pack("{s:s, s:s}", "subject", bench_subjects[s]->name, "why",
                                            bench_subjects[s]->missing));
    }
    return cli_print_json(json_pack("{s:{s:s, s:i, s:s, s:o}, s:b, s:I, s:f, s:o, s:o}", "machine",
                                    "cpu", machine->cpu, "cores", (int)machine->cores, "kernel",
                                    machine->kernel, "load", number_json(machine->load), "quick",
                                    plan->quick, "seed", (json_int_t)plan->seed, "seconds",
                                    report->seconds, "missing", missing, "bench", rows));
}

/* ---- arguments ---- */

enum {
    OPTION_JSON = 256,
    OPTION_SVG,
    OPTION_QUICK,
    OPTION_ONLY,
    OPTION_SUBJECT,
    OPTION_SEED,
    OPTION_STORE,
    OPTION_LOCKS,
    OPTION_LOCK
};

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"svg", required_argument, NULL, OPTION_SVG},
    {"quick", no_argument, NULL, OPTION_QUICK},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"subject", required_argument, NULL, OPTION_SUBJECT},
    {"processes", required_argument, NULL, 'n'},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"store", required_argument, NULL, OPTION_STORE},
    {"locks", no_argument, NULL, OPTION_LOCKS},
    {"lock", required_argument, NULL, OPTION_LOCK},
    {NULL, 0, NULL, 0},
};

static int take_case(const char *name, struct bench_plan *plan)
{
    for (unsigned c = 0; c < BENCH_CASES; c++) {
        if (strcmp(name, bench_case_names[c]) == 0) {
            plan->cases[c] = true;
            return CLI_OK;
        }
    }
    return cli_usage(&cli_bench, "no such case: %s", name);
}

static int take_subject(const char *name, struct bench_plan *plan)
{
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        if (strcmp(name, bench_subjects[s]->name) != 0)
            continue;
        if (bench_subjects[s]->missing != NULL)
            return cli_error(CLI_USAGE, "%s: %s", name, bench_subjects[s]->missing);
        plan->subjects[s] = true;
        return CLI_OK;
    }
    return cli_usage(&cli_bench, "no such subject: %s", name);
}

static int take_lock(const char *name, struct options *options)
{
    struct protocol_choice choice;
    options->locks = true;
    if (!protocol_find(name, &choice))
        return cli_usage(&cli_bench, "no such protocol: %s", name);
    if (protocol_own.path != NULL && choice.model == protocol_own.model)
        return cli_usage(&cli_bench, "a file is measured by itself: berth bench %s", name);
    if (choice.variant != 0 || !bench_is_lock(&choice))
        return cli_usage(&cli_bench, "cannot be measured as a lock: %s", name);
    if (options->lock_count == BENCH_LOCKS)
        return cli_usage(&cli_bench, "too many locks");
    options->lock[options->lock_count++] = choice.protocol->name;
    return CLI_OK;
}

static unsigned any_seed(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned)now.tv_sec ^ (unsigned)now.tv_nsec ^ (unsigned)getpid() << 16;
}

static int take_option(int option, char **argv, struct options *options)
{
    unsigned seed;
    switch (option) {
    case OPTION_JSON: options->json = true; return CLI_OK;
    case OPTION_SVG:
        options->svg = optarg;
        options->pools = true;
        return CLI_OK;
    case OPTION_LOCKS: options->locks = true; return CLI_OK;
    case OPTION_LOCK: return take_lock(optarg, options);
    case OPTION_STORE: options->store = optarg; return CLI_OK;
    case OPTION_QUICK: options->plan.quick = true; return CLI_OK;
    case OPTION_ONLY: options->pools = true; return take_case(optarg, &options->plan);
    case OPTION_SUBJECT: options->pools = true; return take_subject(optarg, &options->plan);
    case 'n':
        if (!cli_number(optarg, 1, BENCH_CONTENDERS, &options->plan.processes))
            return cli_usage(&cli_bench, "not a number from 1 to %d: %s", (int)BENCH_CONTENDERS,
                             optarg);
        return CLI_OK;
    case OPTION_SEED:
        if (!cli_number(optarg, 0, UINT32_MAX, &seed))
            return cli_usage(&cli_bench, "not a number from 0 to %u: %s", UINT32_MAX, optarg);
        options->plan.seed = seed;
        return CLI_OK;
    default: return cli_unknown_option(&cli_bench, argv);
    }
}

/* What is not restricted is all of it. */
static void choose_all(bool *chosen, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (chosen[i])
            return;
    }
    for (unsigned i = 0; i < count; i++)
        chosen[i] = true;
}

static int parse(int argc, char **argv, struct options *options)
{
    int option;
    opterr = 0;
    options->plan.seed = any_seed();
    while ((option = getopt_long(argc, argv, "n:", long_options, NULL)) != -1) {
        int status = take_option(option, argv, options);
        if (status != CLI_OK)
            return status;
    }
    if (optind + 1 == argc)
        options->one = argv[optind++];
    if (optind != argc)
        return cli_usage(&cli_bench, "unexpected: %s", argv[optind]);
    if (options->locks && (options->pools || options->store != NULL))
        return cli_usage(&cli_bench,
                         "--only, --subject, --svg and --store are about pools, not locks");
    if (!options->locks && options->plan.processes == 1)
        return cli_usage(&cli_bench, "not a number from 2 to %d: 1", (int)BENCH_CONTENDERS);
    choose_all(options->plan.cases, BENCH_CASES);
    choose_all(options->plan.subjects, BENCH_SUBJECTS);
    return CLI_OK;
}

/* ---- the run ---- */

/* On a terminal, one line that is written over. */
static void show_progress(const char *what, unsigned done, unsigned of)
{
    fprintf(stderr, "\r\033[K%s %u/%u", what, done, of);
}

static int show(const struct options *options, const struct bench_report *report)
{
    if (options->json)
        return print_json(report, &options->plan);
    bench_print(report, &options->plan);
    return cli_flush(CLI_OK);
}

/* `svg` is open if a file was asked for, and is not afterwards. */
static int measure(const struct options *options, struct bench_report *report, struct cli_file *svg)
{
    bool ran = bench_run(&options->plan, report);
    if (options->plan.progress != NULL)
        fputs("\r\033[K", stderr);
    if (!ran || report->interrupted != 0) {
        cli_file_abandon(svg);
        if (!ran)
            return cli_error(CLI_FAILED, "%s", report->failure);
        /* Everything has been cleaned up; now the signal takes effect. */
        signal(report->interrupted, SIG_DFL);
        raise(report->interrupted);
        return cli_error(CLI_FAILED, "interrupted by signal %d", report->interrupted);
    }
    if (options->svg != NULL) {
        bench_plot(svg->stream, report, &options->plan);
        if (!cli_file_commit(svg))
            return cli_error(CLI_FAILED, "cannot write %s: %s", options->svg, strerror(errno));
    }
    return show(options, report);
}

static int run_locks(const struct options *options)
{
    const struct bench_locks_plan plan = {.quick = options->plan.quick,
                                          .threads = options->plan.processes,
                                          .chosen = options->lock,
                                          .chosen_count = options->lock_count,
                                          .seed = options->plan.seed,
                                          .progress = isatty(STDERR_FILENO) ? show_progress : NULL};
    return bench_print_locks(&plan, options->json);
}

static int run(int argc, char **argv)
{
    struct options options = {0};
    struct bench_report report = {0};
    struct cli_file svg = {0};
    char command[PATH_MAX];
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    if (options.one != NULL)
        return bench_lock(options.one, options.plan.quick, options.json);
    if (options.locks)
        return run_locks(&options);
    if (options.store != NULL && !store_is_etcd(options.store))
        return cli_usage(&cli_bench, "only an etcd store can be measured like this: %s",
                         options.store);
    if (options.store != NULL)
        return bench_etcd(options.store, options.plan.quick, options.json);
    if (!cli_command_path(command))
        return cli_error(CLI_FAILED, "cannot find the command berth");
    options.plan.command = command;
    /* Open the file now: an error after ten minutes would be worse. */
    if (options.svg != NULL && !cli_file_open(&svg, options.svg))
        return cli_error(CLI_FAILED, "cannot write %s: %s", options.svg, strerror(errno));
    if (isatty(STDERR_FILENO))
        options.plan.progress = show_progress;
    status = measure(&options, &report, &svg);
    bench_report_free(&report);
    return status;
}

const struct cli_command cli_bench = {
    .name = "bench",
    .synopsis = "[PROTOCOL | FILE.c] [--quick] [--only CASE]... [--subject NAME]... [OPTION...]",
    .about = BENCH_ABOUT,
    .run = run,
    .help =
        "  PROTOCOL        instead: this lock, natively, on 1, 2, 4, .. threads\n"
        "  --quick         less of everything: under a minute; without it, under ten\n"
        "  --only CASE     uncontended, contended, kills, recovery, parked or command; may be\n"
        "                  given several times\n"
        "  --subject NAME  berth, sem_t, sysv, robust-mutex, flock, pipe, ck-ticket or relay; may be\n"
        "                  given several times\n"
        "  -n N, --processes N\n"
        "                  contended with N processes only, 2 to 64\n"
        "  --locks         instead of all that: the locks of the catalogue on real threads; -n N is\n"
        "                  then the number of threads, 1 to 64\n"
        "  --lock NAME     only this one of them; may be given several times\n"
        "  --seed N        of the random numbers; the same seed does not make the same run\n"
        "  --json          one JSON object\n"
        "  --svg FILE      also write a plot\n"
        "  --store S       instead of all that: a pool in etcd, beside two bare transactions\n"
        "                  and beside etcdctl lock\n"
        "\n"
        "Keep the machine free of other work meanwhile. man berth-bench says how each number is\n"
        "measured and what it means.\n" CLI_OWN_FILE_HELP "\n"
        "Exit status: 0 measured, 2 bad usage, 125 berth itself failed.\n",
};
