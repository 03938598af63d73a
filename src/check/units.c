#include "check/units.h"

#include <sys/mman.h>

#define NEXT_ROOM (UINT64_C(1) << 28) /* entries of address space; only what is used counts */

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Takes `bytes` off the front of the block that *memory points to. */
static void *take(char **memory, size_t bytes)
{
    void *front = *memory;
    *memory += bytes;
    return front;
}

bool check_units_open(struct check_units *units, unsigned bits, unsigned registers)
{
    const uint64_t most = UINT64_C(1) << bits;
    const size_t each = CHECK_UNIT_WORDS * sizeof(uint64_t) + sizeof(struct check_next) +
                        2 * sizeof(uint32_t) + registers * sizeof(uint32_t) + sizeof(uint8_t);
    units->bytes = most * each;
    units->index_size = 2 * most;
    units->next_room = NEXT_ROOM;
    char *memory = reserve(units->bytes);
    units->next = reserve(NEXT_ROOM * sizeof(uint64_t));
    if (memory == NULL || units->next == NULL) {
        if (memory != NULL)
            munmap(memory, units->bytes);
        if (units->next != NULL)
            munmap((void *)units->next, NEXT_ROOM * sizeof(uint64_t));
        units->next = NULL;
        return false;
    }
    /* The widest first, so that each is aligned. */
    units->key = take(&memory, most * CHECK_UNIT_WORDS * sizeof(uint64_t));
    units->step = take(&memory, most * sizeof(struct check_next));
    units->index = take(&memory, 2 * most * sizeof(uint32_t));
    for (unsigned r = 0; r < registers; r++)
        units->reg[r] = take(&memory, most * sizeof(uint32_t));
    units->region = take(&memory, most * sizeof(uint8_t));
    return true;
}

void check_units_close(struct check_units *units, struct check_budget *budget)
{
    if (units->key == NULL)
        return;
    munmap(units->key, units->bytes); /* the front of the block */
    munmap((void *)units->next, NEXT_ROOM * sizeof(uint64_t));
    check_budget_give(budget, units->next_used * sizeof(uint64_t));
}
