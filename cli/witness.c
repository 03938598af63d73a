/* A witness for a person, differences only, and for a program. */
#include "cli.h"

#include <string.h>

static const char *region_name(enum check_region region)
{
    static const char *const names[] = {"remainder", "doorway", "trying",
                                        "critical",  "exit",    "dead"};
    return names[region];
}

static void cell_name(const struct check_model *model, int c, char *text, size_t size)
{
    if (model->cell[c].index < 0)
        snprintf(text, size, "%s", model->cell[c].name);
    else
        snprintf(text, size, "%s[%d]", model->cell[c].name, model->cell[c].index);
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
        cell_name(model, (int)c, cell, sizeof cell);
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
    if (note->access == CHECK_ALL) {
        changes_text(model, state, next, text, size);
        return;
    }
    if (note->cell < 0 || note->access == CHECK_NO_ACCESS) {
        snprintf(text, size, "%s", "no access");
        return;
    }
    cell_name(model, note->cell, cell, sizeof cell);
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

void cli_witness_text(FILE *stream, const struct check_model *model,
                      const struct check_result *result)
{
    const struct check_witness *witness = &result->witness;
    uint64_t state[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS];
    model->initial(model, state);
    fprintf(stream, "%s fails: %s\n", check_property_name(result->query.property), result->about);
    for (size_t s = 0; s < witness->length; s++) {
        struct check_note note;
        char move[512], before[256], after[256];
        unsigned p = witness->edge[s] % model->n;
        if (!model->describe(model, state, witness->edge[s], next, &note))
            break;
        if (s == witness->stem)
            fprintf(stream, "  --- from here on for ever ---\n");
        move_text(model, state, next, &note, move, sizeof move);
        model->show_local(model, state, p, before, sizeof before);
        model->show_local(model, next, p, after, sizeof after);
        enum check_region from = check_region_of(model, state, p);
        enum check_region to = check_region_of(model, next, p);
        fprintf(stream, "  %4zu  P%u %-10s %s", s + 1, p, note.label, move);
        if (strcmp(before, after) != 0)
            fprintf(stream, "%s%s", *after != '\0' ? "; " : "", *after != '\0' ? after : "");
        if (from != to)
            fprintf(stream, "; %s -> %s", region_name(from), region_name(to));
        else if (check_same_state(state, next, model->words))
            fprintf(stream, "; waits");
        fputc('\n', stream);
        memcpy(state, next, sizeof state);
    }
    if (witness->length > 0 && witness->stem < witness->length)
        fprintf(stream, "  --- back to after step %zu ---\n", witness->stem);
}

static json_t *cells_json(const struct check_model *model, const uint64_t *state)
{
    json_t *cells = json_object();
    for (unsigned c = 0; c < model->cells; c++) {
        char name[64], value[64];
        cell_name(model, (int)c, name, sizeof name);
        model->show(model, c, check_get(state, model->cell[c].field), value, sizeof value);
        json_object_set_new(cells, name, json_string(value));
    }
    return cells;
}

json_t *cli_witness_json(const struct check_model *model, const struct check_result *result)
{
    static const char *const accesses[] = {"none", "read", "write", "update", "fault", "all"};
    const struct check_witness *witness = &result->witness;
    uint64_t state[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS];
    model->initial(model, state);
    json_t *initial = cells_json(model, state);
    json_t *steps = json_array();
    for (size_t s = 0; s < witness->length; s++) {
        struct check_note note;
        unsigned p = witness->edge[s] % model->n;
        if (!model->describe(model, state, witness->edge[s], next, &note))
            break;
        char cell[64] = "", value[256] = "", local[256];
        if (note.cell >= 0) {
            cell_name(model, note.cell, cell, sizeof cell);
            model->show(model, (unsigned)note.cell, note.value, value, sizeof value);
        } else if (note.access == CHECK_ALL)
            changes_text(model, state, next, value, sizeof value);
        model->show_local(model, next, p, local, sizeof local);
        json_array_append_new(steps,
                              json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s}", "process", (int)p,
                                        "label", note.label, "access", accesses[note.access],
                                        "cell", cell, "value", value, "locals", local, "region",
                                        region_name(check_region_of(model, next, p))));
        memcpy(state, next, sizeof state);
    }
    return json_pack("{s:s, s:s, s:o, s:I, s:o, s:o}", "property",
                     check_property_name(result->query.property), "about", result->about, "initial",
                     initial, "stem", (json_int_t)witness->stem, "cycle",
                     witness->stem < witness->length ? json_true() : json_false(), "steps", steps);
}
