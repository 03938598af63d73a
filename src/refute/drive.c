/* Driving some of the processes, and searching among their steps. */
#include "refute/adversary.h"

#include <stdlib.h>
#include <string.h>

/* ---- driving ---- */

static bool takes_turn(const struct adversary *adversary, const struct run *run,
                       const struct drive *drive, unsigned p)
{
    const enum check_region region = run_region(adversary, run, p);
    return team_has(drive->team, p) && !(drive->rest_outside && region == CHECK_REMAINDER) &&
           !(drive->rest_inside && region == CHECK_CRITICAL);
}

static bool is_there(const struct adversary *adversary, const struct run *run,
                     const struct drive *drive)
{
    return drive->there != NULL && drive->there(adversary, run, drive->context);
}

/* One round; *there: it got there. */
static bool round_of(struct adversary *adversary, struct run *run, const struct drive *drive,
                     bool *there)
{
    for (unsigned p = 0; p < adversary->model->n && !*there; p++) {
        if (!takes_turn(adversary, run, drive, p))
            continue;
        if (!run_step(adversary, run, p))
            return false;
        *there = is_there(adversary, run, drive);
    }
    return true;
}

/* How long the run was at each state. */
struct lengths {
    size_t *length, room;
};

static size_t *lengths_at(struct lengths *lengths, uint32_t number) /* NULL: no memory */
{
    if (number >= lengths->room) {
        const size_t room = 2 * (size_t)number + 64;
        size_t *grown = reallocarray(lengths->length, room, sizeof *grown);
        if (grown == NULL)
            return NULL;
        lengths->length = grown;
        lengths->room = room;
    }
    return &lengths->length[number];
}

bool drive(struct adversary *adversary, struct run *run, const struct drive *drive, bool *cycles,
           size_t *stem)
{
    struct states seen; /* the states at the beginning of each round */
    struct lengths lengths = {NULL, 0};
    bool there = is_there(adversary, run, drive), goes_on = true;
    *cycles = false;
    states_open(&seen, adversary->model->words, adversary->most);
    while (goes_on && !there && !*cycles) {
        bool fresh;
        const uint32_t number = states_add(&seen, run->state, &fresh);
        size_t *length = number == STATES_NONE ? NULL : lengths_at(&lengths, number);
        if (length == NULL) {
            goes_on = fall_short(adversary, REFUTE_NO_MEMORY);
        } else if (fresh) {
            *length = run->length;
            goes_on = round_of(adversary, run, drive, &there);
        } else {
            *cycles = true;
            *stem = *length;
        }
    }
    states_close(&seen);
    free(lengths.length);
    return goes_on;
}

bool drive_there(struct adversary *adversary, struct run *run, const struct drive *how)
{
    bool cycles;
    size_t stem;
    if (!drive(adversary, run, how, &cycles, &stem))
        return false;
    return !cycles || conclude(adversary, run, adversary->deadlock, stem,
                               "from step %zu on nobody changes its region any more", stem + 1);
}

static bool all_out(const struct adversary *adversary, const struct run *run, const void *context)
{
    const crew *team = context;
    return run_those(adversary, run, *team, CHECK_REMAINDER) == *team;
}

static bool all_in(const struct adversary *adversary, const struct run *run, const void *context)
{
    const crew *team = context;
    return run_those(adversary, run, *team, CHECK_CRITICAL) == *team;
}

bool drive_exit(struct adversary *adversary, struct run *run, crew team)
{
    const struct drive out = {
        .team = team, .rest_outside = true, .there = all_out, .context = &team};
    return drive_there(adversary, run, &out);
}

bool drive_enter(struct adversary *adversary, struct run *run, unsigned p)
{
    const crew team = team_of(p);
    const struct drive in = {.team = team, .there = all_in, .context = &team};
    return drive_there(adversary, run, &in);
}

bool drive_recur(struct adversary *adversary, struct run *run, unsigned p, size_t *period)
{
    const struct drive for_ever = {.team = team_of(p)};
    bool cycles;
    size_t stem = 0;
    if (!drive(adversary, run, &for_ever, &cycles, &stem))
        return false;
    *period = run->length - stem;
    run->length = stem; /* it is the same state */
    return true;
}

bool drive_round(struct adversary *adversary, struct run *run, unsigned p, size_t *stem)
{
    size_t period;
    if (!drive_recur(adversary, run, p, &period))
        return false;
    *stem = run->length;
    /* A cycle leads through all regions, or stays in one. */
    bool rests = false;
    for (size_t s = 0; s < period; s++) {
        rests |= run_region(adversary, run, p) == CHECK_REMAINDER;
        if (!run_step(adversary, run, p))
            return false;
    }
    return rests || conclude(adversary, run, adversary->deadlock, *stem,
                             "P%u alone never changes its region any more", p);
}

/* ---- searching ---- */

static bool reach_note(struct reach *reach, uint32_t number, uint32_t from, unsigned by)
{
    if (number >= reach->room) {
        const size_t room = reach->room == 0 ? 256 : 2 * reach->room;
        uint32_t *grown = reallocarray(reach->from, room, sizeof *grown);
        reach->from = grown != NULL ? grown : reach->from;
        uint8_t *wider = grown != NULL ? realloc(reach->by, room) : NULL;
        reach->by = wider != NULL ? wider : reach->by;
        if (wider == NULL)
            return false;
        reach->room = room;
    }
    reach->from[number] = from;
    reach->by[number] = (uint8_t)by;
    return true;
}

static bool reach_add(struct adversary *adversary, struct reach *reach, const uint64_t *state,
                      uint32_t from, unsigned by, uint32_t *fresh_number)
{
    bool fresh;
    const uint32_t number = states_add(&reach->states, state, &fresh);
    *fresh_number = fresh ? number : STATES_NONE;
    if (number == STATES_NONE || (fresh && !reach_note(reach, number, from, by)))
        return fall_short(adversary, REFUTE_NO_MEMORY);
    return true;
}

bool reach_search(struct adversary *adversary, struct reach *reach, const struct run *run,
                  crew team,
                  bool (*found)(const struct adversary *adversary, const uint64_t *state,
                                const void *context),
                  const void *context, uint32_t *at)
{
    const struct check_model *model = adversary->model;
    uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS], state[CHECK_MAX_WORDS];
    *reach = (struct reach){.room = 0};
    states_open(&reach->states, model->words, adversary->most);
    uint32_t number;
    *at = STATES_NONE;
    if (!reach_add(adversary, reach, run->state, 0, 0, &number))
        return false;
    if (found(adversary, run->state, context)) {
        *at = number;
        return true;
    }
    for (uint32_t next = 0; next < reach->states.count; next++) {
        memcpy(state, states_key(&reach->states, next), model->words * sizeof *state);
        const struct check_moves moves = model->expand(model, state, out);
        if (moves.error)
            return fall_short(adversary, REFUTE_NO_STEP);
        for (unsigned p = 0; p < model->n; p++) {
            if (!team_has(team, p) || (moves.change >> p & 1) == 0)
                continue;
            const uint64_t *to = out + (size_t)p * model->words;
            if (!reach_add(adversary, reach, to, next, p, &number))
                return false;
            if (number != STATES_NONE && found(adversary, to, context)) {
                *at = number;
                return true;
            }
        }
    }
    return true;
}

bool reach_follow(struct adversary *adversary, const struct reach *reach, uint32_t at,
                  struct run *run)
{
    size_t length = 0;
    for (uint32_t back = at; back != 0; back = reach->from[back])
        length++;
    uint8_t *way = calloc(length + 1, 1);
    if (way == NULL)
        return fall_short(adversary, REFUTE_NO_MEMORY);
    size_t left = length;
    for (uint32_t back = at; back != 0; back = reach->from[back])
        way[--left] = reach->by[back];
    bool goes_on = true;
    for (size_t s = 0; goes_on && s < length; s++)
        goes_on = run_step(adversary, run, way[s]);
    free(way);
    return goes_on;
}

void reach_close(struct reach *reach)
{
    states_close(&reach->states);
    free(reach->from);
    free(reach->by);
    *reach = (struct reach){.room = 0};
}

static bool is_able(const struct adversary *adversary, const uint64_t *state, unsigned p)
{
    const struct check_model *model = adversary->model;
    const enum check_region now = check_paper_region(check_region_of(model, state, p));
    struct check_note note;
    uint64_t next[CHECK_MAX_WORDS];
    return (now == CHECK_REMAINDER || now == CHECK_WAITING) &&
           model->describe(model, state, p, next, &note) &&
           check_region_of(model, next, p) == CHECK_CRITICAL;
}

static bool is_not_able(const struct adversary *adversary, const uint64_t *state,
                        const void *context)
{
    const unsigned *p = context;
    return !is_able(adversary, state, *p);
}

bool is_enabled(struct adversary *adversary, const struct run *run, unsigned p, bool *enabled)
{
    struct reach reach;
    uint32_t at = STATES_NONE;
    const crew others = team_range(0, adversary->model->n) & ~team_of(p);
    bool goes_on = reach_search(adversary, &reach, run, others, is_not_able, &p, &at);
    *enabled = at == STATES_NONE;
    reach_close(&reach);
    return goes_on;
}
