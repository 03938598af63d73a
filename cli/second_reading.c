/*
 * The fast way believes the file and berth's own arguments: tables of steps, exchanges of processes
 * (.anonymous, .symmetric, ORBIT), NORMAL and SETTLED. The plain way makes every step from every
 * state and believes nothing. An answer is given only where the two agree, as far as both came.
 *
 * A file of the user's that they do not agree about says something that is not true. If it says
 * nothing of the kind, or is one of the catalogue, berth is wrong.
 */
#include "second_reading.h"

#include "cli.h"

#include "protocol/own.h"

#include <stdio.h>
#include <string.h>

enum { PASSAGES = 2 }; /* where the states are finite only by NORMAL */

/* How much of the fast way is left out. */
enum way {
    NO_EXCHANGE,    /* no tables, no exchange of processes, no SETTLED */
    AS_IT_IS,       /* and no NORMAL */
    AS_FAR_AS_IT_IS /* the same for a number of passages: only what fails says anything */
};

struct reading {
    enum way way;
    struct protocol_checked checked;
};

static bool is_finite(const struct protocol *protocol)
{
    return !protocol->counts_for_ever && !protocol->cuts_off;
}

/* What the file says that the fast way has believed, beyond what `way` believes. */
static void name_beliefs(const struct protocol_checked *first, enum way way, char *text,
                         size_t size)
{
    const char *said[5];
    size_t count = 0;
    if (first->model.check.anonymous && !first->exchanged)
        said[count++] = ".anonymous";
    if (first->exchanged)
        said[count++] = ".symmetric";
    if (first->exchanged && first->model.check.orbit != NULL)
        said[count++] = "ORBIT";
    if (first->model.params.abridged)
        said[count++] = "SETTLED";
    if (first->model.normal != NULL && way != NO_EXCHANGE)
        said[count++] = "NORMAL";
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s",
                 i == 0           ? ""
                 : i + 1 == count ? " or "
                                  : ", ",
                 said[i]);
    }
}

/* Whether both count all states and transitions of one and the same system. */
static bool counts_are_alike(const struct protocol_checked *first, const struct reading *second)
{
    const bool folds = first->exchanged && first->model.check.orbit == NULL;
    return first->report.end == CHECK_COMPLETE && second->checked.report.end == CHECK_COMPLETE &&
           !first->model.params.abridged && !folds &&
           (first->model.normal == NULL || second->way == NO_EXCHANGE ||
            first->model.params.as_it_is);
}

/* Whether a bound is the same number in both: NORMAL may leave out values, and what is settled may
 * be left out. */
static bool bounds_are_alike(const struct protocol_checked *first, const struct check_result *a,
                             const struct check_result *b)
{
    return a->has_bound && b->has_bound &&
           (a->query.property != CHECK_VALUES || first->model.normal == NULL) &&
           !first->model.params.abridged;
}

/* Writes how two answers to one question differ; false: they do not. */
static bool differ(const struct protocol_checked *first, enum way way, const struct check_result *a,
                   const struct check_result *b, char *text, size_t size)
{
    const char *name = check_property_name(a->query.property);
    if (a->answer == CHECK_UNDECIDED || b->answer == CHECK_UNDECIDED)
        return false;
    if (way == AS_FAR_AS_IT_IS && b->answer == CHECK_HOLDS)
        return false;
    if (a->answer != b->answer) {
        snprintf(text, size, "%s %s, and %s", name, b->answer == CHECK_HOLDS ? "holds" : "fails",
                 a->answer == CHECK_HOLDS ? "holds" : "fails");
        return true;
    }
    if (way == AS_FAR_AS_IT_IS || !bounds_are_alike(first, a, b) || a->bound == b->bound)
        return false;
    snprintf(text, size, "%s has the bound %llu, and %llu", name, (unsigned long long)b->bound,
             (unsigned long long)a->bound);
    return true;
}

static bool counts_differ(const struct protocol_checked *first, const struct reading *second,
                          char *text, size_t size)
{
    const struct check_report *a = &first->report, *b = &second->checked.report;
    if (!counts_are_alike(first, second) ||
        (a->states == b->states && a->transitions == b->transitions))
        return false;
    snprintf(text, size, "there are %llu states and %llu transitions, and %llu and %llu",
             (unsigned long long)b->states, (unsigned long long)b->transitions,
             (unsigned long long)a->states, (unsigned long long)a->transitions);
    return true;
}

/* Says that the two do not agree: an error of the file where it says something that the fast way
 * believes, and of berth where it does not. */
static int refuse(const struct cli_asked *asked, const struct protocol_checked *first,
                  struct reading *second, const struct check_result *shown, const char *what)
{
    char beliefs[64];
    const struct protocol_choice *choice = &asked->system->choice;
    const bool own = protocol_own.path != NULL && choice->model == protocol_own.model;
    name_beliefs(first, second->way, beliefs, sizeof beliefs);
    if (asked->says && shown != NULL && shown->answer == CHECK_FAILS &&
        shown->witness.edge != NULL) {
        cli_witness_text(stdout, &second->checked.model.check, shown);
        putchar('\n');
    }
    if (!own || beliefs[0] == '\0')
        return cli_error(
            CLI_FAILED, "internal error, n = %u: %s with what makes the check fast (%s)",
            (unsigned)asked->system->params.n, what, beliefs[0] != '\0' ? beliefs : "tables");
    return cli_error(CLI_USAGE,
                     "%s, n = %u: %s where %s is believed: what the file says there is "
                     "not true",
                     choice->protocol->file, (unsigned)asked->system->params.n, what, beliefs);
}

/* Checks without what makes it fast, up to `states` states. NULL, or why it cannot. */
static const char *read_plainly(const struct cli_asked *asked, enum way way, uint64_t states,
                                struct check_budget *budget, struct reading *reading)
{
    struct cli_system system = *asked->system;
    struct check_limits limits = *asked->limits;
    *budget = (struct check_budget){.limit = asked->limits->budget->limit};
    limits.budget = budget;
    limits.symmetry = false;
    limits.plain = true;
    limits.elsewhere = NULL;
    limits.early = false;
    limits.states = states;
    if (states != 0)
        limits.progress = NULL;
    system.params.as_it_is = way != NO_EXCHANGE;
    if (way == AS_FAR_AS_IT_IS)
        system.params.passages = PASSAGES;
    memset(reading, 0, sizeof *reading);
    reading->way = way;
    const char *error = cli_system_make(&system, &reading->checked.model);
    return error != NULL ? error
                         : protocol_check_made(&reading->checked, &system.choice, &system.params,
                                               &limits, asked->only, asked->all);
}

/* The ways that tell something of this model. */
static size_t ways_of(const struct protocol_checked *first, enum way *ways)
{
    const struct step_model *model = &first->model;
    size_t count = 0;
    ways[count++] = NO_EXCHANGE;
    if (model->normal != NULL && model->memory == NULL)
        ways[count++] = is_finite(first->choice.protocol) ? AS_IT_IS : AS_FAR_AS_IT_IS;
    return count;
}

/* The answer to the same question; NULL: it was not asked. */
static const struct check_result *same_question(const struct protocol_checked *checked,
                                                enum check_property property)
{
    for (size_t i = 0; i < checked->lines; i++) {
        if (checked->line[i].result.query.property == property)
            return &checked->line[i].result;
    }
    return NULL;
}

static int compare(const struct cli_asked *asked, const struct protocol_checked *first,
                   struct reading *second)
{
    char what[256];
    for (size_t i = 0; i < first->lines; i++) {
        const struct check_result *a = &first->line[i].result;
        const struct check_result *b = same_question(&second->checked, a->query.property);
        if (b != NULL && differ(first, second->way, a, b, what, sizeof what))
            return refuse(asked, first, second, b, what);
    }
    if (counts_differ(first, second, what, sizeof what))
        return refuse(asked, first, second, NULL, what);
    return CLI_OK;
}

/* Whether the plain way has met a step that must not be made, and the fast way has not. Without
 * NORMAL a counter may leave its range. */
static bool slips_alone(const struct protocol_checked *first, const struct reading *second)
{
    return second->way == NO_EXCHANGE && second->checked.report.end == CHECK_OUT_OF_RANGE &&
           first->report.end != CHECK_OUT_OF_RANGE;
}

/* Answers with the slip that the plain way has found. */
static int report_slip(const struct cli_asked *asked, const struct protocol_checked *checked)
{
    if (!asked->says)
        return cli_print_json(cli_report_json(checked)) == CLI_OK ? CLI_OTHERWISE : CLI_FAILED;
    cli_report_text(checked, false);
    return cli_flush(CLI_OTHERWISE);
}

/* The comparison; *whole: the plain way came to its end. */
static int read_twice(const struct cli_asked *asked, const struct protocol_checked *first,
                      uint64_t states, bool *whole)
{
    static const char *const without[] = {", symmetry and SETTLED",
                                          ", symmetry, NORMAL and SETTLED",
                                          ", symmetry, NORMAL and SETTLED, two passages each"};
    static struct reading second;
    struct check_budget budget;
    enum way ways[2];
    const size_t count = ways_of(first, ways);
    int status = CLI_OK;
    *whole = true;
    for (size_t w = 0; w < count && status == CLI_OK; w++) {
        const char *error = read_plainly(asked, ways[w], states, &budget, &second);
        if (error != NULL && (states != 0 || ways[w] == AS_FAR_AS_IT_IS))
            continue; /* what is asked cannot be asked of the plain system */
        if (error != NULL)
            return cli_cannot_make(&asked->system->choice, &second.checked.model, error);
        const bool complete = second.checked.report.end == CHECK_COMPLETE;
        *whole &= complete;
        status = slips_alone(first, &second) ? report_slip(asked, &second.checked)
                                             : compare(asked, first, &second);
        if (status == CLI_OK && states == 0 && asked->says)
            printf("paranoid: %s without tables%s: %llu states, %llu transitions, the same "
                   "answers\n",
                   complete && first->report.end == CHECK_COMPLETE ? "checked again"
                                                                   : "as far as it came",
                   without[ways[w]], (unsigned long long)second.checked.report.states,
                   (unsigned long long)second.checked.report.transitions);
        protocol_checked_free(&second.checked);
    }
    return status;
}

int cli_read_twice(const struct cli_asked *asked, const struct protocol_checked *first,
                   uint64_t states)
{
    bool whole;
    return read_twice(asked, first, states, &whole);
}

int cli_read_smaller_twice(const struct cli_asked *asked)
{
    static struct protocol_checked first;
    struct cli_system system = *asked->system;
    struct cli_asked smaller = *asked;
    struct check_limits limits = *asked->limits;
    struct check_budget budget;
    bool whole = true;
    int status = CLI_OK;
    smaller.system = &system;
    smaller.limits = &limits;
    limits.elsewhere = NULL;
    limits.progress = NULL;
    limits.states = CLI_PLAIN_STATES;
    for (unsigned n = system.choice.protocol->min_n;
         n < asked->system->params.n && whole && status == CLI_OK; n++) {
        char text[256];
        system.params.n = n;
        if (protocol_refuse(&system.choice, &system.params, text, sizeof text) != NULL)
            continue;
        budget = (struct check_budget){.limit = asked->limits->budget->limit};
        limits.budget = &budget;
        memset(&first, 0, sizeof first);
        const char *error = cli_system_make(&system, &first.model);
        if (error == NULL)
            error = protocol_check_made(&first, &system.choice, &system.params, &limits,
                                        asked->only, asked->all);
        if (error != NULL)
            continue;
        status = read_twice(&smaller, &first, CLI_PLAIN_STATES, &whole);
        if (!first.report.abandoned)
            protocol_checked_free(&first);
    }
    return status;
}

/* Whether the variant says that its doorway is no doorway. */
static bool says_that_it_waits(const struct protocol_choice *choice)
{
    const struct protocol_variant *variant = &choice->protocol->variants[choice->variant];
    for (size_t c = 0; c < variant->claim_count; c++) {
        if (variant->claims[c].property == CHECK_WAIT_FREE_DOORWAY)
            return true; /* or that it is one, which is checked */
    }
    return false;
}

int cli_look_at_doorway(const struct cli_asked *asked)
{
    static struct protocol_checked checked;
    struct cli_system system = *asked->system;
    struct check_limits limits = *asked->limits;
    struct check_budget budget = {.limit = asked->limits->budget->limit};
    const struct protocol_choice *choice = &system.choice;
    char text[256];
    if (system.is_table || !choice->model->has_doorway || says_that_it_waits(choice))
        return CLI_OK;
    system.params.n = choice->protocol->min_n;
    if (protocol_refuse(choice, &system.params, text, sizeof text) != NULL)
        return CLI_OK;
    limits.budget = &budget;
    limits.elsewhere = NULL;
    limits.progress = NULL;
    limits.states = CLI_PLAIN_STATES;
    if (protocol_check(&checked, choice, &system.params, &limits,
                       UINT64_C(1) << CHECK_WAIT_FREE_DOORWAY, false) != NULL)
        return CLI_OK; /* it will be said of the size that is asked for */
    int status = CLI_OK;
    const struct check_result *result = &checked.line[0].result;
    if (checked.lines == 1 && result->answer == CHECK_FAILS && !result->has_bound) {
        if (asked->says && result->witness.edge != NULL) {
            cli_witness_text(stdout, &checked.model.check, result);
            putchar('\n');
        }
        status = cli_error(CLI_USAGE,
                           "%s: the DOORWAY waits: a process may make any number of steps there. "
                           "What waits belongs into WAITING; or the file says that it does not "
                           "claim wait-free-doorway",
                           choice->protocol->file);
    }
    if (!checked.report.abandoned)
        protocol_checked_free(&checked);
    return status;
}
