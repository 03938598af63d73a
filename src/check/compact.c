#include "check/compact.h"

#include "check/set.h"

#include <string.h>

/* An entry of `next`: what changes in the unit and in the shared cell, as exclusive ors, and
 * how. */
#define KNOWN (UINT64_C(1) << 63)
#define NO_EDGE (UINT64_C(1) << 62) /* there is no such step */
#define ERROR (UINT64_C(1) << 61)   /* the original model has an error there */
#define STAYS (UINT64_C(1) << 60)   /* a busy wait: nothing changes */
enum { VALUE_SHIFT = 24 };
#define UNIT_CHANGE(entry) ((entry)&0xffffff)
#define VALUE_CHANGE(entry) ((entry) >> VALUE_SHIFT & 0xffffffff)

enum { MOST_VALUES = 1 << 12 }; /* of a cell, so that a row stays short */

/* Whether the fault of process p in `from` writes a cell that p does not own: one that does not
 * keep each of two values. What a fault writes may depend on the local state and the registers of
 * p, and so is asked of every unit. */
static bool fault_reaches_out(const struct check_model *raw, const uint64_t *from, unsigned p)
{
    uint64_t state[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS];
    struct check_note note;
    for (unsigned c = 0; c < raw->cells; c++) {
        const struct check_field field = raw->cell[c].field;
        if (raw->cell[c].owner >= 0)
            continue;
        for (uint64_t value = 0; value < 2 && value < field.values; value++) {
            memcpy(state, from, raw->words * sizeof *state);
            check_put(state, field, value);
            raw->describe(raw, state, raw->n + p, next, &note);
            if (check_get(next, field) != value)
                return true;
        }
    }
    return false;
}

/* The same of all processes in the initial state: what is known before there is a table. */
static bool faults_reach_out(const struct check_model *raw)
{
    uint64_t state[CHECK_MAX_WORDS];
    raw->initial(raw, state);
    for (unsigned p = 0; p < raw->n; p++) {
        if (fault_reaches_out(raw, state, p))
            return true;
    }
    return false;
}

bool check_can_compact(const struct check_model *raw)
{
    if (raw->more_than_parts || !raw->local_moves || raw->has_choice || raw->supervisors > 0 ||
        raw->clash != NULL || raw->ranks != NULL || raw->block_words > CHECK_UNIT_LOCALS ||
        (raw->has_fault && faults_reach_out(raw)))
        return false;
    unsigned owned[CHECK_MAX_PROCESSES] = {0};
    for (unsigned c = 0; c < raw->cells; c++) {
        if (raw->cell[c].field.values > MOST_VALUES)
            return false;
        if (raw->cell[c].owner >= 0 && ++owned[raw->cell[c].owner] > CHECK_MAX_REGISTERS)
            return false;
    }
    return true;
}

/* Which of the tables is process p's. */
static unsigned table_of(const struct check_compact *compact, unsigned p)
{
    return compact->tables == 1 ? 0 : p;
}

/* ---- from compact states to original ones ---- */

static void to_raw(const struct check_compact *compact, const uint64_t *state, uint64_t *raw_state)
{
    const struct check_model *raw = compact->raw, *model = &compact->model;
    for (unsigned w = 0; w < raw->words; w++)
        raw_state[w] = CHECK_PRESENT;
    for (unsigned c = 0; c < raw->cells; c++) {
        if (raw->cell[c].owner < 0)
            check_put(raw_state, raw->cell[c].field, check_get(state, model->cell[c].field));
    }
    for (unsigned p = 0; p < raw->n; p++) {
        const struct check_units *units = &compact->units[table_of(compact, p)];
        const uint64_t *key = units->key + check_get(state, model->block[p]) * CHECK_UNIT_WORDS;
        check_put(raw_state, raw->block[p], key[0] & raw->block[p].mask);
        for (unsigned w = 1; w < raw->block_words; w++)
            raw_state[raw->block[p].word + w] = key[w];
        for (unsigned r = 0; r < compact->registers[p]; r++)
            check_put(raw_state, raw->cell[compact->register_cell[p][r]].field,
                      key[CHECK_UNIT_LOCALS + r]);
    }
}

/* ---- numbering units; the lock is held ---- */

static void unit_key(const struct check_compact *compact, const uint64_t *raw_state, unsigned p,
                     uint64_t *key)
{
    const struct check_model *raw = compact->raw;
    memset(key, 0, CHECK_UNIT_WORDS * sizeof *key);
    key[0] = check_get(raw_state, raw->block[p]);
    for (unsigned w = 1; w < raw->block_words; w++)
        key[w] = raw_state[raw->block[p].word + w];
    for (unsigned r = 0; r < compact->registers[p]; r++)
        key[CHECK_UNIT_LOCALS + r] =
            check_get(raw_state, raw->cell[compact->register_cell[p][r]].field);
}

/* A new unit of process p, which is in `raw_state`; the number of values of the cell that it will
 * access next decides how long its row is. */
static bool add_unit(struct check_compact *compact, struct check_units *units, unsigned p,
                     const uint64_t *raw_state, const uint64_t *key, uint32_t number)
{
    const struct check_model *raw = compact->raw;
    struct check_note note;
    uint64_t next[CHECK_MAX_WORDS];
    raw->describe(raw, raw_state, p, next, &note);
    uint64_t values = note.cell < 0 ? 1 : raw->cell[note.cell].field.values;
    if (units->next_used + values + 1 > units->next_room ||
        !check_budget_take(compact->budget, (values + 1) * sizeof(uint64_t)))
        return false;
    memcpy(units->key + (size_t)number * CHECK_UNIT_WORDS, key, CHECK_UNIT_WORDS * sizeof *key);
    for (unsigned r = 0; r < compact->registers[p]; r++)
        units->reg[r][number] = (uint32_t)key[CHECK_UNIT_LOCALS + r];
    units->region[number] = (uint8_t)check_region_of(raw, raw_state, p);
    units->step[number] =
        (struct check_next){.row = (uint32_t)units->next_used,
                            .cell = (uint16_t)(note.cell < 0 ? (int)raw->cells : note.cell),
                            .values = (uint16_t)values};
    units->next_used += values + 1;
    return true;
}

/* The number of process p's unit in `raw_state`; UINT32_MAX: there is no room for it. */
static uint32_t number_unit(struct check_compact *compact, unsigned p, const uint64_t *raw_state)
{
    struct check_units *units = &compact->units[table_of(compact, p)];
    uint64_t key[CHECK_UNIT_WORDS];
    unit_key(compact, raw_state, p, key);
    uint64_t slot = check_set_home(check_set_hash(key, CHECK_UNIT_WORDS), units->index_size);
    for (; units->index[slot] != 0; slot = slot + 1 == units->index_size ? 0 : slot + 1) {
        uint32_t number = units->index[slot] - 1;
        if (check_same_state(units->key + (size_t)number * CHECK_UNIT_WORDS, key, CHECK_UNIT_WORDS))
            return number;
    }
    uint32_t number = atomic_load(&units->count);
    if (number >> compact->unit_bits != 0) {
        atomic_store(&compact->full, true);
        return UINT32_MAX;
    }
    if (!add_unit(compact, units, p, raw_state, key, number)) {
        atomic_store(&compact->broken, true);
        return UINT32_MAX;
    }
    units->index[slot] = number + 1;
    atomic_store(&units->count, number + 1);
    return number;
}

/* ---- steps ---- */

/* Whether an entry can say what the move did to the shared cells: a step changes at most the one
 * that it accesses, a fault none. */
static bool fits(const struct check_compact *compact, const uint64_t *before, const uint64_t *after,
                 unsigned edge, int accessed)
{
    const struct check_model *raw = compact->raw;
    for (unsigned i = 0; i < compact->shared; i++) {
        const unsigned c = compact->shared_cell[i].cell;
        const struct check_field field = raw->cell[c].field;
        if (check_get(before, field) != check_get(after, field) &&
            (edge >= raw->n || (int)c != accessed))
            return false;
    }
    return true;
}

/* Asks the original model for the move along `edge` and writes it down. */
static __attribute__((noinline)) uint64_t
learn(struct check_compact *compact, const uint64_t *state, unsigned edge, _Atomic(uint64_t) *place)
{
    const struct check_model *raw = compact->raw;
    const unsigned p = edge % raw->n;
    uint64_t before[CHECK_MAX_WORDS], after[CHECK_MAX_WORDS];
    struct check_note note;
    pthread_mutex_lock(&compact->lock);
    to_raw(compact, state, before);
    uint64_t entry = KNOWN;
    if (!raw->describe(raw, before, edge, after, &note)) {
        /* A step always exists (there is no LIMIT here), unless the model is in error. */
        entry |= edge < raw->n ? ERROR : NO_EDGE;
    } else {
        uint32_t unit = number_unit(compact, p, after);
        check_make_point(&compact->coverage, note.point);
        check_make_point(&compact->coverage, note.outcome);
        if (!fits(compact, before, after, edge, note.cell) ||
            (edge >= raw->n && fault_reaches_out(raw, before, p)))
            atomic_store(&compact->broken, true);
        if (unit == UINT32_MAX || atomic_load(&compact->broken)) {
            pthread_mutex_unlock(&compact->lock);
            return KNOWN | ERROR;
        }
        entry |= unit ^ check_get(state, compact->model.block[p]);
        if (edge < raw->n && note.cell >= 0 && raw->cell[note.cell].owner < 0)
            entry |= (check_get(after, raw->cell[note.cell].field) ^
                      check_get(before, raw->cell[note.cell].field))
                     << VALUE_SHIFT;
    }
    if ((entry & (ERROR | NO_EDGE)) == 0 && check_same_state(before, after, raw->words))
        entry |= STAYS;
    atomic_store_explicit(place, entry, memory_order_release);
    pthread_mutex_unlock(&compact->lock);
    return entry;
}

static inline uint64_t look_up(struct check_compact *compact, const uint64_t *state, unsigned edge,
                               _Atomic(uint64_t) *place)
{
    uint64_t entry = atomic_load_explicit(place, memory_order_acquire);
    return entry != 0 ? entry : learn(compact, state, edge, place);
}

/* The successor by `entry` of the move of process p, whose step accesses `cell`. */
static inline void apply(const struct check_compact *compact, const uint64_t *state, unsigned words,
                         unsigned p, unsigned cell, uint64_t entry, uint64_t *next)
{
    for (unsigned w = 0; w < words; w++)
        next[w] = state[w];
    next[words == 1 ? 0 : compact->unit_word[p]] ^= UNIT_CHANGE(entry) << compact->unit_shift[p];
    next[words == 1 ? 0 : compact->cell_word[cell]] ^= VALUE_CHANGE(entry)
                                                       << compact->cell_shift[cell];
}

static inline __attribute__((always_inline)) struct check_moves
expand_words(struct check_compact *compact, const uint64_t *state, uint64_t *out,
             const unsigned words)
{
    const struct check_model *model = &compact->model;
    const unsigned n = model->n;
    const uint64_t mask = model->region_mask;
    uint32_t unit[CHECK_MAX_PROCESSES];
    for (unsigned p = 0; p < n; p++)
        unit[p] =
            (uint32_t)(state[words == 1 ? 0 : compact->unit_word[p]] >> compact->unit_shift[p] &
                       mask);
    uint32_t value[CHECK_MAX_CELLS + 1];
    for (unsigned i = 0; i < compact->shared; i++)
        value[compact->shared_cell[i].cell] =
            (uint32_t)(state[words == 1 ? 0 : compact->shared_cell[i].word] >>
                           compact->shared_cell[i].shift &
                       compact->shared_cell[i].mask);
    for (unsigned i = 0; i < compact->owned; i++)
        value[compact->owned_cell[i].cell] =
            compact->owned_cell[i].value[unit[compact->owned_cell[i].owner]];
    value[model->cells] = 0;
    struct check_moves moves = {.exist = (UINT64_C(1) << n) - 1};
    uint64_t errors = 0;
    for (unsigned p = 0; p < n; p++) {
        const struct check_next step = compact->step[p][unit[p]];
        uint64_t entry = look_up(compact, state, p, &compact->next[p][step.row + value[step.cell]]);
        errors |= entry;
        if (entry & STAYS)
            continue;
        apply(compact, state, words, p, step.cell, entry, out + p * words);
        moves.change |= UINT64_C(1) << p;
    }
    for (unsigned p = 0; p < n && model->has_fault; p++) {
        const struct check_next step = compact->step[p][unit[p]];
        uint64_t entry = look_up(compact, state, n + p, &compact->next[p][step.row + step.values]);
        errors |= entry;
        if (entry & NO_EDGE)
            continue;
        apply(compact, state, words, p, step.cell, entry, out + (n + p) * words);
        moves.exist |= UINT64_C(1) << (n + p);
        moves.change |= UINT64_C(1) << (n + p);
    }
    moves.error = (errors & ERROR) != 0;
    return moves;
}

static struct check_moves expand(const struct check_model *model, const uint64_t *state,
                                 uint64_t *out)
{
    /* Filling in the tables does not change what the model is. */
    struct check_compact *compact = (struct check_compact *)(uintptr_t)model;
    if (model->words == 1)
        return expand_words(compact, state, out, 1);
    if (model->words == 2)
        return expand_words(compact, state, out, 2);
    return expand_words(compact, state, out, model->words);
}

/* ---- the rest of a model, by way of the original one ---- */

static bool from_raw(struct check_compact *compact, const uint64_t *raw_state, uint64_t *state)
{
    const struct check_model *raw = compact->raw, *model = &compact->model;
    for (unsigned w = 0; w < model->words; w++)
        state[w] = CHECK_PRESENT;
    for (unsigned c = 0; c < raw->cells; c++) {
        if (raw->cell[c].owner < 0)
            check_put(state, model->cell[c].field, check_get(raw_state, raw->cell[c].field));
    }
    bool numbered = true;
    pthread_mutex_lock(&compact->lock);
    for (unsigned p = 0; p < raw->n; p++) {
        uint32_t unit = number_unit(compact, p, raw_state);
        numbered = numbered && unit != UINT32_MAX;
        check_put(state, model->block[p], unit & model->block[p].mask);
    }
    pthread_mutex_unlock(&compact->lock);
    return numbered;
}

static void initial(const struct check_model *model, uint64_t *state)
{
    struct check_compact *compact = (struct check_compact *)(uintptr_t)model;
    uint64_t raw_state[CHECK_MAX_WORDS];
    compact->raw->initial(compact->raw, raw_state);
    from_raw(compact, raw_state, state);
}

static bool describe(const struct check_model *model, const uint64_t *state, unsigned edge,
                     uint64_t *out, struct check_note *note)
{
    struct check_compact *compact = (struct check_compact *)(uintptr_t)model;
    uint64_t before[CHECK_MAX_WORDS], after[CHECK_MAX_WORDS];
    to_raw(compact, state, before);
    return compact->raw->describe(compact->raw, before, edge, after, note) &&
           from_raw(compact, after, out);
}

static uint64_t violated(const struct check_model *model, const uint64_t *state)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(compact, state, raw_state);
    return compact->raw->violated(compact->raw, raw_state);
}

static uint64_t ahead(const struct check_model *model, const uint64_t *state, unsigned p)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(compact, state, raw_state);
    return compact->raw->ahead(compact->raw, raw_state, p);
}

static uint64_t active(const struct check_model *model, const uint64_t *state)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(compact, state, raw_state);
    return compact->raw->active(compact->raw, raw_state);
}

static void own(const struct check_model *model, const uint64_t *state, unsigned p, uint64_t *first,
                uint64_t *second)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(compact, state, raw_state);
    compact->raw->own(compact->raw, raw_state, p, first, second);
}

static unsigned slot(const struct check_model *model, const uint64_t *state, unsigned p)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(compact, state, raw_state);
    return compact->raw->slot(compact->raw, raw_state, p);
}

static unsigned slots(const struct check_model *model, const uint64_t *state)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(compact, state, raw_state);
    return compact->raw->slots(compact->raw, raw_state);
}

static void cell_values(const struct check_model *model, const uint64_t *state, uint64_t *values)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    for (unsigned c = 0; c < model->cells; c++) {
        const struct check_cell *cell = &model->cell[c];
        values[c] =
            cell->owner < 0
                ? check_get(state, cell->field)
                : compact->units[cell->owner]
                      .reg[compact->register_of[c]][check_get(state, model->block[cell->owner])];
    }
}

static void local_state(const struct check_model *model, const uint64_t *state, unsigned p,
                        uint64_t *local)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    const struct check_units *units = &compact->units[table_of(compact, p)];
    memcpy(local, units->key + check_get(state, model->block[p]) * CHECK_UNIT_WORDS,
           compact->raw->block_words * sizeof *local);
}

static void show(const struct check_model *model, unsigned c, uint64_t value, char *text,
                 size_t size)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    compact->raw->show(compact->raw, c, value, text, size);
}

static void show_local(const struct check_model *model, const uint64_t *state, unsigned p,
                       char *text, size_t size)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(compact, state, raw_state);
    compact->raw->show_local(compact->raw, raw_state, p, text, size);
}

/* Each entry of the tables has been described, and each unit turned up in some state. */
static void cover(const struct check_model *model, struct check_coverage *coverage)
{
    const struct check_compact *compact = (const struct check_compact *)model;
    for (unsigned w = 0; w < CHECK_MAX_POINTS / 64; w++)
        coverage->made[w] = atomic_load(&compact->coverage.made[w]);
    for (unsigned t = 0; t < compact->tables; t++) {
        const struct check_units *units = &compact->units[t];
        for (uint32_t number = 0; number < atomic_load(&units->count); number++)
            coverage->regions |= (uint8_t)(1U << units->region[number]);
    }
    coverage->known = coverage->whole = true;
}

/* ---- layout and memory ---- */

/* Lays the shared cells and then the units into `words` words of 63 bits, the units as wide as they
 * can be. */
static bool lay_out(struct check_compact *compact, unsigned words)
{
    struct check_model *model = &compact->model;
    unsigned word = 0, bit = 0;
    for (unsigned c = 0; c < model->cells; c++) {
        struct check_cell *cell = &model->cell[c];
        unsigned bits = check_bits_for(cell->field.values);
        if (cell->owner >= 0)
            continue;
        if (bit + bits > 63) {
            word++;
            bit = 0;
        }
        cell->field.word = (uint8_t)word;
        cell->field.shift = (uint8_t)bit;
        bit += bits;
    }
    if (word >= words)
        return false;
    for (unsigned width = CHECK_MAX_UNIT_BITS; width >= 1; width--) {
        unsigned fit = (63 - bit) / width + (words - word - 1) * (63 / width);
        if (fit < model->n)
            continue;
        compact->unit_bits = width;
        for (unsigned p = 0; p < model->n; p++) {
            if (bit + width > 63) {
                word++;
                bit = 0;
            }
            compact->unit_word[p] = (uint8_t)word;
            compact->unit_shift[p] = (uint8_t)bit;
            model->block[p] = (struct check_field){
                .word = (uint8_t)word, .shift = (uint8_t)bit, .mask = (UINT64_C(1) << width) - 1};
            bit += width;
        }
        model->region_mask = model->block[0].mask;
        return true;
    }
    return false;
}

/* What expanding wants to know of the cells, side by side. */
static void index_cells(struct check_compact *compact)
{
    const struct check_model *model = &compact->model;
    for (unsigned c = 0; c < model->cells; c++) {
        const struct check_field field = model->cell[c].field;
        const int owner = model->cell[c].owner;
        if (owner >= 0) {
            compact->owned_cell[compact->owned].value =
                compact->units[owner].reg[compact->register_of[c]];
            compact->owned_cell[compact->owned].owner = (uint16_t)owner;
            compact->owned_cell[compact->owned++].cell = (uint16_t)c;
            continue;
        }
        compact->cell_word[c] = field.word;
        compact->cell_shift[c] = field.shift;
        compact->shared_cell[compact->shared].mask = field.mask;
        compact->shared_cell[compact->shared].word = field.word;
        compact->shared_cell[compact->shared].shift = field.shift;
        compact->shared_cell[compact->shared++].cell = (uint16_t)c;
    }
}

bool check_compact_open(struct check_compact *compact, const struct check_model *raw,
                        struct check_budget *budget, unsigned words)
{
    memset(compact, 0, sizeof *compact);
    compact->raw = raw;
    compact->budget = budget;
    compact->model = *raw;
    struct check_model *model = &compact->model;
    model->words = words;
    model->block_words = 1;
    if (!lay_out(compact, words))
        return false;
    for (unsigned c = 0; c < raw->cells; c++) {
        int owner = raw->cell[c].owner;
        if (owner < 0)
            continue;
        compact->register_of[c] = (uint8_t)compact->registers[owner];
        compact->register_cell[owner][compact->registers[owner]++] = (uint16_t)c;
    }
    compact->tables = raw->anonymous ? 1 : raw->n;
    for (unsigned t = 0; t < compact->tables; t++) {
        if (!check_units_open(&compact->units[t], compact->unit_bits, compact->registers[t])) {
            check_compact_close(compact);
            return false;
        }
    }
    pthread_mutex_init(&compact->lock, NULL);
    index_cells(compact);
    for (unsigned p = 0; p < raw->n; p++) {
        const struct check_units *units = &compact->units[table_of(compact, p)];
        model->region[p] = units->region;
        compact->step[p] = units->step;
        compact->next[p] = units->next;
    }
    model->initial = initial;
    model->expand = expand;
    model->describe = describe;
    model->cover = cover;
    model->violated = raw->violated != NULL ? violated : NULL;
    model->ahead = raw->ahead != NULL ? ahead : NULL;
    model->own = raw->own != NULL ? own : NULL;
    model->active = raw->active != NULL ? active : NULL;
    model->slot = raw->slot != NULL ? slot : NULL;
    model->slots = raw->slots != NULL ? slots : NULL;
    model->cell_values = cell_values;
    model->local_state = local_state;
    model->show = show;
    model->show_local = show_local;
    return true;
}

void check_compact_close(struct check_compact *compact)
{
    for (unsigned t = 0; t < compact->tables; t++)
        check_units_close(&compact->units[t], compact->budget);
    pthread_mutex_destroy(&compact->lock);
}
