#include "check/replay.h"

#include "check/shows.h"
#include "check/symmetry.h"

#include <stdlib.h>

/* ---- what a run can be asked ---- */

unsigned check_run_count(const struct check_shown_run *run, size_t at, enum check_region which)
{
    unsigned number = 0;
    for (unsigned p = 0; p < run->model->n; p++)
        number += check_run_region(run, at, p) == which;
    return number;
}

/* The number of the state in which 0 and p have changed places. */
static uint32_t number_exchanged(const struct check_shown_run *run, size_t at, unsigned p)
{
    uint64_t state[CHECK_MAX_WORDS];
    if (run->number != NULL)
        return check_graph_swapped(run->graph, run->number[at], p);
    for (unsigned w = 0; w < run->model->words; w++)
        state[w] = check_run_state(run, at)[w];
    if (run->graph->reduced) {
        check_swap_processes(run->model, state, 0, p);
        check_canonical(run->model, state);
    }
    return check_graph_find(run->graph, state);
}

uint32_t check_run_number(const struct check_shown_run *run, size_t at)
{
    return number_exchanged(run, at, 0);
}

bool check_run_enabled(const struct check_shown_run *run, const uint16_t *of, size_t at, unsigned p)
{
    const uint32_t id = number_exchanged(run, at, p);
    const bool is_first = run->graph->reduced || run->number != NULL; /* 0 is in its place there */
    return id != CHECK_NONE && of[id] >> (is_first ? 0 : p) & 1;
}

bool check_run_waits(const struct check_shown_run *run, enum check_run_wait how, size_t at,
                     unsigned p)
{
    const enum check_region place = check_run_place(run, at, p);
    if (how == CHECK_AT_DOOR)
        return place == CHECK_DOORWAY;
    if (how == CHECK_WAITING_ROOM)
        return place == CHECK_WAITING;
    if (how == CHECK_PAST_DOORWAY && place == CHECK_DOORWAY)
        return false;
    if (check_trying(place))
        return run->enabled == NULL || !check_run_enabled(run, run->enabled->critical, at, p);
    return place == CHECK_EXIT &&
           (run->enabled == NULL || (run->enabled->remainder != NULL &&
                                     !check_run_enabled(run, run->enabled->remainder, at, p)));
}

/* ---- running ---- */

static bool make_run(struct check_shown_run *run)
{
    const struct check_model *model = run->model;
    const struct check_witness *witness = run->witness;
    model->initial(model, run->state);
    for (size_t s = 0; s < witness->length; s++) {
        struct check_note note;
        if (witness->edge[s] >= model->n * model->kinds)
            return check_run_complains(run, "there is a move that is none");
        if (!model->describe(model, check_run_state(run, s), witness->edge[s],
                             run->state + (s + 1) * model->words, &note))
            return check_run_complains(run, "a step cannot be made");
        if (s >= witness->stem)
            run->moves |= UINT64_C(1) << witness->edge[s] % model->n;
    }
    if (witness->stem > witness->length)
        return check_run_complains(run, "the cycle begins after the end");
    if (!check_same_state(check_run_state(run, witness->stem),
                          check_run_state(run, witness->length), model->words))
        return check_run_complains(run, "the cycle does not come back to where it began");
    return true;
}

static bool is_shown(struct check_shown_run *run)
{
    return run->witness->stem < run->witness->length ? check_cycle_shows(run)
                                                     : check_run_shows(run);
}

static enum check_replayed answer_of(const struct check_shown_run *run, bool shown, bool memory,
                                     const char **why)
{
    *why = !memory || run->no_memory ? "there is no memory for it" : shown ? "" : run->why;
    if (!memory || run->no_memory)
        return CHECK_NOT_REPLAYED;
    return shown ? CHECK_SHOWN : CHECK_NOT_SHOWN;
}

/* Where the witness goes in a graph unfolded, whose states cannot be looked up. */
static bool follow_unfolded(struct check_shown_run *run)
{
    const struct check_graph *graph = run->graph;
    run->number[0] = graph->initial;
    for (size_t s = 0; s < run->witness->length; s++) {
        uint32_t buffer[CHECK_MAX_EDGES];
        run->number[s + 1] = check_graph_row(graph, run->number[s], buffer)[run->witness->edge[s]];
        if (run->number[s + 1] == CHECK_NONE)
            return check_run_complains(run, "it leads out of the graph");
        for (unsigned p = 0; p < run->model->n; p++) {
            if (check_graph_region(graph, run->number[s + 1], p) != check_run_place(run, s + 1, p))
                return check_run_complains(run, "the graph has another state there");
        }
    }
    return true;
}

enum check_replayed check_replay_result(const struct check_graph *graph,
                                        const struct check_enabled *enabled,
                                        const struct check_result *result, const char **why)
{
    const struct check_model *model = check_graph_named(graph);
    const size_t states = result->witness.length + 1;
    struct check_shown_run run = {.model = model,
                                  .witness = &result->witness,
                                  .query = result->query,
                                  .k = model->k,
                                  .graph = graph,
                                  .enabled = enabled,
                                  .why = "there is no schedule"};
    run.state = calloc(states, model->words * sizeof *run.state);
    run.number = graph->folds > 1 ? calloc(states, sizeof *run.number) : NULL;
    const bool memory = run.state != NULL && (run.number != NULL || graph->folds == 1);
    const bool shown =
        memory && make_run(&run) && (run.number == NULL || follow_unfolded(&run)) && is_shown(&run);
    free(run.state);
    free(run.number);
    return answer_of(&run, shown, memory, why);
}

/* ---- of a schedule that comes from elsewhere ---- */

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

/* The whole graph without reductions, with the enabled processes of each state. */
static bool shown_with_graph(struct check_shown_run *run, const struct check_limits *limits,
                             bool *memory)
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
    if (!check_explore(&space, run->model, &whole))
        return false;
    if (space.end != CHECK_COMPLETE || !check_graph_freeze(&graph, &space, &whole, true)) {
        check_space_close(&space);
        return false;
    }
    if (check_enabled_open(&enabled, &graph)) {
        *memory = true;
        run->graph = &graph;
        run->enabled = &enabled;
        shown = is_shown(run);
        check_enabled_close(&enabled);
    }
    check_graph_close(&graph);
    return shown;
}

/* Of queuelike, a schedule from elsewhere shows that there is an exit region; its other parts have
 * their own names. */
static bool shown_alone(struct check_shown_run *run)
{
    for (size_t s = 0; run->query.property == CHECK_QUEUELIKE && s <= run->witness->length; s++) {
        if (check_run_count(run, s, CHECK_EXIT) > 0)
            return true;
    }
    return run->query.property == CHECK_QUEUELIKE
               ? check_run_complains(run, "nobody is in an exit region")
               : is_shown(run);
}

static bool only_steps(struct check_shown_run *run)
{
    for (size_t s = 0; s < run->witness->length; s++) {
        if (run->witness->edge[s] >= run->model->n)
            return check_run_complains(run, "there is a move that is no step");
    }
    return true;
}

enum check_replayed check_replay(const struct check_model *model, enum check_property property,
                                 unsigned k, const struct check_witness *witness,
                                 const struct check_limits *limits, const char **why)
{
    struct check_shown_run run = {.model = model,
                                  .witness = witness,
                                  .query = {.property = property},
                                  .k = k,
                                  .why = "there is no schedule"};
    if (!decided(property)) {
        *why = "this property is not decided on runs";
        return CHECK_NOT_REPLAYED;
    }
    bool shown = false, memory = witness->edge == NULL;
    if (witness->edge != NULL)
        run.state = calloc(witness->length + 1, model->words * sizeof *run.state);
    if (run.state != NULL) {
        memory = true;
        if (only_steps(&run) && make_run(&run))
            shown =
                needs_graph(property) ? shown_with_graph(&run, limits, &memory) : shown_alone(&run);
    }
    free(run.state);
    return answer_of(&run, shown, memory, why);
}
