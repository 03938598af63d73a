#include "prove/position.h"

enum { MOST = 256 };

/* Which of the functions it is: one for each array and length. */
static unsigned function_for(struct prove_positions *positions, int64_t array, prove_t length)
{
    for (unsigned a = 0; a < positions->arrays; a++) {
        if (positions->in[a].array == array && positions->in[a].length == length)
            return a;
    }
    if (positions->arrays == PROVE_MAX_POSITIONS) {
        positions->system->pool->failed = true;
        return 0;
    }
    positions->in[positions->arrays].array = array;
    positions->in[positions->arrays].length = length;
    return positions->arrays++;
}

prove_t prove_positions_get(const struct prove_positions *positions, unsigned which)
{
    const struct prove_system *system = positions->system;
    return which >= positions->count
               ? NULL
               : prove_apply(system->pool, system->position_of[positions->all[which].in],
                             positions->all[which].value);
}

static prove_t named(void *context, prove_t part)
{
    struct prove_positions *positions = context;
    struct prove_pool *pool = positions->system->pool;
    if (part->op != PROVE_POSITION)
        return part;
    const unsigned in = function_for(positions, part->arg[0]->number, part->arg[1]);
    for (unsigned p = 0; p < positions->count; p++) {
        if (positions->all[p].in == in && positions->all[p].value == part->arg[2])
            return prove_positions_get(positions, p);
    }
    if (positions->all == NULL)
        positions->all = prove_alloc(pool, MOST * sizeof *positions->all);
    if (positions->all == NULL || positions->count == MOST) {
        pool->failed = true;
        return part;
    }
    positions->all[positions->count].in = in;
    positions->all[positions->count].value = part->arg[2];
    return prove_positions_get(positions, positions->count++);
}

prove_t prove_positions_name(struct prove_positions *positions, prove_t term)
{
    return prove_rewrite(positions->system->pool, term, named, positions);
}

static prove_t element(const struct prove_positions *positions, int64_t array, prove_t index)
{
    struct prove_system *system = positions->system;
    for (unsigned a = 0; positions->step != NULL && a < system->reading->arrays; a++) {
        const unsigned symbol = system->reading->array[a].symbol;
        if (prove_array_after(system->pool, symbol) == array)
            return prove_element_after(system->pool, positions->step, symbol, index);
    }
    return prove_apply(system->pool, (unsigned)array, index);
}

static prove_t facts_of(const struct prove_positions *positions, unsigned which,
                        const prove_t *number, unsigned numbers)
{
    struct prove_pool *pool = positions->system->pool;
    const unsigned in = positions->all[which].in;
    const int64_t array = positions->in[in].array;
    prove_t length = positions->in[in].length, value = positions->all[which].value;
    prove_t at = prove_positions_get(positions, which), zero = prove_number(pool, 0);
    prove_t all = prove_le(pool, zero, at);
    all = prove_and(pool, all,
                    prove_implies(pool, prove_le(pool, zero, length), prove_le(pool, at, length)));
    all = prove_and(pool, all,
                    prove_implies(pool, prove_lt(pool, at, length),
                                  prove_eq(pool, element(positions, array, at), value)));
    for (unsigned x = 0; x < numbers; x++) {
        prove_t before =
            prove_and(pool, prove_le(pool, zero, number[x]), prove_lt(pool, number[x], at));
        prove_t there = prove_eq(pool, element(positions, array, number[x]), value);
        all = prove_and(pool, all, prove_implies(pool, before, prove_not(pool, there)));
    }
    return all;
}

prove_t prove_positions_facts(const struct prove_positions *positions, const prove_t *number,
                              unsigned numbers)
{
    struct prove_pool *pool = positions->system->pool;
    prove_t all = prove_bool(pool, true);
    for (unsigned p = 0; p < positions->count; p++)
        all = prove_and(pool, all, facts_of(positions, p, number, numbers));
    return all;
}
