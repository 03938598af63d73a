#include "check/part_table.h"

#include "check/model.h"
#include "check/set.h"

#include <string.h>
#include <sys/mman.h>

enum { FIRST_SIZE = 1 << 10, AT_A_TIME = 1024 };

static struct check_parts_index *new_index(struct check_budget *budget, uint64_t size)
{
    const size_t bytes = sizeof(struct check_parts_index) + size * sizeof(uint32_t);
    struct check_parts_index *index = check_map(budget, bytes);
    if (index != NULL) {
        index->size = size;
        index->bytes = bytes;
    }
    return index;
}

bool check_parts_open(struct check_parts *parts, struct check_budget *budget, unsigned words,
                      unsigned bits)
{
    *parts = (struct check_parts){.budget = budget, .words = words};
    parts->most = (uint32_t)((UINT64_C(1) << bits) - 1);
    parts->key_room = ((size_t)parts->most + 1) * words * sizeof(uint64_t);
    void *key = mmap(NULL, parts->key_room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (key == MAP_FAILED)
        return false;
    parts->key = key;
    struct check_parts_index *index = new_index(budget, FIRST_SIZE);
    if (index == NULL) {
        munmap(key, parts->key_room);
        return false;
    }
    atomic_store(&parts->index, index);
    pthread_mutex_init(&parts->lock, NULL);
    return true;
}

void check_parts_close(struct check_parts *parts)
{
    for (struct check_parts_index *index = atomic_load(&parts->index); index != NULL;) {
        struct check_parts_index *older = index->older;
        check_unmap(parts->budget, index, index->bytes);
        index = older;
    }
    munmap(parts->key, parts->key_room);
    check_budget_give(parts->budget, parts->taken);
    pthread_mutex_destroy(&parts->lock);
}

uint64_t check_parts_bytes(const struct check_parts *parts)
{
    uint64_t bytes = parts->taken;
    for (const struct check_parts_index *index = atomic_load(&parts->index); index != NULL;
         index = index->older)
        bytes += index->bytes;
    return bytes;
}

/* The number of the part, or CHECK_NO_PART; *place is where it was found, or where it would be. */
static inline uint32_t find(const struct check_parts *parts, struct check_parts_index *index,
                            const uint64_t *part, uint64_t hash, uint64_t *place)
{
    for (uint64_t s = hash & (index->size - 1);; s = (s + 1) & (index->size - 1)) {
        const uint32_t found = atomic_load_explicit(&index->slot[s], memory_order_acquire);
        *place = s;
        if (found == 0)
            return CHECK_NO_PART;
        if (check_same_state(check_parts_key(parts, found - 1), part, parts->words))
            return found - 1;
    }
}

/* An index of twice the size, with all numbers; the lock is held. The old one stays for threads
 * that are reading it: what they miss in it they look up again with the lock. */
static bool enlarge(struct check_parts *parts)
{
    struct check_parts_index *old = atomic_load(&parts->index);
    struct check_parts_index *larger = new_index(parts->budget, old->size * 2);
    if (larger == NULL)
        return false;
    larger->older = old;
    const uint32_t count = atomic_load(&parts->count);
    for (uint32_t number = 0; number < count; number++) {
        const uint64_t *part = check_parts_key(parts, number);
        uint64_t place;
        find(parts, larger, part, check_set_hash(part, parts->words), &place);
        atomic_store_explicit(&larger->slot[place], number + 1, memory_order_relaxed);
    }
    atomic_store_explicit(&parts->index, larger, memory_order_release);
    return true;
}

/* Memory for one part more; the lock is held. */
static bool make_room(struct check_parts *parts, uint32_t count)
{
    const uint64_t each = (uint64_t)AT_A_TIME * parts->words * sizeof(uint64_t);
    if (count % AT_A_TIME == 0) {
        if (!check_budget_take(parts->budget, each))
            return false;
        parts->taken += each;
    }
    return (uint64_t)count * 2 < atomic_load(&parts->index)->size || enlarge(parts);
}

uint32_t check_parts_number(struct check_parts *parts, const uint64_t *part,
                            void (*fresh)(void *context, uint32_t number, const uint64_t *part),
                            void *context)
{
    const uint64_t hash = check_set_hash(part, parts->words);
    uint64_t place;
    uint32_t number =
        find(parts, atomic_load_explicit(&parts->index, memory_order_acquire), part, hash, &place);
    if (number != CHECK_NO_PART)
        return number;
    pthread_mutex_lock(&parts->lock);
    number = find(parts, atomic_load(&parts->index), part, hash, &place);
    const uint32_t count = atomic_load(&parts->count);
    if (number == CHECK_NO_PART && count < parts->most && make_room(parts, count)) {
        struct check_parts_index *index = atomic_load(&parts->index);
        find(parts, index, part, hash, &place);
        number = count;
        memcpy(parts->key + (size_t)number * parts->words, part, parts->words * sizeof *part);
        if (fresh != NULL)
            fresh(context, number, part);
        atomic_store(&parts->count, number + 1);
        atomic_store_explicit(&index->slot[place], number + 1, memory_order_release);
    }
    pthread_mutex_unlock(&parts->lock);
    return number;
}
