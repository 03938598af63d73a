/* What a page knows of a run: see page.h. */
#include "page.h"

#include "protocol/source.h"

#include <string.h>

enum { CHECKS = 3 };
static const enum check_property checks[CHECKS] = {CHECK_EXCLUSION, CHECK_DISTINCT_SLOTS,
                                                   CHECK_INVARIANTS};

void cli_page_begin(struct cli_page *page, const struct protocol_choice *choice,
                    const struct step_model *model, const struct cli_outlook *outlook)
{
    *page = (struct cli_page){.choice = choice,
                              .model = model,
                              .outlook = outlook,
                              .strings = json_array(),
                              .string_numbers = json_object(),
                              .places = json_array(),
                              .place_numbers = json_object(),
                              .runs = json_array()};
}

/* ---- tables ---- */

/* The number of `value`, which is dropped, in the list, where `numbers` knows it by `key`. */
static int number_of(json_t *list, json_t *numbers, const char *key, json_t *value)
{
    const json_t *known = json_object_get(numbers, key);
    if (known != NULL) {
        json_decref(value);
        return (int)json_integer_value(known);
    }
    const int number = (int)json_array_size(list);
    json_array_append_new(list, value);
    json_object_set_new(numbers, key, json_integer(number));
    return number;
}

static int string_of(struct cli_page *page, const char *text)
{
    return number_of(page->strings, page->string_numbers, text, json_string(text));
}

static int place_of(struct cli_page *page, const struct check_note *note)
{
    const struct text_file *source = note->file == NULL ? NULL : protocol_source_find(note->file);
    const unsigned line =
        source == NULL ? 0 : protocol_source_line(source, note->line, note->label);
    const int file = string_of(page, source == NULL ? "" : source->path);
    const int label = string_of(page, note->label);
    char key[64];
    snprintf(key, sizeof key, "%d %d %u", label, file, line);
    return number_of(page->places, page->place_numbers, key,
                     json_pack("[i, i, i]", label, file, (int)line));
}

/* ---- a state ---- */

static int cell_string(struct cli_page *page, const uint64_t *state, unsigned c)
{
    const struct check_model *model = &page->model->check;
    char value[64];
    model->show(model, c, check_get(state, model->cell[c].field), value, sizeof value);
    return string_of(page, value);
}

static int locals_string(struct cli_page *page, const uint64_t *state, unsigned p)
{
    const struct check_model *model = &page->model->check;
    char locals[256];
    model->show_local(model, state, p, locals, sizeof locals);
    return string_of(page, locals);
}

static int broken_in(const struct check_model *model, const uint64_t *state)
{
    int set = 0;
    for (unsigned c = 0; c < CHECKS; c++)
        set |= check_state_breaks(model, state, checks[c]) << c;
    return set;
}

static json_t *initial_json(struct cli_page *page, const uint64_t *state)
{
    const struct check_model *model = &page->model->check;
    json_t *cells = json_array(), *regions = json_array(), *locals = json_array();
    for (unsigned c = 0; c < model->cells; c++)
        json_array_append_new(cells, json_integer(cell_string(page, state, c)));
    for (unsigned p = 0; p < model->n; p++) {
        json_array_append_new(regions, json_integer(check_region_of(model, state, p)));
        json_array_append_new(locals, json_integer(locals_string(page, state, p)));
    }
    return json_pack("{s:o, s:o, s:o, s:i, s:i}", "cells", cells, "regions", regions, "locals",
                     locals, "enabled", cli_outlook_enabled(page->outlook, state), "broken",
                     broken_in(model, state));
}

/* ---- a step ---- */

static void add_triple(json_t **list, int what, unsigned which, int value)
{
    if (*list == NULL)
        *list = json_array();
    json_array_append_new(*list, json_integer(what));
    json_array_append_new(*list, json_integer(which));
    json_array_append_new(*list, json_integer(value));
}

/* What the move changed in addition to its access: several stores of a fault, or NORMAL. */
static json_t *others_json(struct cli_page *page, const uint64_t *before, const uint64_t *after,
                           unsigned process, const struct check_note *note)
{
    const struct check_model *model = &page->model->check;
    json_t *others = NULL;
    for (unsigned c = 0; c < model->cells; c++) {
        const struct check_field field = model->cell[c].field;
        const bool stored =
            note->cell == (int)c && note->access != CHECK_READ && note->access != CHECK_NO_ACCESS;
        if (check_get(after, field) != (stored ? note->value : check_get(before, field)))
            add_triple(&others, 0, c, cell_string(page, after, c));
    }
    for (unsigned p = 0; p < model->n; p++) {
        const int locals = locals_string(page, after, p);
        if (p != process && locals != locals_string(page, before, p))
            add_triple(&others, 1, p, locals);
    }
    return others;
}

static json_t *step_json(struct cli_page *page, const uint64_t *before, const uint64_t *after,
                         unsigned edge, const struct check_note *note)
{
    const struct check_model *model = &page->model->check;
    const unsigned p = edge % model->n;
    char value[64] = "";
    if (note->cell >= 0)
        model->show(model, (unsigned)note->cell, note->value, value, sizeof value);
    json_t *step = json_pack("[i, i, i, i, i, i, i, i, i, i]", (int)edge, place_of(page, note),
                             (int)note->access, note->cell, string_of(page, value),
                             (int)check_region_of(model, after, p), locals_string(page, after, p),
                             cli_outlook_enabled(page->outlook, after), broken_in(model, after),
                             (int)check_same_state(before, after, model->words));
    json_t *others = others_json(page, before, after, p, note);
    if (others != NULL)
        json_array_append_new(step, others);
    return step;
}

/* Where each process stands, by its next step; and, if `moves`, all that can be done. */
static void add_outlook(struct cli_page *page, json_t *object, const struct cli_replay *replay,
                        bool moves)
{
    const struct check_model *model = &page->model->check;
    json_t *standing = json_array(), *list = json_array();
    for (unsigned e = 0; e < model->n * model->kinds; e++) {
        struct check_note note;
        uint64_t next[CHECK_MAX_WORDS];
        const bool can = cli_replay_next(replay, e, next, &note);
        if (e < model->n)
            json_array_append_new(standing, json_integer(can ? place_of(page, &note) : -1));
        if (can && moves)
            json_array_append_new(list, step_json(page, replay->state, next, e, &note));
    }
    json_object_set_new(object, "standing", standing);
    if (moves)
        json_object_set_new(object, "moves", list);
    json_decref(moves ? NULL : list);
}

void cli_page_add(struct cli_page *page, const struct check_witness *run,
                  const struct protocol_line *line, bool moves)
{
    const struct check_model *model = &page->model->check;
    struct cli_replay replay;
    cli_replay_begin(&replay, model);
    json_t *initial = initial_json(page, replay.state), *steps = json_array();
    for (size_t s = 0; s < run->length && cli_replay_move(&replay, run->edge[s]); s++)
        json_array_append_new(
            steps, step_json(page, replay.before, replay.state, run->edge[s], &replay.note));
    json_t *object =
        json_pack("{s:o, s:I, s:b, s:o}", "initial", initial, "stem", (json_int_t)run->stem,
                  "cycle", run->stem < run->length, "steps", steps);
    if (line != NULL) {
        const enum check_property property = line->result.query.property;
        const char *meaning = check_property_meaning(property);
        json_object_set_new(object, "property", json_string(check_property_name(property)));
        json_object_set_new(object, "about", json_string(line->result.about));
        json_object_set_new(object, "meaning", json_string(meaning == NULL ? "" : meaning));
        json_object_set_new(object, "claimed",
                            line->claim == NULL ? json_null()
                                                : json_boolean(line->stance == CLAIMED));
        json_object_set_new(
            object, "source",
            json_string(
                line->claim == NULL ? "" : protocol_basis(line->claim, (char[PROTOCOL_BASIS]){0})));
    }
    add_outlook(page, object, &replay, moves);
    json_array_append_new(page->runs, object);
}

/* ---- the whole ---- */

/* The source at `path` and those of the catalogue that it includes, each once. An include is looked
 * for beside the file, and below src. */
static void add_sources(json_t *files, const char *path)
{
    static const char include[] = "\n#include \"";
    const struct text_file *source = protocol_source_find(path);
    if (source == NULL || json_object_get(files, source->path) != NULL)
        return;
    json_object_set_new(files, source->path, json_string(source->text));
    const int folder = (int)(strrchr(source->path, '/') - source->path);
    for (const char *at = source->text; (at = strstr(at, include)) != NULL;) {
        char name[256];
        at += sizeof include - 1;
        const int length = (int)strcspn(at, "\"\n");
        snprintf(name, sizeof name, "%.*s/%.*s", folder, source->path, length, at);
        add_sources(files, name);
        snprintf(name, sizeof name, "src/%.*s", length, at);
        add_sources(files, name);
    }
}

/* What the invariants are called, one after the other. */
static void invariants_text(const struct protocol *protocol, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < PROTOCOL_MAX_INVARIANTS && protocol->invariants[i] != NULL; i++) {
        const int length =
            snprintf(text + used, size - used, "%s%s", i > 0 ? "; " : "", protocol->invariants[i]);
        if (length < 0 || used + (size_t)length >= size)
            return;
        used += (size_t)length;
    }
}

static json_t *checks_json(const struct step_model *model)
{
    json_t *list = json_array();
    for (unsigned c = 0; c < CHECKS; c++) {
        char about[512];
        snprintf(about, sizeof about, "%s", check_property_meaning(checks[c]));
        if (checks[c] == CHECK_INVARIANTS)
            invariants_text(model->protocol, about, sizeof about);
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "name",
                                              check_property_name(checks[c]), "meaning", about,
                                              "applies", check_applies(&model->check, checks[c])));
    }
    return list;
}

json_t *cli_page_end(struct cli_page *page, bool sources)
{
    const struct step_params *params = &page->model->params;
    const struct check_model *model = &page->model->check;
    const struct protocol *protocol = page->choice->protocol;
    json_t *cells = json_array(), *values = json_array(), *files = json_object();
    for (unsigned c = 0; c < model->cells; c++) {
        char name[64];
        cli_cell_name(model, (int)c, name, sizeof name);
        json_array_append_new(cells, json_string(name));
        json_array_append_new(values, json_integer((json_int_t)model->cell[c].field.values));
    }
    const char *file = protocol->file == NULL ? "" : protocol->file; /* a table has none */
    if (sources)
        add_sources(files, file);
    char name[128];
    protocol_full_name(page->choice, name, sizeof name);
    json_t *data = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:b, s:b, s:s, s:s, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o}",
        "version", 1, "protocol", name, "title", protocol->title, "citation", protocol->citation,
        "about", protocol->variants[page->choice->variant].about, "file", file, "n", (int)params->n,
        "movers", (int)model->n, "l", (int)params->l, "k", (int)params->k, "limit",
        (int)params->limit, "kills", (int)params->kills, "fault", cli_fault_name(params->fault),
        "choices", model->has_choice, "enabling", page->outlook->known, "unknown",
        page->outlook->known ? "" : page->outlook->unknown, "program", "berth " BERTH_VERSION,
        "cells", cells, "values", values, "checks", checks_json(page->model), "files", files,
        "strings", page->strings, "places", page->places, "runs", page->runs);
    cli_add_choices(data, protocol, params);
    json_decref(page->string_numbers);
    json_decref(page->place_numbers);
    return data;
}
