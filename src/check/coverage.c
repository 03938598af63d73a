/*
 * Looks through all states for points that have not been made. A process's next access is where its
 * program counters are, so it is enough to describe one step for each local state; except for a
 * process that is about to begin a section, whose first access may depend on more, and for accesses
 * of which some outcome is missing. These steps are described in every state, until there have been
 * too many: then what is missing is not known. Where every point has been made, nothing is left to
 * be looked for, which is soon the case for most protocols.
 */
#include "check/coverage.h"

#include "check/graph.h"
#include "check/parallel.h"
#include "check/set.h"

#include <string.h>

enum {
    KNOWN_LOCALS = 1 << 10,   /* in a cache for each block of states */
    MOST_DESCRIBED = 1 << 22, /* steps that are described beyond those */
    LOCAL_WORDS = 3,          /* of a local state; a longer one is described each time */
};

struct look {
    const struct check_graph *graph;
    struct check_coverage *coverage;
    _Atomic(uint64_t) described;
    _Atomic(unsigned) regions;
    _Atomic(bool) gave_up;
};

/* Where process p stands: its local state in a few words, and which process it is. */
struct local {
    uint64_t word[LOCAL_WORDS];
    bool fits; /* there was room for all of it */
};

static struct local local_of(const struct check_model *model, const uint64_t *key, unsigned p)
{
    struct local local = {{check_get(key, model->block[p])}, .fits = !model->more_than_parts};
    const unsigned words = model->has_rest ? 2 : model->block_words;
    if (model->has_rest)
        local.word[1] = check_get(key, model->rest[p]);
    /* A collapsed state has fewer words than the local states that its numbers stand for. */
    for (unsigned w = 1; !model->has_rest && w < words && w < LOCAL_WORDS &&
                         model->block[p].word + w < model->words;
         w++)
        local.word[w] = key[model->block[p].word + w];
    local.fits &= words <= LOCAL_WORDS;
    return local;
}

/* Whether the first access of a section is next, which more than the local state may decide. */
static bool begins(enum check_region region)
{
    return region == CHECK_REMAINDER || region == CHECK_CRITICAL || region == CHECK_DEAD;
}

/* Describes the next step of p. Whether it has an outcome, and so may have others elsewhere. */
static bool describe(struct look *look, const uint64_t *key, unsigned p)
{
    const struct check_model *model = look->graph->model;
    bool branches = false;
    for (unsigned kind = 0; kind < 1U + model->has_choice; kind++) {
        uint64_t next[CHECK_MAX_WORDS];
        struct check_note note = {.label = "", .cell = -1};
        if (!model->describe(model, key, kind * model->n + p, next, &note))
            continue;
        check_make_point(look->coverage, note.point);
        check_make_point(look->coverage, note.outcome);
        /* A TEST that waits has no outcome, and goes on elsewhere. */
        branches |= note.outcome != 0 || check_same_state(key, next, model->words);
    }
    return branches;
}

static bool misses_nothing(const struct look *look)
{
    const struct check_model *model = look->graph->model;
    for (unsigned point = 1; point <= model->points; point++) {
        if (model->is_point(model, point) && !check_is_made(look->coverage, point))
            return false;
    }
    return true;
}

struct seen { /* a local state that has been described, of any process */
    struct local local;
    bool known, branches;
};

/* Describes the next step of p unless nothing new can come of it. */
static void look_at(struct look *look, struct seen *seen, const uint64_t *key, unsigned p,
                    enum check_region region)
{
    const struct local local = local_of(look->graph->model, key, p);
    struct seen *place = &seen[check_set_hash(local.word, LOCAL_WORDS) % KNOWN_LOCALS];
    const bool known = place->known && check_same_state(place->local.word, local.word, LOCAL_WORDS);
    if (known && local.fits && !place->branches && !begins(region))
        return;
    if (known && atomic_fetch_add(&look->described, 1) >= MOST_DESCRIBED)
        atomic_store(&look->gave_up, true);
    *place = (struct seen){local, true, describe(look, key, p)};
}

static void look_at_block(void *context, uint64_t first, uint64_t last)
{
    struct look *look = context;
    const struct check_graph *graph = look->graph;
    const struct check_model *model = graph->model;
    struct seen seen[KNOWN_LOCALS];
    unsigned regions = 0;
    const bool all = misses_nothing(look);
    memset(seen, 0, sizeof seen);
    for (uint64_t id = first; id < last; id++) {
        const uint64_t *key = check_graph_key(graph, id);
        for (unsigned p = 0; p < check_workers(model); p++) {
            const enum check_region region = check_region_of(model, key, p);
            regions |= 1U << region;
            if (!all && !atomic_load_explicit(&look->gave_up, memory_order_relaxed))
                look_at(look, seen, key, p, region);
        }
    }
    atomic_fetch_or(&look->regions, regions);
}

void check_cover(const struct check_graph *graph, struct check_coverage *coverage)
{
    if (graph->model->cover != NULL) {
        graph->model->cover(graph->model, coverage);
        return;
    }
    struct look look = {.graph = graph, .coverage = coverage};
    check_parallel_blocks(graph->threads, graph->count, false, look_at_block, &look);
    coverage->regions = (uint8_t)atomic_load(&look.regions);
    coverage->known = true;
    coverage->whole = !atomic_load(&look.gave_up);
}
