/*
 * That each step keeps the invariant, where processes are told apart (names.c). What is said of I
 * and J is kept if it is kept for the process that moves, and for processes that do not. To those,
 * a step is what it does to shared variables: where two steps do the same, for the same reasons,
 * one of them is asked about.
 */
#include "prove/names_scope.h"

/* ---- a step as others see it ---- */

/* Without what it changes of the process that moves, and without where that was called from. */
static struct prove_step seen_by_others(struct prove_system *system, const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    prove_t me = prove_variable(pool, system->me);
    struct prove_step seen = *step;
    seen.stores = 0;
    for (unsigned s = 0; s < step->stores; s++) {
        if (!prove_is_of_processes(system, step->store[s].function) || step->store[s].index != me)
            seen.store[seen.stores++] = step->store[s];
    }
    if (step->anywhere != NULL)
        seen.guard = step->anywhere;
    return seen;
}

static bool looks_like(const struct prove_step *a, const struct prove_step *b)
{
    bool same = a->guard == b->guard && a->sets == b->sets && a->stores == b->stores;
    for (unsigned s = 0; same && s < a->sets; s++)
        same = a->set[s].symbol == b->set[s].symbol && a->set[s].value == b->set[s].value;
    for (unsigned s = 0; same && s < a->stores; s++)
        same = a->store[s].function == b->store[s].function &&
               a->store[s].index == b->store[s].index && a->store[s].value == b->store[s].value &&
               a->store[s].taken_of == b->store[s].taken_of;
    return same;
}

/* Whether an earlier step looks the same to others. */
static bool is_seen_before(struct prove_system *system, const struct prove_step *step,
                           const struct prove_step *seen)
{
    for (const struct prove_step *earlier = system->step; earlier < step; earlier++) {
        if (earlier->rule->from != step->rule->from || earlier->rule->broken)
            continue;
        const struct prove_step other = seen_by_others(system, earlier);
        if (looks_like(&other, seen))
            return true;
    }
    return false;
}

bool prove_seen_by_others(struct prove_system *system, const struct prove_step *step,
                          struct prove_step *seen)
{
    *seen = seen_by_others(system, step);
    return !is_seen_before(system, step, seen);
}

/* ---- a condition of processes that do not move ---- */

struct speech {
    struct prove_system *system;
    bool of_others; /* of processes that are neither I nor J */
};

static prove_t hear(void *context, prove_t part)
{
    struct speech *speech = context;
    struct prove_system *system = speech->system;
    if (part->op == PROVE_APPLY && prove_is_of_processes(system, part->arg[0]->number) &&
        part->arg[1] != prove_variable(system->pool, system->i) &&
        part->arg[1] != prove_variable(system->pool, system->j))
        speech->of_others = true;
    return part;
}

bool prove_speaks_of_others(struct prove_system *system, prove_t condition)
{
    struct speech speech = {.system = system};
    prove_rewrite(system->pool, condition, hear, &speech);
    return speech.of_others;
}

/* ---- obligations ---- */

/* That `goal` holds after the step, if `condition`, which it is made of, did before. */
static struct prove_obligation *oblige(struct prove_obligations *list, struct prove_system *system,
                                       const struct prove_step *step, const struct prove_step *seen,
                                       const struct prove_conjunct *conjunct, unsigned of,
                                       prove_t condition, prove_t goal)
{
    struct prove_scope scope = prove_scope_make(system, of, step);
    struct prove_obligation *made = prove_oblige(list, system, PROVE_KEPT, step);
    made->conjunct = conjunct->name;
    made->of = of;
    made->assume = prove_scope_assumed(&scope, of, seen, condition);
    made->goal = goal;
    prove_scope_finish(&scope, made);
    prove_oblige_says(made, conjunct->name, "is kept");
    return made;
}

/* For the process that moves, as I or as J (`who`). */
static void oblige_for_mover(struct prove_obligations *list, struct prove_system *system,
                             const struct prove_step *step, const struct prove_conjunct *conjunct,
                             unsigned who, unsigned bit)
{
    struct prove_pool *pool = system->pool;
    prove_t me = prove_variable(pool, system->me);
    const unsigned of = conjunct->of & ~bit;
    prove_t condition = prove_of_process(system, conjunct->condition, who, me);
    prove_t goal = prove_at_place(system, prove_after(system, step, condition), step->rule->to);
    if (goal == condition || prove_is_true(goal))
        return;
    struct prove_obligation *made = oblige(list, system, step, step, conjunct, of, condition, goal);
    for (unsigned other = 0; other < 2; other++) { /* the other one does not move */
        if (of & (other == 0 ? PROVE_OF_I : PROVE_OF_J))
            made->assume = prove_and(
                pool, made->assume,
                prove_not(
                    pool,
                    prove_eq(pool, me, prove_variable(pool, other == 0 ? system->i : system->j))));
    }
}

/* For processes that do not move. */
static void oblige_for_others(struct prove_obligations *list, struct prove_system *system,
                              const struct prove_step *step, const struct prove_step *seen,
                              const struct prove_conjunct *conjunct)
{
    struct prove_pool *pool = system->pool;
    prove_t me = prove_variable(pool, system->me);
    prove_t goal = prove_after(system, seen, conjunct->condition);
    if (goal == conjunct->condition)
        return;
    struct prove_obligation *made =
        oblige(list, system, step, seen, conjunct, conjunct->of, conjunct->condition, goal);
    const unsigned who[] = {system->i, system->j}, bit[] = {PROVE_OF_I, PROVE_OF_J};
    for (unsigned w = 0; w < 2; w++) {
        if (conjunct->of & bit[w])
            made->assume =
                prove_and(pool, made->assume,
                          prove_not(pool, prove_eq(pool, me, prove_variable(pool, who[w]))));
    }
}

static void oblige_whole(struct prove_obligations *list, struct prove_system *system,
                         const struct prove_step *step, const struct prove_conjunct *conjunct)
{
    prove_t goal = prove_after(system, step, conjunct->condition);
    if (goal != conjunct->condition)
        oblige(list, system, step, step, conjunct, conjunct->of, conjunct->condition, goal);
}

static void oblige_wellformed(struct prove_obligations *list, struct prove_system *system,
                              const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    prove_t wellformed = prove_wellformed_step(system, step);
    if (prove_is_true(wellformed))
        return;
    /* The tests are what has to be shown: they are not assumed. */
    struct prove_step begins = *step;
    begins.guard =
        prove_eq(pool, prove_apply(pool, system->place_of, prove_variable(pool, system->me)),
                 prove_number(pool, step->rule->from));
    struct prove_scope scope = prove_scope_make(system, 0, step);
    struct prove_obligation *made = prove_oblige(list, system, PROVE_WELLFORMED, step);
    made->assume = prove_scope_assumed(&scope, 0, &begins, wellformed);
    made->when = begins.guard;
    made->goal = wellformed;
    prove_scope_finish(&scope, made);
    prove_oblige_says(made, NULL, "numbers that are compared are not negative, and indices exist");
}

void prove_oblige_names_kept(struct prove_obligations *list, struct prove_system *system,
                             const struct prove_step *step)
{
    struct prove_step seen;
    const bool is_new = prove_seen_by_others(system, step, &seen);
    for (unsigned c = 0; c < system->conjuncts && !step->rule->broken; c++) {
        const struct prove_conjunct *conjunct = &system->conjunct[c];
        if (conjunct->waiting || conjunct->assumed || conjunct->counted != NULL)
            continue;
        if (system->reading->contexts == 0 || prove_speaks_of_others(system, conjunct->condition)) {
            oblige_whole(list, system, step, conjunct);
            continue;
        }
        if (conjunct->of & PROVE_OF_I)
            oblige_for_mover(list, system, step, conjunct, system->i, PROVE_OF_I);
        if (conjunct->of & PROVE_OF_J)
            oblige_for_mover(list, system, step, conjunct, system->j, PROVE_OF_J);
        if (is_new)
            oblige_for_others(list, system, step, &seen, conjunct);
    }
    oblige_wellformed(list, system, step);
}
