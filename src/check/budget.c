#include "check/budget.h"

#include "check/parallel.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

bool check_budget_take(struct check_budget *budget, uint64_t bytes)
{
    const uint64_t request = atomic_fetch_add(&budget->requests, 1) + 1;
    if (budget->refuse_from != 0 && request >= budget->refuse_from)
        return false;
    uint64_t used = atomic_fetch_add(&budget->used, bytes) + bytes;
    if (used > budget->limit) {
        atomic_fetch_sub(&budget->used, bytes);
        return false;
    }
    uint64_t peak = atomic_load(&budget->peak);
    while (used > peak && !atomic_compare_exchange_weak(&budget->peak, &peak, used)) {
    }
    return true;
}

void check_budget_give(struct check_budget *budget, uint64_t bytes)
{
    atomic_fetch_sub(&budget->used, bytes);
}

/* Blocks of this size and more are mapped, smaller ones are allocated: a mapping costs two system
 * calls and a page fault for each page, too much where small systems are checked by the
 * thousand. */
enum { WORTH_A_MAPPING = 256 << 10 };

static void *zeroed(size_t bytes)
{
    if (bytes >= WORTH_A_MAPPING) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return memory == MAP_FAILED ? NULL : memory;
    }
    void *memory = aligned_alloc(CHECK_LINE, (bytes + CHECK_LINE - 1) / CHECK_LINE * CHECK_LINE);
    return memory == NULL ? NULL : memset(memory, 0, bytes);
}

static void release(void *memory, size_t bytes)
{
    if (bytes >= WORTH_A_MAPPING)
        munmap(memory, bytes);
    else
        free(memory);
}

/* As zeroed, with what is in `memory`, which is released. */
static void *enlarged(void *memory, size_t old_bytes, size_t bytes)
{
    if (old_bytes >= WORTH_A_MAPPING) {
        void *moved = mremap(memory, old_bytes, bytes, MREMAP_MAYMOVE);
        return moved == MAP_FAILED ? NULL : moved;
    }
    void *moved = zeroed(bytes);
    if (moved != NULL) {
        memcpy(moved, memory, old_bytes);
        free(memory);
    }
    return moved;
}

void *check_map(struct check_budget *budget, size_t bytes)
{
    if (bytes == 0)
        bytes = 1;
    if (!check_budget_take(budget, bytes))
        return NULL;
    void *memory = zeroed(bytes);
    if (memory == NULL) {
        check_budget_give(budget, bytes);
        return NULL;
    }
    if (bytes >= 4 * (size_t)HUGE_PAGE)
        madvise(memory, bytes, MADV_HUGEPAGE); /* a hint: its failure changes nothing */
    return memory;
}

void check_unmap(struct check_budget *budget, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    if (bytes == 0)
        bytes = 1;
    release(memory, bytes);
    check_budget_give(budget, bytes);
}

void *check_remap(struct check_budget *budget, void *memory, size_t old_bytes, size_t bytes)
{
    if (memory == NULL)
        return check_map(budget, bytes);
    if (!check_budget_take(budget, bytes - old_bytes))
        return NULL;
    void *moved = enlarged(memory, old_bytes, bytes);
    if (moved == NULL)
        check_budget_give(budget, bytes - old_bytes);
    return moved;
}

/* The number in the first line of `path` that starts with `word`, or UINT64_MAX. */
static uint64_t number_in(const char *path, const char *word)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UINT64_MAX;
    char line[256];
    unsigned long long number = 0;
    uint64_t result = UINT64_MAX;
    while (result == UINT64_MAX && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, word, strlen(word)) == 0 &&
            sscanf(line + strlen(word), "%llu", &number) == 1)
            result = number;
    }
    fclose(file);
    return result;
}

uint64_t check_memory_available(void)
{
    uint64_t kib = number_in("/proc/meminfo", "MemAvailable:");
    uint64_t available = kib == UINT64_MAX ? UINT64_C(1) << 32 : kib * 1024;
    uint64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
    uint64_t used = number_in("/sys/fs/cgroup/memory.current", "");
    if (limit != UINT64_MAX && used != UINT64_MAX) {
        uint64_t left = limit > used ? limit - used : 0;
        if (left < available)
            available = left;
    }
    return available;
}
