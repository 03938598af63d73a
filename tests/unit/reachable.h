/*
 * Walking a model from one state, by way of its `describe` and without the checker's graph: all
 * that some of its edges lead to. For what a witness has to show about the state that it leads to.
 */
#ifndef BERTH_TESTS_REACHABLE_H
#define BERTH_TESTS_REACHABLE_H

#include "support.h"

enum { WALK_STATES = 1 << 16, WALK_INDEX = 1 << 18 };

/* Whether the walk goes along an edge; i is the process that the question is about. */
typedef bool walk_goes(const struct check_model *model, unsigned i, const uint64_t *from,
                       unsigned edge, const uint64_t *to);

struct walk {
    const struct check_model *model;
    unsigned i, edges, count;
    uint64_t state[WALK_STATES][CHECK_MAX_WORDS];
    uint32_t next[WALK_STATES][CHECK_MAX_EDGES]; /* CHECK_NONE: the walk does not go there */
    uint32_t slot[WALK_STATES];                  /* of each state, in the index */
    uint32_t index[WALK_INDEX];                  /* hash table of numbers + 1; zero between walks */
};

/* Critical-enabled, as the model means it. */
bool walk_enabled(const struct check_model *model, const uint64_t *state, unsigned i);

/* Whether all slots can be filled by living processes, or every living process can have one. */
bool walk_can_fill(const struct check_model *model, const uint64_t *state);

/* Whether two critical processes hold the same slot, or one holds a slot that does not exist. */
bool walk_slots_clash(const struct check_model *model, const uint64_t *state);

#endif
