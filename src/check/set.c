#include "check/set.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WORTH_HUGE_PAGES = 8 << 20 };

bool check_set_open(struct check_set *set, struct check_budget *budget, unsigned words,
                    uint64_t capacity)
{
    *set = (struct check_set){.capacity = capacity, .words = words, .budget = budget};
    set->bytes = capacity * words * sizeof(uint64_t);
    set->reserved = set->bytes > budget->limit ? set->bytes : budget->limit;
    if (!check_budget_take(budget, set->bytes))
        return false;
    void *memory;
    do { /* where address space is short, the table can grow less */
        memory = mmap(NULL, set->reserved, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            set->reserved /= 2;
    } while (memory == MAP_FAILED && set->reserved >= set->bytes);
    if (memory == MAP_FAILED) {
        check_budget_give(budget, set->bytes);
        return false;
    }
    set->slots = memory;
    return true;
}

void check_set_close(struct check_set *set)
{
    if (set->slots != NULL) {
        munmap((void *)set->slots, set->reserved);
        check_budget_give(set->budget, set->bytes);
    }
    *set = (struct check_set){0};
}

struct late { /* states that have to wait until the rest has moved */
    uint64_t *state;
    size_t count, room;
};

static bool put_off(struct late *late, const uint64_t *state, unsigned words)
{
    if (late->count == late->room) {
        size_t room = late->room == 0 ? 256 : late->room * 2;
        void *larger = realloc(late->state, room * words * sizeof *state);
        if (larger == NULL)
            return false;
        late->state = larger;
        late->room = room;
    }
    memcpy(late->state + late->count++ * words, state, words * sizeof *state);
    return true;
}

/*
 * In place, one thread, nobody else at work. Sweeping from the back, each state moves up to its new
 * home or the next free slot after it, over slots that nothing will leave any more; so no hole comes
 * to lie between a home and its state. The few states near the front whose new home is not above
 * their old place, and those that would wrap around at the end, are put off until all others have
 * moved.
 */
bool check_set_grow(struct check_set *set, uint64_t capacity)
{
    const unsigned words = set->words;
    const size_t bytes = capacity * words * sizeof(uint64_t);
    if (bytes > set->reserved || !check_budget_take(set->budget, bytes - set->bytes))
        return false;
    if (bytes >= WORTH_HUGE_PAGES && set->bytes < WORTH_HUGE_PAGES)
        madvise((void *)set->slots, set->reserved, MADV_HUGEPAGE); /* a hint */
    uint64_t *slots = (uint64_t *)set->slots;
    struct late late = {0};
    bool memory = true;
    for (uint64_t s = set->capacity; s-- > 0 && memory;) {
        uint64_t *from = slots + s * words;
        if (from[0] == 0)
            continue;
        uint64_t to = check_set_home(check_set_hash(from, words), capacity);
        while (to > s && to < capacity && slots[to * words] != 0)
            to++;
        if (to > s && to < capacity)
            memcpy(slots + to * words, from, words * sizeof *from);
        else
            memory = put_off(&late, from, words);
        memset(from, 0, words * sizeof *from);
    }
    set->capacity = capacity;
    set->bytes = bytes;
    for (size_t i = 0; i < late.count; i++) {
        const uint64_t *state = late.state + i * words;
        check_set_add(set, state, check_set_home(check_set_hash(state, words), capacity));
    }
    free(late.state);
    return memory;
}
