#include "table_model.h"

static const struct table *table_of(const struct check_model *model)
{
    return (const struct table *)model;
}

static void table_initial(const struct check_model *model, uint64_t *state)
{
    for (unsigned w = 0; w < model->words; w++)
        state[w] = CHECK_PRESENT;
    check_put(state, model->cell[0].field, table_of(model)->first_value);
}

/* Which kind of move an edge is. */
static bool table_chooses(const struct check_model *model, unsigned edge)
{
    return model->has_choice && edge / model->n == 1;
}

static bool table_dies(const struct check_model *model, unsigned edge)
{
    return model->has_fault && edge / model->n + 1 == model->kinds;
}

static bool table_move(const struct check_model *model, const uint64_t *state, unsigned edge,
                       uint64_t *out)
{
    const struct table *table = table_of(model);
    const unsigned p = edge % model->n;
    const unsigned v = (unsigned)check_get(state, model->cell[0].field);
    const unsigned x = (unsigned)check_get(state, model->block[p]);
    struct entry to = table->next[p][v][x];
    if (table_dies(model, edge)) {
        if (x == table->dead)
            return false;
        to = (struct entry){table->after_death[v][x], table->dead};
    } else if (x == 0 && table->barred[p][v]) {
        return false;
    } else if (table_chooses(model, edge)) {
        if (!table->asks[p][v][x])
            return false;
        to = table->other[p][v][x];
    }
    for (unsigned w = 0; w < model->words; w++)
        out[w] = state[w];
    check_put(out, model->cell[0].field, to.value);
    check_put(out, model->block[p], to.local);
    return true;
}

/* Where nothing changes, `out` is left with rubbish in it: nobody may look there. */
static struct check_moves table_expand(const struct check_model *model, const uint64_t *state,
                                       uint64_t *out)
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

static bool table_describe(const struct check_model *model, const uint64_t *state, unsigned edge,
                           uint64_t *out, struct check_note *note)
{
    const bool fault = table_dies(model, edge);
    *note = (struct check_note){.label = fault ? "dies" : "step",
                                .access = fault ? CHECK_FAULT : CHECK_UPDATE,
                                .cell = fault ? -1 : 0};
    return table_move(model, state, edge, out);
}

uint64_t table_active(const struct check_model *model, const uint64_t *state)
{
    uint64_t set = 0;
    for (unsigned p = 0; p < model->n; p++)
        set |= (uint64_t)table_of(model)->competes[p][check_get(state, model->block[p])] << p;
    return set;
}

static unsigned table_slot(const struct check_model *model, const uint64_t *state, unsigned p)
{
    return table_of(model)
        ->slot[p][check_get(state, model->cell[0].field)][check_get(state, model->block[p])];
}

unsigned table_slots(const struct check_model *model, const uint64_t *state)
{
    return table_of(model)->slots[check_get(state, model->cell[0].field)];
}

static void table_cell_values(const struct check_model *model, const uint64_t *state,
                              uint64_t *values)
{
    values[0] = check_get(state, model->cell[0].field);
}

static void table_local_state(const struct check_model *model, const uint64_t *state, unsigned p,
                              uint64_t *local)
{
    local[0] = check_get(state, model->block[p]);
}

void table_begin(struct table *table, unsigned n, unsigned values, unsigned locals, unsigned words)
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
    check->slot = table_slot;
    for (unsigned p = 0; p < n; p++)
        check->region[p] = table->region;
    for (unsigned v = 0; v < values; v++)
        memset(table->after_death[v], (int)v, sizeof table->after_death[v]);
}

void table_add_supervisor(struct table *table)
{
    static const uint8_t no_region[TABLE_LOCALS] = {
        CHECK_SUPERVISOR, CHECK_SUPERVISOR, CHECK_SUPERVISOR, CHECK_SUPERVISOR,
        CHECK_SUPERVISOR, CHECK_SUPERVISOR, CHECK_SUPERVISOR, CHECK_SUPERVISOR};
    struct check_model *check = &table->check;
    check->block[check->n] = (struct check_field){
        .word = (uint8_t)(check->words - 1), .shift = 40, .mask = 7, .values = TABLE_LOCALS};
    check->region[check->n] = no_region;
    check->n++;
    check->supervisors = 1;
    assert_true(check->n <= TABLE_PROCESSES && !check->has_fault && !check->has_choice);
}

void table_allow_kills(struct table *table)
{
    table_allow_death(table);
    table->dead = (uint8_t)table->locals++;
    table->region[table->dead] = CHECK_DEAD;
    for (unsigned p = 0; p < table->check.n; p++) {
        for (unsigned v = 0; v < table->values; v++)
            table->next[p][v][table->dead] = (struct entry){(uint8_t)v, 0};
    }
}

void table_choose(struct table *table, unsigned value, unsigned local, unsigned to_value,
                  unsigned to_local)
{
    for (unsigned p = 0; p < table->check.n; p++) {
        table->asks[p][value][local] = true;
        table->other[p][value][local] = (struct entry){(uint8_t)to_value, (uint8_t)to_local};
    }
}

/* ---- known systems, to be used as they are or with a few entries changed ---- */

void table_regions(struct table *table)
{
    table->region[REST] = CHECK_REMAINDER;
    table->region[TRY] = CHECK_WAITING;
    table->region[IN] = CHECK_CRITICAL;
    table->region[DOOR] = CHECK_DOORWAY;
    table->region[LEAVE] = CHECK_EXIT;
    table->region[IN_1] = CHECK_CRITICAL;
}

void table_semaphore(struct table *table, unsigned n, unsigned l, bool exits, unsigned words)
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
        table_choose(table, v, TRY, v, REST);
    }
}

void table_pool(struct table *table, unsigned n, unsigned words)
{
    table_begin(table, n, 4, SYSTEM_LOCALS, words);
    table_regions(table);
    table->check.l = 2;
    for (unsigned v = 0; v < 4; v++) {
        const unsigned free = ~v & 3;
        table_set(table, v, REST, v, TRY);
        table_set(table, v, TRY, v | (free & -free), free & 1 ? IN : free & 2 ? IN_1 : TRY);
        table_set(table, v, IN, v & ~1U, REST);
        table_set(table, v, IN_1, v & ~2U, REST);
        table_choose(table, v, TRY, v, REST);
        table->slots[v] = 2;
        for (unsigned p = 0; p < n; p++)
            table->slot[p][v][IN_1] = 1;
    }
}

static unsigned queue_find(const struct queue_code *code, const unsigned *member, unsigned length)
{
    for (unsigned v = 0; v < code->count; v++) {
        if (code->length[v] == length &&
            memcmp(code->member[v], member, length * sizeof *member) == 0)
            return v;
    }
    return code->count;
}

static unsigned queue_place(const struct queue_code *code, unsigned v, unsigned p)
{
    unsigned place = 0;
    while (place < code->length[v] && code->member[v][place] != p)
        place++;
    return place;
}

static void queue_enumerate(struct queue_code *code, unsigned n)
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

void table_queue(struct table *table, unsigned n, unsigned l, bool doorway, bool exits,
                 unsigned words)
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
            table->slot[p][v][IN] = (uint8_t)place;
            table->asks[p][v][TRY] = true;
            table->other[p][v][TRY] = (struct entry){without, REST};
        }
    }
}

void table_print(const struct table *table)
{
    static const char letters[] = "RDTCEX";
    print_error("n = %u, l = %u, k = %u, V = 0..%u, at first %u; local states: ", table->check.n,
                table->check.l, table->check.k, table->values - 1, table->first_value);
    for (unsigned x = 0; x < table->locals; x++)
        print_error("%u=%c ", x, letters[table->region[x]]);
    print_error("%s%s%s\n", table->check.has_fault ? "(with deaths)" : "",
                table->check.own_steps ? "(enabled in own steps)" : "",
                table->check.slots != NULL ? "(with a number of slots that changes)" : "");
    for (unsigned p = 0; p < table->check.n; p++) {
        if (table->check.anonymous && p > 0 && p < check_workers(&table->check))
            continue;
        for (unsigned x = 0; x < table->locals; x++) {
            print_error("  p%u at %u:", p, x);
            for (unsigned v = 0; v < table->values; v++) {
                print_error(" %u->(%u,%u)%s", v, table->next[p][v][x].value,
                            table->next[p][v][x].local,
                            x == 0 && table->barred[p][v] ? "barred" : "");
                if (table->check.has_choice && table->asks[p][v][x])
                    print_error("or(%u,%u)", table->other[p][v][x].value,
                                table->other[p][v][x].local);
                if (table->check.has_fault)
                    print_error("dies(%u)", table->after_death[v][x]);
            }
            print_error("\n");
        }
    }
}
