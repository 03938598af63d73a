/*
 * What has to be shown for progress where processes are told apart (names.c). The arguments are in
 * docs/PROOFS.md.
 */
#include "prove/names_scope.h"

/* ---- no deadlock ---- */

prove_t prove_of_process(struct prove_system *system, prove_t term, unsigned from, prove_t who)
{
    return prove_put(system->pool, term, 1, &(struct prove_put){from, who});
}

static prove_t step_changes(struct prove_system *system, const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    prove_t any = prove_changes(system, step);
    for (unsigned s = 0; s < step->stores; s++) {
        const struct prove_store *store = &step->store[s];
        prove_t before = prove_apply(pool, store->function, store->index);
        prove_t after = prove_element_after(pool, step, store->function, store->index);
        any = prove_or(pool, any,
                       store->taken_of != NULL ? prove_bool(pool, true)
                                               : prove_not(pool, prove_eq(pool, after, before)));
    }
    return any;
}

prove_t prove_is_outside(struct prove_system *system, prove_t who)
{
    struct prove_pool *pool = system->pool;
    prove_t any = prove_bool(pool, false);
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (!prove_is_in(system, p, PROVE_REMAINDER, false))
            any = prove_or(
                pool, any,
                prove_eq(pool, prove_apply(pool, system->place_of, who), prove_number(pool, p)));
    }
    return any;
}

/* A death or a kill: nobody has to make it, and a schedule in which nothing moves has none. */
static bool is_fault(const struct prove_system *system, const struct prove_step *step)
{
    return step->rule == &system->reading->killed;
}

prove_t prove_can_move(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t any = prove_bool(pool, false);
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        if (!is_fault(system, step) &&
            !prove_is_in(system, step->rule->from, PROVE_REMAINDER, false))
            any = prove_or(pool, any, prove_and(pool, step->guard, step_changes(system, step)));
    }
    return prove_of_process(system, any, system->me, prove_variable(pool, system->i));
}

/* A place in a subroutine is in T or in E, and so may be the one that it was called from. */
static bool changes_region(const struct prove_system *system, const struct prove_step *step)
{
    const enum prove_region from = system->reading->place[step->rule->from].region;
    const enum prove_region to = system->reading->place[step->rule->to].region;
    const enum prove_region other = from == PROVE_CALLED ? to : from;
    if (from != PROVE_CALLED && to != PROVE_CALLED)
        return from != to;
    return other == PROVE_REMAINDER || other == PROVE_CRITICAL;
}

static void oblige_each(struct prove_obligations *list, struct prove_system *system,
                        const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    prove_t changes = step_changes(system, step), i = prove_variable(pool, system->i);
    prove_t me = prove_variable(pool, system->me), before = system->reading->each;
    prove_t after = prove_after(system, step, before);
    if (changes_region(system, step) || changes->op == PROVE_FALSE)
        return;
    for (unsigned others = 0; others < 2; others++) {
        struct prove_scope scope = prove_scope_make(system, PROVE_OF_I, step);
        struct prove_obligation *made = prove_oblige(list, system, PROVE_RANKED, step);
        made->assume =
            prove_and(pool, prove_scope_assumed(&scope, PROVE_OF_I, step, before), changes);
        prove_t is_me = prove_eq(pool, i, me);
        made->assume = prove_and(pool, made->assume, others != 0 ? prove_not(pool, is_me) : is_me);
        made->goal = others != 0 ? prove_eq(pool, after, before)
                                 : prove_and(pool, prove_le(pool, prove_number(pool, 0), after),
                                             prove_lt(pool, after, before));
        made->of = PROVE_OF_I;
        prove_scope_finish(&scope, made);
        made->shown = NULL;
        prove_oblige_says(made, NULL,
                          others != 0 ? "a step leaves the others' numbers as they are"
                                      : "a step that changes no region lowers the number");
    }
}

/* The process that keeps I waiting is outside its remainder, and has less. */
static prove_t is_blocked(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t blocker = reading->blocker[0], less = prove_bool(pool, false);
    prove_t zero = prove_number(pool, 0);
    for (unsigned m = reading->blocked; m-- > 1;) {
        prove_t mine = reading->blocker[m];
        prove_t theirs = prove_of_process(system, mine, system->i, blocker);
        prove_t natural = prove_and(pool, prove_le(pool, zero, mine), prove_le(pool, zero, theirs));
        less = prove_or(pool, prove_and(pool, natural, prove_lt(pool, theirs, mine)),
                        prove_and(pool, prove_eq(pool, theirs, mine), less));
    }
    return prove_and(pool, prove_and(pool, prove_is_process(system, blocker), less),
                     prove_is_outside(system, blocker));
}

/* There is somebody at a place from which nothing keeps it. */
static prove_t somebody_is_free(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t any = prove_bool(pool, false);
    for (unsigned r = 0; r < system->reading->rules; r++) {
        const struct prove_rule *rule = &system->reading->rule[r];
        if (rule->tests == 0 && rule->from != rule->to &&
            system->reading->place[rule->from].region != PROVE_CALLED &&
            !prove_is_in(system, rule->from, PROVE_REMAINDER, false))
            any = prove_or(pool, any,
                           prove_lt(pool, prove_number(pool, 0),
                                    prove_variable(pool, system->at[rule->from])));
    }
    return any;
}

/* The places outside the remainder of the lock: of what the protocol is made from, if it is made
 * from another. */
static bool is_inside(const struct prove_system *system, unsigned p)
{
    return !prove_is_in(system, p, PROVE_REMAINDER, true);
}

/* As many processes as are inside the lock have a number below that, each for itself: one of them
 * has 0. */
static void oblige_numbers(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t zero = prove_number(pool, 0), many = zero, inside = prove_bool(pool, false);
    prove_t i = prove_variable(pool, system->i), j = prove_variable(pool, system->j);
    prove_t mine = system->reading->number;
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (!is_inside(system, p))
            continue;
        prove_t at = prove_apply(pool, system->place_of, i);
        many = prove_add(pool, many, prove_variable(pool, system->at[p]));
        inside = prove_or(pool, inside, prove_eq(pool, at, prove_number(pool, p)));
    }
    prove_oblige_goal(list, system, PROVE_OF_I, inside,
                      prove_and(pool, prove_le(pool, zero, mine), prove_lt(pool, mine, many)),
                      "a process inside has a number below that of all inside");
    prove_oblige_goal(
        list, system, PROVE_OF_I | PROVE_OF_J,
        prove_and(pool, inside, prove_of_process(system, inside, system->i, j)),
        prove_not(pool, prove_eq(pool, mine, prove_of_process(system, mine, system->i, j))),
        "and no two have the same");
    prove_oblige_goal(list, system, PROVE_OF_I, prove_and(pool, inside, prove_eq(pool, mine, zero)),
                      prove_or(pool, prove_can_move(system), somebody_is_free(system)),
                      "the first of them, or somebody else, can change something");
    prove_t resting = prove_in_region(system, PROVE_REMAINDER);
    prove_oblige_goal(list, system, 0,
                      prove_and(pool, prove_lt(pool, resting, prove_variable(pool, system->n)),
                                prove_le(pool, many, zero)),
                      somebody_is_free(system), "where nobody is inside, somebody else can");
}

/* Whether the process is where one of these holds; and how many are. */
static prove_t is_in_any(struct prove_system *system, unsigned who, enum prove_region a,
                         enum prove_region b)
{
    struct prove_pool *pool = system->pool;
    prove_t at = prove_apply(pool, system->place_of, prove_variable(pool, who));
    prove_t any = prove_bool(pool, false);
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (prove_is_in(system, p, a, false) || prove_is_in(system, p, b, false))
            any = prove_or(pool, any, prove_eq(pool, at, prove_number(pool, p)));
    }
    return any;
}

void prove_oblige_names_allocation(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t zero = prove_number(pool, 0), many = zero, inside = prove_bool(pool, false);
    prove_t at = prove_apply(pool, system->place_of, prove_variable(pool, system->i));
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (!is_inside(system, p))
            continue;
        many = prove_add(pool, many, prove_variable(pool, system->at[p]));
        inside = prove_or(pool, inside, prove_eq(pool, at, prove_number(pool, p)));
    }
    prove_t is_free =
        prove_lt(pool, prove_in_region(system, PROVE_CRITICAL), prove_variable(pool, system->l));
    prove_t waiting = prove_lt(pool, zero, prove_in_region(system, PROVE_TRYING));
    prove_t lingers = prove_or(pool, prove_and(pool, is_free, waiting),
                               prove_lt(pool, zero, prove_in_region(system, PROVE_EXIT)));
    prove_t first = prove_eq(pool, system->reading->number, zero);
    prove_oblige_goal(list, system, 0, lingers, prove_lt(pool, zero, many),
                      "where a slot is free and somebody waits, somebody is first");
    prove_oblige_goal(list, system, PROVE_OF_I,
                      prove_and(pool, lingers, prove_and(pool, inside, first)),
                      prove_and(pool, prove_can_move(system),
                                is_in_any(system, system->i, PROVE_TRYING, PROVE_EXIT)),
                      "and the first can change something");
}

void prove_oblige_names_deadlock_free(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    for (unsigned s = 0; s < system->steps; s++) {
        if (is_fault(system, &system->step[s]))
            continue;
        oblige_each(list, system, &system->step[s]);
    }
    if (system->reading->number != NULL) {
        oblige_numbers(list, system);
        return;
    }
    prove_oblige_goal(list, system, PROVE_OF_I,
                      prove_is_outside(system, prove_variable(pool, system->i)),
                      prove_or(pool, prove_can_move(system), is_blocked(system)),
                      "a process can change something, or is kept waiting by one that has less");
}

/* ---- the doorway ---- */

/* Whether the step can be made in the doorway, by its place or by where that was called from. */
static bool begins_in_doorway(const struct prove_system *system, const struct prove_step *step)
{
    const struct prove_reading *reading = system->reading;
    bool any = reading->place[step->rule->from].doorway;
    for (unsigned c = 1; c < reading->contexts; c++)
        any |= step->rule->in[c] && reading->context[c].doorway;
    return any;
}

/* Nothing keeps a process in its doorway: each of its steps there changes something. */
static void oblige_doorway(struct prove_obligations *list, struct prove_system *system,
                           const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    if (!begins_in_doorway(system, step))
        return;
    prove_t here = prove_is_in_doorway(system, prove_variable(pool, system->me));
    prove_oblige_after(list, system, PROVE_RANKED, step, step, 0, here, step_changes(system, step),
                       "a step in the doorway changes something");
}

/* No step of another makes the number of a process in its doorway higher: not only those that
 * change no region. */
static void oblige_untouched(struct prove_obligations *list, struct prove_system *system,
                             const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    prove_t before = system->reading->each, after = prove_after(system, step, before);
    if (after == before || prove_is_own(system, before))
        return;
    prove_oblige_ranked(list, system, PROVE_RANKED, step, step, PROVE_OF_I,
                        prove_is_in_doorway(system, prove_variable(pool, system->i)),
                        prove_le(pool, after, before), prove_le(pool, after, before),
                        "no step of another raises the number of a process in its doorway");
}

void prove_oblige_names_doorway(struct prove_obligations *list, struct prove_system *system)
{
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        if (is_fault(system, step) || step->rule->broken)
            continue;
        oblige_doorway(list, system, step);
        oblige_untouched(list, system, step);
    }
}
