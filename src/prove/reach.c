#include "prove/reach.h"

#include <stdlib.h>
#include <string.h>

static int field_named(const struct step_model *model, const char *name)
{
    for (unsigned f = 0; f < model->locals; f++) {
        if (strcmp(model->local_name[f], name) == 0 && model->local_index[f] < 0)
            return (int)f;
    }
    return -1;
}

static int64_t field_of(const struct step_model *model, const uint64_t *local, unsigned f)
{
    const struct check_field field = model->local[f];
    return (int64_t)(local[field.word] >> field.shift & field.mask);
}

static int64_t local_of(const struct prove_reading *reading, unsigned v,
                        const struct step_model *model, const uint64_t *local)
{
    const int f = field_named(model, reading->local[v].name);
    return f < 0 ? 0 : field_of(model, local, (unsigned)f);
}

/* Of several places with the same program counter, whether it is this one. */
static bool splits_alike(const struct prove_reading *reading, const struct prove_place *at,
                         const struct step_model *model, const uint64_t *local)
{
    for (unsigned v = 0; v < reading->locals; v++) {
        if (reading->local[v].splits && at->carries[v] != (local_of(reading, v, model, local) != 0))
            return false;
    }
    return true;
}

/* Puts process p where it is. */
static bool place(const struct prove_system *system, const struct step_model *model,
                  const uint64_t *local, int64_t *value)
{
    const struct prove_reading *reading = system->reading;
    const int64_t pc = field_of(model, local, 0);
    unsigned at = 0;
    while (at < reading->places && !(reading->place[at].pc == pc &&
                                     splits_alike(reading, &reading->place[at], model, local)))
        at++;
    if (at == reading->places)
        return false;
    if (++value[system->at[at]] > 1 && reading->place[at].carried > 0)
        return false;
    for (unsigned v = 0; v < reading->locals; v++) {
        const int64_t is = local_of(reading, v, model, local);
        if (reading->place[at].carries[v])
            value[system->role[at][v]] = is;
        else if (is != 0)
            return false;
    }
    return true;
}

bool prove_counters_of(const struct prove_system *system, const struct step_model *model,
                       const uint64_t *state, int64_t *value)
{
    const struct check_model *check = &model->check;
    uint64_t cells[CHECK_MAX_CELLS], local[CHECK_MAX_WORDS];
    for (unsigned v = 0; v < system->variables; v++)
        value[system->variable[v]] = 0;
    value[system->n] = (int64_t)model->params.n;
    value[system->l] = (int64_t)model->params.l;
    value[system->k] = (int64_t)model->params.k;
    check->cell_values(check, state, cells);
    if (check->cells != system->reading->cells)
        return false;
    for (unsigned c = 0; c < check->cells; c++)
        value[system->reading->cell[c].symbol] = (int64_t)cells[c];
    for (unsigned p = 0; p < check->n; p++) {
        check->local_state(check, state, p, local);
        if (!place(system, model, local, value))
            return false;
    }
    return true;
}

struct search {
    const struct check_model *check;
    uint64_t count, room, slots;
    uint64_t *state; /* rows of check->words */
    uint32_t *from;
    uint8_t *edge;
    uint32_t *slot; /* number of the row + 1 */
};

static bool make_room(struct search *search, uint64_t most)
{
    search->room = most;
    search->slots = 2 * most + 1;
    search->state = malloc(most * search->check->words * sizeof *search->state);
    search->from = malloc(most * sizeof *search->from);
    search->edge = malloc(most);
    search->slot = calloc(search->slots, sizeof *search->slot);
    return search->state != NULL && search->from != NULL && search->edge != NULL &&
           search->slot != NULL;
}

static void free_room(struct search *search)
{
    free(search->state);
    free(search->from);
    free(search->edge);
    free(search->slot);
}

static void add(struct search *search, const uint64_t *state, uint32_t from, unsigned edge)
{
    const unsigned words = search->check->words;
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (unsigned w = 0; w < words; w++) {
        h = (h ^ state[w]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    uint64_t at = h % search->slots;
    for (; search->slot[at] != 0; at = (at + 1) % search->slots) {
        const uint64_t *there = search->state + (uint64_t)(search->slot[at] - 1) * words;
        if (check_same_state(there, state, words))
            return;
    }
    if (search->count < search->room) {
        memcpy(search->state + search->count * words, state, words * sizeof *state);
        search->from[search->count] = from;
        search->edge[search->count] = (uint8_t)edge;
        search->slot[at] = (uint32_t)search->count + 1;
    }
    search->count++;
}

static bool same_counters(const struct prove_system *system, const int64_t *a, const int64_t *b)
{
    for (unsigned v = 0; v < system->variables; v++) {
        if (a[system->variable[v]] != b[system->variable[v]])
            return false;
    }
    return true;
}

static bool run_to(const struct search *search, uint32_t end, struct check_witness *run)
{
    size_t length = 0;
    for (uint32_t r = end; r != 0; r = search->from[r])
        length++;
    *run = (struct check_witness){.edge = malloc(length + 1), .length = length, .stem = length};
    if (run->edge == NULL)
        return false;
    for (uint32_t r = end; r != 0; r = search->from[r])
        run->edge[--length] = search->edge[r];
    return true;
}

enum prove_reached prove_reach(const struct prove_system *system, const struct step_model *model,
                               const int64_t *value, uint64_t most, struct check_witness *run)
{
    const struct check_model *check = &model->check;
    struct search search = {.check = check};
    enum prove_reached reached = PROVE_NOT_SOUGHT;
    int64_t *here = malloc((system->pool->names + 1) * sizeof *here);
    uint64_t *next = malloc((size_t)CHECK_MAX_EDGES * check->words * sizeof *next);
    uint64_t first[CHECK_MAX_WORDS];
    *run = (struct check_witness){0};
    if (here == NULL || next == NULL || !make_room(&search, most))
        goto end;
    check->initial(check, first);
    add(&search, first, 0, 0);
    for (uint64_t r = 0; r < search.count; r++) {
        if (search.count > most)
            goto end;
        const uint64_t *state = search.state + r * check->words;
        if (prove_counters_of(system, model, state, here) && same_counters(system, here, value)) {
            reached = run_to(&search, (uint32_t)r, run) ? PROVE_REACHED : PROVE_NOT_SOUGHT;
            goto end;
        }
        const struct check_moves moves = check->expand(check, state, next);
        if (moves.error)
            goto end;
        for (unsigned e = 0; e < check->kinds * check->n; e++) {
            if (moves.change >> e & 1)
                add(&search, next + (uint64_t)e * check->words, (uint32_t)r, e);
        }
    }
    reached = PROVE_UNREACHABLE;
end:
    free_room(&search);
    free(next);
    free(here);
    return reached;
}
