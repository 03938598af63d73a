/*
 * Registers that are not atomic (L. Lamport, On Interprocess Communication, Distributed Computing
 * 1, 1986). A write of a register takes two steps of its owner: it begins and it ends. A read in
 * between gives any value that the register can hold, where it is safe; the value before or the
 * one that is being written, where it is regular. Which one is up to the agent of the process: it
 * may change what can be read at any time. A read is still one step: every value that a longer read
 * could give, a short one gives at some moment during it.
 *
 * Cells that several processes write stay atomic, and so does what a death does to a register.
 */
#include "step/memory_inside.h"

#include <stdio.h>
#include <string.h>

/* The write that p is in the middle of: its owner's next step, which depends on nobody else. */
static bool written_by(const struct step_model *model, const uint64_t *state, unsigned p,
                       struct check_note *note)
{
    const struct check_model *inner = step_inner(model);
    uint64_t unused[CHECK_MAX_WORDS];
    return check_get(state, model->memory->writing[p]) != 0 &&
           inner->describe(inner, state, p, unused, note) && note->cell >= 0;
}

static uint64_t seen_of(const struct step_model *model, const uint64_t *state, unsigned p,
                        const struct check_note *note)
{
    const uint64_t seen = check_get(state, model->memory->seen[p]);
    if (model->params.registers == STEP_SAFE)
        return seen;
    return seen != 0 ? note->value : note->old;
}

/* How many values can be read of a register that is being written. If it counts without bound: as
 * many as it can reach in params->passages passages, and one more. */
static uint64_t readable(const struct step_model *model, unsigned c)
{
    const uint64_t values = step_inner(model)->cell[c].field.values;
    const struct protocol *protocol = model->protocol;
    const uint64_t counted = (uint64_t)model->params.n * model->params.passages + 1;
    if (model->params.registers != STEP_SAFE)
        return 2;
    return protocol->default_limit > 0 && values > counted ? counted : values;
}

static void move_agent(const struct step_model *model, const uint64_t *state, unsigned p,
                       uint64_t *out, struct check_note *note)
{
    struct check_note write = {.label = "", .cell = -1};
    note->label = "rests";
    note->says = "nothing is being written";
    if (!written_by(model, state, p, &write))
        return;
    const uint64_t values = readable(model, (unsigned)write.cell);
    check_put(out, model->memory->seen[p], (check_get(state, model->memory->seen[p]) + 1) % values);
    note->label = "flickers";
    note->says =
        step_said(model, (unsigned)write.cell, seen_of(model, out, p, &write), " is what is read");
}

/* What p sees: registers that others are writing show what their agents say. */
static void look(const struct step_model *model, const uint64_t *state, unsigned p, uint64_t *view)
{
    const struct check_model *inner = step_inner(model);
    memcpy(view, state, inner->words * sizeof *view);
    for (unsigned q = 0; q < inner->n; q++) {
        struct check_note write = {.label = "", .cell = -1};
        if (q != p && written_by(model, state, q, &write))
            check_put(view, inner->cell[write.cell].field, seen_of(model, state, q, &write));
    }
}

/* Where p is in the middle of the write that leads to `next`. */
static enum check_region place_of_write(const struct step_model *model, const uint64_t *state,
                                        const uint64_t *next, unsigned p)
{
    const enum check_region before = check_region_of(&model->check, state, p);
    if (before == CHECK_CRITICAL)
        return CHECK_EXIT;
    if (before != CHECK_REMAINDER)
        return before;
    return check_region_of(step_inner(model), next, p) == CHECK_DOORWAY ? CHECK_DOORWAY
                                                                        : CHECK_WAITING;
}

bool step_registers_move(const struct step_model *model, const uint64_t *state, unsigned edge,
                         uint64_t *out, struct check_note *note)
{
    const struct check_model *inner = step_inner(model);
    const struct step_memory *memory = model->memory;
    const unsigned p = edge % model->check.n, words = model->check.words;
    uint64_t view[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS];
    memcpy(out, state, words * sizeof *out);
    if (p >= inner->n) {
        move_agent(model, state, p - inner->n, out, note);
        return true;
    }
    look(model, state, p, view);
    const bool writing = check_get(state, memory->writing[p]) != 0;
    if (!inner->describe(inner, writing ? state : view, step_inner_edge(model, edge), next, note)) {
        if (!writing || !step_edge_is_fault(&model->check, edge))
            return false;
        memcpy(next, state,
               inner->words * sizeof *next); /* it dies before its first write is over */
    }
    if (!writing && note->access == CHECK_WRITE && inner->cell[note->cell].owner == (int)p) {
        if (edge >= model->check.n)
            return false; /* what it chooses comes after it */
        check_put(out, memory->writing[p], 1);
        check_put(out, memory->seen[p], 0);
        check_put(out, memory->place[p], place_of_write(model, state, next, p));
        note->says = step_said(model, (unsigned)note->cell, note->value, " begins");
        return true;
    }
    step_take_over(inner, writing ? state : view, next, p, -1, out);
    if (writing && note->access == CHECK_WRITE) /* it may have stored what was there before */
        check_put(out, inner->cell[note->cell].field, note->value);
    check_put(out, memory->writing[p], 0);
    check_put(out, memory->seen[p], 0);
    check_put(out, memory->place[p], check_region_of(inner, next, p));
    return true;
}

void step_registers_show(const struct step_model *model, const uint64_t *state, unsigned p,
                         char *text, size_t size)
{
    (void)model, (void)state, (void)p, (void)size;
    text[0] = '\0';
}
