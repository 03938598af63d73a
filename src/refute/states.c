#include "refute/states.h"

#include <stdlib.h>
#include <string.h>

void states_open(struct states *states, unsigned words, size_t most)
{
    *states = (struct states){.words = words, .most = most < STATES_NONE ? most : STATES_NONE - 1};
}

void states_close(struct states *states)
{
    free(states->key);
    free(states->slot);
    *states = (struct states){.words = states->words};
}

static uint64_t hash_of(const uint64_t *state, unsigned words)
{
    uint64_t hash = 0;
    for (unsigned w = 0; w < words; w++) {
        hash = (hash ^ state[w]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Where the state is, or belongs. */
static size_t place_of(const struct states *states, const uint64_t *state)
{
    size_t place = hash_of(state, states->words) & (states->slots - 1);
    while (states->slot[place] != 0 &&
           !check_same_state(states_key(states, states->slot[place] - 1), state, states->words))
        place = (place + 1) & (states->slots - 1);
    return place;
}

static bool grow(struct states *states)
{
    const size_t room = states->room == 0 ? 64 : 2 * states->room;
    uint64_t *key = reallocarray(states->key, room, states->words * sizeof *key);
    if (key == NULL)
        return false;
    states->key = key;
    uint32_t *slot = calloc(2 * room, sizeof *slot);
    if (slot == NULL)
        return false;
    free(states->slot);
    states->slot = slot;
    states->slots = 2 * room;
    states->room = room;
    for (uint32_t number = 0; number < states->count; number++)
        states->slot[place_of(states, states_key(states, number))] = number + 1;
    return true;
}

uint32_t states_add(struct states *states, const uint64_t *state, bool *fresh)
{
    *fresh = false;
    if (states->count == states->room && !grow(states))
        return STATES_NONE;
    const size_t place = place_of(states, state);
    if (states->slot[place] != 0)
        return states->slot[place] - 1;
    if (states->count == states->most)
        return STATES_NONE;
    memcpy(states->key + states->count * states->words, state, states->words * sizeof *state);
    *fresh = true;
    states->slot[place] = (uint32_t)++states->count;
    return (uint32_t)(states->count - 1);
}
