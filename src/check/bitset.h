/* A set of state numbers, one bit each. */
#ifndef BERTH_CHECK_BITSET_H
#define BERTH_CHECK_BITSET_H

#include "check/budget.h"

#include <stdbool.h>

struct check_bits {
    uint64_t *word;
    size_t bytes;
    struct check_budget *budget;
};

static inline bool check_bits_open(struct check_bits *bits, struct check_budget *budget,
                                   uint64_t count)
{
    size_t bytes = (count / 64 + 1) * sizeof(uint64_t);
    *bits = (struct check_bits){check_map(budget, bytes), bytes, budget};
    return bits->word != NULL;
}

static inline void check_bits_close(struct check_bits *bits)
{
    if (bits->word != NULL)
        check_unmap(bits->budget, bits->word, bits->bytes);
    bits->word = NULL;
}

static inline bool check_bits_has(const struct check_bits *bits, uint64_t i)
{
    return bits->word[i / 64] >> i % 64 & 1;
}

static inline void check_bits_add(struct check_bits *bits, uint64_t i)
{
    bits->word[i / 64] |= UINT64_C(1) << i % 64;
}

/* The same while other threads read and change other bits of the set. */
static inline bool check_bits_seen(const struct check_bits *bits, uint64_t i)
{
    return __atomic_load_n(&bits->word[i / 64], __ATOMIC_RELAXED) >> i % 64 & 1;
}

static inline void check_bits_mark(struct check_bits *bits, uint64_t i)
{
    __atomic_fetch_or(&bits->word[i / 64], UINT64_C(1) << i % 64, __ATOMIC_SEQ_CST);
}

static inline void check_bits_unmark(struct check_bits *bits, uint64_t i)
{
    __atomic_fetch_and(&bits->word[i / 64], ~(UINT64_C(1) << i % 64), __ATOMIC_SEQ_CST);
}

static inline void check_bits_remove(struct check_bits *bits, uint64_t i)
{
    bits->word[i / 64] &= ~(UINT64_C(1) << i % 64);
}

#endif
