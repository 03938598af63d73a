#include "prove/obligation.h"

#include <stdlib.h>
#include <string.h>

void prove_obligations_free(struct prove_obligations *list)
{
    free(list->all);
    *list = (struct prove_obligations){0};
}

struct prove_obligation *prove_oblige(struct prove_obligations *list, struct prove_system *system,
                                      enum prove_kind kind, const struct prove_step *step)
{
    static const char *const names[] = {"first", "kept",  "words", "goal",
                                        "rank",  "moves", "helped"};
    static struct prove_obligation nowhere;
    if (list->count == list->room) {
        const unsigned room = list->room == 0 ? 128 : 2 * list->room;
        struct prove_obligation *grown = realloc(list->all, room * sizeof *grown);
        if (grown == NULL) {
            list->failed = true;
            return &nowhere;
        }
        list->all = grown;
        list->room = room;
    }
    struct prove_obligation *made = &list->all[list->count++];
    *made = (struct prove_obligation){.kind = kind, .system = system, .step = step};
    int used = snprintf(made->name, sizeof made->name, "%03u-%s%s", list->count,
                        system->marks == PROVE_MARKED ? "waiting-" : "", names[kind]);
    if (step != NULL)
        snprintf(made->name + used, sizeof made->name - (size_t)used, "-%s%s-line-%lld",
                 step->rule->label,
                 step->mover == PROVE_WAITER  ? "-waiter"
                 : step->mover == PROVE_OTHER ? "-other"
                                              : "",
                 (long long)step->rule->line);
    return made;
}

static void say(struct prove_obligation *made, const char *what);
void prove_oblige_says(struct prove_obligation *made, const char *conjunct, const char *what)
{
    char text[160];
    snprintf(text, sizeof text, conjunct == NULL ? "%s%s" : "\"%s\" %s",
             conjunct == NULL ? "" : conjunct, what);
    say(made, text);
}

static void say(struct prove_obligation *made, const char *what)
{
    const struct prove_step *step = made->step;
    if (step == NULL) {
        snprintf(made->text, sizeof made->text, "%s", what);
        return;
    }
    const struct prove_place *place = made->system->reading->place;
    if (step->rule == &made->system->reading->killed) {
        snprintf(made->text, sizeof made->text, "%s: %s, at any place", what, step->rule->label);
        return;
    }
    snprintf(made->text, sizeof made->text, "%s: %s, %s:%lld, %s -> %s%s", what, step->rule->label,
             step->rule->file, (long long)step->rule->line, place[step->rule->from].name,
             place[step->rule->to].name,
             step->mover == PROVE_WAITER  ? " (the waiter)"
             : step->mover == PROVE_OTHER ? " (the other one)"
                                          : "");
}

/* What has to be kept: everything; in the marked system, only what is said there. */
static prove_t to_keep(struct prove_system *system)
{
    prove_t all = prove_bool(system->pool, true);
    for (unsigned c = 0; c < system->conjuncts; c++) {
        const struct prove_conjunct *conjunct = &system->conjunct[c];
        if (!system->marks != PROVE_UNMARKED || conjunct->waiting)
            all = prove_and(system->pool, all, conjunct->condition);
    }
    return all;
}

static prove_t assumed(struct prove_system *system)
{
    if (system->reading->names)
        return system->sizes; /* what is more is said of some processes: names_obligation.c */
    return prove_and(system->pool, system->sizes, prove_invariant(system));
}

void prove_oblige_invariant(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t keep = to_keep(system);
    prove_t *by = prove_alloc(pool, pool->names * sizeof(prove_t));
    if (by == NULL) {
        list->failed = true;
        return;
    }
    for (unsigned v = 0; v < system->variables; v++)
        by[system->variable[v]] = system->first[v];
    struct prove_obligation *made = prove_oblige(list, system, PROVE_AT_FIRST, NULL);
    made->assume = system->sizes;
    made->goal = prove_substitute(pool, keep, by);
    say(made, "the invariant holds at first");
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        prove_t after = prove_after(system, step, keep);
        if (after != keep) { /* where nothing changes there is nothing to show */
            made = prove_oblige(list, system, PROVE_KEPT, step);
            made->assume = prove_and(pool, assumed(system), step->guard);
            made->goal = after;
            say(made, "the invariant is kept");
        }
        prove_t wellformed = system->marks != PROVE_UNMARKED ? prove_bool(pool, true)
                                                             : prove_wellformed_step(system, step);
        if (prove_is_true(wellformed))
            continue;
        made = prove_oblige(list, system, PROVE_WELLFORMED, step);
        prove_t at = prove_variable(pool, system->at[step->rule->from]);
        made->assume = prove_and(pool, assumed(system), prove_lt(pool, prove_number(pool, 0), at));
        made->goal = wellformed;
        say(made, "numbers that are compared are not negative");
    }
}

static void oblige(struct prove_obligations *list, struct prove_system *system, prove_t goal,
                   const char *text)
{
    struct prove_obligation *made = prove_oblige(list, system, PROVE_GOAL, NULL);
    made->assume = assumed(system);
    made->goal = goal;
    say(made, text);
}

void prove_oblige_exclusion(struct prove_obligations *list, struct prove_system *system)
{
    oblige(list, system,
           prove_le(system->pool, prove_in_region(system, PROVE_CRITICAL),
                    prove_variable(system->pool, system->l)),
           "no more processes are critical than there are slots");
}

void prove_oblige_values(struct prove_obligations *list, struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    if (reading->whole != NULL)
        oblige(list, system, prove_le(system->pool, reading->whole, reading->values),
               "the shared variable has as many values as claimed, at most");
    for (unsigned a = 0; a < reading->arrays; a++) {
        prove_t none = prove_bool(system->pool, false); /* there is no largest one */
        oblige(list, system,
               reading->array[a].values == NULL
                   ? none
                   : prove_le(system->pool, reading->array[a].values, reading->values),
               "a shared variable of an array has as many values as claimed, at most");
    }
    for (unsigned c = 0; c < reading->cells && reading->whole == NULL; c++)
        oblige(list, system, prove_le(system->pool, reading->cell[c].values, reading->values),
               "a shared variable has as many values as claimed, at most");
}

static bool keeps_region(const struct prove_system *system, const struct prove_step *step)
{
    const struct prove_place *place = system->reading->place;
    return place[step->rule->from].region == place[step->rule->to].region;
}

/* The first rank that differs is lower after the step, and was not negative. With *same: none
 * differs. */
static prove_t lower(struct prove_system *system, const struct prove_step *step,
                     const prove_t *rank, unsigned ranks, prove_t *same)
{
    struct prove_pool *pool = system->pool;
    prove_t lower = prove_bool(pool, false);
    *same = prove_bool(pool, true);
    for (unsigned r = ranks; r-- > 0;) { /* the last first: r decides, or else what follows it */
        prove_t before = rank[r], after = prove_after(system, step, before);
        prove_t less = prove_and(pool, prove_lt(pool, after, before),
                                 prove_le(pool, prove_number(pool, 0), before));
        prove_t equal = prove_eq(pool, after, before);
        lower = prove_or(pool, less, prove_and(pool, equal, lower));
        *same = prove_and(pool, *same, equal);
    }
    return lower;
}

void prove_oblige_deadlock_free(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t moves = prove_bool(pool, false);
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        prove_t changes = prove_changes(system, step);
        if (step->rule->from != 0)
            moves = prove_or(pool, moves, prove_and(pool, step->guard, changes));
        if (!keeps_region(system, step) || changes->op == PROVE_FALSE)
            continue;
        struct prove_obligation *made = prove_oblige(list, system, PROVE_RANKED, step);
        made->assume = prove_and(pool, prove_and(pool, assumed(system), step->guard), changes);
        prove_t same;
        made->goal = lower(system, step, system->rank, system->ranks, &same);
        say(made, "a step that changes no region lowers the rank");
    }
    struct prove_obligation *made = prove_oblige(list, system, PROVE_MOVES, NULL);
    prove_t resting = prove_in_region(system, PROVE_REMAINDER);
    made->assume =
        prove_and(pool, assumed(system), prove_lt(pool, resting, prove_variable(pool, system->n)));
    made->goal = moves;
    say(made, "somebody outside its remainder can change something");
}

/* A slot is free and somebody waits, or somebody is in its exit region. */
static prove_t somebody_lingers(struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t zero = prove_number(pool, 0);
    prove_t free_slot =
        prove_lt(pool, prove_in_region(system, PROVE_CRITICAL), prove_variable(pool, system->l));
    prove_t waits = prove_lt(pool, zero, prove_in_region(system, PROVE_TRYING));
    return prove_or(pool, prove_and(pool, free_slot, waits),
                    prove_lt(pool, zero, prove_in_region(system, PROVE_EXIT)));
}

void prove_oblige_allocation(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    const struct prove_place *place = system->reading->place;
    prove_t moves = prove_bool(pool, false);
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        const enum prove_region from = place[step->rule->from].region;
        if (from == PROVE_TRYING || from == PROVE_EXIT)
            moves =
                prove_or(pool, moves, prove_and(pool, step->guard, prove_changes(system, step)));
    }
    struct prove_obligation *made = prove_oblige(list, system, PROVE_MOVES, NULL);
    made->assume = prove_and(pool, assumed(system), somebody_lingers(system));
    made->goal = moves;
    say(made, "where a slot is free, a process that waits can change something");
}

void prove_oblige_entering(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    const struct prove_place *place = system->reading->place;
    prove_t full =
        prove_le(pool, prove_variable(pool, system->l), prove_in_region(system, PROVE_CRITICAL));
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        if (place[step->rule->from].region != PROVE_TRYING ||
            place[step->rule->to].region == PROVE_CRITICAL)
            continue;
        struct prove_obligation *made = prove_oblige(list, system, PROVE_GOAL, step);
        made->assume = prove_and(pool, assumed(system), step->guard);
        made->goal = full;
        say(made, "where a slot is free, each waiting process enters by its next step");
    }
    struct prove_obligation *made = prove_oblige(list, system, PROVE_GOAL, NULL);
    made->assume = assumed(system);
    made->goal = prove_eq(pool, prove_in_region(system, PROVE_EXIT), prove_number(pool, 0));
    say(made, "nobody is in its exit region");
}

/* Which of the helpers there is, counted from 1; 0: none. */
static prove_t helper(struct prove_system *system)
{
    prove_t which = prove_number(system->pool, 0);
    for (unsigned h = system->helpers; h-- > 0;)
        which = prove_ite(system->pool, system->helps[h], prove_number(system->pool, h + 1), which);
    return which;
}

/* Whether the step is one of the helper's. */
static prove_t is_helpers(struct prove_system *system, const struct prove_step *step)
{
    struct prove_pool *pool = system->pool;
    const char *label = system->reading->place[step->rule->from].label;
    prove_t any = prove_bool(pool, false);
    for (unsigned h = 0; h < system->helpers; h++) {
        if (strcmp(system->helper[h], label) == 0)
            any = prove_or(pool, any, prove_eq(pool, helper(system), prove_number(pool, h + 1)));
    }
    return any;
}

static void oblige_helped(struct prove_obligations *list, struct prove_system *system,
                          const struct prove_step *step, const prove_t *rank, unsigned ranks)
{
    struct prove_pool *pool = system->pool;
    prove_t same, less = lower(system, step, rank, ranks, &same);
    prove_t which = helper(system), helps = is_helpers(system, step);
    prove_t left = prove_and(pool, same, prove_eq(pool, which, prove_after(system, step, which)));
    left = prove_and(pool, left, prove_lt(pool, prove_number(pool, 0), which));
    prove_t idle = prove_or(pool, prove_not(pool, prove_changes(system, step)), left);
    prove_t keep = to_keep(system), kept = prove_after(system, step, keep);
    prove_t goal = prove_or(pool, less, prove_and(pool, prove_not(pool, helps), idle));
    goal = kept == keep ? goal : prove_and(pool, goal, kept);
    if (prove_is_true(goal))
        return; /* nothing changes */
    struct prove_obligation *made = prove_oblige(list, system, PROVE_HELPED, step);
    made->assume =
        prove_and(pool, prove_and(pool, assumed(system), step->guard), prove_waits(system));
    made->goal = goal;
    say(made, "it brings the waiter nearer, or leaves that to the helper");
}

void prove_oblige_lockout_free(struct prove_obligations *list, struct prove_system *system)
{
    struct prove_pool *pool = system->pool;
    prove_t rank[2 * PROVE_MAX_RANK], zero = prove_number(pool, 0);
    unsigned ranks = 0;
    for (unsigned r = 0; r < system->lockouts; r++)
        rank[ranks++] = system->lockout[r];
    prove_t nobody = prove_eq(pool, helper(system), zero);
    for (unsigned r = 0; r < system->ranks; r++)
        rank[ranks++] = prove_ite(pool, nobody, system->rank[r], zero);
    const struct prove_place *place = system->reading->place;
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        const enum prove_region to = place[step->rule->to].region;
        const bool ends = step->mover == PROVE_WAITER && to != PROVE_TRYING && to != PROVE_EXIT;
        const bool begins =
            step->mover == PROVE_WAITER && (place[step->rule->from].region == PROVE_REMAINDER ||
                                            place[step->rule->from].region == PROVE_CRITICAL);
        if (!ends && !begins)
            oblige_helped(list, system, step, rank, ranks);
    }
    for (unsigned h = 0; h < system->helpers; h++) {
        prove_t at = zero;
        for (unsigned p = 0; p < system->reading->places; p++) {
            if (strcmp(place[p].label, system->helper[h]) == 0)
                at = prove_add(pool, at, prove_variable(pool, system->at[p]));
        }
        struct prove_obligation *made = prove_oblige(list, system, PROVE_GOAL, NULL);
        made->assume = prove_and(pool, prove_and(pool, assumed(system), prove_waits(system)),
                                 prove_eq(pool, helper(system), prove_number(pool, h + 1)));
        made->goal = prove_eq(pool, at, prove_number(pool, 1));
        say(made, "the helper is one process");
    }
}

void prove_oblige_waiting(struct prove_obligations *list, struct prove_system *system,
                          uint64_t bound, uint64_t bound_n)
{
    struct prove_pool *pool = system->pool;
    prove_t most = prove_2(pool, PROVE_MUL, prove_number(pool, (int64_t)bound_n),
                           prove_variable(pool, system->n));
    most = prove_add(pool, most, prove_number(pool, (int64_t)bound));
    oblige(list, system, prove_le(pool, prove_variable(pool, system->entries), most),
           "the other one does not come to its critical region more often");
}
