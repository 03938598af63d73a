/*
 * Where each variable lives in a packed state. Shared cells come first, then one block for each
 * process, the program counter in its low bits. A field never straddles two words. A block that
 * fits into one word lies in one word; a larger one starts a new word and owns its words whole.
 */
#include "step/frame.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BITS = 63 };

static uint64_t mask_for(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

static void must_fit(uint64_t values, const char **error)
{
    if (values == 0 || check_bits_for(values) > WORD_BITS)
        *error = "a variable with this many values does not fit into the checker";
}

struct cursor {
    unsigned word, bit;
};

/* The next `bits` bits that do not straddle a word. */
static struct check_field take(struct cursor *cursor, unsigned bits, uint64_t values)
{
    if (cursor->bit + bits > WORD_BITS) {
        cursor->word++;
        cursor->bit = 0;
    }
    struct check_field field = {.word = (uint8_t)cursor->word,
                                .shift = (uint8_t)cursor->bit,
                                .mask = mask_for(bits),
                                .values = values};
    cursor->bit += bits;
    return field;
}

static void show(const struct check_model *check, unsigned c, uint64_t value, char *text,
                 size_t size)
{
    const struct step_model *model = (const struct step_model *)check;
    if (model->show != NULL)
        model->show(&model->params, check->cell[c].name, value, text, size);
    else
        snprintf(text, size, "%llu", (unsigned long long)value);
}

static void cell_values(const struct check_model *check, const uint64_t *state, uint64_t *values)
{
    for (unsigned c = 0; c < check->cells; c++)
        values[c] = check_get(state, check->cell[c].field);
}

static void local_state(const struct check_model *check, const uint64_t *state, unsigned p,
                        uint64_t *local)
{
    const struct step_model *model = (const struct step_model *)check;
    local[0] = check_get(state, check->block[p]);
    for (unsigned w = 1; w < check->block_words; w++)
        local[w] =
            model->split ? check_get(state, model->rest[p]) : state[check->block[p].word + w];
}

/* Appends " name[index]=value" where the value is not 0. */
static void show_one(const char *name, int index, uint64_t value, char *text, size_t size)
{
    const size_t used = strlen(text);
    char place[16] = "";
    if (value == 0 || name[0] == '\0')
        return;
    if (index >= 0)
        snprintf(place, sizeof place, "[%d]", index);
    snprintf(text + used, size - used, "%s%s%s=%llu", used > 0 ? " " : "", name, place,
             (unsigned long long)value);
}

static void show_local(const struct check_model *check, const uint64_t *state, unsigned p,
                       char *text, size_t size)
{
    const struct step_model *model = (const struct step_model *)check;
    uint64_t local[CHECK_MAX_WORDS];
    text[0] = '\0';
    if (p == check_workers(check)) {
        for (unsigned f = 0; f < model->privates; f++)
            show_one(model->private_name[f], model->private_index[f],
                     check_get(state, model->private[f]), text, size);
        return;
    }
    local_state(check, state, p, local);
    for (unsigned f = 0; f < model->locals; f++) {
        const struct check_field field = model->local[f];
        show_one(model->local_name[f], model->local_index[f],
                 local[field.word] >> field.shift & field.mask, text, size);
    }
}

void step_layout_begin(struct step_model *model, const struct step_params *params)
{
    memset(model, 0, sizeof *model);
    memset(model->cell_at, 0xff, sizeof model->cell_at);
    model->params = *params;
    model->check.n = params->n;
    model->check.l = params->l;
    model->check.k = params->k;
    model->check.has_fault = params->fault == STEP_FAULT_DEATH || params->fault == STEP_FAULT_KILL;
    model->check.kinds = model->check.has_fault ? 2 : 1;
    model->check.show = show;
    model->check.cell_values = cell_values;
    model->check.local_state = local_state;
    model->check.local_moves = params->fault != STEP_FAULT_KILL;
    model->check.show_local = show_local;
}

void step_layout_cells(struct step_model *model, const char *name, size_t offset,
                       enum step_cells kind, uint64_t count, uint64_t values, const char **error)
{
    struct check_model *check = &model->check;
    must_fit(values, error);
    for (uint64_t i = 0; i < count; i++) {
        if (check->cells == CHECK_MAX_CELLS || offset + i >= STEP_MAX_OFFSETS ||
            i == STEP_MAX_ARRAY) {
            *error = "too many shared variables for the checker";
            return;
        }
        /* Fields are placed in step_layout_end, when all are known. */
        check->cell[check->cells] =
            (struct check_cell){.name = name,
                                .index = kind == STEP_CELL ? -1 : (int)i,
                                .owner = kind == STEP_REGISTERS ? (int)i : -1,
                                .field = {.values = values}};
        model->offset[check->cells] = (uint16_t)(offset + i);
        model->cell_at[offset + i] = (uint16_t)check->cells;
        check->cells++;
    }
}

void step_layout_local(struct step_model *model, const char *name, int index, uint64_t values,
                       const char **error)
{
    if (model->locals == STEP_MAX_LOCALS) {
        *error = "too many local variables for the checker";
        return;
    }
    must_fit(values, error);
    model->local_name[model->locals] = name;
    model->local_index[model->locals] = index;
    model->local[model->locals++].values = values;
}

void step_layout_local_array(struct step_model *model, const char *name, uint64_t count,
                             uint64_t values, const char **error)
{
    if (count > STEP_MAX_LOCAL_ARRAY)
        *error = "a local array of this size does not fit into the checker";
    for (uint64_t i = 0; i < count && *error == NULL; i++)
        step_layout_local(model, name, (int)i, values, error);
}

void step_layout_supervisor(struct step_model *model)
{
    struct check_model *check = &model->check;
    check->supervisors = 1;
    check->n++;
    memset(model->no_region, CHECK_SUPERVISOR, sizeof model->no_region);
}

void step_layout_private(struct step_model *model, const char *name, int index, uint64_t values,
                         const char **error)
{
    if (model->privates == STEP_MAX_PRIVATES) {
        *error = "too many variables of the supervisor for the checker";
        return;
    }
    must_fit(values, error);
    model->private_name[model->privates] = name;
    model->private_index[model->privates] = index;
    model->private[model->privates++].values = values;
}

void step_layout_private_array(struct step_model *model, const char *name, uint64_t count,
                               uint64_t values, const char **error)
{
    if (count > STEP_MAX_LOCAL_ARRAY)
        *error = "an array of this size does not fit into the checker";
    for (uint64_t i = 0; i < count && *error == NULL; i++)
        step_layout_private(model, name, (int)i, values, error);
}

void step_layout_end(struct step_model *model, const char **error)
{
    struct check_model *check = &model->check;
    struct cursor inner = {0};
    unsigned first_bits = 0; /* of a block of more than one word */
    for (unsigned f = 0; f < model->locals; f++) {
        model->local[f] =
            take(&inner, check_bits_for(model->local[f].values), model->local[f].values);
        first_bits = inner.word == 0 ? inner.bit : first_bits;
    }
    check->region_mask = mask_for(check_bits_for(model->local[0].values));
    check->block_words = inner.word + 1;
    const unsigned block_bits = inner.bit;
    model->split &= check->block_words > 1;

    struct cursor outer = {0};
    for (unsigned c = 0; c < check->cells; c++)
        check->cell[c].field =
            take(&outer, check_bits_for(check->cell[c].field.values), check->cell[c].field.values);
    for (unsigned f = 0; f < model->privates; f++)
        model->private[f] =
            take(&outer, check_bits_for(model->private[f].values), model->private[f].values);
    check->has_rest = model->split;
    for (unsigned p = 0; model->split && p < check->n; p++) /* small: they go beside the cells */
        check->rest[p] = model->rest[p] = take(&outer, block_bits, 0);
    for (unsigned p = 0; p < check_workers(check); p++) {
        if (check->block_words == 1) {
            check->block[p] = take(&outer, block_bits, 0);
            continue;
        }
        if (model->split) {
            check->block[p] = take(&outer, first_bits, 0);
            continue;
        }
        if (outer.bit > 0)
            outer = (struct cursor){.word = outer.word + 1};
        check->block[p] =
            (struct check_field){.word = (uint8_t)outer.word, .mask = mask_for(WORD_BITS)};
        outer.word += check->block_words;
    }
    if (model->split && check->block_words > 2)
        *error = "the local variables of a process do not fit into the checker's packed states";
    check->words = outer.bit > 0 ? outer.word + 1 : outer.word;
    if (check->words == 0)
        check->words = 1;
    if (check->words > CHECK_MAX_WORDS)
        *error = "a state of this size does not fit into the checker's packed states";
    if (check->n * check->kinds > CHECK_MAX_EDGES || check->n > CHECK_MAX_PROCESSES)
        *error = "too many processes for the checker";
    if (model->local[0].values > STEP_MAX_PLACES)
        *error = "a program counter of this size does not fit into the checker";
    for (unsigned p = 0; p < check->n && p < CHECK_MAX_PROCESSES; p++)
        check->region[p] = p < check_workers(check) ? model->region : model->no_region;
}
