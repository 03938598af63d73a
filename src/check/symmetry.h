/*
 * Symmetry between interchangeable processes. Processes 0 and 1 keep their places, so that every
 * property of one process or of an ordered pair can be decided for them; the local states of the
 * other workers are sorted. One quotient serves all properties.
 */
#ifndef BERTH_CHECK_SYMMETRY_H
#define BERTH_CHECK_SYMMETRY_H

#include "check/model.h"

enum { CHECK_NAMED = 2 }; /* processes that keep their names */

/* Whether the quotient is any smaller than the whole. */
static inline bool check_symmetry_helps(const struct check_model *model)
{
    return model->anonymous && check_workers(model) > CHECK_NAMED + 1 && model->block_words == 1;
}

static inline void check_canonical(const struct check_model *model, uint64_t *state)
{
    uint64_t block[CHECK_MAX_PROCESSES];
    const unsigned n = check_workers(model);
    bool sorted = true;
    for (unsigned p = CHECK_NAMED; p < n; p++) {
        block[p] = check_get(state, model->block[p]);
        sorted = sorted && (p == CHECK_NAMED || block[p - 1] <= block[p]);
    }
    if (sorted)
        return;
    for (unsigned p = CHECK_NAMED + 1; p < n; p++) {
        uint64_t moving = block[p];
        unsigned q = p;
        for (; q > CHECK_NAMED && block[q - 1] > moving; q--)
            block[q] = block[q - 1];
        block[q] = moving;
    }
    for (unsigned p = CHECK_NAMED; p < n; p++)
        check_put(state, model->block[p], block[p]);
}

/* How many states the canonical `state` stands for: (n-2)! over the factorials of equal runs. */
static inline uint64_t check_orbit(const struct check_model *model, const uint64_t *state)
{
    uint64_t orbit = 1;
    unsigned run = 0;
    for (unsigned p = CHECK_NAMED; p < check_workers(model); p++) {
        bool same = p > CHECK_NAMED &&
                    check_get(state, model->block[p]) == check_get(state, model->block[p - 1]);
        run = same ? run + 1 : 1;
        orbit = orbit * (p - CHECK_NAMED + 1) / run;
    }
    return orbit;
}

static inline void check_swap_processes(const struct check_model *model, uint64_t *state,
                                        unsigned p, unsigned q)
{
    uint64_t block = check_get(state, model->block[p]);
    check_put(state, model->block[p], check_get(state, model->block[q]));
    check_put(state, model->block[q], block);
}

#endif
