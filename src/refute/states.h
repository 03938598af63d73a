/* A set of packed states, each with a number in the order in which they came. */
#ifndef BERTH_REFUTE_STATES_H
#define BERTH_REFUTE_STATES_H

#include "check/model.h"

#define STATES_NONE UINT32_MAX

struct states {
    unsigned words;
    size_t most; /* more are refused */
    uint64_t *key;
    size_t count, room;
    uint32_t *slot; /* number + 1; 0: free */
    size_t slots;
};

void states_open(struct states *states, unsigned words, size_t most);
void states_close(struct states *states);

static inline const uint64_t *states_key(const struct states *states, uint32_t number)
{
    return states->key + (size_t)number * states->words;
}

/* The number of the state, which is put in where it is new. STATES_NONE: there is no room. */
uint32_t states_add(struct states *states, const uint64_t *state, bool *fresh);

#endif
