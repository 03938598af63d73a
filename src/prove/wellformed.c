/*
 * Where the protocol computes with unsigned words and the rules with integers. Sums, differences
 * and products agree modulo 2^64; so they agree wherever the integer is one that a word can hold.
 * It has to be so where it makes a difference: in what is compared or divided. (What is stored has
 * to be in its variable's range, which is a conjunct of the invariant.) That nothing is too large
 * is not proved: n is taken to be so small that no product of two sizes comes near to 2^64.
 */
#include "prove/system.h"

/* Not negative whatever the variables are, because they are not negative themselves. */
static bool surely_natural(prove_t term)
{
    switch (term->op) {
    case PROVE_NUMBER: return term->number >= 0;
    case PROVE_SYMBOL:
    case PROVE_POSITION:
    case PROVE_APPLY: return true;
    case PROVE_ADD:
    case PROVE_MUL:
    case PROVE_DIV:
    case PROVE_MOD:
        for (unsigned i = 0; i < term->count; i++) {
            if (!surely_natural(term->arg[i]))
                return false;
        }
        return true;
    case PROVE_ITE: return surely_natural(term->arg[1]) && surely_natural(term->arg[2]);
    default: return false;
    }
}

static prove_t natural(struct prove_pool *pool, prove_t term)
{
    return surely_natural(term) ? prove_bool(pool, true)
                                : prove_le(pool, prove_number(pool, 0), term);
}

/* The index is one of the array's. */
static prove_t is_there(const struct prove_reading *reading, prove_t term)
{
    struct prove_pool *pool = reading->pool;
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (reading->array[a].symbol == term->arg[0]->number && reading->array[a].count == NULL)
            return prove_le(pool, prove_number(pool, 0), term->arg[1]);
        if (reading->array[a].symbol == term->arg[0]->number)
            return prove_and(pool, prove_le(pool, prove_number(pool, 0), term->arg[1]),
                             prove_lt(pool, term->arg[1], reading->array[a].count));
    }
    return prove_bool(pool, true);
}

/* The array has that many elements. */
static prove_t has(const struct prove_reading *reading, int64_t array, prove_t length)
{
    struct prove_pool *pool = reading->pool;
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (reading->array[a].symbol == array)
            return prove_and(pool, natural(pool, length),
                             prove_le(pool, length, reading->array[a].count));
    }
    return prove_bool(pool, false);
}

/* `and`, `or` and `ite` look at what comes later only where what comes first does not decide. */
static prove_t wellformed(const struct prove_reading *reading, prove_t term)
{
    struct prove_pool *pool = reading->pool;
    prove_t all = prove_bool(pool, true), reached = prove_bool(pool, true);
    for (unsigned i = 0; i < term->count; i++) {
        const bool first_of_ite = term->op == PROVE_ITE && i > 0;
        if (first_of_ite)
            reached = i == 1 ? term->arg[0] : prove_not(pool, term->arg[0]);
        all = prove_and(pool, all, prove_implies(pool, reached, wellformed(reading, term->arg[i])));
        if (term->op == PROVE_AND)
            reached = prove_and(pool, reached, term->arg[i]);
        else if (term->op == PROVE_OR)
            reached = prove_and(pool, reached, prove_not(pool, term->arg[i]));
    }
    if (term->op == PROVE_EQ || term->op == PROVE_LT || term->op == PROVE_LE ||
        term->op == PROVE_DIV || term->op == PROVE_MOD) {
        all = prove_and(pool, all, natural(pool, term->arg[0]));
        all = prove_and(pool, all, natural(pool, term->arg[1]));
    }
    if (term->op == PROVE_APPLY)
        all = prove_and(pool, all, is_there(reading, term));
    if (term->op == PROVE_POSITION) {
        all = prove_and(pool, all, has(reading, term->arg[0]->number, term->arg[1]));
        all = prove_and(pool, all, natural(pool, term->arg[2]));
    }
    if (term->op == PROVE_DIV || term->op == PROVE_MOD)
        all = prove_and(pool, all, prove_lt(pool, prove_number(pool, 0), term->arg[1]));
    return all;
}

/* What a rule does to an array. */
static prove_t wellformed_store(const struct prove_reading *reading, const struct prove_rule *rule,
                                unsigned a)
{
    struct prove_pool *pool = reading->pool;
    const unsigned array = reading->array[a].symbol;
    prove_t index = rule->index[a], length = rule->taken_of[a];
    if (length == NULL)
        return prove_and(pool, wellformed(reading, prove_apply(pool, array, index)),
                         wellformed(reading, rule->stored[a]));
    /* There is one to be taken out, from where on others move up. */
    prove_t all = prove_and(pool, wellformed(reading, index), wellformed(reading, length));
    all = prove_and(pool, all, natural(pool, index));
    all = prove_and(pool, all, prove_lt(pool, prove_number(pool, 0), length));
    return prove_and(pool, all, has(reading, array, length));
}

prove_t prove_wellformed_step(struct prove_system *system, const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    const struct prove_rule *rule = step->rule;
    prove_t all = prove_bool(pool, true), reached = prove_bool(pool, true);
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    if (by == NULL)
        return all;
    for (unsigned v = 0; v < system->reading->locals; v++) {
        if (system->reading->place[rule->from].carries[v])
            by[system->reading->local[v].symbol] =
                system->reading->names
                    ? prove_apply(pool, system->local_of[v], prove_variable(pool, system->me))
                    : prove_variable(pool, system->role[rule->from][v]);
    }
    for (unsigned t = 0; t < rule->tests; t++) {
        all = prove_and(pool, all,
                        prove_implies(pool, reached, wellformed(system->reading, rule->test[t])));
        reached = prove_and(pool, reached, rule->test[t]);
    }
    /* What is stored may be a quotient. */
    prove_t stored = prove_bool(pool, true);
    for (unsigned c = 0; c < system->reading->cells; c++) {
        if (rule->cell[c] != NULL)
            stored = prove_and(pool, stored, wellformed(system->reading, rule->cell[c]));
    }
    for (unsigned a = 0; a < system->reading->arrays; a++) {
        if (rule->index[a] != NULL)
            stored = prove_and(pool, stored, wellformed_store(system->reading, rule, a));
    }
    for (unsigned m = 0; m < rule->mores; m++) {
        const unsigned array = system->reading->array[rule->more[m].array].symbol;
        prove_t element = prove_apply(pool, array, rule->more[m].index);
        stored = prove_and(pool, stored, wellformed(system->reading, element));
        stored = prove_and(pool, stored, wellformed(system->reading, rule->more[m].stored));
    }
    for (unsigned v = 0; v < system->reading->locals; v++) {
        if (rule->local[v] != NULL)
            stored = prove_and(pool, stored, wellformed(system->reading, rule->local[v]));
    }
    all = prove_and(pool, all, prove_implies(pool, reached, stored));
    return prove_substitute(pool, all, by);
}
