/*
 * What has to be shown so that nobody is locked out, where a process that cannot change anything is
 * kept waiting by another (BLOCKED_BY) and is let go once that one has been in its remainder
 * (RELEASED). The argument is in docs/PROOFS.md.
 */
#include "prove/names_scope.h"

/* ---- what the argument needs of the words of the file ---- */

const char *prove_names_misreleased(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    bool *used = prove_alloc(system->pool, system->pool->names * sizeof *used);
    if (reading->released == NULL)
        return NULL;
    if (used == NULL)
        return "out of memory";
    prove_symbols_of(reading->released, used);
    if (used[system->any] || used[system->turn] || used[system->behind] ||
        prove_speaks_of_others(system, reading->released))
        return "RELEASED speaks of something else than I and J";
    if (reading->each == NULL || reading->blocked == 0 || reading->number != NULL)
        return "RELEASED needs RANK_OF_EACH and BLOCKED_BY, and not NUMBERED";
    if (!prove_is_own(system, reading->blocker[0]) || !prove_is_own(system, reading->each))
        return "RELEASED, and more than the process itself says who it is BLOCKED_BY, or its rank";
    if (reading->kills)
        return "RELEASED, and processes are killed: they stop outside their remainder";
    for (unsigned r = 0; r < reading->rules; r++) {
        if (reading->rule[r].choice >= 0)
            return "RELEASED, and processes choose: one may choose for ever to change nothing";
    }
    return NULL;
}

/* ---- obligations ---- */

/* I is outside its remainder, and J is the one that would keep it waiting. */
static prove_t waits_for(struct prove_system *system, prove_t j)
{
    struct prove_pool *pool = system->pool;
    return prove_and(pool, prove_is_outside(system, prove_variable(pool, system->i)),
                     prove_eq(pool, system->reading->blocker[0], j));
}

/* What is released stays so: J moves, or somebody who is neither. */
static void oblige_kept(struct prove_obligations *list, struct prove_system *system,
                        const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    prove_t me = prove_variable(pool, system->me), j = prove_variable(pool, system->j);
    prove_t kept = prove_and(pool, waits_for(system, j), system->reading->released);
    struct prove_step seen;
    if (prove_seen_by_others(system, step, &seen)) {
        prove_t goal = prove_after(system, &seen, kept);
        if (goal != kept)
            prove_oblige_after(list, system, PROVE_KEPT, step, &seen, PROVE_OF_I | PROVE_OF_J, kept,
                               goal, "what is released stays so");
    }
    kept = prove_of_process(system, kept, system->j, me);
    prove_oblige_after(list, system, PROVE_KEPT, step, step, PROVE_OF_I, kept,
                       prove_at_place(system, prove_after(system, step, kept), step->rule->to),
                       "what is released stays so, whatever the other does");
}

/* A step of a third process makes no difference to whether I waits, nor to what I has less of. */
static void oblige_apart(struct prove_obligations *list, struct prove_system *system,
                         const struct prove_step *step)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t can = prove_can_move(system), can_after = prove_after(system, step, can);
    prove_t same =
        prove_and(pool, prove_implies(pool, can, can_after), prove_implies(pool, can_after, can));
    for (unsigned b = 1; b < reading->blocked; b++)
        same = prove_and(
            pool, same,
            prove_eq(pool, prove_after(system, step, reading->blocker[b]), reading->blocker[b]));
    prove_t third =
        prove_not(pool, prove_eq(pool, prove_variable(pool, system->me), reading->blocker[0]));
    prove_oblige_after(
        list, system, PROVE_KEPT, step, step, PROVE_OF_I,
        prove_and(pool, prove_is_outside(system, prove_variable(pool, system->i)), third), same,
        "a third process makes no difference to one that waits");
}

void prove_oblige_names_lockout_free(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t j = prove_variable(pool, system->j);
    prove_t waits = waits_for(system, j), released = system->reading->released;
    prove_oblige_goal(list, system, PROVE_OF_I | PROVE_OF_J,
                      prove_and(pool, waits, prove_not(pool, prove_is_outside(system, j))),
                      released, "a process is released by one in its remainder");
    prove_oblige_goal(list, system, PROVE_OF_I | PROVE_OF_J, prove_and(pool, waits, released),
                      prove_can_move(system), "a process that is released can change something");
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        if (step->rule->broken)
            continue;
        oblige_kept(list, system, step);
        oblige_apart(list, system, step);
    }
}
