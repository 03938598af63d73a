/* What can be decided from a single state: used by the checker's scans and by the kernels of a
 * GPU. */
#ifndef BERTH_CHECK_BREAKS_H
#define BERTH_CHECK_BREAKS_H

#include "check/model.h"

/* A process is lower than itself, in the transitive closure. */
static inline bool check_ranks_form_cycle(struct check_ranks *ranks)
{
    for (unsigned via = 0; via < ranks->count; via++) {
        for (unsigned u = 0; u < ranks->count; u++) {
            if (ranks->lower[u] >> via & 1)
                ranks->lower[u] |= ranks->lower[via];
        }
    }
    bool cycle = false;
    for (unsigned u = 0; u < ranks->count; u++)
        cycle |= ranks->lower[u] >> u & 1;
    return cycle;
}

/* Of any two, one is lower than the other. */
static inline bool check_ranks_comparable(const struct check_ranks *ranks)
{
    for (unsigned u = 0; u < ranks->count; u++) {
        for (unsigned v = 0; v < u; v++) {
            if ((ranks->lower[u] >> v & 1) == 0 && (ranks->lower[v] >> u & 1) == 0)
                return false;
        }
    }
    return true;
}

/* Whether process p has the same local state in both. */
static inline bool check_same_local(const struct check_model *model, const uint64_t *a,
                                    const uint64_t *b, unsigned p)
{
    if (check_get(a, model->block[p]) != check_get(b, model->block[p]))
        return false;
    if (model->has_rest)
        return check_get(a, model->rest[p]) == check_get(b, model->rest[p]);
    for (unsigned w = 1; w < model->block_words; w++) {
        if (a[model->block[p].word + w] != b[model->block[p].word + w])
            return false;
    }
    return true;
}

#endif
