/* The result of a check: for a person, for a program, and its witnesses in a file. */
#include "memory_options.h"
#include "page.h"

#include "check/traits.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *bound_json(bool has, uint64_t bound)
{
    return has ? json_integer((json_int_t)bound) : json_null();
}

/* The properties that the file states, one by one. */
static const char *const stated_kinds[] = {"always", "never", "after", "always eventually"};

/* Why "after p eventually q" may hold whatever the protocol does. */
static const char never_begins[] = "its condition never holds";

static enum check_answer answer_of_stated(const struct check_result *result, unsigned q)
{
    return result->own_failed >> q & 1 ? CHECK_FAILS
           : result->own_held >> q & 1 ? CHECK_HOLDS
                                       : CHECK_UNDECIDED;
}

static json_t *stated_json(const struct check_model *model, const struct check_result *result)
{
    json_t *list = json_array();
    for (unsigned q = 0; q < model->own_properties; q++) {
        const enum check_answer answer = answer_of_stated(result, q);
        json_t *one = json_pack("{s:s, s:s, s:o}", "name", model->own_property[q].name, "kind",
                                stated_kinds[model->own_property[q].kind], "holds",
                                answer == CHECK_UNDECIDED ? json_null()
                                                          : json_boolean(answer == CHECK_HOLDS));
        if (result->own_empty >> q & 1)
            json_object_set_new(one, "empty", json_string(never_begins));
        json_array_append_new(list, one);
    }
    return list;
}

static const char *emptiness(const struct protocol_checked *checked,
                             const struct check_result *result);
static json_t *coverage_json(const struct protocol_checked *checked);

static json_t *line_json(const struct protocol_checked *checked, const struct protocol_line *line)
{
    const struct check_model *model = &checked->model.check;
    const struct check_result *result = &line->result;
    const struct protocol_claim *claim = line->claim;
    bool witnessed = result->witness.edge != NULL;
    json_t *object = json_object();
    json_object_set_new(object, "property",
                        json_string(check_property_name(result->query.property)));
    json_object_set_new(object, "claimed",
                        claim == NULL ? json_null() : json_boolean(line->stance == CLAIMED));
    json_object_set_new(object, "holds",
                        result->answer == CHECK_UNDECIDED
                            ? json_null()
                            : json_boolean(result->answer == CHECK_HOLDS));
    const bool undecided = result->answer == CHECK_UNDECIDED;
    json_object_set_new(object, "bound",
                        bound_json(result->has_bound && !undecided, result->bound));
    if (result->cut)
        json_object_set_new(object, "up_to_limit",
                            result->has_bound && undecided ? json_integer((json_int_t)result->bound)
                                                           : json_true());
    if (result->query.has_bound)
        json_object_set_new(object, "bound_claimed", json_integer((json_int_t)result->query.bound));
    if (result->query.property == CHECK_LINEAR_WAITING)
        json_object_set_new(
            object, "bound_active",
            bound_json(result->has_bound_active && !undecided, result->bound_active));
    json_object_set_new(object, "source",
                        claim == NULL
                            ? json_null()
                            : json_string(protocol_basis(claim, (char[PROTOCOL_BASIS]){0})));
    if (result->query.property == CHECK_OWN)
        json_object_set_new(object, "stated", stated_json(model, result));
    if (emptiness(checked, result) != NULL)
        json_object_set_new(object, "empty", json_string(emptiness(checked, result)));
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
    case CHECK_VIOLATED: return "the rest was not explored (--whole explores it)";
    case CHECK_INTERRUPTED: return "interrupted";
    case CHECK_COMPLETE:
    default: return "complete";
    }
}

/* Of the search: the states and the frontier. The graph that other properties need comes on top. */
static double bytes_per_state(const struct check_report *report)
{
    return report->stored > 0 ? (double)report->search_bytes / (double)report->stored : 0.0;
}

/* Counters that go on for ever are cut off, or the file argues why they do not have to be. */
static bool is_bounded(const struct protocol_checked *checked)
{
    const struct protocol *protocol = checked->choice.protocol;
    const unsigned limit = checked->model.params.limit;
    if (protocol->variants[checked->choice.variant].unlimited ||
        (protocol->is_object && limit >= STEP_NO_LIMIT))
        return false;
    return protocol->default_limit > 0 || (protocol->cuts_off && limit > 0);
}

static bool is_normalised(const struct protocol_checked *checked)
{
    const struct protocol *protocol = checked->choice.protocol;
    return (protocol->counts_for_ever && checked->model.memory == NULL) ||
           (protocol->cuts_off && checked->model.params.limit == 0 &&
            (!protocol->takes_ranker || checked->model.params.ranker != STEP_RANKER_0));
}

/* "P1 at advance (lock.c, line 23) stores 3 into next, which holds 0 .. 2" */
static void slip_text(const struct protocol_checked *checked, char *text, size_t size)
{
    const struct check_slip *slip = &checked->report.slip;
    char who[16], where[PATH_MAX + 32] = "";
    cli_process_name(&checked->model.check, slip->process, who, sizeof who);
    if (slip->file != NULL)
        snprintf(where, sizeof where, " (%s, line %u)", slip->file, slip->line);
    snprintf(text, size, "%s%s%s%s %s", who, slip->label[0] != '\0' ? " at " : "", slip->label,
             where, slip->text);
}

static json_t *slip_json(const struct protocol_checked *checked)
{
    const struct check_slip *slip = &checked->report.slip;
    char text[PATH_MAX + 512];
    slip_text(checked, text, sizeof text);
    return json_pack(
        "{s:s, s:i, s:s, s:s?, s:i, s:s, s:o*}", "about", text, "process", (int)slip->process,
        "label", slip->label, "file", slip->file, "line", (int)slip->line, "what", slip->text,
        "run",
        slip->witness.edge == NULL ? NULL : cli_run_json(&checked->model.check, &slip->witness));
}

json_t *cli_report_json(const struct protocol_checked *checked)
{
    const struct check_report *report = &checked->report;
    const struct step_params *params = &checked->model.params;
    char name[128];
    protocol_full_name(&checked->choice, name, sizeof name);
    json_t *claims = json_array(), *cells = json_array();
    for (size_t i = 0; i < checked->lines; i++)
        json_array_append_new(claims, line_json(checked, &checked->line[i]));
    for (unsigned c = 0; c < checked->model.check.cells && checked->values > 0; c++) {
        const struct check_cell *cell = &checked->model.check.cell[c];
        json_array_append_new(cells, json_pack("{s:s, s:o, s:I}", "name", cell->name, "index",
                                               bound_json(cell->index >= 0, (uint64_t)cell->index),
                                               "values", (json_int_t)report->values[c]));
    }
    bool bounded = is_bounded(checked);
    json_t *object = json_pack(
        "{s:s, s:i, s:i, s:i, s:s, s:b, s:o, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:f, s:f, s:o, "
        "s:I, s:s, s:s}",
        "protocol", name, "n", (int)params->n, "l", (int)params->l, "k", (int)params->k, "fault",
        cli_fault_name(params->fault), "bounded", bounded, "limit",
        bound_json(bounded, params->limit), "states", (json_int_t)report->states, "transitions",
        (json_int_t)report->transitions, "stored", (json_int_t)report->stored, "symmetry",
        report->reduced || checked->exchanged, "values",
        bound_json(checked->values > 0, checked->values), "values_claimed",
        bound_json(checked->values_claimed > 0, checked->values_claimed), "cells", cells, "seconds",
        report->seconds, "bytes_per_state", bytes_per_state(report), "claims", claims, "peak_bytes",
        (json_int_t)report->peak_bytes, "end", end_text(report->end), "verdict",
        protocol_verdict_name(checked->verdict));
    if (object == NULL)
        return NULL;
    cli_add_choices(object, checked->choice.protocol, params);
    cli_add_memory(object, &checked->model);
    if (is_normalised(checked))
        json_object_set_new(object, "normalised", json_true());
    if (report->barred)
        json_object_set_new(object, "barred", json_true());
    json_object_set_new(object, "coverage", coverage_json(checked));
    if (params->abridged)
        json_object_set_new(object, "abridged", json_true());
    if (report->slip.found)
        json_object_set_new(object, "slip", slip_json(checked));
    json_object_set_new(object, "depth", json_integer((json_int_t)report->depth));
    json_object_set_new(object, "frontier", json_integer((json_int_t)report->frontier));
    return object;
}

/* What is known where a limit cut off runs. */
static void print_limit(const struct check_result *result)
{
    const bool counts = check_is_bounded(result->query.property) && result->has_bound;
    if (result->cut && result->answer == CHECK_HOLDS)
        printf("  up to the limit");
    else if (result->cut && counts)
        printf("  only up to the limit, where it is %llu", (unsigned long long)result->bound);
    else if (result->cut)
        printf("  only up to the limit");
}

static void print_bound(const struct check_result *result, bool has_doorway)
{
    const enum check_property property = result->query.property;
    if (property == CHECK_VALUES && result->has_bound)
        printf("  reached %llu", (unsigned long long)result->bound);
    if (property == CHECK_FIRST_IN_FIRST_ENABLED && result->has_bound)
        printf("  in at most %llu own steps", (unsigned long long)result->bound);
    if (!check_is_bounded(property) || result->answer == CHECK_UNDECIDED)
        return;
    const char *from = property == CHECK_LINEAR_WAITING && has_doorway ? " from the doorway" : "";
    if (result->has_bound)
        printf("  bound %llu%s", (unsigned long long)result->bound, from);
    else if (result->answer == CHECK_FAILS) /* else there is one, and steps have been left out */
        printf("  no bound%s", from);
    if (*from != '\0' && result->has_bound_active)
        printf(", %llu from the first store", (unsigned long long)result->bound_active);
    else if (*from != '\0')
        printf(", none from the first store");
}

static const char *const answers[] = {"undecided", "holds", "fails"};

static void print_stated(const struct check_model *model, const struct check_result *result)
{
    for (unsigned q = 0; q < model->own_properties; q++)
        printf("    %-6s %-17s %s%s%s\n", stated_kinds[model->own_property[q].kind],
               model->own_property[q].name, answers[answer_of_stated(result, q)],
               result->own_empty >> q & 1 ? "  only because " : "",
               result->own_empty >> q & 1 ? never_begins : "");
}

static void print_line(const struct protocol_checked *checked, const struct protocol_line *line,
                       int width)
{
    const bool has_doorway = checked->choice.model->has_doorway;
    const struct check_result *result = &line->result;
    const char *claim = line->claim == NULL       ? "no claim"
                        : line->stance == CLAIMED ? "claimed"
                                                  : "not claimed";
    bool more = line->claim != NULL || result->cut || check_is_bounded(result->query.property) ||
                (result->query.property == CHECK_FIRST_IN_FIRST_ENABLED && result->has_bound);
    static const char *const colours[] = {"33", "32", "31"};
    const char *before = cli_colours() ? "\033[" : "", *after = cli_colours() ? "\033[m" : "";
    printf("  %-*s %s%s%s%-10s%s %-*s", width, check_property_name(result->query.property), before,
           cli_colours() ? colours[result->answer] : "", cli_colours() ? "m" : "",
           answers[result->answer], after, more ? 11 : 0, claim);
    print_bound(result, has_doorway);
    print_limit(result);
    if (emptiness(checked, result) != NULL)
        printf("  only because %s", emptiness(checked, result));
    if (line->claim != NULL)
        printf("  [%s]", protocol_basis(line->claim, (char[PROTOCOL_BASIS]){0}));
    if (result->answer == CHECK_FAILS && result->witness.edge != NULL)
        printf("  witness of %zu %s", result->witness.length,
               result->witness.length == 1 ? "step" : "steps");
    putchar('\n');
}

/* The column of the properties: as wide as the widest of them, and seldom another than in most
 * checks. */
static int column_width(const struct protocol_checked *checked)
{
    enum { USUAL = 26 };
    size_t width = USUAL;
    for (size_t i = 0; i < checked->lines; i++) {
        const size_t length = strlen(check_property_name(checked->line[i].result.query.property));
        width = length > width ? length : width;
    }
    return (int)width;
}

/* ---- what was never done ---- */

/* Whether what follows can be said: all of the system was looked at, and nothing left out. */
static bool is_covered(const struct protocol_checked *checked)
{
    const struct check_report *report = &checked->report;
    return report->end == CHECK_COMPLETE && report->coverage.known &&
           !checked->model.params.abridged && !report->abandoned;
}

/* The marks of the file are in no order. Returns the next point after (line, number) that no step
 * went through, of accesses or of outcomes; NULL: there are no more. */
static const struct step_mark *next_missing(const struct protocol_checked *checked, bool accesses,
                                            const struct step_mark *after)
{
    const struct protocol_model *model = checked->choice.model;
    const struct step_mark *next = NULL;
    for (const struct step_mark *mark = model->marks; mark < model->marks_end; mark++) {
        const unsigned point = (unsigned)(mark - model->marks) + 1;
        const bool later = after == NULL || mark->line > after->line ||
                           (mark->line == after->line && mark > after);
        if (protocol_is_point(mark) && protocol_is_access(mark) == accesses && later &&
            !check_is_made(&checked->report.coverage, point) &&
            (next == NULL || mark->line < next->line || (mark->line == next->line && mark < next)))
            next = mark;
    }
    return next;
}

/* Whether the access that an outcome belongs to was made: else that is said, and no more. */
static bool is_of_made(const struct protocol_checked *checked, const struct step_mark *outcome)
{
    const struct protocol_model *model = checked->choice.model;
    const struct step_mark *access = NULL;
    for (const struct step_mark *mark = model->marks; mark < model->marks_end; mark++) {
        if (protocol_is_point(mark) && protocol_is_access(mark) && mark->line <= outcome->line &&
            strcmp(mark->file, outcome->file) == 0 && (access == NULL || mark->line > access->line))
            access = mark;
    }
    return access == NULL ||
           check_is_made(&checked->report.coverage, (unsigned)(access - model->marks) + 1);
}

static void point_text(const struct step_mark *mark, char *text, size_t size)
{
    if (protocol_is_access(mark))
        snprintf(text, size, "%s (line %u)", mark->text, mark->line);
    else if (mark->word[0] == 'O')
        snprintf(text, size, "ON(%s) (line %u)", mark->text, mark->line);
    else
        snprintf(text, size, "%s %s (line %u)", mark->text, mark->word, mark->line);
}

static json_t *missing_json(const struct protocol_checked *checked, bool accesses)
{
    json_t *list = json_array();
    for (const struct step_mark *mark = NULL;
         (mark = next_missing(checked, accesses, mark)) != NULL;) {
        if (accesses || is_of_made(checked, mark))
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i}",
                                                  accesses ? "label" : "condition", mark->text,
                                                  "what", accesses ? "access" : mark->word, "file",
                                                  mark->file, "line", (int)mark->line));
    }
    return list;
}

/* Regions that a lock has and nobody was in. */
static const struct {
    enum check_region region;
    const char *name;
} regions[] = {{CHECK_CRITICAL, "critical"}, {CHECK_DEAD, "dead"}};

static bool is_never_in(const struct protocol_checked *checked, unsigned r)
{
    const struct check_model *model = &checked->model.check;
    const bool has =
        regions[r].region == CHECK_DEAD ? model->kills : !checked->choice.protocol->is_object;
    return has && (checked->report.coverage.regions >> regions[r].region & 1) == 0;
}

static json_t *coverage_json(const struct protocol_checked *checked)
{
    if (!is_covered(checked))
        return json_null();
    const bool whole = checked->report.coverage.whole;
    json_t *never = json_array();
    for (unsigned r = 0; r < sizeof regions / sizeof regions[0]; r++) {
        if (is_never_in(checked, r))
            json_array_append_new(never, json_string(regions[r].name));
    }
    return json_pack("{s:o, s:o, s:o}", "regions_never_reached", never, "never_made",
                     whole ? missing_json(checked, true) : json_null(), "never_taken",
                     whole ? missing_json(checked, false) : json_null());
}

static void print_missing(const struct protocol_checked *checked, bool accesses, const char *what)
{
    enum { SHOWN = 6 };
    size_t count = 0;
    for (const struct step_mark *mark = NULL;
         (mark = next_missing(checked, accesses, mark)) != NULL;) {
        char text[256];
        if (!accesses && !is_of_made(checked, mark))
            continue;
        point_text(mark, text, sizeof text);
        if (count++ < SHOWN)
            printf("%s%s", count == 1 ? what : ", ", text);
    }
    if (count > SHOWN)
        printf(", and %zu more", count - SHOWN);
    if (count > 0)
        putchar('\n');
}

/* Of a file that has variants, accesses are listed only if it is asked for: some are another
 * variant's. */
static void print_coverage(const struct protocol_checked *checked, bool explain)
{
    if (!is_covered(checked))
        return;
    for (unsigned r = 0; r < sizeof regions / sizeof regions[0]; r++) {
        if (is_never_in(checked, r))
            printf("nobody is ever %s\n", regions[r].name);
    }
    if (checked->report.coverage.whole &&
        (explain || checked->choice.protocol->variant_count == 1)) {
        print_missing(checked, true, "never made: ");
        print_missing(checked, false, "never: ");
    }
}

/* Why a property holds whatever the protocol does: nobody is ever where it is about. NULL: it is
 * not so. */
static const char *emptiness(const struct protocol_checked *checked,
                             const struct check_result *result)
{
    const enum check_region about = check_property_region(result->query.property);
    if (!is_covered(checked) || result->answer != CHECK_HOLDS || about == CHECK_REMAINDER ||
        checked->report.coverage.regions >> about & 1)
        return NULL;
    return about == CHECK_DEAD ? "nobody is ever dead" : "nobody is ever critical";
}

static void print_answers(const struct protocol_checked *checked, bool explain)
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
    if (params->fault == STEP_FAULT_KILL)
        printf(" kills=%u", params->kills);
    cli_print_choices(checked->choice.protocol, params);
    cli_print_memory(params);
    if (is_bounded(checked))
        printf(" bounded by %u", params->limit);
    else if (checked->choice.protocol->cuts_off && is_normalised(checked))
        printf(" normalised");
    printf("\n%s\n", checked->choice.protocol->citation);
    if (checked->choice.variant != 0)
        printf("%s\n", checked->choice.protocol->variants[checked->choice.variant].about);
    printf("%llu states, %llu transitions", (unsigned long long)report->states,
           (unsigned long long)report->transitions);
    const bool counted = checked->model.check.orbit != NULL; /* what each state stands for */
    if (report->reduced || (checked->exchanged && counted))
        printf(" (%llu states kept, by symmetry)", (unsigned long long)report->stored);
    else if (checked->exchanged)
        printf(" (up to an exchange of processes)");
    if (params->abridged)
        printf(" (without steps whose outcome is settled)");
    printf(", %.2f s, %.1f MiB\n", report->seconds, (double)report->peak_bytes / 1048576.0);
    const int width = column_width(checked);
    for (size_t i = 0; i < checked->lines; i++) {
        print_line(checked, &checked->line[i], width);
        if (checked->line[i].result.query.property == CHECK_OWN)
            print_stated(&checked->model.check, &checked->line[i].result);
    }
    print_coverage(checked, explain);
    if (params->memory != STEP_SC && report->end == CHECK_COMPLETE)
        printf(step_memory_was_full(&checked->model)
                   ? "a buffer was full: with --buffer %u there are more runs\n"
                   : "no buffer was ever full: longer ones make no difference\n",
               params->buffer + 1);
}

/* What a failing property comes with: always if it refutes a claim, else if it is asked for. */
static void print_witnesses(const struct protocol_checked *checked, bool explain)
{
    size_t untold = 0;
    for (size_t i = 0; i < checked->lines; i++) {
        const struct protocol_line *line = &checked->line[i];
        const struct check_result *result = &line->result;
        const bool refutes = line->claim != NULL && line->stance == CLAIMED;
        if (result->answer != CHECK_FAILS)
            continue;
        if (!refutes && !explain) {
            untold++;
            continue;
        }
        putchar('\n');
        if (result->witness.edge == NULL)
            printf("%s fails: %s\n", check_property_name(result->query.property), result->about);
        else
            cli_witness_text(stdout, &checked->model.check, result);
    }
    if (untold > 0)
        printf("\n%zu more %s, and %s not claimed: --explain shows how\n", untold,
               untold == 1 ? "fails" : "fail", untold == 1 ? "is" : "are");
}

static void print_slip(const struct protocol_checked *checked)
{
    const struct check_slip *slip = &checked->report.slip;
    char text[PATH_MAX + 512];
    if (!slip->found)
        return;
    slip_text(checked, text, sizeof text);
    printf("\nnot a step: %s\n", text);
    if (slip->witness.edge != NULL && slip->witness.length == 0)
        printf("  in the first state\n");
    else if (slip->witness.edge != NULL)
        cli_run_text(stdout, &checked->model.check, &slip->witness);
}

/* Whether a limit left something undecided. */
static bool is_cut(const struct protocol_checked *checked)
{
    bool cut = false;
    for (size_t i = 0; i < checked->lines; i++)
        cut |= checked->line[i].result.cut && checked->line[i].result.answer == CHECK_UNDECIDED;
    return cut;
}

static void print_verdict(const struct protocol_checked *checked)
{
    static const char *const colours[] = {"32", "31", "33"};
    const char *name = protocol_verdict_name(checked->verdict);
    if (cli_colours())
        printf("\033[1;%sm%s\033[m", colours[checked->verdict], name);
    else
        printf("%s", name);
    if (checked->report.slip.found)
        printf(": it takes a step that must not be made");
    else if (checked->report.end != CHECK_COMPLETE)
        printf(": %s", end_text(checked->report.end));
    else if (checked->verdict == PROTOCOL_INCOMPLETE && is_cut(checked))
        printf(": only up to the limit");
    putchar('\n');
}

/* For a run that did not finish: how far it came. */
static void print_reach(const struct protocol_checked *checked)
{
    const struct check_report *report = &checked->report;
    const bool ran_out = report->end == CHECK_OUT_OF_MEMORY || report->end == CHECK_OUT_OF_TIME ||
                         report->end == CHECK_TOO_MANY || report->end == CHECK_INTERRUPTED;
    if (!ran_out)
        return;
    if (report->frontier == 0)
        printf("all states were found; not everything was decided\n");
    else
        printf("stopped at depth %llu, with %llu states found and not expanded\n",
               (unsigned long long)report->depth, (unsigned long long)report->frontier);
    for (size_t i = 0; i < checked->lines && report->frontier > 0; i++) {
        const struct check_result *result = &checked->line[i].result;
        const enum check_property property = result->query.property;
        if (result->answer == CHECK_UNDECIDED && report->depth > 0 &&
            (property == CHECK_EXCLUSION || property == CHECK_DISTINCT_SLOTS ||
             property == CHECK_INVARIANTS || property == CHECK_WINDOW))
            printf("no violation of %s up to depth %llu\n", check_property_name(property),
                   (unsigned long long)report->depth - 1);
    }
}

void cli_report_text(const struct protocol_checked *checked, bool explain)
{
    print_answers(checked, explain);
    print_reach(checked);
    print_slip(checked);
    print_witnesses(checked, explain);
    putchar('\n');
    print_verdict(checked);
}

static bool is_witnessed(const struct protocol_line *line)
{
    return line->result.answer == CHECK_FAILS && line->result.witness.edge != NULL;
}

static bool has_witness(const struct protocol_checked *checked)
{
    for (size_t i = 0; i < checked->lines; i++) {
        if (is_witnessed(&checked->line[i]))
            return true;
    }
    return false;
}

static bool put_text(FILE *stream, const struct protocol_checked *checked)
{
    for (size_t i = 0; i < checked->lines; i++) {
        if (is_witnessed(&checked->line[i]))
            cli_witness_text(stream, &checked->model.check, &checked->line[i].result);
    }
    return true;
}

static bool put_json(FILE *stream, const struct protocol_checked *checked)
{
    json_t *list = json_array();
    for (size_t i = 0; i < checked->lines; i++) {
        if (is_witnessed(&checked->line[i]))
            json_array_append_new(
                list, cli_witness_json(&checked->model.check, &checked->line[i].result));
    }
    char name[128];
    protocol_full_name(&checked->choice, name, sizeof name);
    json_t *whole = json_pack("{s:i, s:s, s:i, s:s, s:o}", "version", 1, "protocol", name, "n",
                              (int)checked->model.params.n, "fault",
                              cli_fault_name(checked->model.params.fault), "witnesses", list);
    const bool written = whole != NULL && json_dumpf(whole, stream, JSON_INDENT(1)) == 0;
    fputc('\n', stream);
    json_decref(whole);
    return written;
}

/* Those that refute a claim come first. */
static bool put_page(FILE *stream, const struct protocol_checked *checked)
{
    static struct cli_outlook outlook = {.unknown = ""};
    struct cli_page page;
    if (has_witness(checked)) /* it takes a second look at all states */
        cli_outlook_open(&outlook, &checked->model.check);
    cli_page_begin(&page, &checked->choice, &checked->model, &outlook);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < checked->lines; i++) {
            const struct protocol_line *line = &checked->line[i];
            const bool refutes = line->claim != NULL && line->stance == CLAIMED;
            if (is_witnessed(line) && refutes == (pass == 0))
                cli_page_add(&page, &line->result.witness, line, false);
        }
    }
    json_t *data = cli_page_end(&page, true);
    json_object_set_new(data, "coverage", coverage_json(checked));
    cli_outlook_close(&outlook);
    return cli_page_write(stream, data);
}

bool cli_report_witnesses(const struct protocol_checked *checked, const char *path)
{
    struct cli_file file;
    if (!cli_file_open(&file, path))
        return false;
    const bool written = cli_ends_in(path, ".json")   ? put_json(file.stream, checked)
                         : cli_ends_in(path, ".html") ? put_page(file.stream, checked)
                                                      : put_text(file.stream, checked);
    if (!written) {
        cli_file_abandon(&file);
        errno = ENOMEM;
        return false;
    }
    return cli_file_commit(&file);
}
