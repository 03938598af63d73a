/* What a step did that it must not do, in words. */
#include "step/frame.h"

#include <stdio.h>
#include <string.h>

/* "F[3]", by its place in the frame; an index outside of its array is told by the cell before
 * it. */
static void name_cell(const struct step_model *model, int offset, char *text, size_t size)
{
    const struct check_cell *near = NULL;
    int from = -1;
    for (unsigned c = 0; c < model->check.cells; c++) {
        if ((int)model->offset[c] <= offset && (int)model->offset[c] > from) {
            near = &model->check.cell[c];
            from = model->offset[c];
        }
    }
    if (near == NULL)
        snprintf(text, size, "a cell before the first");
    else if (near->index < 0 && from == offset)
        snprintf(text, size, "%s", near->name);
    else
        snprintf(text, size, "%s[%d]", near->name,
                 offset - from + (near->index < 0 ? 0 : near->index));
}

static unsigned elements(const struct step_model *model, int offset)
{
    unsigned count = 0;
    const char *name = NULL;
    for (unsigned c = 0; c < model->check.cells; c++) {
        if ((int)model->offset[c] > offset)
            continue;
        count = name == model->check.cell[c].name ? count + 1 : 1;
        name = model->check.cell[c].name;
    }
    return count;
}

static uint64_t values_of(const struct step_model *model, int offset)
{
    const unsigned c = model->cell_at[offset];
    return c == STEP_NO_CELL ? 0 : model->check.cell[c].field.values;
}

static void name_local(const struct step_run *run, char *text, size_t size)
{
    if (run->slip_index >= 0)
        snprintf(text, size, "%s[%d]", run->slip_name, run->slip_index);
    else
        snprintf(text, size, "%s", run->slip_name);
}

const char *step_slip_text(const struct step_model *model, const struct step_run *run, unsigned p)
{
    static _Thread_local char text[256];
    char name[96] = "";
    const unsigned long long value = run->slip_value;
    const int at = run->slip_cell;
    if (at >= 0 && at < STEP_MAX_OFFSETS)
        name_cell(model, at, name, sizeof name);
    switch (run->slip) {
    case STEP_SLIP_RANGE:
        snprintf(text, sizeof text, "stores %llu into %s, which holds 0 .. %llu", value, name,
                 (unsigned long long)values_of(model, at) - 1);
        break;
    case STEP_SLIP_REGISTER:
        snprintf(text, sizeof text, "stores %llu into %s, which is the register of P%d", value,
                 name, model->check.cell[model->cell_at[at]].owner);
        break;
    case STEP_SLIP_INDEX:
        if (name[0] == '\0')
            snprintf(text, sizeof text, "uses an index far outside of an array");
        else
            snprintf(text, sizeof text, "accesses %s, and there %s only %u", name,
                     elements(model, at) == 1 ? "is" : "are", elements(model, at));
        break;
    case STEP_SLIP_OWN:
        snprintf(text, sizeof text,
                 "uses OWN(%s), which is not its own register: to read it takes an access", name);
        break;
    case STEP_SLIP_LOCAL:
    case STEP_SLIP_PRIVATE:
        name_local(run, name, sizeof name);
        snprintf(text, sizeof text, "sets %s to %llu, and it holds 0 .. %llu", name, value,
                 (unsigned long long)run->slip_limit);
        break;
    case STEP_SLIP_STORES:
        snprintf(text, sizeof text, "stores into more than %d cells in one step",
                 (int)STEP_MAX_STORES);
        break;
    case STEP_SLIP_TRUST:
        snprintf(text, sizeof text, "finds that TRUST in line %llu does not hold", value);
        break;
    case STEP_SLIP_REST:
        name_local(run, name, sizeof name);
        snprintf(text, sizeof text,
                 "comes to its remainder with %s = %llu: FORGET it, or #define HAS_MEMORY", name,
                 value);
        break;
    case STEP_SLIP_ARGUMENT:
        snprintf(text, sizeof text,
                 "changes argument %d of the CALL in line %llu while the subroutine runs",
                 run->slip_index, value);
        break;
    case STEP_SLIP_PLACE:
        snprintf(text, sizeof text, "goes on at a place that is not in this section");
        break;
    case STEP_SLIP_CHOICE:
        snprintf(text, sizeof text,
                 "asks MAY a second time in one step, in line %llu: both would have one outcome",
                 value);
        break;
    case STEP_SLIP_NORMAL:
    case STEP_NO_SLIP:
    default:
        snprintf(
            text, sizeof text,
            "leads to a state that NORMAL cannot replace, or takes a step that is not SETTLED");
        break;
    }
    (void)p;
    return text;
}

const char *step_initial_wrong(struct step_model *model, const word *frame, size_t words)
{
    char name[96];
    for (size_t offset = 0; offset < words && offset < STEP_MAX_OFFSETS; offset++) {
        const unsigned c = model->cell_at[offset];
        if (frame[offset] == 0 ||
            (c != STEP_NO_CELL && frame[offset] < model->check.cell[c].field.values))
            continue;
        name_cell(model, (int)offset, name, sizeof name);
        if (c == STEP_NO_CELL)
            snprintf(model->error, sizeof model->error, "INITIAL sets %s, and there are only %u",
                     name, elements(model, (int)offset));
        else
            snprintf(model->error, sizeof model->error,
                     "INITIAL sets %s to %llu, and it holds 0 .. %llu", name,
                     (unsigned long long)frame[offset],
                     (unsigned long long)model->check.cell[c].field.values - 1);
        return model->error;
    }
    return NULL;
}
