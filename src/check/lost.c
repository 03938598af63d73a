/*
 * No slot is lost: whatever has happened, the living can fill all slots again. From every state,
 * steps of processes that are alive, and stay so, lead to one in which as many are critical at once
 * as there are slots, or as are alive if those are fewer. Nobody is killed or revived on the way.
 */
#include "check/decide.h"
#include "check/parallel.h"

#include <stdio.h>

static unsigned count_in(const struct check_model *model, const uint64_t *key,
                         enum check_region region)
{
    unsigned count = 0;
    for (unsigned p = 0; p < model->n; p++)
        count += check_region_of(model, key, p) == region;
    return count;
}

/* How many should be able to be critical at once. */
static unsigned wanted(const struct check_model *model, const uint64_t *key)
{
    const unsigned slots = model->slots != NULL ? model->slots(model, key) : model->l;
    const unsigned living = check_workers(model) - count_in(model, key, CHECK_DEAD);
    return slots < living ? slots : living;
}

struct filling {
    const struct check_graph *graph;
    struct check_bits possible; /* the states from which all slots can be filled */
};

static bool is_filled(const struct check_graph *graph, uint64_t id)
{
    return check_is_filled(graph->model, check_graph_key(graph, id));
}

/* Whether the edge is a step of a process that is alive, and stays so. A process that dies or is
 * revived changes the number of the dead. */
static bool is_living_step(const struct check_graph *graph, uint64_t from, unsigned edge,
                           uint64_t to)
{
    const struct check_model *model = graph->model;
    const uint64_t *key = check_graph_key(graph, from);
    return check_step_edges(model) >> edge & 1 &&
           check_region_of(model, key, edge % model->n) != CHECK_DEAD &&
           count_in(model, check_graph_key(graph, to), CHECK_DEAD) ==
               count_in(model, key, CHECK_DEAD);
}

/* Whether one of these moves is a step of the living to a state from which it is possible. */
static bool leads_on(const struct filling *filling, uint64_t id, uint64_t moves, const uint64_t *to)
{
    for (uint64_t left = moves; left != 0; left &= left - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(left);
        if (check_bits_seen(&filling->possible, to[e]) &&
            is_living_step(filling->graph, id, e, to[e]))
            return true;
    }
    return false;
}

int check_can_fill(const struct check_graph *graph, uint32_t id)
{
    struct check_bits seen;
    const size_t bytes = (size_t)graph->count * sizeof(uint32_t);
    if (!check_bits_open(&seen, graph->budget, graph->count))
        return -1;
    uint32_t *stack = check_map(graph->budget, bytes);
    uint32_t pending = 0;
    int fills = stack == NULL ? -1 : 0;
    if (stack != NULL) {
        check_bits_add(&seen, id);
        stack[pending++] = id;
    }
    while (pending > 0 && fills == 0) {
        const uint32_t from = stack[--pending];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, from, buffer);
        fills = is_filled(graph, from);
        for (unsigned e = 0; e < graph->edges; e++) {
            if (row[e] == CHECK_NONE || !is_living_step(graph, from, e, row[e]) ||
                check_bits_has(&seen, row[e]))
                continue;
            check_bits_add(&seen, row[e]);
            stack[pending++] = row[e];
        }
    }
    check_unmap(graph->budget, stack, bytes);
    check_bits_close(&seen);
    return fills;
}

/*
 * Backwards from the states in which the slots are filled, by sweeps over the successors of those
 * that are still open, until one finds nothing. States are numbered as they were found, so a sweep
 * downwards settles every state with a way along which the numbers go up, and one upwards the
 * reverse; they take turns, and there are hardly more than the way changes its direction: 6 to 22
 * in the catalogue, of which the first settle the most. A graph of 100 million states takes 12 MB
 * this way. Reversing its edges would take 4 bytes for each of them, several gigabytes, and
 * components 4 to 16 bytes a state; and both walk through memory at random where sweeps go
 * straight.
 *
 * Where states are not numbered as they were found, because only this property is asked for, walks
 * come first: from each open state, steps of the living are made at random until one leads to a
 * state that is settled, which settles all states on the way. They leave next to nothing to the
 * sweeps, which counts most where the successors of an open state have to be worked out each time.
 * What is decided, the sweeps decide.
 */
enum { LONGEST_WALK = 256, MANY_VAIN_WALKS = CHECK_BLOCK / 64 };

static uint64_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 33;
}

/* One of these moves, at random, that is a step of the living: where it leads to; `id` if none
 * is. */
static uint64_t step_at_random(const struct check_graph *graph, uint64_t id, uint64_t moves,
                               const uint64_t *to, uint64_t *random)
{
    while (moves != 0) {
        uint64_t left = moves;
        const unsigned count = (unsigned)__builtin_popcountll(moves);
        for (uint64_t skip = next_random(random) % count; skip > 0; skip--)
            left &= left - 1;
        const unsigned e = (unsigned)__builtin_ctzll(left);
        if (to[e] != id && is_living_step(graph, id, e, to[e]))
            return to[e];
        moves &= ~(UINT64_C(1) << e);
    }
    return id;
}

/* False: the walk settled nothing. */
static bool walk_from(struct filling *filling, uint64_t id)
{
    const struct check_graph *graph = filling->graph;
    const uint64_t steps = check_step_edges(graph->model);
    uint64_t way[LONGEST_WALK], to[CHECK_MAX_EDGES], random = id;
    for (unsigned length = 0; length < LONGEST_WALK;) {
        const uint64_t moves = check_graph_moves(graph, id, steps, to);
        way[length++] = id;
        if (leads_on(filling, id, moves, to)) {
            while (length > 0)
                check_bits_mark(&filling->possible, way[--length]);
            return true;
        }
        const uint64_t next = step_at_random(graph, id, moves, to, &random);
        if (next == id)
            return false;
        id = next;
    }
    return false;
}

static void walk_block(void *context, uint64_t first, uint64_t last)
{
    struct filling *filling = context;
    unsigned vain = 0; /* if many walks are stuck, slots have been lost */
    for (uint64_t id = first; id < last && vain < MANY_VAIN_WALKS; id++) {
        if (!check_bits_seen(&filling->possible, id))
            vain += !walk_from(filling, id);
    }
}

struct backwards {
    struct filling *filling;
    bool upwards;
    _Atomic(bool) any; /* the sweep has settled something */
};

static void sweep_block(void *context, uint64_t first, uint64_t last)
{
    struct backwards *backwards = context;
    struct filling *filling = backwards->filling;
    const uint64_t steps = check_step_edges(filling->graph->model);
    bool any = false;
    for (uint64_t k = first; k < last; k++) {
        const uint64_t id = backwards->upwards ? k : first + last - 1 - k;
        uint64_t to[CHECK_MAX_EDGES];
        if (check_bits_has(&filling->possible, id) ||
            !leads_on(filling, id, check_graph_moves(filling->graph, id, steps, to), to))
            continue;
        check_bits_mark(&filling->possible, id);
        any = true;
    }
    if (any)
        atomic_store(&backwards->any, true);
}

static void close_backwards(struct filling *filling)
{
    const struct check_graph *graph = filling->graph;
    struct backwards backwards = {.filling = filling};
    do {
        atomic_store(&backwards.any, false);
        check_parallel_blocks(graph->threads, graph->count, !backwards.upwards, sweep_block,
                              &backwards);
        backwards.upwards = !backwards.upwards;
    } while (atomic_load(&backwards.any));
}

static void fill_block(void *context, uint64_t first, uint64_t last)
{
    struct filling *filling = context;
    for (uint64_t id = first; id < last; id++) {
        if (is_filled(filling->graph, id))
            check_bits_mark(&filling->possible, id);
    }
}

static uint32_t next_impossible(const void *context, uint32_t now, uint32_t from, unsigned edge,
                                uint32_t to)
{
    const struct filling *filling = context;
    (void)now, (void)from, (void)edge;
    return check_bits_has(&filling->possible, to) ? 0 : CHECK_ACCEPT;
}

/* Finds a witness. Returns the state that it leads to; the initial one if there is no memory for a
 * search. */
static uint32_t witness(const struct filling *filling, struct check_result *result)
{
    const struct check_graph *graph = filling->graph;
    if (!check_bits_has(&filling->possible, graph->initial)) {
        check_witness_empty(&result->witness);
        return graph->initial;
    }
    struct check_observer observer = {1, 0, next_impossible, filling};
    struct check_step last = {graph->initial, graph->initial};
    check_witness_search_to(graph, &observer, &result->witness, &last);
    return last.to;
}

void check_say_lost(const struct check_model *model, const uint64_t *state,
                    struct check_result *result)
{
    const unsigned most = wanted(model, state);
    if (most == 1)
        snprintf(result->about, sizeof result->about, "from here on nobody can be critical");
    else
        snprintf(result->about, sizeof result->about,
                 "from here on no %u processes can be critical at once", most);
}

bool check_is_filled(const struct check_model *model, const uint64_t *state)
{
    return count_in(model, state, CHECK_CRITICAL) >= wanted(model, state);
}

void check_decide_lost(const struct check_graph *graph, struct check_result *result)
{
    struct filling filling = {.graph = graph};
    if (!check_bits_open(&filling.possible, graph->budget, graph->count))
        return;
    check_parallel_blocks(graph->threads, graph->count, false, fill_block, &filling);
    if (graph->number == NULL)
        check_parallel_blocks(graph->threads, graph->count, false, walk_block, &filling);
    close_backwards(&filling);
    result->answer = CHECK_HOLDS;
    for (uint64_t id = 0; id < graph->count && result->answer == CHECK_HOLDS; id++) {
        if (!check_bits_has(&filling.possible, id))
            result->answer = CHECK_FAILS;
    }
    if (result->answer == CHECK_FAILS && check_graph_numbered(graph)) {
        const uint32_t shown = witness(&filling, result);
        check_say_lost(graph->model, check_graph_key(graph, shown), result);
    }
    check_bits_close(&filling.possible);
}
