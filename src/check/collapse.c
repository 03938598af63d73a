#include "check/collapse.h"

#include <string.h>
#include <sys/mman.h>

enum { REGIONS = 1 << CHECK_LOCAL_BITS };

static struct check_collapse *of(const struct check_model *model)
{
    /* Numbering parts does not change what the model is. */
    return (struct check_collapse *)(uintptr_t)model;
}

/* ---- from states to parts ---- */

static inline void local_part(const struct check_model *raw, const uint64_t *state, unsigned p,
                              uint64_t *part)
{
    part[0] = check_get(state, raw->block[p]);
    if (raw->has_rest)
        part[1] = check_get(state, raw->rest[p]);
    for (unsigned w = 1; !raw->has_rest && w < raw->block_words; w++)
        part[w] = state[raw->block[p].word + w];
}

static inline void shared_part(const struct check_collapse *collapse, const uint64_t *state,
                               uint64_t *part)
{
    for (unsigned i = 0; i < collapse->shared_words; i++) {
        const unsigned w = collapse->shared_word[i];
        part[i] = state[w] & collapse->mask[w];
    }
}

static void note_region(void *context, uint32_t number, const uint64_t *part)
{
    struct check_collapse *collapse = context;
    const struct check_model *raw = collapse->raw;
    collapse->region[number] = raw->region[0][part[0] & raw->region_mask];
}

/* Both set *lost where there is no number for it. */
static inline uint64_t number_local(struct check_collapse *collapse, const uint64_t *part,
                                    bool *lost)
{
    const uint32_t number = check_parts_number(&collapse->local, part, note_region, collapse);
    *lost |= number == CHECK_NO_PART;
    return number == CHECK_NO_PART ? 0 : number;
}

static inline uint64_t number_shared(struct check_collapse *collapse, const uint64_t *part,
                                     bool *lost)
{
    const uint32_t number = check_parts_number(&collapse->shared, part, NULL, NULL);
    *lost |= number == CHECK_NO_PART;
    return number == CHECK_NO_PART ? 0 : number;
}

static bool from_raw(struct check_collapse *collapse, const uint64_t *raw_state, uint64_t *state)
{
    const struct check_model *model = &collapse->model;
    uint64_t part[CHECK_MAX_WORDS];
    bool lost = false;
    for (unsigned w = 0; w < model->words; w++)
        state[w] = CHECK_PRESENT;
    shared_part(collapse, raw_state, part);
    check_put(state, collapse->shared_field, number_shared(collapse, part, &lost));
    for (unsigned p = 0; p < model->n; p++) {
        local_part(collapse->raw, raw_state, p, part);
        check_put(state, model->block[p], number_local(collapse, part, &lost));
    }
    if (lost)
        atomic_store(&collapse->broken, true);
    return !lost;
}

/* ---- from parts to states ---- */

static inline void to_raw(const struct check_collapse *collapse, const uint64_t *state,
                          uint64_t *raw_state)
{
    const struct check_model *raw = collapse->raw, *model = &collapse->model;
    const uint64_t *shared =
        check_parts_key(&collapse->shared, (uint32_t)check_get(state, collapse->shared_field));
    for (unsigned w = 0; w < raw->words; w++)
        raw_state[w] = CHECK_PRESENT;
    for (unsigned i = 0; i < collapse->shared_words; i++)
        raw_state[collapse->shared_word[i]] = shared[i];
    for (unsigned p = 0; p < raw->n; p++) {
        const uint64_t *local =
            check_parts_key(&collapse->local, (uint32_t)check_get(state, model->block[p]));
        const struct check_field block = raw->block[p];
        raw_state[block.word] |= local[0] << block.shift;
        if (raw->has_rest)
            raw_state[raw->rest[p].word] |= local[1] << raw->rest[p].shift;
        for (unsigned w = 1; !raw->has_rest && w < raw->block_words; w++)
            raw_state[block.word + w] = local[w];
    }
}

/* ---- moves ---- */

/* The parts of the state that is expanded, to compare with. */
struct source {
    uint64_t shared[CHECK_MAX_WORDS];
    uint64_t local[CHECK_MAX_PROCESSES][CHECK_LOCAL_WORDS];
};

/* The successor `raw_next` of `state`, whose parts are in `source`. */
static inline bool encode(struct check_collapse *collapse, const struct source *source,
                          const uint64_t *state, const uint64_t *raw_next, uint64_t *next)
{
    const struct check_model *model = &collapse->model, *raw = collapse->raw;
    const unsigned local_words = collapse->local.words;
    uint64_t part[CHECK_MAX_WORDS];
    bool lost = false;
    for (unsigned w = 0; w < model->words; w++)
        next[w] = state[w];
    shared_part(collapse, raw_next, part);
    if (!check_same_state(part, source->shared, collapse->shared_words))
        check_put(next, collapse->shared_field, number_shared(collapse, part, &lost));
    for (unsigned p = 0; p < model->n; p++) {
        local_part(raw, raw_next, p, part);
        if (!check_same_state(part, source->local[p], local_words))
            check_put(next, model->block[p], number_local(collapse, part, &lost));
    }
    return !lost;
}

static struct check_moves expand_exchanging(const struct check_model *model, const uint64_t *state,
                                            uint64_t *out, uint8_t *to)
{
    struct check_collapse *collapse = of(model);
    const struct check_model *raw = collapse->raw;
    uint64_t raw_state[CHECK_MAX_WORDS], raw_out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    struct source source;
    to_raw(collapse, state, raw_state);
    struct check_moves moves = to == NULL ? raw->expand(raw, raw_state, raw_out)
                                          : raw->expand_exchanging(raw, raw_state, raw_out, to);
    if (moves.error)
        return moves;
    shared_part(collapse, raw_state, source.shared);
    for (unsigned p = 0; p < raw->n; p++)
        local_part(raw, raw_state, p, source.local[p]);
    for (uint64_t left = moves.change; left != 0; left &= left - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(left);
        if (!encode(collapse, &source, state, raw_out + e * raw->words, out + e * model->words)) {
            atomic_store(&collapse->broken, true);
            moves.error = true;
        }
    }
    return moves;
}

static struct check_moves expand(const struct check_model *model, const uint64_t *state,
                                 uint64_t *out)
{
    return expand_exchanging(model, state, out, NULL);
}

/* ---- the rest of a model, by way of the original one ---- */

static void initial(const struct check_model *model, uint64_t *state)
{
    struct check_collapse *collapse = of(model);
    uint64_t raw_state[CHECK_MAX_WORDS];
    collapse->raw->initial(collapse->raw, raw_state);
    from_raw(collapse, raw_state, state);
}

static bool describe(const struct check_model *model, const uint64_t *state, unsigned edge,
                     uint64_t *out, struct check_note *note)
{
    struct check_collapse *collapse = of(model);
    uint64_t before[CHECK_MAX_WORDS], after[CHECK_MAX_WORDS];
    to_raw(collapse, state, before);
    return collapse->raw->describe(collapse->raw, before, edge, after, note) &&
           from_raw(collapse, after, out);
}

#define THROUGH(type, name)                                                                        \
    static type name(const struct check_model *model, const uint64_t *state)                       \
    {                                                                                              \
        const struct check_collapse *collapse = of(model);                                         \
        uint64_t raw_state[CHECK_MAX_WORDS];                                                       \
        to_raw(collapse, state, raw_state);                                                        \
        return collapse->raw->name(collapse->raw, raw_state);                                      \
    }

#define THROUGH_WITH(type, name, argument)                                                         \
    static type name(const struct check_model *model, const uint64_t *state, argument given)       \
    {                                                                                              \
        const struct check_collapse *collapse = of(model);                                         \
        uint64_t raw_state[CHECK_MAX_WORDS];                                                       \
        to_raw(collapse, state, raw_state);                                                        \
        return collapse->raw->name(collapse->raw, raw_state, given);                               \
    }

THROUGH(uint64_t, violated)
THROUGH(uint64_t, active)
THROUGH(unsigned, slots)
THROUGH(uint64_t, orbit)
THROUGH_WITH(uint64_t, ahead, unsigned)
THROUGH_WITH(unsigned, slot, unsigned)
THROUGH_WITH(bool, clash, uint64_t)
THROUGH_WITH(void, ranks, struct check_ranks *)
THROUGH_WITH(void, cell_values, uint64_t *)

static void own(const struct check_model *model, const uint64_t *state, unsigned p, uint64_t *first,
                uint64_t *second)
{
    const struct check_collapse *collapse = of(model);
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(collapse, state, raw_state);
    collapse->raw->own(collapse->raw, raw_state, p, first, second);
}

static void local_state(const struct check_model *model, const uint64_t *state, unsigned p,
                        uint64_t *local)
{
    const struct check_collapse *collapse = of(model);
    memcpy(local, check_parts_key(&collapse->local, (uint32_t)check_get(state, model->block[p])),
           collapse->local.words * sizeof *local);
}

static void show(const struct check_model *model, unsigned c, uint64_t value, char *text,
                 size_t size)
{
    const struct check_collapse *collapse = of(model);
    collapse->raw->show(collapse->raw, c, value, text, size);
}

static void show_local(const struct check_model *model, const uint64_t *state, unsigned p,
                       char *text, size_t size)
{
    const struct check_collapse *collapse = of(model);
    uint64_t raw_state[CHECK_MAX_WORDS];
    to_raw(collapse, state, raw_state);
    collapse->raw->show_local(collapse->raw, raw_state, p, text, size);
}

/* ---- layout ---- */

/* The words of a state: the shared part has what the local states leave of the first one, and as
 * many bits as a number can have at most. */
static unsigned lay_out(const struct check_model *raw, struct check_field *shared,
                        struct check_field *block)
{
    const unsigned n = raw->n, each = 63 / CHECK_LOCAL_BITS;
    const unsigned first = n % each; /* local states beside the shared part */
    const unsigned left = 63 - first * CHECK_LOCAL_BITS, bits = left < 31 ? left : 31;
    *shared = (struct check_field){.mask = (UINT64_C(1) << bits) - 1};
    for (unsigned p = 0; p < n; p++) {
        const unsigned word = p < first ? 0 : 1 + (p - first) / each;
        const unsigned place = p < first ? p : (p - first) % each;
        block[p] = (struct check_field){
            .word = (uint8_t)word,
            .shift = (uint8_t)(place * CHECK_LOCAL_BITS + (word == 0 ? bits : 0)),
            .mask = (UINT64_C(1) << CHECK_LOCAL_BITS) - 1};
    }
    return 1 + (n - first) / each;
}

static unsigned local_words(const struct check_model *raw)
{
    return raw->has_rest ? 2 : raw->block_words;
}

bool check_can_collapse(const struct check_model *raw)
{
    struct check_field shared, block[CHECK_MAX_PROCESSES];
    return !raw->more_than_parts && raw->supervisors == 0 && !raw->one_variable &&
           local_words(raw) <= CHECK_LOCAL_WORDS && lay_out(raw, &shared, block) < raw->words;
}

/* What of each word belongs to the shared part. */
static void find_shared(struct check_collapse *collapse)
{
    const struct check_model *raw = collapse->raw;
    for (unsigned w = 0; w < raw->words; w++)
        collapse->mask[w] = ~UINT64_C(0);
    for (unsigned p = 0; p < raw->n; p++) {
        collapse->mask[raw->block[p].word] &= ~(raw->block[p].mask << raw->block[p].shift);
        if (raw->has_rest)
            collapse->mask[raw->rest[p].word] &= ~(raw->rest[p].mask << raw->rest[p].shift);
        for (unsigned w = 1; !raw->has_rest && w < raw->block_words; w++)
            collapse->mask[raw->block[p].word + w] = 0;
    }
    for (unsigned w = 0; w < raw->words; w++) {
        if ((collapse->mask[w] & ~CHECK_PRESENT) != 0)
            collapse->shared_word[collapse->shared_words++] = (uint8_t)w;
    }
}

static void set_callbacks(struct check_model *model, const struct check_model *raw)
{
    model->initial = initial;
    model->expand = expand;
    model->expand_exchanging = raw->expand_exchanging != NULL ? expand_exchanging : NULL;
    model->describe = describe;
    model->violated = raw->violated != NULL ? violated : NULL;
    model->own = raw->own != NULL ? own : NULL;
    model->active = raw->active != NULL ? active : NULL;
    model->slots = raw->slots != NULL ? slots : NULL;
    model->orbit = raw->orbit != NULL ? orbit : NULL;
    model->ahead = raw->ahead != NULL ? ahead : NULL;
    model->slot = raw->slot != NULL ? slot : NULL;
    model->clash = raw->clash != NULL ? clash : NULL;
    model->ranks = raw->ranks != NULL ? ranks : NULL;
    model->cell_values = cell_values;
    model->local_state = local_state;
    model->show = show;
    model->show_local = show_local;
}

bool check_collapse_open(struct check_collapse *collapse, const struct check_model *raw,
                         struct check_budget *budget)
{
    memset(collapse, 0, sizeof *collapse);
    collapse->raw = raw;
    collapse->model = *raw;
    struct check_model *model = &collapse->model;
    find_shared(collapse);
    model->words = lay_out(raw, &collapse->shared_field, model->block);
    model->has_rest = false;
    model->local_moves = false;
    model->region_mask = model->block[0].mask;
    collapse->region = check_map(budget, REGIONS);
    if (collapse->region == NULL)
        return false;
    for (unsigned p = 0; p < raw->n; p++)
        model->region[p] = collapse->region;
    set_callbacks(model, raw);
    if (!check_parts_open(&collapse->shared, budget, collapse->shared_words,
                          check_bits_for(collapse->shared_field.mask))) {
        check_unmap(budget, collapse->region, REGIONS);
        return false;
    }
    if (!check_parts_open(&collapse->local, budget, local_words(raw), CHECK_LOCAL_BITS)) {
        check_parts_close(&collapse->shared);
        check_unmap(budget, collapse->region, REGIONS);
        return false;
    }
    return true;
}

void check_collapse_close(struct check_collapse *collapse)
{
    struct check_budget *budget = collapse->shared.budget;
    check_parts_close(&collapse->shared);
    check_parts_close(&collapse->local);
    check_unmap(budget, collapse->region, REGIONS);
}

uint64_t check_collapse_bytes(const struct check_collapse *collapse)
{
    return check_parts_bytes(&collapse->shared) + check_parts_bytes(&collapse->local);
}
