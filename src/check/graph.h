/*
 * The reachable graph, frozen: states numbered 0 .. count - 1, and the successors of each.
 *
 * The table of the exploration is compacted in place: `table` holds the states densely, in the
 * order of their slots, and `rank` says how many states come before each group of 64 slots, so that
 * a state is found from its home slot without the empty slots being there.
 *
 * Where edges will be followed, states are numbered in the order in which they were found: then the
 * successors of neighbours are neighbours, and walking the graph is kind to the caches. `number`
 * leads from places in the table to these numbers, and `key` holds the states by number. Where only
 * states are looked at, the place in the table is the number.
 *
 * The successors are kept in memory where that fits, and computed again where it does not; the only
 * difference that the user of a graph can see is the time it takes.
 *
 * A graph may be folded (folded.h). Then check_graph_unfold gives another view of it, with more
 * states, of which successors and regions can be asked, and not what they look like.
 */
#ifndef BERTH_CHECK_GRAPH_H
#define BERTH_CHECK_GRAPH_H

#include "check/exploration.h"
#include "check/folded.h"

#define CHECK_NONE UINT32_MAX /* no such edge */

struct check_rank {
    uint64_t occupied; /* the slots of this group that hold a state */
    uint64_t before;   /* states in the groups before */
};

struct check_graph {
    const struct check_model *model;
    struct check_budget *budget;
    unsigned threads;
    bool reduced;
    uint64_t count;
    unsigned edges;
    uint64_t *key;    /* states by number */
    uint64_t *table;  /* states by place; the same as `key` if `number` is NULL */
    uint32_t *number; /* by place */
    struct check_rank *rank;
    uint64_t places;     /* in the table: `count`, but of a graph unfolded fewer */
    uint64_t capacity;   /* of the table that was compacted */
    uint32_t *successor; /* count * edges, or NULL */
    uint8_t *turn;       /* the permutation along each of them, where the graph is folded */
    uint8_t *region;     /* of each process in each state, where states are not kept any more */
    size_t key_bytes, table_bytes, number_bytes, rank_bytes, successor_bytes, turn_bytes;
    struct check_folding *folding; /* NULL: it is not folded */
    unsigned folds;   /* 1; n! if this is a graph unfolded: of state s, those from s * folds on */
    uint32_t initial; /* CHECK_NONE where states have no numbers */
    bool complete;    /* every successor is in the graph */
    bool barred;      /* it ends where a limit keeps processes in their remainder */
};

/* Takes the table out of `space`. With `keep_successors`, keeps them if they fit in half of what is
 * left of the budget. False: no memory. */
bool check_graph_freeze(struct check_graph *graph, struct check_space *space,
                        const struct check_limits *limits, bool keep_successors);
void check_graph_close(struct check_graph *graph);

/* The same graph unfolded, as long as this one is there and is not changed; itself, where it is not
 * folded. Where there are more states than numbers, they have none. */
struct check_graph check_graph_unfold(const struct check_graph *graph);

/* Frees the states of a folded graph themselves, if their successors are kept: decisions on the
 * unfolded graph only need regions. */
void check_graph_forget_states(struct check_graph *graph);

/* The number of a state; CHECK_NONE where it is not in the graph, or states have no numbers. */
uint32_t check_graph_find(const struct check_graph *graph, const uint64_t *state);

/* The successors of `id`, one for each edge slot: from memory, or worked out in `buffer`. */
const uint32_t *check_graph_row(const struct check_graph *graph, uint32_t id, uint32_t *buffer);

/* The same of the edges of the set `wanted` alone, where states need not have numbers: their places
 * in the table will do. Returns the edges that exist; the others of `to` are not written. */
uint64_t check_graph_moves(const struct check_graph *graph, uint64_t id, uint64_t wanted,
                           uint64_t *to);

/* Whether there is a state of which `is` is true; it is looked for on all threads. */
bool check_any_state(const struct check_graph *graph, bool (*is)(const void *context, uint32_t id),
                     const void *context);

/* Whether its states have numbers. Otherwise they can only be looked at. */
static inline bool check_graph_numbered(const struct check_graph *graph)
{
    return graph->count < check_most_numbers;
}

/* Whether the model tells how it exchanges processes, and there are not too many of them. */
static inline bool check_can_fold(const struct check_model *model)
{
    return model->expand_exchanging != NULL && model->named != NULL &&
           model->n <= CHECK_FOLDED_PROCESSES;
}

/* Not of a graph unfolded. */
static inline const uint64_t *check_graph_key(const struct check_graph *graph, uint64_t id)
{
    return graph->key + id * graph->model->words;
}

/* The region of process p in a state. */
static inline enum check_region check_graph_region(const struct check_graph *graph, uint32_t id,
                                                   unsigned p)
{
    if (graph->folds > 1) {
        p = graph->folding->place[id % graph->folds][p];
        id /= graph->folds;
    }
    if (graph->region != NULL)
        return (enum check_region)graph->region[(size_t)id * graph->model->n + p];
    return check_region_of(graph->model, check_graph_key(graph, id), p);
}

/* The model that the edges of a graph are moves of, by the names of its processes. */
static inline const struct check_model *check_graph_named(const struct check_graph *graph)
{
    return graph->folds > 1 ? graph->model->named : graph->model;
}

/* In a graph unfolded: the state in which processes 0 and p have changed places. */
static inline uint32_t check_graph_swapped(const struct check_graph *graph, uint32_t id, unsigned p)
{
    const uint32_t x = id % graph->folds;
    return id - x + graph->folding->after[x][graph->folding->swap[p]];
}

#endif
