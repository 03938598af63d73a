#include "stress/overtaken.h"

#include <stdlib.h>

/* A Fenwick tree over arrival numbers: how many of 1 .. number have entered. */
static void add(uint32_t *tree, uint32_t size, uint32_t number)
{
    for (; number <= size; number += number & -number)
        tree[number]++;
}

static uint64_t up_to(const uint32_t *tree, uint32_t number)
{
    uint64_t sum = 0;
    for (; number > 0; number -= number & -number)
        sum += tree[number];
    return sum;
}

bool stress_count_overtaken(const uint32_t *log, size_t length, struct stress_overtaken *result)
{
    *result = (struct stress_overtaken){0};
    uint32_t last = 0;
    for (size_t i = 0; i < length; i++)
        last = log[i] > last ? log[i] : last;
    uint32_t *tree = calloc((size_t)last + 1, sizeof *tree);
    if (tree == NULL)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (log[i] == 0)
            continue;
        uint64_t overtaken = result->analysed - up_to(tree, log[i]);
        result->analysed++;
        result->total += overtaken;
        result->max = overtaken > result->max ? overtaken : result->max;
        add(tree, last, log[i]);
    }
    free(tree);
    return true;
}
