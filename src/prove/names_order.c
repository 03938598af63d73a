/*
 * What has to be shown for the order in which processes are served, where they are told apart
 * (names.c): first come, first served, and first come, first enabled. The arguments are in
 * docs/PROOFS.md.
 */
#include "prove/names_scope.h"

/* I waits past its doorway: in T or in E; where it may be enabled while it waits, in T. */
static prove_t waits(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t i = prove_variable(pool, system->i), at = prove_apply(pool, system->place_of, i);
    prove_t any = prove_is_waiting(system, i);
    for (unsigned p = 0; system->reading->enabled == NULL && p < system->reading->places; p++) {
        if (prove_is_in(system, p, PROVE_EXIT, false))
            any = prove_or(pool, any, prove_eq(pool, at, prove_number(pool, p)));
    }
    return any;
}

static prove_t is_behind(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    return prove_eq(pool, prove_variable(pool, system->behind), prove_number(pool, 1));
}

/* What is said of I and J; and that J is not behind unless I waits. */
static prove_t order_of(struct prove_system *system)
{
    prove_t all = prove_implies(system->pool, is_behind(system), waits(system));
    for (unsigned c = 0; c < system->conjuncts; c++) {
        if (system->conjunct[c].waiting)
            all = prove_and(system->pool, all, system->conjunct[c].condition);
    }
    return all;
}

/* Which of the two makes the step. */
enum mover { NEITHER, MOVES_I, MOVES_J, MOVERS };

/* A condition of I and J, of which one may be the process that moves. */
static prove_t of_mover(struct prove_system *system, enum mover mover, prove_t condition)
{
    return mover == NEITHER
               ? condition
               : prove_of_process(system, condition, mover == MOVES_I ? system->i : system->j,
                                  prove_variable(system->pool, system->me));
}

/* Those of I and J that do not move. */
static unsigned who_stays(unsigned of, enum mover mover)
{
    return of & ~(unsigned)(mover == MOVES_I ? PROVE_OF_I : mover == MOVES_J ? PROVE_OF_J : 0);
}

/* ---- the order ---- */

static void oblige_order(struct prove_obligations *list, struct prove_system *system,
                         const struct prove_step *step, const struct prove_step *seen,
                         enum mover mover)
{
    struct prove_pool *pool = system->pool;
    prove_t order = of_mover(system, mover, order_of(system));
    prove_t rests = prove_not(pool, prove_is_outside(system, prove_variable(pool, system->j)));
    struct prove_step marked = *seen; /* with the new value of BEHIND */
    prove_t still =
        prove_and(pool, prove_after(system, seen, of_mover(system, mover, waits(system))),
                  prove_or(pool, is_behind(system),
                           prove_after(system, seen, of_mover(system, mover, rests))));
    if (mover != NEITHER)
        still = prove_at_place(system, still, step->rule->to);
    prove_set(system, &marked, system->behind,
              prove_ite(pool, still, prove_number(pool, 1), prove_number(pool, 0)));
    prove_t goal = prove_after(system, &marked, order);
    if (mover != NEITHER)
        goal = prove_at_place(system, goal, step->rule->to);
    prove_oblige_after(list, system, PROVE_KEPT, step, &marked,
                       who_stays(PROVE_OF_I | PROVE_OF_J, mover), order, goal, "the order is kept");
}

static prove_t is_critical(struct prove_system *system, prove_t who)
{
    struct prove_pool *pool = system->pool;
    prove_t any = prove_bool(pool, false), at = prove_apply(pool, system->place_of, who);
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (prove_is_in(system, p, PROVE_CRITICAL, false))
            any = prove_or(pool, any, prove_eq(pool, at, prove_number(pool, p)));
    }
    return any;
}

/* I waits, is not enabled (if the property is about that), and J is behind. */
static prove_t is_overtaken(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t behind = prove_and(pool, is_behind(system), order_of(system));
    return system->reading->enabled == NULL
               ? behind
               : prove_and(pool, behind, prove_not(pool, system->reading->enabled));
}

/* J does not become critical either by the step that ends the wait. */
static void oblige_entry(struct prove_obligations *list, struct prove_system *system,
                         const struct prove_step *step)
{
    if (!prove_is_in(system, step->rule->to, PROVE_CRITICAL, false) ||
        prove_is_in(system, step->rule->from, PROVE_CRITICAL, false))
        return;
    prove_oblige_after(list, system, PROVE_GOAL, step, step, PROVE_OF_I,
                       of_mover(system, MOVES_J, is_overtaken(system)),
                       prove_bool(system->pool, false), "a process that is behind does not enter");
}

void prove_oblige_names_order(struct prove_obligations *list, struct prove_system *system)
{
    enum { OF = PROVE_OF_I | PROVE_OF_J };
    struct prove_pool *pool = system->pool;
    prove_t i = prove_variable(pool, system->i), j = prove_variable(pool, system->j);
    prove_t nobody =
        prove_not(pool, prove_or(pool, prove_is_outside(system, i), prove_is_outside(system, j)));
    prove_oblige_goal(list, system, OF, prove_and(pool, prove_not(pool, is_behind(system)), nobody),
                      order_of(system), "the order holds at first");
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        struct prove_step seen;
        if (step->rule->broken)
            continue;
        if (prove_seen_by_others(system, step, &seen))
            oblige_order(list, system, step, &seen, NEITHER);
        oblige_order(list, system, step, step, MOVES_I);
        oblige_order(list, system, step, step, MOVES_J);
        oblige_entry(list, system, step);
    }
    prove_oblige_goal(list, system, OF, is_overtaken(system),
                      prove_not(pool, is_critical(system, j)),
                      "a process that is behind is not critical");
}

/* ---- enabled ---- */

/* The tuple is lower, and what is enabled is enabled after the step. */
static prove_t goes_on(struct prove_system *system, const struct prove_step *step,
                       const struct prove_step *seen, enum mover mover)
{
    struct prove_pool *pool = system->pool;
    prove_t before[PROVE_MAX_RANK], after[PROVE_MAX_RANK];
    prove_t goal = prove_after(
        system, seen,
        of_mover(system, mover, prove_and(pool, waits(system), system->reading->enabled)));
    for (unsigned r = 0; r < system->reading->owns; r++) {
        before[r] = of_mover(system, mover, system->reading->own[r]);
        after[r] = prove_after(system, seen, before[r]);
        if (mover != NEITHER) {
            before[r] = prove_at_place(system, before[r], step->rule->from);
            after[r] = prove_at_place(system, after[r], step->rule->to);
        }
    }
    if (mover != NEITHER)
        goal = prove_at_place(system, goal, step->rule->to);
    return prove_and(pool, goal,
                     prove_is_lower(pool, system->reading->owns, before, after, mover == NEITHER));
}

void prove_oblige_names_enabled(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t when = prove_and(pool, waits(system), system->reading->enabled);
    prove_t mine = of_mover(system, MOVES_I, when);
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        struct prove_step seen;
        if (step->rule->broken)
            continue;
        if (prove_seen_by_others(system, step, &seen))
            prove_oblige_after(list, system, PROVE_KEPT, step, &seen, PROVE_OF_I, when,
                               goes_on(system, step, &seen, NEITHER),
                               "no step of another keeps out what is enabled");
        if (step->rule == &system->reading->killed || step->rule->choice == 1 ||
            prove_is_in(system, step->rule->to, PROVE_CRITICAL, false))
            continue; /* its own death, or choice; or it has entered */
        prove_t here = prove_at_place(system, mine, step->rule->from);
        if (here->op != PROVE_FALSE)
            prove_oblige_after(list, system, PROVE_RANKED, step, step, 0, here,
                               goes_on(system, step, step, MOVES_I),
                               "a process that is enabled comes nearer by its own step");
    }
}
