/* The lower bounds of two papers as adversaries: which property they break, and the schedule. */
#include "suggest.h"
#include "protocol_or_table.h"

#include "check/parallel.h"
#include "refute/refute.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

struct options {
    struct cli_system system;
    const char *table;
    uint32_t theorems; /* 0: all that say something about the system */
    bool all, json, help;
    struct check_limits limits;
    struct check_budget budget;
};

enum { OPTION_TABLE = 256, OPTION_THEOREM, OPTION_ALL, OPTION_MEMORY, OPTION_JSON };

static const struct option long_options[] = {
    {"table", required_argument, NULL, OPTION_TABLE},
    {"theorem", required_argument, NULL, OPTION_THEOREM},
    {"all", no_argument, NULL, OPTION_ALL},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int parse(int argc, char **argv, struct options *options)
{
    unsigned n = 0, l = 0, k = 0;
    enum refute_theorem theorem;
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "n:l:k:h", long_options, NULL)) != -1) {
        switch (option) {
        case 'n':
        case 'l':
        case 'k':
            if (!cli_number(optarg, 1, 1000, option == 'n' ? &n : option == 'l' ? &l : &k))
                return cli_usage(&cli_refute, "not a number from 1 to 1000: %s", optarg);
            break;
        case OPTION_TABLE: options->table = optarg; break;
        case OPTION_THEOREM:
            if (!refute_find(optarg, &theorem))
                return cli_usage(&cli_refute, "no such theorem: %s", optarg);
            options->theorems |= UINT32_C(1) << theorem;
            break;
        case OPTION_ALL: options->all = true; break;
        case OPTION_MEMORY:
            if (!cli_bytes(optarg, &options->budget.limit))
                return cli_usage(&cli_refute, "not a size such as 500M or 8G: %s", optarg);
            break;
        case OPTION_JSON: options->json = true; break;
        case 'h': options->help = true; break;
        default: return cli_unknown_option(&cli_refute, argv);
        }
    }
    if (options->help)
        return CLI_OK;
    int status = cli_system_find(&cli_refute, &options->system, argc - optind, argv + optind,
                                 options->table);
    if (status != CLI_OK)
        return status;
    struct step_params *params = &options->system.params;
    params->fault = STEP_FAULT_NONE;
    params->n = n != 0 ? n : params->n;
    params->l = l != 0 ? l : params->l;
    params->k = k != 0 ? k : params->k;
    char text[256];
    const char *refusal = protocol_refuse(&options->system.choice, params, text, sizeof text);
    return refusal != NULL ? cli_error(CLI_USAGE, "%s", refusal) : CLI_OK;
}

/* ---- which theorems ---- */

static bool claims(const struct protocol_variant *variant, enum check_property property)
{
    for (size_t c = 0; c < variant->claim_count; c++) {
        if (variant->claims[c].property == property && variant->claims[c].stance == CLAIMED)
            return true;
    }
    return false;
}

/* Whether the property is claimed, or follows from what is. */
static bool follows(const struct protocol_variant *variant, enum check_property property,
                    const struct step_params *params)
{
    if (claims(variant, property))
        return true;
    switch (property) {
    case CHECK_EXCLUSION: return claims(variant, CHECK_QUEUELIKE);
    case CHECK_DEADLOCK_FREE: return claims(variant, CHECK_LOCKOUT_FREE);
    case CHECK_KL_DEADLOCK_FREE:
        return claims(variant, CHECK_QUEUELIKE) ||
               (params->l == 1 && params->k == 1 && follows(variant, CHECK_DEADLOCK_FREE, params));
    case CHECK_LOCKOUT_FREE:
        return claims(variant, CHECK_DEADLOCK_FREE) && claims(variant, CHECK_BOUNDED_WAITING);
    case CHECK_BOUNDED_WAITING_ENABLING:
        return claims(variant, CHECK_BOUNDED_WAITING) || claims(variant, CHECK_QUEUELIKE);
    default: return false;
    }
}

/* Asked for by name; else those that say something about the system, and unless all are wanted,
 * about what it claims. */
static bool is_wanted(const struct options *options, enum refute_theorem theorem)
{
    const struct cli_system *system = &options->system;
    const struct refute_about *about = refute_about(theorem);
    const struct protocol_variant *variant =
        &system->choice.protocol->variants[system->choice.variant];
    if (options->theorems != 0)
        return options->theorems >> theorem & 1;
    if (about->bound(system->params.n, system->params.l) == 0)
        return false;
    /* 5.3 is about k >= l; a protocol that claims nothing about failing processes claims it for k =
     * 1, and a queue for every k. */
    bool claimed = theorem != REFUTE_5_3 || system->params.k >= system->params.l ||
                   claims(variant, CHECK_QUEUELIKE);
    for (unsigned p = 0; p < about->properties; p++)
        claimed = claimed && follows(variant, about->property[p], &system->params);
    return claimed || options->all || variant->claim_count == 0;
}

/* ---- output ---- */

static const char *end_name(const struct refute_outcome *outcome)
{
    static const char *const names[] = {"refuted", "stopped", "not about it", "out of memory",
                                        "no step"};
    return names[outcome->end];
}

static const char *replayed_name(const struct refute_outcome *outcome)
{
    static const char *const names[] = {"shown", "not shown", "not replayed"};
    return names[outcome->replayed];
}

static json_t *properties_json(const struct refute_about *about)
{
    json_t *list = json_array();
    for (unsigned p = 0; p < about->properties; p++)
        json_array_append_new(list, json_string(check_property_name(about->property[p])));
    return list;
}

static json_t *outcome_json(const struct check_model *model, const struct refute_outcome *outcome)
{
    const struct refute_about *about = refute_about(outcome->theorem);
    const bool broken = outcome->end == REFUTE_BROKEN;
    json_t *points = json_array();
    for (size_t p = 0; p < outcome->points; p++) {
        json_array_append_new(points, json_pack("{s:s, s:s}", "name", outcome->point[p].name,
                                                "value", outcome->point[p].value));
    }
    return json_pack("{s:s, s:s, s:o, s:s, s:I, s:s, s:s, s:o, s:o, s:o, s:o}", "theorem",
                     about->name, "paper", about->paper, "properties", properties_json(about),
                     "least", about->says, "bound", (json_int_t)outcome->bound, "outcome",
                     end_name(outcome), "how", outcome->how, "points", points, "property",
                     broken ? json_string(check_property_name(outcome->result.query.property))
                            : json_null(),
                     "replayed", broken ? json_string(replayed_name(outcome)) : json_null(),
                     "witness", broken ? cli_witness_json(model, &outcome->result) : json_null());
}

static void print_points(const struct refute_outcome *outcome)
{
    enum { MOST = 20 };
    for (size_t p = 0; p < outcome->points && p < MOST; p++) {
        printf("%sV(%s) = %s", p == 0 ? "  " : ", ", outcome->point[p].name,
               outcome->point[p].value);
    }
    if (outcome->points > 0)
        printf("%s\n", outcome->points > MOST ? ", ..." : "");
}

static void print_outcome(const struct check_model *model, const struct refute_outcome *outcome)
{
    const struct refute_about *about = refute_about(outcome->theorem);
    printf("\nTheorem %s, %s\n  ", about->name, about->paper);
    for (unsigned p = 0; p < about->properties; p++)
        printf("%s%s", p == 0 ? "" : ", ", check_property_name(about->property[p]));
    printf(": at least %s", about->says);
    if (outcome->bound > 0)
        printf(": %" PRIu64 " here", outcome->bound);
    putchar('\n');
    print_points(outcome);
    printf("  %s", end_name(outcome));
    if (outcome->how[0] != '\0')
        printf(": %s", outcome->how);
    putchar('\n');
    if (outcome->end != REFUTE_BROKEN)
        return;
    cli_witness_text(stdout, model, &outcome->result);
    if (outcome->replayed == CHECK_SHOWN)
        printf("  replayed by the checker: %s fails on this schedule\n",
               check_property_name(outcome->result.query.property));
    else
        printf("  replayed by the checker: %s, %s\n", replayed_name(outcome), outcome->why);
}

/* ---- */

/* The worst of them: a schedule that does not replay is our own failure. */
static int status_of(const struct refute_outcome *outcome)
{
    switch (outcome->end) {
    case REFUTE_BROKEN:
        return outcome->replayed == CHECK_SHOWN       ? CLI_OTHERWISE
               : outcome->replayed == CHECK_NOT_SHOWN ? CLI_FAILED
                                                      : CLI_INCOMPLETE;
    case REFUTE_NO_MEMORY: return CLI_INCOMPLETE;
    case REFUTE_NO_STEP: return CLI_FAILED;
    case REFUTE_STOPPED:
    case REFUTE_NOT_ABOUT: break;
    }
    return CLI_OK;
}

static int worse(int a, int b)
{
    static const int order[] = {CLI_OK, CLI_OTHERWISE, CLI_INCOMPLETE, CLI_FAILED};
    for (size_t i = sizeof order / sizeof order[0]; i-- > 0;) {
        if (a == order[i] || b == order[i])
            return order[i];
    }
    return a;
}

static int run_all(const struct options *options, const struct check_model *model)
{
    const struct cli_system *system = &options->system;
    char name[128];
    protocol_full_name(&system->choice, name, sizeof name);
    json_t *list = json_array();
    /* A state takes its words, and about as much again in the tables around it. */
    const size_t bytes = (model->words + 4) * sizeof(uint64_t);
    const struct refute_limits limits = {.check = &options->limits,
                                         .states = options->budget.limit / 2 / bytes};
    int status = CLI_OK;
    unsigned count = 0;
    if (!options->json)
        printf("%s  n=%u l=%u\n", name, model->n, model->l);
    for (unsigned t = 0; t < REFUTE_THEOREMS; t++) {
        if (!is_wanted(options, (enum refute_theorem)t))
            continue;
        struct refute_outcome outcome;
        count++;
        refute_run(&outcome, (enum refute_theorem)t, model, &limits);
        status = worse(status, status_of(&outcome));
        if (options->json)
            json_array_append_new(list, outcome_json(model, &outcome));
        else
            print_outcome(model, &outcome);
        refute_outcome_free(&outcome);
    }
    if (!options->json) {
        if (count == 0)
            printf("\nno theorem is about what it claims; --all runs those about anything else\n");
        json_decref(list);
        return cli_flush(status);
    }
    int printed = cli_print_json(json_pack("{s:s, s:i, s:i, s:o}", "protocol", name, "n",
                                           (int)model->n, "l", (int)model->l, "theorems", list));
    return printed != CLI_OK ? printed : status;
}

static int run(int argc, char **argv)
{
    static struct options options;
    static struct step_model model;
    cli_default_limits(&options.limits, &options.budget);
    int status = parse(argc, argv, &options);
    if (status == CLI_OK && options.help)
        return cli_help(&cli_refute);
    if (status == CLI_OK) {
        const char *error = cli_system_make(&options.system, &model);
        const char *refusal = error == NULL ? refute_refuses(&model.check) : NULL;
        status = error != NULL ? cli_error(CLI_INCOMPLETE, "%s", error)
                 : refusal != NULL
                     ? cli_error(CLI_USAGE, "%s: %s", options.system.choice.protocol->name, refusal)
                     : run_all(&options, &model.check);
    }
    cli_system_free(&options.system);
    return status;
}

const struct cli_command cli_refute = {
    .name = "refute",
    .synopsis = "{PROTOCOL | --table FILE} [-n N] [-l L] [OPTION...]",
    .about = "run the proofs of the lower bounds against a protocol with too few values",
    .run = run,
    .help =
        "  --table FILE     a transition table in place of a protocol\n"
        "  -n N             processes\n"
        "  -l L             slots\n"
        "  -k K             fewer than K processes may stop silently\n"
        "  --theorem T      this one: 4.4, 4.5, 4.9, 4.10, 4.12, 5.1, 5.2 or 5.3;\n"
        "                   may be repeated\n"
        "  --all            all of them, whatever is claimed\n"
        "  --memory SIZE    stop at this much memory, such as 8G\n"
        "  --json           one JSON object\n"
        "\n"
        "Exit status: 0 no construction came to a contradiction, 1 refuted: some property fails\n"
        "on a schedule that was found, 2 bad usage, 3 memory ran out first, 125 berth itself\n"
        "failed.\n",
};
