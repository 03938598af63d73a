#include "check/set.h"

#include "check/parallel.h"

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

/*
 * Growing, in place. The home of a state grows in proportion to its hash, so the slots [low, high)
 * go to slots from low * new / old on. The table is moved in waves from the back, each so small
 * that all of it goes to where nothing is left any more: low * new / old >= high. So the states of
 * a wave can be moved in any order, and by many threads: each takes blocks of slots, empties them,
 * and adds what was in them as any new state is added.
 *
 * Some have to wait until all others have moved: those that lie behind their home, across the lower
 * end of a wave, so that their new home is not free yet; those that would wrap around at the end;
 * and the last few slots at the front, for which waves would be too small. They are put off.
 */
enum { BLOCK = 4096, FRONT = 1024 };

struct late { /* states that have been put off, by one thread */
    _Alignas(CHECK_LINE) uint64_t *state;
    size_t count, room;
};

struct wave {
    struct check_set *set;
    uint64_t low, high; /* slots of the old table */
    _Atomic(uint64_t) taken;
    _Atomic(bool) no_memory;
    uint64_t old, capacity; /* of the table, in slots */
    struct late late[CHECK_MAX_THREADS];
};

/* There are few of them, so they are no part of the budget. */
static bool put_off(struct late *late, const uint64_t *state, unsigned words)
{
    if (late->count == late->room) {
        const size_t room = late->room == 0 ? 256 : late->room * 2;
        void *larger = realloc(late->state, room * words * sizeof *state);
        if (larger == NULL)
            return false;
        late->state = larger;
        late->room = room;
    }
    memcpy(late->state + late->count++ * words, state, words * sizeof *state);
    return true;
}

/* Adds a state to the part of the table that has moved; false: it would wrap around. */
static bool settle(struct check_set *set, uint64_t home, const uint64_t *state)
{
    const unsigned words = set->words;
    for (uint64_t s = home; s < set->capacity; s++) {
        _Atomic(uint64_t) *slot = &set->slots[s * words];
        uint64_t empty = 0;
        if (atomic_load_explicit(slot, memory_order_relaxed) != 0 ||
            !atomic_compare_exchange_strong_explicit(slot, &empty, state[0], memory_order_relaxed,
                                                     memory_order_relaxed))
            continue; /* all states are different: whatever is there is another one */
        for (unsigned w = 1; w < words; w++)
            atomic_store_explicit(&slot[w], state[w], memory_order_relaxed);
        return true;
    }
    return false;
}

static void move_block(struct wave *wave, struct late *late, uint64_t first, uint64_t last)
{
    struct check_set *set = wave->set;
    const unsigned words = set->words;
    for (uint64_t s = first; s < last; s++) {
        uint64_t *from = (uint64_t *)set->slots + s * words;
        if (from[0] == 0)
            continue;
        uint64_t state[CHECK_SET_MAX_WORDS];
        memcpy(state, from, words * sizeof *state);
        memset(from, 0, words * sizeof *state);
        const uint64_t home = check_set_home(check_set_hash(state, words), wave->capacity);
        if ((home < wave->high || !settle(set, home, state)) && !put_off(late, state, words))
            atomic_store(&wave->no_memory, true);
    }
}

static void move_wave(void *context, unsigned thread)
{
    struct wave *wave = context;
    for (;;) {
        const uint64_t first = wave->low + atomic_fetch_add(&wave->taken, BLOCK);
        if (first >= wave->high)
            return;
        const uint64_t last = first + BLOCK < wave->high ? first + BLOCK : wave->high;
        move_block(wave, &wave->late[thread], first, last);
    }
}

/* The lower end of the wave that ends at `high`. */
static uint64_t wave_below(const struct wave *wave, uint64_t high)
{
    if (high <= FRONT)
        return 0;
    /* The least low with home(low) >= high, whatever the rounding. */
    const unsigned __int128 scaled = (unsigned __int128)high * wave->old;
    return (uint64_t)(scaled / wave->capacity) + 1;
}

static void move_all(struct wave *wave, unsigned threads)
{
    for (wave->high = wave->old; wave->high > 0; wave->high = wave->low) {
        wave->low = wave_below(wave, wave->high);
        if (wave->low >= wave->high)
            wave->low = 0;
        atomic_store(&wave->taken, 0);
        check_parallel(wave->high - wave->low < check_worth_threads / 4 ? 1 : threads, move_wave,
                       wave);
    }
    struct check_set *set = wave->set;
    for (unsigned t = 0; t < CHECK_MAX_THREADS; t++) {
        for (size_t i = 0; i < wave->late[t].count; i++) {
            const uint64_t *state = wave->late[t].state + i * set->words;
            check_set_add(set, state,
                          check_set_home(check_set_hash(state, set->words), set->capacity));
        }
        free(wave->late[t].state);
    }
}

bool check_set_grow_with(struct check_set *set, uint64_t capacity, unsigned threads)
{
    const size_t bytes = capacity * set->words * sizeof(uint64_t);
    if (bytes > set->reserved || !check_budget_take(set->budget, bytes - set->bytes))
        return false;
    if (bytes >= WORTH_HUGE_PAGES && set->bytes < WORTH_HUGE_PAGES)
        madvise((void *)set->slots, set->reserved, MADV_HUGEPAGE); /* a hint */
    struct wave wave = {.set = set, .old = set->capacity, .capacity = capacity};
    set->capacity = capacity;
    set->bytes = bytes;
    move_all(&wave, threads);
    return !atomic_load(&wave.no_memory);
}

bool check_set_grow(struct check_set *set, uint64_t capacity)
{
    return check_set_grow_with(set, capacity, 1);
}
