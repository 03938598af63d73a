#include "prove/term.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

struct prove_chunk {
    struct prove_chunk *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

static const struct prove_term zero = {.op = PROVE_NUMBER};

void prove_pool_free(struct prove_pool *pool)
{
    while (pool->chunks != NULL) {
        struct prove_chunk *next = pool->chunks->next;
        free(pool->chunks);
        pool->chunks = next;
    }
    for (unsigned w = 0; w < PROVE_MAX_WALKS; w++) {
        free(pool->walk[w].in);
        free(pool->walk[w].became);
    }
    free(pool->name);
    free(pool->slot);
    free(pool->by);
    *pool = (struct prove_pool){0};
}

void *prove_alloc(struct prove_pool *pool, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (pool->chunks == NULL || pool->chunks->size - pool->chunks->used < size) {
        const size_t room = size > CHUNK ? size : CHUNK;
        struct prove_chunk *chunk = calloc(1, sizeof *chunk + room);
        if (chunk == NULL) {
            pool->failed = true;
            return NULL;
        }
        chunk->size = room;
        chunk->next = pool->chunks;
        pool->chunks = chunk;
    }
    void *made = pool->chunks->bytes + pool->chunks->used;
    pool->chunks->used += size;
    return made;
}

unsigned prove_symbol(struct prove_pool *pool, const char *name)
{
    for (unsigned s = 0; s < pool->names; s++) {
        if (strcmp(pool->name[s], name) == 0)
            return s;
    }
    if (pool->names == pool->room) {
        const unsigned room = pool->room == 0 ? 64 : 2 * pool->room;
        char **grown = realloc(pool->name, room * sizeof *grown);
        if (grown == NULL) {
            pool->failed = true;
            return 0;
        }
        pool->name = grown;
        pool->room = room;
    }
    char *copy = prove_alloc(pool, strlen(name) + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, name, strlen(name) + 1);
    pool->name[pool->names] = copy;
    return pool->names++;
}

static uint64_t hash(const struct prove_term *term)
{
    uint64_t h = (uint64_t)term->op * 0x9e3779b97f4a7c15u ^ (uint64_t)term->number;
    for (unsigned i = 0; i < term->count; i++) {
        h = (h ^ term->arg[i]->id) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h * 0xff51afd7ed558ccdu >> 16;
}

static bool equal(const struct prove_term *a, const struct prove_term *b)
{
    return a->op == b->op && a->count == b->count && a->number == b->number &&
           (a->count == 0 || memcmp(a->arg, b->arg, a->count * sizeof(prove_t)) == 0);
}

/* Where the term is in the table, or belongs. */
static const struct prove_term **slot_of(struct prove_pool *pool, const struct prove_term *term)
{
    uint64_t at = hash(term) % pool->slots;
    while (pool->slot[at] != NULL && !equal(pool->slot[at], term))
        at = (at + 1) % pool->slots;
    return &pool->slot[at];
}

static bool more_slots(struct prove_pool *pool)
{
    const struct prove_term **before = pool->slot;
    const unsigned slots = pool->slots;
    pool->slots = slots == 0 ? 1 << 12 : 2 * slots;
    pool->slot = calloc(pool->slots, sizeof(prove_t));
    if (pool->slot == NULL) {
        pool->slot = before;
        pool->slots = slots;
        pool->failed = true;
        return false;
    }
    for (unsigned s = 0; s < slots; s++) {
        if (before[s] != NULL)
            *slot_of(pool, before[s]) = before[s];
    }
    free(before);
    return true;
}

static prove_t make(struct prove_pool *pool, enum prove_op op, int64_t number, unsigned count,
                    const prove_t *arg)
{
    const struct prove_term sought = {.op = op, .count = count, .number = number, .arg = arg};
    if (2 * pool->terms >= pool->slots && !more_slots(pool))
        return &zero;
    const struct prove_term **slot = slot_of(pool, &sought);
    if (*slot != NULL)
        return *slot;
    struct prove_term *term = prove_alloc(pool, sizeof *term);
    prove_t *copy = count == 0 ? NULL : prove_alloc(pool, count * sizeof(prove_t));
    if (term == NULL || (count > 0 && copy == NULL))
        return &zero;
    for (unsigned i = 0; i < count; i++)
        copy[i] = arg[i];
    *term = sought;
    term->arg = copy;
    term->id = pool->terms++;
    return *slot = term;
}

prove_t prove_number(struct prove_pool *pool, int64_t number)
{
    return make(pool, PROVE_NUMBER, number, 0, NULL);
}

prove_t prove_variable(struct prove_pool *pool, unsigned symbol)
{
    return make(pool, PROVE_SYMBOL, symbol, 0, NULL);
}

prove_t prove_bool(struct prove_pool *pool, bool value)
{
    return make(pool, value ? PROVE_TRUE : PROVE_FALSE, 0, 0, NULL);
}

bool prove_is(prove_t term, enum prove_op op)
{
    return term->op == op;
}

static bool is_number(prove_t term)
{
    return term->op == PROVE_NUMBER;
}

/* and, or: without what says nothing. */
static prove_t junction(struct prove_pool *pool, enum prove_op op, unsigned count,
                        const prove_t *arg)
{
    const enum prove_op unit = op == PROVE_AND ? PROVE_TRUE : PROVE_FALSE;
    const enum prove_op strong = op == PROVE_AND ? PROVE_FALSE : PROVE_TRUE;
    unsigned kept = 0;
    prove_t few[16] = {0}, *left = few;
    if (count + 1 > sizeof few / sizeof few[0])
        left = prove_alloc(pool, (count + 1) * sizeof(prove_t));
    if (left == NULL)
        return &zero;
    for (unsigned i = 0; i < count; i++) {
        if (arg[i]->op == strong)
            return arg[i];
        if (arg[i]->op != unit)
            left[kept++] = arg[i];
    }
    if (kept == 0)
        return prove_bool(pool, op == PROVE_AND);
    return kept == 1 ? left[0] : make(pool, op, 0, kept, left);
}

static prove_t sum(struct prove_pool *pool, unsigned count, const prove_t *arg)
{
    int64_t constant = 0;
    unsigned kept = 0;
    prove_t few[16] = {0}, *left = few;
    if (count + 1 > sizeof few / sizeof few[0])
        left = prove_alloc(pool, (count + 1) * sizeof(prove_t));
    if (left == NULL)
        return &zero;
    for (unsigned i = 0; i < count; i++) {
        if (is_number(arg[i]))
            constant += arg[i]->number;
        else
            left[kept++] = arg[i];
    }
    if (constant != 0 || kept == 0)
        left[kept++] = prove_number(pool, constant);
    return kept == 1 ? left[0] : make(pool, PROVE_ADD, 0, kept, left);
}

static prove_t fold_2(struct prove_pool *pool, enum prove_op op, const prove_t *arg)
{
    prove_t a = arg[0], b = arg[1];
    if (op == PROVE_IMPLIES) {
        if (a->op == PROVE_TRUE || b->op == PROVE_TRUE)
            return b;
        return a->op == PROVE_FALSE   ? prove_bool(pool, true)
               : b->op == PROVE_FALSE ? prove_not(pool, a)
                                      : make(pool, op, 0, 2, arg);
    }
    if (op == PROVE_MUL) {
        if ((is_number(a) && a->number == 0) || (is_number(b) && b->number == 1))
            return a;
        if ((is_number(b) && b->number == 0) || (is_number(a) && a->number == 1))
            return b;
    }
    if (op == PROVE_EQ && a == b)
        return prove_bool(pool, true);
    if (!is_number(a) || !is_number(b) || ((op == PROVE_DIV || op == PROVE_MOD) && b->number <= 0))
        return make(pool, op, 0, 2, arg);
    const struct prove_term both = {.op = op, .count = 2, .arg = arg};
    const int64_t value = prove_evaluate(&both, NULL);
    const bool is_int = op == PROVE_MUL || op == PROVE_DIV || op == PROVE_MOD;
    return is_int ? prove_number(pool, value) : prove_bool(pool, value != 0);
}

prove_t prove_make(struct prove_pool *pool, enum prove_op op, unsigned count, const prove_t *arg)
{
    switch (op) {
    case PROVE_AND:
    case PROVE_OR: return junction(pool, op, count, arg);
    case PROVE_ADD: return sum(pool, count, arg);
    case PROVE_NOT:
        return arg[0]->op == PROVE_TRUE    ? prove_bool(pool, false)
               : arg[0]->op == PROVE_FALSE ? prove_bool(pool, true)
               : arg[0]->op == PROVE_NOT   ? arg[0]->arg[0]
                                           : make(pool, op, 0, 1, arg);
    case PROVE_ITE:
        return arg[0]->op == PROVE_TRUE    ? arg[1]
               : arg[0]->op == PROVE_FALSE ? arg[2]
                                           : make(pool, op, 0, 3, arg);
    case PROVE_POSITION: return make(pool, op, 0, 3, arg);
    default: assert(count == 2); return fold_2(pool, op, arg);
    }
}

prove_t prove_2(struct prove_pool *pool, enum prove_op op, prove_t a, prove_t b)
{
    return prove_make(pool, op, 2, (const prove_t[]){a, b});
}

prove_t prove_not(struct prove_pool *pool, prove_t a)
{
    return prove_make(pool, PROVE_NOT, 1, &a);
}

prove_t prove_ite(struct prove_pool *pool, prove_t condition, prove_t yes, prove_t no)
{
    return prove_make(pool, PROVE_ITE, 3, (const prove_t[]){condition, yes, no});
}

/* ---- walks over terms, in which each is looked at once ---- */

/* One with room for all ids up to that of the term; NULL: there is no memory. */
static struct prove_walk *begin_walk(struct prove_pool *pool, prove_t term)
{
    struct prove_walk *walk = &pool->walk[pool->walks];
    if (pool->walks == PROVE_MAX_WALKS) {
        pool->failed = true;
        return NULL;
    }
    if (term->id >= walk->room) {
        const unsigned room = 2 * (term->id + 1);
        free(walk->in);
        free(walk->became);
        *walk = (struct prove_walk){.in = calloc(room, sizeof *walk->in),
                                    .became = calloc(room, sizeof(prove_t))};
        if (walk->in == NULL || walk->became == NULL) {
            pool->failed = true;
            return NULL;
        }
        walk->room = room;
    }
    pool->walks++;
    walk->number++;
    return walk;
}

static void end_walk(struct prove_pool *pool)
{
    pool->walks--;
}

/* What it has become already; or NULL. */
static prove_t became(const struct prove_walk *walk, prove_t term)
{
    return walk->in[term->id] == walk->number ? walk->became[term->id] : NULL;
}

static prove_t becomes(struct prove_walk *walk, prove_t term, prove_t made)
{
    walk->in[term->id] = walk->number;
    walk->became[term->id] = made;
    return made;
}

static prove_t substitute(struct prove_pool *pool, prove_t term, const prove_t *by,
                          struct prove_walk *walk)
{
    if (term->op == PROVE_SYMBOL)
        return by[term->number] != NULL ? by[term->number] : term;
    if (term->count == 0 || became(walk, term) != NULL)
        return term->count == 0 ? term : became(walk, term);
    prove_t *arg = calloc(term->count, sizeof(prove_t));
    if (arg == NULL) {
        pool->failed = true;
        return &zero;
    }
    bool same = true;
    for (unsigned i = 0; i < term->count; i++) {
        arg[i] = substitute(pool, term->arg[i], by, walk);
        same &= arg[i] == term->arg[i];
    }
    prove_t made = same ? term : prove_make(pool, term->op, term->count, arg);
    free(arg);
    return becomes(walk, term, made);
}

prove_t prove_substitute(struct prove_pool *pool, prove_t term, const prove_t *by)
{
    struct prove_walk *walk = begin_walk(pool, term);
    if (walk == NULL)
        return &zero;
    prove_t made = substitute(pool, term, by, walk);
    end_walk(pool);
    return made;
}

prove_t prove_put(struct prove_pool *pool, prove_t term, unsigned count,
                  const struct prove_put *put)
{
    if (pool->by_room < pool->names) {
        const struct prove_term **grown = calloc(pool->room, sizeof(prove_t));
        if (grown == NULL) {
            pool->failed = true;
            return term;
        }
        free(pool->by);
        pool->by = grown;
        pool->by_room = pool->room;
    }
    for (unsigned p = 0; p < count; p++)
        pool->by[put[p].symbol] = put[p].by;
    prove_t made = prove_substitute(pool, term, pool->by);
    for (unsigned p = 0; p < count; p++)
        pool->by[put[p].symbol] = NULL;
    return made;
}

static prove_t rewrite(struct prove_pool *pool, prove_t term, prove_replace *of, void *context,
                       struct prove_walk *walk)
{
    if (became(walk, term) != NULL)
        return became(walk, term);
    prove_t same = term, *arg = term->count == 0 ? NULL : calloc(term->count, sizeof(prove_t));
    if (term->count > 0 && arg == NULL) {
        pool->failed = true;
        return &zero;
    }
    for (unsigned i = 0; i < term->count; i++) {
        arg[i] = rewrite(pool, term->arg[i], of, context, walk);
        if (arg[i] != term->arg[i])
            same = NULL;
    }
    prove_t made = same != NULL ? same : prove_make(pool, term->op, term->count, arg);
    free(arg);
    /* What is made of others may be one of those that replaced them: it is not replaced again. */
    const bool replaced = term->op == PROVE_SYMBOL || term->op == PROVE_APPLY ||
                          term->op == PROVE_POSITION || term->op == PROVE_DIV ||
                          term->op == PROVE_MOD;
    return becomes(walk, term, replaced ? of(context, made) : made);
}

prove_t prove_rewrite(struct prove_pool *pool, prove_t term, prove_replace *of, void *context)
{
    struct prove_walk *walk = begin_walk(pool, term);
    if (walk == NULL)
        return &zero;
    prove_t made = rewrite(pool, term, of, context, walk);
    end_walk(pool);
    return made;
}

static int64_t divide(int64_t a, int64_t b, bool rest)
{
    if (b == 0)
        return 0;
    const int64_t left = (a % b + (b < 0 ? -b : b)) % (b < 0 ? -b : b);
    return rest ? left : (a - left) / b;
}

static int64_t position(prove_t term, const int64_t *value)
{
    const int64_t *first = value + value[term->arg[0]->number];
    const int64_t length = prove_evaluate(term->arg[1], value);
    const int64_t sought = prove_evaluate(term->arg[2], value);
    int64_t at = 0;
    while (at < length && first[at] != sought)
        at++;
    return at;
}

int64_t prove_evaluate(prove_t term, const int64_t *value)
{
    int64_t result = 0;
    switch (term->op) {
    case PROVE_NUMBER: return term->number;
    case PROVE_SYMBOL: assert(value != NULL); return value[term->number];
    case PROVE_TRUE: return 1;
    case PROVE_FALSE: return 0;
    case PROVE_ADD:
        for (unsigned i = 0; i < term->count; i++)
            result += prove_evaluate(term->arg[i], value);
        return result;
    case PROVE_AND:
        for (unsigned i = 0; i < term->count; i++) {
            if (prove_evaluate(term->arg[i], value) == 0)
                return 0;
        }
        return 1;
    case PROVE_OR:
        for (unsigned i = 0; i < term->count; i++) {
            if (prove_evaluate(term->arg[i], value) != 0)
                return 1;
        }
        return 0;
    case PROVE_NOT: return prove_evaluate(term->arg[0], value) == 0;
    case PROVE_ITE:
        return prove_evaluate(term->arg[prove_evaluate(term->arg[0], value) != 0 ? 1 : 2], value);
    case PROVE_IMPLIES:
        return prove_evaluate(term->arg[0], value) == 0 || prove_evaluate(term->arg[1], value) != 0;
    case PROVE_POSITION: return position(term, value);
    default: break;
    }
    const int64_t a = prove_evaluate(term->arg[0], value), b = prove_evaluate(term->arg[1], value);
    switch (term->op) {
    case PROVE_APPLY:
        assert(value != NULL); /* it is not folded */
        return value[a + b];
    case PROVE_MUL: return a * b;
    case PROVE_DIV: return divide(a, b, false);
    case PROVE_MOD: return divide(a, b, true);
    case PROVE_EQ: return a == b;
    case PROVE_LT: return a < b;
    default: return a <= b;
    }
}

void prove_symbols_of(prove_t term, bool *marked)
{
    if (term->op == PROVE_SYMBOL)
        marked[term->number] = true;
    for (unsigned i = 0; i < term->count; i++)
        prove_symbols_of(term->arg[i], marked);
}
