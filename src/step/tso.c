/*
 * Total store order, as x86 has it (P. Sewell, S. Sarkar, S. Owens, F. Zappa Nardelli, M. O.
 * Myreen, x86-TSO, CACM 53(7), 2010): a store waits in the buffer of its process, first in, first
 * out; a process reads its own newest store to a variable where one waits, and memory where none
 * does; the buffer's agent moves the oldest store to memory at any time; a read-modify-write, and
 * a store that is ordered, is made in memory, and not before the buffer is empty. A buffer here has
 * room for params->buffer stores: where it is full, the process waits for its agent.
 *
 * A process is killed, or dies, only while nothing of its own waits. No behaviour is lost by that:
 * what a process has stored reaches memory whether it lives or not, and a process that was stopped
 * before and makes no step until its buffer is empty cannot be told from one that was killed then.
 */
#include "step/memory_inside.h"

#include <stdio.h>
#include <string.h>

static bool is_ordered(const struct step_model *model, const struct check_note *note)
{
    const struct step_ordered *ordered = model->params.ordered;
    if (model->params.memory == STEP_TSO_NATIVE && note->ordering != CHECK_LATE)
        return true;
    for (unsigned i = 0; ordered != NULL && i < ordered->count; i++) {
        if (ordered->access[i].line == note->line &&
            strcmp(ordered->access[i].label, note->label) == 0)
            return true;
    }
    return false;
}

/* Whether the access is made in memory itself, and takes an empty buffer. */
static bool drains(const struct step_model *model, const struct check_note *note)
{
    switch (note->access) {
    case CHECK_ALL:
    case CHECK_FAULT: return true;
    case CHECK_WRITE: return is_ordered(model, note);
    case CHECK_READ:
    case CHECK_UPDATE:
        return note->ordering == CHECK_ATOMIC ||
               (note->ordering == CHECK_ATOMIC_CHANGE &&
                (model->params.memory != STEP_TSO_NATIVE || note->value != note->old));
    case CHECK_NO_ACCESS:
    default: return false;
    }
}

/* The oldest store of process p reaches memory. */
static void move_agent(const struct step_model *model, const uint64_t *state, unsigned p,
                       uint64_t *out, struct check_note *note)
{
    const struct check_model *inner = step_inner(model);
    const struct step_buffer *buffer = &model->memory->buffer[p];
    const uint64_t count = check_get(state, buffer->count);
    note->label = count > 0 ? "stores" : "rests";
    note->says = "nothing waits";
    if (count == 0)
        return;
    const unsigned c = (unsigned)check_get(state, buffer->cell[0]);
    note->says = NULL;
    note->access = CHECK_WRITE;
    note->cell = (int)c;
    note->value = check_get(state, buffer->value[0]);
    note->old = check_get(state, inner->cell[c].field);
    check_put(out, inner->cell[c].field, note->value);
    check_put(out, buffer->count, count - 1);
    for (unsigned b = 0; b < count; b++) {
        const bool more = b + 1 < count;
        check_put(out, buffer->cell[b], more ? check_get(state, buffer->cell[b + 1]) : 0);
        check_put(out, buffer->value[b], more ? check_get(state, buffer->value[b + 1]) : 0);
    }
}

bool step_tso_move(const struct step_model *model, const uint64_t *state, unsigned edge,
                   uint64_t *out, struct check_note *note)
{
    const struct check_model *inner = step_inner(model);
    const unsigned p = edge % model->check.n, words = model->check.words;
    uint64_t view[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS];
    memcpy(out, state, words * sizeof *out);
    if (p >= inner->n) {
        move_agent(model, state, p - inner->n, out, note);
        return true;
    }
    const struct step_buffer *buffer = &model->memory->buffer[p];
    const uint64_t count = check_get(state, buffer->count);
    memcpy(view, state, inner->words * sizeof *view);
    for (unsigned b = 0; b < count; b++)
        check_put(view, inner->cell[check_get(state, buffer->cell[b])].field,
                  check_get(state, buffer->value[b]));
    if (!inner->describe(inner, view, step_inner_edge(model, edge), next, note))
        return false;
    if (drains(model, note) || step_edge_is_fault(&model->check, edge)) {
        if (count > 0)
            return false; /* it waits for its agent */
        memcpy(out, next, inner->words * sizeof *out);
        return true;
    }
    const bool stores = note->access == CHECK_WRITE;
    if (stores && count == model->params.buffer) {
        atomic_store_explicit(&model->memory->full, true, memory_order_relaxed);
        return false;
    }
    step_take_over(inner, view, next, p, stores ? note->cell : -1, out);
    if (stores) {
        note->says = step_said(model, (unsigned)note->cell, note->value, " waits");
        check_put(out, buffer->count, count + 1);
        check_put(out, buffer->cell[count], (uint64_t)note->cell);
        check_put(out, buffer->value[count], note->value);
    }
    return true;
}

void step_tso_show(const struct step_model *model, const uint64_t *state, unsigned p, char *text,
                   size_t size)
{
    const struct step_buffer *buffer = &model->memory->buffer[p];
    const uint64_t count = check_get(state, buffer->count);
    size_t used = 0;
    for (unsigned b = 0; b < count && used < size; b++) {
        char store[128];
        step_store_text(step_inner(model), (unsigned)check_get(state, buffer->cell[b]),
                        check_get(state, buffer->value[b]), store, sizeof store);
        const int length =
            snprintf(text + used, size - used, "%s%s", b > 0 ? ", " : "waiting: ", store);
        used += length > 0 ? (size_t)length : 0;
    }
}
