/*
 * Replaying witnesses. A schedule is run again from the initial state, move by move, by way of the
 * model's `describe`; then what it is said to show is looked for in the states it went through,
 * from the definition of the property and without the checker's help.
 */
#ifndef BERTH_TESTS_REPLAY_WITNESS_H
#define BERTH_TESTS_REPLAY_WITNESS_H

#include "reachable.h"

#include "check/decide.h"

struct replay {
    const struct check_model *model;
    const struct check_result *result;
    size_t length, stem;
    uint64_t (*state)[CHECK_MAX_WORDS]; /* length + 1 of them */
    char complaint[400];                /* "": none */
};

static inline enum check_region replay_region(const struct replay *replay, size_t at, unsigned p)
{
    return check_region_of(replay->model, replay->state[at], p);
}

static inline unsigned replay_mover(const struct replay *replay, size_t step)
{
    return replay->result->witness.edge[step] % replay->model->n;
}

typedef bool replay_waits(const struct replay *replay, size_t at, unsigned i);

static inline bool in_exit(const struct replay *replay, size_t at, unsigned i)
{
    return replay_region(replay, at, i) == CHECK_EXIT;
}

/* Whether the witness of a failing property shows what it should; else `complaint` says why not. */
bool replay_witness(const struct check_model *model, const struct check_result *result,
                    char *complaint, size_t size);

#endif
