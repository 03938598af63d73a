/*
 * How many elements of an array have a value (HOW_MANY). To the solver that is a function of the
 * value, and a store changes it at two values: there is one element less that has what was there,
 * and one more that has what is stored. Of what it is before a step it is told what is true of
 * every such count: it is at least 1 for what an element has; where an element has another value,
 * it is less than there are elements; and where it is not 0, the value is found.
 */
#include "prove/names_scope.h"

void prove_count_values(struct prove_system *system, struct prove_step *step, unsigned array,
                        prove_t index, prove_t value)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (!reading->array[a].many || reading->array[a].counts != array)
            continue;
        const unsigned many = reading->array[a].symbol;
        prove_t was = prove_apply(pool, reading->array[array].symbol, index);
        prove_t less = prove_add(pool, prove_apply(pool, many, was), prove_number(pool, -1));
        prove_t left =
            prove_ite(pool, prove_eq(pool, value, was), less, prove_apply(pool, many, value));
        prove_add_store(system, step, many, was, less);
        prove_add_store(system, step, many, value, prove_add(pool, left, prove_number(pool, 1)));
    }
}

static void add(struct prove_system *system, const char *name, unsigned of, prove_t condition)
{
    system->conjunct[system->conjuncts++] =
        (struct prove_conjunct){.name = name, .condition = condition, .of = of, .assumed = true};
}

static void add_facts(struct prove_system *system, const struct prove_array *many)
{
    const struct prove_array *counted = &system->reading->array[many->counts];
    struct prove_pool *pool = system->pool;
    prove_t any = prove_variable(pool, system->any), turn = prove_variable(pool, system->turn);
    prove_t zero = prove_number(pool, 0), one = prove_number(pool, 1);
    prove_t its = prove_apply(pool, counted->symbol, any);
    prove_t there = prove_and(pool, prove_le(pool, zero, any), prove_lt(pool, any, counted->count));
    prove_t at =
        prove_make(pool, PROVE_POSITION, 3,
                   (const prove_t[]){prove_variable(pool, counted->symbol), counted->count, turn});
    add(system, "what an element has is counted", PROVE_OF_ANY,
        prove_implies(pool, there, prove_le(pool, one, prove_apply(pool, many->symbol, its))));
    add(system, "what is counted is found", PROVE_OF_TURN,
        prove_implies(pool, prove_le(pool, one, prove_apply(pool, many->symbol, turn)),
                      prove_lt(pool, at, counted->count)));
}

void prove_add_counted(struct prove_system *system)
{
    for (unsigned a = 0; a < system->reading->arrays; a++) {
        if (system->reading->array[a].many)
            add_facts(system, &system->reading->array[a]);
    }
}

/* Where another element has the same as this one, they are two. */
static prove_t are_two(struct prove_system *system, const struct prove_array *many, prove_t index,
                       prove_t other)
{
    const struct prove_array *counted = &system->reading->array[many->counts];
    struct prove_pool *pool = system->pool;
    prove_t was = prove_apply(pool, counted->symbol, index);
    prove_t there = prove_and(pool, prove_le(pool, prove_number(pool, 0), other),
                              prove_lt(pool, other, counted->count));
    prove_t same = prove_and(pool, prove_not(pool, prove_eq(pool, index, other)),
                             prove_eq(pool, was, prove_apply(pool, counted->symbol, other)));
    return prove_implies(
        pool, prove_and(pool, there, same),
        prove_le(pool, prove_number(pool, 2), prove_apply(pool, many->symbol, was)));
}

/* What is stored may be there already, in all elements but the one that changes. */
prove_t prove_counted_before(struct prove_system *system, const struct prove_step *step,
                             const struct prove_terms *numbers)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t all = prove_bool(pool, true), zero = prove_number(pool, 0);
    for (unsigned a = 0; a < reading->arrays; a++) {
        const struct prove_array *many = &reading->array[a];
        if (!many->many)
            continue;
        const struct prove_array *counted = &reading->array[many->counts];
        for (unsigned s = 0; s < step->stores; s++) {
            const struct prove_store *made = &step->store[s];
            if (made->function != counted->symbol)
                continue;
            prove_t there = prove_and(pool, prove_le(pool, zero, made->index),
                                      prove_lt(pool, made->index, counted->count));
            prove_t was = prove_apply(pool, counted->symbol, made->index);
            prove_t other = prove_not(pool, prove_eq(pool, was, made->value));
            prove_t count = prove_apply(pool, many->symbol, made->value);
            prove_t fact = prove_and(
                pool, prove_le(pool, prove_number(pool, 1), prove_apply(pool, many->symbol, was)),
                prove_implies(pool, other, prove_lt(pool, count, counted->count)));
            all = prove_and(pool, all, prove_implies(pool, there, fact));
            for (unsigned x = 0; x < numbers->count; x++)
                all =
                    prove_and(pool, all,
                              prove_implies(pool, there,
                                            are_two(system, many, made->index, numbers->term[x])));
        }
    }
    return all;
}
