#include "check/replay.h"

#include "check/decide.h"

#include <stdlib.h>
#include <string.h>

struct replay {
    const struct check_model *model;
    unsigned k;
    size_t length, stem;
    uint64_t *state;                 /* length + 1 of them */
    uint64_t moves;                  /* processes that move on the cycle */
    const struct check_graph *graph; /* where enabling matters */
    const struct check_enabled *enabled;
    const char *why;
};

static const uint64_t *at(const struct replay *replay, size_t s)
{
    return replay->state + s * replay->model->words;
}

/* The region as the properties see it. */
static enum check_region region(const struct replay *replay, size_t s, unsigned p)
{
    return check_paper_region(check_region_of(replay->model, at(replay, s), p));
}

static unsigned count(const struct replay *replay, size_t s, enum check_region which)
{
    unsigned number = 0;
    for (unsigned p = 0; p < replay->model->n; p++)
        number += region(replay, s, p) == which;
    return number;
}

static bool moves(const struct replay *replay, unsigned p)
{
    return replay->moves >> p & 1;
}

static bool complain(struct replay *replay, const char *why)
{
    replay->why = why;
    return false;
}

/* ---- running ---- */

static bool run(struct replay *replay, const struct check_witness *witness)
{
    const struct check_model *model = replay->model;
    replay->length = witness->length;
    replay->stem = witness->stem;
    model->initial(model, replay->state);
    for (size_t s = 0; s < witness->length; s++) {
        struct check_note note;
        uint64_t *next = replay->state + (s + 1) * model->words;
        if (witness->edge[s] >= model->n)
            return complain(replay, "there is a move that is no step");
        if (!model->describe(model, at(replay, s), witness->edge[s], next, &note))
            return complain(replay, "a step cannot be made");
        if (s >= witness->stem)
            replay->moves |= UINT64_C(1) << witness->edge[s];
    }
    if (witness->stem < witness->length &&
        !check_same_state(at(replay, witness->stem), at(replay, witness->length), model->words))
        return complain(replay, "the cycle does not come back to where it began");
    return true;
}

/* ---- what a cycle shows ---- */

static bool has_cycle(const struct replay *replay)
{
    return replay->stem < replay->length;
}

static bool stays(const struct replay *replay, unsigned p)
{
    for (size_t s = replay->stem; s < replay->length; s++) {
        if (region(replay, s, p) != region(replay, replay->stem, p))
            return false;
    }
    return true;
}

static bool all_stay(const struct replay *replay)
{
    for (unsigned p = 0; p < replay->model->n; p++) {
        if (!stays(replay, p))
            return false;
    }
    return true;
}

/* A process halts in its remainder at most. */
static bool admissible(const struct replay *replay)
{
    for (unsigned p = 0; p < replay->model->n; p++) {
        if (!moves(replay, p) && region(replay, replay->stem, p) != CHECK_REMAINDER)
            return false;
    }
    return true;
}

static bool protocol_region(enum check_region which) /* T or E */
{
    return which == CHECK_WAITING || which == CHECK_EXIT;
}

static bool shows_deadlock(struct replay *replay)
{
    if (!has_cycle(replay) || !admissible(replay))
        return complain(replay, "somebody halts outside its remainder");
    if (!all_stay(replay))
        return complain(replay, "somebody changes its region");
    return count(replay, replay->stem, CHECK_REMAINDER) < replay->model->n ||
           complain(replay, "all are in their remainder");
}

static bool shows_lockout(struct replay *replay)
{
    if (!has_cycle(replay) || !admissible(replay))
        return complain(replay, "somebody halts outside its remainder");
    for (unsigned i = 0; i < replay->model->n; i++) {
        if (protocol_region(region(replay, replay->stem, i)) && stays(replay, i))
            return true;
    }
    return complain(replay, "nobody is stuck");
}

/*
 * C2 of Fischer et al.: (a) fewer than k fail; (b) no region changes; (d1) more try than the
 * C-allocation, which with those that are critical is less than l, or (d2) more exit than the
 * R-allocation. Those who move on the cycle do so for ever and get nowhere; so a group with one of
 * them in it is not group-enabled (let the cycle pass, then those who failed make their steps), and
 * the allocation is at most the number of those that fail.
 */
static bool shows_kl_deadlock(struct replay *replay)
{
    unsigned failed[CHECK_DEAD + 1] = {0}, moving[CHECK_DEAD + 1] = {0};
    if (!has_cycle(replay) || !all_stay(replay))
        return complain(replay, "somebody changes its region");
    for (unsigned p = 0; p < replay->model->n; p++)
        (moves(replay, p) ? moving : failed)[region(replay, replay->stem, p)]++;
    if (failed[CHECK_WAITING] + failed[CHECK_EXIT] >= replay->k)
        return complain(replay, "too many fail");
    const unsigned critical = count(replay, replay->stem, CHECK_CRITICAL);
    return (moving[CHECK_WAITING] > 0 && failed[CHECK_WAITING] + critical < replay->model->l) ||
           moving[CHECK_EXIT] > 0 || complain(replay, "nobody is kept from what is free");
}

/* Whether p waits in state s; where enabling matters, without being enabled. */
static bool waits(const struct replay *replay, size_t s, unsigned p)
{
    const enum check_region now = region(replay, s, p);
    if (replay->enabled == NULL)
        return protocol_region(now);
    const uint32_t id = check_graph_find(replay->graph, at(replay, s));
    return id != CHECK_NONE && protocol_region(now) &&
           check_waits(replay->graph, replay->enabled, id, p);
}

/* C4, and C4' where enabling matters, violated whatever the bound: i waits throughout the cycle, in
 * one region, and j is in its remainder and critical in turn. */
static bool shows_unbounded(struct replay *replay)
{
    const unsigned n = replay->model->n;
    for (unsigned i = 0; has_cycle(replay) && i < n; i++) {
        bool waiting = stays(replay, i);
        for (size_t s = replay->stem; waiting && s < replay->length; s++)
            waiting = waits(replay, s, i);
        for (unsigned j = 0; waiting && j < n; j++) {
            bool rests = false, enters = false;
            for (size_t s = replay->stem; s < replay->length; s++) {
                rests |= region(replay, s, j) == CHECK_REMAINDER;
                enters |= region(replay, s, j) == CHECK_CRITICAL;
            }
            if (j != i && rests && enters)
                return true;
        }
    }
    return complain(replay, "nobody waits while another goes round and round");
}

/* ---- what a finite run shows ---- */

static bool shows_exclusion(struct replay *replay)
{
    for (size_t s = 0; s <= replay->length; s++) {
        if (count(replay, s, CHECK_CRITICAL) > replay->model->l)
            return true;
    }
    return complain(replay, "never are more than l critical");
}

static bool shows_memory(struct replay *replay)
{
    const struct check_model *model = replay->model;
    for (unsigned p = 0; p < model->n; p++) {
        for (size_t s = 1; s <= replay->length; s++) {
            uint64_t first[CHECK_MAX_WORDS] = {0}, now[CHECK_MAX_WORDS] = {0};
            model->local_state(model, at(replay, 0), p, first);
            model->local_state(model, at(replay, s), p, now);
            if (region(replay, s, p) == CHECK_REMAINDER &&
                !check_same_state(first, now, model->block_words))
                return true;
        }
    }
    return complain(replay, "nobody comes back to another remainder state");
}

static bool shows_exit(struct replay *replay)
{
    for (size_t s = 0; s <= replay->length; s++) {
        if (count(replay, s, CHECK_EXIT) > 0)
            return true;
    }
    return complain(replay, "nobody is in an exit region");
}

/* l-full violated in the last state. */
static bool shows_not_full(struct replay *replay)
{
    const struct check_model *model = replay->model;
    const uint32_t id = check_graph_find(replay->graph, at(replay, replay->length));
    const unsigned critical = count(replay, replay->length, CHECK_CRITICAL);
    const unsigned trying = count(replay, replay->length, CHECK_WAITING);
    unsigned enabled = 0;
    for (unsigned p = 0; id != CHECK_NONE && p < model->n; p++)
        enabled += check_is_enabled(replay->graph, replay->enabled->critical, id, p);
    const unsigned free = critical < model->l ? model->l - critical : 0;
    return (id != CHECK_NONE && enabled != (free < trying ? free : trying)) ||
           complain(replay, "as many are enabled as should be");
}

/* C5' violated: from some state on i waits, where j is in its remainder, and j becomes critical. The
 * last step may be the one that ends the wait. */
static bool shows_overtaking(struct replay *replay)
{
    const unsigned n = replay->model->n;
    for (unsigned i = 0; i < n; i++) {
        uint64_t rested = 0; /* those that were in their remainder during this wait */
        for (size_t s = 0; s <= replay->length; s++) {
            for (unsigned j = 0; j < n; j++) {
                if (j != i && rested >> j & 1 && region(replay, s, j) == CHECK_CRITICAL)
                    return true;
            }
            if (!waits(replay, s, i)) {
                rested = 0;
                continue;
            }
            if (s > 0 && region(replay, s, i) != region(replay, s - 1, i))
                rested = 0;
            for (unsigned j = 0; j < n; j++)
                rested |= (uint64_t)(region(replay, s, j) == CHECK_REMAINDER) << j;
        }
    }
    return complain(replay, "nobody is overtaken");
}

/* ---- */

static bool shows(struct replay *replay, enum check_property property)
{
    switch (property) {
    case CHECK_EXCLUSION: return shows_exclusion(replay);
    case CHECK_NO_MEMORY: return shows_memory(replay);
    case CHECK_DEADLOCK_FREE: return shows_deadlock(replay);
    case CHECK_LOCKOUT_FREE: return shows_lockout(replay);
    case CHECK_KL_DEADLOCK_FREE: return shows_kl_deadlock(replay);
    case CHECK_BOUNDED_WAITING:
    case CHECK_BOUNDED_WAITING_ENABLING: return shows_unbounded(replay);
    case CHECK_L_FULL: return shows_not_full(replay);
    case CHECK_FIFO_ENABLING: return shows_overtaking(replay);
    case CHECK_QUEUELIKE: return shows_exit(replay); /* its other parts have their own names */
    default: return complain(replay, "this property is not decided on runs");
    }
}

static bool needs_graph(enum check_property property)
{
    return property == CHECK_BOUNDED_WAITING_ENABLING || property == CHECK_L_FULL ||
           property == CHECK_FIFO_ENABLING;
}

static bool decided(enum check_property property)
{
    return needs_graph(property) || property == CHECK_EXCLUSION || property == CHECK_NO_MEMORY ||
           property == CHECK_DEADLOCK_FREE || property == CHECK_LOCKOUT_FREE ||
           property == CHECK_KL_DEADLOCK_FREE || property == CHECK_BOUNDED_WAITING ||
           property == CHECK_QUEUELIKE;
}

/* The whole graph, all states as they are, with who is enabled in each. */
static bool shows_with_graph(struct replay *replay, enum check_property property,
                             const struct check_limits *limits, bool *memory)
{
    struct check_limits whole = *limits;
    struct check_space space;
    struct check_graph graph;
    struct check_enabled enabled = {0};
    bool shown = false;
    whole.symmetry = false;
    whole.keep_order = true;
    whole.progress = NULL;
    *memory = false;
    if (!check_explore(&space, replay->model, &whole))
        return false;
    if (space.end != CHECK_COMPLETE || !check_graph_freeze(&graph, &space, &whole, true)) {
        check_space_close(&space);
        return false;
    }
    if (check_enabled_open(&enabled, &graph)) {
        *memory = true;
        replay->graph = &graph;
        replay->enabled = &enabled;
        shown = shows(replay, property);
        replay->graph = NULL;
        replay->enabled = NULL;
        check_enabled_close(&enabled);
    }
    check_graph_close(&graph);
    return shown;
}

enum check_replayed check_replay(const struct check_model *model, enum check_property property,
                                 unsigned k, const struct check_witness *witness,
                                 const struct check_limits *limits, const char **why)
{
    struct replay replay = {.model = model, .k = k, .why = "there is no schedule"};
    bool shown = false, memory = witness->edge == NULL;
    *why = "there is no memory for it";
    if (!decided(property)) {
        *why = "this property is not decided on runs";
        return CHECK_NOT_REPLAYED;
    }
    if (witness->edge != NULL)
        replay.state = calloc(witness->length + 1, model->words * sizeof *replay.state);
    if (replay.state != NULL) {
        memory = true;
        if (run(&replay, witness))
            shown = needs_graph(property) ? shows_with_graph(&replay, property, limits, &memory)
                                          : shows(&replay, property);
    }
    free(replay.state);
    if (!memory)
        return CHECK_NOT_REPLAYED;
    *why = shown ? "" : replay.why;
    return shown ? CHECK_SHOWN : CHECK_NOT_SHOWN;
}
