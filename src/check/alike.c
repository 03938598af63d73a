#include "check/alike.h"

#include "check/symmetry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 2000 };

struct sample {
    const struct check_model *model;
    uint64_t (*state)[CHECK_MAX_WORDS];
    unsigned *parent;
    uint8_t *edge;
    unsigned count;
};

/* The edge that stands for `edge` after processes 0 and p have changed places. */
static unsigned exchanged(const struct check_model *model, unsigned edge, unsigned p)
{
    const unsigned kind = edge / model->n * model->n, of = edge % model->n;
    return kind + (of == 0 ? p : of == p ? 0 : of);
}

/* The edge of process 0 or p that tells them apart in `state`; UINT32_MAX: there is none. */
static unsigned tells_apart(const struct check_model *model, const uint64_t *state, unsigned p)
{
    static _Thread_local uint64_t here[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    static _Thread_local uint64_t there[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    uint64_t other[CHECK_MAX_WORDS];
    memcpy(other, state, model->words * sizeof *state);
    check_swap_processes(model, other, 0, p);
    const struct check_moves a = model->expand(model, state, here);
    const struct check_moves b = model->expand(model, other, there);
    if (a.error || b.error)
        return UINT32_MAX; /* the exploration will say so */
    for (unsigned e = 0; e < model->n * model->kinds; e++) {
        const unsigned f = exchanged(model, e, p);
        const bool moves = a.change >> e & 1;
        if ((a.exist >> e & 1) != (b.exist >> f & 1) || moves != (b.change >> f & 1))
            return e;
        if (!moves)
            continue;
        check_swap_processes(model, here + e * model->words, 0, p);
        if (!check_same_state(here + e * model->words, there + f * model->words, model->words))
            return e;
    }
    return UINT32_MAX;
}

/* Adds the successors of a state, as long as there is room. */
static void add_successors(struct sample *sample, struct check_set *seen, unsigned from)
{
    static _Thread_local uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    const struct check_model *model = sample->model;
    const struct check_moves moves = model->expand(model, sample->state[from], out);
    for (uint64_t left = moves.error ? 0 : moves.change; left != 0; left &= left - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(left);
        const uint64_t *next = out + e * model->words;
        const uint64_t home = check_set_home(check_set_hash(next, model->words), seen->capacity);
        if (sample->count == STATES || !check_set_add(seen, next, home))
            continue;
        memcpy(sample->state[sample->count], next, model->words * sizeof *next);
        sample->parent[sample->count] = from;
        sample->edge[sample->count++] = (uint8_t)e;
    }
}

static void tell(const struct sample *sample, unsigned at, unsigned edge, unsigned p,
                 struct check_slip *slip)
{
    uint64_t next[CHECK_MAX_WORDS];
    struct check_note note = {.label = "", .cell = -1};
    const struct check_model *model = sample->model;
    size_t length = 0;
    for (unsigned s = at; s != 0; s = sample->parent[s])
        length++;
    slip->witness = (struct check_witness){malloc(length + 1), length, length};
    for (unsigned s = at; s != 0 && slip->witness.edge != NULL; s = sample->parent[s])
        slip->witness.edge[--length] = sample->edge[s];
    model->describe(model, sample->state[at], edge, next, &note);
    slip->found = true;
    slip->process = edge % model->n;
    snprintf(slip->label, sizeof slip->label, "%s", note.label);
    slip->file = note.file;
    slip->line = note.line;
    snprintf(
        slip->text, sizeof slip->text,
        "does not do what it would do if P0 and P%u changed places, and the file says .anonymous",
        p);
}

bool check_alike(const struct check_model *model, const struct check_limits *limits,
                 struct check_slip *slip)
{
    struct check_set seen;
    struct sample sample = {.model = model,
                            .state = calloc(STATES, sizeof *sample.state),
                            .parent = calloc(STATES, sizeof *sample.parent),
                            .edge = calloc(STATES, 1)};
    bool alike = true;
    /* Where a state stands for others, or a block is not in one word, nothing can be said like
     * this. */
    const bool simple = model->block_words == 1 && (model->local_moves || model->has_choice);
    if (simple && sample.state != NULL && sample.parent != NULL && sample.edge != NULL &&
        check_set_open(&seen, limits->budget, model->words, 4 * STATES)) {
        model->initial(model, sample.state[0]);
        check_set_add(&seen, sample.state[0],
                      check_set_home(check_set_hash(sample.state[0], model->words), seen.capacity));
        sample.count = 1;
        for (unsigned s = 0; s < sample.count && alike; s++) {
            for (unsigned p = 1; p < check_workers(model) && alike; p++) {
                const unsigned edge = tells_apart(model, sample.state[s], p);
                alike = edge == UINT32_MAX;
                if (!alike)
                    tell(&sample, s, edge, p, slip);
            }
            add_successors(&sample, &seen, s);
        }
        check_set_close(&seen);
    }
    free(sample.state);
    free(sample.parent);
    free(sample.edge);
    return alike;
}
