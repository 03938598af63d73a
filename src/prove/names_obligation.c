/*
 * What has to be shown where processes are told apart (names.c). An invariant of all processes is
 * used for those that the obligation speaks of: the one that moves, I and J, and whatever the step
 * or the goal applies a function to. So there are no quantifiers, and nothing is left for the
 * solver to find.
 */
#include "prove/obligation.h"

enum { MOST_TERMS = 12 };

struct terms {
    unsigned count;
    prove_t term[MOST_TERMS];
};

/* What an obligation speaks of. */
struct scope {
    struct prove_system *system;
    struct terms processes, numbers;
};

static void add_term(struct terms *terms, prove_t term)
{
    for (unsigned t = 0; t < terms->count; t++) {
        if (terms->term[t] == term)
            return;
    }
    if (terms->count < MOST_TERMS)
        terms->term[terms->count++] = term;
}

/* Whether the function is one of processes: of any other index otherwise. */
static bool is_of_processes(const struct prove_system *system, int64_t function)
{
    const struct prove_reading *reading = system->reading;
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (reading->array[a].symbol == function)
            return reading->array[a].count->op == PROVE_SYMBOL &&
                   reading->array[a].count->number == (int64_t)system->n;
    }
    return true;
}

static prove_t gather(void *context, prove_t part)
{
    struct scope *scope = context;
    if (part->op == PROVE_APPLY)
        add_term(is_of_processes(scope->system, part->arg[0]->number) ? &scope->processes
                                                                      : &scope->numbers,
                 part->arg[1]);
    return part;
}

static prove_t is_process(struct prove_system *system, prove_t term)
{
    struct prove_pool *pool = system->pool;
    return prove_and(pool, prove_le(pool, prove_number(pool, 0), term),
                     prove_lt(pool, term, prove_variable(pool, system->n)));
}

/* A conjunct, of these. */
static prove_t instance(struct prove_system *system, const struct prove_conjunct *conjunct,
                        prove_t i, prove_t j, prove_t any)
{
    struct prove_pool *pool = system->pool;
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    prove_t when = prove_bool(pool, true);
    if (by == NULL)
        return when;
    by[system->i] = i;
    by[system->j] = j;
    by[system->any] = any;
    if (i != NULL)
        when = prove_and(pool, when, is_process(system, i));
    if (j != NULL)
        when = prove_and(pool, when, is_process(system, j));
    if (i != NULL && j != NULL)
        when = prove_and(pool, when, prove_not(pool, prove_eq(pool, i, j)));
    return prove_implies(pool, when, prove_substitute(pool, conjunct->condition, by));
}

static const struct terms nothing = {.count = 1};

/* All instances of a conjunct in this scope. */
static prove_t instances(const struct scope *scope, const struct prove_conjunct *conjunct)
{
    struct prove_pool *pool = scope->system->pool;
    struct terms indices = scope->numbers;
    for (unsigned t = 0; conjunct->of == PROVE_OF_ANY && t < scope->processes.count; t++)
        add_term(&indices, scope->processes.term[t]);
    const struct terms *is = conjunct->of & PROVE_OF_I ? &scope->processes : &nothing;
    const struct terms *js = conjunct->of & PROVE_OF_J ? &scope->processes : &nothing;
    const struct terms *anys = conjunct->of & PROVE_OF_ANY ? &indices : &nothing;
    prove_t all = prove_bool(pool, true);
    for (unsigned i = 0; i < is->count; i++) {
        for (unsigned j = 0; j < js->count; j++) {
            if (is->term[i] != NULL && is->term[i] == js->term[j])
                continue;
            for (unsigned a = 0; a < anys->count; a++)
                all = prove_and(
                    pool, all,
                    instance(scope->system, conjunct, is->term[i], js->term[j], anys->term[a]));
        }
    }
    return all;
}

/* Where somebody is, one is counted; where two are, two. */
static prove_t counted(const struct scope *scope)
{
    struct prove_system *system = scope->system;
    struct prove_pool *pool = system->pool;
    prove_t all = prove_bool(pool, true);
    for (unsigned t = 0; system->counts && t < scope->processes.count; t++) {
        prove_t who = scope->processes.term[t];
        prove_t at = prove_apply(pool, system->place_of, who);
        for (unsigned p = 0; p < system->reading->places; p++) {
            prove_t count = prove_variable(pool, system->at[p]);
            prove_t here =
                prove_and(pool, is_process(system, who), prove_eq(pool, at, prove_number(pool, p)));
            all = prove_and(
                pool, all, prove_implies(pool, here, prove_le(pool, prove_number(pool, 1), count)));
            for (unsigned u = 0; u < t; u++) {
                prove_t other = scope->processes.term[u];
                prove_t both = prove_and(pool, here, is_process(system, other));
                both = prove_and(pool, both, prove_not(pool, prove_eq(pool, who, other)));
                both = prove_and(pool, both,
                                 prove_eq(pool, prove_apply(pool, system->place_of, other),
                                          prove_number(pool, p)));
                all = prove_and(
                    pool, all,
                    prove_implies(pool, both, prove_le(pool, prove_number(pool, 2), count)));
            }
        }
    }
    return all;
}

/* The scope of an obligation that speaks of I, J (`of`) and of the one that moves. What is
 * assumed is that they are processes, and the invariant for all in the scope. */
static struct scope make_scope(struct prove_system *system, unsigned of,
                               const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    struct scope scope = {.system = system};
    if (step != NULL)
        add_term(&scope.processes, prove_variable(pool, system->me));
    if (of & PROVE_OF_I)
        add_term(&scope.processes, prove_variable(pool, system->i));
    if (of & PROVE_OF_J)
        add_term(&scope.processes, prove_variable(pool, system->j));
    if (of & PROVE_OF_ANY)
        add_term(&scope.numbers, prove_variable(pool, system->any));
    if (of & PROVE_OF_SECOND)
        add_term(&scope.numbers, prove_variable(pool, system->second));
    return scope;
}

static prove_t assumed(struct scope *scope, unsigned of, const struct prove_step *step,
                       prove_t goal)
{
    struct prove_system *system = scope->system;
    struct prove_pool *pool = system->pool;
    prove_t i = prove_variable(pool, system->i), j = prove_variable(pool, system->j);
    prove_t all = system->sizes;
    prove_rewrite(pool, goal, gather, scope);
    if (step != NULL) {
        prove_rewrite(pool, step->guard, gather, scope);
        for (unsigned s = 0; s < step->stores; s++) {
            prove_rewrite(pool, step->store[s].index, gather, scope);
            prove_rewrite(pool, step->store[s].value, gather, scope);
        }
        all = prove_and(pool, all, is_process(system, prove_variable(pool, system->me)));
        all = prove_and(pool, all, step->guard);
    }
    if (of & PROVE_OF_I)
        all = prove_and(pool, all, is_process(system, i));
    if (of & PROVE_OF_J)
        all = prove_and(pool, all, is_process(system, j));
    if ((of & PROVE_OF_I) && (of & PROVE_OF_J))
        all = prove_and(pool, all, prove_not(pool, prove_eq(pool, i, j)));
    for (unsigned c = 0; c < system->conjuncts; c++)
        all = prove_and(pool, all, instances(scope, &system->conjunct[c]));
    return prove_and(pool, all, counted(scope));
}

/* ---- the invariant ---- */

struct first {
    struct prove_system *system;
};

/* At first everything is 0 but for the cells that are said to be something else. */
static prove_t at_first(void *context, prove_t part)
{
    struct prove_system *system = ((struct first *)context)->system;
    if (part->op == PROVE_APPLY)
        return prove_number(system->pool, 0);
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
    made->assume = system->sizes;
    if (conjunct->of & PROVE_OF_I)
        made->assume =
            prove_and(pool, made->assume, is_process(system, prove_variable(pool, system->i)));
    if (conjunct->of & PROVE_OF_J)
        made->assume =
            prove_and(pool, made->assume, is_process(system, prove_variable(pool, system->j)));
    made->goal = prove_rewrite(pool, conjunct->condition, at_first, &(struct first){system});
    prove_oblige_says(made, conjunct->name, "holds at first");
}

static void oblige_kept(struct prove_obligations *list, struct prove_system *system,
                        const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    for (unsigned c = 0; c < system->conjuncts; c++) {
        const struct prove_conjunct *conjunct = &system->conjunct[c];
        prove_t after = prove_after(system, step, conjunct->condition);
        if (after == conjunct->condition)
            continue;
        struct scope scope = make_scope(system, conjunct->of, step);
        struct prove_obligation *made = prove_oblige(list, system, PROVE_KEPT, step);
        made->conjunct = conjunct->name;
        made->assume = assumed(&scope, conjunct->of, step, conjunct->condition);
        made->goal = after;
        prove_oblige_says(made, conjunct->name, "is kept");
    }
    prove_t wellformed = prove_wellformed_step(system, step);
    if (prove_is_true(wellformed))
        return;
    /* The tests are what has to be shown: they are not assumed. */
    struct prove_step begins = *step;
    begins.guard =
        prove_eq(pool, prove_apply(pool, system->place_of, prove_variable(pool, system->me)),
                 prove_number(pool, step->rule->from));
    struct scope scope = make_scope(system, 0, step);
    struct prove_obligation *made = prove_oblige(list, system, PROVE_WELLFORMED, step);
    made->assume = assumed(&scope, 0, &begins, wellformed);
    made->goal = wellformed;
    prove_oblige_says(made, NULL, "numbers that are compared are not negative, and indices exist");
}

void prove_oblige_names_invariant(struct prove_obligations *list, struct prove_system *system)
{
    for (unsigned c = 0; c < system->conjuncts; c++)
        oblige_first(list, system, &system->conjunct[c]);
    for (unsigned s = 0; s < system->steps; s++)
        oblige_kept(list, system, &system->step[s]);
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

static void oblige_goal(struct prove_obligations *list, struct prove_system *system, unsigned of,
                        prove_t when, prove_t goal, const char *text)
{
    struct prove_pool *pool = system->pool;
    struct scope scope = make_scope(system, of, NULL);
    struct prove_obligation *made = prove_oblige(list, system, PROVE_GOAL, NULL);
    made->assume = prove_and(pool, assumed(&scope, of, NULL, prove_and(pool, when, goal)), when);
    made->goal = goal;
    prove_oblige_says(made, NULL, text);
}

/* If I and J were critical, so many others would be there that there are more than n. */
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
    prove_t goal = is_process(system, crowd);
    goal = prove_and(pool, goal,
                     prove_not(pool, prove_eq(pool, crowd, prove_variable(pool, system->i))));
    goal = prove_and(pool, goal,
                     prove_not(pool, prove_eq(pool, crowd, prove_variable(pool, system->j))));
    const unsigned of = PROVE_OF_I | PROVE_OF_J | PROVE_OF_ANY;
    oblige_goal(list, system, of, when, goal,
                "if two were critical, each number below n would give a third process");
    when = prove_and(pool, when, prove_le(pool, least, second));
    when = prove_and(pool, when, prove_lt(pool, second, n));
    when = prove_and(pool, when, prove_not(pool, prove_eq(pool, any, second)));
    oblige_goal(list, system, of | PROVE_OF_SECOND, when,
                prove_not(pool, prove_eq(pool, crowd, another)), "and no two numbers the same one");
}

void prove_oblige_names_exclusion(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t both = prove_and(pool, is_critical(system, system->i), is_critical(system, system->j));
    if (system->protocol->max_l > 1)
        oblige_goal(list, system, 0, prove_bool(pool, true),
                    prove_le(pool, prove_in_region(system, PROVE_CRITICAL),
                             prove_variable(pool, system->l)),
                    "no more processes are critical than there are slots");
    else if (system->reading->crowd != NULL)
        oblige_crowd(list, system, both);
    else
        oblige_goal(list, system, PROVE_OF_I | PROVE_OF_J, both, prove_bool(pool, false),
                    "no two processes are critical");
}
