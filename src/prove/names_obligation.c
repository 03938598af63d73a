/* What has to be shown for safety where processes are told apart (names.c). */
#include "prove/names_scope.h"

/* ---- the invariant ---- */

struct first {
    struct prove_system *system;
};

/* Where a value is in a prefix of this length in which all are 0; where they are not, nothing is
 * known. */
static prove_t first_position(struct prove_system *system, prove_t position)
{
    struct prove_pool *pool = system->pool;
    prove_t length = position->arg[1], value = position->arg[2];
    for (unsigned a = 0; a < system->reading->arrays; a++) {
        const struct prove_array *array = &system->reading->array[a];
        if (array->symbol == position->arg[0]->number && array->first != NULL)
            return prove_variable(pool, prove_symbol(pool, "a position at first"));
    }
    prove_t zero = prove_number(pool, 0);
    prove_t nowhere =
        prove_and(pool, prove_lt(pool, zero, length), prove_not(pool, prove_eq(pool, value, zero)));
    return prove_ite(pool, nowhere, length, zero);
}

/* An element of an array is what was stored there; anything else of a process is 0. */
static prove_t element_at_first(struct prove_system *system, prove_t element)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    for (unsigned a = 0; by != NULL && a < reading->arrays; a++) {
        if (reading->array[a].symbol != element->arg[0]->number || reading->array[a].first == NULL)
            continue;
        by[prove_symbol(pool, "$e")] = element->arg[1];
        return prove_substitute(pool, reading->array[a].first, by);
    }
    return prove_number(pool, 0);
}

/* At first everything is 0 except what is said to be something else. */
static prove_t at_first(void *context, prove_t part)
{
    struct prove_system *system = ((struct first *)context)->system;
    if (part->op == PROVE_APPLY)
        return element_at_first(system, part);
    if (part->op == PROVE_POSITION)
        return first_position(system, part);
    for (unsigned v = 0; part->op == PROVE_SYMBOL && v < system->variables; v++) {
        if (system->variable[v] == part->number && system->first[v] != NULL)
            return system->first[v];
    }
    return part;
}

static void oblige_first(struct prove_obligations *list, struct prove_system *system,
                         const struct prove_conjunct *conjunct)
{
    struct prove_pool *pool = system->pool;
    struct prove_obligation *made = prove_oblige(list, system, PROVE_AT_FIRST, NULL);
    made->conjunct = conjunct->name;
    made->of = conjunct->of;
    made->assume = system->sizes;
    if (conjunct->of & PROVE_OF_I)
        made->assume = prove_and(pool, made->assume,
                                 prove_is_process(system, prove_variable(pool, system->i)));
    if (conjunct->of & PROVE_OF_J)
        made->assume = prove_and(pool, made->assume,
                                 prove_is_process(system, prove_variable(pool, system->j)));
    made->goal = prove_rewrite(pool, conjunct->condition, at_first, &(struct first){system});
    prove_turns_finish(system, made);
    prove_oblige_says(made, conjunct->name, "holds at first");
}

/* There are values for the constants that satisfy their conditions; and with them, what is assumed
 * of every state holds in the initial one. Since the invariants hold there as well, all that is
 * assumed anywhere has a model, for all sizes. */
void prove_oblige_names_assumptions(struct prove_obligations *list, struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t all = prove_bool(pool, true), always = all;
    for (unsigned c = 0; c < reading->constants; c++)
        all = prove_and(pool, all, reading->constant[c].condition);
    for (unsigned c = 0; c < system->conjuncts; c++) {
        const struct prove_conjunct *conjunct = &system->conjunct[c];
        if (!conjunct->assumed || !conjunct->said)
            continue;
        prove_t first = prove_rewrite(pool, conjunct->condition, at_first, &(struct first){system});
        prove_t i = prove_variable(pool, system->i), j = prove_variable(pool, system->j);
        if (conjunct->of & PROVE_OF_I)
            first = prove_implies(pool, prove_is_process(system, i), first);
        if (conjunct->of & PROVE_OF_J)
            first = prove_implies(pool, prove_is_process(system, j), first);
        if ((conjunct->of & PROVE_OF_I) && (conjunct->of & PROVE_OF_J))
            first = prove_or(pool, prove_eq(pool, i, j), first);
        if (conjunct->of == 0)
            all = prove_and(pool, all, first);
        else
            always = prove_and(pool, always, first);
    }
    if (reading->constants == 0 && prove_is_true(all) && prove_is_true(always))
        return;
    struct prove_obligation *made = prove_oblige(list, system, PROVE_AT_FIRST, NULL);
    made->assume = prove_sizes(system);
    made->goal = all;
    made->for_all = prove_is_true(always) ? NULL : always;
    for (unsigned c = 0; c < reading->constants; c++)
        made->exists[made->exist++] = reading->constant[c].symbol;
    prove_oblige_says(made, NULL, "what is taken for granted can be so, for all sizes");
}

/* What is trusted (TRUST) is so. */
static void oblige_impossible(struct prove_obligations *list, struct prove_system *system,
                              const struct prove_step *step)
{
    prove_t never = prove_bool(system->pool, false);
    struct prove_scope scope = prove_scope_make(system, 0, step);
    struct prove_obligation *made = prove_oblige(list, system, PROVE_WELLFORMED, step);
    made->assume = prove_scope_assumed(&scope, 0, step, never);
    made->when = step->guard;
    made->goal = never;
    prove_scope_finish(&scope, made);
    prove_oblige_says(made, NULL, "what the protocol trusts is so");
}

/* Each number has a hole to itself, in every state in which all else holds. */
static void oblige_pigeonholes(struct prove_obligations *list, struct prove_system *system,
                               const struct prove_conjunct *conjunct)
{
    struct prove_pool *pool = system->pool;
    const struct prove_said *said = conjunct->counted;
    prove_t turn = prove_variable(pool, system->turn), other = prove_variable(pool, system->second);
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    if (by == NULL)
        return;
    prove_t when =
        prove_and(pool, prove_le(pool, said->low, turn), prove_lt(pool, turn, said->high));
    prove_t is_one = prove_and(pool, prove_le(pool, prove_number(pool, 0), said->hole),
                               prove_lt(pool, said->hole, said->limit));
    prove_oblige_goal_without(list, system, conjunct, PROVE_OF_TURN, when, is_one,
                              "each has a number below the limit");
    by[system->turn] = other;
    when = prove_and(pool, when, prove_substitute(pool, when, by));
    when = prove_and(pool, when, prove_lt(pool, turn, other));
    const unsigned second = system->reading->constants == 0 ? PROVE_OF_SECOND : 0;
    prove_oblige_goal_without(
        list, system, conjunct, PROVE_OF_TURN | second, when,
        prove_not(pool, prove_eq(pool, said->hole, prove_substitute(pool, said->hole, by))),
        "no two have the same");
}

void prove_oblige_names_invariant(struct prove_obligations *list, struct prove_system *system)
{
    for (unsigned c = 0; c < system->conjuncts; c++) {
        if (system->conjunct[c].counted != NULL)
            oblige_pigeonholes(list, system, &system->conjunct[c]);
        else if (!system->conjunct[c].waiting && !system->conjunct[c].assumed)
            oblige_first(list, system, &system->conjunct[c]);
    }
    for (unsigned s = 0; s < system->steps; s++)
        prove_oblige_names_kept(list, system, &system->step[s]);
}

void prove_oblige_names_trust(struct prove_obligations *list, struct prove_system *system)
{
    for (unsigned s = 0; s < system->steps; s++) {
        if (system->step[s].rule->broken)
            oblige_impossible(list, system, &system->step[s]);
    }
}

/* ---- exclusion ---- */

static prove_t is_critical(struct prove_system *system, unsigned who)
{
    struct prove_pool *pool = system->pool;
    prove_t any = prove_bool(pool, false);
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (prove_is_in(system, p, PROVE_CRITICAL, false))
            any = prove_or(pool, any,
                           prove_eq(pool,
                                    prove_apply(pool, system->place_of, prove_variable(pool, who)),
                                    prove_number(pool, p)));
    }
    return any;
}

/* If I and J were critical, there would be more than n processes. */
static void oblige_crowd(struct prove_obligations *list, struct prove_system *system, prove_t both)
{
    struct prove_pool *pool = system->pool;
    prove_t any = prove_variable(pool, system->any), second = prove_variable(pool, system->second);
    prove_t n = prove_variable(pool, system->n), least = prove_number(pool, 1);
    prove_t crowd = system->reading->crowd;
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    if (by == NULL)
        return;
    by[system->any] = second;
    prove_t another = prove_substitute(pool, crowd, by);
    prove_t when = prove_and(pool, prove_le(pool, least, any), prove_lt(pool, any, n));
    when = prove_and(pool, both, when);
    prove_t goal = prove_is_process(system, crowd);
    goal = prove_and(pool, goal,
                     prove_not(pool, prove_eq(pool, crowd, prove_variable(pool, system->i))));
    goal = prove_and(pool, goal,
                     prove_not(pool, prove_eq(pool, crowd, prove_variable(pool, system->j))));
    const unsigned of = PROVE_OF_I | PROVE_OF_J | PROVE_OF_ANY;
    prove_oblige_goal(list, system, of, when, goal,
                      "if two were critical, each number below n would give a third process");
    when = prove_and(pool, when, prove_le(pool, least, second));
    when = prove_and(pool, when, prove_lt(pool, second, n));
    when = prove_and(pool, when, prove_not(pool, prove_eq(pool, any, second)));
    prove_oblige_goal(list, system, of | PROVE_OF_SECOND, when,
                      prove_not(pool, prove_eq(pool, crowd, another)),
                      "and no two numbers the same one");
}

/* Each of the critical processes has a number below l for itself. */
static void oblige_seats(struct prove_obligations *list, struct prove_system *system, prove_t both)
{
    struct prove_pool *pool = system->pool;
    prove_t mine = system->reading->seat;
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    if (by == NULL)
        return;
    by[system->i] = prove_variable(pool, system->j);
    prove_oblige_goal(list, system, PROVE_OF_I, is_critical(system, system->i),
                      prove_and(pool, prove_le(pool, prove_number(pool, 0), mine),
                                prove_lt(pool, mine, prove_variable(pool, system->l))),
                      "a critical process has a number below l");
    prove_oblige_goal(list, system, PROVE_OF_I | PROVE_OF_J, both,
                      prove_not(pool, prove_eq(pool, mine, prove_substitute(pool, mine, by))),
                      "and no two have the same");
}

void prove_oblige_names_exclusion(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t both = prove_and(pool, is_critical(system, system->i), is_critical(system, system->j));
    if (system->reading->seat != NULL)
        oblige_seats(list, system, both);
    else if (system->protocol->max_l > 1)
        prove_oblige_goal(list, system, 0, prove_bool(pool, true),
                          prove_le(pool, prove_in_region(system, PROVE_CRITICAL),
                                   prove_variable(pool, system->l)),
                          "no more processes are critical than there are slots");
    else if (system->reading->crowd != NULL)
        oblige_crowd(list, system, both);
    else
        prove_oblige_goal(list, system, PROVE_OF_I | PROVE_OF_J, both, prove_bool(pool, false),
                          "no two processes are critical");
}
