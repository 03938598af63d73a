/*
 * Remote references. Where memory is distributed (dsm), an access is remote unless the variable
 * lives with the process (HOMES). With coherent caches (cc), a process keeps a copy of what it has
 * accessed until another process writes it: a read is remote unless there is such a copy;
 * everything else is always remote. A copy does not outlive the passage, or the process.
 *
 * An access that does not change a variable, such as a compare-and-swap that fails, takes no
 * copies away. ALIVE, which asks the system, and OWN, which needs no access, are not references.
 */
#include "step/memory_inside.h"

#include <string.h>

static bool has_copy(const struct step_model *model, const uint64_t *state, unsigned p, unsigned c)
{
    return check_get(state, model->memory->copies[p][c / STEP_COPY_BITS]) >> c % STEP_COPY_BITS & 1;
}

static void set_copy(const struct step_model *model, uint64_t *state, unsigned p, unsigned c,
                     bool valid)
{
    const struct check_field field = model->memory->copies[p][c / STEP_COPY_BITS];
    const uint64_t bit = UINT64_C(1) << c % STEP_COPY_BITS, copies = check_get(state, field);
    check_put(state, field, valid ? copies | bit : copies & ~bit);
}

static void forget_copies(const struct step_model *model, uint64_t *state, unsigned p)
{
    for (unsigned c = 0; c < step_inner(model)->cells; c++)
        set_copy(model, state, p, c, false);
}

static bool is_remote(const struct step_model *model, const uint64_t *state, unsigned edge,
                      const struct check_note *note)
{
    const unsigned p = edge % model->check.n;
    if (step_edge_is_fault(&model->check, edge) || note->access == CHECK_NO_ACCESS ||
        note->access == CHECK_FAULT)
        return false;
    if (note->access == CHECK_ALL)
        return true;
    if (note->cell < 0 || (unsigned)note->cell >= model->memory->inner.own_cells)
        return false;
    if (model->params.remote == STEP_REMOTE_DSM)
        return model->home[note->cell] != (int)p;
    return note->access != CHECK_READ || note->ordering != CHECK_PLAIN ||
           !has_copy(model, state, p, (unsigned)note->cell);
}

bool step_remote_move(const struct step_model *model, const uint64_t *state, unsigned edge,
                      uint64_t *out, struct check_note *note)
{
    const struct check_model *inner = step_inner(model);
    const unsigned p = edge % model->check.n, words = model->check.words;
    memcpy(out, state, words * sizeof *out);
    if (!inner->describe(inner, state, step_inner_edge(model, edge), out, note))
        return false;
    if (model->params.remote != STEP_REMOTE_CC)
        return true;
    const bool writes =
        note->access == CHECK_WRITE || (note->access == CHECK_UPDATE && note->value != note->old);
    for (unsigned c = 0; c < inner->cells; c++) {
        const bool changes =
            check_get(state, inner->cell[c].field) != check_get(out, inner->cell[c].field);
        for (unsigned q = 0; q < inner->n; q++) {
            if (q != p && (changes || (writes && note->cell == (int)c)))
                set_copy(model, out, q, c, false);
        }
    }
    if (note->cell >= 0)
        set_copy(model, out, p, (unsigned)note->cell, true);
    const enum check_region after = check_region_of(&model->check, out, p);
    if (after == CHECK_REMAINDER || after == CHECK_DEAD)
        forget_copies(model, out, p);
    return true;
}

bool step_remote_is(const struct check_model *check, const uint64_t *state, unsigned edge)
{
    const struct step_model *model = (const struct step_model *)check;
    const struct check_model *inner = step_inner(model);
    uint64_t unused[CHECK_MAX_WORDS];
    struct check_note note = {.label = "", .cell = -1};
    return inner->describe(inner, state, step_inner_edge(model, edge), unused, &note) &&
           is_remote(model, state, edge, &note);
}
