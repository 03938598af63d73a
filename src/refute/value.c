/* The value of V: of the one cell, or of all cells where they are the parts of one variable. */
#include "refute/adversary.h"

#include <string.h>

uint64_t value_of(const struct adversary *adversary, const uint64_t *state)
{
    const struct check_model *model = adversary->model;
    if (adversary->values == NULL)
        return check_get(state, model->cell[0].field);
    uint64_t parts[CHECK_MAX_CELLS];
    bool fresh;
    model->cell_values(model, state, parts);
    return states_add(adversary->values, parts, &fresh); /* STATES_NONE: there is no memory */
}

void value_put(const struct adversary *adversary, uint64_t *state, uint64_t value)
{
    const struct check_model *model = adversary->model;
    if (adversary->values == NULL) {
        check_put(state, model->cell[0].field, value);
        return;
    }
    const uint64_t *parts = states_key(adversary->values, (uint32_t)value);
    for (unsigned c = 0; c < model->cells; c++)
        check_put(state, model->cell[c].field, parts[c]);
}

const char *value_text(const struct adversary *adversary, uint64_t value, char *text, size_t size)
{
    const struct check_model *model = adversary->model;
    if (adversary->values == NULL) {
        model->show(model, 0, value, text, size);
        return text;
    }
    const uint64_t *parts = states_key(adversary->values, (uint32_t)value);
    size_t used = 0;
    text[0] = '\0';
    for (unsigned c = 0; c < model->cells && used + 2 < size; c++) {
        if (c > 0)
            text[used++] = ',';
        model->show(model, c, parts[c], text + used, size - used);
        used += strlen(text + used);
    }
    return text;
}
