/*
 * What the adversaries share: runs that grow step by step, the schedules exit(q) and enter(q, i) of
 * Burns et al., searches among the steps of some of the processes, and the end of it.
 *
 * Functions that return bool return false when it is over: the outcome has been written.
 */
#ifndef BERTH_REFUTE_ADVERSARY_H
#define BERTH_REFUTE_ADVERSARY_H

#include "refute/refute.h"
#include "refute/states.h"

struct adversary {
    const struct check_model *model;
    struct refute_outcome *outcome;
    size_t most; /* states to keep */
    enum check_property
        deadlock; /* what fails where nobody makes progress: C2, in one form or the other */
    unsigned k;
    struct states *values; /* of V, where it has parts: each with a number; NULL: V is one cell */
};

/* The value of V in a state; where V has parts, a number that stands for all of them. */
uint64_t value_of(const struct adversary *adversary, const uint64_t *state);
/* Puts a value into V. */
void value_put(const struct adversary *adversary, uint64_t *state, uint64_t value);
const char *value_text(const struct adversary *adversary, uint64_t value, char *text, size_t size);

/* A set of processes. */
typedef uint32_t crew;
static inline crew team_of(unsigned p)
{
    return UINT32_C(1) << p;
}
/* Processes from .. to - 1. */
static inline crew team_range(unsigned from, unsigned to)
{
    return to <= from ? 0 : (((UINT32_C(1) << (to - from)) - 1) << from);
}
static inline bool team_has(crew team, unsigned p)
{
    return team >> p & 1;
}

/* ---- runs ---- */

struct run { /* from the initial state */
    uint64_t state[CHECK_MAX_WORDS];
    uint8_t *step;
    size_t length, room;
    size_t arrival[CHECK_MAX_PROCESSES]; /* the length at which it last left its remainder */
};

void run_begin(const struct adversary *adversary, struct run *run);
void run_free(struct run *run);
bool run_copy(struct adversary *adversary, struct run *run, const struct run *from);

static inline uint64_t run_value(const struct adversary *adversary, const struct run *run)
{
    return value_of(adversary, run->state);
}
static inline enum check_region run_region(const struct adversary *adversary, const struct run *run,
                                           unsigned p)
{
    return check_paper_region(check_region_of(adversary->model, run->state, p));
}
/* The processes of `among` that are in the region. */
crew run_those(const struct adversary *adversary, const struct run *run, crew among,
               enum check_region region);

/* One step of p. It is over if that makes more than l critical. */
bool run_step(struct adversary *adversary, struct run *run, unsigned p);
/* One step of each, in order; the first of them is `from`. */
bool run_each(struct adversary *adversary, struct run *run, unsigned from, unsigned to);
/* The steps of `other` from number `from` on, again, by the same processes. */
bool run_again(struct adversary *adversary, struct run *run, const struct run *other, size_t from);
/* One step of p, which must not enter: where it does, those of `enabled` follow, and more than l
 * are critical. */
bool run_knock(struct adversary *adversary, struct run *run, unsigned p, crew enabled);

/* ---- driving ---- */

struct drive {
    crew team;         /* they take turns, by their numbers */
    bool rest_outside; /* processes in their remainder are skipped */
    bool rest_inside;  /* processes in their critical region are skipped */
    /* Where to stop; NULL: never. */
    bool (*there)(const struct adversary *adversary, const struct run *run, const void *context);
    const void *context;
};

/* Turns until it is there, or a state comes again: then *cycles, and the part from *stem on is a
 * cycle. */
bool drive(struct adversary *adversary, struct run *run, const struct drive *drive, bool *cycles,
           size_t *stem);
/* The same where the proof promises that it gets there, by C2: that it does not is a deadlock. */
bool drive_there(struct adversary *adversary, struct run *run, const struct drive *drive);

/* exit(q): those of the team go to their remainder, all taking turns (Lemma 4.1). */
bool drive_exit(struct adversary *adversary, struct run *run, crew team);
/* enter(q, p): p alone becomes critical (Lemma 4.2). */
bool drive_enter(struct adversary *adversary, struct run *run, unsigned p);
/* p alone, until it is in a state that it comes back to; *period: after this many steps. */
bool drive_recur(struct adversary *adversary, struct run *run, unsigned p, size_t *period);
/* p alone for ever: it has to go round and round, through its remainder and its critical region, as
 * everybody else rests. The run ends after one cycle, which begins at *stem. */
bool drive_round(struct adversary *adversary, struct run *run, unsigned p, size_t *stem);

/* ---- searching ---- */

struct reach {
    struct states states;
    uint32_t *from;
    uint8_t *by;
    size_t room;
};

/* Breadth first from the run's state, by steps of the team; *at is the first state that `found`
 * likes, or STATES_NONE, when all have been looked at. */
bool reach_search(struct adversary *adversary, struct reach *reach, const struct run *run,
                  crew team,
                  bool (*found)(const struct adversary *adversary, const uint64_t *state,
                                const void *context),
                  const void *context, uint32_t *at);
/* Makes the steps that lead to state `at` of the search. */
bool reach_follow(struct adversary *adversary, const struct reach *reach, uint32_t at,
                  struct run *run);
void reach_close(struct reach *reach);

/* Whether p's next step enters its critical region, and will whatever the others do. */
bool is_enabled(struct adversary *adversary, const struct run *run, unsigned p, bool *enabled);

/* ---- the end ---- */

/* A property fails on the run; its part from `stem` on is a cycle, unless that is its length. */
bool conclude(struct adversary *adversary, const struct run *run, enum check_property property,
              size_t stem, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* On the cycle nobody makes progress, or somebody is passed again and again: C2 or C4 fails. */
bool conclude_starved(struct adversary *adversary, const struct run *run, size_t stem, unsigned p);
/* Whether somebody, *who, becomes critical again and again on the cycle. */
bool cycle_serves(struct adversary *adversary, const struct run *run, size_t stem, bool *serves,
                  unsigned *who);
/* There is no contradiction, and why; what was said before is taken back. */
bool stop(struct adversary *adversary, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool fall_short(struct adversary *adversary, enum refute_end end);

/* A sentence about the case, put behind those that are there. */
void say(struct adversary *adversary, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The run stands at a point of the proof. */
bool mark(struct adversary *adversary, const struct run *run, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- the proofs ---- */

void adversary_4_4(struct adversary *adversary);
void adversary_4_5(struct adversary *adversary);
void adversary_4_9(struct adversary *adversary);
void adversary_4_10(struct adversary *adversary);
void adversary_4_12(struct adversary *adversary);
void adversary_5_1(struct adversary *adversary);
void adversary_5_2(struct adversary *adversary);
void adversary_5_3(struct adversary *adversary);

/* Lemmas 4.6 and 4.7: processes 0 and 1 from `run`, where all are in their remainder, with at most
 * two values while not both are: C1 or C3 fails. *values is how many there are; with more than two
 * it goes on. The lockout is handed to `locked_out`, which concludes. */
bool pair_lemma(struct adversary *adversary, const struct run *run,
                bool (*locked_out)(struct adversary *adversary, const struct run *run, size_t stem,
                                   unsigned p),
                size_t *values);
/* As C3, by its own name. */
bool conclude_lockout(struct adversary *adversary, const struct run *run, size_t stem, unsigned p);

#endif
