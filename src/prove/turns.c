#include "prove/turns.h"

enum { MOST = 64 };

struct turns {
    struct prove_system *system;
    unsigned count;
    prove_t number[MOST];
    prove_t by; /* what they are divided by */
};

bool prove_is_turn(const struct prove_system *system, prove_t term)
{
    if ((term->op != PROVE_DIV && term->op != PROVE_MOD) || term->arg[1]->op != PROVE_SYMBOL)
        return false;
    for (unsigned c = 0; c < system->reading->constants; c++) {
        if (term->arg[1]->number == system->reading->constant[c].symbol)
            return true;
    }
    return false;
}

static void add(struct turns *turns, prove_t number)
{
    for (unsigned t = 0; t < turns->count; t++) {
        if (turns->number[t] == number)
            return;
    }
    if (turns->count == MOST)
        turns->system->pool->failed = true;
    else
        turns->number[turns->count++] = number;
}

static prove_t named(void *context, prove_t part)
{
    struct turns *turns = context;
    struct prove_system *system = turns->system;
    if (!prove_is_turn(system, part))
        return part;
    if (turns->by != NULL && turns->by != part->arg[1])
        system->pool->failed = true; /* by two of them */
    turns->by = part->arg[1];
    add(turns, part->arg[0]);
    return prove_apply(system->pool, part->op == PROVE_DIV ? system->quotient_of : system->rest_of,
                       part->arg[0]);
}

static prove_t quotient(const struct turns *turns, prove_t number)
{
    return prove_apply(turns->system->pool, turns->system->quotient_of, number);
}

static prove_t rest(const struct turns *turns, prove_t number)
{
    return prove_apply(turns->system->pool, turns->system->rest_of, number);
}

/* 0 <= rest < divisor; and the quotient of what is not negative is not. */
static prove_t facts_of_one(const struct turns *turns, prove_t a)
{
    struct prove_pool *pool = turns->system->pool;
    prove_t zero = prove_number(pool, 0);
    prove_t all = prove_and(pool, prove_le(pool, zero, rest(turns, a)),
                            prove_lt(pool, rest(turns, a), turns->by));
    return prove_and(
        pool, all,
        prove_implies(pool, prove_le(pool, zero, a), prove_le(pool, zero, quotient(turns, a))));
}

/* b - a is the divisor times the difference of the quotients, and the difference of the rests:
 * exactly, where the quotients are the same or next to each other; at least twice the divisor
 * otherwise. */
static prove_t facts_of_two(const struct turns *turns, prove_t a, prove_t b)
{
    struct prove_pool *pool = turns->system->pool;
    prove_t left = prove_add(pool, b, rest(turns, a)), right = prove_add(pool, a, rest(turns, b));
    prove_t next = prove_add(pool, quotient(turns, a), prove_number(pool, 1));
    prove_t turn = prove_add(pool, right, turns->by);
    prove_t all = prove_implies(pool, prove_eq(pool, quotient(turns, a), quotient(turns, b)),
                                prove_eq(pool, left, right));
    all = prove_and(
        pool, all,
        prove_implies(pool, prove_eq(pool, quotient(turns, b), next), prove_eq(pool, left, turn)));
    return prove_and(pool, all,
                     prove_implies(pool, prove_lt(pool, next, quotient(turns, b)),
                                   prove_le(pool, prove_add(pool, turn, turns->by), left)));
}

/* Whether it matters how the number lies to all others: 0, the divisor, where the step stores. */
static bool is_central(const struct turns *turns, const struct prove_obligation *made,
                       prove_t number)
{
    if (made->kind != PROVE_KEPT || made->step == NULL || number == turns->by ||
        number == prove_number(turns->system->pool, 0))
        return true;
    for (unsigned s = 0; s < made->step->stores; s++) {
        prove_t index = made->step->store[s].index;
        if (prove_is_turn(turns->system, index) && index->arg[0] == number)
            return true;
    }
    return false;
}

void prove_turns_finish(struct prove_system *system, struct prove_obligation *made)
{
    struct prove_pool *pool = system->pool;
    struct turns turns = {.system = system};
    if (system->reading->constants == 0)
        return;
    if (made->shown == NULL)
        made->shown = made->goal;
    made->assume = prove_rewrite(pool, made->assume, named, &turns);
    made->goal = prove_rewrite(pool, made->goal, named, &turns);
    if (turns.count == 0)
        return;
    prove_t zero = prove_number(pool, 0), one = prove_number(pool, 1);
    add(&turns, zero);
    add(&turns, turns.by);
    prove_t all = prove_and(pool, prove_eq(pool, quotient(&turns, zero), zero),
                            prove_eq(pool, rest(&turns, zero), zero));
    all = prove_and(pool, all, prove_eq(pool, quotient(&turns, turns.by), one));
    all = prove_and(pool, all, prove_eq(pool, rest(&turns, turns.by), zero));
    for (unsigned a = 0; a < turns.count; a++) {
        all = prove_and(pool, all, facts_of_one(&turns, turns.number[a]));
        for (unsigned b = 0; b < turns.count; b++) {
            if (a != b && (is_central(&turns, made, turns.number[a]) ||
                           is_central(&turns, made, turns.number[b])))
                all = prove_and(pool, all, facts_of_two(&turns, turns.number[a], turns.number[b]));
        }
    }
    made->assume = prove_and(pool, made->assume, all);
}
