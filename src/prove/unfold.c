#include "prove/unfold.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* States are rows of `width` numbers, the variables in their order; a table of hashes finds
 * them. */
struct rows {
    unsigned width;
    uint64_t count, room;
    int32_t *row;
    unsigned *depth;
    uint64_t slots;
    uint64_t *slot; /* number of the row + 1 */
    bool failed;
};

static void rows_free(struct rows *rows)
{
    free(rows->row);
    free(rows->depth);
    free(rows->slot);
}

static uint64_t hash(const int32_t *row, unsigned width)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < width; i++) {
        h = (h ^ (uint32_t)row[i]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static bool grow(struct rows *rows)
{
    const uint64_t room = rows->room == 0 ? 1024 : 2 * rows->room;
    assert(rows->width > 0); /* there is always a place */
    int32_t *row = realloc(rows->row, room * rows->width * sizeof *row);
    rows->row = row != NULL ? row : rows->row;
    unsigned *depth = realloc(rows->depth, room * sizeof *depth);
    rows->depth = depth != NULL ? depth : rows->depth;
    uint64_t *slot = calloc(2 * room, sizeof *slot);
    if (row == NULL || depth == NULL || slot == NULL) {
        free(slot);
        rows->failed = true;
        return false;
    }
    free(rows->slot);
    rows->slot = slot;
    rows->room = room;
    rows->slots = 2 * room;
    for (uint64_t r = 0; r < rows->count; r++) {
        uint64_t at = hash(row + r * rows->width, rows->width) % rows->slots;
        while (slot[at] != 0)
            at = (at + 1) % rows->slots;
        slot[at] = r + 1;
    }
    return true;
}

static void add(struct rows *rows, const int32_t *row, unsigned depth)
{
    if (rows->count == rows->room && !grow(rows))
        return;
    uint64_t at = hash(row, rows->width) % rows->slots;
    for (; rows->slot[at] != 0; at = (at + 1) % rows->slots) {
        const int32_t *there = rows->row + (rows->slot[at] - 1) * rows->width;
        if (memcmp(there, row, rows->width * sizeof *row) == 0)
            return;
    }
    memcpy(rows->row + rows->count * rows->width, row, rows->width * sizeof *row);
    rows->depth[rows->count] = depth;
    rows->slot[at] = ++rows->count;
}

/* How many ways there are to put n processes at places with these counts. */
static uint64_t ways(const struct prove_system *system, const int64_t *value)
{
    uint64_t product = 1, placed = 0;
    for (unsigned p = 0; p < system->reading->places; p++) {
        for (int64_t i = 1; i <= value[system->at[p]]; i++)
            product = product * ++placed / (uint64_t)i;
    }
    return product;
}

struct unfolding {
    struct prove_system *system;
    struct prove_unfolded *result;
    struct rows rows;
    int64_t *value;
    uint64_t *moves; /* of a process at each place: how many rules it has */
};

static void step_from(struct unfolding *unfolding, uint64_t r)
{
    struct prove_system *system = unfolding->system;
    struct prove_unfolded *result = unfolding->result;
    int64_t *value = unfolding->value;
    int32_t next[PROVE_MAX_VARIABLES];
    const uint64_t weight = ways(system, value);
    memset(unfolding->moves, 0, PROVE_MAX_PLACES * sizeof *unfolding->moves);
    for (unsigned s = 0; s < system->steps; s++) {
        const struct prove_step *step = &system->step[s];
        if (prove_evaluate(step->guard, value) == 0)
            continue;
        unfolding->moves[step->rule->from]++;
        result->transitions += weight * (uint64_t)value[system->at[step->rule->from]];
        for (unsigned v = 0; v < system->variables; v++) {
            int64_t now = value[system->variable[v]];
            for (unsigned e = 0; e < step->sets; e++) {
                if (step->set[e].symbol == system->variable[v])
                    now = prove_evaluate(step->set[e].value, value);
            }
            next[v] = (int32_t)now;
        }
        add(&unfolding->rows, next, unfolding->rows.depth[r] + 1);
    }
    for (unsigned p = 0; p < system->reading->places; p++) {
        const int64_t here = value[system->at[p]];
        result->ambiguous |= here > 0 && unfolding->moves[p] != 1;
        result->crowded |= here > 1 && system->reading->place[p].carried > 0;
    }
    result->states += weight;
}

static void explore(struct unfolding *unfolding, uint64_t most, prove_t sought)
{
    struct prove_system *system = unfolding->system;
    struct prove_unfolded *result = unfolding->result;
    for (uint64_t r = 0; r < unfolding->rows.count && !unfolding->rows.failed; r++) {
        for (unsigned v = 0; v < system->variables; v++)
            unfolding->value[system->variable[v]] =
                unfolding->rows.row[r * unfolding->rows.width + v];
        if (sought != NULL && prove_evaluate(sought, unfolding->value) != 0) {
            result->found = unfolding->value;
            result->depth = unfolding->rows.depth[r];
            return;
        }
        step_from(unfolding, r);
        if (unfolding->rows.count > most || result->crowded)
            return;
    }
    result->complete = !unfolding->rows.failed;
}

struct prove_unfolded prove_unfold(struct prove_system *system, unsigned n, unsigned l, unsigned k,
                                   uint64_t most, prove_t sought)
{
    struct prove_unfolded result = {0};
    struct unfolding unfolding = {.system = system, .result = &result};
    unfolding.rows.width = system->variables;
    unfolding.value =
        prove_alloc(system->pool, (system->pool->names + 64) * sizeof *unfolding.value);
    unfolding.moves = prove_alloc(system->pool, PROVE_MAX_PLACES * sizeof *unfolding.moves);
    if (unfolding.value == NULL || unfolding.moves == NULL)
        return result;
    unfolding.value[system->n] = n;
    unfolding.value[system->l] = l;
    unfolding.value[system->k] = k;
    int32_t first[PROVE_MAX_VARIABLES];
    for (unsigned v = 0; v < system->variables; v++)
        first[v] = (int32_t)prove_evaluate(system->first[v], unfolding.value);
    add(&unfolding.rows, first, 0);
    explore(&unfolding, most, sought);
    result.counter_states = unfolding.rows.count;
    rows_free(&unfolding.rows);
    return result;
}
