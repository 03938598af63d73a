#include "prove/system.h"

#include <string.h>

static prove_t number(struct prove_system *system, int64_t value)
{
    return prove_number(system->pool, value);
}

static prove_t variable(struct prove_system *system, unsigned symbol)
{
    return prove_variable(system->pool, symbol);
}

/* ---- variables ---- */

unsigned prove_add_variable(struct prove_system *system, const char *name, prove_t first)
{
    const unsigned symbol = prove_symbol(system->pool, name);
    if (system->variables < PROVE_MAX_VARIABLES) {
        system->variable[system->variables] = symbol;
        system->first[system->variables] = first;
    }
    system->variables++;
    return symbol;
}

void prove_add_cells(struct prove_system *system)
{
    struct prove_reading *reading = system->reading;
    system->n = prove_symbol(system->pool, "n");
    system->l = prove_symbol(system->pool, "l");
    system->k = prove_symbol(system->pool, "k");
    for (unsigned c = 0; c < reading->cells; c++)
        prove_add_variable(system, reading->cell[c].name, reading->cell[c].first);
}

static void add_variables(struct prove_system *system)
{
    struct prove_reading *reading = system->reading;
    char name[160];
    prove_add_cells(system);
    for (unsigned p = 0; p < reading->places; p++) {
        snprintf(name, sizeof name, "#%s", reading->place[p].name);
        system->at[p] = prove_add_variable(
            system, name, p == 0 ? variable(system, system->n) : number(system, 0));
        for (unsigned v = 0; v < reading->locals; v++) {
            snprintf(name, sizeof name, "%s.%s", reading->place[p].name, reading->local[v].name);
            if (reading->place[p].carries[v])
                system->role[p][v] = prove_add_variable(system, name, number(system, 0));
        }
    }
    if (system->marks != PROVE_UNMARKED)
        system->waiter = prove_add_variable(system, "waiter", number(system, 0));
    if (system->marks == PROVE_MARKED) {
        system->other = prove_add_variable(system, "other", number(system, 0));
        system->entries = prove_add_variable(system, "entries", number(system, 0));
        system->returned = prove_add_variable(system, "returned", number(system, 0));
    }
}

static prove_t is_at(struct prove_system *system, unsigned who, unsigned place)
{
    return prove_eq(system->pool, variable(system, who), number(system, place));
}

static prove_t one(struct prove_system *system, prove_t condition)
{
    return prove_ite(system->pool, condition, number(system, 1), number(system, 0));
}

/* In a region; or, `from`, in that region of what the protocol is made from. */
bool prove_is_in(const struct prove_system *system, unsigned p, enum prove_region region, bool from)
{
    const struct prove_place *place = &system->reading->place[p];
    return (from ? place->from : place->region) == region;
}

static prove_t in_region(struct prove_system *system, enum prove_region region, bool from)
{
    prove_t sum = number(system, 0);
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (prove_is_in(system, p, region, from))
            sum = prove_add(system->pool, sum, variable(system, system->at[p]));
    }
    return sum;
}

prove_t prove_in_region(struct prove_system *system, enum prove_region region)
{
    return in_region(system, region, false);
}

static prove_t who_in_region(struct prove_system *system, unsigned who, enum prove_region region,
                             bool from)
{
    prove_t any = prove_bool(system->pool, false);
    for (unsigned p = 0; p < system->reading->places; p++) {
        if (prove_is_in(system, p, region, from))
            any = prove_or(system->pool, any, is_at(system, who, p));
    }
    return any;
}

/* ---- the words of PROOF ---- */

bool prove_region_named(const char *name, enum prove_region *region)
{
    static const char *const names[PROVE_REGIONS] = {"REMAINDER", "TRYING", "CRITICAL", "EXIT"};
    for (unsigned r = 0; r < PROVE_REGIONS; r++) {
        if (strcmp(names[r], name) == 0) {
            *region = (enum prove_region)r;
            return true;
        }
    }
    return false;
}

/* REGION.local */
static prove_t value_in_region(struct prove_system *system, const char *name)
{
    const struct prove_reading *reading = system->reading;
    const char *dot = strrchr(name, '.');
    char region_name[32];
    enum prove_region region;
    prove_t sum = number(system, 0);
    if (dot == NULL || (size_t)(dot - name) >= sizeof region_name)
        return NULL;
    snprintf(region_name, sizeof region_name, "%.*s", (int)(dot - name), name);
    if (!prove_region_named(region_name, &region))
        return NULL;
    for (unsigned p = 0; p < reading->places; p++) {
        for (unsigned v = 0; v < reading->locals; v++) {
            if (reading->place[p].from == region && reading->place[p].carries[v] &&
                strcmp(reading->local[v].name, dot + 1) == 0)
                sum = prove_add(system->pool, sum, variable(system, system->role[p][v]));
        }
    }
    return sum;
}

/* What a word of PROOF stands for; NULL: it is none. A label that no process comes to in this
 * variant is a place where nobody is. */
prove_t prove_meaning(struct prove_system *system, const char *name)
{
    struct prove_pool *pool = system->pool;
    const struct prove_reading *reading = system->reading;
    enum prove_region region;
    prove_t sum = number(system, 0);
    if (strncmp(name, "#:", 2) == 0 || strncmp(name, "#!", 2) == 0)
        return prove_region_named(name + 2, &region) ? in_region(system, region, name[1] == ':')
                                                     : NULL;
    if ((name[0] == 'w' || name[0] == 'o') && name[1] == '@') {
        const unsigned who = name[0] == 'w' ? system->waiter : system->other;
        if (name[2] == ':' || name[2] == '!')
            return prove_region_named(name + 3, &region)
                       ? one(system, who_in_region(system, who, region, name[2] == ':'))
                       : NULL;
        for (unsigned p = 0; p < reading->places; p++) {
            if (strcmp(reading->place[p].label, name + 2) == 0)
                sum = prove_add(pool, sum, one(system, is_at(system, who, p)));
        }
        return sum;
    }
    if (name[0] == '#') {
        for (unsigned p = 0; p < reading->places; p++) {
            if (strcmp(reading->place[p].label, name + 1) == 0)
                sum = prove_add(pool, sum, variable(system, system->at[p]));
        }
        return sum;
    }
    if (name[0] == ':')
        return value_in_region(system, name + 1);
    const char *dot = strrchr(name, '.');
    const char *local = name[0] == '+' ? name + 1 : dot != NULL ? dot + 1 : "";
    for (unsigned v = 0; v < reading->locals; v++) {
        if (strcmp(reading->local[v].name, local) != 0)
            continue;
        for (unsigned p = 0; p < reading->places; p++) {
            const bool here = name[0] == '+' ||
                              (strlen(reading->place[p].label) == (size_t)(dot - name) &&
                               strncmp(reading->place[p].label, name, (size_t)(dot - name)) == 0);
            if (here && reading->place[p].carries[v])
                sum = prove_add(pool, sum, variable(system, system->role[p][v]));
        }
        return sum;
    }
    return NULL;
}

bool prove_is_variable(const struct prove_system *system, unsigned symbol)
{
    for (unsigned v = 0; v < system->variables; v++) {
        if (system->variable[v] == symbol)
            return true;
    }
    return symbol == system->n || symbol == system->l || symbol == system->k;
}

/* What a name in PROOF could not be understood as. */
static char unknown[160];

static prove_t understood(struct prove_system *system, prove_t said)
{
    struct prove_pool *pool = system->pool;
    const unsigned names = pool->names;
    bool *used = prove_alloc(pool, names * sizeof *used);
    prove_t *by = prove_alloc(pool, names * sizeof(prove_t));
    if (used == NULL || by == NULL)
        return said;
    prove_symbols_of(said, used);
    for (unsigned s = 0; s < names; s++) {
        if (!used[s] || prove_is_variable(system, s))
            continue;
        by[s] = prove_meaning(system, pool->name[s]);
        if (by[s] == NULL)
            snprintf(unknown, sizeof unknown, "PROOF speaks of %s, which is nothing here",
                     pool->name[s]);
    }
    return prove_substitute(pool, said, by);
}

/* ---- conjuncts ---- */

static void add_conjunct(struct prove_system *system, const char *name, prove_t condition)
{
    system->conjunct[system->conjuncts++] =
        (struct prove_conjunct){.name = name, .condition = condition};
}

static prove_t in_range(struct prove_system *system, prove_t value, prove_t values)
{
    return prove_and(system->pool, prove_le(system->pool, number(system, 0), value),
                     prove_lt(system->pool, value, values));
}

/* What comes with the reading: cells and roles are in their ranges, roles are unique, everybody is
 * somewhere. */
static void add_frame(struct prove_system *system)
{
    struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t all = number(system, 0), ranges = prove_bool(pool, true);
    for (unsigned c = 0; c < reading->cells; c++) {
        prove_t value = variable(system, reading->cell[c].symbol);
        ranges = prove_and(pool, ranges, in_range(system, value, reading->cell[c].values));
    }
    add_conjunct(system, "cells are in their ranges", ranges);
    for (unsigned p = 0; p < reading->places; p++) {
        prove_t count = variable(system, system->at[p]);
        prove_t role = prove_le(pool, number(system, 0), count);
        all = prove_add(pool, all, count);
        if (reading->place[p].carried > 0)
            role = prove_and(pool, role, prove_le(pool, count, number(system, 1)));
        add_conjunct(system, "a role has one holder at most", role);
        for (unsigned v = 0; v < reading->locals; v++) {
            if (!reading->place[p].carries[v])
                continue;
            prove_t value = variable(system, system->role[p][v]);
            prove_t nobody = prove_eq(pool, count, number(system, 0));
            prove_t unused = prove_eq(pool, value, number(system, 0));
            prove_t rest = prove_implies(pool, nobody, unused);
            if (reading->local[v].splits)
                rest = prove_eq(pool, nobody, unused);
            add_conjunct(system, "local variables are in their ranges",
                         prove_and(pool, in_range(system, value, reading->local[v].values), rest));
        }
    }
    add_conjunct(system, "everybody is somewhere",
                 prove_eq(pool, all, variable(system, system->n)));
}

prove_t prove_waits(struct prove_system *system)
{
    return prove_or(system->pool, who_in_region(system, system->waiter, PROVE_TRYING, false),
                    who_in_region(system, system->waiter, PROVE_EXIT, false));
}

/* How many of the marked are at a place. */
static prove_t marked_at(struct prove_system *system, unsigned place)
{
    prove_t waiter = one(system, is_at(system, system->waiter, place));
    return system->marks == PROVE_WATCHED
               ? waiter
               : prove_add(system->pool, waiter, one(system, is_at(system, system->other, place)));
}

/* What comes with the two that are marked. */
static void add_marked_frame(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t zero = number(system, 0), entries = variable(system, system->entries);
    prove_t returned = variable(system, system->returned);
    prove_t places = number(system, system->reading->places);
    prove_t there = in_range(system, variable(system, system->waiter), places);
    if (system->marks == PROVE_MARKED)
        there = prove_and(pool, there, in_range(system, variable(system, system->other), places));
    for (unsigned p = 0; p < system->reading->places; p++)
        there = prove_and(pool, there,
                          prove_le(pool, marked_at(system, p), variable(system, system->at[p])));
    add_conjunct(system, "the marked are counted where they are", there);
    system->conjunct[system->conjuncts - 1].waiting = true;
    if (system->marks == PROVE_WATCHED)
        return;
    prove_t counting = prove_and(pool, prove_le(pool, zero, entries),
                                 in_range(system, returned, number(system, 2)));
    prove_t idle = prove_and(pool, prove_eq(pool, entries, zero), prove_eq(pool, returned, zero));
    counting = prove_and(pool, counting, prove_or(pool, prove_waits(system), idle));
    prove_t resting = prove_and(pool, prove_waits(system), is_at(system, system->other, 0));
    counting = prove_and(pool, counting,
                         prove_implies(pool, resting, prove_eq(pool, returned, number(system, 1))));
    add_conjunct(system, "what is counted of the other", counting);
    system->conjunct[system->conjuncts - 1].waiting = true;
}

static void add_said(struct prove_system *system, const char *without)
{
    for (unsigned s = 0; s < system->reading->saids; s++) {
        const struct prove_said *said = &system->reading->said[s];
        const bool waiting = said->kind == PROVE_WAITING_INVARIANT;
        if (said->kind == PROVE_HELPER && system->marks == PROVE_WATCHED) {
            system->helper[system->helpers] = said->name;
            system->helps[system->helpers++] = understood(system, said->condition);
        }
        if (said->kind == PROVE_HELPER || (waiting && system->marks != PROVE_MARKED) ||
            (without != NULL && strcmp(without, said->name) == 0))
            continue;
        add_conjunct(system, said->name, understood(system, said->condition));
        system->conjunct[system->conjuncts - 1].said = true;
        system->conjunct[system->conjuncts - 1].waiting = waiting;
    }
    for (unsigned r = 0; r < system->reading->ranks; r++)
        system->rank[system->ranks++] = understood(system, system->reading->rank[r]);
    for (unsigned r = 0; r < system->reading->lockouts && system->marks == PROVE_WATCHED; r++)
        system->lockout[system->lockouts++] = understood(system, system->reading->lockout[r]);
}

/* ---- steps ---- */

void prove_set(struct prove_system *system, struct prove_step *step, unsigned symbol, prove_t value)
{
    for (unsigned s = 0; s < step->sets; s++) {
        if (step->set[s].symbol == symbol) {
            step->set[s].value = value;
            return;
        }
    }
    if (step->sets == PROVE_MAX_SETS) {
        system->pool->failed = true;
        return;
    }
    step->set[step->sets].symbol = symbol;
    step->set[step->sets++].value = value;
}

struct prove_store *prove_add_store(struct prove_system *system, struct prove_step *step,
                                    unsigned function, prove_t index, prove_t value)
{
    static struct prove_store nowhere;
    if (step->stores == PROVE_MAX_SETS) {
        system->pool->failed = true;
        return &nowhere;
    }
    step->store[step->stores] =
        (struct prove_store){.function = function, .index = index, .value = value};
    return &step->store[step->stores++];
}

/* One process goes from one place to another. */
static void move(struct prove_system *system, struct prove_step *step)
{
    struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    const struct prove_rule *rule = step->rule;
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    if (by == NULL)
        return;
    for (unsigned v = 0; v < reading->locals; v++)
        by[reading->local[v].symbol] = reading->place[rule->from].carries[v]
                                           ? variable(system, system->role[rule->from][v])
                                           : number(system, 0);
    prove_t from = variable(system, system->at[rule->from]);
    step->guard = prove_lt(pool, number(system, 0), from);
    for (unsigned t = 0; t < rule->tests; t++)
        step->guard = prove_and(pool, step->guard, prove_substitute(pool, rule->test[t], by));
    for (unsigned c = 0; c < reading->cells; c++) {
        if (rule->cell[c] != NULL)
            prove_set(system, step, reading->cell[c].symbol,
                      prove_substitute(pool, rule->cell[c], by));
    }
    if (rule->from != rule->to) {
        prove_t to = variable(system, system->at[rule->to]);
        prove_set(system, step, system->at[rule->from], prove_add(pool, from, number(system, -1)));
        prove_set(system, step, system->at[rule->to], prove_add(pool, to, number(system, 1)));
    }
    for (unsigned v = 0; v < reading->locals; v++) {
        if (reading->place[rule->from].carries[v])
            prove_set(system, step, system->role[rule->from][v], number(system, 0));
    }
    for (unsigned v = 0; v < reading->locals; v++) {
        if (reading->place[rule->to].carries[v])
            prove_set(system, step, system->role[rule->to][v],
                      rule->local[v] == NULL ? number(system, 0)
                                             : prove_substitute(pool, rule->local[v], by));
    }
}

static bool waits_at(const struct prove_system *system, unsigned place)
{
    const enum prove_region region = system->reading->place[place].region;
    return region == PROVE_TRYING || region == PROVE_EXIT;
}

/* What the marked two see of the step. */
static void mark(struct prove_system *system, struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    const struct prove_rule *rule = step->rule;
    prove_t w = is_at(system, system->waiter, rule->from);
    prove_t entries = variable(system, system->entries);
    prove_t returned = variable(system, system->returned);
    prove_t zero = number(system, 0);
    if (step->mover == PROVE_ANYBODY) { /* except these two */
        prove_t others =
            prove_lt(pool, marked_at(system, rule->from), variable(system, system->at[rule->from]));
        step->guard = prove_and(pool, step->guard, others);
        return;
    }
    if (step->mover == PROVE_WAITER) {
        step->guard = prove_and(pool, step->guard, w);
        prove_set(system, step, system->waiter, number(system, rule->to));
        if (system->marks == PROVE_WATCHED)
            return;
        if (waits_at(system, rule->to) && waits_at(system, rule->from))
            return;
        prove_t resting = one(system, is_at(system, system->other, 0));
        prove_set(system, step, system->entries, zero);
        prove_set(system, step, system->returned, waits_at(system, rule->to) ? resting : zero);
        return;
    }
    const enum prove_region region = system->reading->place[rule->to].region;
    step->guard = prove_and(pool, step->guard, is_at(system, system->other, rule->from));
    prove_set(system, step, system->other, number(system, rule->to));
    prove_t now = region == PROVE_REMAINDER  ? number(system, 1)
                  : region == PROVE_CRITICAL ? zero
                                             : returned;
    prove_set(system, step, system->returned, prove_ite(pool, prove_waits(system), now, zero));
    if (region == PROVE_CRITICAL)
        prove_set(system, step, system->entries,
                  prove_ite(pool, prove_waits(system), prove_add(pool, entries, returned), zero));
}

static void add_steps(struct prove_system *system)
{
    for (unsigned r = 0; r < system->reading->rules; r++) {
        static const unsigned movers[] = {
            [PROVE_UNMARKED] = 1, [PROVE_MARKED] = 3, [PROVE_WATCHED] = 2};
        for (unsigned mover = 0; mover < movers[system->marks]; mover++) {
            struct prove_step *step = &system->step[system->steps];
            step->rule = &system->reading->rule[r];
            step->mover = (enum prove_mover)mover;
            move(system, step);
            if (system->marks != PROVE_UNMARKED)
                mark(system, step);
            if (step->guard != NULL && step->guard->op != PROVE_FALSE)
                system->steps++;
            else
                step->sets = 0;
        }
    }
}

/* ---- all of it ---- */

prove_t prove_sizes(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    const struct protocol *protocol = system->protocol;
    prove_t n = variable(system, system->n), l = variable(system, system->l);
    prove_t k = variable(system, system->k), at_least_one = number(system, 1);
    const unsigned marked = system->marks == PROVE_MARKED ? 2 : 1;
    const unsigned least = protocol->min_n > marked ? protocol->min_n : marked;
    prove_t all = prove_le(pool, number(system, least), n);
    if (protocol->max_l == 1)
        all = prove_and(pool, all, prove_eq(pool, l, at_least_one));
    else
        all =
            prove_and(pool, all,
                      prove_le(pool, number(system, protocol->min_l > 1 ? protocol->min_l : 1), l));
    if (protocol->needs_l_below_n)
        all = prove_and(pool, all, prove_lt(pool, l, n));
    all = prove_and(pool, all, prove_le(pool, at_least_one, k));
    return prove_and(pool, all, prove_le(pool, k, n));
}

const char *prove_system_make(struct prove_system *system, struct prove_reading *reading,
                              const struct protocol *protocol, enum prove_marks marks,
                              const char *without)
{
    memset(system, 0, sizeof *system);
    system->reading = reading;
    system->pool = reading->pool;
    system->protocol = protocol;
    system->marks = marks;
    unknown[0] = '\0';
    system->step = prove_alloc(reading->pool, PROVE_MAX_STEPS * sizeof *system->step);
    if (system->step == NULL)
        return "out of memory";
    for (unsigned v = 0; v < reading->locals; v++) {
        if (reading->local[v].values == NULL)
            return "a local variable has no largest value";
    }
    for (unsigned r = 0; r < reading->rules; r++) {
        if (reading->rule[r].broken)
            return "TRUST is for protocols that tell processes apart";
        if (reading->rule[r].choice >= 0 && reading->ranks > 0)
            return "RANK, and processes choose: one may choose for ever to change nothing";
    }
    add_variables(system);
    if (system->variables > PROVE_MAX_VARIABLES)
        return "the protocol has too many places with local variables";
    system->sizes = prove_sizes(system);
    add_frame(system);
    if (marks != PROVE_UNMARKED)
        add_marked_frame(system);
    add_said(system, without);
    add_steps(system);
    if (prove_pool_failed(reading->pool))
        return "out of memory";
    return unknown[0] != '\0' ? unknown : NULL;
}

prove_t prove_invariant(struct prove_system *system)
{
    prove_t all = prove_bool(system->pool, true);
    for (unsigned c = 0; c < system->conjuncts; c++)
        all = prove_and(system->pool, all, system->conjunct[c].condition);
    return all;
}

struct after {
    struct prove_pool *pool;
    const struct prove_step *step;
};

/* One is taken out: what follows moves up, and the last one is 0. */
static prove_t taken_out(struct prove_pool *pool, const struct prove_store *store, prove_t index,
                         prove_t before)
{
    prove_t one = prove_number(pool, 1);
    prove_t last = prove_add(pool, store->taken_of, prove_number(pool, -1));
    prove_t moves =
        prove_and(pool, prove_le(pool, store->index, index), prove_lt(pool, index, last));
    prove_t next = prove_apply(pool, store->function, prove_add(pool, index, one));
    return prove_ite(pool, prove_eq(pool, index, last), prove_number(pool, 0),
                     prove_ite(pool, moves, next, before));
}

prove_t prove_element_after(struct prove_pool *pool, const struct prove_step *step,
                            unsigned function, prove_t index)
{
    prove_t element = prove_apply(pool, function, index);
    for (unsigned s = 0; s < step->stores; s++) {
        const struct prove_store *store = &step->store[s];
        if (store->function != function)
            continue;
        element = store->taken_of != NULL
                      ? taken_out(pool, store, index, element)
                      : prove_ite(pool, prove_eq(pool, index, store->index), store->value, element);
    }
    return element;
}

unsigned prove_array_after(struct prove_pool *pool, unsigned function)
{
    char name[160];
    snprintf(name, sizeof name, "%s'", pool->name[function]);
    return prove_symbol(pool, name);
}

static bool is_stored(const struct prove_step *step, int64_t function)
{
    for (unsigned s = 0; s < step->stores; s++) {
        if ((int64_t)step->store[s].function == function)
            return true;
    }
    return false;
}

static prove_t part_after(void *context, prove_t part)
{
    const struct after *after = context;
    const struct prove_step *step = after->step;
    for (unsigned s = 0; part->op == PROVE_SYMBOL && s < step->sets; s++) {
        if ((int64_t)step->set[s].symbol == part->number)
            return step->set[s].value;
    }
    if (part->op == PROVE_APPLY)
        return prove_element_after(after->pool, step, (unsigned)part->arg[0]->number, part->arg[1]);
    if (part->op == PROVE_POSITION && is_stored(step, part->arg[0]->number)) {
        const unsigned array = prove_array_after(after->pool, (unsigned)part->arg[0]->number);
        return prove_make(
            after->pool, PROVE_POSITION, 3,
            (const prove_t[]){prove_variable(after->pool, array), part->arg[1], part->arg[2]});
    }
    return part;
}

prove_t prove_after(struct prove_system *system, const struct prove_step *step, prove_t condition)
{
    return prove_rewrite(system->pool, condition, part_after, &(struct after){system->pool, step});
}

prove_t prove_changes(struct prove_system *system, const struct prove_step *step)
{
    prove_t any = prove_bool(system->pool, step->rule->from != step->rule->to);
    for (unsigned s = 0; s < step->sets; s++)
        any = prove_or(
            system->pool, any,
            prove_not(system->pool, prove_eq(system->pool, variable(system, step->set[s].symbol),
                                             step->set[s].value)));
    return any;
}
