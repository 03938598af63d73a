/*
 * A system given by a table: n processes over one shared variable V. A step of process p in local
 * state x that finds the value v is looked up in next[p][v][x]. The local state is the program
 * counter, so the region of each local state is the same for all processes. Local state 0 is the
 * initial one and in the remainder region.
 */
#ifndef BERTH_TESTS_TABLE_H
#define BERTH_TESTS_TABLE_H

#include "support.h"

enum { TABLE_PROCESSES = 5, TABLE_LOCALS = 8, TABLE_VALUES = 64 };

struct entry {
    uint8_t value, local;
};

struct table {
    struct check_model check; /* first: the callbacks get a pointer to it */
    unsigned values, locals;
    unsigned first_value;
    uint8_t region[TABLE_LOCALS]; /* enum check_region */
    struct entry next[TABLE_PROCESSES][TABLE_VALUES][TABLE_LOCALS];
    bool barred[TABLE_PROCESSES][TABLE_VALUES];   /* may not leave local state 0 */
    bool competes[TABLE_PROCESSES][TABLE_LOCALS]; /* what `active` says */
    uint8_t after_death[TABLE_VALUES];            /* V when somebody dies outside local state 0 */
};

static inline const struct table *table_of(const struct check_model *model)
{
    return (const struct table *)model;
}

static inline void table_initial(const struct check_model *model, uint64_t *state)
{
    for (unsigned w = 0; w < model->words; w++)
        state[w] = CHECK_PRESENT;
    check_put(state, model->cell[0].field, table_of(model)->first_value);
}

static inline bool table_move(const struct check_model *model, const uint64_t *state, unsigned edge,
                              uint64_t *out)
{
    const struct table *table = table_of(model);
    const unsigned p = edge % model->n;
    const unsigned v = (unsigned)check_get(state, model->cell[0].field);
    const unsigned x = (unsigned)check_get(state, model->block[p]);
    const bool fault = edge >= model->n;
    if (fault ? x == 0 : x == 0 && table->barred[p][v])
        return false;
    for (unsigned w = 0; w < model->words; w++)
        out[w] = state[w];
    struct entry to = fault ? (struct entry){table->after_death[v], 0} : table->next[p][v][x];
    check_put(out, model->cell[0].field, to.value);
    check_put(out, model->block[p], to.local);
    return true;
}

/* Where nothing changes, `out` is left with rubbish in it: nobody may look there. */
static inline struct check_moves table_expand(const struct check_model *model,
                                              const uint64_t *state, uint64_t *out)
{
    struct check_moves moves = {0};
    for (unsigned e = 0; e < model->n * model->kinds; e++) {
        uint64_t *next = out + e * model->words;
        bool exists = table_move(model, state, e, next);
        bool changes = exists && !check_same_state(next, state, model->words);
        moves.exist |= (uint64_t)exists << e;
        moves.change |= (uint64_t)changes << e;
        for (unsigned w = 0; w < model->words && !changes; w++)
            next[w] = UINT64_C(0xdeadbeefdeadbeef);
    }
    return moves;
}

static inline bool table_describe(const struct check_model *model, const uint64_t *state,
                                  unsigned edge, uint64_t *out, struct check_note *note)
{
    const bool fault = edge >= model->n;
    *note = (struct check_note){.label = fault ? "dies" : "step",
                                .access = fault ? CHECK_FAULT : CHECK_UPDATE,
                                .cell = fault ? -1 : 0};
    return table_move(model, state, edge, out);
}

static inline uint64_t table_active(const struct check_model *model, const uint64_t *state)
{
    uint64_t set = 0;
    for (unsigned p = 0; p < model->n; p++)
        set |= (uint64_t)table_of(model)->competes[p][check_get(state, model->block[p])] << p;
    return set;
}

static inline void table_cell_values(const struct check_model *model, const uint64_t *state,
                                     uint64_t *values)
{
    values[0] = check_get(state, model->cell[0].field);
}

static inline void table_local_state(const struct check_model *model, const uint64_t *state,
                                     unsigned p, uint64_t *local)
{
    local[0] = check_get(state, model->block[p]);
}

/* Sets everything up but the table itself. The fields are spread over `words` words. */
static inline void table_begin(struct table *table, unsigned n, unsigned values, unsigned locals,
                               unsigned words)
{
    memset(table, 0, sizeof *table);
    table->values = values;
    table->locals = locals;
    struct check_model *check = &table->check;
    check->n = n;
    check->l = check->k = 1;
    check->words = words;
    check->kinds = 1;
    check->block_words = 1;
    check->region_mask = 7;
    check->local_moves = true;
    unsigned used[CHECK_MAX_WORDS] = {6};
    for (unsigned p = 0; p < n; p++) {
        unsigned w = (p + 1) % words;
        check->block[p] = (struct check_field){
            .word = (uint8_t)w, .shift = (uint8_t)used[w], .mask = 7, .values = TABLE_LOCALS};
        used[w] += 3;
    }
    check->cells = 1;
    check->cell[0] =
        (struct check_cell){.name = "V",
                            .index = -1,
                            .owner = -1,
                            .field = {.mask = TABLE_VALUES - 1, .values = TABLE_VALUES}};
    check->initial = table_initial;
    check->expand = table_expand;
    check->describe = table_describe;
    check->cell_values = table_cell_values;
    check->local_state = table_local_state;
    for (unsigned p = 0; p < n; p++)
        check->region[p] = table->region;
    for (unsigned v = 0; v < values; v++)
        table->after_death[v] = (uint8_t)v;
}

static inline void table_allow_death(struct table *table)
{
    table->check.has_fault = true;
    table->check.kinds = 2;
}

/* One entry, the same for all processes. */
static inline void table_set(struct table *table, unsigned value, unsigned local, unsigned to_value,
                             unsigned to_local)
{
    for (unsigned p = 0; p < table->check.n; p++)
        table->next[p][value][local] = (struct entry){(uint8_t)to_value, (uint8_t)to_local};
}

/* ---- known systems, to be used as they are or with a few entries changed ---- */

/* Local states of the systems below; `DOOR` and `LEAVE` only where they are asked for. */
enum { REST, TRY, IN, DOOR, LEAVE, SYSTEM_LOCALS };

static inline void table_regions(struct table *table)
{
    table->region[REST] = CHECK_REMAINDER;
    table->region[TRY] = CHECK_WAITING;
    table->region[IN] = CHECK_CRITICAL;
    table->region[DOOR] = CHECK_DOORWAY;
    table->region[LEAVE] = CHECK_EXIT;
}

/* V counts who holds a slot: whoever finds one free takes it. */
static inline void table_semaphore(struct table *table, unsigned n, unsigned l, bool exits,
                                   unsigned words)
{
    table_begin(table, n, l + 1, SYSTEM_LOCALS, words);
    table_regions(table);
    table->check.l = l;
    for (unsigned v = 0; v <= l; v++) {
        table_set(table, v, REST, v, TRY);
        table_set(table, v, DOOR, v, TRY);
        table_set(table, v, TRY, v < l ? v + 1 : v, v < l ? IN : TRY);
        table_set(table, v, IN, exits || v == 0 ? v : v - 1, exits ? LEAVE : REST);
        table_set(table, v, LEAVE, v == 0 ? 0 : v - 1, REST);
    }
}

/* V is the queue of all who try or are in, by their numbers; the first l may enter. */
struct queue_code {
    unsigned count;
    unsigned length[TABLE_VALUES];
    unsigned member[TABLE_VALUES][TABLE_PROCESSES];
};

static inline unsigned queue_find(const struct queue_code *code, const unsigned *member,
                                  unsigned length)
{
    for (unsigned v = 0; v < code->count; v++) {
        if (code->length[v] == length &&
            memcmp(code->member[v], member, length * sizeof *member) == 0)
            return v;
    }
    return code->count;
}

static inline unsigned queue_place(const struct queue_code *code, unsigned v, unsigned p)
{
    unsigned place = 0;
    while (place < code->length[v] && code->member[v][place] != p)
        place++;
    return place;
}

static inline void queue_enumerate(struct queue_code *code, unsigned n)
{
    memset(code, 0, sizeof *code);
    code->count = 1;
    for (unsigned v = 0; v < code->count; v++) {
        for (unsigned p = 0; p < n; p++) {
            if (queue_place(code, v, p) < code->length[v])
                continue;
            memcpy(code->member[code->count], code->member[v], sizeof code->member[v]);
            code->member[code->count][code->length[v]] = p;
            code->length[code->count] = code->length[v] + 1;
            code->count++;
        }
    }
}

static inline void table_queue(struct table *table, unsigned n, unsigned l, bool doorway,
                               bool exits, unsigned words)
{
    struct queue_code code; /* n <= 3: 16 values */
    queue_enumerate(&code, n);
    table_begin(table, n, code.count, SYSTEM_LOCALS, words);
    table_regions(table);
    table->check.l = l;
    for (unsigned p = 0; p < n; p++) {
        for (unsigned v = 0; v < code.count; v++) {
            struct entry *next = table->next[p][v];
            const unsigned length = code.length[v], place = queue_place(&code, v, p);
            unsigned member[TABLE_PROCESSES];
            memcpy(member, code.member[v], sizeof member);
            uint8_t with = (uint8_t)v, without = (uint8_t)v;
            if (place == length) {
                member[length] = p;
                with = (uint8_t)queue_find(&code, member, length + 1);
            } else {
                memmove(&member[place], &member[place + 1], (length - place - 1) * sizeof *member);
                without = (uint8_t)queue_find(&code, member, length - 1);
            }
            const bool may = place < l && place < length;
            next[REST] = doorway ? (struct entry){(uint8_t)v, DOOR} : (struct entry){with, TRY};
            next[DOOR] = (struct entry){with, TRY};
            next[TRY] = (struct entry){(uint8_t)v, may ? IN : TRY};
            next[IN] = exits ? (struct entry){(uint8_t)v, LEAVE} : (struct entry){without, REST};
            next[LEAVE] = (struct entry){without, REST};
        }
    }
}

/* ---- random tables ---- */

/* A local state that a step from a state of this region may lead to: R->T/C, T->T/C, C->E/R, E->E/R;
 * past the doorway there is no way back into it. */
static inline uint8_t random_target(const struct table *table, struct dice *dice, unsigned from)
{
    const uint8_t *region = table->region;
    for (;;) {
        unsigned to = dice_below(dice, table->locals);
        bool fits = false;
        switch (region[from]) {
        case CHECK_REMAINDER:
        case CHECK_DOORWAY:
            fits = check_trying((enum check_region)region[to]) || region[to] == CHECK_CRITICAL;
            break;
        case CHECK_WAITING:
            fits = region[to] == CHECK_WAITING || region[to] == CHECK_CRITICAL;
            break;
        default: fits = region[to] == CHECK_EXIT || region[to] == CHECK_REMAINDER; break;
        }
        if (fits)
            return (uint8_t)to;
    }
}

static inline struct entry random_entry(const struct table *table, struct dice *dice, unsigned from)
{
    return (struct entry){(uint8_t)dice_below(dice, table->values),
                          random_target(table, dice, from)};
}

static inline void random_fill(struct table *table, struct dice *dice, bool alike)
{
    for (unsigned p = 0; p < table->check.n; p++) {
        for (unsigned v = 0; v < table->values; v++) {
            for (unsigned x = 0; x < table->locals; x++)
                table->next[p][v][x] =
                    alike && p > 0 ? table->next[0][v][x] : random_entry(table, dice, x);
        }
    }
}

/* Changes a few entries; `alike`: for all processes. */
static inline void random_change(struct table *table, struct dice *dice, unsigned changes,
                                 bool alike)
{
    for (unsigned c = 0; c < changes; c++) {
        unsigned v = dice_below(dice, table->values), x = dice_below(dice, table->locals);
        unsigned first = dice_below(dice, table->check.n);
        struct entry entry = random_entry(table, dice, x);
        for (unsigned p = 0; p < table->check.n; p++) {
            if (alike || p == first)
                table->next[p][v][x] = entry;
        }
    }
}

/* Local states: 0 is the remainder, and one or two of each of the others. */
static inline void random_regions(struct table *table, struct dice *dice, bool doorway, bool exits,
                                  unsigned most)
{
    uint8_t *region = table->region;
    unsigned count = 0;
    region[count++] = CHECK_REMAINDER;
    region[count++] = CHECK_WAITING;
    region[count++] = CHECK_CRITICAL;
    if (doorway)
        region[count++] = CHECK_DOORWAY;
    if (exits)
        region[count++] = CHECK_EXIT;
    while (count < most) {
        static const uint8_t more[] = {CHECK_WAITING,   CHECK_WAITING,  CHECK_WAITING,
                                       CHECK_REMAINDER, CHECK_CRITICAL, CHECK_DOORWAY,
                                       CHECK_EXIT};
        uint8_t one = more[dice_below(dice, 7)];
        if ((one != CHECK_DOORWAY || doorway) && (one != CHECK_EXIT || exits))
            region[count++] = one;
    }
    table->locals = count;
}

/* What to make: any of the kinds above, of a size that brute force can do. */
struct random_wish {
    unsigned n;
    bool alike, deaths, bars, doorway, exits;
};

static inline void random_table(struct table *table, struct dice *dice, struct random_wish wish)
{
    const unsigned n = wish.n, words = 1 + dice_below(dice, 3);
    const unsigned l = 1 + dice_below(dice, n > 2 ? 2 : 1);
    switch (dice_below(dice, wish.alike ? 2 : 3)) {
    case 0:
        table_begin(table, n, 2 + dice_below(dice, n > 2 ? 1 : 3), 0, words);
        random_regions(table, dice, wish.doorway, wish.exits,
                       n > 2 ? (wish.alike ? 3 : 4) : 4 + dice_below(dice, 3));
        table->first_value = dice_below(dice, table->values);
        random_fill(table, dice, wish.alike);
        break;
    case 1:
        table_semaphore(table, n, l, wish.exits, words);
        random_change(table, dice, dice_below(dice, 5), wish.alike);
        break;
    default:
        table_queue(table, n, l, wish.doorway, wish.exits, words);
        random_change(table, dice, dice_below(dice, 6), false);
        break;
    }
    table->check.l = l;
    table->check.k = 1 + dice_below(dice, n);
    table->check.anonymous = wish.alike;
    if (wish.deaths) {
        table_allow_death(table);
        unsigned v = dice_below(dice, table->values);
        table->after_death[v] = (uint8_t)dice_below(dice, table->values);
        /* Then a fault does more than to its own process. */
        table->check.local_moves = table->after_death[v] == v;
    }
    table->check.local_moves = table->check.local_moves && !wish.bars;
    for (unsigned p = 0; p < n; p++) {
        for (unsigned v = 0; v < table->values && wish.bars; v++)
            table->barred[p][v] =
                wish.alike && p > 0 ? table->barred[0][v] : dice_below(dice, 4) == 0;
        for (unsigned x = 0; x < table->locals; x++)
            table->competes[p][x] =
                wish.alike && p > 0 ? table->competes[0][x] : dice_below(dice, 2) == 0;
    }
    if (dice_below(dice, 2) == 0) {
        table->check.active = table_active;
    }
}

/* The table as text, so that a failing example can be read. */
static inline void table_print(const struct table *table)
{
    static const char letters[] = "RDTCEX";
    print_error("n = %u, l = %u, k = %u, V = 0..%u, at first %u; local states: ", table->check.n,
                table->check.l, table->check.k, table->values - 1, table->first_value);
    for (unsigned x = 0; x < table->locals; x++)
        print_error("%u=%c ", x, letters[table->region[x]]);
    print_error("%s\n", table->check.kinds > 1 ? "(with deaths)" : "");
    for (unsigned p = 0; p < (table->check.anonymous ? 1 : table->check.n); p++) {
        for (unsigned x = 0; x < table->locals; x++) {
            print_error("  p%u at %u:", p, x);
            for (unsigned v = 0; v < table->values; v++)
                print_error(" %u->(%u,%u)%s", v, table->next[p][v][x].value,
                            table->next[p][v][x].local,
                            x == 0 && table->barred[p][v] ? "barred" : "");
            print_error("\n");
        }
    }
}

#endif
