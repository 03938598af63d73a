#include "visited.h"

#include "support.h"

enum { FEW = 1 << 10, TOO_MANY = 1 << 19 };

void visited_open(struct visited *visited, unsigned words)
{
    *visited = (struct visited){.budget = budget_of(512), .room = FEW};
    visited->state = calloc(FEW, sizeof *visited->state);
    assert_non_null(visited->state);
    assert_true(check_set_open(&visited->set, &visited->budget, words, 2 * FEW));
}

static void grow(struct visited *visited)
{
    visited->room *= 2;
    void *state = realloc(visited->state, visited->room * sizeof *visited->state);
    assert_non_null(state);
    visited->state = state;
    assert_true(check_set_grow(&visited->set, 2 * visited->room));
}

void visited_add(struct visited *visited, const uint64_t *state)
{
    struct check_set *set = &visited->set;
    const uint64_t hash = check_set_hash(state, set->words);
    if (!check_set_add(set, state, check_set_home(hash, set->capacity)))
        return;
    assert_true(visited->count < TOO_MANY);
    memcpy(visited->state[visited->count++], state, set->words * sizeof *state);
    if (visited->count == visited->room)
        grow(visited);
}

void visited_close(struct visited *visited)
{
    check_set_close(&visited->set);
    free(visited->state);
}
