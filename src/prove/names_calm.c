/*
 * What has to be shown so that there is no deadlock, where processes are told apart (names.c) and
 * what keeps one from entering is not one other process. The argument is in docs/PROOFS.md: in a
 * schedule without a change of region there comes a time from which on every step is calm.
 */
#include "prove/names_scope.h"

/* Whether the step is made by the process that the rank is about, or by another one. */
enum mover { SELF, OTHER };

static prove_t is_in(struct prove_system *system, enum prove_region region)
{
    return prove_is_in_region(system, region, prove_variable(system->pool, system->i));
}

/* The process that moves is in this region before the step: its place says so, or from where it was
 * called. */
static prove_t starts_in(struct prove_system *system, const struct prove_step *step,
                         enum prove_region region)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t any = prove_bool(pool, false), me = prove_variable(pool, system->me);
    bool all = true;
    if (reading->place[step->rule->from].region != PROVE_CALLED)
        return prove_bool(pool, reading->place[step->rule->from].region == region);
    for (unsigned c = 0; c < reading->contexts; c++) {
        if (!step->rule->in[c])
            continue;
        all &= reading->context[c].region == region;
        if (reading->context[c].region == region)
            any = prove_or(
                pool, any,
                prove_eq(pool, prove_apply(pool, system->context_of, me), prove_number(pool, c)));
    }
    return all ? prove_bool(pool, true) : any;
}

/* It is in this region before the step and after it. */
static prove_t stays_in(struct prove_system *system, const struct prove_step *step,
                        enum prove_region region)
{
    const struct prove_reading *reading = system->reading;
    const struct prove_rule *rule = step->rule;
    const enum prove_region to = reading->place[rule->to].region != PROVE_CALLED
                                     ? reading->place[rule->to].region
                                 : rule->to_context >= 0 ? reading->context[rule->to_context].region
                                                         : region; /* as it was */
    return to == region ? starts_in(system, step, region) : prove_bool(system->pool, false);
}

static prove_t keeps_region(struct prove_system *system, const struct prove_step *step)
{
    return prove_or(system->pool, stays_in(system, step, PROVE_REMAINDER),
                    prove_or(system->pool, stays_in(system, step, PROVE_TRYING),
                             stays_in(system, step, PROVE_EXIT)));
}

/* Faults are no steps, and a step from the critical region or from death changes it. */
static bool may_keep_region(struct prove_system *system, const struct prove_step *step)
{
    return step->rule != &system->reading->killed && !step->rule->broken &&
           keeps_region(system, step)->op != PROVE_FALSE;
}

/* ---- what falls, and so changes finitely often ---- */

static unsigned falling(struct prove_system *system, const struct prove_step *step, prove_t *before,
                        prove_t *after)
{
    const struct prove_reading *reading = system->reading;
    unsigned count = 0;
    for (unsigned r = 0; r < reading->fall_each; r++, count++) {
        before[count] = prove_me_before(system, step, reading->falls_each[r]);
        after[count] = prove_me_after(system, step, reading->falls_each[r]);
    }
    for (unsigned r = 0; r < reading->fall_all; r++, count++) {
        before[count] = reading->falls_all[r];
        after[count] = prove_after(system, step, before[count]);
    }
    return count;
}

/* It changes neither the region nor anything that falls. */
static prove_t is_calm(struct prove_system *system, const struct prove_step *step)
{
    prove_t before[2 * PROVE_MAX_RANK], after[2 * PROVE_MAX_RANK];
    const unsigned count = falling(system, step, before, after);
    prove_t calm = keeps_region(system, step);
    for (unsigned r = 0; r < count; r++)
        calm = prove_and(system->pool, calm, prove_eq(system->pool, before[r], after[r]));
    return calm;
}

static void oblige_falling(struct prove_obligations *list, struct prove_system *system,
                           const struct prove_step *step)
{
    prove_t before[2 * PROVE_MAX_RANK], after[2 * PROVE_MAX_RANK];
    const unsigned count = falling(system, step, before, after);
    prove_t goal = prove_is_lower(system->pool, count, before, after, true);
    if (!prove_is_true(goal))
        prove_oblige_after(list, system, PROVE_RANKED, step, step, 0, keeps_region(system, step),
                           goal, "a step that changes no region raises nothing that falls");
}

/* ---- ranks in calm ---- */

/* A term of I before the step, which is its own or another's, and after it. */
static prove_t was(struct prove_system *system, const struct prove_step *step, enum mover mover,
                   prove_t term)
{
    return mover == SELF ? prove_me_before(system, step, term) : term;
}

static prove_t becomes(struct prove_system *system, const struct prove_step *step, enum mover mover,
                       prove_t term)
{
    return mover == SELF ? prove_me_after(system, step, term) : prove_after(system, step, term);
}

/* The tuple of I is lower after the step, which is its own; or, of another, not higher. */
static prove_t lowers(struct prove_system *system, const struct prove_step *step, enum mover mover,
                      unsigned count, const prove_t *rank)
{
    prove_t before[PROVE_MAX_RANK], after[PROVE_MAX_RANK];
    for (unsigned r = 0; r < count; r++) {
        before[r] = was(system, step, mover, rank[r]);
        after[r] = becomes(system, step, mover, rank[r]);
    }
    return prove_is_lower(system->pool, count, before, after, mover == OTHER);
}

/* Others see nothing of the step. */
static bool is_private(struct prove_system *system, const struct prove_step *step)
{
    struct prove_step seen;
    prove_seen_by_others(system, step, &seen);
    return seen.sets == 0 && seen.stores == 0;
}

/* By a calm step, where I is in the region and `when` holds of it, `goal` holds, in which it has
 * this rank. */
static void oblige_calm(struct prove_obligations *list, struct prove_system *system,
                        const struct prove_step *step, enum mover mover, enum prove_region region,
                        prove_t when, prove_t goal, unsigned count, const prove_t *rank,
                        const char *text)
{
    struct prove_pool *pool = system->pool;
    prove_t here = mover == SELF ? stays_in(system, step, region) : is_in(system, region);
    prove_t if_so = prove_and(pool, prove_and(pool, here, was(system, step, mover, when)),
                              is_calm(system, step));
    if (if_so->op == PROVE_FALSE || (mover == OTHER && is_private(system, step)))
        return;
    prove_t spoken = if_so; /* also for what occurs in the rank */
    for (unsigned r = 0; r < count; r++)
        spoken = prove_and(
            pool, spoken, prove_le(pool, prove_number(pool, 0), was(system, step, mover, rank[r])));
    prove_oblige_ranked(list, system, PROVE_RANKED, step, step, mover == SELF ? 0 : PROVE_OF_I,
                        if_so, goal, spoken, text);
}

static void oblige_leaving(struct prove_obligations *list, struct prove_system *system,
                           const struct prove_step *step, enum mover mover)
{
    const struct prove_reading *reading = system->reading;
    oblige_calm(list, system, step, mover, PROVE_EXIT, prove_bool(system->pool, true),
                lowers(system, step, mover, reading->leaves, reading->leave), reading->leaves,
                reading->leave,
                mover == SELF ? "a process that leaves comes out"
                              : "and no other one keeps it from that");
}

static void oblige_let_in(struct prove_obligations *list, struct prove_system *system,
                          const struct prove_step *step, enum mover mover)
{
    const struct prove_reading *reading = system->reading;
    oblige_calm(list, system, step, mover, PROVE_TRYING, reading->let_in,
                prove_and(system->pool, becomes(system, step, mover, reading->let_in),
                          lowers(system, step, mover, reading->lets, reading->let)),
                reading->lets, reading->let,
                mover == SELF ? "a process that is let in comes through"
                              : "and no other one keeps it out");
}

static void oblige_trying(struct prove_obligations *list, struct prove_system *system,
                          const struct prove_step *step, enum mover mover)
{
    struct prove_pool *pool = system->pool;
    const struct prove_reading *reading = system->reading;
    oblige_calm(list, system, step, mover, PROVE_TRYING, prove_bool(pool, true),
                prove_or(pool, becomes(system, step, mover, reading->let_in),
                         lowers(system, step, mover, reading->tryings, reading->trying)),
                reading->tryings, reading->trying,
                mover == SELF ? "a process that tries comes nearer"
                              : "and no other one sets it back");
}

/* The same system, where everybody tries, rests or is dead, and nobody is let in. */
static struct prove_system *at_standstill(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    struct prove_system *made = prove_alloc(pool, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = *system;
    prove_t rests = prove_or(pool, is_in(system, PROVE_REMAINDER), is_in(system, PROVE_DEAD));
    const prove_t more[] = {
        prove_or(pool, rests, is_in(system, PROVE_TRYING)),
        prove_implies(pool, is_in(system, PROVE_TRYING), prove_not(pool, system->reading->let_in))};
    for (unsigned m = 0; m < sizeof more / sizeof more[0]; m++)
        made->conjunct[made->conjuncts++] = (struct prove_conjunct){.name = "nobody is let in",
                                                                    .condition = more[m],
                                                                    .assumed = true,
                                                                    .of = PROVE_OF_I,
                                                                    .said = true};
    return made;
}

/* Each step from the critical region leads out of it, as the argument wants. */
static bool nobody_stays_critical(struct prove_system *system)
{
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        if (step->rule != &system->reading->killed &&
            stays_in(system, step, PROVE_CRITICAL)->op != PROVE_FALSE)
            return false;
    }
    return true;
}

void prove_oblige_names_calm(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_system *still = at_standstill(system);
    if (still == NULL || !nobody_stays_critical(system))
        return;
    for (unsigned s = 0; s < system->steps; s++) {
        if (!may_keep_region(system, &system->step[s]))
            continue;
        oblige_falling(list, system, &system->step[s]);
        for (enum mover mover = SELF; mover <= OTHER; mover++) {
            oblige_leaving(list, system, &system->step[s], mover);
            oblige_let_in(list, system, &system->step[s], mover);
            oblige_trying(list, still, &still->step[s], mover);
        }
    }
}
