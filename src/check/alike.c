#include "check/alike.h"

#include "check/symmetry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 2000 };

struct sample {
    const struct check_model *model; /* it exchanges nothing */
    const struct check_model *keeps; /* the same, which keeps one of the exchanges; or NULL */
    uint64_t (*state)[CHECK_MAX_WORDS];
    uint64_t (*kept)[CHECK_MAX_WORDS]; /* what that keeps of each */
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

static bool is_worker(const struct check_model *model, unsigned edge)
{
    return edge % model->n < check_workers(model);
}

/* The moves of workers from a state, faults among them, as a set, and where each of them leads. */
static uint64_t all_moves(const struct check_model *model, const uint64_t *state, uint64_t *out)
{
    struct check_note note;
    uint64_t set = 0;
    for (unsigned e = 0; e < model->n * model->kinds; e++) {
        const bool there =
            is_worker(model, e) && model->describe(model, state, e, out + e * model->words, &note);
        set |= (uint64_t)there << e;
    }
    return set;
}

/* The edge along which `state` leads to what its exchange `kept` does not lead to, by a move of the
 * same kind; or that is missing. UINT32_MAX: none, each leads to as many states as the other. */
static unsigned leads_elsewhere(const struct check_model *model, const uint64_t *state,
                                const uint64_t *kept)
{
    static _Thread_local uint64_t here[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    static _Thread_local uint64_t there[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    const unsigned n = model->n, words = model->words;
    const uint64_t moves = all_moves(model, state, here);
    uint64_t left = all_moves(model, kept, there);
    for (unsigned e = 0; e < n * model->kinds; e++) {
        if (!(moves >> e & 1))
            continue;
        unsigned f = e / n * n;
        const unsigned end = f + n;
        while (f < end &&
               (!(left >> f & 1) || !check_same_state(here + e * words, there + f * words, words)))
            f++;
        if (f == end)
            return e;
        left &= ~(UINT64_C(1) << f);
    }
    for (unsigned e = left == 0 ? UINT32_MAX : (unsigned)__builtin_ctzll(left) / n * n;
         e != UINT32_MAX; e++) {
        if (!(moves >> e & 1))
            return e; /* as many are missing here as are left there */
    }
    return UINT32_MAX;
}

/* What is kept of the successor along the edge. A supervisor's step exchanges nobody, so it has to
 * be made from what is kept. */
static bool find_kept(const struct check_model *model, const uint64_t *state, const uint64_t *kept,
                      unsigned edge, uint64_t *out)
{
    struct check_note note;
    return model->describe(model, is_worker(model, edge) ? state : kept, edge, out, &note);
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
        if (sample->keeps != NULL && !find_kept(sample->keeps, sample->state[from],
                                                sample->kept[from], e, sample->kept[sample->count]))
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
    char others[32] = "processes";
    if (sample->keeps == NULL)
        snprintf(others, sizeof others, "P0 and P%u", p);
    /* A NORMAL that is written in the file itself, and not by step/exchange.h, may do less. */
    const char *flag = sample->keeps == NULL ? ".anonymous"
                       : sample->keeps->expand_exchanging != NULL
                           ? ".symmetric"
                           : ".symmetric (or its NORMAL has several forms of one state)";
    snprintf(slip->text, sizeof slip->text,
             "does not do what it would do if %s changed places, and the file says %s", others,
             flag);
}

static bool sample_open(struct sample *sample, struct check_set *seen,
                        const struct check_limits *limits)
{
    const struct check_model *model = sample->model;
    sample->state = calloc(STATES, sizeof *sample->state);
    sample->kept = sample->keeps != NULL ? calloc(STATES, sizeof *sample->kept) : NULL;
    sample->parent = calloc(STATES, sizeof *sample->parent);
    sample->edge = calloc(STATES, 1);
    if (sample->state == NULL || (sample->keeps != NULL && sample->kept == NULL) ||
        sample->parent == NULL || sample->edge == NULL ||
        !check_set_open(seen, limits->budget, model->words, 4 * STATES))
        return false;
    model->initial(model, sample->state[0]);
    if (sample->keeps != NULL)
        sample->keeps->initial(sample->keeps, sample->kept[0]);
    check_set_add(seen, sample->state[0],
                  check_set_home(check_set_hash(sample->state[0], model->words), seen->capacity));
    sample->count = 1;
    return true;
}

/* The edge of a state that shows that processes are not alike; of process 0 or *p, if nothing is
 * kept for others. UINT32_MAX: there is none. */
static unsigned find_difference(const struct sample *sample, unsigned s, unsigned *p)
{
    if (sample->keeps != NULL)
        return leads_elsewhere(sample->keeps, sample->state[s], sample->kept[s]);
    unsigned edge = UINT32_MAX;
    for (*p = 1; *p < check_workers(sample->model); ++*p) {
        edge = tells_apart(sample->model, sample->state[s], *p);
        if (edge != UINT32_MAX)
            break;
    }
    return edge;
}

enum check_end check_alike(const struct check_model *model, const struct check_limits *limits,
                           struct check_slip *slip)
{
    struct check_set seen;
    struct sample sample = {.model = model};
    if (model->named != NULL)
        sample = (struct sample){.model = model->named, .keeps = model};
    /* Where a state stands for others, or a block is not in one word, nothing can be said by
     * exchanging blocks. */
    else if (!model->anonymous || model->block_words != 1 ||
             (!model->local_moves && !model->has_choice))
        return CHECK_COMPLETE;
    const bool memory = sample_open(&sample, &seen, limits);
    unsigned edge = UINT32_MAX, p = 0;
    for (unsigned s = 0; memory && s < sample.count && edge == UINT32_MAX; s++) {
        edge = find_difference(&sample, s, &p);
        if (edge != UINT32_MAX)
            tell(&sample, s, edge, p, slip);
        else
            add_successors(&sample, &seen, s);
    }
    if (memory)
        check_set_close(&seen);
    free(sample.state);
    free(sample.kept);
    free(sample.parent);
    free(sample.edge);
    return !memory ? CHECK_OUT_OF_MEMORY : edge != UINT32_MAX ? CHECK_OUT_OF_RANGE : CHECK_COMPLETE;
}
