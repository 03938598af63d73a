/* Questions about a model, and their answers. */
#ifndef BERTH_CHECK_RESULT_H
#define BERTH_CHECK_RESULT_H

#include "check/property.h"
#include "check/witness.h"

enum check_answer { CHECK_UNDECIDED, CHECK_HOLDS, CHECK_FAILS };

struct check_query {
    enum check_property property;
    bool has_bound; /* it holds only if its exact bound is at most `bound` */
    uint64_t bound;
};

struct check_result {
    struct check_query query;
    uint64_t bound;        /* the exact bound, where the property has one and it is finite */
    uint64_t bound_active; /* linear waiting, counted from the first store */
    struct check_witness witness;
    enum check_answer answer;
    bool has_bound, has_bound_active;
    bool cut; /* the answer is about runs up to a limit; UNDECIDED: no violation up to there */
    uint16_t own_failed, own_held; /* of the properties that the file states, bit q: property q */
    uint16_t own_empty;            /* of those, "after p": p holds of nobody anywhere */
    char about[160];               /* which process did what, for a failing property */
};

/* Forgets what has been found: there was no memory for the rest of the answer. */
static inline void check_result_undecided(struct check_result *result)
{
    check_witness_free(&result->witness);
    *result = (struct check_result){.query = result->query};
}

#endif
