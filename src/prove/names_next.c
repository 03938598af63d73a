/*
 * What has to be shown where processes are told apart (names.c) and one is enabled if its next step
 * enters, whatever the others do before it. The arguments are in docs/PROOFS.md.
 */
#include "prove/names_scope.h"

/* In its trying region, and what ENABLED says. */
static prove_t is_enabled(struct prove_system *system, prove_t who)
{
    return prove_and(system->pool, prove_is_in_region(system, PROVE_TRYING, who),
                     prove_of_process(system, system->reading->enabled, system->i, who));
}

static bool leads(struct prove_system *system, const struct prove_step *step,
                  enum prove_region from, enum prove_region to)
{
    return prove_is_in(system, step->rule->from, from, false) &&
           prove_is_in(system, step->rule->to, to, false);
}

/* A step that is made where `when` holds of the process that makes it: there is none. */
static void oblige_never(struct prove_obligations *list, struct prove_system *system,
                         const struct prove_step *step, prove_t when, const char *text)
{
    prove_oblige_after(list, system, PROVE_GOAL, step, step, 0, when,
                       prove_bool(system->pool, false), text);
}

void prove_oblige_names_next(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t me = prove_variable(pool, system->me);
    prove_t enabled = is_enabled(system, prove_variable(pool, system->i));
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        struct prove_step seen;
        if (step->rule->broken)
            continue;
        if (prove_seen_by_others(system, step, &seen))
            prove_oblige_after(list, system, PROVE_KEPT, step, &seen, PROVE_OF_I, enabled,
                               prove_after(system, &seen, enabled),
                               "no step of another keeps out what is enabled");
        if (prove_is_in(system, step->rule->from, PROVE_TRYING, false) &&
            !prove_is_in(system, step->rule->to, PROVE_CRITICAL, false))
            oblige_never(list, system, step, is_enabled(system, me),
                         "a process that is enabled enters by its next step");
    }
}

/* ---- as many are enabled as there are slots for ---- */

static prove_t has_seat(struct prove_system *system, prove_t who)
{
    return prove_or(system->pool, prove_is_in_region(system, PROVE_CRITICAL, who),
                    is_enabled(system, who));
}

static prove_t is_slot(struct prove_system *system, prove_t number)
{
    struct prove_pool *pool = system->pool;
    return prove_and(pool, prove_le(pool, prove_number(pool, 0), number),
                     prove_lt(pool, number, prove_variable(pool, system->l)));
}

/* No two have the same seat. */
static void oblige_seats(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t i = prove_variable(pool, system->i), j = prove_variable(pool, system->j);
    prove_t mine = system->reading->seat;
    prove_oblige_goal(list, system, PROVE_OF_I, has_seat(system, i), is_slot(system, mine),
                      "a process that is critical or enabled has a number below l");
    prove_oblige_goal(
        list, system, PROVE_OF_I | PROVE_OF_J,
        prove_and(pool, has_seat(system, i), has_seat(system, j)),
        prove_not(pool, prove_eq(pool, mine, prove_of_process(system, mine, system->i, j))),
        "and no two have the same");
}

/* Where I waits and is not enabled, each number below l is somebody's. */
static void oblige_taken(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t i = prove_variable(pool, system->i), any = prove_variable(pool, system->any);
    prove_t who = system->reading->taken;
    prove_t waits =
        prove_and(pool, prove_is_in_region(system, PROVE_TRYING, i),
                  prove_and(pool, prove_not(pool, is_enabled(system, i)), is_slot(system, any)));
    prove_t its = prove_of_process(system, system->reading->seat, system->i, who);
    prove_t goal = prove_and(pool, prove_is_process(system, who), has_seat(system, who));
    prove_oblige_goal(list, system, PROVE_OF_I | PROVE_OF_ANY, waits,
                      prove_and(pool, goal, prove_eq(pool, its, any)),
                      "where somebody waits who is not enabled, every number below l is taken");
}

void prove_oblige_names_full(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t me = prove_variable(pool, system->me);
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        if (step->rule->broken)
            continue;
        if (leads(system, step, PROVE_TRYING, PROVE_CRITICAL))
            oblige_never(list, system, step, prove_not(pool, is_enabled(system, me)),
                         "a process that is not enabled does not enter");
        if (leads(system, step, PROVE_REMAINDER, PROVE_CRITICAL))
            oblige_never(list, system, step, prove_bool(pool, true),
                         "nobody enters from its remainder");
    }
    oblige_seats(list, system);
    oblige_taken(list, system);
}

/* ---- how many values a queue has ---- */

bool prove_is_queue_of_names(const struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    prove_t n = prove_variable(system->pool, system->n);
    const unsigned sequences = prove_symbol(system->pool, "sequences:n");
    return reading->names && reading->uncounted && reading->values != NULL &&
           reading->values == prove_variable(system->pool, sequences) && reading->cells == 1 &&
           reading->arrays == 1 && reading->array[0].count == n && reading->array[0].values == n;
}

void prove_oblige_names_sequences(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    const struct prove_array *array = &system->reading->array[0];
    prove_t length = prove_variable(pool, system->reading->cell[0].symbol);
    prove_t any = prove_variable(pool, system->any), zero = prove_number(pool, 0);
    prove_t second = prove_variable(pool, system->second);
    prove_t here = prove_apply(pool, array->symbol, any);
    prove_oblige_goal(
        list, system, PROVE_OF_ANY,
        prove_and(pool, prove_le(pool, length, any), prove_lt(pool, any, array->count)),
        prove_eq(pool, here, zero), "what is behind the end is 0");
    prove_t both = prove_and(pool, prove_le(pool, zero, any), prove_lt(pool, any, second));
    prove_oblige_goal(
        list, system, PROVE_OF_ANY | PROVE_OF_SECOND,
        prove_and(pool, both, prove_lt(pool, second, length)),
        prove_not(pool, prove_eq(pool, here, prove_apply(pool, array->symbol, second))),
        "nothing is there twice");
}
