#include "step/memory_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct step_model *outer_of(const struct check_model *check)
{
    return (const struct step_model *)check;
}

void step_take_over(const struct check_model *inner, const uint64_t *view, const uint64_t *next,
                    unsigned p, int except, uint64_t *out)
{
    check_put(out, inner->block[p], check_get(next, inner->block[p]));
    if (inner->has_rest)
        check_put(out, inner->rest[p], check_get(next, inner->rest[p]));
    for (unsigned w = 1; !inner->has_rest && w < inner->block_words; w++)
        out[inner->block[p].word + w] = next[inner->block[p].word + w];
    for (unsigned c = 0; c < inner->cells; c++) {
        const uint64_t value = check_get(next, inner->cell[c].field);
        if ((int)c != except && value != check_get(view, inner->cell[c].field))
            check_put(out, inner->cell[c].field, value);
    }
}

void step_store_text(const struct check_model *inner, unsigned c, uint64_t value, char *text,
                     size_t size)
{
    const struct check_cell *cell = &inner->cell[c];
    char shown[64], index[16] = "";
    inner->show(inner, c, value, shown, sizeof shown);
    if (cell->index >= 0)
        snprintf(index, sizeof index, "[%d]", cell->index);
    snprintf(text, size, "%s%s := %s", cell->name, index, shown);
}

const char *step_said(const struct step_model *model, unsigned c, uint64_t value, const char *more)
{
    static _Thread_local char text[160];
    char store[128];
    step_store_text(step_inner(model), c, value, store, sizeof store);
    snprintf(text, sizeof text, "%s%s", store, more);
    return text;
}

/* ---- moves ---- */

static bool plain_move(const struct step_model *model, const uint64_t *state, unsigned edge,
                       uint64_t *out, struct check_note *note)
{
    const struct check_model *inner = step_inner(model);
    for (unsigned w = inner->words; w < model->check.words; w++)
        out[w] = state[w];
    return inner->describe(inner, state, step_inner_edge(model, edge), out, note);
}

/* Counts how often the process has left its remainder. False: it must not leave it again. */
static bool counts_passage(const struct step_model *model, const uint64_t *state, unsigned edge,
                           uint64_t *out, struct check_note *note)
{
    const unsigned p = edge % model->check.n, most = model->params.passages;
    if (most == 0 || p >= check_workers(&model->check) ||
        check_region_of(&model->check, state, p) != CHECK_REMAINDER ||
        step_edge_is_fault(&model->check, edge))
        return true;
    const uint64_t before = check_get(state, model->memory->passages[p]);
    check_put(out, model->memory->passages[p], before + 1);
    note->barred |= before >= most;
    return before < most;
}

static bool describe(const struct check_model *check, const uint64_t *state, unsigned edge,
                     uint64_t *out, struct check_note *note)
{
    const struct step_model *model = outer_of(check);
    *note = (struct check_note){.label = "", .cell = -1};
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is always somebody
    if (edge % check->n >= check_workers(check) && edge >= check->n)
        return false; /* an agent has no choices and no faults */
    const bool made = model->params.memory != STEP_SC ? step_tso_move(model, state, edge, out, note)
                      : model->params.registers != STEP_ATOMIC
                          ? step_registers_move(model, state, edge, out, note)
                      : model->params.remote != STEP_REMOTE_NONE
                          ? step_remote_move(model, state, edge, out, note)
                          : plain_move(model, state, edge, out, note);
    return made && counts_passage(model, state, edge, out, note);
}

static struct check_moves expand(const struct check_model *check, const uint64_t *state,
                                 uint64_t *out)
{
    struct check_moves moves = {0};
    for (unsigned e = 0; e < check->n * check->kinds; e++) {
        struct check_note note;
        uint64_t *next = out + e * check->words;
        if (describe(check, state, e, next, &note)) {
            const bool changes = !check_same_state(next, state, check->words);
            moves.exist |= UINT64_C(1) << e;
            moves.change |= (uint64_t)changes << e;
        }
        moves.error |= note.slip != NULL;
        moves.barred |= note.barred;
    }
    return moves;
}

static void initial(const struct check_model *check, uint64_t *state)
{
    const struct check_model *inner = step_inner(outer_of(check));
    for (unsigned w = inner->words; w < check->words; w++)
        state[w] = CHECK_PRESENT;
    inner->initial(inner, state);
}

/* ---- questions about states, which the inner model answers ---- */

static uint64_t violated(const struct check_model *check, const uint64_t *state)
{
    const struct check_model *inner = step_inner(outer_of(check));
    return inner->violated(inner, state);
}

static void own(const struct check_model *check, const uint64_t *state, unsigned p, uint64_t *first,
                uint64_t *second)
{
    const struct check_model *inner = step_inner(outer_of(check));
    inner->own(inner, state, p, first, second);
}

static uint64_t active(const struct check_model *check, const uint64_t *state)
{
    const struct check_model *inner = step_inner(outer_of(check));
    return inner->active(inner, state);
}

static uint64_t ahead(const struct check_model *check, const uint64_t *state, unsigned p)
{
    const struct check_model *inner = step_inner(outer_of(check));
    return inner->ahead(inner, state, p);
}

static unsigned slot(const struct check_model *check, const uint64_t *state, unsigned p)
{
    const struct check_model *inner = step_inner(outer_of(check));
    return inner->slot(inner, state, p);
}

static bool clash(const struct check_model *check, const uint64_t *state, uint64_t inside)
{
    const struct check_model *inner = step_inner(outer_of(check));
    return inner->clash(inner, state, inside);
}

static void ranks(const struct check_model *check, const uint64_t *state, struct check_ranks *found)
{
    const struct check_model *inner = step_inner(outer_of(check));
    inner->ranks(inner, state, found);
}

static unsigned slots(const struct check_model *check, const uint64_t *state)
{
    const struct check_model *inner = step_inner(outer_of(check));
    return inner->slots(inner, state);
}

static void cell_values(const struct check_model *check, const uint64_t *state, uint64_t *values)
{
    const struct check_model *inner = step_inner(outer_of(check));
    inner->cell_values(inner, state, values);
}

static void local_state(const struct check_model *check, const uint64_t *state, unsigned p,
                        uint64_t *local)
{
    const struct check_model *inner = step_inner(outer_of(check));
    if (p < inner->n)
        inner->local_state(inner, state, p, local);
    for (unsigned w = 0; p >= inner->n && w < check->block_words; w++)
        local[w] = 0;
}

static void show(const struct check_model *check, unsigned c, uint64_t value, char *text,
                 size_t size)
{
    const struct check_model *inner = step_inner(outer_of(check));
    inner->show(inner, c, value, text, size);
}

static void show_local(const struct check_model *check, const uint64_t *state, unsigned p,
                       char *text, size_t size)
{
    const struct step_model *model = outer_of(check);
    const struct check_model *inner = step_inner(model);
    text[0] = '\0';
    if (p < inner->n)
        inner->show_local(inner, state, p, text, size);
    else if (model->params.memory != STEP_SC)
        step_tso_show(model, state, p - inner->n, text, size);
    else
        step_registers_show(model, state, p - inner->n, text, size);
}

static void pass_on(struct check_model *check, const struct check_model *inner)
{
    check->initial = initial;
    check->expand = expand;
    check->describe = describe;
    check->cell_values = cell_values;
    check->local_state = local_state;
    check->show = show;
    check->show_local = show_local;
    check->violated = inner->violated != NULL ? violated : NULL;
    check->own = inner->own != NULL ? own : NULL;
    check->active = inner->active != NULL ? active : NULL;
    check->ahead = inner->ahead != NULL ? ahead : NULL;
    check->slot = inner->slot != NULL ? slot : NULL;
    check->clash = inner->clash != NULL ? clash : NULL;
    check->ranks = inner->ranks != NULL ? ranks : NULL;
    check->slots = inner->slots != NULL ? slots : NULL;
    check->remote = NULL;
}

/* ---- layout ---- */

struct cursor {
    unsigned word, bit;
};

static struct check_field take(struct cursor *cursor, uint64_t values)
{
    enum { WORD_BITS = 63 };
    const unsigned bits = check_bits_for(values);
    if (cursor->bit + bits > WORD_BITS) {
        cursor->word++;
        cursor->bit = 0;
    }
    struct check_field field = {.word = (uint8_t)cursor->word,
                                .shift = (uint8_t)cursor->bit,
                                .mask = (UINT64_C(1) << bits) - 1,
                                .values = values};
    cursor->bit += bits;
    return field;
}

static uint64_t most_values(const struct check_model *inner, bool of_registers)
{
    uint64_t most = 1;
    for (unsigned c = 0; c < inner->cells; c++) {
        if ((!of_registers || inner->cell[c].owner >= 0) && inner->cell[c].field.values > most)
            most = inner->cell[c].field.values;
    }
    return most;
}

static void lay_out(struct step_memory *memory, const struct step_params *params,
                    struct cursor *cursor)
{
    const struct check_model *inner = &memory->inner.check;
    for (unsigned p = 0; p < inner->n; p++) {
        struct step_buffer *buffer = &memory->buffer[p];
        if (params->memory != STEP_SC)
            buffer->count = take(cursor, params->buffer + 1);
        for (unsigned b = 0; params->memory != STEP_SC && b < params->buffer; b++) {
            buffer->cell[b] = take(cursor, inner->cells);
            buffer->value[b] = take(cursor, most_values(inner, false));
        }
        if (params->registers != STEP_ATOMIC) {
            memory->writing[p] = take(cursor, 2);
            memory->place[p] = take(cursor, CHECK_SUPERVISOR + 1);
            memory->seen[p] =
                take(cursor, params->registers == STEP_SAFE ? most_values(inner, true) : 2);
        }
        for (unsigned c = 0; params->remote == STEP_REMOTE_CC && c < inner->cells;
             c += STEP_COPY_BITS) {
            const unsigned left = inner->cells - c;
            memory->copies[p][c / STEP_COPY_BITS] =
                take(cursor, UINT64_C(1) << (left < STEP_COPY_BITS ? left : STEP_COPY_BITS));
        }
        if (params->passages > 0)
            memory->passages[p] = take(cursor, params->passages + 1);
    }
}

static bool has_registers(const struct check_model *check)
{
    for (unsigned c = 0; c < check->cells; c++) {
        if (check->cell[c].owner >= 0)
            return true;
    }
    return false;
}

/* Why this memory model cannot be used here; NULL: it can. */
static const char *refuse(const struct step_model *model)
{
    const struct step_params *params = &model->params;
    const int asked = (params->memory != STEP_SC) + (params->registers != STEP_ATOMIC) +
                      (params->remote != STEP_REMOTE_NONE);
    if (asked > 1)
        return "one of --memory-model, --registers and --rmr at a time";
    if (model->check.supervisors > 0 || model->check.one_variable)
        return "all of its variables are one, which is accessed as a whole: there is nothing to be "
               "reordered, and every access is a reference to it";
    if (params->registers != STEP_ATOMIC && !has_registers(&model->check))
        return "it has no registers: every variable is written by more than one process";
    if (params->registers != STEP_ATOMIC && params->fault == STEP_FAULT_KILL)
        return "what a register holds after a kill in the middle of a write is not defined";
    if (model->normal != NULL && !params->as_it_is && params->passages == 0)
        return "its states are finite only by NORMAL, which knows nothing of what else there is: give "
               "--passages N";
    if (asked > 0 && params->remote == STEP_REMOTE_NONE && model->protocol->default_limit > 0 &&
        params->passages == 0)
        return "it counts for ever, and LIMIT does not see what has not reached memory: give "
               "--passages N";
    if (params->memory != STEP_SC && (params->buffer < 1 || params->buffer > STEP_MAX_BUFFER))
        return "a buffer has room for 1 to 8 stores";
    return NULL;
}

/* Regions have a field of their own: a process in the middle of its first write has left its
 * remainder, though in the model within it has not. */
static void have_places(struct check_model *check, const struct step_memory *memory)
{
    static const uint8_t itself[] = {CHECK_REMAINDER,  CHECK_DOORWAY,   CHECK_WAITING,
                                     CHECK_CRITICAL,   CHECK_EXIT,      CHECK_DEAD,
                                     CHECK_SUPERVISOR, CHECK_SUPERVISOR};
    check->region_mask = (uint64_t)sizeof itself - 1;
    for (unsigned p = 0; p < check->n; p++) {
        check->block[p] = memory->place[p];
        check->region[p] = itself;
    }
}

const char *step_memory_open(struct step_model *model)
{
    const struct step_params *params = &model->params;
    const bool agents = params->memory != STEP_SC || params->registers != STEP_ATOMIC;
    if (!agents && params->remote == STEP_REMOTE_NONE && params->passages == 0)
        return NULL;
    if (model->normal != NULL && !model->protocol->counts_for_ever && !model->protocol->cuts_off)
        model->params.as_it_is = true;
    const char *refusal = refuse(model);
    if (refusal != NULL)
        return refusal;
    struct step_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return "there is no memory to begin with";
    struct check_model *check = &model->check;
    memory->inner = *model;
    memory->inner.params.as_it_is = true;
    struct cursor cursor = {.word = check->words};
    lay_out(memory, params, &cursor);
    check->words = cursor.bit > 0 ? cursor.word + 1 : cursor.word;
    memset(model->no_region, CHECK_SUPERVISOR, sizeof model->no_region);
    for (unsigned p = 0; p < check->n;
         p++) /* of the model itself, and not of what it was made in */
        check->region[p] = memory->inner.region;
    for (unsigned p = check->n; agents && p < 2 * check->n && p < CHECK_MAX_PROCESSES; p++)
        check->region[p] = model->no_region;
    if (params->registers != STEP_ATOMIC)
        have_places(check, memory);
    check->supervisors = agents ? check->n : 0U;
    check->agent = params->memory != STEP_SC ? "B" : "R";
    check->n += check->supervisors;
    check->anonymous = false;
    check->local_moves = false;
    check->more_than_parts = true;
    pass_on(check, &memory->inner.check);
    if (params->remote != STEP_REMOTE_NONE)
        check->remote = step_remote_is;
    model->memory = memory;
    if (check->words <= CHECK_MAX_WORDS && check->n <= CHECK_MAX_PROCESSES &&
        check->n * check->kinds <= CHECK_MAX_EDGES)
        return NULL;
    step_memory_close(model);
    return "with this many processes, a state of such a memory does not fit into the checker";
}

void step_memory_close(struct step_model *model)
{
    free(model->memory);
    model->memory = NULL;
}

unsigned step_memory_waiting(const struct step_model *model, const uint64_t *state, unsigned p)
{
    return model->memory == NULL || model->params.memory == STEP_SC
               ? 0
               : (unsigned)check_get(state, model->memory->buffer[p].count);
}

bool step_memory_was_full(const struct step_model *model)
{
    return model->memory != NULL && atomic_load(&model->memory->full);
}
