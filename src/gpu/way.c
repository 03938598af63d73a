/*
 * The way to a state is checked on the CPU, by the checker itself: it gets a model that has the
 * moves along that way and no others, and decides the property on it. So what it says, and the
 * witness, which is replayed, are made as they always are; and a state that the card took for bad,
 * and is not, is noticed.
 */
#include "gpu/way.h"

#include "check/decide.h"
#include "check/symmetry.h"

#include <stdlib.h>
#include <string.h>

struct way {
    struct step_model model; /* first: it stands for the one that it is a copy of */
    const struct check_model *whole;
    uint64_t *state; /* length + 1 of them */
    uint8_t *edge;
    uint64_t length;
    unsigned words;
};

static const uint64_t *state_at(const struct way *way, uint64_t at)
{
    return way->state + at * way->words;
}

/* The moves along the way, and one that must not be made at its end. */
static struct check_moves expand_along(const struct check_model *model, const uint64_t *state,
                                       uint64_t *out)
{
    const struct way *way = (const struct way *)model;
    struct check_moves moves = way->whole->expand(way->whole, state, out);
    uint64_t kept = 0;
    for (uint64_t at = 0; at < way->length; at++) {
        if (check_same_state(state, state_at(way, at), way->words))
            kept |= UINT64_C(1) << way->edge[at];
    }
    if (kept == 0 && !check_same_state(state, state_at(way, way->length), way->words))
        moves.error = false;
    moves.barred = false; /* report->barred says that of the whole graph */
    moves.exist &= kept;
    moves.change &= kept;
    return moves;
}

/* Goes from the initial state along the states of the path, or along states that differ from them
 * by an exchange of processes only. */
static bool follow(struct way *way, const uint64_t *path, bool reduced)
{
    const struct check_model *whole = way->whole;
    uint64_t *out = malloc((size_t)CHECK_MAX_EDGES * CHECK_MAX_WORDS * sizeof *out);
    bool goes = out != NULL;
    if (goes)
        whole->initial(whole, way->state);
    for (uint64_t at = 0; goes && at < way->length; at++) {
        const struct check_moves moves = whole->expand(whole, state_at(way, at), out);
        goes = false;
        for (uint64_t left = moves.change; left != 0 && !goes; left &= left - 1) {
            const unsigned e = (unsigned)__builtin_ctzll(left);
            uint64_t canonical[CHECK_MAX_WORDS];
            memcpy(canonical, out + e * way->words, way->words * sizeof *canonical);
            if (reduced)
                check_canonical(whole, canonical);
            goes = check_same_state(canonical, path + (at + 1) * way->words, way->words);
            way->edge[at] = (uint8_t)e;
            memcpy(way->state + (at + 1) * way->words, out + e * way->words,
                   way->words * sizeof *out);
        }
    }
    free(out);
    return goes;
}

static void close_way(struct way *way)
{
    if (way == NULL)
        return;
    free(way->state);
    free(way->edge);
    free(way);
}

/* NULL: there is none, and why is in report->fault, or there is no memory. */
static struct way *find_way(struct gpu_search *search, const uint64_t *state, uint64_t level,
                            struct check_report *report)
{
    uint64_t target[CHECK_MAX_WORDS];
    memcpy(target, state, search->words * sizeof *target);
    uint64_t *path = gpu_search_path(search, target, level);
    struct way *way = calloc(1, sizeof *way);
    if (path == NULL || way == NULL) {
        free(path);
        free(way);
        return NULL;
    }
    way->model = *search->model;
    way->whole = &search->model->check;
    way->words = search->words;
    way->length = level;
    way->state = malloc((level + 1) * search->words * sizeof *way->state);
    way->edge = malloc(level + 1);
    way->model.check.expand = expand_along;
    way->model.check.expand_exchanging = NULL;
    const bool memory = way->state != NULL && way->edge != NULL;
    if (memory && follow(way, path, search->reduced)) {
        free(path);
        return way;
    }
    if (memory)
        report->fault = "the CPU does not find the way that the GPU went";
    free(path);
    close_way(way);
    return NULL;
}

/* The checker itself, on the way alone. */
static bool check_way(struct gpu_search *search, struct way *way, const struct check_query *query,
                      struct check_result *result, struct check_report *along)
{
    struct check_limits limits = *search->limits;
    limits.elsewhere = NULL;
    limits.symmetry = false;
    limits.plain = true;
    limits.stop_at = 0;
    limits.threads = 1;
    limits.progress = NULL;
    limits.seconds = 0;
    limits.interrupts = NULL;
    return check_run(&way->model.check, &limits, query, 1, result, along);
}

void gpu_show_state(struct gpu_search *search, const uint64_t *state, uint64_t level,
                    struct check_result *result, struct check_report *report)
{
    struct way *way = find_way(search, state, level, report);
    struct check_report along = {0};
    const struct check_query query = result->query;
    if (report->fault != NULL)
        report->fault_in = query.property;
    if (way == NULL || !check_way(search, way, &query, result, &along)) {
        close_way(way);
        return;
    }
    check_witness_free(&along.slip.witness);
    if (result->answer != CHECK_FAILS) {
        report->fault = along.fault != NULL ? along.fault
                                            : "the CPU does not see what the GPU found in a state";
        report->fault_in = query.property;
    }
    close_way(way);
}

void gpu_show_slip(struct gpu_search *search, const uint64_t *state, uint64_t level,
                   struct check_report *report)
{
    struct way *way = find_way(search, state, level, report);
    struct check_report along = {0};
    struct check_result result = {0};
    const struct check_query query = {.property = CHECK_EXCLUSION};
    if (way == NULL || !check_way(search, way, &query, &result, &along)) {
        close_way(way);
        return;
    }
    check_witness_free(&result.witness);
    report->slip = along.slip;
    if (along.end != CHECK_OUT_OF_RANGE) {
        report->fault = "the CPU does not see the step that the GPU found";
        report->fault_in = query.property;
    }
    close_way(way);
}

/* ---- a slot is lost ---- */

/* Steps of those that live, and stay alive. */
static struct check_moves expand_living(const struct check_model *model, const uint64_t *state,
                                        uint64_t *out)
{
    const struct way *way = (const struct way *)model;
    struct check_moves moves = way->whole->expand(way->whole, state, out);
    uint64_t kept = check_step_edges(model) & moves.change;
    for (uint64_t left = kept; left != 0; left &= left - 1) {
        const unsigned e = (unsigned)__builtin_ctzll(left);
        if (check_region_of(model, state, e % model->n) == CHECK_DEAD)
            kept &= ~(UINT64_C(1) << e);
    }
    moves.barred = false;
    moves.exist = moves.change = kept;
    return moves;
}

static void begin_at_end(const struct check_model *model, uint64_t *state)
{
    const struct way *way = (const struct way *)model;
    memcpy(state, state_at(way, way->length), way->words * sizeof *state);
}

/* Whether the slots can be filled from the end of the way: by a search of the CPU's own. -1: no
 * memory. */
static int can_fill(struct gpu_search *search, struct way *way)
{
    struct check_limits limits = *search->limits;
    struct check_space space;
    way->model.check.expand = expand_living;
    way->model.check.initial = begin_at_end;
    limits.symmetry = false;
    limits.stop_at = 0;
    limits.progress = NULL;
    limits.keep_order = false;
    limits.seconds = 0;
    if (!check_explore(&space, &way->model.check, &limits))
        return -1;
    int fills = space.end == CHECK_COMPLETE ? 0 : -1;
    for (uint64_t s = 0; s < space.set.capacity && fills == 0; s++) {
        uint64_t state[CHECK_MAX_WORDS] = {0};
        for (unsigned w = 0; w < way->words; w++)
            state[w] = atomic_load(&space.set.slots[s * way->words + w]);
        fills = state[0] != 0 && check_is_filled(way->whole, state);
    }
    check_space_close(&space);
    return fills;
}

void gpu_show_lost(struct gpu_search *search, const uint64_t *state, uint64_t level,
                   struct check_result *result, struct check_report *report)
{
    struct way *way = find_way(search, state, level, report);
    if (report->fault != NULL)
        report->fault_in = CHECK_NO_SLOT_LOST;
    if (way == NULL)
        return;
    const int fills = can_fill(search, way);
    if (fills > 0) {
        report->fault = "the slots can be filled";
        report->fault_in = CHECK_NO_SLOT_LOST;
    } else {
        result->answer = CHECK_FAILS;
        check_say_lost(way->whole, state_at(way, way->length), result);
        if (fills == 0) { /* else it could not be replayed, and is not shown */
            result->witness.edge = way->edge;
            result->witness.length = result->witness.stem = way->length;
            way->edge = NULL;
        }
    }
    close_way(way);
}
