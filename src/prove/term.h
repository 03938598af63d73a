/*
 * Terms and conditions over the integers, as a solver sees them. They live in a pool and are freed
 * with it; equal terms are one term. An allocation that fails is remembered by the pool: what is
 * made then is the number 0, and a caller that asks `prove_pool_failed` at the end knows that
 * nothing made from it may be believed.
 */
#ifndef BERTH_PROVE_TERM_H
#define BERTH_PROVE_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum prove_op {
    PROVE_NUMBER,
    PROVE_SYMBOL,
    PROVE_TRUE,
    PROVE_FALSE,
    PROVE_ADD,
    PROVE_MUL, /* of two */
    PROVE_DIV,
    PROVE_MOD,
    PROVE_APPLY,    /* a symbol, which is a function, and what it is applied to */
    PROVE_POSITION, /* of a value in a prefix of a function: the function, the length, the value */
    PROVE_ITE,
    PROVE_EQ,
    PROVE_LT,
    PROVE_LE,
    PROVE_NOT,
    PROVE_AND,
    PROVE_OR,
    PROVE_IMPLIES,
    PROVE_OPS,
};

struct prove_term {
    unsigned id; /* in its pool, counted from 0; those of its arguments are lower */
    enum prove_op op;
    unsigned count; /* of arguments */
    int64_t number; /* PROVE_NUMBER: it; PROVE_SYMBOL: which */
    const struct prove_term *const *arg;
};
typedef const struct prove_term *prove_t;

struct prove_chunk;
enum { PROVE_MAX_WALKS = 4 };

struct prove_pool {
    struct prove_chunk *chunks;
    char **name; /* of symbols */
    unsigned names, room;
    unsigned terms, slots;
    const struct prove_term **slot; /* terms by their hash */
    /* What a term became, by its id, in the walk that is under way; one for each walk within
     * another. */
    struct prove_walk {
        unsigned room, number;
        unsigned *in; /* the number of the walk in which `became` was set */
        const struct prove_term **became;
    } walk[PROVE_MAX_WALKS];
    unsigned walks; /* under way */
    unsigned by_room;
    const struct prove_term **by; /* prove_put: all NULL between two calls */
    bool failed;
};

void prove_pool_free(struct prove_pool *pool);
static inline bool prove_pool_failed(const struct prove_pool *pool)
{
    return pool->failed;
}
void *prove_alloc(struct prove_pool *pool, size_t size); /* zeroed; NULL: failed */

/* The symbol with this name, made if need be. */
unsigned prove_symbol(struct prove_pool *pool, const char *name);

prove_t prove_number(struct prove_pool *pool, int64_t number);
prove_t prove_variable(struct prove_pool *pool, unsigned symbol);
prove_t prove_bool(struct prove_pool *pool, bool value);
/* Numbers and constants are folded, and nothing else is. */
prove_t prove_make(struct prove_pool *pool, enum prove_op op, unsigned count, const prove_t *arg);
prove_t prove_2(struct prove_pool *pool, enum prove_op op, prove_t a, prove_t b);
prove_t prove_not(struct prove_pool *pool, prove_t a);
prove_t prove_ite(struct prove_pool *pool, prove_t condition, prove_t yes, prove_t no);
static inline prove_t prove_apply(struct prove_pool *pool, unsigned function, prove_t to)
{
    return prove_2(pool, PROVE_APPLY, prove_variable(pool, function), to);
}
static inline prove_t prove_and(struct prove_pool *pool, prove_t a, prove_t b)
{
    return prove_2(pool, PROVE_AND, a, b);
}
static inline prove_t prove_or(struct prove_pool *pool, prove_t a, prove_t b)
{
    return prove_2(pool, PROVE_OR, a, b);
}
static inline prove_t prove_implies(struct prove_pool *pool, prove_t a, prove_t b)
{
    return prove_2(pool, PROVE_IMPLIES, a, b);
}
static inline prove_t prove_add(struct prove_pool *pool, prove_t a, prove_t b)
{
    return prove_2(pool, PROVE_ADD, a, b);
}
static inline prove_t prove_eq(struct prove_pool *pool, prove_t a, prove_t b)
{
    return prove_2(pool, PROVE_EQ, a, b);
}
static inline prove_t prove_le(struct prove_pool *pool, prove_t a, prove_t b)
{
    return prove_2(pool, PROVE_LE, a, b);
}
static inline prove_t prove_lt(struct prove_pool *pool, prove_t a, prove_t b)
{
    return prove_2(pool, PROVE_LT, a, b);
}

/* The term with by[s] in place of each symbol s for which there is one; `by` has pool->names
 * entries or more. */
prove_t prove_substitute(struct prove_pool *pool, prove_t term, const prove_t *by);

/* The same where few symbols are replaced; one whose term is NULL is not. */
struct prove_put {
    unsigned symbol;
    prove_t by;
};
prove_t prove_put(struct prove_pool *pool, prove_t term, unsigned count,
                  const struct prove_put *put);

/* The term with each symbol, each function that is applied, each position, quotient and rest
 * replaced by what `of` says, which sees it with its own parts replaced. */
typedef prove_t prove_replace(void *context, prove_t part);
prove_t prove_rewrite(struct prove_pool *pool, prove_t term, prove_replace *of, void *context);

/* Its value, where symbol s is value[s]; a condition's is 0 or 1. As the solvers': div and mod are
 * those of SMT-LIB, and what is divided by 0 is 0. A function f is the table value[value[f]] ... */
int64_t prove_evaluate(prove_t term, const int64_t *value);

bool prove_is(prove_t term, enum prove_op op);
static inline bool prove_is_true(prove_t term)
{
    return term->op == PROVE_TRUE;
}

/* Marks the symbols that occur in it. */
void prove_symbols_of(prove_t term, bool *marked);

/* Reads one expression in SMT-LIB's notation; NULL: it is none. */
struct prove_list;
prove_t prove_term_of(struct prove_pool *pool, const struct prove_list *list);

#endif
