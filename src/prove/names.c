/*
 * A protocol for every n in which processes are told apart. Processes are the numbers 0 .. n - 1;
 * what each remembers, and where it is, are functions of them, and arrays are functions of their
 * index. An invariant is about an arbitrary process I, an arbitrary other one J, and an arbitrary
 * number. How many processes are at a place is counted too, by integers.
 */
#include "prove/names_scope.h"

#include <string.h>

static prove_t number(struct prove_system *system, int64_t value)
{
    return prove_number(system->pool, value);
}

static prove_t variable(struct prove_system *system, unsigned symbol)
{
    return prove_variable(system->pool, symbol);
}

static unsigned add_function(struct prove_system *system, const char *name)
{
    const unsigned symbol = prove_symbol(system->pool, name);
    system->function[system->functions++] = symbol;
    return symbol;
}

static void add_variables(struct prove_system *system)
{
    struct prove_reading *reading = system->reading;
    char name[160];
    prove_add_cells(system);
    for (unsigned c = 0; c < reading->constants; c++)
        prove_add_variable(system, reading->constant[c].name, NULL);
    for (unsigned p = 0; p < reading->places; p++) {
        snprintf(name, sizeof name, "#%s", reading->place[p].name);
        system->at[p] = prove_add_variable(
            system, name, p == 0 ? variable(system, system->n) : number(system, 0));
    }
    /* Nothing changes these: they are not variables of a state, but names of what is arbitrary. */
    system->me = prove_add_variable(system, "me", NULL);
    system->i = prove_add_variable(system, "$i", NULL);
    system->j = prove_add_variable(system, "$j", NULL);
    system->any = prove_add_variable(system, "$k", NULL);
    system->second = prove_add_variable(system, "$m", NULL);
    system->turn = prove_add_variable(system, "$t", NULL);
    system->vacant = prove_add_variable(system, "$w", NULL);
    system->behind = prove_add_variable(system, "$behind", number(system, 0));
    system->place_of = add_function(system, "place");
    for (unsigned v = 0; v < reading->locals; v++) {
        snprintf(name, sizeof name, "its.%s", reading->local[v].name);
        system->local_of[v] = add_function(system, name);
    }
    for (unsigned f = 0; f < system->functions; f++) {
        static const char *const who[] = {"me", "$i", "$j"};
        for (unsigned w = 0; w < 3; w++) {
            snprintf(name, sizeof name, "%s %s", system->pool->name[system->function[f]], who[w]);
            system->shown[w][f] = prove_symbol(system->pool, name);
        }
    }
    for (unsigned a = 0; a < reading->arrays; a++) {
        add_function(system, reading->array[a].name);
        prove_array_after(system->pool, reading->array[a].symbol);
    }
    for (unsigned p = 0; p < PROVE_MAX_POSITIONS && reading->positions; p++) {
        snprintf(name, sizeof name, "position%u", p);
        system->position_of[p] = add_function(system, name);
    }
    if (reading->contexts > 0)
        system->context_of = add_function(system, "context");
    if (reading->constants > 0) {
        system->quotient_of = add_function(system, "quotient");
        system->rest_of = add_function(system, "rest");
    }
}

static prove_t place_of(struct prove_system *system, prove_t who)
{
    return prove_apply(system->pool, system->place_of, who);
}

/* A process is at this place; or in a context of this number. */
static prove_t is_at(struct prove_system *system, prove_t who, unsigned place)
{
    return prove_eq(system->pool, place_of(system, who), number(system, place));
}

static prove_t is_within(struct prove_system *system, prove_t who, unsigned context)
{
    return prove_eq(system->pool, prove_apply(system->pool, system->context_of, who),
                    number(system, context));
}

/* ---- the words of PROOF ---- */

struct understanding {
    struct prove_system *system;
    const char *unknown; /* or NULL */
};

static bool is_known(const struct prove_system *system, unsigned symbol)
{
    for (unsigned f = 0; f < system->functions; f++) {
        if (system->function[f] == symbol)
            return true;
    }
    return prove_is_variable(system, symbol);
}

/* In a subroutine, or in one that it calls. */
static prove_t is_in_sub(struct prove_system *system, const char *name, prove_t who)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t any = prove_bool(pool, false);
    unsigned sub = 1;
    while (sub < reading->subs && strcmp(reading->sub[sub], name) != 0)
        sub++;
    if (sub >= reading->subs)
        return NULL;
    for (unsigned p = 0; p < reading->places; p++) {
        if (reading->place[p].sub == sub)
            any = prove_or(pool, any, is_at(system, who, p));
    }
    for (unsigned c = 1; c < reading->contexts; c++) {
        if (reading->context[c].pc[sub] != 0)
            any = prove_or(pool, any, is_within(system, who, c));
    }
    return prove_ite(pool, any, number(system, 1), number(system, 0));
}

/* In what was called by a call with this label. */
static prove_t is_called_at(struct prove_system *system, const char *label, prove_t who)
{
    const struct prove_reading *reading = system->reading;
    prove_t any = prove_bool(system->pool, false);
    for (unsigned c = 1; c < reading->contexts; c++) {
        bool here = false;
        for (unsigned k = 0; k < reading->context[c].calls; k++)
            here |= strcmp(reading->context[c].call[k], label) == 0;
        if (here)
            any = prove_or(system->pool, any, is_within(system, who, c));
    }
    return prove_ite(system->pool, any, number(system, 1), number(system, 0));
}

prove_t prove_is_waiting(struct prove_system *system, prove_t who)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t any = prove_bool(pool, false);
    for (unsigned p = 0; p < reading->places; p++) {
        if (reading->place[p].region == PROVE_TRYING && !reading->place[p].doorway)
            any = prove_or(pool, any, is_at(system, who, p));
    }
    for (unsigned c = 1; c < reading->contexts; c++) {
        if (reading->context[c].region == PROVE_TRYING && !reading->context[c].doorway)
            any = prove_or(pool, any, is_within(system, who, c));
    }
    return any;
}

prove_t prove_is_in_doorway(struct prove_system *system, prove_t who)
{
    const struct prove_reading *reading = system->reading;
    prove_t any = prove_bool(system->pool, false);
    for (unsigned p = 0; p < reading->places; p++) {
        if (reading->place[p].doorway)
            any = prove_or(system->pool, any, is_at(system, who, p));
    }
    for (unsigned c = 1; c < reading->contexts; c++) {
        if (reading->context[c].doorway)
            any = prove_or(system->pool, any, is_within(system, who, c));
    }
    return any;
}

bool prove_has_doorway(const struct prove_reading *reading)
{
    bool any = false;
    for (unsigned p = 0; p < reading->places; p++)
        any |= reading->place[p].doorway;
    for (unsigned c = 1; c < reading->contexts; c++)
        any |= reading->context[c].doorway;
    return any;
}

prove_t prove_is_in_region(struct prove_system *system, enum prove_region region, prove_t who)
{
    const struct prove_reading *reading = system->reading;
    prove_t any = prove_bool(system->pool, false);
    for (unsigned p = 0; p < reading->places; p++) {
        if (prove_is_in(system, p, region, false))
            any = prove_or(system->pool, any, is_at(system, who, p));
    }
    for (unsigned c = 1; c < reading->contexts; c++) {
        if (reading->context[c].region == region)
            any = prove_or(system->pool, any, is_within(system, who, c));
    }
    return any;
}

/* @label, @:REGION, @!REGION and @/SUB, of a process: 1 or 0. */
static prove_t is_there(struct prove_system *system, const char *name, prove_t who)
{
    struct prove_pool *pool = system->pool;
    if (name[1] == '/')
        return is_in_sub(system, name + 2, who);
    if (name[1] == '^')
        return is_called_at(system, name + 2, who);
    if (strcmp(name, "@:WAITING") == 0)
        return prove_ite(pool, prove_is_waiting(system, who), number(system, 1), number(system, 0));
    enum prove_region region = PROVE_REMAINDER;
    const bool is_region = name[1] == ':' || name[1] == '!';
    if (is_region && !prove_region_named(name + 2, &region))
        return NULL;
    prove_t any = prove_bool(pool, false);
    for (unsigned p = 0; p < system->reading->places; p++) {
        const bool here = is_region ? prove_is_in(system, p, region, name[1] == ':')
                                    : strcmp(system->reading->place[p].label, name + 1) == 0;
        if (here)
            any = prove_or(pool, any, is_at(system, who, p));
    }
    for (unsigned c = 1; is_region && c < system->reading->contexts; c++) {
        if (system->reading->context[c].region == region)
            any = prove_or(pool, any, is_within(system, who, c));
    }
    return prove_ite(pool, any, number(system, 1), number(system, 0));
}

static prove_t understand(void *context, prove_t part)
{
    struct understanding *understanding = context;
    struct prove_system *system = understanding->system;
    const char *name = part->op == PROVE_SYMBOL  ? system->pool->name[part->number]
                       : part->op == PROVE_APPLY ? system->pool->name[part->arg[0]->number]
                                                 : NULL;
    prove_t meant = part;
    if (name == NULL || (part->op == PROVE_SYMBOL && (name[0] == '@' || name[0] == '.')))
        return part; /* a function: see where it is applied */
    for (unsigned v = 0; name[0] == '.' && v < system->reading->locals; v++) {
        if (strcmp(system->reading->local[v].name, name + 1) == 0)
            return prove_apply(system->pool, system->local_of[v], part->arg[1]);
    }
    if (name[0] == '.') {
        understanding->unknown = name;
        return part;
    }
    if (part->op == PROVE_APPLY && name[0] == '@') {
        meant = is_there(system, name, part->arg[1]);
    } else if (part->op == PROVE_SYMBOL && name[0] == '#') {
        system->counts = true;
        if (!is_known(system, (unsigned)part->number))
            meant = prove_meaning(system, name);
    } else if (part->op == PROVE_SYMBOL && !is_known(system, (unsigned)part->number)) {
        meant = NULL;
    }
    if (meant == NULL)
        understanding->unknown = name;
    return meant == NULL ? part : meant;
}

/* ---- conjuncts ---- */

static unsigned spoken_of(struct prove_system *system, prove_t condition)
{
    bool *used = prove_alloc(system->pool, system->pool->names * sizeof *used);
    if (used == NULL)
        return 0;
    prove_symbols_of(condition, used);
    return (used[system->i] ? PROVE_OF_I : 0) | (used[system->j] ? PROVE_OF_J : 0) |
           (used[system->any] ? PROVE_OF_ANY : 0) | (used[system->turn] ? PROVE_OF_TURN : 0);
}

static void add_conjunct(struct prove_system *system, const char *name, prove_t condition)
{
    system->conjunct[system->conjuncts++] = (struct prove_conjunct){
        .name = name, .condition = condition, .of = spoken_of(system, condition)};
}

/* From 0 to values - 1; where there is no largest one, from 0. */
static prove_t in_range(struct prove_system *system, prove_t value, prove_t values)
{
    prove_t natural = prove_le(system->pool, number(system, 0), value);
    return values == NULL ? natural
                          : prove_and(system->pool, natural, prove_lt(system->pool, value, values));
}

/* Where subroutines are called. A spot of this place, that has the value of a local in common with
 * the spots in `alike`; which are taken out. */
static prove_t contexts_alike(struct prove_system *system, unsigned place, int local, bool *left,
                              int64_t *value)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t i = variable(system, system->i), any = prove_bool(pool, false);
    unsigned spots = 0, alike = 0;
    bool found = false;
    for (unsigned s = 0; s < reading->spots; s++) {
        const struct prove_spot *spot = &reading->spot[s];
        if (spot->place != place)
            continue;
        spots++;
        if (!left[s] || (local >= 0 && spot->carries[local]) ||
            (local >= 0 && found && spot->value[local] != *value))
            continue;
        found = true;
        *value = local >= 0 ? spot->value[local] : 0;
        left[s] = false;
        alike++;
        any = prove_or(pool, any, is_within(system, i, spot->context));
    }
    return !found ? NULL : local >= 0 && alike == spots ? prove_bool(pool, true) : any;
}

/* One condition, since each step has to be asked about it. */
static void add_called_frame(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t i = variable(system, system->i), all = prove_bool(pool, true);
    int64_t value = 0;
    for (int v = -1; v < (int)reading->locals; v++) {
        bool left[PROVE_MAX_SPOTS];
        prove_t is = v < 0 ? NULL : prove_apply(pool, system->local_of[v], i);
        if (v >= 0)
            all = prove_and(pool, all, in_range(system, is, reading->local[v].values));
        for (unsigned s = 0; s < PROVE_MAX_SPOTS; s++)
            left[s] = true;
        for (unsigned p = 0; p < reading->places; p++) {
            for (prove_t in; (in = contexts_alike(system, p, v, left, &value)) != NULL;) {
                prove_t here = is_at(system, i, p);
                all = prove_and(pool, all,
                                v < 0 ? prove_implies(pool, here, in)
                                      : prove_implies(pool, prove_and(pool, here, in),
                                                      prove_eq(pool, is, number(system, value))));
            }
        }
    }
    add_conjunct(system, "where a process is, and what it remembers there", all);
}

static void add_frame(struct prove_system *system)
{
    struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    prove_t i = variable(system, system->i), any = variable(system, system->any);
    prove_t cells = prove_bool(pool, true), all = number(system, 0), counts = cells;
    for (unsigned c = 0; c < reading->cells; c++)
        cells = prove_and(
            pool, cells,
            in_range(system, variable(system, reading->cell[c].symbol), reading->cell[c].values));
    add_conjunct(system, "cells are in their ranges", cells);
    for (unsigned a = 0; a < reading->arrays; a++) {
        prove_t value = prove_apply(pool, reading->array[a].symbol, any);
        add_conjunct(system, "arrays are in their ranges",
                     prove_implies(pool, in_range(system, any, reading->array[a].count),
                                   in_range(system, value, reading->array[a].values)));
    }
    add_conjunct(system, "everybody is somewhere",
                 in_range(system, place_of(system, i), number(system, reading->places)));
    if (reading->contexts > 0) {
        add_called_frame(system);
        return;
    }
    for (unsigned v = 0; v < reading->locals; v++) {
        prove_t value = prove_apply(pool, system->local_of[v], i);
        prove_t carried = prove_bool(pool, false);
        for (unsigned p = 0; p < reading->places; p++) {
            if (reading->place[p].carries[v])
                carried =
                    prove_or(pool, carried, prove_eq(pool, place_of(system, i), number(system, p)));
        }
        add_conjunct(system, "local variables are in their ranges",
                     prove_and(pool, in_range(system, value, reading->local[v].values),
                               prove_or(pool, carried, prove_eq(pool, value, number(system, 0)))));
    }
    if (!system->counts)
        return;
    for (unsigned p = 0; p < reading->places; p++) {
        prove_t count = variable(system, system->at[p]);
        counts = prove_and(pool, counts, prove_le(pool, number(system, 0), count));
        all = prove_add(pool, all, count);
    }
    add_conjunct(system, "all are counted",
                 prove_and(pool, counts, prove_eq(pool, all, variable(system, system->n))));
}

/* ---- steps ---- */

/* In which contexts the step is made; where these are all, that is not asked. */
static prove_t contexts_of(struct prove_system *system, const struct prove_rule *rule, prove_t me)
{
    const struct prove_reading *reading = system->reading;
    prove_t any = prove_bool(system->pool, false);
    bool all = true;
    for (unsigned s = 0; s < reading->spots; s++) {
        if (reading->spot[s].place != rule->from)
            continue;
        if (rule->in[reading->spot[s].context])
            any = prove_or(system->pool, any, is_within(system, me, reading->spot[s].context));
        else
            all = false;
    }
    return all ? prove_bool(system->pool, true) : any;
}

/* A process is killed: it is nowhere in the program, and remembers nothing. */
static void add_kill(struct prove_system *system)
{
    struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    struct prove_step *step = &system->step[system->steps++];
    prove_t me = variable(system, system->me), zero = number(system, 0);
    unsigned dead = 0;
    while (dead + 1 < reading->places && reading->place[dead].region != PROVE_DEAD)
        dead++;
    reading->killed = (struct prove_rule){
        .from = dead, .to = dead, .label = "is killed", .file = "", .choice = -1, .to_context = -1};
    step->rule = &reading->killed;
    step->guard = prove_not(pool, is_at(system, me, dead));
    prove_add_store(system, step, system->place_of, me, number(system, dead));
    if (reading->contexts > 0)
        prove_add_store(system, step, system->context_of, me, zero);
    for (unsigned v = 0; v < reading->locals; v++)
        prove_add_store(system, step, system->local_of[v], me, zero);
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (strcmp(reading->array[a].name, "alive") == 0)
            prove_add_store(system, step, reading->array[a].symbol, me, zero);
    }
}

static void add_step(struct prove_system *system, const struct prove_rule *rule)
{
    struct prove_reading *reading = system->reading;
    struct prove_pool *pool = system->pool;
    struct prove_step *step = &system->step[system->steps++];
    prove_t me = variable(system, system->me), zero = number(system, 0);
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    if (by == NULL)
        return;
    step->rule = rule;
    for (unsigned v = 0; v < reading->locals; v++)
        by[reading->local[v].symbol] = reading->place[rule->from].carries[v]
                                           ? prove_apply(pool, system->local_of[v], me)
                                           : zero;
    step->anywhere = is_at(system, me, rule->from);
    for (unsigned t = 0; t < rule->tests; t++)
        step->anywhere = prove_and(pool, step->anywhere, prove_substitute(pool, rule->test[t], by));
    step->guard = prove_and(pool, step->anywhere, contexts_of(system, rule, me));
    for (unsigned c = 0; c < reading->cells; c++) {
        if (rule->cell[c] != NULL)
            prove_set(system, step, reading->cell[c].symbol,
                      prove_substitute(pool, rule->cell[c], by));
    }
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (rule->index[a] == NULL)
            continue;
        prove_t stored = rule->stored[a] == NULL ? zero : rule->stored[a];
        struct prove_store *made = prove_add_store(system, step, reading->array[a].symbol,
                                                   prove_substitute(pool, rule->index[a], by),
                                                   prove_substitute(pool, stored, by));
        if (rule->taken_of[a] != NULL)
            made->taken_of = prove_substitute(pool, rule->taken_of[a], by);
        prove_count_values(system, step, a, made->index, made->value);
    }
    for (unsigned m = 0; m < rule->mores; m++)
        prove_add_store(system, step, reading->array[rule->more[m].array].symbol,
                        prove_substitute(pool, rule->more[m].index, by),
                        prove_substitute(pool, rule->more[m].stored, by));
    for (unsigned v = 0; v < reading->locals; v++) {
        if (rule->local[v] == NULL && reading->contexts > 0)
            continue;
        if (reading->place[rule->from].carries[v] || reading->place[rule->to].carries[v])
            prove_add_store(system, step, system->local_of[v], me,
                            rule->local[v] == NULL ? zero
                                                   : prove_substitute(pool, rule->local[v], by));
    }
    if (rule->to_context >= 0)
        prove_add_store(system, step, system->context_of, me,
                        number(system, (unsigned)rule->to_context));
    if (rule->from == rule->to)
        return;
    prove_add_store(system, step, system->place_of, me, number(system, rule->to));
    if (!system->counts)
        return;
    prove_set(system, step, system->at[rule->from],
              prove_add(pool, variable(system, system->at[rule->from]), number(system, -1)));
    prove_set(system, step, system->at[rule->to],
              prove_add(pool, variable(system, system->at[rule->to]), number(system, 1)));
}

/* The slot that I holds, where it is critical. */
static prove_t held_by_i(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    prove_t *by = prove_alloc(system->pool, system->pool->names * sizeof(prove_t));
    if (by == NULL)
        return NULL;
    for (unsigned v = 0; v < reading->locals; v++)
        by[reading->local[v].symbol] =
            prove_apply(system->pool, system->local_of[v], variable(system, system->i));
    return prove_substitute(system->pool, reading->holds, by);
}

/* ---- all of it ---- */

static void understand_terms(struct understanding *understanding, prove_t *term, unsigned count)
{
    for (unsigned t = 0; t < count; t++) {
        if (term[t] != NULL)
            term[t] =
                prove_rewrite(understanding->system->pool, term[t], understand, understanding);
    }
}

static const char *understand_said(struct understanding *understanding)
{
    struct prove_reading *reading = understanding->system->reading;
    for (unsigned s = 0; s < reading->saids; s++) {
        struct prove_said *said = &reading->said[s];
        prove_t *part[] = {&said->condition, &said->low, &said->high, &said->hole, &said->limit};
        for (unsigned p = 0; p < sizeof part / sizeof part[0]; p++)
            understand_terms(understanding, part[p], 1);
        if (said->kind != PROVE_INVARIANT && said->kind != PROVE_ORDER_INVARIANT &&
            said->kind != PROVE_ASSUMED && said->kind != PROVE_PIGEONHOLES &&
            said->kind != PROVE_KNOWN_ALONE)
            return "this kind of invariant is not for a protocol that tells processes apart";
    }
    return NULL;
}

/* Ranks, and the terms that have a name. */
static void understand_rest(struct understanding *understanding)
{
    struct prove_reading *reading = understanding->system->reading;
    const struct {
        prove_t *term;
        unsigned count;
    } rest[] = {{reading->blocker, reading->blocked},
                {reading->own, reading->owns},
                {reading->leave, reading->leaves},
                {reading->enter, reading->enters},
                {reading->falls_each, reading->fall_each},
                {reading->falls_all, reading->fall_all},
                {reading->let, reading->lets},
                {reading->trying, reading->tryings},
                {&reading->let_in, 1},
                {&reading->each, 1},
                {&reading->number, 1},
                {&reading->released, 1},
                {&reading->enabled, 1},
                {&reading->taken, 1},
                {&reading->crowd, 1},
                {&reading->seat, 1}};
    for (unsigned r = 0; r < sizeof rest / sizeof rest[0]; r++)
        understand_terms(understanding, rest[r].term, rest[r].count);
}

/* Without a SEAT it is the slot. Whether processes are counted depends on it. */
static void settle_seat(struct prove_system *system)
{
    struct prove_reading *reading = system->reading;
    system->seat_is_slot = reading->holds != NULL && reading->seat == NULL;
    if (system->seat_is_slot)
        reading->seat = held_by_i(system);
    if ((system->protocol->max_l > 1 && (reading->contexts == 0 || reading->seat == NULL)) ||
        reading->number != NULL)
        system->counts = true;
}

static void add_said(struct prove_system *system, const char *without)
{
    const struct prove_reading *reading = system->reading;
    for (unsigned s = 0; s < reading->saids; s++) {
        const struct prove_said *said = &reading->said[s];
        if ((without != NULL && strcmp(without, said->name) == 0) ||
            said->kind == PROVE_KNOWN_ALONE)
            continue;
        add_conjunct(system, said->name, said->condition);
        struct prove_conjunct *conjunct = &system->conjunct[system->conjuncts - 1];
        conjunct->said = true;
        conjunct->waiting = said->kind == PROVE_ORDER_INVARIANT;
        conjunct->assumed = said->kind == PROVE_ASSUMED;
        if (said->kind == PROVE_PIGEONHOLES)
            conjunct->counted = said;
    }
}

static void add_steps(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    for (unsigned r = 0; r < reading->rules; r++)
        add_step(system, &reading->rule[r]);
    if (reading->kills)
        add_kill(system);
    if (reading->deaths)
        prove_names_add_death(system);
}

const char *prove_names_make(struct prove_system *system, struct prove_reading *reading,
                             const struct protocol *protocol, const char *without)
{
    static char unknown[200];
    memset(system, 0, sizeof *system);
    system->reading = reading;
    system->pool = reading->pool;
    system->protocol = protocol;
    system->step = prove_alloc(reading->pool, PROVE_MAX_STEPS * sizeof *system->step);
    if (system->step == NULL)
        return "out of memory";
    add_variables(system);
    if (system->variables > PROVE_MAX_VARIABLES)
        return "the protocol has too many places";
    system->sizes = prove_sizes(system);
    for (unsigned c = 0; c < reading->constants; c++)
        system->sizes = prove_and(reading->pool, system->sizes, reading->constant[c].condition);
    struct understanding understanding = {.system = system};
    const char *error = understand_said(&understanding);
    if (error != NULL)
        return error;
    understand_rest(&understanding);
    settle_seat(system);
    error = prove_names_misspoken(system);
    if (error == NULL)
        error = prove_names_misreleased(system);
    if (error != NULL)
        return error;
    add_frame(system);
    prove_add_counted(system);
    add_said(system, without);
    add_steps(system);
    if (prove_pool_failed(reading->pool))
        return "out of memory";
    if (understanding.unknown == NULL)
        return NULL;
    snprintf(unknown, sizeof unknown, "PROOF speaks of %s, which is nothing here",
             understanding.unknown);
    return unknown;
}
