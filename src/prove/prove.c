#include "prove/proving.h"
#include "prove/shown.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *prove_status_name(enum prove_status status)
{
    static const char *const names[] = {"open", "proved", "refuted"};
    return names[status];
}

/* ---- what is said of what is not proved ---- */

static const struct prove_verdict *verdict_of(const struct prove_run *run,
                                              const struct prove_obligation *failed)
{
    for (unsigned g = 0; g < PROVE_GROUPS; g++) {
        if (run->group[g].failed == failed)
            return &run->group[g].verdict;
    }
    return NULL;
}

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* The model at the state's size; false: the checker does not take a model of this size. */
static bool make_model(const struct prove_run *run, const int64_t *value, struct step_model *model)
{
    struct step_params params = protocol_defaults(&run->choice);
    char text[256];
    params.n = (unsigned)value[run->system.n];
    params.l = (unsigned)value[run->system.l];
    params.k = (unsigned)value[run->system.k];
    return value[run->system.n] > 0 && value[run->system.n] <= CHECK_MAX_PROCESSES &&
           protocol_refuse(&run->choice, &params, text, sizeof text) == NULL &&
           run->choice.model->make(model, &params) == NULL;
}

static void show_counts(const struct prove_system *system, const int64_t *value, char *text,
                        size_t size)
{
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (value[system->at[p]] != 0)
            append(text, size, "; %lld at %s", (long long)value[system->at[p]],
                   system->reading->place[p].name);
    }
}

/* Those that the obligation is about, where processes are told apart. */
static void show_processes(const struct prove_obligation *obligation, const int64_t *value,
                           char *text, size_t size)
{
    const struct prove_system *system = obligation->system;
    static const char *const names[] = {"the one that moves", "I", "J"};
    const struct prove_reading *reading = system->reading;
    const unsigned who[] = {system->me, system->i, system->j};
    for (unsigned w = 0; w < 3; w++) {
        const int64_t place = value[system->shown[w][0]];
        if (!prove_is_about(obligation, w) || place < 0 || place >= reading->places)
            continue;
        append(text, size, "; %s, %lld, at %s", names[w], (long long)value[who[w]],
               reading->place[place].name);
        for (unsigned v = 0; v < reading->locals; v++) {
            if (reading->place[place].carries[v])
                append(text, size, " %s=%lld", reading->local[v].name,
                       (long long)value[system->shown[w][v + 1]]);
        }
    }
}

static void show_state(const struct prove_obligation *obligation, const struct step_model *model,
                       const int64_t *value, char *text, size_t size)
{
    const struct prove_system *system = obligation->system;
    const struct prove_reading *reading = system->reading;
    char shown[64];
    text[0] = '\0';
    append(text, size, "n = %lld", (long long)value[system->n]);
    if (system->protocol->max_l > 1)
        append(text, size, ", l = %lld", (long long)value[system->l]);
    for (unsigned c = 0; c < reading->cells; c++) {
        const int64_t is = value[reading->cell[c].symbol];
        snprintf(shown, sizeof shown, "%lld", (long long)is);
        if (model != NULL && is >= 0 && (uint64_t)is < model->check.cell[c].field.values)
            model->check.show(&model->check, c, (uint64_t)is, shown, sizeof shown);
        append(text, size, ", %s = %s", reading->cell[c].name, shown);
    }
    if (reading->names) {
        show_processes(obligation, value, text, size);
        if (system->counts && obligation->step == NULL && obligation->of == 0)
            show_counts(system, value, text, size);
        return;
    }
    for (unsigned p = 0; p < reading->places; p++) {
        const int64_t count = value[system->at[p]];
        if (count == 0)
            continue;
        append(text, size, "; %lld at %s", (long long)count, reading->place[p].name);
        for (unsigned v = 0; v < reading->locals; v++) {
            if (reading->place[p].carries[v])
                append(text, size, " %s=%lld", reading->local[v].name,
                       (long long)value[system->role[p][v]]);
        }
    }
    if (system->marks == PROVE_WATCHED && value[system->waiter] < reading->places)
        append(text, size, "; the waiter at %s", reading->place[value[system->waiter]].name);
    if (system->marks == PROVE_MARKED && value[system->waiter] < reading->places &&
        value[system->other] < reading->places)
        append(text, size, "; the waiter at %s, the other at %s, overtaken %lld times%s",
               reading->place[value[system->waiter]].name,
               reading->place[value[system->other]].name, (long long)value[system->entries],
               value[system->returned] != 0 ? " and on the way again" : "");
}

static void show_broken(struct prove_line *line, const int64_t *value)
{
    struct prove_system *system = line->failed->system;
    if (line->failed->conjunct != NULL)
        append(line->breaks, sizeof line->breaks, "%s", line->failed->conjunct);
    if (line->failed->kind != PROVE_KEPT || line->failed->conjunct != NULL)
        return;
    for (unsigned c = 0; c < system->conjuncts; c++) {
        if (system->marks != PROVE_UNMARKED && !system->conjunct[c].waiting)
            continue;
        prove_t after = prove_after(system, line->failed->step, system->conjunct[c].condition);
        if (prove_evaluate(after, value) == 0 &&
            strstr(line->breaks, system->conjunct[c].name) == NULL)
            append(line->breaks, sizeof line->breaks, "%s%s", line->breaks[0] != '\0' ? "; " : "",
                   system->conjunct[c].name);
    }
}

/* Where there is no method, the checker is asked about few. */
enum { SOME_STATES = 20000 };
enum { MOST_STATES = 300000, MOST_PROCESSES = 5, FEW_PROCESSES = 3 };

static void explain(struct prove_run *run, struct prove_line *line)
{
    const struct prove_verdict *verdict = verdict_of(run, line->failed);
    if (line->failed == NULL || verdict == NULL || verdict->answer != PROVE_BROKEN)
        return;
    struct prove_system *system = line->failed->system;
    const bool made = make_model(run, verdict->value, &line->model);
    /* Where there are arrays, the model numbers the cells otherwise. */
    const bool shows = made && run->reading.arrays == 0;
    show_state(line->failed, shows ? &line->model : NULL, verdict->value, line->state,
               sizeof line->state);
    line->has_state = true;
    show_broken(line, verdict->value);
    if (!made || run->options.rules != NULL || system->marks != PROVE_UNMARKED ||
        line->failed->kind == PROVE_AT_FIRST)
        return;
    if (run->reading.kills) /* the checker's states have other tickets than the prover's */
        return;
    line->reached =
        run->reading.names
            ? prove_reach_names(line->failed, &line->model, verdict->value, MOST_STATES, &line->run)
            : prove_reach(&run->system, &line->model, verdict->value, MOST_STATES, &line->run);
}

/* What the checker found, if it is that the property fails. */
static bool take_refutation(struct prove_run *run, struct prove_line *line,
                            struct protocol_checked *checked)
{
    const bool out_of_range = checked->report.end == CHECK_OUT_OF_RANGE;
    for (size_t i = 0; i < checked->lines; i++) {
        struct check_result *result = &checked->line[i].result;
        if (result->query.property != line->property ||
            (result->answer != CHECK_FAILS && !out_of_range))
            continue;
        if (run->choice.model->make(&line->refuted, &checked->model.params) != NULL)
            return false;
        line->result = *result;
        result->witness = (struct check_witness){0};
        if (out_of_range)
            snprintf(line->result.about, sizeof line->result.about,
                     "a value leaves its declared range");
        return true;
    }
    return false;
}

/* Asks the checker about the property, for small sizes; true: it fails. */
static bool refutes(struct prove_run *run, struct prove_line *line, unsigned most_n)
{
    static struct protocol_checked checked;
    const struct protocol *protocol = run->choice.protocol;
    char text[256];
    if (run->options.rules != NULL)
        return false;
    for (unsigned n = protocol->min_n; n <= most_n && n <= protocol->max_n; n++) {
        for (unsigned l = 1; l <= 2; l++) {
            struct step_params params = protocol_defaults(&run->choice);
            struct check_budget budget = {.limit = (uint64_t)1 << 30};
            struct check_limits limits = {.seconds = 10,
                                          .symmetry = true,
                                          .budget = &budget,
                                          .threads = 1,
                                          .states = 2000000};
            params.n = n;
            params.l = l;
            if (protocol_refuse(&run->choice, &params, text, sizeof text) != NULL)
                continue;
            memset(&checked, 0, sizeof checked);
            if (protocol_check(&checked, &run->choice, &params, &limits,
                               UINT64_C(1) << line->property, false) != NULL)
                continue;
            const bool fails = take_refutation(run, line, &checked);
            protocol_checked_free(&checked);
            if (fails)
                return true;
        }
    }
    return false;
}

static bool assumes(const struct prove_run *run)
{
    bool any = false;
    for (unsigned s = 0; run->reading.names && s < run->reading.saids; s++)
        any |= run->reading.said[s].kind == PROVE_ASSUMED;
    return any;
}

/* Something that is taken for granted and is not so, in a state that the checker reaches. */
static void seek_untrue(struct prove_run *run)
{
    const struct protocol *protocol = run->choice.protocol;
    char text[256];
    if (!assumes(run) || run->options.rules != NULL)
        return;
    for (unsigned n = protocol->min_n; run->untrue == NULL && n <= FEW_PROCESSES; n++) {
        for (unsigned l = 1; run->untrue == NULL && l <= 2; l++) {
            struct step_params params = protocol_defaults(&run->choice);
            params.n = n;
            params.l = l;
            params.as_it_is = true;
            if (protocol_refuse(&run->choice, &params, text, sizeof text) != NULL ||
                run->choice.model->make(&run->untrue_in, &params) != NULL)
                continue;
            run->untrue =
                prove_reach_untrue(&run->system, &run->untrue_in, SOME_STATES, &run->untrue_run);
        }
    }
}

static void prove_line(struct prove_run *run, struct prove_line *line)
{
    const bool decided = prove_decide(run, line);
    if (decided && run->untrue != NULL && line->obligations > 0) {
        snprintf(line->why, sizeof line->why,
                 "\"%s\" is taken for granted, and is not so: the checker comes to such a state "
                 "with n = %u",
                 run->untrue, run->untrue_in.params.n);
        return;
    }
    if (decided) {
        /* The checker has the last word where it can have one. */
        line->status =
            refutes(run, line, run->reading.kills ? run->choice.protocol->min_n : FEW_PROCESSES)
                ? PROVE_REFUTED
                : PROVE_PROVED;
        if (line->status == PROVE_REFUTED && line->property == CHECK_NO_MEMORY)
            snprintf(line->why, sizeof line->why, "the rules are not all that happens");
        else if (line->status == PROVE_REFUTED)
            snprintf(line->why, sizeof line->why,
                     "all obligations were discharged, and yet the checker refutes it: this is an "
                     "error in berth");
        return;
    }
    explain(run, line);
    /* Without one of its invariants, it is the proof that is looked at. */
    const unsigned most = run->reading.kills     ? run->choice.protocol->min_n
                          : line->failed == NULL ? FEW_PROCESSES
                                                 : MOST_PROCESSES;
    if (run->options.ask && run->options.without == NULL && refutes(run, line, most))
        line->status = PROVE_REFUTED;
}

static void for_each_claim(struct prove_run *run,
                           void (*decide_one)(struct prove_run *run, struct prove_line *line))
{
    const struct protocol_variant *variant = &run->choice.protocol->variants[run->choice.variant];
    const uint64_t only = run->options.only;
    run->status = PROVE_PROVED;
    for (size_t c = 0; c < variant->claim_count; c++) {
        const struct protocol_claim *claim = &variant->claims[c];
        if (only == 0 ? claim->stance != CLAIMED : (only >> claim->property & 1) == 0)
            continue;
        struct prove_line *line = &run->line[run->lines++];
        *line = (struct prove_line){.property = claim->property,
                                    .claim = claim->stance == CLAIMED ? claim : NULL};
        const atomic_uint *interrupts = run->options.interrupts;
        const bool ended = interrupts != NULL && atomic_load(interrupts) > 0;
        if (!ended && run->options.progress != NULL)
            run->options.progress(check_property_name(claim->property), run->lines - 1);
        if (ended)
            snprintf(line->why, sizeof line->why, "interrupted");
        else
            decide_one(run, line);
        if (line->status == PROVE_REFUTED || run->status == PROVE_PROVED)
            run->status = line->status;
    }
}

/* ---- a protocol for one number of processes ---- */

/* There is one size, no other parameter, and nothing that cuts runs off: what the checker
 * explores is everything. */
static bool is_one_size(const struct protocol *protocol)
{
    const bool takes_more = protocol->takes_ranker || protocol->takes_graph ||
                            protocol->takes_reads || protocol_options(protocol) > 0;
    const bool is_cut_off = protocol->default_limit != 0 || protocol->cuts_off ||
                            protocol->counts_for_ever || protocol->fault == STEP_FAULT_KILL;
    return protocol->min_n == protocol->max_n && protocol->max_l == 1 && !takes_more && !is_cut_off;
}

static void check_line(struct prove_run *run, struct prove_line *line)
{
    static struct protocol_checked checked;
    const struct step_params params = protocol_defaults(&run->choice);
    struct check_budget budget = {.limit = (uint64_t)1 << 30};
    struct check_limits limits = {
        .seconds = run->options.seconds, .budget = &budget, .threads = 1, .states = 2000000};
    const double began = check_clock();
    memset(&checked, 0, sizeof checked);
    line->rests_on = "the checker: this n is every n";
    snprintf(line->why, sizeof line->why, "the checker does not decide it");
    if (protocol_check(&checked, &run->choice, &params, &limits, UINT64_C(1) << line->property,
                       false) == NULL) {
        for (size_t i = 0; i < checked.lines; i++) {
            if (checked.line[i].result.query.property == line->property &&
                checked.report.end == CHECK_COMPLETE &&
                checked.line[i].result.answer == CHECK_HOLDS)
                line->status = PROVE_PROVED;
        }
        if (line->status == PROVE_PROVED)
            line->why[0] = '\0';
        else if (take_refutation(run, line, &checked))
            line->status = PROVE_REFUTED;
    }
    protocol_checked_free(&checked);
    line->seconds = check_clock() - began;
}

static const char *prove_by_checking(struct prove_run *run, double began)
{
    for_each_claim(run, check_line);
    run->seconds = check_clock() - began;
    return run->lines == 0 ? "nothing of this is claimed" : NULL;
}

const char *prove_all(struct prove_run *run, const struct protocol_choice *choice,
                      const struct prove_options *options)
{
    const struct protocol *protocol = choice->protocol;
    const double began = check_clock();
    memset(run, 0, sizeof *run);
    run->choice = *choice;
    run->options = *options;
    const char *text = options->rules != NULL ? options->rules
                       : options->own != NULL ? options->own
                                              : prove_rules_text(protocol->file);
    if (text == NULL && is_one_size(protocol))
        return prove_by_checking(run, began);
    if (text == NULL)
        return "the protocol's file has no PROOF section, or there was no C++ compiler to read it";
    const char *error = prove_read(&run->reading, &run->pool, text, choice->variant);
    if (error == NULL && run->reading.names)
        error = prove_names_make(&run->system, &run->reading, protocol, options->without);
    else if (error == NULL)
        error = prove_system_make(&run->system, &run->reading, protocol, PROVE_UNMARKED,
                                  options->without);
    if (error == NULL && !run->reading.names)
        error = prove_system_make(&run->marked, &run->reading, protocol, PROVE_MARKED,
                                  options->without);
    if (error == NULL && !run->reading.names)
        error = prove_system_make(&run->watched, &run->reading, protocol, PROVE_WATCHED,
                                  options->without);
    if (error == NULL)
        error = prove_make_groups(run);
    if (error != NULL)
        return error;
    seek_untrue(run);
    for_each_claim(run, prove_line);
    run->seconds = check_clock() - began;
    return run->lines == 0 ? "nothing of this is claimed" : NULL;
}

void prove_free(struct prove_run *run)
{
    for (size_t i = 0; i < run->lines; i++) {
        check_witness_free(&run->line[i].run);
        check_witness_free(&run->line[i].result.witness);
    }
    for (unsigned g = 0; g < PROVE_GROUPS; g++)
        prove_obligations_free(&run->group[g].list);
    check_witness_free(&run->untrue_run);
    prove_pool_free(&run->pool);
}

bool prove_taken_for_granted(const struct prove_run *run, unsigned number, const char **name,
                             char *condition, size_t size)
{
    const struct prove_reading *reading = &run->reading;
    prove_t found = NULL;
    if (number < reading->constants) {
        *name = reading->constant[number].name;
        found = reading->constant[number].condition;
    }
    for (unsigned s = 0, at = reading->constants; s < reading->saids; s++) {
        if (reading->names && reading->said[s].kind == PROVE_ASSUMED && at++ == number) {
            *name = reading->said[s].name;
            found = reading->said[s].as_said;
        }
    }
    if (found != NULL)
        prove_shown(&run->pool, found, condition, size);
    return found != NULL;
}
