#include "interrupt.h"
#include "own_file.h"
#include "paper_options.h"
#include "suggest.h"

#include "stress/stress.h"

#include <assert.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MODES = 2 };
static const char *const mode_names[MODES] = {"threads", "processes"};

struct options {
    struct protocol_choice choice;
    struct cli_choices choices; /* `params` may point into it */
    struct step_params params;
    struct protocol_choice gate; /* with --on */
    struct step_params gate_params;
    bool mode[MODES];
    double seconds;
    uint64_t entries; /* 0: for a number of seconds */
    unsigned seed;
    bool json;
};

struct run {
    enum stress_mode mode;
    struct stress_report report;
};

/* ---- output ---- */

static double overtaken_mean(const struct stress_report *report)
{
    return report->analysed > 0 ? (double)report->overtaken / (double)report->analysed : 0;
}

static json_t *count_json(uint64_t count)
{
    return json_integer((json_int_t)count);
}

static json_t *run_json(const struct run *run)
{
    const struct stress_report *report = &run->report;
    return json_pack(
        "{s:s, s:f, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:i}", "mode",
        mode_names[run->mode], "seconds", report->seconds, "entries", count_json(report->entries),
        "violations", count_json(report->violations), "lost_increments",
        report->counts_lost ? count_json(report->lost) : json_null(), "overtaken_mean",
        overtaken_mean(report), "overtaken_max", count_json(report->overtaken_max),
        "overtaken_analysed", count_json(report->analysed), "kills", count_json(report->kills),
        "naps", count_json(report->naps), "asleep", (int)report->asleep, "least_progress",
        report->counts_progress ? count_json(report->least_progress) : json_null(), "gave_up",
        count_json(report->gave_up), "stuck", (int)report->stuck);
}

static int print_json(const struct options *options, const struct run *runs, size_t count,
                      bool holds)
{
    char name[128];
    protocol_full_name(&options->choice, name, sizeof name);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) /* an array that could not be made refuses, and frees */
        json_array_append_new(list, run_json(&runs[i]));
    if (json_array_size(list) != count) {
        json_decref(list);
        return cli_error(CLI_FAILED, "out of memory");
    }
    json_t *object =
        json_pack("{s:s, s:i, s:i, s:i, s:s, s:I, s:o, s:b}", "protocol", name, "n",
                  (int)options->params.n, "l", (int)options->params.l, "k", (int)options->params.k,
                  "fault", cli_fault_name(options->params.fault), "seed", (json_int_t)options->seed,
                  "runs", list, "holds", (int)holds);
    if (object != NULL)
        cli_add_choices(object, options->choice.protocol, &options->params);
    return cli_print_json(object);
}

static void print_heading(const struct options *options)
{
    const struct protocol *protocol = options->choice.protocol;
    char name[128];
    protocol_full_name(&options->choice, name, sizeof name);
    printf("%s  n=%u", name, options->params.n);
    if (protocol->max_l > 1)
        printf(" l=%u", options->params.l);
    if (options->params.k > 1)
        printf(" k=%u", options->params.k);
    cli_print_choices(protocol, &options->params);
    printf(" fault=%s seed=%u\n%s\n", cli_fault_name(options->params.fault), options->seed,
           protocol->citation);
    if (options->choice.variant != 0)
        printf("%s\n", protocol->variants[options->choice.variant].about);
    fflush(stdout); /* the runs take their time; cli_flush sees to errors in the end */
}

static void print_run(const struct run *run)
{
    const struct stress_report *report = &run->report;
    printf("%s\n  entries          %llu in %.2f s, %.0f a second\n", mode_names[run->mode],
           (unsigned long long)report->entries, report->seconds,
           report->seconds > 0 ? (double)report->entries / report->seconds : 0);
    printf("  violations       %llu\n", (unsigned long long)report->violations);
    if (report->counts_lost)
        printf("  lost increments  %llu\n", (unsigned long long)report->lost);
    else
        printf("  lost increments  not counted with kills or more than one slot\n");
    printf("  overtaken        %.3f times on average, %llu at most, in %llu entries\n",
           overtaken_mean(report), (unsigned long long)report->overtaken_max,
           (unsigned long long)report->analysed);
    printf("  kills            %llu\n", (unsigned long long)report->kills);
    if (report->gave_up > 0)
        printf("  gave up          %llu\n", (unsigned long long)report->gave_up);
    if (report->counts_progress)
        printf("  stopped          %u for ever, others %llu times for a moment\n"
               "  entries since    at least %llu by each of the others\n",
               report->asleep, (unsigned long long)report->naps,
               (unsigned long long)report->least_progress);
    printf("  stuck            %u\n", report->stuck);
    fflush(stdout);
}

/* ---- arguments ---- */

enum {
    OPTION_LIMIT = 256,
    OPTION_PROCESSES,
    OPTION_THREADS,
    OPTION_SECONDS,
    OPTION_ENTRIES,
    OPTION_FAULT,
    OPTION_SEED,
    OPTION_JSON,
    OPTION_ON,
};

static const struct option long_options[] = {
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"processes", no_argument, NULL, OPTION_PROCESSES},
    {"threads", no_argument, NULL, OPTION_THREADS},
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"entries", required_argument, NULL, OPTION_ENTRIES},
    {"fault", required_argument, NULL, OPTION_FAULT},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"json", no_argument, NULL, OPTION_JSON},
    {"on", required_argument, NULL, OPTION_ON},
    CLI_CHOICE_OPTIONS{NULL, 0, NULL, 0},
};

/* What was said on the command line; the protocol decides the rest. */
struct given {
    unsigned n, l, k, limit, entries; /* 0: not given */
    double seconds;                   /* 0: not given */
    bool fault_given, seed_given;
    enum step_fault fault;
    const char *on; /* NULL: not given */
    unsigned seed;
    bool mode[MODES], json;
    struct cli_choices choices;
};

static int take_fault(const char *text, struct given *given)
{
    given->fault_given = true;
    if (!cli_fault(text, &given->fault))
        return cli_usage(&cli_stress, "no such fault: %s", text);
    return CLI_OK;
}

static int take_option(int option, char **argv, struct given *given)
{
    unsigned *number = option == 'n'   ? &given->n
                       : option == 'l' ? &given->l
                       : option == 'k' ? &given->k
                                       : &given->limit;
    switch (option) {
    case 'n':
    case 'l':
    case 'k':
    case OPTION_LIMIT:
        if (!cli_number(optarg, 1, 1000, number))
            return cli_usage(&cli_stress, "not a number from 1 to 1000: %s", optarg);
        return CLI_OK;
    case OPTION_PROCESSES: given->mode[STRESS_PROCESSES] = true; return CLI_OK;
    case OPTION_THREADS: given->mode[STRESS_THREADS] = true; return CLI_OK;
    case OPTION_SECONDS:
        if (!cli_seconds(optarg, &given->seconds))
            return cli_usage(&cli_stress, "not a number of seconds: %s", optarg);
        return CLI_OK;
    case OPTION_ENTRIES:
        if (!cli_number(optarg, 1, UINT32_MAX, &given->entries))
            return cli_usage(&cli_stress, "not a number of entries: %s", optarg);
        return CLI_OK;
    case OPTION_FAULT: return take_fault(optarg, given);
    case OPTION_SEED:
        given->seed_given = true;
        if (!cli_number(optarg, 0, UINT32_MAX, &given->seed))
            return cli_usage(&cli_stress, "not a number from 0 to %u: %s", UINT32_MAX, optarg);
        return CLI_OK;
    case OPTION_ON: given->on = optarg; return CLI_OK;
    case OPTION_JSON: given->json = true; return CLI_OK;
    default:
        if (option >= CLI_OPTION_RANKER && option <= CLI_OPTION_LAST_CHOICE)
            return cli_take_choice(&cli_stress, option, optarg, &given->choices);
        return cli_unknown_option(&cli_stress, argv);
    }
}

static unsigned any_seed(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned)now.tv_sec ^ (unsigned)now.tv_nsec ^ (unsigned)getpid() << 16;
}

/* Death or sleep where the protocol is made for it and there are processes to kill or stop, unless
 * told otherwise. */
static enum step_fault fault_of(const struct given *given, const struct options *options)
{
    if (given->fault_given)
        return given->fault;
    const enum step_fault made_for = options->choice.protocol->fault;
    bool dies = made_for == STEP_FAULT_DEATH && options->choice.native->can_die;
    bool recovers = options->choice.protocol->comes_back && options->choice.native->revive != NULL;
    bool sleeps = made_for == STEP_FAULT_SLEEP && given->entries == 0;
    return options->mode[STRESS_PROCESSES] && (dies || sleeps || recovers) ? made_for
                                                                           : STEP_FAULT_NONE;
}

/* Fewer than k sleep for ever. Each may keep a slot from the others, so that with l of them all
 * others may wait for ever. */
static int settle_sleep(const struct given *given, struct options *options)
{
    struct step_params *params = &options->params;
    if (params->fault != STEP_FAULT_SLEEP) {
        params->k = 1;
        return given->k == 0 ? CLI_OK : cli_usage(&cli_stress, "-k is for --fault sleep");
    }
    params->k = given->k != 0 ? given->k : params->l < 2 ? 1 : 2;
    if (params->k > params->l)
        return cli_error(CLI_USAGE,
                         "k must be from 1 to l = %u, not %u: each of k - 1 sleepers may "
                         "keep a slot",
                         params->l, params->k);
    if (given->entries > 0)
        return cli_usage(&cli_stress, "--fault sleep takes --seconds, not --entries");
    return CLI_OK;
}

/* The protocol that another one stands on. */
static int settle_gate(const struct given *given, struct options *options)
{
    char text[256];
    if (strcmp(options->choice.protocol->name, "l-assignment") != 0)
        return cli_usage(&cli_stress, "--on is for l-assignment");
    if (!protocol_find(given->on, &options->gate))
        return cli_no_such_protocol(given->on);
    options->gate_params = protocol_defaults(&options->gate);
    options->gate_params.n = options->params.n;
    options->gate_params.l = options->params.l;
    options->gate_params.fault = STEP_FAULT_NONE;
    options->params.gated = true;
    int status =
        cli_apply_choices(options->gate.protocol, &options->choices, &options->gate_params);
    if (status != CLI_OK)
        return status;
    const bool is_exclusion = !options->gate.protocol->is_object &&
                              options->gate.native->clash == NULL &&
                              options->gate.native->supervise == NULL;
    const char *refusal =
        is_exclusion
            ? protocol_refuse(&options->gate, &options->gate_params, text, sizeof text)
            : "it cannot stand on that: not an l-exclusion protocol of its participants alone";
    return refusal != NULL ? cli_error(CLI_USAGE, "%s", refusal) : CLI_OK;
}

static int settle(const struct given *given, const char *name, struct options *options)
{
    if (given->mode[STRESS_THREADS] && given->mode[STRESS_PROCESSES])
        return cli_usage(&cli_stress, "--threads or --processes; both is the default");
    if (given->seconds > 0 && given->entries > 0)
        return cli_usage(&cli_stress, "--seconds or --entries, not both");
    if (!protocol_find(name, &options->choice))
        return cli_no_such_protocol(name);
    options->mode[STRESS_THREADS] = !given->mode[STRESS_PROCESSES];
    options->mode[STRESS_PROCESSES] = !given->mode[STRESS_THREADS];
    options->seconds = given->seconds > 0 ? given->seconds : 1;
    options->entries = given->entries;
    options->seed = given->seed_given ? given->seed : any_seed();
    options->json = given->json;
    options->params = protocol_defaults(&options->choice);
    options->params.fault = fault_of(given, options);
    if (given->n != 0)
        options->params.n = given->n;
    if (given->l != 0)
        options->params.l = given->l;
    if (given->limit != 0)
        options->params.limit = given->limit;
    options->choices = given->choices;
    int status = given->on != NULL ? settle_gate(given, options)
                                   : cli_apply_choices(options->choice.protocol, &options->choices,
                                                       &options->params);
    if (status != CLI_OK)
        return status;
    if (options->choice.protocol->is_object) /* not a lock: all may be inside at once */
        options->params.l = options->params.n;
    if (options->params.fault != STEP_FAULT_NONE && !options->mode[STRESS_PROCESSES])
        return cli_usage(&cli_stress,
                         "a thread cannot be killed or stopped alone: %s needs processes",
                         cli_fault_name(options->params.fault));
    if (options->params.fault == STEP_FAULT_KILL && !options->choice.protocol->comes_back)
        return cli_error(CLI_USAGE,
                         "%s: the fault must be none, death or sleep; kill is for "
                         "protocols whose processes recover by themselves",
                         options->choice.protocol->name);
    status = settle_sleep(given, options);
    if (status != CLI_OK)
        return status;
    if (options->params.n > STRESS_MAX_N)
        return cli_error(CLI_USAGE, "stress is for n up to %d, not %u", (int)STRESS_MAX_N,
                         options->params.n);
    char text[256];
    const char *refusal = protocol_refuse(&options->choice, &options->params, text, sizeof text);
    return refusal != NULL ? cli_error(CLI_USAGE, "%s", refusal) : CLI_OK;
}

static int parse(int argc, char **argv, struct options *options)
{
    struct given given = {0};
    int option;
    const struct option *table = cli_paper_options(&cli_stress, long_options);
    if (table == NULL)
        return CLI_USAGE;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "n:l:k:", table, NULL)) != -1) {
        int status = take_option(option, argv, &given);
        if (status != CLI_OK)
            return status;
    }
    if (optind + 1 != argc)
        return cli_usage(&cli_stress,
                         optind == argc ? "a protocol is missing" : "one protocol at a time");
    return settle(&given, argv[optind], options);
}

/* ---- the runs ---- */

static void show_progress(double seconds, void *context)
{
    if (cli_shows_progress(seconds, context))
        fprintf(stderr, "running for %.0f s", seconds);
    fflush(stderr);
}

static int run_mode(const struct options *options, struct run *run)
{
    double last = 0;
    struct stress_plan plan = {
        .native = options->choice.native,
        .params = options->params,
        .gate = options->gate.native,
        .gate_params = options->gate_params,
        .object = options->choice.protocol->is_object,
        .mode = run->mode,
        .kill = run->mode == STRESS_PROCESSES && (options->params.fault == STEP_FAULT_DEATH ||
                                                  options->params.fault == STEP_FAULT_KILL),
        .recover = options->params.fault == STEP_FAULT_KILL,
        .sleep = run->mode == STRESS_PROCESSES && options->params.fault == STEP_FAULT_SLEEP,
        .asleep = run->mode == STRESS_PROCESSES ? options->params.k - 1 : 0,
        .seconds = options->seconds,
        .entries = options->entries,
        .seed = options->seed,
        .progress = show_progress,
        .progress_context = &last,
    };
    struct stress_failure failure;
    if (!stress_run(&plan, &run->report, &failure))
        return cli_error(CLI_FAILED, "%s", failure.text);
    cli_clear_progress(last);
    return CLI_OK;
}

/* All processes have been ended, and what was counted has been printed: the signal takes effect. */
static int obey(int number)
{
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
    return cli_error(CLI_FAILED, "interrupted by signal %d", number);
}

static int run(int argc, char **argv)
{
    struct options options = {0};
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    assert(options.choice.protocol != NULL);
    struct run runs[MODES];
    size_t count = 0;
    int interrupted = 0;
    bool holds = true;
    if (!options.json)
        print_heading(&options);
    for (unsigned mode = 0; mode < MODES && interrupted == 0; mode++) {
        if (!options.mode[mode])
            continue;
        struct run *one = &runs[count++];
        one->mode = (enum stress_mode)mode;
        status = run_mode(&options, one);
        if (status != CLI_OK)
            return status;
        interrupted = one->report.interrupted;
        holds = holds && stress_holds(&one->report);
        if (!options.json)
            print_run(one);
    }
    status = holds ? CLI_OK : CLI_OTHERWISE;
    if (options.json) {
        int printed = print_json(&options, runs, count, holds);
        return interrupted != 0 ? obey(interrupted) : printed != CLI_OK ? printed : status;
    }
    printf("%s%s\n", holds ? "holds" : "fails", interrupted != 0 ? " so far: interrupted" : "");
    return interrupted != 0 ? obey(interrupted) : cli_flush(status);
}

const struct cli_command cli_stress = {
    .name = "stress",
    .synopsis = "PROTOCOL[/VARIANT] [-n N] [-l L] [OPTION...]",
    .about = "run a protocol's native code on real threads and processes, with real kills",
    .run = run,
    CLI_TAKES_PAPER_OPTIONS,
    .help =
        "  -n N             participants, up to 64\n"
        "  -l L             slots\n"
        "  -k K             with --fault sleep: K - 1 sleep for ever, K up to L\n"
        "  --limit N        as for check; native counters are not cut off\n" CLI_CHOICE_HELP
        "  --on PROTOCOL    for l-assignment: the l-exclusion protocol that it stands on\n"
        "  --threads        on threads only\n"
        "  --processes      on processes only; the default is first the one, then the other\n"
        "  --seconds S      how long each; the default is 1\n"
        "  --entries N      until there were N entries, instead\n"
        "  --fault FAULT    none; or death: participants are killed with SIGKILL at random\n"
        "                   instants, several hundred a second, their registers take their\n"
        "                   dead values, and others take their places; or kill, where they\n"
        "                   recover by themselves: the same, but nothing is done for the dead;\n"
        "                   or sleep: they are stopped with SIGSTOP at random instants, K - 1\n"
        "                   of them for ever, where they wait, the others for a moment\n"
        "                   (processes only; the default is what the protocol is made for)\n"
        "  --seed N         of the random numbers; the same seed does not make the same run\n"
        "  --json           one JSON object\n"
        "\n"
        "violations: how often too many were in the critical region at once.\n"
        "lost increments: of a plain variable that only the protocol protects.\n"
        "overtaken: how many others called entry later and got in earlier, for the first million\n"
        "entries. It is measured from the call of entry, so races within the doorway count too.\n"
        "stuck: participants that were asked to stop and did not get through their entry and exit\n"
        "in 10 seconds (3, if some sleep for ever).\n"
        "entries since: entries of the others since the last participant fell asleep.\n"
        "\n"
        "A run shows what this machine happened to do; berth check looks at everything.\n" CLI_OWN_FILE_HELP
        "\n"
        "Exit status: 0 no violation, nothing lost, nobody stuck, and all that were awake got in;\n"
        "1 otherwise; 2 bad usage; 125 berth itself failed.\n",
};
