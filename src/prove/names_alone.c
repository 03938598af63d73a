/*
 * What has to be shown so that no slot is lost, where processes are told apart (names.c): the
 * places that one process reaches if only it makes steps. The argument is in docs/PROOFS.md.
 */
#include "prove/names_scope.h"

static prove_t is_enabled(struct prove_system *system)
{
    prove_t i = prove_variable(system->pool, system->i);
    return prove_and(system->pool, prove_is_waiting(system, i), system->reading->enabled);
}

static bool is_region(struct prove_system *system, unsigned place, enum prove_region region)
{
    return prove_is_in(system, place, region, false);
}

static prove_t lowers(struct prove_system *system, const struct prove_step *step, unsigned count,
                      const prove_t *rank)
{
    prove_t before[PROVE_MAX_RANK], later[PROVE_MAX_RANK];
    for (unsigned r = 0; r < count; r++) {
        before[r] = prove_me_before(system, step, rank[r]);
        later[r] = prove_me_after(system, step, rank[r]);
    }
    return prove_is_lower(system->pool, count, before, later, false);
}

/* Whether the step is one of those that I makes, which answers so where it has a choice. */
static bool is_made(struct prove_system *system, const struct prove_step *step, int choice)
{
    return step->rule != &system->reading->killed && !step->rule->broken &&
           (step->rule->choice < 0 || step->rule->choice == choice) &&
           !is_region(system, step->rule->from, PROVE_CRITICAL) &&
           !is_region(system, step->rule->from, PROVE_DEAD);
}

static void oblige_leaving(struct prove_obligations *list, struct prove_system *system,
                           const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    const struct prove_reading *reading = system->reading;
    if (!is_made(system, step, 1) || is_region(system, step->rule->from, PROVE_REMAINDER) ||
        is_region(system, step->rule->to, PROVE_REMAINDER) ||
        is_region(system, step->rule->to, PROVE_CRITICAL))
        return;
    prove_t goal = prove_or(pool, prove_me_after(system, step, is_enabled(system)),
                            lowers(system, step, reading->leaves, reading->leave));
    prove_oblige_after(list, system, PROVE_RANKED, step, step, 0,
                       prove_not(pool, prove_of_me(system, is_enabled(system))), goal,
                       "a process that goes on alone comes out");
}

/* ---- from the remainder in ---- */

static prove_t known(struct prove_system *system)
{
    prove_t all = prove_is_in_region(system, PROVE_TRYING, prove_variable(system->pool, system->i));
    for (unsigned s = 0; s < system->reading->saids; s++) {
        if (system->reading->said[s].kind == PROVE_KNOWN_ALONE)
            all = prove_and(system->pool, all, system->reading->said[s].condition);
    }
    return all;
}

static void oblige_entering(struct prove_obligations *list, struct prove_system *system,
                            const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    const struct prove_reading *reading = system->reading;
    const bool begins = is_region(system, step->rule->from, PROVE_REMAINDER);
    if (!is_made(system, step, 0) || is_region(system, step->rule->from, PROVE_EXIT) ||
        is_region(system, step->rule->to, PROVE_CRITICAL))
        return;
    prove_t when = begins ? prove_bool(pool, true)
                          : prove_and(pool, prove_of_me(system, known(system)),
                                      prove_not(pool, prove_of_me(system, is_enabled(system))));
    prove_t nearer = prove_me_after(system, step, known(system));
    if (!begins)
        nearer = prove_and(pool, nearer, lowers(system, step, reading->enters, reading->enter));
    prove_oblige_after(list, system, PROVE_RANKED, step, step, 0, when,
                       prove_or(pool, prove_me_after(system, step, is_enabled(system)), nearer),
                       "a process that goes on alone comes in");
}

/* The same system, where all but the one that moves are in their remainder, critical or dead, and
 * none that is critical holds the vacant slot. */
static struct prove_system *with_vacant_slot(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    struct prove_system *made = prove_alloc(pool, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = *system;
    prove_t i = prove_variable(pool, system->i), vacant = prove_variable(pool, system->vacant);
    prove_t critical = prove_is_in_region(system, PROVE_CRITICAL, i);
    prove_t rests = prove_or(pool, prove_is_in_region(system, PROVE_REMAINDER, i),
                             prove_or(pool, critical, prove_is_in_region(system, PROVE_DEAD, i)));
    made->sizes = prove_and(pool, made->sizes,
                            prove_and(pool, prove_le(pool, prove_number(pool, 0), vacant),
                                      prove_lt(pool, vacant, prove_variable(pool, system->l))));
    const prove_t more[] = {
        prove_or(pool, prove_eq(pool, i, prove_variable(pool, system->me)), rests),
        prove_implies(pool, critical,
                      prove_not(pool, prove_eq(pool, system->reading->seat, vacant)))};
    for (unsigned m = 0; m < sizeof more / sizeof more[0]; m++)
        made->conjunct[made->conjuncts++] = (struct prove_conjunct){
            .name = "all others rest", .condition = more[m], .assumed = true, .of = PROVE_OF_I};
    return made;
}

void prove_oblige_names_alone(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_system *vacant = with_vacant_slot(system);
    if (system->reading->slots != NULL)
        prove_oblige_goal(
            list, system, 0, prove_bool(system->pool, true),
            prove_eq(system->pool, system->reading->slots, prove_variable(system->pool, system->l)),
            "there are l slots");
    for (unsigned s = 0; s < system->steps && vacant != NULL; s++) {
        oblige_leaving(list, system, &system->step[s]);
        oblige_entering(list, vacant, &vacant->step[s]);
    }
}
