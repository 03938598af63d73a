/* The states that a search of a test's own has met, in the order in which it met them. */
#ifndef BERTH_TESTS_VISITED_H
#define BERTH_TESTS_VISITED_H

#include "check/model.h"
#include "check/set.h"

struct visited {
    struct check_budget budget;
    struct check_set set;
    uint64_t (*state)[CHECK_MAX_WORDS]; /* moves when one is added */
    size_t count, room;
};

void visited_open(struct visited *visited, unsigned words);
void visited_add(struct visited *visited, const uint64_t *state); /* unless it is there */
void visited_close(struct visited *visited);

#endif
