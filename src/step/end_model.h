/*
 * The model expansion, second half: from a packed state to its successors, by way of the resumable
 * sections that the protocol file has just defined.
 */
#include "step/end_needs.h"
#include "step/memory.h"
#include "step/sections.h"

/* A transformation has these of its own (transform.h). */
#ifndef TRANSFORMATION
#define TRANSFORMED_PLACES (STEP_PC_DEAD + 1)
#define TRANSFORMED_REGION step_region
#define TRANSFORMED_MOVE step_move
#define TRANSFORMED_SHOW step_show
#endif

#define STEP_FIELD_SUB(name) STEP_FIELD_pc_##name,
#define STEP_FIELD_LOCAL(name, values) STEP_FIELD_##name,
enum { STEP_FIELD_pc, SUBS(STEP_FIELD_SUB) LOCALS(STEP_FIELD_LOCAL) STEP_FIELDS };

/* Compilers that warn of uninitialized variables do not see that unpacking sets this one. */
#ifdef STEP_OWN
#define STEP_BLANK = {0}
#else
#define STEP_BLANK
#endif

/* Where a model is compiled for states of one size, the size is a constant. */
#ifdef STEP_STATE_WORDS
#define STEP_WORDS_OF(check) STEP_STATE_WORDS
#else
#define STEP_WORDS_OF(check) ((check)->words)
#endif

/* ---- packing ---- */

static inline void step_unpack_shared(const struct step_model *model, const uint64_t *state,
                                      struct step_shared *shared)
{
    word *frame = (word *)shared;
    STEP_SEEN_BY(shared, model);
    for (unsigned p = 0; p < model->check.n; p++)
        shared->step_alive[p] = 1; /* part of the state only if the fault is kill */
    for (unsigned c = 0; c < model->check.cells; c++)
        frame[model->offset[c]] = check_get(state, model->check.cell[c].field);
}

/* What the sizes of local arrays are expressions of, and the field that comes next. */
#define STEP_ARRAY_NAMES                                                                           \
    const struct step_params *const params = &model->params;                                       \
    const word step_me = p;                                                                        \
    unsigned field = STEP_FIELDS;                                                                  \
    (void)field;                                                                                   \
    STEP_NAMES

/* A process's local state in parts of one word: its block, and what does not fit into it, which
 * lies in the words behind or, where the model is split, in a part of a word that it shares. */
#define STEP_UNPACK(name, range)                                                                   \
    my->name =                                                                                     \
        (part[model->local[STEP_FIELD_##name].word] >> model->local[STEP_FIELD_##name].shift) &    \
        model->local[STEP_FIELD_##name].mask;
#define STEP_UNPACK_SUB(name) STEP_UNPACK(pc_##name, 0)
#define STEP_UNPACK_ARRAY(name, count, range)                                                      \
    for (word i = 0; i < (count); i++, field++)                                                    \
        my->name[i] = part[model->local[field].word] >> model->local[field].shift &                \
                      model->local[field].mask;
static inline void step_unpack_local(const struct step_model *model, const uint64_t *state,
                                     unsigned p, struct step_local *my)
{
    const unsigned block = model->check.block[p].word;
    uint64_t part[CHECK_MAX_WORDS]; /* one for each word of a block */
    part[0] = CHECK_STATE_WORD(state, block) >> model->check.block[p].shift;
    for (unsigned w = 1; w < model->check.block_words; w++)
        part[w] = model->split
                      ? CHECK_STATE_WORD(state, model->rest[p].word) >> model->rest[p].shift
                      : CHECK_STATE_WORD(state, block + w);
    STEP_UNPACK(pc, 0)
    SUBS(STEP_UNPACK_SUB)
    LOCALS(STEP_UNPACK)
    STEP_ARRAY_NAMES
    LOCAL_ARRAYS(STEP_UNPACK_ARRAY)
}

/* A block has no more words than fields. */
#define STEP_COUNT_ARRAY(name, count, range) +STEP_LOCAL_ARRAY
enum { STEP_PARTS = STEP_FIELDS + 1 LOCAL_ARRAYS(STEP_COUNT_ARRAY) };

/* Fields lie in the order in which they are declared: a word is complete where the next one
 * begins. */
#define STEP_PACK_AT(place, value)                                                                 \
    overflow |= (value) >= (place).values;                                                         \
    if ((place).word != at) {                                                                      \
        part[at] = packed;                                                                         \
        packed = 0;                                                                                \
        at = (place).word;                                                                         \
    }                                                                                              \
    packed |= (value) << (place).shift;
#define STEP_PACK(name, range) STEP_PACK_AT(model->local[STEP_FIELD_##name], my->name)
#define STEP_PACK_SUB(name) STEP_PACK(pc_##name, 0)
#define STEP_PACK_ARRAY(name, count, range)                                                        \
    for (word i = 0; i < (count); i++, field++) {                                                  \
        STEP_PACK_AT(model->local[field], my->name[i])                                             \
    }
static inline bool step_pack_local(const struct step_model *model, uint64_t *state, unsigned p,
                                   const struct step_local *my)
{
    uint64_t part[STEP_PARTS], packed = 0;
    unsigned at = 0;
    bool overflow = false;
    STEP_PACK(pc, 0)
    SUBS(STEP_PACK_SUB)
    LOCALS(STEP_PACK)
    STEP_ARRAY_NAMES
    LOCAL_ARRAYS(STEP_PACK_ARRAY)
    part[at] = packed;
    if (overflow)
        return true; /* the state is not used */
    check_put(state, model->check.block[p], part[0]);
    if (model->split)
        check_put(state, model->rest[p], part[1]);
#if !defined(STEP_STATE_WORDS) || STEP_STATE_WORDS > 2
    for (unsigned w = 1; !model->split && w < model->check.block_words; w++)
        state[model->check.block[p].word + w] = CHECK_PRESENT | part[w];
#elif STEP_STATE_WORDS == 2 /* a block of both words, and nothing else */
    if (!model->split && model->check.block_words == 2)
        state[1] = CHECK_PRESENT | part[1];
#endif
    return false;
}

/* Which local variable of the process is out of its range, for a person to read. */
#define STEP_BLAME(name, range)                                                                    \
    if (my->name >= model->local[STEP_FIELD_##name].values)                                        \
        step_blame(run, #name, -1, my->name, model->local[STEP_FIELD_##name].values);
#define STEP_BLAME_ARRAY(name, count, range)                                                       \
    for (word i = 0; i < (count); i++, field++) {                                                  \
        if (my->name[i] >= model->local[field].values)                                             \
            step_blame(run, #name, (int)i, my->name[i], model->local[field].values);               \
    }
static inline void step_blame(struct step_run *run, const char *name, int index, word value,
                              word values)
{
    if (run->slip == STEP_NO_SLIP) {
        run->slip = STEP_SLIP_LOCAL;
        run->slip_name = name;
        run->slip_index = index;
        run->slip_value = value;
        run->slip_limit = values - 1;
    }
}
static inline void step_blame_local(const struct step_model *model, struct step_run *run,
                                    unsigned p, const struct step_local *my)
{
    (void)my, (void)run;
    LOCALS(STEP_BLAME)
    STEP_ARRAY_NAMES
    LOCAL_ARRAYS(STEP_BLAME_ARRAY)
}

/* Whether process p must not store this value in cell `c`. */
static inline bool step_must_not(struct step_run *run, const struct step_model *model, unsigned c,
                                 word value, unsigned p)
{
    const struct check_cell *cell = &model->check.cell[c];
    const bool range = value >= cell->field.values;
    if (!range && (cell->owner < 0 || cell->owner == (int)p))
        return false;
    step_slip(run, range ? STEP_SLIP_RANGE : STEP_SLIP_REGISTER, run->frame + model->offset[c],
              value);
    return true;
}

/* Packs every cell. */
static inline bool step_pack_all(const struct step_model *model, struct step_run *run,
                                 const struct step_shared *shared, uint64_t *state)
{
    bool overflow = false;
    for (unsigned c = 0; c < model->check.cells; c++) {
        const struct check_field *field = &model->check.cell[c].field;
        const word value = ((const word *)shared)[model->offset[c]];
        if (value >= field->values) {
            step_slip(run, STEP_SLIP_RANGE, run->frame + model->offset[c], value);
            overflow = true;
        }
        check_put(state, *field, value & field->mask);
    }
    return overflow;
}

/* Whether a step that slips is dropped and not reported: in variants that are broken on purpose. */
static inline bool step_lets_slip(const struct step_model *model)
{
    const unsigned broken_from = model->protocol->broken_from;
    return broken_from != 0 && model->params.variant >= broken_from;
}

#ifdef HAS_SUPERVISOR
#define STEP_UNPACK_PRIVATE(name, range)                                                           \
    X->name = check_get(state, model->private[field]);                                             \
    field++;
#define STEP_UNPACK_PRIVATE_ARRAY(name, count, range)                                              \
    for (word i = 0; i < (count); i++) {                                                           \
        STEP_UNPACK_PRIVATE(name[i], range)                                                        \
    }
static inline void step_unpack_private(const struct step_model *model, const uint64_t *state,
                                       struct step_private *X)
{
    const unsigned p = model->params.n;
    STEP_ARRAY_NAMES
    field = 0;
    PRIVATE(STEP_UNPACK_PRIVATE, STEP_UNPACK_PRIVATE_ARRAY)
}

#define STEP_PACK_PRIVATE(name, range)                                                             \
    {                                                                                              \
        const struct check_field *at = &model->private[field++];                                   \
        overflow |= X->name >= at->values;                                                         \
        check_put(state, *at, X->name & at->mask);                                                 \
    }
#define STEP_PACK_PRIVATE_ARRAY(name, count, range)                                                \
    for (word i = 0; i < (count); i++)                                                             \
    STEP_PACK_PRIVATE(name[i], range)
static inline bool step_pack_private(const struct step_model *model, uint64_t *state,
                                     const struct step_private *X)
{
    const unsigned p = model->params.n;
    bool overflow = false;
    STEP_ARRAY_NAMES
    field = 0;
    PRIVATE(STEP_PACK_PRIVATE, STEP_PACK_PRIVATE_ARRAY)
    return overflow;
}

/* A step of the supervisor; as step_along. */
STEP_INLINE bool step_supervise(const struct step_model *model, const uint64_t *state,
                                struct step_run *run, struct step_shared *shared, uint64_t *next)
{
    struct step_private X STEP_BLANK;
    step_unpack_private(model, state, &X);
    step_supervisor(run, &model->params, shared, &X, model->params.n);
    for (unsigned w = 0; w < model->check.words; w++)
        next[w] = state[w];
    run->broken |= step_pack_private(model, next, &X);
    run->broken |= step_pack_all(model, run, shared, next);
    step_unpack_shared(model, state, shared);
    return !run->broken || !step_lets_slip(model);
}
#endif

/* Packs what the run stored and takes it back from the frame. */
static inline bool step_pack_stores(const struct step_model *model, struct step_run *run,
                                    struct step_shared *shared, unsigned p, uint64_t *state)
{
    bool overflow = false;
    for (unsigned s = run->stores; s-- > 0;) {
        word *cell = run->store[s].cell;
        const unsigned c = model->cell_at[cell - (word *)shared];
        const struct check_field *field = &model->check.cell[c].field;
        overflow |= step_must_not(run, model, c, *cell, p);
        check_put(state, *field, *cell & field->mask);
        *cell = run->store[s].old;
    }
    return overflow;
}

#ifdef HAS_SETTLED
/* Makes the settled steps of process p, as long as they change nothing that can be seen; false: one
 * of them is not what SETTLED says. */
static inline bool step_settle(const struct step_model *model, struct step_shared *shared,
                               struct step_local *my, unsigned p)
{
    for (;;) {
        const enum check_region region = TRANSFORMED_REGION((int)my->pc);
        if (region != CHECK_DOORWAY && region != CHECK_WAITING && region != CHECK_EXIT)
            return true; /* it has not begun */
#ifdef HAS_REVIVAL
        if (my->pc == STEP_REVIVAL - STEP_FIRST)
            return true;
#endif
        struct step_run run;
        struct step_local next;
        step_copy_local(&next, my);
        step_run_begin(&run);
        STEP_JOURNAL(run);
        run.settled = true;
        run.model = model;
        run.frame = (const word *)shared;
        TRANSFORMED_MOVE(&run, &model->params, shared, &next, p);
        if (run.broken || run.stores > 0)
            return false;
        const enum check_region then = TRANSFORMED_REGION((int)next.pc);
        if (!run.moved || run.asked || (region != then && then != CHECK_REMAINDER))
            return true;
        step_copy_local(my, &next);
    }
}
#endif

#ifdef HAS_NORMAL
/* Whether steps may have been settled, so that a state may have changed before NORMAL saw it. */
#ifdef HAS_SETTLED
#define STEP_MAY_SETTLE(model) ((model)->params.abridged)
#else
#define STEP_MAY_SETTLE(model) ((void)(model), false)
#endif

/* Replaces a state by the one that stands for it. */
static inline bool step_normalise(const struct step_model *model, struct step_run *run,
                                  uint64_t *state)
{
    const struct check_model *check = &model->check;
    struct step_shared shared STEP_BLANK;
    struct step_local each[CHECK_MAX_PROCESSES] STEP_BLANK;
    bool error = false;
    if (model->params.as_it_is)
        return false;
    step_unpack_shared(model, state, &shared);
    for (unsigned p = 0; p < check_workers(check); p++)
        step_unpack_local(model, state, p, &each[p]);
#ifdef HAS_SETTLED
    for (unsigned p = 0; p < check_workers(check) && model->params.abridged; p++)
        error |= !step_settle(model, &shared, &each[p], p);
#endif
    const bool asked = run->asked;
    run->asked = false;
    if (!step_normal(run, &model->params, &shared, each) && !STEP_MAY_SETTLE(model)) {
        run->asked = asked;
        return false;
    }
#ifndef HAS_NORMAL_CHOICE
    error |= run->asked; /* MAY in NORMAL needs that line */
#endif
    error |= asked && run->asked; /* one choice for each step */
    run->asked |= asked;
    for (unsigned p = 0; p < check_workers(check); p++)
        error |= step_pack_local(model, state, p, &each[p]);
    run->frame = (const word *)&shared;
    return error | step_pack_all(model, run, &shared, state);
}
#endif

/* ---- what the checker calls ---- */

#ifdef HAS_NORMAL
static bool step_normal_state(const struct step_model *model, uint64_t *state)
{
    struct step_run run = {.model = model};
    STEP_JOURNAL(run);
    return !step_normalise(model, &run, state);
}
#endif

#ifdef HAS_SETTLED
static uint64_t step_settled_set(const struct step_model *model, const uint64_t *state)
{
    struct step_shared shared STEP_BLANK;
    uint64_t set = 0;
    step_unpack_shared(model, state, &shared);
    for (unsigned p = 0; p < check_workers(&model->check) && model->params.abridged; p++) {
        struct step_local my, before;
        step_unpack_local(model, state, p, &my);
        step_copy_local(&before, &my);
        step_settle(model, &shared, &my, p);
        set |= (uint64_t)!step_same_local(&my, &before) << p;
    }
    return set;
}
#endif

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
    struct step_run run = {.model = model};
    STEP_JOURNAL(run);
    step_normalise(model, &run, state);
#endif
}

static inline bool step_is_fault(const struct check_model *check, unsigned edge)
{
    return check->has_fault && edge / check->n == check->kinds - 1;
}

#if defined(HAS_NORMAL) && !defined(HAS_SUPERVISOR) && !defined(HAS_LOCK)
#define STEP_HAS_EXPAND_NORMAL
#endif

/* The steps are a lot of code, and each copy of it takes long to compile. They are inlined where
 * states are expanded. step_describe is called for the states of a witness, so there they are
 * compiled for size. Where step_expand_normal expands the states, step_expand and step_describe
 * call one copy. */
#ifdef STEP_DEVICE
#define STEP_ALONG STEP_INLINE
#define STEP_SELDOM static
#elif defined(STEP_HAS_EXPAND_NORMAL)
#define STEP_ALONG static __attribute__((noinline))
#define STEP_SELDOM static
#else
#define STEP_ALONG STEP_INLINE
#define STEP_SELDOM static __attribute__((cold))
#endif

/* Makes the move along edge `e` and writes the state after it to `next`. */
STEP_ALONG bool step_along(const struct step_model *model, const uint64_t *state, unsigned e,
                           struct step_run *run, struct step_shared *shared, uint64_t *next)
{
    const struct check_model *check = &model->check;
    const unsigned p = e % check->n;
#ifdef HAS_SUPERVISOR
    if (p == model->params.n)
        return step_supervise(model, state, run, shared, next);
#endif
    struct step_local my STEP_BLANK;
    step_unpack_local(model, state, p, &my);
    run->choice = check->has_choice && e / check->n == 1;
    if (step_is_fault(check, e)) {
        if (!step_fail(run, &model->params, shared, &my, p))
            return false;
    } else {
        TRANSFORMED_MOVE(run, &model->params, shared, &my, p);
#ifndef HAS_NORMAL_CHOICE
        if (run->choice && !run->asked)
            goto undo; /* there was nothing to choose */
#endif
    }
    for (unsigned w = 0; w < STEP_WORDS_OF(check); w++)
        next[w] = state[w];
    if (step_pack_local(model, next, p, &my)) {
        run->broken = true;
        step_blame_local(model, run, p, &my);
    }
    if (run->all) {
        run->broken |= step_pack_all(model, run, shared, next);
        step_unpack_shared(model, state, shared);
    } else {
        run->broken |= step_pack_stores(model, run, shared, p, next);
    }
#ifdef HAS_NORMAL
    if (!run->broken)
        run->broken |= step_normalise(model, run, next);
#endif
#ifdef HAS_NORMAL_CHOICE
    if (run->choice && !run->asked)
        return false;
#endif
    return !run->broken || !step_lets_slip(model);
#ifndef HAS_NORMAL_CHOICE
undo:
    if (run->all)
        step_unpack_shared(model, state, shared);
    while (run->stores > 0) {
        run->stores--;
        *run->store[run->stores].cell = run->store[run->stores].old;
    }
    return false;
#endif
}

#ifdef STEP_HAS_EXPAND_NORMAL
/*
 * The same from a state that is unpacked already and stands for itself, as every state that the
 * checker expands does. Only what has changed is packed; and where the move stores nothing, only
 * the process that makes it can have come to a settled step. step_along does it the plain way;
 * tests/unit/test_moves.c compares the two.
 */
struct step_source {
    struct step_shared shared;
    struct step_local each[CHECK_MAX_PROCESSES];
};

static inline void step_unpack(const struct step_model *model, const uint64_t *state,
                               struct step_source *source)
{
    step_unpack_shared(model, state, &source->shared);
    for (unsigned p = 0; p < check_workers(&model->check); p++) {
        step_clear_local(&source->each[p]);
        step_unpack_local(model, state, p, &source->each[p]);
    }
}

static inline void step_copy_shared(const struct step_model *model, const struct step_shared *from,
                                    struct step_shared *to)
{
    STEP_SEEN_BY(to, model);
    for (unsigned p = 0; p < model->check.n; p++)
        to->step_alive[p] = from->step_alive[p];
    for (unsigned c = 0; c < model->check.cells; c++)
        ((word *)to)[model->offset[c]] = ((const word *)from)[model->offset[c]];
}

#define STEP_EXCEEDS(name, range) overflow |= my->name >= model->local[STEP_FIELD_##name].values;
#define STEP_EXCEEDS_SUB(name) STEP_EXCEEDS(pc_##name, 0)
#define STEP_EXCEEDS_ARRAY(name, count, range)                                                     \
    for (word i = 0; i < (count); i++, field++)                                                    \
        overflow |= my->name[i] >= model->local[field].values;
static inline bool step_local_overflows(const struct step_model *model, unsigned p,
                                        const struct step_local *my)
{
    bool overflow = false;
    STEP_EXCEEDS(pc, 0)
    SUBS(STEP_EXCEEDS_SUB)
    LOCALS(STEP_EXCEEDS)
    STEP_ARRAY_NAMES
    LOCAL_ARRAYS(STEP_EXCEEDS_ARRAY)
    return overflow;
}

/* Packs what differs from `source`, into a copy of the state that was unpacked. */
static inline bool step_pack_changes(const struct step_model *model,
                                     const struct step_source *source,
                                     const struct step_shared *shared,
                                     const struct step_local *each, uint64_t *next)
{
    bool overflow = false;
    for (unsigned p = 0; p < check_workers(&model->check); p++) {
        if (!step_same_local(&each[p], &source->each[p]))
            overflow |= step_pack_local(model, next, p, &each[p]);
    }
    for (unsigned c = 0; c < model->check.cells; c++) {
        const word value = ((const word *)shared)[model->offset[c]];
        if (value == ((const word *)&source->shared)[model->offset[c]])
            continue;
        const struct check_field *field = &model->check.cell[c].field;
        overflow |= value >= field->values;
        check_put(next, *field, value & field->mask);
    }
    return overflow;
}

/* Whether every store of the step is in range and made by a process that may make it. Undoes the
 * stores in the frame; the journal then has the new values in place of the old ones. */
static inline bool step_stores_overflow(const struct step_model *model, struct step_run *run,
                                        const struct step_shared *shared, unsigned p)
{
    bool overflow = false;
    for (unsigned s = run->stores; s-- > 0;) {
        word *cell = run->store[s].cell;
        const struct check_cell *of =
            &model->check.cell[model->cell_at[cell - (const word *)shared]];
        const word stored = *cell;
        overflow |= stored >= of->field.values || (of->owner >= 0 && of->owner != (int)p);
        *cell = run->store[s].old;
        run->store[s].old = stored;
    }
    return overflow;
}

/* Packs the move of process p as it is. */
static inline bool step_pack_move(const struct step_model *model, const struct step_run *run,
                                  const struct step_source *source, unsigned p,
                                  const struct step_local *my, uint64_t *next)
{
    for (unsigned s = 0; s < run->stores; s++) {
        const size_t offset = (size_t)(run->store[s].cell - (const word *)&source->shared);
        check_put(next, model->check.cell[model->cell_at[offset]].field, run->store[s].old);
    }
    return step_pack_local(model, next, p, my);
}

/* Settles and normalises what the move of process p has led to, and packs it. */
static inline bool step_normal_changes(const struct step_model *model, struct step_run *run,
                                       const struct step_source *source, unsigned p,
                                       struct step_shared *shared, const struct step_local *my,
                                       uint64_t *next)
{
    const unsigned workers = check_workers(&model->check);
    struct step_local each[CHECK_MAX_PROCESSES] STEP_BLANK;
    bool error = false;
    for (unsigned q = 0; q < workers; q++)
        step_copy_local(&each[q], q == p ? my : &source->each[q]);
#ifdef HAS_SETTLED
    for (unsigned q = 0; q < workers && model->params.abridged; q++) {
        if (q == p || run->stores > 0)
            error |= !step_settle(model, shared, &each[q], q);
    }
#endif
    const bool asked = run->asked;
    run->asked = false;
    if (!step_normal(run, &model->params, shared, each) && !STEP_MAY_SETTLE(model)) {
        run->asked = asked;
        return step_pack_move(model, run, source, p, my, next);
    }
    error |= asked && run->asked; /* one choice for each step */
    run->asked |= asked;
    return error | step_pack_changes(model, source, shared, each, next);
}

STEP_INLINE bool step_along_from(const struct step_model *model, const uint64_t *state, unsigned e,
                                 struct step_run *run, struct step_source *source, uint64_t *next)
{
    const struct check_model *check = &model->check;
    const unsigned p = e % check->n;
    struct step_local my;
    step_copy_local(&my, &source->each[p]);
    run->choice = check->has_choice && e / check->n == 1;
    if (step_is_fault(check, e)) {
        if (!step_fail(run, &model->params, &source->shared, &my, p))
            return false;
    } else {
        TRANSFORMED_MOVE(run, &model->params, &source->shared, &my, p);
#ifndef HAS_NORMAL_CHOICE
        if (run->choice && !run->asked) { /* there was nothing to choose */
            step_stores_overflow(model, run, &source->shared, p);
            return false;
        }
#endif
    }
    for (unsigned w = 0; w < STEP_WORDS_OF(check); w++)
        next[w] = state[w];
    struct step_shared moved;
    step_copy_shared(model, &source->shared, &moved);
    run->broken |= step_local_overflows(model, p, &my);
    run->broken |= step_stores_overflow(model, run, &source->shared, p);
    if (!run->broken)
        run->broken |= step_normal_changes(model, run, source, p, &moved, &my, next);
#ifdef HAS_NORMAL_CHOICE
    if (run->choice && !run->asked)
        return false;
#endif
    const unsigned broken_from = model->protocol->broken_from;
    return !run->broken || broken_from == 0 || model->params.variant < broken_from;
}
#endif

/* What is known of the moves of a state after the one along edge `e`, which led to `next`. */
static inline void step_count_move(const struct check_model *check, const uint64_t *state,
                                   unsigned e, const struct step_run *run, const uint64_t *next,
                                   struct check_moves *moves)
{
    moves->error |= run->broken;
    moves->barred |= run->barred;
    const bool fault = step_is_fault(check, e);
    const bool changes = !check_same_state(next, state, STEP_WORDS_OF(check));
    const bool exists = fault ? changes : !run->barred; /* a fault has to change something */
    moves->exist |= (uint64_t)exists << e;
    moves->change |= (uint64_t)(exists && changes) << e;
}

#ifdef STEP_HAS_EXPAND_NORMAL
#ifdef STEP_DEVICE
#define STEP_EXCHANGES_INTO(run, to, e, n) ((void)(to))
#else
#define STEP_EXCHANGES_INTO(run, to, e, n) step_exchanges_into(&(run), to, e, n)
static inline void step_exchanges_into(struct step_run *run, uint8_t *to, unsigned e, unsigned n)
{
    run->to = to == NULL ? NULL : to + (size_t)e * n;
    for (unsigned p = 0; run->to != NULL && p < n; p++)
        run->to[p] = (uint8_t)p;
}
#endif

/* `to`: NULL, or for each edge where its processes go. */
static struct check_moves step_expand_normal(const struct check_model *check, const uint64_t *state,
                                             uint64_t *out, uint8_t *to)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_source source;
    struct check_moves moves = {0};
    step_unpack(model, state, &source);
    uint64_t unasked = 0; /* processes whose step asks for no choice: there is no other outcome */
    for (unsigned e = 0; e < check->n * check->kinds; e++) {
        struct step_run run;
        uint64_t *next = out + e * check->words;
        if (check->has_choice && e / check->n == 1 && unasked >> e % check->n & 1)
            continue;
        step_run_begin(&run);
        STEP_JOURNAL(run);
        run.model = model;
        run.frame = (const word *)&source.shared;
        STEP_EXCHANGES_INTO(run, to, e, check->n);
        if (step_along_from(model, state, e, &run, &source, next))
            step_count_move(check, state, e, &run, next, &moves);
        unasked |= (uint64_t)(e < check->n && !run.asked) << e % check->n;
    }
    return moves;
}
#endif

static struct check_moves step_expand(const struct check_model *check, const uint64_t *state,
                                      uint64_t *out)
{
    const struct step_model *model = (const struct step_model *)check;
#ifdef STEP_HAS_EXPAND_NORMAL
    if (!model->params.as_it_is)
        return step_expand_normal(check, state, out, NULL);
#endif
    struct step_shared shared STEP_BLANK;
    step_unpack_shared(model, state, &shared);
    struct check_moves moves = {0};
    for (unsigned e = 0; e < check->n * check->kinds; e++) {
        struct step_run run = {.model = model, .frame = (const word *)&shared};
        STEP_JOURNAL(run);
        uint64_t *next = out + e * check->words;
        if (step_along(model, state, e, &run, &shared, next))
            step_count_move(check, state, e, &run, next, &moves);
    }
    return moves;
}

#if defined(BERTH_STEP_EXCHANGE_H) && defined(STEP_HAS_EXPAND_NORMAL) && !defined(STEP_BARE)
static struct check_moves step_expand_exchanging(const struct check_model *check,
                                                 const uint64_t *state, uint64_t *out, uint8_t *to)
{
    return step_expand_normal(check, state, out, to);
}
#endif

STEP_SELDOM bool step_describe(const struct check_model *check, const uint64_t *state,
                               unsigned edge, uint64_t *out, struct check_note *note)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    *note = (struct check_note){.label = "", .cell = -1};
    struct step_run run = {.note = note, .frame = (const word *)&shared, .model = model};
    STEP_JOURNAL(run);
    step_unpack_shared(model, state, &shared);
    const bool made = step_along(model, state, edge, &run, &shared, out);
#ifndef STEP_DEVICE /* nobody reads it there */
    if (run.broken && (made || !step_lets_slip(model)))
        note->slip = step_slip_text(model, &run, edge % check->n);
#endif
    note->barred = run.barred;
    if (!made)
        return false;
    if (note->cell >= 0) {
        const unsigned c =
            note->cell < STEP_MAX_OFFSETS ? model->cell_at[note->cell] : STEP_NO_CELL;
        note->cell = c == STEP_NO_CELL ? -1 : (int)c;
    }
    const bool fault = step_is_fault(check, edge);
    return !run.broken && !run.barred && (!fault || !check_same_state(out, state, check->words));
}

#ifdef HAS_ACTIVE
static uint64_t step_active_set(const struct check_model *check, const uint64_t *state)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    step_unpack_shared(model, state, &shared);
    uint64_t set = 0;
    for (unsigned p = 0; p < check_workers(check); p++)
        set |= (uint64_t)step_active(&model->params, &shared, p) << p;
    return set;
}
#endif

#if defined(HAS_INVARIANTS) || defined(HAS_PROMISES)
static uint64_t step_violated_set(const struct check_model *check, const uint64_t *state)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    struct step_local each[CHECK_MAX_PROCESSES] STEP_BLANK;
    uint64_t critical = 0, set = 0;
    step_unpack_shared(model, state, &shared);
    for (unsigned p = 0; p < check_workers(check); p++) {
        step_unpack_local(model, state, p, &each[p]);
        critical |= (uint64_t)(check_region_of(check, state, p) == CHECK_CRITICAL) << p;
    }
#if defined(HAS_INVARIANTS) && defined(HAS_SUPERVISOR)
    struct step_private X STEP_BLANK;
    step_unpack_private(model, state, &X);
    set |= step_violated(&model->params, &shared, each, critical, &X);
#elif defined(HAS_INVARIANTS)
    set |= step_violated(&model->params, &shared, each, critical, NULL);
#endif
#ifdef HAS_PROMISES
    set |= shared.step_failed;
#endif
    return set;
}
#endif

#if defined(HAS_PROPERTIES) && (!defined(STEP_BARE) || defined(STEP_DEVICE))
/* Whether the next access of process p has this label. */
struct step_look {
    const struct step_model *model;
    const uint64_t *state;
};
static bool step_is_at(const struct step_look *look, word p, const char *label)
{
    uint64_t out[CHECK_MAX_WORDS];
    struct check_note note;
    if (p >= check_workers(&look->model->check))
        return false;
    step_describe(&look->model->check, look->state, (unsigned)p, out, &note);
    const char *there = note.label;
    while (*there != '\0' && *there == *label)
        there++, label++;
    return *there == *label;
}

static void step_stated_of(const struct step_model *model, const uint64_t *state, unsigned p,
                           struct step_stated *stated)
{
    struct step_shared shared STEP_BLANK;
    struct step_local each[CHECK_MAX_PROCESSES] STEP_BLANK;
    const struct step_look look = {model, state};
    step_unpack_shared(model, state, &shared);
    for (unsigned q = 0; q < check_workers(&model->check); q++)
        step_unpack_local(model, state, q, &each[q]);
    *stated = (struct step_stated){0};
    step_properties(&model->params, &shared, each, &look, p, stated);
}

static void step_own_of(const struct check_model *check, const uint64_t *state, unsigned p,
                        uint64_t *first, uint64_t *second)
{
    struct step_stated stated;
    step_stated_of((const struct step_model *)check, state, p, &stated);
    *first = stated.first;
    *second = stated.second;
}
#endif

#ifdef HAS_AHEAD
static uint64_t step_ahead_of(const struct check_model *check, const uint64_t *state, unsigned p)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    struct step_local my STEP_BLANK;
    step_unpack_shared(model, state, &shared);
    step_unpack_local(model, state, p, &my);
    return step_ahead(&model->params, &shared, &my, p);
}
#endif

#ifdef HAS_SLOT
static unsigned step_slot_of(const struct check_model *check, const uint64_t *state, unsigned p)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    struct step_local my STEP_BLANK;
    step_unpack_shared(model, state, &shared);
    step_unpack_local(model, state, p, &my);
    return (unsigned)step_holds(&model->params, &shared, &my, p);
}
#endif

#ifdef HAS_SLOTS
static unsigned step_slots_now(const struct check_model *check, const uint64_t *state)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    step_unpack_shared(model, state, &shared);
    return (unsigned)step_slots(&model->params, &shared);
}
#endif

#ifdef HAS_ORBIT
static uint64_t step_orbit_of(const struct check_model *check, const uint64_t *state)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    struct step_local each[CHECK_MAX_PROCESSES] STEP_BLANK;
    if (!model->params.symmetric)
        return 1;
    step_unpack_shared(model, state, &shared);
    for (unsigned p = 0; p < check->n; p++)
        step_unpack_local(model, state, p, &each[p]);
    return step_orbit(&model->params, &shared, each);
}
#endif

#ifdef HAS_CLASH
static bool step_clash_of(const struct check_model *check, const uint64_t *state, uint64_t inside)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    step_unpack_shared(model, state, &shared);
    return step_clash(&model->params, &shared, inside);
}
#endif

#ifdef HAS_RANKS
static void step_ranks_of(const struct check_model *check, const uint64_t *state,
                          struct check_ranks *ranks)
{
    const struct step_model *model = (const struct step_model *)check;
    struct step_shared shared STEP_BLANK;
    struct step_local each[CHECK_MAX_PROCESSES] STEP_BLANK;
    step_unpack_shared(model, state, &shared);
    for (unsigned p = 0; p < check->n; p++)
        step_unpack_local(model, state, p, &each[p]);
    *ranks = (struct check_ranks){0};
    step_ranks(&model->params, &shared, each, ranks);
}
#endif

#if defined(STEP_DEVICE)
#include "step/kernel.h"
#elif defined(STEP_BARE)
/* Only the steps, for a compiler that does not need the rest. */
struct check_moves STEP_JOIN(step_expand_, STEP_NAME)(const struct check_model *check,
                                                      const uint64_t *state, uint64_t *out);
struct check_moves STEP_JOIN(step_expand_, STEP_NAME)(const struct check_model *check,
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
    step_layout_local(model, "", -1, USES(name) ? STEP_JOIN(step_places_, name) + 1 : 1, &error);
#define STEP_LAYOUT_LOCAL(name, values) step_layout_local(model, #name, -1, (values), &error);
#define STEP_LAYOUT_PRIVATE(name, values) step_layout_private(model, #name, -1, (values), &error);
#define STEP_LAYOUT_PRIVATE_ARRAY(name, count, values)                                             \
    step_layout_private_array(model, #name, (count), (values), &error);
#define STEP_LAYOUT_LOCAL_ARRAY(name, count, values)                                               \
    step_layout_local_array(model, #name, (count), (values), &error);

/* What is wrong with the first state, or with sections and data that do not agree. */
static const char *step_make_sure(struct step_model *model)
{
    unsigned names = 0;
    while (names < PROTOCOL_MAX_INVARIANTS && step_protocol.invariants[names] != NULL)
        names++;
#if defined(HAS_INVARIANTS) || defined(HAS_PROMISES)
    if (names == 0)
        return "there are INVARIANTS, and .invariants names none";
#else
    if (names > 0)
        return ".invariants names some, and there is no INVARIANTS section";
#endif
    for (unsigned c = 0; step_protocol.anonymous && c < model->check.cells; c++) {
        if (model->check.cell[c].owner >= 0)
            return ".anonymous, and there are registers, which belong to processes by name";
    }
#ifdef HAS_INITIAL
    struct step_shared shared = {0};
    step_set_initial(&model->params, &shared);
    return step_initial_wrong(model, (const word *)&shared, sizeof shared / sizeof(word));
#else
    return NULL;
#endif
}

#if defined(HAS_PROPERTIES)
/* Their names, which the section gives with their conditions. */
static const char *step_make_properties(struct step_model *model)
{
    struct check_model *check = &model->check;
    struct step_stated stated;
    uint64_t state[CHECK_MAX_WORDS];
    check->own = step_own_of;
    step_initial(check, state);
    step_stated_of(model, state, 0, &stated);
    if (stated.count == 0 || stated.count > CHECK_MAX_OWN)
        return "PROPERTIES states none, or more than 16";
    check->own_properties = stated.count;
    for (unsigned q = 0; q < stated.count; q++)
        check->own_property[q] = stated.property[q];
    return NULL;
}
#endif

/* With which process a variable lives, where memory is distributed: registers with their owner,
 * others where HOMES says, or nowhere in particular: -1. */
#ifdef HOMES
#define STEP_HOME(array, expression)                                                               \
    (void)sizeof(((struct step_shared *)NULL)->array);                                             \
    if (__builtin_strcmp(cell->name, #array) == 0)                                                 \
        home = (int)(expression);
#endif
static int step_home_of(const struct check_cell *cell, const struct step_params *params)
{
#ifdef STEP_OWN_MODEL /* there is no process that this is about */
    const struct HOMES_is_about_i_and_not_about_ME {
        int unused;
    } step_me = {0};
#else
    const word step_me = 0;
#endif
    const word i = cell->index < 0 ? 0 : (word)cell->index;
    int home = cell->owner;
    STEP_NAMES(void) i;
#ifdef HOMES
    HOMES(STEP_HOME)
#endif
    return home < (int)n ? home : -1;
}

static bool step_is_point(const struct check_model *check, unsigned point)
{
    (void)check;
    return protocol_is_point(&STEP_JOIN(__start_berth_marks_, STEP_NAME)[point - 1]);
}

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
#ifdef HAS_LOCK
    model->check.one_variable = true;
    model->check.local_moves = false;
#endif
#if defined(HAS_NORMAL) || defined(HAS_HISTORY) || defined(HAS_PROMISES)
    model->check.local_moves = false; /* a move may change the variables of every process */
#endif
#ifdef HAS_OWNED_CELLS
    model->check.local_moves = false; /* a move may depend on more cells than the one it accesses */
#endif
    STEP_CELLS(STEP_LAYOUT_CELL, STEP_LAYOUT_CELLS, STEP_LAYOUT_REGISTERS)
    model->own_cells = model->check.cells;
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
    step_layout_local(model, "", -1, TRANSFORMED_PLACES, &error);
    SUBS(STEP_LAYOUT_SUB)
    LOCALS(STEP_LAYOUT_LOCAL)
    LOCAL_ARRAYS(STEP_LAYOUT_LOCAL_ARRAY)
#ifdef HAS_SUPERVISOR
    step_layout_supervisor(model);
    PRIVATE(STEP_LAYOUT_PRIVATE, STEP_LAYOUT_PRIVATE_ARRAY)
#endif
    step_layout_end(model, &error);

    struct check_model *check = &model->check;
    for (int pc = 0; pc < TRANSFORMED_PLACES; pc++)
        model->region[pc] = (uint8_t)TRANSFORMED_REGION(pc);
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
#ifdef HAS_ORBIT
    check->orbit = step_orbit_of;
#endif
#ifdef HAS_CLASH
    check->clash = step_clash_of;
#endif
#ifdef HAS_RANKS
    check->ranks = step_ranks_of;
#endif
    check->points = (unsigned)(STEP_JOIN(__stop_berth_marks_, STEP_NAME) -
                               STEP_JOIN(__start_berth_marks_, STEP_NAME));
    check->is_point = step_is_point;
    check->kills = params->fault == STEP_FAULT_KILL;
    check->comes_back = step_protocol.comes_back;
    check->first_come = step_protocol.first_come;
    check->ranks_things = step_protocol.ranks_things;
    check->own_steps = step_protocol.own_steps;
#ifdef HAS_NORMAL
    model->normal = step_normal_state;
#endif
#if defined(BERTH_STEP_EXCHANGE_H) && defined(STEP_HAS_EXPAND_NORMAL)
    model->expand_exchanging = step_expand_exchanging;
#endif
#ifdef HAS_SETTLED
    model->settled = step_settled_set;
#endif
#ifdef HAS_SHOW
    model->show = TRANSFORMED_SHOW;
#endif
    model->protocol = &step_protocol;
    if (error == NULL) {
        error = step_make_sure(model);
#ifdef HAS_PROPERTIES
        if (error == NULL)
            error = step_make_properties(model);
#endif
        model->wrong = error != NULL;
    }
    check->local_moves &= step_protocol.default_limit == 0; /* LIMIT looks at everything */
    check->invariant_name = step_protocol.invariants;
    while (check->invariants < PROTOCOL_MAX_INVARIANTS &&
           step_protocol.invariants[check->invariants] != NULL)
        check->invariants++;
    /* A kill leaves something in a cell of the process, alive[], which exchanges do not know. */
    check->anonymous = step_protocol.anonymous && params->fault != STEP_FAULT_KILL;
    for (unsigned c = 0; c < check->cells; c++)
        model->home[c] = (int16_t)step_home_of(&check->cell[c], params);
#if defined(STEP_OWN) &&                                                                           \
    (defined(HAS_INVARIANTS) || defined(HAS_PROPERTIES) || defined(HAS_CLASH) ||                   \
     defined(HAS_RANKS) || defined(HAS_NORMAL) || defined(HAS_AHEAD))
    check->anonymous = false; /* these may tell processes apart, which is not checked */
#endif
    return error == NULL ? step_memory_open(model) : error;
}

extern const struct protocol_model STEP_JOIN(protocol_model_, STEP_NAME);
const struct protocol_model STEP_JOIN(protocol_model_, STEP_NAME) = {
    .protocol = &step_protocol,
#ifdef HAS_DEATH
    .can_die = true,
#endif
#ifdef HAS_DOORWAY
    .has_doorway = true,
#endif
    .marks = STEP_JOIN(__start_berth_marks_, STEP_NAME),
    .marks_end = STEP_JOIN(__stop_berth_marks_, STEP_NAME),
    .make = step_make,
};
#ifdef STEP_OWN
extern const struct protocol_model *const berth_own_model;
const struct protocol_model *const berth_own_model = &STEP_JOIN(protocol_model_, STEP_NAME);
#endif
#endif
