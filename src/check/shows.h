/*
 * What a run shows, from the definitions of the properties and without the procedures that decide
 * them: the inside of replay.h. A run is a schedule that has been made again from the initial
 * state, state by state; the part from `stem` on is a cycle if it is not empty.
 */
#ifndef BERTH_CHECK_SHOWS_H
#define BERTH_CHECK_SHOWS_H

#include "check/decide.h"

struct check_shown_run {
    const struct check_model *model;
    const struct check_witness *witness;
    struct check_query query;
    unsigned k;       /* fewer than this many may fail, where the property is about that */
    uint64_t *state;  /* length + 1 of them */
    uint32_t *number; /* of each in the graph, where that is unfolded; or NULL */
    uint64_t moves;   /* processes that move on the cycle */
    const struct check_graph *graph; /* where it matters who is enabled, or what can follow */
    const struct check_enabled *enabled;
    bool no_memory;
    const char *why; /* it does not show it */
};

static inline const uint64_t *check_run_state(const struct check_shown_run *run, size_t at)
{
    return run->state + at * run->model->words;
}

/* With the doorway told apart. */
static inline enum check_region check_run_place(const struct check_shown_run *run, size_t at,
                                                unsigned p)
{
    return check_region_of(run->model, check_run_state(run, at), p);
}

/* As the properties see it. */
static inline enum check_region check_run_region(const struct check_shown_run *run, size_t at,
                                                 unsigned p)
{
    return check_paper_region(check_run_place(run, at, p));
}

static inline bool check_run_complains(struct check_shown_run *run, const char *why)
{
    run->why = why;
    return false;
}

/* How many processes are in the region. */
unsigned check_run_count(const struct check_shown_run *run, size_t at, enum check_region which);

/* The number in the graph of the state, or of the one that stands for it. */
uint32_t check_run_number(const struct check_shown_run *run, size_t at);

/* Whether p is in the set `of` (of run->enabled) there. */
bool check_run_enabled(const struct check_shown_run *run, const uint16_t *of, size_t at,
                       unsigned p);

/* Whether p waits: in T or E, in T or E past the doorway, in T past the doorway, in the doorway; in
 * the first two, where it matters who is enabled, without being it. */
enum check_run_wait { CHECK_IN_T_OR_E, CHECK_PAST_DOORWAY, CHECK_WAITING_ROOM, CHECK_AT_DOOR };
bool check_run_waits(const struct check_shown_run *run, enum check_run_wait how, size_t at,
                     unsigned p);

/* p asks for a rank (Singh 1993): it is grey, and on its way or in its critical region. */
bool check_run_asks(const struct check_shown_run *run, size_t at, unsigned p);

/* shows_cycle.c, shows_run.c: whether the cycle, or the finite run, shows that the property
 * fails. */
bool check_cycle_shows(struct check_shown_run *run);
bool check_run_shows(struct check_shown_run *run);

/* shows_recovery.c: the same of the way out of a region, and of re-entry after a kill. */
bool check_run_shows_recovery(struct check_shown_run *run);
bool check_cycle_shows_recovery(struct check_shown_run *run);

/* shows_remote.c: the same of remote references. */
bool check_run_shows_remote(struct check_shown_run *run);
bool check_cycle_shows_remote(struct check_shown_run *run);

/* shows_order.c: the same of ranks, and of the order of processes. */
bool check_run_shows_order(struct check_shown_run *run);

#endif
