/* What the kinds of memory share (memory.h). */
#ifndef BERTH_STEP_MEMORY_INSIDE_H
#define BERTH_STEP_MEMORY_INSIDE_H

#include "step/memory.h"

#include <stdatomic.h>

enum {
    STEP_COPY_BITS = 60,
    STEP_COPY_FIELDS = (CHECK_MAX_CELLS + STEP_COPY_BITS - 1) / STEP_COPY_BITS
};

struct step_buffer { /* where the stores of a process wait, the oldest first */
    struct check_field count;
    struct check_field cell[STEP_MAX_BUFFER], value[STEP_MAX_BUFFER];
};

struct step_memory {
    struct step_model inner; /* the model under atomic memory; its states come first in ours */
    struct step_buffer buffer[CHECK_MAX_PROCESSES];
    struct check_field writing[CHECK_MAX_PROCESSES]; /* 1: it is in the middle of a write */
    struct check_field seen[CHECK_MAX_PROCESSES];    /* what the others read during the write */
    struct check_field copies[CHECK_MAX_PROCESSES]
                             [STEP_COPY_FIELDS]; /* valid ones, bit c: of cell c */
    struct check_field
        place[CHECK_MAX_PROCESSES]; /* enum check_region, where that is not the inner's */
    struct check_field passages[CHECK_MAX_PROCESSES];
    _Atomic(bool) full;
};

/* One move, as check_model.describe; of an agent, its own. */
bool step_tso_move(const struct step_model *model, const uint64_t *state, unsigned edge,
                   uint64_t *out, struct check_note *note);
bool step_registers_move(const struct step_model *model, const uint64_t *state, unsigned edge,
                         uint64_t *out, struct check_note *note);
bool step_remote_move(const struct step_model *model, const uint64_t *state, unsigned edge,
                      uint64_t *out, struct check_note *note);
bool step_remote_is(const struct check_model *check, const uint64_t *state, unsigned edge);

/* What an agent will do next, in words; empty: nothing. */
void step_tso_show(const struct step_model *model, const uint64_t *state, unsigned p, char *text,
                   size_t size);
void step_registers_show(const struct step_model *model, const uint64_t *state, unsigned p,
                         char *text, size_t size);

static inline const struct check_model *step_inner(const struct step_model *model)
{
    return &model->memory->inner.check;
}

/* The edge of the model within, of a process that it has. */
static inline unsigned step_inner_edge(const struct step_model *model, unsigned edge)
{
    if (model->check.n == 0) /* there is always somebody */
        __builtin_unreachable();
    return edge / model->check.n * step_inner(model)->n + edge % model->check.n;
}

static inline bool step_edge_is_fault(const struct check_model *check, unsigned edge)
{
    return check->has_fault && edge / check->n == check->kinds - 1;
}

/* Takes over what the move from `view` to `next` did, into a copy of a state: the place and the
 * local variables of p, and the cells that changed, except `except`. */
void step_take_over(const struct check_model *inner, const uint64_t *view, const uint64_t *next,
                    unsigned p, int except, uint64_t *out);

/* "S[1] := 0", as the protocol names it. */
void step_store_text(const struct check_model *inner, unsigned c, uint64_t value, char *text,
                     size_t size);
/* The same with a text after it; it is valid until the next call in this thread. */
const char *step_said(const struct step_model *model, unsigned c, uint64_t value, const char *more);

#endif
