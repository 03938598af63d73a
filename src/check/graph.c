#include "check/graph.h"

#include "check/parallel.h"
#include "check/symmetry.h"

#include <string.h>
#include <sys/mman.h>

enum { GROUP = 64, BLOCK = 1024 };

/*
 * Moving the states to the front of the table, in order. First the full slots of each block are
 * counted, then it is known where each block goes; then the blocks are moved in waves from the
 * front, each so large that all of it goes to slots before its own first one, which have been left:
 * so the blocks of a wave can be moved in any order, and by many threads.
 */
enum { SLOTS = CHECK_BLOCK }; /* in a block, a multiple of GROUP */

struct compaction {
    struct check_graph *graph;
    uint64_t *slot;
    uint64_t capacity;
    unsigned words;
    uint64_t first; /* block of the wave */
};

static uint64_t end_of(const struct compaction *compaction, uint64_t block)
{
    const uint64_t end = (block + 1) * SLOTS;
    return end < compaction->capacity ? end : compaction->capacity;
}

/* Notes which slots are full, and in the block's first group how many. */
static void count_block(const struct compaction *compaction, uint64_t block)
{
    struct check_rank *rank = compaction->graph->rank;
    uint64_t count = 0;
    for (uint64_t s = block * SLOTS; s < end_of(compaction, block); s++) {
        const uint64_t full = compaction->slot[s * compaction->words] != 0;
        rank[s / GROUP].occupied |= full << s % GROUP;
        count += full;
    }
    rank[block * SLOTS / GROUP].before = count;
}

static void count_blocks(void *context, uint64_t first, uint64_t last)
{
    const struct compaction *compaction = context;
    for (uint64_t s = first; s < last; s += SLOTS)
        count_block(compaction, s / SLOTS);
}

static void move_block(const struct compaction *compaction, uint64_t block)
{
    const unsigned words = compaction->words;
    struct check_rank *rank = compaction->graph->rank;
    uint64_t *slot = compaction->slot;
    uint64_t to = rank[block * SLOTS / GROUP].before;
    for (uint64_t s = block * SLOTS; s < end_of(compaction, block); s += GROUP) {
        rank[s / GROUP].before = to;
        for (uint64_t left = rank[s / GROUP].occupied; left != 0; left &= left - 1, to++) {
            const uint64_t from = s + (unsigned)__builtin_ctzll(left);
            for (unsigned w = 0; w < words; w++)
                slot[to * words + w] = slot[from * words + w];
        }
    }
}

static void move_blocks(void *context, uint64_t first, uint64_t last)
{
    const struct compaction *compaction = context;
    for (uint64_t s = first; s < last; s += SLOTS)
        move_block(compaction, compaction->first + s / SLOTS);
}

static void move_all(struct compaction *compaction, uint64_t blocks, uint64_t count)
{
    const struct check_rank *rank = compaction->graph->rank;
    for (uint64_t first = 0, end; first < blocks; first = end) {
        for (end = first + 1; end < blocks; end++) {
            const uint64_t after =
                end + 1 < blocks ? rank[(end + 1) * SLOTS / GROUP].before : count;
            if (after > first * SLOTS)
                break;
        }
        compaction->first = first;
        check_parallel_blocks(compaction->graph->threads, (end - first) * SLOTS, false, move_blocks,
                              compaction);
    }
}

/* Moves the states to the front of the table, in order, and gives back the rest. */
static bool compact(struct check_graph *graph, struct check_space *space)
{
    struct check_set *set = &space->set;
    const unsigned words = set->words;
    const uint64_t blocks = (set->capacity + SLOTS - 1) / SLOTS;
    graph->rank_bytes = (blocks * SLOTS / GROUP + 1) * sizeof *graph->rank;
    graph->rank = check_map(graph->budget, graph->rank_bytes);
    if (graph->rank == NULL)
        return false;
    uint64_t *slot = (uint64_t *)set->slots; /* no other thread is at work any more */
    struct compaction compaction = {
        .graph = graph, .slot = slot, .capacity = set->capacity, .words = words};
    check_parallel_blocks(graph->threads, blocks * SLOTS, false, count_blocks, &compaction);
    uint64_t count = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        struct check_rank *rank = &graph->rank[block * SLOTS / GROUP];
        const uint64_t here = rank->before;
        rank->before = count;
        count += here;
    }
    move_all(&compaction, blocks, count);
    graph->table = slot;
    graph->capacity = set->capacity;
    graph->count = graph->places = count;
    const size_t page = 4096;
    graph->table_bytes = (count * words * sizeof *slot + page - 1) / page * page;
    munmap((char *)slot + graph->table_bytes, set->reserved - graph->table_bytes);
    check_budget_give(graph->budget, set->bytes - graph->table_bytes);
    *set = (struct check_set){0};
    return true;
}

static inline uint64_t number_at(const struct check_graph *graph, uint64_t place)
{
    return graph->number == NULL ? place : graph->number[place];
}

static inline uint64_t first_place(const struct check_graph *graph, uint64_t home)
{
    const struct check_rank *rank = &graph->rank[home / GROUP];
    uint64_t earlier = rank->occupied & ((UINT64_C(1) << home % GROUP) - 1);
    return rank->before + (uint64_t)__builtin_popcountll(earlier);
}

/* Finds a state that is in the graph, from its first possible place on. */
static inline uint64_t find_from(const struct check_graph *graph, const uint64_t *state,
                                 uint64_t place)
{
    const unsigned words = graph->model->words;
    for (;; place++) {
        if (place == graph->places)
            place = 0;
        if (check_same_state(graph->table + place * words, state, words))
            return place;
    }
}

uint32_t check_graph_find(const struct check_graph *graph, const uint64_t *state)
{
    const unsigned words = graph->model->words;
    uint64_t slot = check_set_home(check_set_hash(state, words), graph->capacity);
    if (!check_graph_numbered(graph))
        return CHECK_NONE;
    for (;; slot = slot + 1 == graph->capacity ? 0 : slot + 1) {
        if ((graph->rank[slot / GROUP].occupied >> slot % GROUP & 1) == 0)
            return CHECK_NONE;
        uint64_t place = first_place(graph, slot);
        if (check_same_state(graph->table + place * words, state, words))
            return (uint32_t)number_at(graph, place);
    }
}

/* A state that is being looked up: its home slot at first, then its first possible place in the
 * table, and its number in the end; CHECK_NONE: it is not in the graph. */
struct lookup {
    const uint64_t *state;
    uint64_t at;
};

/* Expands a state; where the graph is folded, `turns` (or NULL) gets the permutation along each
 * edge. */
static struct check_moves expand(const struct check_graph *graph, uint64_t id, uint64_t *out,
                                 uint8_t *turns)
{
    const struct check_model *model = graph->model;
    const uint64_t *key = check_graph_key(graph, id);
    if (turns == NULL || graph->folding == NULL)
        return model->expand(model, key, out);
    uint8_t to[CHECK_MAX_EDGES * CHECK_FOLDED_PROCESSES];
    const struct check_moves moves = model->expand_exchanging(model, key, out, to);
    for (unsigned e = 0; e < graph->edges; e++)
        turns[e] =
            moves.exist >> e & 1 ? check_folding_number(graph->folding, to + e * model->n) : 0;
    return moves;
}

/* Expands a state into `out`, along the edges of the set `wanted`, and begins to look up the
 * successors that differ from it: one entry of `lookups` for each, in the order of the edges.
 * Returns the end of these. */
static struct lookup *begin_lookups(const struct check_graph *graph, uint64_t id, uint64_t wanted,
                                    uint64_t *out, uint8_t *turns, struct check_moves *moves,
                                    struct lookup *lookups)
{
    const struct check_model *model = graph->model;
    const unsigned words = model->words;
    *moves = expand(graph, id, out, turns);
    moves->exist &= wanted;
    moves->change &= wanted;
    for (uint64_t left = moves->change; left != 0; left &= left - 1, lookups++) {
        uint64_t *state = &out[(unsigned)__builtin_ctzll(left) * words];
        if (graph->reduced)
            check_canonical(model, state);
        lookups->state = state;
        lookups->at = check_set_home(check_set_hash(state, words), graph->capacity);
        __builtin_prefetch(&graph->rank[lookups->at / GROUP]);
    }
    return lookups;
}

/* Each step is made for all look-ups before the next one, so that the memory latencies overlap. */
static void finish_lookups(const struct check_graph *graph, struct lookup *lookups,
                           const struct lookup *end)
{
    const unsigned words = graph->model->words;
    for (struct lookup *l = lookups; l < end; l++) {
        l->at = first_place(graph, l->at);
        __builtin_prefetch(&graph->table[l->at * words]);
    }
    for (struct lookup *l = lookups; l < end; l++) {
        if (!graph->complete) {
            l->at = check_graph_find(graph, l->state);
            continue;
        }
        l->at = find_from(graph, l->state, l->at);
        if (graph->number != NULL)
            __builtin_prefetch(&graph->number[l->at]);
    }
    if (graph->complete && graph->number != NULL) {
        for (struct lookup *l = lookups; l < end; l++)
            l->at = graph->number[l->at];
    }
}

/* Works out the successors of `count` states from `first` on, and the permutations along the edges
 * where `turns` is not NULL. */
static void compute_rows(const struct check_graph *graph, uint32_t first, unsigned count,
                         uint32_t *rows, uint8_t *turns)
{
    enum { AHEAD = 8 };
    const unsigned edges = graph->edges;
    uint64_t out[AHEAD][CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    struct lookup lookups[AHEAD * CHECK_MAX_EDGES];
    struct check_moves moves[AHEAD];
    for (unsigned done = 0; done < count; done += AHEAD) {
        const unsigned some = count - done < AHEAD ? count - done : AHEAD;
        struct lookup *end = lookups;
        for (unsigned i = 0; i < some; i++)
            end = begin_lookups(graph, first + done + i, UINT64_MAX, out[i],
                                turns == NULL ? NULL : turns + (size_t)(done + i) * edges,
                                &moves[i], end);
        finish_lookups(graph, lookups, end);
        const struct lookup *found = lookups;
        for (unsigned i = 0; i < some; i++) {
            uint32_t *row = rows + (size_t)(done + i) * edges;
            for (unsigned e = 0; e < edges; e++)
                row[e] = moves[i].exist >> e & 1 ? first + done + i : CHECK_NONE;
            for (uint64_t left = moves[i].change; left != 0; left &= left - 1, found++)
                row[__builtin_ctzll(left)] = (uint32_t)found->at;
        }
    }
}

/* The successors of a state of a graph unfolded. */
static void unfold_row(const struct check_graph *graph, uint32_t id, uint32_t *row)
{
    const struct check_folding *folding = graph->folding;
    const uint32_t state = id / graph->folds, x = id % graph->folds;
    const unsigned n = graph->model->n;
    uint32_t buffer[CHECK_MAX_EDGES];
    uint8_t turns[CHECK_MAX_EDGES];
    const uint32_t *folded = buffer;
    const uint8_t *turn = turns;
    if (graph->successor != NULL) {
        folded = graph->successor + (size_t)state * graph->edges;
        turn = graph->turn + (size_t)state * graph->edges;
    } else {
        compute_rows(graph, state, 1, buffer, turns);
    }
    for (unsigned first = 0; first < graph->edges; first += n) {
        for (unsigned p = 0; p < n; p++) {
            const unsigned e = first + folding->place[x][p];
            row[first + p] = folded[e] == CHECK_NONE
                                 ? CHECK_NONE
                                 : folded[e] * graph->folds + folding->after[turn[e]][x];
        }
    }
}

const uint32_t *check_graph_row(const struct check_graph *graph, uint32_t id, uint32_t *buffer)
{
    if (graph->folds > 1)
        unfold_row(graph, id, buffer);
    else if (graph->successor != NULL)
        return graph->successor + (size_t)id * graph->edges;
    else
        compute_rows(graph, id, 1, buffer, NULL);
    return buffer;
}

uint64_t check_graph_moves(const struct check_graph *graph, uint64_t id, uint64_t wanted,
                           uint64_t *to)
{
    if (graph->successor != NULL) {
        const uint32_t *row = graph->successor + id * graph->edges;
        uint64_t exist = 0;
        for (uint64_t left = wanted; left != 0; left &= left - 1) {
            const unsigned e = (unsigned)__builtin_ctzll(left);
            to[e] = row[e];
            exist |= (uint64_t)(row[e] != CHECK_NONE) << e;
        }
        return exist;
    }
    uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    struct lookup lookups[CHECK_MAX_EDGES];
    struct check_moves moves;
    finish_lookups(graph, lookups, begin_lookups(graph, id, wanted, out, NULL, &moves, lookups));
    for (uint64_t left = moves.exist; left != 0; left &= left - 1)
        to[__builtin_ctzll(left)] = id;
    const struct lookup *found = lookups;
    for (uint64_t left = moves.change; left != 0; left &= left - 1, found++)
        to[__builtin_ctzll(left)] = found->at;
    return moves.exist;
}

struct sweep {
    struct check_graph *graph;
    _Atomic(uint64_t) taken;
};

static void fill_successors(void *context, unsigned thread)
{
    (void)thread;
    struct sweep *sweep = context;
    struct check_graph *graph = sweep->graph;
    for (;;) {
        uint64_t first = atomic_fetch_add(&sweep->taken, BLOCK);
        if (first >= graph->count)
            return;
        unsigned some = (unsigned)(graph->count - first < BLOCK ? graph->count - first : BLOCK);
        compute_rows(graph, (uint32_t)first, some, graph->successor + (size_t)first * graph->edges,
                     graph->turn == NULL ? NULL : graph->turn + (size_t)first * graph->edges);
    }
}

struct numbering {
    struct check_graph *graph;
    const uint64_t *order;
};

static void number_block(void *context, uint64_t from, uint64_t to)
{
    enum { LOOK_AHEAD = 16 };
    const struct numbering *numbering = context;
    const struct check_graph *graph = numbering->graph;
    const unsigned words = graph->model->words;
    uint64_t place[LOOK_AHEAD];
    for (uint64_t first = from; first < to; first += LOOK_AHEAD) {
        unsigned some = (unsigned)(to - first < LOOK_AHEAD ? to - first : LOOK_AHEAD);
        const uint64_t *state = numbering->order + first * words;
        for (unsigned i = 0; i < some; i++) {
            uint64_t hash = check_set_hash(state + i * words, words);
            place[i] = first_place(graph, check_set_home(hash, graph->capacity));
            __builtin_prefetch(&graph->table[place[i] * words]);
        }
        for (unsigned i = 0; i < some; i++)
            graph->number[find_from(graph, state + i * words, place[i])] = (uint32_t)(first + i);
    }
}

/* Numbers the states in the order in which they were found. False: no memory; then the places in
 * the table stay their numbers. */
static bool number_in_order(struct check_graph *graph, struct check_space *space)
{
    const unsigned words = graph->model->words;
    graph->number_bytes = (size_t)graph->count * sizeof *graph->number;
    graph->number = check_map(graph->budget, graph->number_bytes);
    if (graph->number == NULL)
        return false;
    struct numbering numbering = {graph, space->order};
    check_parallel_blocks(graph->threads, graph->count, false, number_block, &numbering);
    graph->key = space->order;
    graph->key_bytes = space->order_room * words * sizeof(uint64_t);
    space->order = NULL;
    return true;
}

/* What check_graph_forget_states gives back. */
static size_t bytes_to_forget(const struct check_graph *graph)
{
    return graph->folding == NULL ? 0
                                  : graph->table_bytes + graph->number_bytes + graph->rank_bytes +
                                        (graph->key != graph->table ? graph->key_bytes : 0);
}

/* Keeps the successors if they fit in half of what is left of the budget, or will be. */
static void keep_successors(struct check_graph *graph)
{
    const size_t edges = (size_t)graph->count * graph->edges;
    const size_t bytes = edges * sizeof *graph->successor;
    const size_t turn_bytes = graph->folding != NULL ? edges : 0;
    const uint64_t left = graph->budget->limit - atomic_load(&graph->budget->used);
    if (bytes + turn_bytes > left || bytes + turn_bytes > (left + bytes_to_forget(graph)) / 2)
        return;
    graph->successor = check_map(graph->budget, bytes);
    graph->successor_bytes = bytes;
    if (graph->successor != NULL && turn_bytes > 0) {
        graph->turn = check_map(graph->budget, turn_bytes);
        graph->turn_bytes = turn_bytes;
        if (graph->turn == NULL) {
            check_unmap(graph->budget, graph->successor, bytes);
            graph->successor = NULL;
        }
    }
    if (graph->successor != NULL) {
        struct sweep sweep = {.graph = graph};
        check_parallel(graph->count < check_worth_threads ? 1 : graph->threads, fill_successors,
                       &sweep);
    }
}

/* False: no memory. */
static bool prepare_folding(struct check_graph *graph, bool edges_are_followed)
{
    const struct check_model *model = graph->model;
    if (!edges_are_followed || !check_can_fold(model))
        return true;
    graph->folding = check_map(graph->budget, sizeof *graph->folding);
    if (graph->folding != NULL)
        check_folding_make(graph->folding, model->n);
    return graph->folding != NULL;
}

struct check_graph check_graph_unfold(const struct check_graph *graph)
{
    struct check_graph unfolded = *graph;
    if (graph->folding == NULL)
        return unfolded;
    unfolded.folds = graph->folding->folds;
    unfolded.count = graph->count * unfolded.folds;
    unfolded.initial =
        check_graph_numbered(&unfolded) ? graph->initial * unfolded.folds : CHECK_NONE;
    return unfolded;
}

bool check_graph_freeze(struct check_graph *graph, struct check_space *space,
                        const struct check_limits *limits, bool keep)
{
    const struct check_model *model = space->model;
    *graph = (struct check_graph){.model = model,
                                  .budget = limits->budget,
                                  .threads = limits->threads,
                                  .reduced = space->reduced,
                                  .complete = space->end == CHECK_COMPLETE,
                                  .barred = space->barred,
                                  .edges = model->n * model->kinds,
                                  .folds = 1};
    if (!prepare_folding(graph, space->order != NULL) || !compact(graph, space)) {
        check_unmap(graph->budget, graph->folding, sizeof *graph->folding);
        return false;
    }
    graph->key = graph->table;
    if (space->order != NULL && !number_in_order(graph, space)) {
        check_unmap(graph->budget, space->order,
                    space->order_room * model->words * sizeof(uint64_t));
        space->order = NULL;
    }
    if (keep && check_graph_numbered(graph))
        keep_successors(graph);
    uint64_t initial[CHECK_MAX_WORDS];
    model->initial(model, initial);
    graph->initial = check_graph_find(graph, initial);
    return true;
}

struct looking {
    bool (*is)(const void *context, uint32_t id);
    const void *context;
    _Atomic(bool) found;
};

static void look_in_block(void *context, uint64_t first, uint64_t last)
{
    struct looking *looking = context;
    for (uint64_t id = first; id < last && !atomic_load(&looking->found); id++) {
        if (looking->is(looking->context, (uint32_t)id))
            atomic_store(&looking->found, true);
    }
}

bool check_any_state(const struct check_graph *graph, bool (*is)(const void *context, uint32_t id),
                     const void *context)
{
    struct looking looking = {.is = is, .context = context};
    check_parallel_blocks(graph->threads, graph->count, false, look_in_block, &looking);
    return atomic_load(&looking.found);
}

/* What is left of the set of states, which is a mapping whatever its size. */
static void give_back_table(struct check_graph *graph)
{
    if (graph->table == NULL)
        return;
    munmap(graph->table, graph->table_bytes);
    check_budget_give(graph->budget, graph->table_bytes);
}

static void close_states(struct check_graph *graph)
{
    if (graph->key != graph->table)
        check_unmap(graph->budget, graph->key, graph->key_bytes);
    give_back_table(graph);
    check_unmap(graph->budget, graph->number, graph->number_bytes);
    check_unmap(graph->budget, graph->rank, graph->rank_bytes);
    graph->key = graph->table = NULL;
    graph->number = NULL;
    graph->rank = NULL;
}

static void note_regions(void *context, uint64_t first, uint64_t last)
{
    const struct check_graph *graph = context;
    const struct check_model *model = graph->model;
    for (uint64_t id = first; id < last; id++) {
        for (unsigned p = 0; p < model->n; p++)
            graph->region[id * model->n + p] =
                (uint8_t)check_region_of(model, check_graph_key(graph, id), p);
    }
}

void check_graph_forget_states(struct check_graph *graph)
{
    if (graph->folding == NULL || graph->successor == NULL)
        return;
    graph->region = check_map(graph->budget, (size_t)graph->count * graph->model->n);
    if (graph->region == NULL)
        return;
    check_parallel_blocks(graph->threads, graph->count, false, note_regions, graph);
    close_states(graph);
}

void check_graph_close(struct check_graph *graph)
{
    close_states(graph);
    check_unmap(graph->budget, graph->region, (size_t)graph->count * graph->model->n);
    check_unmap(graph->budget, graph->successor, graph->successor_bytes);
    check_unmap(graph->budget, graph->turn, graph->turn_bytes);
    check_unmap(graph->budget, graph->folding, sizeof *graph->folding);
    *graph = (struct check_graph){0};
}
