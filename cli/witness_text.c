/* A run for a person, differences only, and for a program. */
#include "cli.h"

#include "schedule_replay.h"
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

static const char *region_name(enum check_region region)
{
    static const char *const names[] = {"remainder", "doorway", "trying",    "critical",
                                        "exit",      "dead",    "supervisor"};
    return names[region];
}

void cli_cell_name(const struct check_model *model, int c, char *text, size_t size)
{
    if (model->cell[c].index < 0)
        snprintf(text, size, "%s", model->cell[c].name);
    else
        snprintf(text, size, "%s[%d]", model->cell[c].name, model->cell[c].index);
}

void cli_process_name(const struct check_model *model, unsigned p, char *text, size_t size)
{
    const unsigned workers = check_workers(model);
    if (p < workers)
        snprintf(text, size, "P%u", p);
    else if (model->agent == NULL)
        snprintf(text, size, "S"); /* the supervisor */
    else
        snprintf(text, size, "%s%u", model->agent, p - workers);
}

/* What a step over the whole variable changed, as "issue: 1 -> 2, quant[0]: 1 -> 0". */
static void changes_text(const struct check_model *model, const uint64_t *state,
                         const uint64_t *next, char *text, size_t size)
{
    uint64_t before[CHECK_MAX_CELLS], after[CHECK_MAX_CELLS];
    size_t used = 0;
    model->cell_values(model, state, before);
    model->cell_values(model, next, after);
    snprintf(text, size, "%s", "reads all");
    for (unsigned c = 0; c < model->cells && used < size; c++) {
        char cell[64], value[64], old[64];
        if (before[c] == after[c])
            continue;
        cli_cell_name(model, (int)c, cell, sizeof cell);
        model->show(model, c, before[c], old, sizeof old);
        model->show(model, c, after[c], value, sizeof value);
        const int length = snprintf(text + used, size - used, "%s%s: %s -> %s",
                                    used > 0 ? ", " : "", cell, old, value);
        used += length > 0 ? (size_t)length : 0;
    }
}

/* One move, as "S[1]: D -> 0", "reads S[0] = D" and the like. */
static void move_text(const struct check_model *model, const uint64_t *state, const uint64_t *next,
                      const struct check_note *note, char *text, size_t size)
{
    char cell[64], value[64], old[64];
    if (note->says != NULL) {
        snprintf(text, size, "%s", note->says);
        return;
    }
    if (note->access == CHECK_ALL) {
        changes_text(model, state, next, text, size);
        return;
    }
    if (note->cell < 0 || note->access == CHECK_NO_ACCESS) {
        snprintf(text, size, "%s", "no access");
        return;
    }
    cli_cell_name(model, note->cell, cell, sizeof cell);
    model->show(model, (unsigned)note->cell, note->value, value, sizeof value);
    model->show(model, (unsigned)note->cell, note->old, old, sizeof old);
    if (note->access == CHECK_READ)
        snprintf(text, size, "reads %s = %s", cell, value);
    else if (note->access == CHECK_UPDATE && note->value == note->old)
        snprintf(text, size, "reads %s = %s", cell, value);
    else if (note->access == CHECK_UPDATE)
        snprintf(text, size, "%s: %s -> %s", cell, old, value);
    else
        snprintf(text, size, "%s := %s", cell, value);
}

void cli_run_text(FILE *stream, const struct check_model *model, const struct check_witness *run)
{
    struct cli_replay replay;
    cli_replay_begin(&replay, model);
    for (size_t s = 0; s < run->length && cli_replay_move(&replay, run->edge[s]); s++) {
        char move[512], before[256], after[256];
        const unsigned p = replay.process;
        if (s == run->stem)
            fprintf(stream, "  --- from here on for ever ---\n");
        move_text(model, replay.before, replay.state, &replay.note, move, sizeof move);
        model->show_local(model, replay.before, p, before, sizeof before);
        model->show_local(model, replay.state, p, after, sizeof after);
        enum check_region from = check_region_of(model, replay.before, p);
        enum check_region to = check_region_of(model, replay.state, p);
        char who[16];
        cli_process_name(model, p, who, sizeof who);
        fprintf(stream, "  %4zu  %-2s %-10s %s", s + 1, who, replay.note.label, move);
        if (strcmp(before, after) != 0)
            fprintf(stream, "%s%s", *after != '\0' ? "; " : "", *after != '\0' ? after : "");
        if (from != to)
            fprintf(stream, "; %s -> %s", region_name(from), region_name(to));
        else if (check_same_state(replay.before, replay.state, model->words))
            fprintf(stream, "; waits");
        fputc('\n', stream);
    }
    if (run->length > 0 && run->stem < run->length)
        fprintf(stream, "  --- back to after step %zu ---\n", run->stem);
}

void cli_witness_text(FILE *stream, const struct check_model *model,
                      const struct check_result *result)
{
    fprintf(stream, "%s fails: %s\n", check_property_name(result->query.property), result->about);
    cli_run_text(stream, model, &result->witness);
}

static json_t *cells_json(const struct check_model *model, const uint64_t *state)
{
    json_t *cells = json_object();
    for (unsigned c = 0; c < model->cells; c++) {
        char name[64], value[64];
        cli_cell_name(model, (int)c, name, sizeof name);
        model->show(model, c, check_get(state, model->cell[c].field), value, sizeof value);
        json_object_set_new(cells, name, json_string(value));
    }
    return cells;
}

/* The shared variables that a move changed, with their new values. */
static json_t *changes_json(const struct check_model *model, const uint64_t *before,
                            const uint64_t *after)
{
    json_t *changes = json_object();
    for (unsigned c = 0; c < model->cells; c++) {
        char name[64], value[64];
        const uint64_t now = check_get(after, model->cell[c].field);
        if (now == check_get(before, model->cell[c].field))
            continue;
        cli_cell_name(model, (int)c, name, sizeof name);
        model->show(model, c, now, value, sizeof value);
        json_object_set_new(changes, name, json_string(value));
    }
    return changes;
}

json_t *cli_run_json(const struct check_model *model, const struct check_witness *run)
{
    static const char *const accesses[] = {"none", "read", "write", "update", "fault", "all"};
    struct cli_replay replay;
    cli_replay_begin(&replay, model);
    json_t *initial = cells_json(model, replay.state);
    json_t *steps = json_array();
    for (size_t s = 0; s < run->length && cli_replay_move(&replay, run->edge[s]); s++) {
        const unsigned p = replay.process;
        const struct check_note *note = &replay.note;
        char cell[64] = "", value[256] = "", local[256];
        if (note->cell >= 0) {
            cli_cell_name(model, note->cell, cell, sizeof cell);
            model->show(model, (unsigned)note->cell, note->value, value, sizeof value);
        } else if (note->access == CHECK_ALL) {
            changes_text(model, replay.before, replay.state, value, sizeof value);
        }
        model->show_local(model, replay.state, p, local, sizeof local);
        json_array_append_new(
            steps, json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "process", (int)p, "label",
                             note->label, "access", accesses[note->access], "cell", cell, "value",
                             value, "locals", local, "region",
                             region_name(check_region_of(model, replay.state, p)), "changes",
                             changes_json(model, replay.before, replay.state)));
    }
    char *schedule = cli_schedule_text(model, run->edge, run->length);
    json_t *object =
        json_pack("{s:o, s:I, s:b, s:s*, s:o}", "initial", initial, "stem", (json_int_t)run->stem,
                  "cycle", run->stem < run->length, "schedule", schedule, "steps", steps);
    free(schedule);
    return object;
}

json_t *cli_witness_json(const struct check_model *model, const struct check_result *result)
{
    json_t *object = json_pack("{s:s, s:s}", "property",
                               check_property_name(result->query.property), "about", result->about);
    json_t *run = cli_run_json(model, &result->witness);
    if (object == NULL || run == NULL || json_object_update(object, run) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(run);
    return object;
}
