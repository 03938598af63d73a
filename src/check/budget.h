/* Zeroed memory within a budget, given back as a whole; if it is large, straight from the
 * kernel. */
#ifndef BERTH_CHECK_BUDGET_H
#define BERTH_CHECK_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check_budget {
    uint64_t limit; /* bytes */
    _Atomic(uint64_t) used;
    _Atomic(uint64_t) peak;
    uint64_t refuse_from; /* for tests: this request and all later ones fail; 0: none does */
    _Atomic(uint64_t) requests;
};

bool check_budget_take(struct check_budget *budget, uint64_t bytes); /* false: over the limit */
void check_budget_give(struct check_budget *budget, uint64_t bytes);

void *check_map(struct check_budget *budget, size_t bytes); /* NULL: no memory, or over the limit */
void check_unmap(struct check_budget *budget, void *memory, size_t bytes);

/* As realloc: the contents stay, new memory is zero. NULL: no memory; the old block stays valid. */
void *check_remap(struct check_budget *budget, void *memory, size_t old_bytes, size_t bytes);

/* Memory that may still be taken on this machine, in bytes, by /proc/meminfo and the cgroup. */
uint64_t check_memory_available(void);

#endif
