#include "interrupt.h"
#include "cli.h"
#include "own_file.h"

#include "protocol/own.h"
#include "prove/methods.h"
#include "prove/prove.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    OPTION_PROPERTY = 256,
    OPTION_JSON,
    OPTION_SMT,
    OPTION_SOLVER,
    OPTION_TIME,
    OPTION_WITHOUT,
    OPTION_RULES,
    OPTION_RULES_FROM,
    OPTION_METHODS,
    OPTION_EXPORT,
};

static const struct option long_options[] = {
    {"property", required_argument, NULL, OPTION_PROPERTY},
    {"json", no_argument, NULL, OPTION_JSON},
    {"smt", required_argument, NULL, OPTION_SMT},
    {"solver", required_argument, NULL, OPTION_SOLVER},
    {"time", required_argument, NULL, OPTION_TIME},
    {"without", required_argument, NULL, OPTION_WITHOUT},
    {"rules", no_argument, NULL, OPTION_RULES},
    {"rules-from", required_argument, NULL, OPTION_RULES_FROM},
    {"export", required_argument, NULL, OPTION_EXPORT},
    {"methods", no_argument, NULL, OPTION_METHODS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct options {
    struct protocol_choice choice;
    struct prove_options prove;
    bool json, rules, methods, export, help, solver_given;
    const char *rules_from;
};

/* ---- arguments ---- */

static bool parse_properties(char *list, uint64_t *only)
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

static int parse_option(int option, char *text, struct options *options)
{
    switch (option) {
    case OPTION_PROPERTY:
        if (!parse_properties(text, &options->prove.only))
            return cli_usage(&cli_prove, "--property takes property names with commas between");
        return CLI_OK;
    case OPTION_JSON: options->json = true; return CLI_OK;
    case OPTION_SMT: options->prove.folder = text; return CLI_OK;
    case OPTION_SOLVER:
        options->solver_given = true;
        for (unsigned s = 0; s < PROVE_SOLVERS; s++) {
            options->prove.solver = (enum prove_solver)s;
            if (strcmp(prove_solver_name(options->prove.solver), text) == 0)
                return CLI_OK;
        }
        return cli_usage(&cli_prove, "no such solver: %s (there are z3 and cvc5)", text);
    case OPTION_TIME:
        if (!cli_number(text, 1, 86400, &options->prove.seconds))
            return cli_usage(&cli_prove, "not a number of seconds: %s", text);
        return CLI_OK;
    case OPTION_WITHOUT: options->prove.without = text; return CLI_OK;
    case OPTION_RULES: options->rules = true; return CLI_OK;
    case OPTION_RULES_FROM: options->rules_from = text; return CLI_OK;
    case OPTION_EXPORT:
        options->export = strcmp(text, "system") == 0;
        return options->export ? CLI_OK
                               : cli_usage(&cli_prove, "--export system is all there is: %s", text);
    case OPTION_METHODS: options->methods = true; return CLI_OK;
    case 'h': options->help = true; return CLI_OK;
    default: return CLI_USAGE;
    }
}

static int parse(int argc, char **argv, struct options *options)
{
    int option;
    opterr = 0;
    options->prove.seconds = 20;
    while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        if (option == '?')
            return cli_usage(&cli_prove, "unknown option or missing argument: %s",
                             argv[optind - 1]);
        const int status = parse_option(option, optarg, options);
        if (status != CLI_OK)
            return status;
    }
    if (options->help || options->methods)
        return CLI_OK;
    if (optind + 1 != argc)
        return cli_usage(&cli_prove,
                         optind == argc ? "a protocol is missing" : "one protocol at a time");
    if (!protocol_find(argv[optind], &options->choice))
        return cli_error(CLI_USAGE, "no such protocol: %s (see berth protocols)", argv[optind]);
    return CLI_OK;
}

/* Which solver to ask. Without one, the obligations can still be written. */
static int find_solver(struct options *options)
{
    struct prove_options *prove = &options->prove;
    if (!options->solver_given) {
        prove->solver = PROVE_Z3;
        if (!prove_solver_found(PROVE_Z3) && prove_solver_found(PROVE_CVC5))
            prove->solver = PROVE_CVC5;
    }
    prove->ask = prove_solver_found(prove->solver);
    if (!prove->ask && prove->folder == NULL)
        return cli_error(CLI_INCOMPLETE,
                         "%s is not installed; on Debian it is the package %s (or cvc5 in its "
                         "place). --smt writes what would be asked",
                         prove_solver_name(prove->solver), prove_solver_name(prove->solver));
    if (prove->folder != NULL && mkdir(prove->folder, 0777) != 0 && errno != EEXIST)
        return cli_error(CLI_USAGE, "cannot make %s: %s", prove->folder, strerror(errno));
    return CLI_OK;
}

enum { CONDITION = 2000 };

/* ---- for a person ---- */

static void print_line(const struct prove_line *line)
{
    const struct protocol_claim *claim = line->claim;
    printf("  %-18s %-8s %-8s", check_property_name(line->property),
           prove_status_name(line->status), claim != NULL ? "claimed" : "no claim");
    if (claim != NULL)
        printf(" [%s]", protocol_basis(claim, (char[PROTOCOL_BASIS]){0}));
    if (claim != NULL && claim->has_bound && line->property != CHECK_VALUES) {
        printf(" bound %llu", (unsigned long long)claim->bound);
        if (claim->bound_n > 0)
            printf(" + %llu n", (unsigned long long)claim->bound_n);
    }
    if (line->status == PROVE_PROVED)
        printf("  %u obligations, %.2f s; rests on %s", line->obligations, line->seconds,
               line->rests_on);
    printf("\n");
}

static void print_reason(const struct prove_line *line)
{
    const char *name = check_property_name(line->property);
    printf("\n%s is %s", name, prove_status_name(line->status));
    printf(line->why[0] != '\0' ? ": %s\n" : "%s\n", line->why);
    if (line->has_state)
        printf("  in the state %s\n", line->state);
    if (line->breaks[0] != '\0')
        printf("  after it does not hold: %s\n", line->breaks);
    if (line->reached == PROVE_REACHED) {
        printf("  the checker reaches this state with n = %u: the invariant is false\n",
               line->model.params.n);
        cli_run_text(stdout, &line->model.check, &line->run);
    } else if (line->reached == PROVE_UNREACHABLE) {
        printf("  the checker does not reach this state with n = %u: the invariant is too weak "
               "here\n",
               line->model.params.n);
    }
    if (line->status == PROVE_REFUTED) {
        printf("  the checker refutes it with n = %u, l = %u: %s\n", line->refuted.params.n,
               line->refuted.params.l, line->result.about);
        if (line->result.witness.edge != NULL && line->result.witness.length <= 60)
            cli_run_text(stdout, &line->refuted.check, &line->result.witness);
    }
}

static void print_text(const struct prove_run *run)
{
    char name[128], condition[CONDITION];
    const char *assumed;
    unsigned said = 0;
    for (unsigned s = 0; s < run->reading.saids; s++)
        said += run->reading.said[s].kind != PROVE_HELPER;
    protocol_full_name(&run->choice, name, sizeof name);
    printf("%s  for every n%s\n%s\n", name, run->choice.protocol->max_l > 1 ? " and l" : "",
           run->choice.protocol->citation);
    printf("%u rules at %u places, %u invariants, by %s, %.2f s\n", run->reading.rules,
           run->reading.places, said,
           run->options.ask ? prove_solver_name(run->options.solver) : "nobody", run->seconds);
    for (unsigned a = 0; prove_taken_for_granted(run, a, &assumed, condition, sizeof condition);
         a++)
        printf("taken for granted: %s: %s\n", assumed, condition);
    if (run->files > 0)
        printf("%u obligations written to %s\n", run->files, run->options.folder);
    for (size_t i = 0; i < run->lines; i++)
        print_line(&run->line[i]);
    printf("%s\n", prove_status_name(run->status));
    for (size_t i = 0; i < run->lines; i++) {
        if (run->line[i].status != PROVE_PROVED)
            print_reason(&run->line[i]);
    }
    if (run->untrue != NULL) {
        printf("\n\"%s\" is not so after\n", run->untrue);
        cli_run_text(stdout, &run->untrue_in.check, &run->untrue_run);
    }
}

/* ---- for a program ---- */

static json_t *text_or_null(const char *text)
{
    return text == NULL || text[0] == '\0' ? json_null() : json_string(text);
}

static json_t *line_json(const struct prove_line *line)
{
    const struct protocol_claim *claim = line->claim;
    json_t *object = json_pack(
        "{s:s, s:s, s:b, s:o, s:i, s:f, s:o, s:o, s:o, s:o}", "property",
        check_property_name(line->property), "status", prove_status_name(line->status), "claimed",
        claim != NULL, "source",
        claim == NULL ? json_null() : json_string(protocol_basis(claim, (char[PROTOCOL_BASIS]){0})),
        "obligations", (int)line->obligations, "seconds", line->seconds, "rests_on",
        text_or_null(line->status == PROVE_PROVED ? line->rests_on : NULL), "why",
        text_or_null(line->why), "state", text_or_null(line->has_state ? line->state : NULL),
        "breaks", text_or_null(line->breaks));
    if (object == NULL)
        return NULL;
    if (line->method != NULL)
        json_object_set_new(object, "method", json_string(line->method->name));
    if (claim != NULL && claim->has_bound && line->property != CHECK_VALUES)
        json_object_set_new(object, "bound", json_integer((json_int_t)claim->bound));
    if (line->reached != PROVE_NOT_SOUGHT)
        json_object_set_new(object, "reached", json_boolean(line->reached == PROVE_REACHED));
    if (line->status == PROVE_REFUTED) {
        json_object_set_new(object, "refuted_at", json_integer(line->refuted.params.n));
        json_object_set_new(object, "about", text_or_null(line->result.about));
        if (line->result.witness.edge != NULL)
            json_object_set_new(object, "witness",
                                cli_run_json(&line->refuted.check, &line->result.witness));
    }
    return object;
}

static json_t *run_json(const struct prove_run *run)
{
    char name[128], condition[CONDITION];
    const char *granted;
    json_t *claims = json_array(), *invariants = json_array(), *assumed = json_array();
    json_t *conditions = json_array();
    protocol_full_name(&run->choice, name, sizeof name);
    for (size_t i = 0; i < run->lines; i++)
        json_array_append_new(claims, line_json(&run->line[i]));
    for (unsigned s = 0; s < run->reading.saids; s++) {
        if (run->reading.said[s].kind != PROVE_HELPER)
            json_array_append_new(invariants, json_string(run->reading.said[s].name));
        if (run->reading.said[s].kind == PROVE_ASSUMED)
            json_array_append_new(assumed, json_string(run->reading.said[s].name));
    }
    for (unsigned a = 0; prove_taken_for_granted(run, a, &granted, condition, sizeof condition);
         a++)
        json_array_append_new(conditions,
                              json_pack("{s:s, s:s}", "name", granted, "condition", condition));
    return json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:i, s:f, s:o, s:s}", "protocol", name,
                     "rules", (int)run->reading.rules, "places", (int)run->reading.places, "solver",
                     run->options.ask ? json_string(prove_solver_name(run->options.solver))
                                      : json_null(),
                     "invariants", invariants, "assumed", assumed, "taken_for_granted", conditions,
                     "files", (int)run->files, "seconds", run->seconds, "claims", claims, "verdict",
                     prove_status_name(run->status));
}

/* ---- the methods ---- */

/* As they are in docs/PROOFS.md. */
static void print_methods(void)
{
    printf("| property | method | provided | shown |\n| --- | --- | --- | --- |\n");
    for (unsigned m = 0; prove_method(m) != NULL; m++) {
        const struct prove_method *method = prove_method(m);
        printf("| %s | %s | ", check_property_name(method->property), method->name);
        for (unsigned c = 0; c < method->conditions; c++)
            printf("%s%s", c > 0 ? "; " : "", prove_condition_text(method->condition[c]));
        printf(" | ");
        for (unsigned g = 0; g < method->groups; g++)
            printf("%s%s", g > 0 ? ", " : "", prove_group_name(method->group[g]));
        printf(" |\n");
    }
    printf("\n| group | what is shown |\n| --- | --- |\n");
    for (unsigned g = 0; g < PROVE_GROUPS; g++)
        printf("| %s | %s |\n", prove_group_name(g), prove_group_text(g));
    printf("\n| group | from | leads to | helper | rank |\n| --- | --- | --- | --- | --- |\n");
    for (unsigned g = 0; g < PROVE_GROUPS; g++) {
        for (unsigned r = 0; prove_group_leads(g, r) != NULL; r++) {
            const struct prove_leads *leads = prove_group_leads(g, r);
            printf("| %s | %s | %s | %s | %s |\n", prove_group_name(g), leads->from, leads->to,
                   leads->helper, leads->rank);
        }
    }
}

/* ---- the system, for another program ---- */

/* What the rules do not say: sizes, and what is claimed (docs/PROOFS.md). */
static void print_system(const struct protocol_choice *choice)
{
    const struct protocol *protocol = choice->protocol;
    const struct protocol_variant *variant = &protocol->variants[choice->variant];
    char name[128];
    protocol_full_name(choice, name, sizeof name);
    printf("(system \"%s\" (variant %u) (min-n %u) (min-l %u) (max-l %u) (l-below-n %d) "
           "(own-steps %d))\n",
           name, choice->variant, protocol->min_n, protocol->min_l, protocol->max_l,
           protocol->needs_l_below_n, protocol->own_steps);
    for (size_t c = 0; c < variant->claim_count; c++) {
        const struct protocol_claim *claim = &variant->claims[c];
        if (claim->stance != CLAIMED)
            continue;
        printf("(claim %s", check_property_name(claim->property));
        if (claim->has_bound && claim->property != CHECK_VALUES)
            printf(" (bound %llu %llu)", (unsigned long long)claim->bound,
                   (unsigned long long)claim->bound_n);
        if (claim->up_to_k > 0)
            printf(" (up-to-k %u)", claim->up_to_k);
        printf(")\n");
    }
}

/* The whole of a file, for as long as the command runs; NULL: errno says why. */
static char *read_rules(const char *path)
{
    enum { ROOM = 1 << 24 };
    FILE *stream = fopen(path, "r");
    char *text = stream == NULL ? NULL : calloc(1, ROOM);
    const size_t read = text == NULL ? 0 : fread(text, 1, ROOM - 1, stream);
    if (stream != NULL && (ferror(stream) || read == ROOM - 1)) {
        errno = ferror(stream) ? errno : EFBIG;
        free(text);
        text = NULL;
    }
    if (stream != NULL)
        fclose(stream);
    return text;
}

/* When a line was last shown. */
static double shown;

static void show_progress(const char *property, size_t done)
{
    static double start;
    start = start == 0 ? check_clock() - 1 : start; /* the first is shown at once */
    if (cli_shows_progress(check_clock() - start, &shown))
        fprintf(stderr, "proving %s, %zu decided", property, done);
    fflush(stderr);
}

static int run(int argc, char **argv)
{
    static struct prove_run proof;
    static struct options options;
    int status = parse(argc, argv, &options);
    if (status != CLI_OK)
        return status;
    if (options.help)
        return cli_help(&cli_prove);
    if (options.methods) {
        print_methods();
        return cli_flush(CLI_OK);
    }
    const char *why = "there are no rules for this protocol";
    char *own = protocol_own.path == NULL ? NULL : cli_own_rules(protocol_own.path, &why);
    options.prove.own = own;
    if (protocol_own.path != NULL && own == NULL)
        return cli_error(CLI_INCOMPLETE, "%s: %s", protocol_own.path, why);
    if (options.rules || options.export) {
        const char *text = own != NULL ? own : prove_rules_text(options.choice.protocol->file);
        if (text == NULL)
            return cli_error(CLI_INCOMPLETE, "%s", why);
        if (options.export)
            print_system(&options.choice);
        fputs(text, stdout);
        free(own);
        return cli_flush(CLI_OK);
    }
    status = find_solver(&options);
    if (status != CLI_OK)
        return status;
    char *rules = options.rules_from == NULL ? NULL : read_rules(options.rules_from);
    if (options.rules_from != NULL && rules == NULL)
        return cli_error(CLI_USAGE, "cannot read %s: %s", options.rules_from, strerror(errno));
    options.prove.rules = rules;
    options.prove.interrupts = cli_catch_interrupts();
    options.prove.progress = show_progress;
    const char *error = prove_all(&proof, &options.choice, &options.prove);
    cli_clear_progress(shown);
    if (error != NULL) {
        prove_free(&proof);
        free(rules);
        free(own);
        return cli_error(CLI_INCOMPLETE, "%s", error);
    }
    status = proof.status == PROVE_PROVED    ? CLI_OK
             : proof.status == PROVE_REFUTED ? CLI_OTHERWISE
                                             : CLI_INCOMPLETE;
    if (options.json) {
        const int printed = cli_print_json(run_json(&proof));
        status = printed != CLI_OK ? printed : status;
    } else {
        print_text(&proof);
        status = cli_flush(status);
    }
    prove_free(&proof);
    free(rules);
    free(own);
    return status;
}

const struct cli_command cli_prove = {
    .name = "prove",
    .synopsis = "PROTOCOL [OPTION...]",
    .about = "prove what a protocol claims for every number of processes",
    .run = run,
    .help =
        "  --property P[,P...]  these properties only\n"
        "  --solver S           z3 or cvc5; the default is z3 where it is installed\n"
        "  --time SECONDS       for each obligation; the default is 20\n"
        "  --smt FOLDER         write the obligations there as SMT-LIB, one file each\n"
        "  --without NAME       leave this invariant out\n"
        "  --methods            print by which methods properties are proved\n"
        "  --export system      print the rules, the claims and the sizes, for another program\n"
        "  --rules              print the rules that the protocol file was read as\n"
        "  --rules-from FILE    prove these, as tools/rules wrote them; ask no checker\n"
        "  --json               one JSON object\n"
        "\n" CLI_OWN_FILE_HELP "\n"
        "Exit status: 0 every claim is proved, 1 a claim is refuted, 2 bad usage,\n"
        "3 something is open, 125 berth itself failed.\n",
};
