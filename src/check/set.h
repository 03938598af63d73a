/*
 * A lock-free set of packed states: open addressing, the states themselves in the table.
 *
 * A slot is `words` words, each 0 until it is written and never changed after. A slot is filled
 * word by word, each by one compare-and-swap from 0; a thread that finds its own words in the
 * prefix may write the next one. Invariants:
 *   1. A word once set stays, so "this slot differs from my state" is a final answer: all searches
 *      for one state walk the same slots and stop at the same one. No state is stored twice.
 *   2. A search leaves a slot only at a word that differs, whether or not the thread that wrote it
 *      is still filling the slot; so no thread waits for another.
 *   3. The state counts as new for the thread that wrote the slot's last word.
 *
 * The home slot of a state grows with its hash, so a larger table holds the states in nearly the
 * same order: growing in place and compacting are sequential sweeps.
 */
#ifndef BERTH_CHECK_SET_H
#define BERTH_CHECK_SET_H

#include "check/budget.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { CHECK_SET_MAX_WORDS = 48 };

struct check_set {
    _Atomic(uint64_t) *slots;
    uint64_t capacity; /* in slots */
    unsigned words;
    size_t bytes;    /* in use */
    size_t reserved; /* of address space, from the start: growing does not move the table */
    struct check_budget *budget;
};

/* All return false when there is no memory. */
bool check_set_open(struct check_set *set, struct check_budget *budget, unsigned words,
                    uint64_t capacity);
bool check_set_grow(struct check_set *set, uint64_t capacity);
/* On this many threads; no other thread may use the set. */
bool check_set_grow_with(struct check_set *set, uint64_t capacity, unsigned threads);
void check_set_close(struct check_set *set);

static inline uint64_t check_set_hash(const uint64_t *state, unsigned words)
{
    return XXH3_64bits(state, words * sizeof *state);
}

static inline uint64_t check_set_home(uint64_t hash, uint64_t capacity)
{
    return (uint64_t)((unsigned __int128)hash * capacity >> 64);
}

static inline void check_set_prefetch(const struct check_set *set, uint64_t home, unsigned words)
{
    __builtin_prefetch((const void *)&set->slots[home * words], 0);
}

/* Adds `state`, whose home slot is given; true: it is new. There must be a free slot. `words` is
 * set->words, given so that it can be a constant. */
static inline __attribute__((always_inline)) bool check_set_add_words(struct check_set *set,
                                                                      const uint64_t *state,
                                                                      uint64_t home,
                                                                      const unsigned words)
{
    for (uint64_t s = home;; s = s + 1 == set->capacity ? 0 : s + 1) {
        _Atomic(uint64_t) *slot = &set->slots[s * words];
        bool wrote = false;
        unsigned w = 0;
        for (; w < words; w++) {
            /* Relaxed: a word carries its whole meaning in itself; nothing is read through it. */
            uint64_t found = atomic_load_explicit(&slot[w], memory_order_relaxed);
            wrote = false;
            if (found == 0)
                wrote = atomic_compare_exchange_strong_explicit(
                    &slot[w], &found, state[w], memory_order_relaxed, memory_order_relaxed);
            if (!wrote && found != state[w])
                break;
        }
        if (w == words)
            return wrote;
    }
}

static inline bool check_set_add(struct check_set *set, const uint64_t *state, uint64_t home)
{
    return check_set_add_words(set, state, home, set->words);
}

#endif
