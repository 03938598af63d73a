#include "prove/tables.h"

#include <stdlib.h>
#include <string.h>

/* A table has some room before and behind it: an invariant may look there, where it then does not
 * matter what it sees. */
enum { ROOM = 4, TABLE = STEP_MAX_ARRAY + 2 * ROOM };

static unsigned table_count(const struct prove_system *system)
{
    return system->functions + system->reading->arrays;
}

bool prove_tables_make(struct prove_tables *tables, const struct prove_system *system)
{
    const unsigned names = system->pool->names;
    *tables = (struct prove_tables){.system = system,
                                    .size = names + (size_t)table_count(system) * TABLE + TABLE};
    tables->of = calloc(tables->size, sizeof *tables->of);
    if (tables->of == NULL)
        return false;
    for (unsigned f = 0; f < table_count(system); f++) {
        const unsigned symbol =
            f < system->functions
                ? system->function[f]
                : prove_array_after(system->pool,
                                    system->reading->array[f - system->functions].symbol);
        tables->of[symbol] = (int64_t)names + (int64_t)f * TABLE + ROOM;
    }
    return true;
}

void prove_tables_free(struct prove_tables *tables)
{
    free(tables->of);
    *tables = (struct prove_tables){0};
}

int64_t *prove_tables_element(const struct prove_tables *tables, unsigned function, int64_t index)
{
    if (index < -ROOM || index >= STEP_MAX_ARRAY + ROOM)
        return &tables->of[tables->size - 1];
    return &tables->of[tables->of[function] + index];
}

static int64_t local_of(const struct step_model *model, const uint64_t *local, const char *name)
{
    for (unsigned f = 0; f < model->locals; f++) {
        const struct check_field field = model->local[f];
        if (strcmp(model->local_name[f], name) == 0 && model->local_index[f] < 0)
            return (int64_t)(local[field.word] >> field.shift & field.mask);
    }
    return 0;
}

/* A part of what the checker has in one word. */
static int64_t part_of(const struct prove_tables *tables, const struct prove_part *part,
                       prove_t values, int64_t whole)
{
    if (part->of == NULL)
        return whole;
    for (unsigned b = 0; b < part->parts; b++)
        whole /= prove_evaluate(part->below[b], tables->of);
    return values == NULL ? whole : whole % prove_evaluate(values, tables->of);
}

static int64_t field_of(const struct step_model *model, const uint64_t *local, unsigned f)
{
    const struct check_field field = model->local[f];
    return (int64_t)(local[field.word] >> field.shift & field.mask);
}

/* Where subroutines are called: the place is in the first of those that have been, and the context
 * is where the others are. */
static bool is_called_at(const struct prove_reading *reading, const struct step_model *model,
                         const uint64_t *local, unsigned place, unsigned context)
{
    const struct prove_place *at = &reading->place[place];
    const struct prove_context *around = &reading->context[context];
    for (unsigned f = 0; f < around->count; f++) {
        const int64_t expected = f == at->sub ? at->pc : around->pc[f];
        if (field_of(model, local, f) != expected)
            return false;
    }
    return true;
}

static bool spot(const struct prove_tables *tables, const struct step_model *model,
                 const uint64_t *local, unsigned p)
{
    const struct prove_system *system = tables->system;
    const struct prove_reading *reading = system->reading;
    unsigned s = 0;
    while (s < reading->spots &&
           !is_called_at(reading, model, local, reading->spot[s].place, reading->spot[s].context))
        s++;
    if (s == reading->spots)
        return false;
    *prove_tables_element(tables, system->place_of, p) = reading->spot[s].place;
    *prove_tables_element(tables, system->context_of, p) = reading->spot[s].context;
    return true;
}

static void remember(const struct prove_tables *tables, const struct step_model *model,
                     const uint64_t *local, unsigned p)
{
    const struct prove_system *system = tables->system;
    const struct prove_reading *reading = system->reading;
    for (unsigned v = 0; v < reading->locals; v++) {
        const struct prove_local *of = &reading->local[v];
        const int64_t whole = local_of(model, local, of->part.of == NULL ? of->name : of->part.of);
        *prove_tables_element(tables, system->local_of[v], p) =
            part_of(tables, &of->part, of->values, whole);
    }
}

static bool place(const struct prove_tables *tables, const struct step_model *model,
                  const uint64_t *local, unsigned p)
{
    const struct prove_system *system = tables->system;
    const struct prove_reading *reading = system->reading;
    const int64_t pc = (int64_t)(local[0] & model->local[0].mask);
    unsigned at = 0;
    while (at < reading->places && reading->place[at].pc != pc)
        at++;
    if (at == reading->places)
        return false;
    tables->of[system->at[at]]++;
    *prove_tables_element(tables, system->place_of, p) = at;
    return true;
}

static void set_cell(const struct prove_tables *tables, const struct check_cell *cell,
                     int64_t value)
{
    const struct prove_reading *reading = tables->system->reading;
    for (unsigned c = 0; cell->index < 0 && c < reading->cells; c++) {
        const struct prove_cell *of = &reading->cell[c];
        if (strcmp(of->part.of == NULL ? of->name : of->part.of, cell->name) == 0)
            tables->of[of->symbol] = part_of(tables, &of->part, of->values, value);
    }
    for (unsigned a = 0; cell->index >= 0 && a < reading->arrays; a++) {
        const struct prove_array *of = &reading->array[a];
        if (strcmp(of->part.of == NULL ? of->name : of->part.of, cell->name) == 0)
            *prove_tables_element(tables, of->symbol, cell->index) =
                part_of(tables, &of->part, of->values, value);
    }
}

bool prove_tables_fill(const struct prove_tables *tables, const struct step_model *model,
                       const uint64_t *state)
{
    const struct prove_system *system = tables->system;
    uint64_t cells[CHECK_MAX_CELLS], local[CHECK_MAX_WORDS];
    int64_t *of = tables->of;
    of[system->n] = model->params.n;
    of[system->l] = model->params.l;
    of[system->k] = model->params.k;
    for (unsigned c = 0; c < system->reading->constants; c++)
        of[system->reading->constant[c].symbol] =
            prove_evaluate(system->reading->constant[c].in_model, of);
    for (unsigned p = 0; p < system->reading->places; p++)
        of[system->at[p]] = 0;
    model->check.cell_values(&model->check, state, cells);
    for (unsigned c = 0; c < model->check.cells; c++)
        set_cell(tables, &model->check.cell[c], (int64_t)cells[c]);
    for (unsigned p = 0; p < model->check.n; p++) {
        model->check.local_state(&model->check, state, p, local);
        if (system->reading->contexts > 0 ? !spot(tables, model, local, p)
                                          : !place(tables, model, local, p))
            return false;
        remember(tables, model, local, p);
    }
    return true;
}

static void make_store(const struct prove_tables *before, const struct prove_store *store,
                       const struct prove_tables *after)
{
    const int64_t index = prove_evaluate(store->index, before->of);
    if (store->taken_of == NULL) {
        *prove_tables_element(after, store->function, index) =
            prove_evaluate(store->value, before->of);
        return;
    }
    const int64_t length = prove_evaluate(store->taken_of, before->of);
    for (int64_t x = index; x + 1 < length; x++)
        *prove_tables_element(after, store->function, x) =
            *prove_tables_element(before, store->function, x + 1);
    *prove_tables_element(after, store->function, length - 1) = 0;
}

void prove_tables_step(const struct prove_tables *before, const struct prove_step *step,
                       const struct prove_tables *after)
{
    const struct prove_reading *reading = before->system->reading;
    memcpy(after->of, before->of, before->size * sizeof *before->of);
    for (unsigned s = 0; s < step->sets; s++)
        after->of[step->set[s].symbol] = prove_evaluate(step->set[s].value, before->of);
    for (unsigned s = 0; s < step->stores; s++)
        make_store(before, &step->store[s], after);
    for (unsigned a = 0; a < reading->arrays; a++) {
        const unsigned symbol = reading->array[a].symbol;
        const unsigned later = prove_array_after(before->system->pool, symbol);
        memcpy(prove_tables_element(before, later, -ROOM),
               prove_tables_element(after, symbol, -ROOM), TABLE * sizeof *after->of);
    }
}
