#include "check/set.h"

#include <string.h>
#include <sys/mman.h>

bool check_set_open(struct check_set *set, struct check_budget *budget, unsigned words,
                    uint64_t capacity)
{
    size_t bytes = capacity * words * sizeof(uint64_t);
    *set = (struct check_set){.slots = check_map(budget, bytes),
                              .capacity = capacity,
                              .words = words,
                              .bytes = bytes,
                              .budget = budget};
    return set->slots != NULL;
}

void check_set_close(struct check_set *set)
{
    if (set->slots != NULL)
        check_unmap(set->budget, set->slots, set->bytes);
    *set = (struct check_set){0};
}

/*
 * One thread, nobody else at work. The old table is swept from front to back, and the part already
 * copied is given back to the kernel, so the two tables together need little more than the new one
 * alone; the budget therefore counts only the new one.
 */
bool check_set_grow(struct check_set *set, uint64_t capacity)
{
    enum { CHUNK = 64 << 20 };
    const unsigned words = set->words;
    struct check_set larger;
    atomic_fetch_sub(&set->budget->used, set->bytes);
    if (!check_set_open(&larger, set->budget, words, capacity)) {
        atomic_fetch_add(&set->budget->used, set->bytes);
        return false;
    }
    size_t freed = 0;
    for (uint64_t s = 0; s < set->capacity; s++) {
        uint64_t state[CHECK_SET_MAX_WORDS];
        for (unsigned w = 0; w < words; w++)
            state[w] = atomic_load_explicit(&set->slots[s * words + w], memory_order_relaxed);
        if (state[0] != 0)
            check_set_add(&larger, state,
                          check_set_home(check_set_hash(state, words), larger.capacity));
        size_t done = (s + 1) * words * sizeof(uint64_t);
        if (done - freed >= 2 * (size_t)CHUNK) {
            madvise((char *)set->slots + freed, CHUNK, MADV_DONTNEED);
            freed += CHUNK;
        }
    }
    munmap(set->slots, set->bytes);
    *set = larger;
    return true;
}
