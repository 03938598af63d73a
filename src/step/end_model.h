/*
 * The model expansion, second half: from a packed state to its successors, by way of the resumable
 * sections that the protocol file has just defined.
 */
enum {
    STEP_END = __COUNTER__,
    STEP_PC_CRITICAL = STEP_EXIT - STEP_FIRST,
    STEP_PC_DEAD = STEP_END - STEP_FIRST,
};

#define STEP_FIELD_SUB(name) STEP_FIELD_pc_##name,
#define STEP_FIELD_LOCAL(name, values) STEP_FIELD_##name,
enum { STEP_FIELD_pc, SUBS(STEP_FIELD_SUB) LOCALS(STEP_FIELD_LOCAL) STEP_FIELDS };

/* ---- one step over an unpacked frame ---- */

/* The process rests; what it remembers is its own business. */
STEP_INLINE void step_rest(struct step_local *my)
{
#ifdef HAS_MEMORY
    my->pc = 0;
#else
    *my = (struct step_local){0};
#endif
}

STEP_INLINE void step_move(STEP_ARGUMENTS)
{
    if (my->pc == STEP_PC_DEAD) { /* a killed process comes back */
        step_store(run, &shared->step_alive[step_me], 1, CHECK_FAULT);
#ifdef HAS_REVIVAL
        my->pc = STEP_REVIVAL - STEP_FIRST;
#else
        my->pc = 0;
#endif
        if (run->note != NULL)
            run->note->label = "revives";
        return;
    }
#ifdef HAS_DOORWAY
    if (my->pc < STEP_ENTRY - STEP_FIRST) {
        if (step_doorway(STEP_PASS) == STEP_SUSPENDED)
            return;
        if (run->left)
            step_rest(my);
        else
            my->pc = run->entered ? STEP_PC_CRITICAL : STEP_ENTRY - STEP_FIRST;
        if (run->left || run->entered)
            return;
    }
#endif
    if (my->pc < STEP_PC_CRITICAL) {
        if (step_entry(STEP_PASS) == STEP_SUSPENDED)
            return;
        my->pc = STEP_PC_CRITICAL;
        if (run->left)
            step_rest(my);
        return;
    }
#ifdef HAS_REVIVAL
    if (my->pc >= STEP_REVIVAL - STEP_FIRST) {
        if (step_revival(STEP_PASS) == STEP_DONE)
            step_rest(my);
        return;
    }
#endif
    if (step_exit(STEP_PASS) == STEP_DONE)
        step_rest(my);
}

/* A death or a kill; false: not possible here. */
STEP_INLINE bool step_fail(STEP_ARGUMENTS)
{
    if (params->fault == STEP_FAULT_KILL) {
        if (my->pc == STEP_PC_DEAD || shared->step_kills >= params->kills)
            return false;
        *my = (struct step_local){.pc = STEP_PC_DEAD};
        step_store(run, &shared->step_kills, shared->step_kills + 1, CHECK_FAULT);
        step_store(run, &shared->step_alive[step_me], 0, CHECK_FAULT);
        if (run->note != NULL)
            run->note->label = "is killed";
        return true;
    }
    *my = (struct step_local){0};
#ifdef HAS_DEATH
    step_death(STEP_PASS);
    *my = (struct step_local){0};
#endif
    if (run->note != NULL)
        run->note->label = "dies";
    return true;
}

/* ---- packing ---- */

static inline void step_unpack_shared(const struct step_model *model, const uint64_t *state,
                                      struct step_shared *shared)
{
    word *frame = (word *)shared;
    for (unsigned p = 0; p < model->check.n; p++)
        shared->step_alive[p] = 1; /* where nobody is killed, this is no part of the state */
    for (unsigned c = 0; c < model->check.cells; c++)
        frame[model->offset[c]] = check_get(state, model->check.cell[c].field);
}

/* A process's local state in parts of one word: its block, and what does not fit into it, which lies
 * in the words behind or, where the model is split, in a part of a word that it shares. */
#define STEP_UNPACK(name, range)                                                                   \
    my->name =                                                                                     \
        (part[model->local[STEP_FIELD_##name].word] >> model->local[STEP_FIELD_##name].shift) &    \
        model->local[STEP_FIELD_##name].mask;
#define STEP_UNPACK_SUB(name) STEP_UNPACK(pc_##name, 0)
static inline void step_unpack_local(const struct step_model *model, const uint64_t *state,
                                     unsigned p, struct step_local *my)
{
    const uint64_t *block = state + model->check.block[p].word;
    uint64_t part[CHECK_MAX_WORDS] = {block[0] >> model->check.block[p].shift};
    for (unsigned w = 1; w < model->check.block_words; w++)
        part[w] = model->split ? state[model->rest[p].word] >> model->rest[p].shift : block[w];
    STEP_UNPACK(pc, 0)
    SUBS(STEP_UNPACK_SUB)
    LOCALS(STEP_UNPACK)
}

#define STEP_PACK(name, range)                                                                     \
    overflow |= my->name >= model->local[STEP_FIELD_##name].values;                                \
    part[model->local[STEP_FIELD_##name].word] |= my->name << model->local[STEP_FIELD_##name].shift;
#define STEP_PACK_SUB(name) STEP_PACK(pc_##name, 0)
static inline bool step_pack_local(const struct step_model *model, uint64_t *state, unsigned p,
                                   const struct step_local *my)
{
    uint64_t part[CHECK_MAX_WORDS] = {0};
    bool overflow = false;
    STEP_PACK(pc, 0)
    SUBS(STEP_PACK_SUB)
    LOCALS(STEP_PACK)
    if (overflow)
        return true; /* the state is not used */
    check_put(state, model->check.block[p], part[0]);
    if (model->split)
        check_put(state, model->rest[p], part[1]);
    for (unsigned w = 1; !model->split && w < model->check.block_words; w++)
        state[model->check.block[p].word + w] = CHECK_PRESENT | part[w];
    return false;
}

/* Packs what the run stored and takes it back from the frame. */
static inline bool step_pack_stores(const struct step_model *model, struct step_run *run,
                                    struct step_shared *shared, unsigned p, uint64_t *state)
{
    bool overflow = false;
    for (unsigned s = run->stores; s-- > 0;) {
        word *cell = run->store[s].cell;
        const struct check_cell *of = &model->check.cell[model->cell_at[cell - (word *)shared]];
        const struct check_field field = of->field;
        overflow |= *cell >= field.values || (of->owner >= 0 && of->owner != (int)p);
        check_put(state, field, *cell & field.mask);
        *cell = run->store[s].old;
    }
    return overflow;
}

#ifdef HAS_NORMAL
/* Replaces a state by the one that stands for it. */
static inline bool step_normalise(const struct step_model *model, uint64_t *state)
{
    const struct check_model *check = &model->check;
    struct step_shared shared;
    struct step_local each[CHECK_MAX_PROCESSES];
    bool error = false;
    step_unpack_shared(model, state, &shared);
    for (unsigned p = 0; p < check->n; p++)
        step_unpack_local(model, state, p, &each[p]);
    if (!step_normal(&model->params, &shared, each))
        return false;
    for (unsigned p = 0; p < check->n; p++)
        error |= step_pack_local(model, state, p, &each[p]);
    for (unsigned c = 0; c < check->cells; c++) {
        const word value = ((const word *)&shared)[model->offset[c]];
        error |= value >= check->cell[c].field.values;
        check_put(state, check->cell[c].field, value & check->cell[c].field.mask);
    }
    return error;
}
#endif

/* ---- what the checker calls ---- */

static void step_initial(const struct check_model *check, uint64_t *state)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared = {0};
    for (unsigned w = 0; w < check->words; w++)
        state[w] = CHECK_PRESENT;
#ifdef HAS_INITIAL
    step_set_initial(&model->params, &shared);
#endif
    for (unsigned p = 0; p < check->n; p++)
        shared.step_alive[p] = 1;
    for (unsigned c = 0; c < check->cells; c++)
        check_put(state, check->cell[c].field, ((word *)&shared)[model->offset[c]]);
#ifdef HAS_NORMAL
    step_normalise(model, state);
#endif
}

/* Makes the move along edge `e` and writes the state after it to `next`. */
STEP_INLINE bool step_along(const struct step_model *model, const uint64_t *state, unsigned e,
                            struct step_run *run, struct step_shared *shared, uint64_t *next)
{
    const struct check_model *check = &model->check;
    const unsigned p = e % check->n;
    struct step_local my;
    step_unpack_local(model, state, p, &my);
    run->choice = check->has_choice && e / check->n == 1;
    if (check->has_fault && e / check->n == check->kinds - 1) {
        if (!step_fail(run, &model->params, shared, &my, p))
            return false;
    } else {
        step_move(run, &model->params, shared, &my, p);
        if (run->choice && !run->asked)
            goto undo; /* there was nothing to choose */
    }
    for (unsigned w = 0; w < check->words; w++)
        next[w] = state[w];
    run->broken |= step_pack_local(model, next, p, &my);
    run->broken |= step_pack_stores(model, run, shared, p, next);
#ifdef HAS_NORMAL
    if (!run->broken)
        run->broken |= step_normalise(model, next);
#endif
    const unsigned broken_from = model->protocol->broken_from;
    return !run->broken || broken_from == 0 || model->params.variant < broken_from;
undo:
    while (run->stores > 0) {
        run->stores--;
        *run->store[run->stores].cell = run->store[run->stores].old;
    }
    return false;
}

static struct check_moves step_expand(const struct check_model *check, const uint64_t *state,
                                      uint64_t *out)
{
    const struct step_model *model = (const struct step_model *)check;
    const unsigned n = check->n, words = check->words;
    struct step_shared shared;
    step_unpack_shared(model, state, &shared);
    struct check_moves moves = {0};
    for (unsigned e = 0; e < n * check->kinds; e++) {
        struct step_run run = {0};
        uint64_t *next = out + e * words;
        if (!step_along(model, state, e, &run, &shared, next))
            continue;
        moves.error |= run.broken;
        const bool fault = check->has_fault && e / n == check->kinds - 1;
        bool changes = !check_same_state(next, state, words);
        bool exists = fault ? changes : !run.barred; /* a death without effect is none */
        moves.exist |= (uint64_t)exists << e;
        moves.change |= (uint64_t)(exists && changes) << e;
    }
    return moves;
}

static bool step_describe(const struct check_model *check, const uint64_t *state, unsigned edge,
                          uint64_t *out, struct check_note *note)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared;
    *note = (struct check_note){.label = "", .cell = -1};
    struct step_run run = {.note = note, .frame = (const word *)&shared};
    step_unpack_shared(model, state, &shared);
    if (!step_along(model, state, edge, &run, &shared, out))
        return false;
    if (note->cell >= 0)
        note->cell = model->cell_at[note->cell];
    const bool fault = check->has_fault && edge / check->n == check->kinds - 1;
    return !run.broken && !run.barred && (!fault || !check_same_state(out, state, check->words));
}

#ifdef HAS_ACTIVE
static uint64_t step_active_set(const struct check_model *check, const uint64_t *state)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared;
    step_unpack_shared(model, state, &shared);
    uint64_t set = 0;
    for (unsigned p = 0; p < check->n; p++)
        set |= (uint64_t)step_active(&model->params, &shared, p) << p;
    return set;
}
#endif

#if defined(HAS_INVARIANTS) || defined(HAS_PROMISES)
static uint64_t step_violated_set(const struct check_model *check, const uint64_t *state)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared;
    uint64_t set = 0;
    step_unpack_shared(model, state, &shared);
#ifdef HAS_INVARIANTS
    set |= step_violated(&model->params, &shared);
#endif
#ifdef HAS_PROMISES
    set |= shared.step_failed;
#endif
    return set;
}
#endif

#ifdef HAS_AHEAD
static uint64_t step_ahead_of(const struct check_model *check, const uint64_t *state, unsigned p)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared;
    struct step_local my;
    step_unpack_shared(model, state, &shared);
    step_unpack_local(model, state, p, &my);
    return step_ahead(&model->params, &shared, &my, p);
}
#endif

#ifdef HAS_SLOT
static unsigned step_slot_of(const struct check_model *check, const uint64_t *state, unsigned p)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared;
    struct step_local my;
    step_unpack_shared(model, state, &shared);
    step_unpack_local(model, state, p, &my);
    return (unsigned)step_holds(&model->params, &shared, &my, p);
}
#endif

#ifdef HAS_SLOTS
static unsigned step_slots_now(const struct check_model *check, const uint64_t *state)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared;
    step_unpack_shared(model, state, &shared);
    return (unsigned)step_slots(&model->params, &shared);
}
#endif

#ifdef STEP_BARE
/* For a compiler that has no use for the rest: the steps alone. */
struct check_moves STEP_JOIN(step_expand_, NAME)(const struct check_model *check,
                                                 const uint64_t *state, uint64_t *out);
struct check_moves STEP_JOIN(step_expand_, NAME)(const struct check_model *check,
                                                 const uint64_t *state, uint64_t *out)
{
    return step_expand(check, state, out);
}
#else
#define STEP_LAYOUT_CELL(name, values)                                                             \
    step_layout_cells(model, #name, offsetof(struct step_shared, name) / sizeof(word), STEP_CELL,  \
                      1, (values), &error);
#define STEP_LAYOUT_CELLS(name, count, values)                                                     \
    step_layout_cells(model, #name, offsetof(struct step_shared, name) / sizeof(word),             \
                      STEP_ARRAY_OF_CELLS, (count), (values), &error);
#define STEP_LAYOUT_REGISTERS(name, values)                                                        \
    step_layout_cells(model, #name, offsetof(struct step_shared, name) / sizeof(word),             \
                      STEP_REGISTERS, params->n, (values), &error);
#define STEP_LAYOUT_SUB(name)                                                                      \
    step_layout_local(model, "", USES(name) ? STEP_JOIN(step_places_, name) + 1 : 1, &error);
#define STEP_LAYOUT_LOCAL(name, values) step_layout_local(model, #name, (values), &error);

static const char *step_make(struct step_model *model, const struct step_params *params)
{
    const char *error = NULL;
    const word step_me = 0;
    STEP_NAMES
    step_layout_begin(model, params);
#ifdef HAS_CHOICE
    model->check.has_choice = true;
    model->check.kinds++;
    model->check.local_moves = false;
    model->split = true;
#endif
#if defined(HAS_NORMAL) || defined(HAS_HISTORY) || defined(HAS_PROMISES)
    model->check.local_moves = false; /* a move may change what stands in everybody's variables */
#endif
    CELLS(STEP_LAYOUT_CELL, STEP_LAYOUT_CELLS, STEP_LAYOUT_REGISTERS)
    if (params->fault == STEP_FAULT_KILL) {
        step_layout_cells(model, "kills", offsetof(struct step_shared, step_kills) / sizeof(word),
                          STEP_CELL, 1, params->kills + 1, &error);
        step_layout_cells(model, "alive", offsetof(struct step_shared, step_alive) / sizeof(word),
                          STEP_ARRAY_OF_CELLS, params->n, 2, &error);
    }
#ifdef HAS_PROMISES
    unsigned promises = 0;
    while (promises < PROTOCOL_MAX_INVARIANTS && step_protocol.invariants[promises] != NULL)
        promises++;
    step_layout_cells(model, "broken", offsetof(struct step_shared, step_failed) / sizeof(word),
                      STEP_CELL, 1, UINT64_C(1) << promises, &error);
#endif
    step_layout_local(model, "", STEP_PC_DEAD + 1, &error);
    SUBS(STEP_LAYOUT_SUB)
    LOCALS(STEP_LAYOUT_LOCAL)
    step_layout_end(model, &error);

    struct check_model *check = &model->check;
    for (int pc = 0; pc <= STEP_PC_DEAD; pc++) {
        model->region[pc] = pc == 0 ? CHECK_REMAINDER
                            : pc < STEP_ENTRY - STEP_FIRST ? CHECK_DOORWAY
                            : pc < STEP_PC_CRITICAL ? CHECK_WAITING
                            : pc == STEP_PC_CRITICAL ? CHECK_CRITICAL
                            : pc < STEP_PC_DEAD ? CHECK_EXIT
                                                : CHECK_DEAD;
    }
    check->initial = step_initial;
    check->expand = step_expand;
    check->describe = step_describe;
#ifdef HAS_ACTIVE
    check->active = step_active_set;
#endif
#if defined(HAS_INVARIANTS) || defined(HAS_PROMISES)
    check->violated = step_violated_set;
#endif
#ifdef HAS_AHEAD
    check->ahead = step_ahead_of;
#endif
#ifdef HAS_SLOT
    check->slot = step_slot_of;
#endif
#ifdef HAS_SLOTS
    check->slots = step_slots_now;
#endif
    check->own_steps = step_protocol.own_steps;
#ifdef HAS_SHOW
    model->show = step_show;
#endif
    model->protocol = &step_protocol;
    check->local_moves &= step_protocol.default_limit == 0; /* LIMIT looks at everything */
    check->invariant_names = step_protocol.invariants;
    for (unsigned i = 0; i < PROTOCOL_MAX_INVARIANTS && step_protocol.invariants[i] != NULL; i++)
        check->invariants++;
    check->anonymous = step_protocol.anonymous;
    return error;
}

extern const struct protocol_model STEP_JOIN(protocol_model_, NAME);
const struct protocol_model STEP_JOIN(protocol_model_, NAME) = {
    .protocol = &step_protocol,
#ifdef HAS_DEATH
    .can_die = true,
#endif
#ifdef HAS_DOORWAY
    .has_doorway = true,
#endif
    .make = step_make,
};
#endif
