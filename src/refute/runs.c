/* Runs, and how an adversary ends. */
#include "refute/adversary.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_begin(const struct adversary *adversary, struct run *run)
{
    *run = (struct run){.step = NULL};
    adversary->model->initial(adversary->model, run->state);
}

void run_free(struct run *run)
{
    free(run->step);
    *run = (struct run){.step = NULL};
}

static bool reserve(struct adversary *adversary, struct run *run, size_t length)
{
    if (length <= run->room)
        return true;
    size_t room = run->room == 0 ? 64 : run->room;
    while (room < length)
        room *= 2;
    uint8_t *step = realloc(run->step, room);
    if (step == NULL)
        return fall_short(adversary, REFUTE_NO_MEMORY);
    run->step = step;
    run->room = room;
    return true;
}

bool run_copy(struct adversary *adversary, struct run *run, const struct run *from)
{
    uint8_t *step = run->step;
    const size_t room = run->room;
    *run = *from;
    run->step = step;
    run->room = room;
    if (!reserve(adversary, run, from->length))
        return false;
    if (from->length > 0)
        memcpy(run->step, from->step, from->length);
    return true;
}

crew run_those(const struct adversary *adversary, const struct run *run, crew among,
               enum check_region region)
{
    crew those = 0;
    for (unsigned p = 0; p < adversary->model->n; p++) {
        if (team_has(among, p) && run_region(adversary, run, p) == region)
            those |= team_of(p);
    }
    return those;
}

bool run_step(struct adversary *adversary, struct run *run, unsigned p)
{
    const struct check_model *model = adversary->model;
    struct check_note note;
    uint64_t next[CHECK_MAX_WORDS];
    if (!model->describe(model, run->state, p, next, &note))
        return fall_short(adversary, REFUTE_NO_STEP);
    if (!reserve(adversary, run, run->length + 1))
        return false;
    if (run_region(adversary, run, p) == CHECK_REMAINDER)
        run->arrival[p] = run->length;
    run->step[run->length++] = (uint8_t)p;
    memcpy(run->state, next, model->words * sizeof *next);
    const crew critical = run_those(adversary, run, team_range(0, model->n), CHECK_CRITICAL);
    const unsigned count = (unsigned)__builtin_popcount(critical);
    return count <= model->l || conclude(adversary, run, CHECK_EXCLUSION, run->length,
                                         "%u processes are critical at once", count);
}

bool run_each(struct adversary *adversary, struct run *run, unsigned from, unsigned to)
{
    for (unsigned p = from; p < to; p++) {
        if (!run_step(adversary, run, p))
            return false;
    }
    return true;
}

bool run_again(struct adversary *adversary, struct run *run, const struct run *other, size_t from)
{
    for (size_t s = from; s < other->length; s++) {
        if (!run_step(adversary, run, other->step[s]))
            return false;
    }
    return true;
}

bool run_knock(struct adversary *adversary, struct run *run, unsigned p, crew enabled)
{
    if (!run_step(adversary, run, p))
        return false;
    if (run_region(adversary, run, p) != CHECK_CRITICAL)
        return true;
    say(adversary, "P%u enters although all slots are held or sure to be taken", p);
    for (unsigned e = 0; e < adversary->model->n; e++) {
        if (team_has(enabled, e) && !run_step(adversary, run, e))
            return false;
    }
    return stop(adversary, "P%u enters, and no contradiction follows", p);
}

/* ---- the end ---- */

static void say_list(struct adversary *adversary, const char *format, va_list arguments)
{
    char *how = adversary->outcome->how;
    const size_t room = sizeof adversary->outcome->how;
    size_t used = strlen(how);
    if (used > 0 && used + 2 < room)
        used += (size_t)snprintf(how + used, room - used, "; ");
    vsnprintf(how + used, room - used, format, arguments);
}

void say(struct adversary *adversary, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_list(adversary, format, arguments);
    va_end(arguments);
}

bool conclude(struct adversary *adversary, const struct run *run, enum check_property property,
              size_t stem, const char *format, ...)
{
    struct refute_outcome *outcome = adversary->outcome;
    uint8_t *edge = malloc(run->length > 0 ? run->length : 1);
    if (edge == NULL)
        return fall_short(adversary, REFUTE_NO_MEMORY);
    if (run->length > 0)
        memcpy(edge, run->step, run->length);
    outcome->end = REFUTE_BROKEN;
    outcome->result.answer = CHECK_FAILS;
    outcome->result.query.property = property;
    outcome->result.witness = (struct check_witness){edge, run->length, stem};
    outcome->k = adversary->k;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->result.about, sizeof outcome->result.about, format, arguments);
    va_end(arguments);
    return false;
}

bool stop(struct adversary *adversary, const char *format, ...)
{
    va_list arguments;
    adversary->outcome->end = REFUTE_STOPPED;
    adversary->outcome->how[0] = '\0';
    va_start(arguments, format);
    say_list(adversary, format, arguments);
    va_end(arguments);
    return false;
}

bool fall_short(struct adversary *adversary, enum refute_end end)
{
    adversary->outcome->end = end;
    return false;
}

bool cycle_serves(struct adversary *adversary, const struct run *run, size_t stem, bool *serves,
                  unsigned *who)
{
    struct run again;
    bool goes_on = true;
    *serves = false;
    *who = 0;
    run_begin(adversary, &again);
    for (size_t s = 0; goes_on && s < run->length; s++) {
        const unsigned p = run->step[s];
        const enum check_region before = run_region(adversary, &again, p);
        goes_on = run_step(adversary, &again, p);
        if (goes_on && s >= stem && run_region(adversary, &again, p) == CHECK_CRITICAL &&
            before != CHECK_CRITICAL) {
            *serves = true;
            *who = p;
        }
    }
    run_free(&again);
    return goes_on;
}

bool conclude_starved(struct adversary *adversary, const struct run *run, size_t stem, unsigned p)
{
    unsigned who;
    bool serves;
    if (!cycle_serves(adversary, run, stem, &serves, &who))
        return false;
    if (!serves)
        return conclude(adversary, run, adversary->deadlock, stem,
                        "from step %zu on nobody changes its region any more", stem + 1);
    return conclude(adversary, run, CHECK_BOUNDED_WAITING, stem,
                    "while P%u waits, P%u goes from remainder to critical without bound", p, who);
}

bool conclude_lockout(struct adversary *adversary, const struct run *run, size_t stem, unsigned p)
{
    return conclude(adversary, run, CHECK_LOCKOUT_FREE, stem,
                    "P%u moves for ever and never leaves its region", p);
}

bool mark(struct adversary *adversary, const struct run *run, const char *format, ...)
{
    struct refute_outcome *outcome = adversary->outcome;
    if (outcome->points == outcome->room) {
        const size_t room = outcome->room == 0 ? 32 : 2 * outcome->room;
        struct refute_point *point = reallocarray(outcome->point, room, sizeof *point);
        if (point == NULL)
            return fall_short(adversary, REFUTE_NO_MEMORY);
        outcome->point = point;
        outcome->room = room;
    }
    struct refute_point *point = &outcome->point[outcome->points++];
    value_text(adversary, run_value(adversary, run), point->value, sizeof point->value);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(point->name, sizeof point->name, format, arguments);
    va_end(arguments);
    return true;
}
