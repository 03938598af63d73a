/*
 * A smallest set of stores that have to be ordered, that is, reach memory before the process goes
 * on, for the claims of a protocol to hold where stores wait in buffers.
 *
 * Each check that fails has a witness. The stores that waited in it (were not the next thing to
 * reach memory after they had been made with an empty buffer) are a set D, and the same run can be
 * made with any set of ordered stores that has none of D in it: a store that did not wait may as
 * well be ordered. So every set that will do has one of D in it. A smallest set that has one of
 * each D found so far is tried next; if the claims hold with it, nothing smaller will do.
 * Otherwise its witness adds a D that it has nothing of.
 */
#include "fences.h"
#include "memory_options.h"
#include "schedule_replay.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 1000 };

struct search {
    const struct cli_system *system;
    const struct check_limits *limits;
    uint64_t only;
    struct step_ordered stores; /* all that have waited in some witness */
    const char *file[STEP_MAX_ORDERED];
    uint64_t waited[MOST_ROUNDS]; /* sets of those: one of each has to be ordered */
    unsigned rounds;
    uint64_t chosen;
    struct step_ordered ordered; /* the chosen ones */
    const char *failed;          /* what fails with nothing ordered; NULL: nothing does */
    bool full;                   /* a buffer was, in the last check */
};

static uint64_t bit_of(struct search *search, const struct check_note *note)
{
    struct step_ordered *stores = &search->stores;
    unsigned i = 0;
    while (i < stores->count && (stores->access[i].line != note->line ||
                                 strcmp(stores->access[i].label, note->label) != 0))
        i++;
    if (i == STEP_MAX_ORDERED)
        return 0;
    if (i == stores->count) {
        stores->access[i] = (struct step_access){note->label, note->line};
        search->file[i] = note->file;
        stores->count++;
    }
    return UINT64_C(1) << i;
}

/* The stores that waited in the run. */
static uint64_t waited_in(struct search *search, const struct step_model *model,
                          const struct check_witness *run)
{
    const struct check_model *check = &model->check;
    const unsigned workers = check_workers(check);
    struct cli_replay replay;
    uint64_t set = 0;
    cli_replay_begin(&replay, check);
    for (size_t s = 0; s < run->length && cli_replay_move(&replay, run->edge[s]); s++) {
        const unsigned p = replay.process;
        if (p >= workers)
            continue;
        const unsigned before = step_memory_waiting(model, replay.before, p);
        const bool at_once = before == 0 && s + 1 < run->length &&
                             run->edge[s + 1] == workers + p && s + 1 != run->stem;
        if (step_memory_waiting(model, replay.state, p) > before && !at_once)
            set |= bit_of(search, &replay.note);
    }
    return set;
}

static void choose(struct search *search, uint64_t set)
{
    search->chosen = set;
    search->ordered.count = 0;
    for (; set != 0; set &= set - 1)
        search->ordered.access[search->ordered.count++] =
            search->stores.access[__builtin_ctzll(set)];
}

static bool hits_all(const struct search *search, uint64_t set)
{
    for (unsigned r = 0; r < search->rounds; r++) {
        if ((search->waited[r] & set) == 0)
            return false;
    }
    return true;
}

/* Adds `more` stores, from number `from` on, so that every witness has one of them. */
static bool hit(struct search *search, uint64_t set, unsigned from, unsigned more)
{
    if (more == 0) {
        if (hits_all(search, set))
            choose(search, set);
        return search->chosen == set && hits_all(search, set);
    }
    for (unsigned i = from; i + more <= search->stores.count; i++) {
        if (hit(search, set | UINT64_C(1) << i, i + 1, more - 1))
            return true;
    }
    return false;
}

static void choose_smallest(struct search *search)
{
    for (unsigned size = 1; size <= search->stores.count; size++) {
        if (hit(search, 0, 0, size))
            return;
    }
}

enum outcome { HOLDS, FAILS, HOPELESS, INCOMPLETE };

/* One check with the chosen stores ordered. */
static enum outcome try_once(struct search *search, struct protocol_checked *checked,
                             const char **error)
{
    struct step_params params = search->system->params;
    params.ordered = &search->ordered;
    *error = protocol_check(checked, &search->system->choice, &params, search->limits, search->only,
                            false);
    if (*error != NULL || checked->verdict == PROTOCOL_INCOMPLETE)
        return INCOMPLETE;
    if (checked->verdict == PROTOCOL_AS_CLAIMED && search->only == 0)
        return HOLDS;
    bool failed = checked->report.end == CHECK_OUT_OF_RANGE;
    uint64_t set = 0;
    const char *fails = "a step that must not be made";
    for (size_t i = 0; i < checked->lines && !failed; i++) {
        const struct protocol_line *line = &checked->line[i];
        const bool counts = search->only != 0 || (line->claim != NULL && line->stance == CLAIMED);
        if (!counts || line->result.answer != CHECK_FAILS)
            continue;
        failed = true;
        fails = check_property_name(line->result.query.property);
        if (line->result.witness.edge != NULL)
            set = waited_in(search, &checked->model, &line->result.witness);
    }
    if (checked->report.end == CHECK_OUT_OF_RANGE)
        set = waited_in(search, &checked->model, &checked->report.slip.witness);
    if (!failed)
        return search->only != 0 ? HOLDS : HOPELESS;
    if (search->rounds == 0)
        search->failed = fails;
    search->waited[search->rounds++] = set;
    return set == 0 ? HOPELESS : FAILS;
}

static json_t *fences_json(const struct search *search, enum outcome outcome)
{
    const struct step_params *params = &search->system->params;
    json_t *list = json_array();
    char name[128];
    protocol_full_name(&search->system->choice, name, sizeof name);
    for (uint64_t left = search->chosen; outcome == HOLDS && left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        json_array_append_new(
            list, json_pack("{s:s, s:s?, s:i}", "label", search->stores.access[i].label, "file",
                            search->file[i], "line", (int)search->stores.access[i].line));
    }
    return json_pack("{s:s, s:i, s:i, s:s, s:i, s:o, s:b, s:s?, s:i, s:b}", "protocol", name, "n",
                     (int)params->n, "l", (int)params->l, "memory_model",
                     params->memory == STEP_TSO ? "tso" : "native", "buffer", (int)params->buffer,
                     "fences", list, "enough", outcome == HOLDS, "fails", search->failed, "rounds",
                     (int)search->rounds, "buffer_was_full", search->full);
}

static void print_fences(const struct search *search, enum outcome outcome)
{
    char name[128];
    protocol_full_name(&search->system->choice, name, sizeof name);
    printf("%s  n=%u", name, search->system->params.n);
    cli_print_memory(&search->system->params);
    putchar('\n');
    if (search->failed != NULL)
        printf("with nothing ordered: %s fails\n", search->failed);
    if (outcome == HOPELESS)
        printf("no set of stores that are ordered is enough\n");
    else if (search->ordered.count == 0)
        printf("as claimed, with nothing ordered\n");
    else
        printf("as claimed, with %u %s ordered, and with no fewer:\n", search->ordered.count,
               search->ordered.count == 1 ? "store" : "stores");
    if (outcome == HOLDS && search->full)
        printf("a buffer was full: with --buffer %u there are more runs\n",
               search->system->params.buffer + 1);
    for (uint64_t left = search->chosen; outcome == HOLDS && left != 0; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        printf("  %-10s %s, line %u\n", search->stores.access[i].label,
               search->file[i] != NULL ? search->file[i] : "", search->stores.access[i].line);
    }
}

int cli_fences(const struct cli_system *system, const struct check_limits *limits, uint64_t only,
               bool json)
{
    static struct protocol_checked checked;
    static struct search search;
    enum outcome outcome = FAILS;
    search.system = system;
    search.limits = limits;
    search.only = only;
    while (outcome == FAILS && search.rounds < MOST_ROUNDS) {
        const char *error;
        outcome = try_once(&search, &checked, &error);
        if (error != NULL)
            return cli_cannot_make(&system->choice, &checked.model, error);
        if (outcome == INCOMPLETE) {
            protocol_checked_free(&checked);
            return cli_error(CLI_INCOMPLETE, "memory or time ran out in check %u",
                             search.rounds + 1);
        }
        search.full = step_memory_was_full(&checked.model);
        if (outcome == FAILS)
            choose_smallest(&search);
        protocol_checked_free(&checked);
    }
    const int status = outcome == HOLDS ? CLI_OK : CLI_OTHERWISE;
    if (json) {
        const int printed = cli_print_json(fences_json(&search, outcome));
        return printed != CLI_OK ? printed : status;
    }
    print_fences(&search, outcome);
    return cli_flush(status);
}
