#include "prove/names_scope.h"

static void add_term(struct prove_terms *terms, prove_t term)
{
    for (unsigned t = 0; t < terms->count; t++) {
        if (terms->term[t] == term)
            return;
    }
    if (terms->count < PROVE_MOST_TERMS)
        terms->term[terms->count++] = term;
}

/* Whether the array is one of all numbers: its index is one that is divided, elsewhere. */
static bool is_of_turns(const struct prove_system *system, int64_t function)
{
    const struct prove_reading *reading = system->reading;
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (reading->array[a].symbol == function)
            return reading->array[a].count == NULL;
    }
    return false;
}

static bool has_endless_arrays(const struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    bool any = reading->constants > 0;
    for (unsigned a = 0; a < reading->arrays; a++)
        any |= reading->array[a].count == NULL;
    return any;
}

bool prove_is_of_processes(const struct prove_system *system, int64_t function)
{
    const struct prove_reading *reading = system->reading;
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (reading->array[a].symbol == function)
            return !reading->array[a].sequence && reading->array[a].count != NULL &&
                   reading->array[a].count->op == PROVE_SYMBOL &&
                   reading->array[a].count->number == (int64_t)system->n;
    }
    return true;
}

static prove_t gather(void *context, prove_t part)
{
    struct prove_scope *scope = context;
    if (prove_is_turn(scope->system, part))
        add_term(&scope->turns, part->arg[0]);
    if (part->op == PROVE_APPLY && is_of_turns(scope->system, part->arg[0]->number))
        add_term(&scope->turns, part->arg[1]);
    else if (part->op == PROVE_APPLY)
        add_term(prove_is_of_processes(scope->system, part->arg[0]->number) ? &scope->processes
                                                                            : &scope->numbers,
                 part->arg[1]);
    return part;
}

prove_t prove_is_process(struct prove_system *system, prove_t term)
{
    struct prove_pool *pool = system->pool;
    return prove_and(pool, prove_le(pool, prove_number(pool, 0), term),
                     prove_lt(pool, term, prove_variable(pool, system->n)));
}

bool prove_is_own(struct prove_system *system, prove_t term)
{
    const struct prove_reading *reading = system->reading;
    bool *used = prove_alloc(system->pool, system->pool->names * sizeof *used);
    if (used == NULL)
        return false;
    prove_symbols_of(term, used);
    bool own = !used[system->j] && !used[system->any] && !used[system->turn] &&
               !used[system->behind] && !prove_speaks_of_others(system, term);
    for (unsigned c = 0; c < reading->cells; c++)
        own = own && !used[reading->cell[c].symbol];
    for (unsigned a = 0; a < reading->arrays; a++)
        own = own && !used[reading->array[a].symbol];
    for (unsigned p = 0; p < reading->places; p++)
        own = own && !used[system->at[p]];
    return own;
}

struct known {
    const struct prove_system *system;
    unsigned place;
};

static prove_t at_known_place(void *context, prove_t part)
{
    const struct known *known = context;
    const struct prove_system *system = known->system;
    return part->op == PROVE_APPLY && part->arg[0]->number == (int64_t)system->place_of &&
                   part->arg[1] == prove_variable(system->pool, system->me)
               ? prove_number(system->pool, known->place)
               : part;
}

prove_t prove_at_place(struct prove_system *system, prove_t term, unsigned place)
{
    return prove_rewrite(system->pool, term, at_known_place, &(struct known){system, place});
}

prove_t prove_of_me(struct prove_system *system, prove_t term)
{
    return prove_of_process(system, term, system->i, prove_variable(system->pool, system->me));
}

prove_t prove_me_before(struct prove_system *system, const struct prove_step *step, prove_t term)
{
    return prove_at_place(system, prove_of_me(system, term), step->rule->from);
}

prove_t prove_me_after(struct prove_system *system, const struct prove_step *step, prove_t term)
{
    return prove_at_place(system, prove_after(system, step, prove_of_me(system, term)),
                          step->rule->to);
}

/* A conjunct, of these. */
static prove_t instance(const struct prove_scope *scope, const struct prove_conjunct *conjunct,
                        prove_t i, prove_t j, prove_t any, prove_t turn)
{
    struct prove_system *system = scope->system;
    struct prove_pool *pool = system->pool;
    const struct prove_put put[] = {
        {system->i, i}, {system->j, j}, {system->any, any}, {system->turn, turn}};
    prove_t when = prove_bool(pool, true);
    if (i != NULL)
        when = prove_and(pool, when, prove_is_process(system, i));
    if (j != NULL)
        when = prove_and(pool, when, prove_is_process(system, j));
    if (i != NULL && j != NULL)
        when = prove_and(pool, when, prove_not(pool, prove_eq(pool, i, j)));
    prove_t made = prove_put(pool, conjunct->condition, sizeof put / sizeof put[0], put);
    if (scope->at_place)
        made = prove_at_place(system, made, scope->place);
    return prove_implies(pool, when, made);
}

static const struct prove_terms nothing = {.count = 1};

/* All instances of a conjunct in this scope. */
static prove_t instances(const struct prove_scope *scope, const struct prove_conjunct *conjunct)
{
    struct prove_pool *pool = scope->system->pool;
    struct prove_terms indices = scope->numbers;
    for (unsigned t = 0; conjunct->of == PROVE_OF_ANY && t < scope->processes.count; t++)
        add_term(&indices, scope->processes.term[t]);
    const struct prove_terms *is = conjunct->of & PROVE_OF_I ? &scope->processes : &nothing;
    const struct prove_terms *js = conjunct->of & PROVE_OF_J ? &scope->processes : &nothing;
    const struct prove_terms *anys = conjunct->of & PROVE_OF_ANY ? &indices : &nothing;
    const struct prove_terms *turns = conjunct->of & PROVE_OF_TURN ? &scope->turns : &nothing;
    prove_t all = prove_bool(pool, true);
    for (unsigned x = 0; x < is->count * js->count; x++) {
        prove_t i = is->term[x / js->count], j = js->term[x % js->count];
        if (i != NULL && i == j)
            continue;
        for (unsigned a = 0; a < anys->count * turns->count; a++)
            all = prove_and(pool, all,
                            instance(scope, conjunct, i, j, anys->term[a / turns->count],
                                     turns->term[a % turns->count]));
    }
    return all;
}

/* Adds the invariants of the process that moves, at its place, and the processes and numbers that
 * occur in them. */
static void gather_said_of_mover(struct prove_scope *scope)
{
    struct prove_system *system = scope->system;
    prove_t me = prove_variable(system->pool, system->me);
    for (unsigned c = 0; c < system->conjuncts; c++) {
        const struct prove_conjunct *conjunct = &system->conjunct[c];
        if (conjunct->of == PROVE_OF_I && conjunct->said && !conjunct->waiting)
            prove_rewrite(system->pool, instance(scope, conjunct, me, NULL, NULL, NULL), gather,
                          scope);
    }
}

/* Where somebody is, one is counted; where two are, two. */
static prove_t counted(const struct prove_scope *scope)
{
    struct prove_system *system = scope->system;
    struct prove_pool *pool = system->pool;
    prove_t all = prove_bool(pool, true);
    for (unsigned t = 0; system->counts && t < scope->processes.count; t++) {
        prove_t who = scope->processes.term[t];
        prove_t at = prove_apply(pool, system->place_of, who);
        for (unsigned p = 0; p < system->reading->places; p++) {
            prove_t count = prove_variable(pool, system->at[p]);
            prove_t here = prove_and(pool, prove_is_process(system, who),
                                     prove_eq(pool, at, prove_number(pool, p)));
            all = prove_and(
                pool, all, prove_implies(pool, here, prove_le(pool, prove_number(pool, 1), count)));
            for (unsigned u = 0; u < t; u++) {
                prove_t other = scope->processes.term[u];
                prove_t both = prove_and(pool, here, prove_is_process(system, other));
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

struct prove_scope prove_scope_make(struct prove_system *system, unsigned of,
                                    const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    struct prove_scope scope = {.system = system, .positions = {.system = system, .step = step}};
    if (step != NULL)
        add_term(&scope.processes, prove_variable(pool, system->me));
    if (step != NULL && system->reading->contexts > 0 && step->rule != &system->reading->killed)
        scope.at_place = true, scope.place = step->rule->from;
    if (of & PROVE_OF_I)
        add_term(&scope.processes, prove_variable(pool, system->i));
    if (of & PROVE_OF_J)
        add_term(&scope.processes, prove_variable(pool, system->j));
    if (of & PROVE_OF_ANY)
        add_term(&scope.numbers, prove_variable(pool, system->any));
    if (of & PROVE_OF_SECOND)
        add_term(&scope.numbers, prove_variable(pool, system->second));
    if (of & PROVE_OF_TURN)
        add_term(&scope.turns, prove_variable(pool, system->turn));
    if ((of & PROVE_OF_TURN) && system->reading->constants == 0) { /* it is any number, then */
        add_term(&scope.numbers, prove_variable(pool, system->turn));
        if (of & PROVE_OF_SECOND)
            add_term(&scope.turns, prove_variable(pool, system->second));
    }
    return scope;
}

/* Adds a number, its predecessor and its successor: when an element is taken out of a sequence,
 * those after it move up by one. */
static void add_neighbours(struct prove_scope *scope, prove_t number)
{
    struct prove_pool *pool = scope->system->pool;
    add_term(&scope->numbers, number);
    add_term(&scope->numbers, prove_add(pool, number, prove_number(pool, 1)));
    add_term(&scope->numbers, prove_add(pool, number, prove_number(pool, -1)));
}

/* The positions that occur in the step, and in the goal before and after the step. */
static void gather_positions(struct prove_scope *scope, const struct prove_step *step, prove_t goal)
{
    struct prove_pool *pool = scope->system->pool;
    prove_t spoken = goal;
    if (step != NULL) {
        spoken = prove_and(pool, prove_and(pool, goal, prove_after(scope->system, step, goal)),
                           step->guard);
        for (unsigned s = 0; s < step->stores; s++)
            spoken =
                prove_and(pool, spoken, prove_eq(pool, step->store[s].index, step->store[s].value));
    }
    spoken = prove_positions_name(&scope->positions, spoken);
    for (unsigned p = 0; prove_positions_get(&scope->positions, p) != NULL; p++)
        add_neighbours(scope, prove_positions_get(&scope->positions, p));
    if (scope->positions.count > 0)
        prove_rewrite(pool, spoken, gather, scope);
}

void prove_scope_finish(struct prove_scope *scope, struct prove_obligation *made)
{
    struct prove_pool *pool = scope->system->pool;
    made->shown = made->goal;
    made->assume = prove_positions_name(&scope->positions, made->assume);
    made->goal = prove_positions_name(&scope->positions, made->goal);
    /* An element after the step is where the step says: a position that has been named. */
    prove_t facts =
        prove_positions_facts(&scope->positions, scope->numbers.term, scope->numbers.count);
    made->assume = prove_and(pool, made->assume, prove_positions_name(&scope->positions, facts));
    prove_turns_finish(scope->system, made);
}

prove_t prove_scope_assumed(struct prove_scope *scope, unsigned of, const struct prove_step *step,
                            prove_t goal)
{
    struct prove_system *system = scope->system;
    struct prove_pool *pool = system->pool;
    prove_t i = prove_variable(pool, system->i), j = prove_variable(pool, system->j);
    prove_t all = system->sizes;
    prove_rewrite(pool, goal, gather, scope);
    gather_positions(scope, step, goal);
    if (step != NULL && has_endless_arrays(system)) /* what is stored may be an index after it */
        prove_rewrite(pool, prove_after(system, step, goal), gather, scope);
    if (step != NULL) {
        prove_rewrite(pool, step->guard, gather, scope);
        for (unsigned s = 0; s < step->stores; s++) {
            prove_rewrite(pool, step->store[s].index, gather, scope);
            prove_rewrite(pool, step->store[s].value, gather, scope);
        }
        all = prove_and(pool, all, prove_is_process(system, prove_variable(pool, system->me)));
        all = prove_and(pool, all, step->guard);
        all = prove_and(pool, all, prove_counted_before(system, step, &scope->numbers));
    }
    if (scope->at_place)
        gather_said_of_mover(scope);
    if (of & PROVE_OF_I)
        all = prove_and(pool, all, prove_is_process(system, i));
    if (of & PROVE_OF_J)
        all = prove_and(pool, all, prove_is_process(system, j));
    if ((of & PROVE_OF_I) && (of & PROVE_OF_J))
        all = prove_and(pool, all, prove_not(pool, prove_eq(pool, i, j)));
    for (unsigned c = 0; c < system->conjuncts; c++) {
        if (!system->conjunct[c].waiting &&
            !(scope->without != NULL && system->conjunct[c].counted != NULL))
            all = prove_and(pool, all, instances(scope, &system->conjunct[c]));
    }
    return prove_and(pool, all, counted(scope));
}

void prove_oblige_goal(struct prove_obligations *list, struct prove_system *system, unsigned of,
                       prove_t when, prove_t goal, const char *text)
{
    prove_oblige_goal_without(list, system, NULL, of, when, goal, text);
}

void prove_oblige_goal_without(struct prove_obligations *list, struct prove_system *system,
                               const struct prove_conjunct *without, unsigned of, prove_t when,
                               prove_t goal, const char *text)
{
    struct prove_pool *pool = system->pool;
    struct prove_scope scope = prove_scope_make(system, of, NULL);
    scope.without = without;
    struct prove_obligation *made = prove_oblige(list, system, PROVE_GOAL, NULL);
    made->assume =
        prove_and(pool, prove_scope_assumed(&scope, of, NULL, prove_and(pool, when, goal)), when);
    made->goal = goal;
    made->when = when;
    made->of = of;
    prove_scope_finish(&scope, made);
    prove_oblige_says(made, without == NULL ? NULL : without->name, text);
}

static prove_t others_stay(struct prove_system *system, unsigned of)
{
    struct prove_pool *pool = system->pool;
    prove_t me = prove_variable(pool, system->me), all = prove_bool(pool, true);
    const unsigned who[] = {system->i, system->j}, bit[] = {PROVE_OF_I, PROVE_OF_J};
    for (unsigned w = 0; w < 2; w++) {
        if (of & bit[w])
            all = prove_and(pool, all,
                            prove_not(pool, prove_eq(pool, me, prove_variable(pool, who[w]))));
    }
    return all;
}

void prove_oblige_after(struct prove_obligations *list, struct prove_system *system,
                        enum prove_kind kind, const struct prove_step *step,
                        const struct prove_step *seen, unsigned of, prove_t when, prove_t goal,
                        const char *text)
{
    prove_oblige_ranked(list, system, kind, step, seen, of, when, goal, when, text);
}

void prove_oblige_ranked(struct prove_obligations *list, struct prove_system *system,
                         enum prove_kind kind, const struct prove_step *step,
                         const struct prove_step *seen, unsigned of, prove_t when, prove_t goal,
                         prove_t spoken, const char *text)
{
    struct prove_pool *pool = system->pool;
    struct prove_scope scope = prove_scope_make(system, of, step);
    struct prove_obligation *made = prove_oblige(list, system, kind, step);
    if (scope.at_place)
        when = prove_at_place(system, when, scope.place);
    made->assume = prove_and(pool, prove_scope_assumed(&scope, of, seen, spoken), when);
    made->assume = prove_and(pool, made->assume, others_stay(system, of));
    made->goal = goal;
    made->of = of;
    prove_scope_finish(&scope, made);
    made->shown = NULL; /* of a state before the step and after it */
    prove_oblige_says(made, NULL, text);
}

prove_t prove_is_lower(struct prove_pool *pool, unsigned count, const prove_t *before,
                       const prove_t *after, bool equal)
{
    prove_t lower = prove_bool(pool, equal);
    for (unsigned r = count; r-- > 0;) {
        prove_t less = prove_and(pool, prove_le(pool, prove_number(pool, 0), after[r]),
                                 prove_lt(pool, after[r], before[r]));
        lower = prove_or(pool, less, prove_and(pool, prove_eq(pool, after[r], before[r]), lower));
    }
    return lower;
}
