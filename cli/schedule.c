#include "schedule.h"

#include "stress/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_schedule_add(struct cli_schedule *schedule, unsigned edge)
{
    if (schedule->length == schedule->room) {
        size_t room = schedule->room == 0 ? 256 : schedule->room * 2;
        uint8_t *larger = realloc(schedule->edge, room);
        if (larger == NULL)
            return false;
        schedule->edge = larger;
        schedule->room = room;
    }
    schedule->edge[schedule->length++] = (uint8_t)edge;
    return true;
}

void cli_schedule_free(struct cli_schedule *schedule)
{
    free(schedule->edge);
    *schedule = (struct cli_schedule){0};
}

/* ---- as text ---- */

static unsigned edge_of(const struct check_model *model, unsigned process, char kind)
{
    if (kind == '!')
        return (model->kinds - 1) * model->n + process;
    return kind == '?' ? model->n + process : process;
}

const char *cli_schedule_parse(struct cli_schedule *schedule, const struct check_model *model,
                               const char *text, char *buffer, size_t size)
{
    static const char between[] = " \t\r\n,";
    for (text += strspn(text, between); *text != '\0'; text += strspn(text, between)) {
        const int length = (int)strcspn(text, between);
        char *end = NULL;
        const unsigned long process =
            *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : model->n;
        const char kind = process < model->n ? *end : '\0';
        if (process >= model->n || end + (kind == '!' || kind == '?') != text + length) {
            snprintf(buffer, size, "not a move of processes 0 to %u: %.*s", model->n - 1,
                     length < 40 ? length : 40, text);
            return buffer;
        }
        if ((kind == '!' && !model->has_fault) || (kind == '?' && !model->has_choice)) {
            snprintf(buffer, size, "there is no such move with these parameters: %.*s", length,
                     text);
            return buffer;
        }
        if (!cli_schedule_add(schedule, edge_of(model, (unsigned)process, kind)))
            return "out of memory";
        text += length;
    }
    return NULL;
}

char *cli_schedule_text(const struct check_model *model, const uint8_t *edge, size_t length)
{
    char *text = malloc(length * 4 + 1), *at = text;
    if (text == NULL)
        return NULL;
    *at = '\0';
    for (size_t s = 0; s < length; s++) {
        const char *kind = cli_edge_is_fault(model, edge[s])    ? "!"
                           : cli_edge_is_choice(model, edge[s]) ? "?"
                                                                : "";
        at += sprintf(at, "%s%u%s", s > 0 ? " " : "", edge[s] % model->n, kind);
    }
    return text;
}

/* ---- schedulers ---- */

static bool make(struct cli_schedule *schedule, struct cli_replay *replay, unsigned edge)
{
    return cli_replay_move(replay, edge) && cli_schedule_add(schedule, edge);
}

static bool can(const struct cli_replay *replay, unsigned edge)
{
    uint64_t unused[CHECK_MAX_WORDS];
    struct check_note note;
    return cli_replay_next(replay, edge, unused, &note);
}

/* One of the edges of `set`, each as likely as any other. */
static unsigned pick(uint64_t set, uint64_t *random)
{
    uint64_t skip = stress_random(random) % (uint64_t)__builtin_popcountll(set);
    while (skip-- > 0)
        set &= set - 1;
    return (unsigned)__builtin_ctzll(set);
}

bool cli_schedule_random(struct cli_schedule *schedule, struct cli_replay *replay,
                         struct cli_scheduler *scheduler)
{
    const struct check_model *model = replay->model;
    uint64_t steps = 0, faults = 0;
    for (unsigned e = 0; e < model->n * model->kinds; e++) {
        if (can(replay, e))
            *(cli_edge_is_fault(model, e) ? &faults : &steps) |= UINT64_C(1) << e;
    }
    const bool fails = faults != 0 && scheduler->faults &&
                       (steps == 0 || stress_random(&scheduler->random) % 16 == 0);
    const uint64_t set = fails ? faults : steps;
    return set != 0 && make(schedule, replay, pick(set, &scheduler->random));
}

bool cli_schedule_fair(struct cli_schedule *schedule, struct cli_replay *replay,
                       struct cli_scheduler *scheduler)
{
    const struct check_model *model = replay->model;
    uint64_t able = 0;
    for (unsigned p = 0; p < model->n; p++)
        able |= (uint64_t)can(replay, p) << p;
    if ((able & ~scheduler->moved) == 0)
        scheduler->moved = 0;
    able &= ~scheduler->moved;
    if (able == 0)
        return false;
    const unsigned p =
        scheduler->random != 0 ? pick(able, &scheduler->random) : (unsigned)__builtin_ctzll(able);
    scheduler->moved |= UINT64_C(1) << p;
    return make(schedule, replay, p);
}

bool cli_schedule_against(struct cli_schedule *schedule, struct cli_replay *replay,
                          struct cli_scheduler *scheduler, unsigned victim)
{
    const struct check_model *model = replay->model;
    uint64_t able = 0, changing = 0;
    bool lets_in = false;
    for (unsigned p = 0; p < model->n; p++) {
        uint64_t next[CHECK_MAX_WORDS];
        struct check_note note;
        if (!cli_replay_next(replay, p, next, &note))
            continue;
        able |= UINT64_C(1) << p;
        changing |= (uint64_t)!check_same_state(next, replay->state, model->words) << p;
        if (p == victim)
            lets_in = check_region_of(model, next, p) == CHECK_CRITICAL;
    }
    const uint64_t others = able & ~(UINT64_C(1) << victim);
    if (lets_in && (others & changing) != 0)
        able = others & changing; /* it has to wait until another process blocks it again */
    if ((able & ~scheduler->moved) == 0)
        scheduler->moved = 0;
    able &= ~scheduler->moved;
    if (able == 0)
        return false;
    const unsigned p = pick(able, &scheduler->random);
    scheduler->moved |= UINT64_C(1) << p;
    return make(schedule, replay, p);
}
