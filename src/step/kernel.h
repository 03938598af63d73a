/*
 * The kernels of a protocol, for a GPU: the model expansion as it is, around it a set of states in
 * the memory of the device and a loop over states, of which each lane takes its share. No lane
 * waits for another. Compiled for the host, the same code is one lane (tests/gpu).
 */
#ifndef BERTH_STEP_KERNEL_H
#define BERTH_STEP_KERNEL_H

#include "check/breaks.h"
#include "check/symmetry.h"
#include "step/device.h"

/* The model does not change while a kernel runs. What is small enough to be one piece of code reads
 * it from the constant memory of the card, where the host puts it; what is not, from where it is
 * told. */
#define STEP_KERNEL_NAME(what) STEP_JOIN(STEP_JOIN(STEP_JOIN(berth_, STEP_NAME), _), what)
#ifdef __NVPTX__
__attribute__((address_space(4))) struct step_model STEP_KERNEL_NAME(model);
#else
extern struct step_model STEP_KERNEL_NAME(model);
struct step_model STEP_KERNEL_NAME(model);
#endif
#if defined(STEP_HAS_EXPAND_NORMAL) || defined(STEP_NO_CONSTANT)
#define STEP_THE_MODEL(device) ((device)->model)
#else
#define STEP_THE_MODEL(device) ((const struct step_model *)&STEP_KERNEL_NAME(model))
#endif

/* ---- words that several lanes change, without any order between different words ---- */

static inline uint64_t step_peek(const uint64_t *at)
{
    return *(const volatile uint64_t *)at;
}

/* What was there before: `old` where it has been exchanged. */
static inline uint64_t step_exchange(uint64_t *at, uint64_t old, uint64_t value)
{
    return __sync_val_compare_and_swap(at, old, value);
}

static inline uint64_t step_fetch_add(uint64_t *at, uint64_t value)
{
    return __sync_fetch_and_add(at, value);
}

static inline uint64_t step_fetch_or(uint64_t *at, uint64_t value)
{
    return __sync_fetch_and_or(at, value);
}

/* ---- lanes ---- */

#ifdef __NVPTX__
/* There is no libc to call; the compiler brings the other three. */
int memcmp(const void *a, const void *b, size_t size);
int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < size; i++) {
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}

static inline uint64_t step_lane(void)
{
    return (uint64_t)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
           __nvvm_read_ptx_sreg_tid_x();
}

static inline uint64_t step_lanes(void)
{
    return (uint64_t)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
}

/* Takes one place after *tail: once for all lanes of the warp that are here together. */
static inline uint64_t step_take_place(uint64_t *tail)
{
    unsigned here, below;
    __asm__ volatile("activemask.b32 %0;" : "=r"(here));
    __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    const unsigned leader = (unsigned)__builtin_ctz(here);
    uint64_t first = 0;
    if ((here & below) == 0)
        first = step_fetch_add(tail, (uint64_t)__builtin_popcount(here));
    const unsigned low =
        (unsigned)__nvvm_shfl_sync_idx_i32(here, (int)(uint32_t)first, (int)leader, 31);
    const unsigned high =
        (unsigned)__nvvm_shfl_sync_idx_i32(here, (int)(uint32_t)(first >> 32), (int)leader, 31);
    return ((uint64_t)high << 32 | low) + (uint64_t)__builtin_popcount(here & below);
}

/* Adds what the lanes of a warp have; all of them are here. */
static inline void step_add_up(uint64_t *sum, uint64_t mine)
{
    for (int far = 16; far > 0; far /= 2) {
        const uint32_t low =
            (uint32_t)__nvvm_shfl_sync_down_i32(UINT32_MAX, (int)(uint32_t)mine, far, 31);
        const uint32_t high =
            (uint32_t)__nvvm_shfl_sync_down_i32(UINT32_MAX, (int)(uint32_t)(mine >> 32), far, 31);
        mine += (uint64_t)high << 32 | low;
    }
    if ((__nvvm_read_ptx_sreg_tid_x() & 31) == 0 && mine != 0)
        step_fetch_add(sum, mine);
}

static inline void step_together(void)
{
    __nvvm_bar_warp_sync(UINT32_MAX);
}
#else
static inline uint64_t step_lane(void)
{
    return 0;
}
static inline uint64_t step_lanes(void)
{
    return 1;
}
static inline uint64_t step_take_place(uint64_t *tail)
{
    return (*tail)++;
}
static inline void step_add_up(uint64_t *sum, uint64_t mine)
{
    *sum += mine;
}
static inline void step_together(void)
{
}
#endif

/* ---- the set of states ---- */

static inline uint64_t step_hash(const uint64_t *state, unsigned words)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned w = 0; w < words; w++) {
        hash = (hash ^ state[w]) * UINT64_C(0xd6e8feb86659fd93);
        hash ^= hash >> 32;
    }
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 29;
}

static inline uint64_t step_home(const uint64_t *state, unsigned words, uint64_t capacity)
{
    return (uint64_t)((unsigned __int128)step_hash(state, words) * capacity >> 64);
}

/* As check_set_add (check/set.h). The host makes sure that there is a free slot. */
static inline uint64_t step_add(uint64_t *slots, uint64_t capacity, const uint64_t *state,
                                unsigned words, bool *is_new)
{
    for (uint64_t s = step_home(state, words, capacity);; s = s + 1 == capacity ? 0 : s + 1) {
        uint64_t *slot = slots + s * words;
        bool wrote = false;
        unsigned w = 0;
        for (; w < words; w++) {
            uint64_t found = step_peek(&slot[w]);
            if (found == 0)
                found = step_exchange(&slot[w], 0, state[w]);
            wrote = found == 0;
            if (!wrote && found != state[w])
                break;
        }
        if (w == words) {
            *is_new = wrote;
            return s;
        }
    }
}

/* STEP_NO_SLOT: it is not in the set. */
static inline uint64_t step_find(const uint64_t *slots, uint64_t capacity, const uint64_t *state,
                                 unsigned words)
{
    for (uint64_t s = step_home(state, words, capacity);; s = s + 1 == capacity ? 0 : s + 1) {
        const uint64_t *slot = slots + s * words;
        unsigned w = 0;
        while (w < words && slot[w] == state[w])
            w++;
        if (w == words)
            return s;
        if (slot[w] == 0)
            return STEP_NO_SLOT;
    }
}

static inline bool step_has_bit(const uint64_t *bits, uint64_t i)
{
    return step_peek(&bits[i / 64]) >> i % 64 & 1;
}

/* Whether it was not set before. */
static inline bool step_set_bit(uint64_t *bits, uint64_t i)
{
    const uint64_t bit = UINT64_C(1) << i % 64;
    return !step_has_bit(bits, i) && (step_fetch_or(&bits[i / 64], bit) & bit) == 0;
}

/* ---- the log, and what is found ---- */

/* What is needed all the time, in registers. */
struct step_view {
    const struct step_model *model;
    uint64_t *slots, capacity;
    uint64_t *const *log;
    uint64_t *visited;
    const uint64_t *possible, *target;
    uint64_t *tail;
    unsigned log_shift, words;
    bool reduced, sweeps;
};

static inline struct step_view step_view_of(struct step_device *device, unsigned words)
{
    return (struct step_view){.model = STEP_THE_MODEL(device),
                              .slots = device->slots,
                              .capacity = device->capacity,
                              .log = device->log,
                              .visited = device->visited,
                              .possible = device->possible,
                              .target = device->target,
                              .tail = &device->tail,
                              .log_shift = (unsigned)device->log_shift,
                              .words = words,
                              .reduced = device->reduced != 0,
                              .sweeps = device->sweeps != 0};
}

static inline uint64_t *step_log_entry(const struct step_view *view, uint64_t at)
{
    return view->log[at >> view->log_shift] + (at & ((UINT64_C(1) << view->log_shift) - 1));
}

static inline const uint64_t *step_logged(const struct step_view *view, uint64_t at, unsigned words)
{
    const uint64_t *entry = step_log_entry(view, at);
    return words == 1 ? entry : view->slots + *entry * words;
}

static inline void step_note_find(struct step_find *find, const uint64_t *state, unsigned words)
{
    if (step_peek(&find->found) != 0 || step_exchange(&find->found, 0, 1) != 0)
        return;
    for (unsigned w = 0; w < words; w++)
        find->state[w] = state[w];
}

/* ---- properties of single states ---- */

static bool step_breaks(const struct step_model *model, const uint64_t *state,
                        const uint64_t *initial, enum check_property property)
{
    const struct check_model *check = &model->check;
    (void)initial;
    switch (property) {
    case CHECK_EXCLUSION: {
        const uint64_t inside = check_critical_set(check, state);
#ifdef HAS_CLASH
        return step_clash_of(check, state, inside);
#else
        return (unsigned)__builtin_popcountll(inside) > check->l;
#endif
    }
#ifdef HAS_SLOT
    case CHECK_DISTINCT_SLOTS: {
        uint64_t held = 0;
        for (unsigned p = 0; p < check->n; p++) {
            if (check_region_of(check, state, p) != CHECK_CRITICAL)
                continue;
            const unsigned slot = step_slot_of(check, state, p);
            if (slot >= check->l || held >> slot & 1)
                return true;
            held |= UINT64_C(1) << slot;
        }
        return false;
    }
#endif
#if defined(HAS_INVARIANTS) || defined(HAS_PROMISES)
    case CHECK_INVARIANTS:
        return (step_violated_set(check, state) & ((UINT64_C(1) << check->invariants) - 1)) != 0;
    case CHECK_WINDOW: return (step_violated_set(check, state) & 1) != 0;
#endif
#ifdef HAS_RANKS
    case CHECK_ACYCLIC:
    case CHECK_COMPARABLE: {
        struct check_ranks ranks;
        step_ranks_of(check, state, &ranks);
        return property == CHECK_ACYCLIC ? check_ranks_form_cycle(&ranks)
                                         : !check_ranks_comparable(&ranks);
    }
#endif
#ifdef HAS_PROPERTIES
    case CHECK_OWN:
        for (unsigned p = 0; p < check_workers(check); p++) {
            uint64_t first = 0, second = 0;
            step_own_of(check, state, p, &first, &second);
            for (unsigned q = 0; q < check->own_properties; q++) {
                if (check->own_property[q].kind < CHECK_AFTER &&
                    (first >> q & 1) == (check->own_property[q].kind == CHECK_NEVER))
                    return true;
            }
        }
        return false;
#endif
    case CHECK_NO_MEMORY: /* the local state of a process that rests is what it was at first */
        for (unsigned p = 0; p < check_workers(check); p++) {
            if (check_region_of(check, state, p) == CHECK_REMAINDER &&
                !check_same_local(check, state, initial, p))
                return true;
        }
        return false;
    default: return false;
    }
}

static void step_look_at(struct step_device *device, const struct step_model *model,
                         const uint64_t *state, unsigned words)
{
    for (uint64_t left = device->asked; left != 0; left &= left - 1) {
        const unsigned property = (unsigned)__builtin_ctzll(left);
        if (property < CHECK_PROPERTIES &&
            step_breaks(model, state, device->initial, (enum check_property)property))
            step_note_find(&device->bad[property], state, words);
    }
    for (unsigned c = 0; device->seen != NULL && c < model->check.cells; c++) {
        uint8_t *seen =
            device->seen + device->seen_first[c] + check_get(state, model->check.cell[c].field);
        if (*seen == 0)
            *seen = 1;
    }
}

/* ---- the moves of a state ---- */

/* What a kernel does with each successor; true: no more of them. */
#define STEP_SUCCESSOR(name)                                                                       \
    static inline __attribute__((always_inline)) bool name(const struct step_view *view,           \
                                                           const uint64_t *state, unsigned edge,   \
                                                           uint64_t *next, const unsigned words)

/* Calls `each` for every move that leads to another state. The moves that exist are in
 * moves->exist. */
#define STEP_EXPAND(move, each)                                                                    \
    for (unsigned e = 0; e < edges && !enough; e++) {                                              \
        if (move(model, state, e, &source, next, &unasked, &moves)) {                              \
            if (view.reduced)                                                                      \
                check_canonical(&model->check, next);                                              \
            enough = each(&view, state, e, next, words);                                           \
        }                                                                                          \
    }

#ifndef STEP_HAS_EXPAND_NORMAL
struct step_source {
    struct step_shared shared;
};
static inline void step_unpack(const struct step_model *model, const uint64_t *state,
                               struct step_source *source)
{
    step_unpack_shared(model, state, &source->shared);
}
#endif

/* Makes one move; true: it exists, and leads to another state, which is in `next`. The code is
 * there once, and large; what is small is better off in the loop. */
#ifdef STEP_HAS_EXPAND_NORMAL
#define STEP_MOVE static __attribute__((noinline)) bool
#else
#define STEP_MOVE static inline __attribute__((always_inline)) bool
#endif
STEP_MOVE
step_make_move(const struct step_model *model, const uint64_t *state, unsigned e,
               struct step_source *source, uint64_t *next, uint64_t *unasked,
               struct check_moves *moves)
{
    const struct check_model *check = &model->check;
    struct step_run run;
    const uint64_t before = moves->change;
    bool made;
    if (check->has_choice && e / check->n == 1 && *unasked >> e % check->n & 1)
        return false;
    step_run_begin(&run);
    STEP_JOURNAL(run);
    run.model = model;
    run.frame = (const word *)&source->shared;
#ifdef STEP_HAS_EXPAND_NORMAL
    made = step_along_from(model, state, e, &run, source, next);
    *unasked |= (uint64_t)(e < check->n && !run.asked) << e % check->n;
#else
    made = step_along(model, state, e, &run, &source->shared, next);
#endif
    if (made)
        step_count_move(check, state, e, &run, next, moves);
    return moves->change != before && !moves->error;
}

/* The same, from places that need not be fast. */
static __attribute__((noinline)) bool step_call_move(const struct step_model *model,
                                                     const uint64_t *state, unsigned e,
                                                     struct step_source *source, uint64_t *next,
                                                     uint64_t *unasked, struct check_moves *moves)
{
    return step_make_move(model, state, e, source, next, unasked, moves);
}

#define STEP_EXPANSION                                                                             \
    const unsigned edges = model->check.n * model->check.kinds;                                    \
    struct step_source source;                                                                     \
    struct check_moves moves = {0};                                                                \
    uint64_t unasked = 0, next[CHECK_MAX_WORDS];                                                   \
    bool enough = false;                                                                           \
    step_unpack(model, state, &source);                                                            \
    STEP_EXPAND

/* ---- exploring ---- */

/* How many states the one that was stored stands for. */
static inline uint64_t step_orbit_at(const struct step_view *view, const uint64_t *state)
{
#ifdef HAS_ORBIT
    return step_orbit_of(&view->model->check, state);
#else
    return view->reduced ? check_orbit(&view->model->check, state) : 1;
#endif
}

STEP_SUCCESSOR(step_reach)
{
    (void)state, (void)edge;
    bool is_new;
    uint64_t slot;
    if (view->visited == NULL) {
        slot = step_add(view->slots, view->capacity, next, words, &is_new);
    } else {
        slot = step_find(view->slots, view->capacity, next, words);
        is_new = slot != STEP_NO_SLOT && step_set_bit(view->visited, slot);
    }
    if (is_new)
        *step_log_entry(view, step_take_place(view->tail)) = words == 1 ? next[0] : slot;
    return false;
}

static inline __attribute__((always_inline)) void step_kernel_explore(struct step_device *device,
                                                                      const unsigned words)
{
    const struct step_view view = step_view_of(device, words);
    const struct step_model *model = view.model;
    const uint64_t last = device->first + device->count, lanes = step_lanes();
    uint64_t states = 0, transitions = 0, barred = 0;
    const bool looks = device->asked != 0 || device->seen != NULL;
    for (uint64_t at = device->first + step_lane(); at < last; at += lanes) {
        uint64_t state[CHECK_MAX_WORDS];
        const uint64_t *from = step_logged(&view, at, words);
        for (unsigned w = 0; w < words; w++)
            state[w] = from[w];
        if (looks)
            step_look_at(device, model, state, words);
        STEP_EXPANSION(step_make_move, step_reach)
        if (moves.error)
            step_note_find(&device->wrong, state, words);
        barred += moves.barred;
        const uint64_t orbit = step_orbit_at(&view, state);
        states += orbit;
        transitions += orbit * (uint64_t)__builtin_popcountll(moves.exist);
    }
    step_together();
    step_add_up(&device->states, states);
    step_add_up(&device->transitions, transitions);
    step_add_up(&device->barred, barred);
}

/* ---- filling all slots (check/lost.c) ---- */

static inline unsigned step_count_in(const struct check_model *check, const uint64_t *state,
                                     enum check_region region)
{
    unsigned count = 0;
    for (unsigned p = 0; p < check->n; p++)
        count += check_region_of(check, state, p) == region;
    return count;
}

static inline bool step_is_filled(const struct check_model *check, const uint64_t *state)
{
#ifdef HAS_SLOTS
    const unsigned slots = step_slots_now(check, state);
#else
    const unsigned slots = check->l;
#endif
    const unsigned living = check_workers(check) - step_count_in(check, state, CHECK_DEAD);
    return step_count_in(check, state, CHECK_CRITICAL) >= (slots < living ? slots : living);
}

STEP_SUCCESSOR(step_leads_on)
{
    const struct check_model *check = &view->model->check;
    if ((check_step_edges(check) >> edge & 1) == 0 ||
        check_region_of(check, state, edge % check->n) == CHECK_DEAD ||
        step_count_in(check, next, CHECK_DEAD) != step_count_in(check, state, CHECK_DEAD))
        return false;
    const uint64_t slot = step_find(view->slots, view->capacity, next, words);
    return slot != STEP_NO_SLOT && step_has_bit(view->possible, slot);
}

/* ---- exploring, with the moves sorted ---- */

#define STEP_MIX_SUB(name)                                                                         \
    mixed = mixed * 31 + (unsigned)(part[model->local[STEP_FIELD_pc_##name].word] >>               \
                                        model->local[STEP_FIELD_pc_##name].shift &                 \
                                    model->local[STEP_FIELD_pc_##name].mask);

/* What the move runs: the kind of it, and the places in all sections that the process is in. */
static inline unsigned step_kind_of(const struct step_model *model, const uint64_t *state,
                                    unsigned e)
{
    const struct check_model *check = &model->check;
    const unsigned p = e % check->n, kinds = STEP_KINDS_OF_MOVES / 4;
    if (p >= check_workers(check) || step_is_fault(check, e))
        return STEP_KINDS_OF_MOVES - 1 - (p >= check_workers(check));
    const unsigned block = check->block[p].word;
    uint64_t part[STEP_PARTS] = {CHECK_STATE_WORD(state, block) >> check->block[p].shift};
    if (check->block_words > 1)
        part[1] = model->split
                      ? CHECK_STATE_WORD(state, model->rest[p].word) >> model->rest[p].shift
                      : CHECK_STATE_WORD(state, block + 1);
    unsigned mixed = (unsigned)(part[0] & check->region_mask);
    SUBS(STEP_MIX_SUB)
    return e / check->n * kinds + mixed % kinds;
}

/* The slot of an entry of the log. */
static inline uint64_t step_slot_at(const struct step_view *view, uint64_t at, unsigned words)
{
    const uint64_t *entry = step_log_entry(view, at);
    return words == 1 ? step_find(view->slots, view->capacity, entry, words) : *entry;
}

/* Whether the moves of this state matter: all of them, or in a sweep those of states that are open.
 */
static inline bool step_matters(const struct step_view *view, uint64_t at, unsigned words)
{
    return !view->sweeps || !step_has_bit(view->possible, step_slot_at(view, at, words));
}

/* How many edges of a state matter: steps come first, and faults do not count in a sweep. */
static inline unsigned step_edges_of(const struct step_view *view)
{
    const struct check_model *check = &view->model->check;
    return check->n * (check->kinds - (view->sweeps && check->has_fault));
}

static inline void step_kernel_count(struct step_device *device, const unsigned words)
{
    const struct step_view view = step_view_of(device, words);
    const unsigned edges = step_edges_of(&view);
    const uint64_t last = device->first + device->count, lanes = step_lanes();
    const bool looks = device->asked != 0 || device->seen != NULL;
    uint64_t states = 0;
    for (uint64_t at = device->first + step_lane(); at < last; at += lanes) {
        const uint64_t *state = step_logged(&view, at, words);
        if (!step_matters(&view, at, words))
            continue;
        if (looks)
            step_look_at(device, view.model, state, words);
        for (unsigned e = 0; e < edges; e++)
            step_fetch_add(&device->kind[step_kind_of(view.model, state, e)], 1);
        states += step_orbit_at(&view, state);
    }
    step_together();
    step_add_up(&device->states, states);
}

static inline void step_kernel_place(struct step_device *device, const unsigned words)
{
    const struct step_view view = step_view_of(device, words);
    const unsigned edges = step_edges_of(&view);
    const uint64_t last = device->first + device->count, lanes = step_lanes();
    for (uint64_t at = device->first + step_lane(); at < last; at += lanes) {
        const uint64_t *state = step_logged(&view, at, words);
        if (!step_matters(&view, at, words))
            continue;
        for (unsigned e = 0; e < edges; e++)
            device->sorted[step_fetch_add(&device->kind[step_kind_of(view.model, state, e)], 1)] =
                at << 8 | e;
    }
}

static inline __attribute__((always_inline)) void step_kernel_move(struct step_device *device,
                                                                   const unsigned words)
{
    const struct step_view view = step_view_of(device, words);
    const struct step_model *model = view.model;
    const uint64_t last = device->first + device->count, lanes = step_lanes();
    uint64_t transitions = 0, changed = 0, barred = 0;
    for (uint64_t m = device->first + step_lane(); m < last; m += lanes) {
        const uint64_t at = device->sorted[m] >> 8;
        const uint64_t *state = step_logged(&view, at, words);
        const unsigned e = device->sorted[m] & 0xff;
        if (!step_matters(&view, at, words))
            continue; /* by another move, meanwhile */
        uint64_t unasked = 0, next[CHECK_MAX_WORDS];
        struct step_source source;
        struct check_moves moves = {0};
        step_unpack(model, state, &source);
        if (step_call_move(model, state, e, &source, next, &unasked, &moves)) {
            if (view.reduced)
                check_canonical(&model->check, next);
            if (!view.sweeps)
                step_reach(&view, state, e, next, words);
            else if (step_leads_on(&view, state, e, next, words))
                changed += step_set_bit(device->possible, step_slot_at(&view, at, words));
        }
        if (moves.error)
            step_note_find(&device->wrong, state, words);
        barred += moves.barred;
        const uint64_t orbit = step_orbit_at(&view, state);
        transitions += orbit * (uint64_t)__builtin_popcountll(moves.exist);
    }
    step_together();
    step_add_up(&device->transitions, transitions);
    step_add_up(&device->barred, barred);
    step_add_up(&device->changed, changed);
}

/* ---- a larger table ---- */

static inline void step_kernel_rehash(struct step_device *device, const unsigned words)
{
    const uint64_t lanes = step_lanes();
    for (uint64_t s = step_lane(); s < device->other_capacity; s += lanes) {
        uint64_t state[CHECK_MAX_WORDS];
        bool is_new;
        for (unsigned w = 0; w < words; w++)
            state[w] = device->other[s * words + w];
        if (state[0] != 0)
            step_add(device->slots, device->capacity, state, words, &is_new);
    }
}

static inline void step_kernel_remap(struct step_device *device, const unsigned words)
{
    const struct step_view view = step_view_of(device, words);
    const uint64_t last = device->first + device->count, lanes = step_lanes();
    for (uint64_t at = device->first + step_lane(); words > 1 && at < last; at += lanes) {
        uint64_t *entry = step_log_entry(&view, at);
        *entry = step_find(device->slots, device->capacity, device->other + *entry * words, words);
    }
}

/* ---- no slot is lost (check/lost.c) ---- */

static inline void step_kernel_fill(struct step_device *device, const unsigned words)
{
    const struct step_model *model = STEP_THE_MODEL(device);
    const uint64_t lanes = step_lanes();
    uint64_t changed = 0;
    for (uint64_t s = step_lane(); s < device->capacity; s += lanes) {
        const uint64_t *state = device->slots + s * words;
        if (state[0] != 0 && step_is_filled(&model->check, state))
            changed += step_set_bit(device->possible, s);
    }
    step_together();
    step_add_up(&device->changed, changed);
}

static inline __attribute__((always_inline)) void step_kernel_sweep(struct step_device *device,
                                                                    const unsigned words)
{
    const struct step_view view = step_view_of(device, words);
    const struct step_model *model = view.model;
    const uint64_t last = device->first + device->count, lanes = step_lanes();
    uint64_t changed = 0;
    for (uint64_t at = device->first + step_lane(); at < last; at += lanes) {
        const uint64_t s = device->by_slot ? at : step_slot_at(&view, at, words);
        uint64_t state[CHECK_MAX_WORDS];
        for (unsigned w = 0; w < words; w++)
            state[w] = view.slots[s * words + w];
        if (state[0] == 0 || step_has_bit(view.possible, s))
            continue;
        STEP_EXPANSION(step_call_move, step_leads_on)
        if (enough)
            changed += step_set_bit(device->possible, s);
    }
    step_together();
    step_add_up(&device->changed, changed);
}

static inline void step_kernel_lost(struct step_device *device, const unsigned words)
{
    const struct step_view view = step_view_of(device, words);
    const uint64_t last = device->first + device->count, lanes = step_lanes();
    for (uint64_t at = device->first + step_lane(); at < last; at += lanes) {
        const uint64_t *state = step_logged(&view, at, words);
        if (!step_has_bit(view.possible, step_slot_at(&view, at, words)))
            step_note_find(&device->before, state, words);
    }
}

/* ---- the way to a state ---- */

STEP_SUCCESSOR(step_hits)
{
    (void)state, (void)edge;
    return check_same_state(next, view->target, words);
}

static inline __attribute__((always_inline)) void step_kernel_back(struct step_device *device,
                                                                   const unsigned words)
{
    const struct step_view view = step_view_of(device, words);
    const struct step_model *model = view.model;
    const uint64_t last = device->first + device->count, lanes = step_lanes();
    for (uint64_t at = device->first + step_lane(); at < last; at += lanes) {
        uint64_t state[CHECK_MAX_WORDS];
        const uint64_t *from = step_logged(&view, at, words);
        for (unsigned w = 0; w < words; w++)
            state[w] = from[w];
        STEP_EXPANSION(step_call_move, step_hits)
        if (enough)
            step_note_find(&device->before, state, words);
    }
}

/* ---- the values of all cells together ---- */

static inline void step_kernel_whole(struct step_device *device, const unsigned words)
{
    const uint64_t lanes = step_lanes();
    uint64_t count = 0;
    for (uint64_t s = step_lane(); s < device->capacity; s += lanes) {
        uint64_t value[CHECK_MAX_WORDS];
        bool is_new = false;
        for (unsigned w = 0; w < words; w++)
            value[w] = CHECK_PRESENT | (device->slots[s * words + w] & device->mask[w]);
        if (device->slots[s * words] != 0)
            step_add(device->other, device->other_capacity, value, words, &is_new);
        count += is_new;
    }
    step_together();
    step_add_up(&device->changed, count);
}

/* ---- what the driver starts ---- */

#ifdef STEP_STATE_WORDS /* the size is a constant */
#define STEP_KERNEL_WORDS(device) STEP_STATE_WORDS
#else
#define STEP_KERNEL_WORDS(device) ((device)->model->check.words)
#endif
#define STEP_KERNEL(what)                                                                          \
    void STEP_KERNEL_NAME(what)(struct step_device * device);                                      \
    void STEP_KERNEL_NAME(what)(struct step_device * device)                                       \
    {                                                                                              \
        step_kernel_##what(device, STEP_KERNEL_WORDS(device));                                     \
    }
STEP_KERNELS(STEP_KERNEL)

#endif
