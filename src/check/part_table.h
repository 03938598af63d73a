/*
 * A table of parts of states: each is stored once and has a number, from 0 on. Looking one up takes
 * no lock; adding one does, which is rare: there are thousands of parts where there are millions of
 * states.
 */
#ifndef BERTH_CHECK_PART_TABLE_H
#define BERTH_CHECK_PART_TABLE_H

#include "check/budget.h"

#include <pthread.h>

#define CHECK_NO_PART UINT32_MAX

struct check_parts_index { /* a hash table of numbers + 1; a larger one takes its place */
    struct check_parts_index *older;
    uint64_t size; /* slots, a power of two */
    size_t bytes;
    _Atomic(uint32_t) slot[];
};

struct check_parts {
    struct check_budget *budget;
    unsigned words; /* of a part */
    uint32_t most;  /* parts that can be numbered */
    _Atomic(uint32_t) count;
    uint64_t *key; /* room for `most`; only what is used counts */
    size_t key_room;
    uint64_t taken; /* bytes of the budget for keys */
    _Atomic(struct check_parts_index *) index;
    pthread_mutex_t lock;
};

/* False: no memory. */
bool check_parts_open(struct check_parts *parts, struct check_budget *budget, unsigned words,
                      unsigned bits);
void check_parts_close(struct check_parts *parts);

/* The number of the part, which is a new one if need be; `fresh`, if it is not NULL, is called with
 * it before another thread can see it. CHECK_NO_PART: there is no room or no memory for it. */
uint32_t check_parts_number(struct check_parts *parts, const uint64_t *part,
                            void (*fresh)(void *context, uint32_t number, const uint64_t *part),
                            void *context);

uint64_t check_parts_bytes(const struct check_parts *parts);

static inline const uint64_t *check_parts_key(const struct check_parts *parts, uint32_t number)
{
    return parts->key + (size_t)number * parts->words;
}

#endif
