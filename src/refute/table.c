/* The model of a table: V first, then the local state of each process, in fields that do not
 * straddle words. */
#include "refute/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 63 };

static const struct table *table_of(const struct check_model *check)
{
    return (const struct table *)((const struct step_model *)check)->protocol;
}

static void initial(const struct check_model *check, uint64_t *state)
{
    const struct table *table = table_of(check);
    for (unsigned w = 0; w < check->words; w++)
        state[w] = CHECK_PRESENT;
    check_put(state, check->cell[0].field, table->first_value);
    for (unsigned p = 0; p < check->n; p++)
        check_put(state, check->block[p], table->first_state);
}

static void step(const struct check_model *check, const uint64_t *state, unsigned p, uint64_t *next)
{
    const struct table *table = table_of(check);
    const unsigned value = (unsigned)check_get(state, check->cell[0].field);
    const unsigned at = (unsigned)check_get(state, check->block[p]);
    const struct table_entry *to = table_entry(table, table->alike ? 0 : p, at, value);
    for (unsigned w = 0; w < check->words; w++)
        next[w] = state[w];
    check_put(next, check->cell[0].field, to->value);
    check_put(next, check->block[p], to->state);
}

static struct check_moves expand(const struct check_model *check, const uint64_t *state,
                                 uint64_t *out)
{
    struct check_moves moves = {0};
    for (unsigned p = 0; p < check->n; p++) {
        uint64_t *next = out + (size_t)p * check->words;
        step(check, state, p, next);
        moves.exist |= UINT64_C(1) << p;
        moves.change |= (uint64_t)!check_same_state(next, state, check->words) << p;
    }
    return moves;
}

static bool describe(const struct check_model *check, const uint64_t *state, unsigned edge,
                     uint64_t *out, struct check_note *note)
{
    const struct table *table = table_of(check);
    if (edge >= check->n)
        return false;
    step(check, state, edge, out);
    *note = (struct check_note){.label = table->state_name[check_get(state, check->block[edge])],
                                .access = CHECK_UPDATE,
                                .cell = 0,
                                .value = check_get(out, check->cell[0].field),
                                .old = check_get(state, check->cell[0].field)};
    return true;
}

static void cell_values(const struct check_model *check, const uint64_t *state, uint64_t *values)
{
    values[0] = check_get(state, check->cell[0].field);
}

static void local_state(const struct check_model *check, const uint64_t *state, unsigned p,
                        uint64_t *local)
{
    local[0] = check_get(state, check->block[p]);
}

static void show(const struct check_model *check, unsigned c, uint64_t value, char *text,
                 size_t size)
{
    (void)c;
    const struct table *table = table_of(check);
    snprintf(text, size, "%s", value < table->values ? table->value_name[value] : "?");
}

static void show_local(const struct check_model *check, const uint64_t *state, unsigned p,
                       char *text, size_t size)
{
    snprintf(text, size, "%s", table_of(check)->state_name[check_get(state, check->block[p])]);
}

static struct check_field take(unsigned *place, unsigned *bit, uint64_t values)
{
    const unsigned bits = check_bits_for(values);
    if (*bit + bits > WORD_BITS) {
        (*place)++;
        *bit = 0;
    }
    struct check_field field = {.word = (uint8_t)*place,
                                .shift = (uint8_t)*bit,
                                .mask = (UINT64_C(1) << bits) - 1,
                                .values = values};
    *bit += bits;
    return field;
}

const char *table_make(struct step_model *model, const struct table *table,
                       const struct step_params *params)
{
    memset(model, 0, sizeof *model);
    model->params = *params;
    model->protocol = &table->protocol;
    struct check_model *check = &model->check;
    check->n = params->n;
    check->l = params->l;
    check->k = params->k;
    check->kinds = 1;
    check->anonymous = table->alike;
    check->local_moves = true;
    check->block_words = 1;
    check->region_mask = (UINT64_C(1) << check_bits_for(table->states)) - 1;
    check->cells = 1;
    unsigned place = 0, bit = 0;
    check->cell[0] = (struct check_cell){
        .name = "V", .index = -1, .owner = -1, .field = take(&place, &bit, table->values)};
    for (unsigned p = 0; p < check->n; p++) {
        check->block[p] = take(&place, &bit, table->states);
        check->region[p] = table->region;
    }
    check->words = place + 1;
    check->initial = initial;
    check->expand = expand;
    check->describe = describe;
    check->cell_values = cell_values;
    check->local_state = local_state;
    check->show = show;
    check->show_local = show_local;
    return check->words > CHECK_MAX_WORDS
               ? "a state of this size does not fit into the checker's packed states"
               : NULL;
}

struct protocol_choice table_choice(const struct table *table)
{
    return (struct protocol_choice){.model = &table->model, .protocol = &table->protocol};
}

struct step_params table_params(const struct table *table)
{
    return (struct step_params){.n = table->processes, .l = table->slots, .k = 1, .kills = 1};
}

void table_free(struct table *table)
{
    free(table->value_name);
    free(table->state_name);
    free(table->region);
    free(table->next);
    *table = (struct table){.values = 0};
}
