/* The decision procedures, one file for each family of properties. Each fills in the result; where
 * memory runs out the answer stays CHECK_UNDECIDED. */
#ifndef BERTH_CHECK_DECIDE_H
#define BERTH_CHECK_DECIDE_H

#include "check/parallel.h"
#include "check/result.h"

/* safety.c: on any set of reached states, complete or not */
void check_decide_exclusion(const struct check_graph *graph, struct check_result *result);
void check_decide_slots(const struct check_graph *graph, struct check_result *result);
/* Those in the set `asked`, bit 0 for the first; a bit without a name is a violation as well. */
void check_decide_invariants(const struct check_graph *graph, uint64_t asked,
                             struct check_result *result);
void check_decide_acyclic(const struct check_graph *graph, struct check_result *result);
void check_decide_comparable(const struct check_graph *graph, struct check_result *result);
void check_decide_no_memory(const struct check_graph *graph, struct check_result *result);
/* The number of distinct values of each cell, in `values`; false: no memory. */
bool check_count_values(const struct check_graph *graph, uint64_t *values);
/* The number of distinct values of all cells together; 0: no memory. Not of a compact model. */
uint64_t check_count_whole(const struct check_graph *graph);
/* Whether this one state violates a property of single states: exclusion, distinct-slots, window,
 * invariants. */
bool check_state_breaks(const struct check_model *model, const uint64_t *state,
                        enum check_property property);

/* stated.c */
void check_decide_own(const struct check_graph *graph, struct check_result *result);
/* Whether this one state violates one of them. */
bool check_own_breaks(const struct check_model *model, const uint64_t *state);

/* lost.c */
void check_decide_lost(const struct check_graph *graph, struct check_result *result);
/* Whether all slots can be filled from this state, by a search of its own; -1: no memory. */
int check_can_fill(const struct check_graph *graph, uint32_t id);
/* Whether all slots are held in this state, or as many as there are living processes. */
bool check_is_filled(const struct check_model *model, const uint64_t *state);
/* Says of a failing result what it is that cannot be done from this state on. */
void check_say_lost(const struct check_model *model, const uint64_t *state,
                    struct check_result *result);

/* progress.c */
void check_decide_deadlock(const struct check_graph *graph, struct check_result *result);
void check_decide_lockout(const struct check_graph *graph, struct check_result *result);
void check_decide_l_lockout(const struct check_graph *graph, struct check_result *result);

/* waiting.c; `enabled` NULL: the plain form, else the form "for enabling" */
struct check_enabled;
void check_decide_bounded(const struct check_graph *graph, const struct check_enabled *enabled,
                          struct check_result *result);
void check_decide_fifo(const struct check_graph *graph, const struct check_enabled *enabled,
                       struct check_result *result);
void check_decide_linear(const struct check_graph *graph, struct check_result *result);
void check_decide_doorway(const struct check_graph *graph, struct check_result *result);
void check_decide_responsive(const struct check_graph *graph, struct check_result *result);

/* reentry.c */
void check_decide_reentry(const struct check_graph *graph, struct check_result *result);
/* Own steps from this region (CHECK_WAITING: the doorway too) through the exit region. */
void check_decide_way_out(const struct check_graph *graph, enum check_region from,
                          struct check_result *result);

/* remote.c; `super`: a kill does not end the count */
void check_decide_remote(const struct check_graph *graph, bool super, struct check_result *result);

/* order.c */
void check_decide_precedence(const struct check_graph *graph, struct check_result *result);
void check_decide_stable(const struct check_graph *graph, struct check_result *result);
/* fifo where it is not about all pairs of processes, or not about processes (see order.c) */
bool check_has_own_order(const struct check_model *model);
void check_decide_own_order(const struct check_graph *graph, struct check_result *result);

/* enabled.c */
struct check_enabled { /* the processes enabled in each state, one bit each */
    uint16_t *critical;
    uint16_t *remainder; /* NULL where enabling is meant in own steps */
    size_t bytes;
    struct check_budget *budget;
};
bool check_enabled_open(struct check_enabled *enabled, const struct check_graph *graph);
void check_enabled_close(struct check_enabled *enabled);
bool check_is_enabled(const struct check_graph *graph, const uint16_t *set, uint32_t id,
                      unsigned p);

/* enabling.c */
void check_decide_l_full(const struct check_graph *graph, const struct check_enabled *enabled,
                         struct check_result *result);
/* `enabled` NULL: the plain form */
void check_decide_finite_waiting(const struct check_graph *graph,
                                 const struct check_enabled *enabled, struct check_result *result);
/* Whether a slot that somebody waits for is allocated to nobody in this state, or somebody in its
 * exit region is not sure to get out; -1: no memory. */
int check_wastes(const struct check_graph *graph, const struct check_enabled *enabled, uint32_t id);
void check_decide_kl_deadlock(const struct check_graph *graph, const struct check_enabled *enabled,
                              struct check_result *result);

/* first_enabled.c */
void check_decide_first_enabled(const struct check_graph *graph,
                                const struct check_enabled *enabled, struct check_result *result);
void check_decide_strong_first_enabled(const struct check_graph *graph,
                                       const struct check_enabled *enabled,
                                       struct check_result *result);

/* ahead.c */
void check_decide_ahead(const struct check_graph *graph, const struct check_enabled *enabled,
                        struct check_result *result);

/* overtaking.c */
void check_decide_overtaking(const struct check_graph *graph, const struct check_enabled *enabled,
                             struct check_result *result);

/* most.c: the most that is counted of a process, over all runs */
struct check_most {
    bool memory, unbounded;
    uint64_t bound;
    unsigned i; /* the process */
};
/* Has `count` say it of each process, on all threads: `memory`, and `unbounded` or `bound`. Returns
 * the first without bound, or the first of those with the largest one; without `memory` if there
 * was none for a process before that. */
struct check_most check_most(const struct check_graph *graph, unsigned processes,
                             void (*count)(const void *context, unsigned i,
                                           struct check_most *most),
                             const void *context);
/* Answers: it holds if there is a bound, and it is not above the one that is asked for. True: it
 * fails, and wants a witness. */
bool check_most_concludes(const struct check_most *most, struct check_result *result);

/* Which processes have to be asked: all the workers, or the first `count` where they are alike, or
 * each state is there with them in any order. */
static inline unsigned check_first_only(const struct check_graph *graph, unsigned count)
{
    const unsigned workers = check_workers(graph->model);
    return (graph->model->anonymous || graph->folds > 1) && count < workers ? count : workers;
}

/* Threads that are worth it for work of which every piece looks at the whole graph. */
static inline unsigned check_threads_for(const struct check_graph *graph)
{
    return graph->count < check_worth_threads ? 1 : graph->threads;
}

/* Whether process i waits, as C3 and C4 mean it: it is in T or E and, where `enabled` is given
 * (C3', C4'), not enabled there. Enabling in own steps is about T alone: nobody waits in E then. */
static inline bool check_waits(const struct check_graph *graph, const struct check_enabled *enabled,
                               uint32_t id, unsigned i)
{
    const enum check_region region = check_graph_region(graph, id, i);
    if (check_trying(region))
        return enabled == NULL || !check_is_enabled(graph, enabled->critical, id, i);
    return region == CHECK_EXIT &&
           (enabled == NULL ||
            (enabled->remainder != NULL && !check_is_enabled(graph, enabled->remainder, id, i)));
}

#endif
