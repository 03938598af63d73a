/* How far the order of entry is from the order of arrival. */
#ifndef BERTH_STRESS_OVERTAKEN_H
#define BERTH_STRESS_OVERTAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stress_overtaken {
    uint64_t analysed; /* entries */
    uint64_t total, max;
};

/* `log` holds arrival numbers, counted from 1, in order of entry; a 0 is no entry. For each, counts
 * those that come before it and have a larger number. False: there is no memory. */
bool stress_count_overtaken(const uint32_t *log, size_t length, struct stress_overtaken *result);

#endif
