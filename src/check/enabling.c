/*
 * The properties that depend on which processes are enabled (enabled.c), most of them by Fischer,
 * Lynch, Burns and Borodin 1979.
 */
#include "check/decide.h"
#include "check/fair.h"
#include "check/hunt.h"

#include <stdio.h>

struct census {
    unsigned critical, trying, exiting, enabled; /* processes in C, T, E, CEn */
};

static struct census count_regions(const struct check_graph *graph,
                                   const struct check_enabled *enabled, uint32_t id)
{
    struct census census = {0};
    for (unsigned p = 0; p < check_workers(graph->model); p++) {
        enum check_region region = check_graph_region(graph, id, p);
        census.critical += region == CHECK_CRITICAL;
        census.trying += check_trying(region);
        census.exiting += region == CHECK_EXIT;
        census.enabled += check_is_enabled(graph, enabled->critical, id, p);
    }
    return census;
}

/* k-admissible schedules: fewer than k processes fail, that is stop in their trying or exit region;
 * to stop in the critical region is no failure. */
static struct check_admissible admissible(const struct check_model *model)
{
    return (struct check_admissible){.failing = model->k - 1, .rest_critical = true};
}

/* ---- l-full: |CEn| = min(l - |C|, |T|) in every state ---- */

struct fullness {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
};

static bool is_not_full(const void *context, uint32_t id)
{
    const struct fullness *fullness = context;
    struct census census = count_regions(fullness->graph, fullness->enabled, id);
    unsigned l = fullness->graph->model->l;
    if (census.critical > l)
        return true; /* l - |C| is below 0 */
    unsigned room = l - census.critical;
    return census.enabled != (room < census.trying ? room : census.trying);
}

static uint32_t next_not_full(const void *context, uint32_t now, uint32_t from, unsigned edge,
                              uint32_t to)
{
    (void)now, (void)from, (void)edge;
    return is_not_full(context, to) ? CHECK_ACCEPT : 0;
}

void check_decide_l_full(const struct check_graph *graph, const struct check_enabled *enabled,
                         struct check_result *result)
{
    struct fullness fullness = {graph, enabled};
    result->answer = check_any_state(graph, is_not_full, &fullness) ? CHECK_FAILS : CHECK_HOLDS;
    if (result->answer == CHECK_HOLDS)
        return;
    snprintf(result->about, sizeof result->about,
             "the number of enabled processes is not min(l - critical, trying)");
    if (is_not_full(&fullness, graph->initial)) {
        check_witness_empty(&result->witness);
        return;
    }
    struct check_observer observer = {1, 0, next_not_full, &fullness};
    check_witness_search(graph, &observer, &result->witness);
}

/* ---- C3 and C3', finite waiting (for enabling) ---- */

static bool served_for_ever(const void *context, const struct check_component *component)
{
    const unsigned j = *(const unsigned *)context;
    const struct check_shown shown = check_component_shows(component, j);
    return shown.remainder && shown.critical &&
           check_component_fair(component, admissible(component->view->graph->model));
}

struct waiter {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
    unsigned i;
};

static bool waits(const void *context, uint32_t id)
{
    const struct waiter *waiter = context;
    return check_waits(waiter->graph, waiter->enabled, id, waiter->i);
}

/* The first process that is served for ever while i waits. */
static enum check_hunted hunt_while_waiting(const struct waiter *waiter, unsigned *j,
                                            struct check_witness *witness)
{
    const struct check_graph *graph = waiter->graph;
    struct check_view view = {.graph = graph, .edges = ~UINT64_C(0)};
    struct check_condensed condensed;
    enum check_hunted hunted = CHECK_HUNT_NO_MEMORY;
    if (check_view_open(&view, waits, waiter) && check_condense(&condensed, &view)) {
        hunted = CHECK_NOTHING_FOUND;
        for (*j = 0; hunted == CHECK_NOTHING_FOUND && *j < check_first_only(graph, 2); ++*j) {
            const struct check_hunt hunt = {.condensed = &condensed,
                                            .bad = served_for_ever,
                                            .context = j,
                                            .cycle = {.fair = true, .j = *j}};
            if (*j != waiter->i)
                hunted = check_hunt(&hunt, witness);
            if (hunted == CHECK_FOUND)
                break;
        }
        check_condensed_close(&condensed);
    }
    check_bits_close(&view.inside);
    return hunted;
}

struct waiters {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
    _Atomic(unsigned) first; /* the first process for which it was found; later ones are skipped */
    enum check_hunted hunted[CHECK_MAX_PROCESSES];
    unsigned j[CHECK_MAX_PROCESSES];
    struct check_witness witness[CHECK_MAX_PROCESSES];
};

static void hunt_for_waiter(void *context, uint64_t i)
{
    struct waiters *waiters = context;
    const struct waiter waiter = {waiters->graph, waiters->enabled, (unsigned)i};
    unsigned first = atomic_load(&waiters->first);
    if (i > first)
        return;
    waiters->hunted[i] = hunt_while_waiting(&waiter, &waiters->j[i], &waiters->witness[i]);
    while (waiters->hunted[i] == CHECK_FOUND && i < first &&
           !atomic_compare_exchange_weak(&waiters->first, &first, (unsigned)i)) {
    }
}

void check_decide_finite_waiting(const struct check_graph *graph,
                                 const struct check_enabled *enabled, struct check_result *result)
{
    const unsigned count = check_first_only(graph, 1);
    struct waiters waiters = {.graph = graph, .enabled = enabled, .first = count};
    check_share(check_threads_for(graph), count, hunt_for_waiter, &waiters);
    unsigned i = 0;
    while (i < count && waiters.hunted[i] == CHECK_NOTHING_FOUND)
        i++;
    if (i == count) {
        result->answer = CHECK_HOLDS;
    } else if (waiters.hunted[i] == CHECK_FOUND) {
        result->answer = CHECK_FAILS;
        result->witness = waiters.witness[i];
        waiters.witness[i] = (struct check_witness){0};
        snprintf(result->about, sizeof result->about,
                 "process %u %s while process %u is served for ever", i,
                 enabled == NULL ? "waits" : "is never enabled", waiters.j[i]);
    }
    for (i = 0; i < count; i++)
        check_witness_free(&waiters.witness[i]);
}

/* ---- C- and R-allocation ---- */

/*
 * A set G of trying processes is group-enabled in q if in every schedule from q in which each
 * member of G appears, at least |G| distinct processes step from the trying into the critical
 * region. The allocation is the size of the largest. G fails iff a search over (state, members yet
 * to appear, processes that have entered) with fewer than |G| entered reaches "none yet to appear".
 *
 * Whether a member gives up is up to itself: schedules in which it appears first by a choice that
 * leads out of the region, and not to where G wants to go, are left out. Such a step changes a
 * region, so what is said below about steps that keep the regions is true with choices too.
 *
 * To appear is to take a step; the paper knows no other faults than to stop. Where there are some,
 * a schedule in which a member dies before it has appeared is left out as well: what is allocated
 * to a process is what the others cannot take from it, and so is being enabled. Otherwise nothing
 * would be allocated to a process that can die.
 */
struct group {
    const struct check_model *model;
    struct check_budget *budget;
    enum check_region from, to; /* the step that counts */
};

static bool counts_as_from(const struct group *group, enum check_region region)
{
    return group->from == CHECK_WAITING ? check_trying(region) : region == group->from;
}

/* Whether the move of process p along `edge` is its choice to give up. */
static bool gives_up(const struct group *group, unsigned edge, const uint64_t *state,
                     const uint64_t *next)
{
    const struct check_model *model = group->model;
    const unsigned p = edge % model->n;
    const enum check_region then = check_region_of(model, next, p);
    return check_choice_edges(model) >> edge & 1 &&
           counts_as_from(group, check_region_of(model, state, p)) &&
           !counts_as_from(group, then) && then != group->to;
}

_Static_assert((int)CHECK_MAX_WORDS < (int)CHECK_SET_MAX_WORDS, "a state and one word more");

enum { FEW = 64 }; /* states to begin with: most searches end soon */

/* Its nodes are states with a word more: members yet to appear, and processes that have entered. */
struct group_search {
    const struct group *group;
    unsigned wide, size;   /* words of a node, members of the group */
    struct check_set seen; /* without the start */
    size_t stored;
    uint64_t *stack; /* nodes to go on from */
    size_t room, count;
};

/* Goes on from a node later, unless it has been seen. False: no memory. */
static bool add_unseen(struct group_search *search, const uint64_t *node)
{
    struct check_set *seen = &search->seen;
    const unsigned wide = search->wide;
    if ((search->stored + 1) * 2 > seen->capacity && !check_set_grow(seen, seen->capacity * 2))
        return false;
    if (!check_set_add(seen, node, check_set_home(check_set_hash(node, wide), seen->capacity)))
        return true;
    search->stored++;
    if (search->count == search->room) {
        const size_t size = search->room * wide * sizeof *search->stack;
        void *larger = check_remap(search->group->budget, search->stack, size, 2 * size);
        if (larger == NULL)
            return false;
        search->stack = larger;
        search->room *= 2;
    }
    for (unsigned w = 0; w < wide; w++)
        search->stack[search->count * wide + w] = node[w];
    search->count++;
    return true;
}

/* The step along `edge` from a node to `state`. 1: nothing speaks against the group; 0: it is not
 * enabled; -1: no memory. */
static int follow_edge(struct group_search *search, const uint64_t *node, unsigned edge,
                       const uint64_t *state)
{
    const struct group *group = search->group;
    const struct check_model *model = group->model;
    const unsigned words = model->words, p = edge % model->n;
    if (node[words] >> p & 1 &&
        (gives_up(group, edge, node, state) || !(check_step_edges(model) >> edge & 1)))
        return 1;
    unsigned left = (unsigned)(node[words] & 0xffff) & ~(1U << p);
    unsigned entered = (unsigned)(node[words] >> 16 & 0xffff);
    if (counts_as_from(group, check_region_of(model, node, p)) &&
        check_region_of(model, state, p) == group->to)
        entered |= 1U << p;
    if ((unsigned)__builtin_popcount(entered) >= search->size)
        return 1; /* from here on it can only succeed */
    if (left == 0)
        return 0;
    uint64_t next[CHECK_SET_MAX_WORDS];
    for (unsigned w = 0; w < words; w++)
        next[w] = state[w];
    next[words] = CHECK_PRESENT | left | (uint64_t)entered << 16;
    return add_unseen(search, next) ? 1 : -1;
}

/* The same, for all steps from a node. */
static int follow_edges(struct group_search *search, const uint64_t *node)
{
    const struct check_model *model = search->group->model;
    uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    const struct check_moves moves = model->expand(model, node, out);
    int answer = 1;
    for (unsigned e = 0; e < model->n * model->kinds && answer == 1; e++) {
        if (moves.exist >> e & 1)
            answer =
                follow_edge(search, node, e, moves.change >> e & 1 ? &out[e * model->words] : node);
    }
    return answer;
}

/* 1: enabled; 0: not; -1: no memory. */
static int group_enabled(const struct group *group, const uint64_t *start, unsigned members)
{
    const unsigned words = group->model->words, wide = words + 1;
    struct group_search search = {.group = group,
                                  .wide = wide,
                                  .size = (unsigned)__builtin_popcount(members),
                                  .stored = 1,
                                  .room = FEW};
    if (!check_set_open(&search.seen, group->budget, wide, FEW))
        return -1;
    search.stack = check_map(group->budget, search.room * wide * sizeof *search.stack);
    int answer = search.stack == NULL ? -1 : 1;
    if (answer == 1) {
        for (unsigned w = 0; w < words; w++)
            search.stack[w] = start[w];
        search.stack[words] = CHECK_PRESENT | members;
        search.count = 1;
    }
    while (answer == 1 && search.count > 0) {
        uint64_t node[CHECK_SET_MAX_WORDS];
        search.count--;
        for (unsigned w = 0; w < wide; w++)
            node[w] = search.stack[search.count * wide + w];
        answer = follow_edges(&search, node);
    }
    check_unmap(group->budget, search.stack, search.room * wide * sizeof *search.stack);
    check_set_close(&search.seen);
    return answer;
}

/* Whether the allocation is at least `size`; -1: no memory. */
static int allocation_at_least(const struct group *group, const uint64_t *state, unsigned size)
{
    unsigned candidates = 0;
    for (unsigned p = 0; p < group->model->n; p++)
        candidates |= (unsigned)counts_as_from(group, check_region_of(group->model, state, p)) << p;
    for (unsigned members = candidates; members != 0; members = (members - 1) & candidates) {
        if ((unsigned)__builtin_popcount(members) != size)
            continue;
        int enabled = group_enabled(group, state, members);
        if (enabled != 0)
            return enabled;
    }
    return size == 0;
}

/* ---- C2, (k,l)-deadlock freedom ---- */

/*
 * There is no k-admissible infinite schedule without a change of region along which a copy of the
 * resource is left unallocated although somebody waits: |T| > C-allocation and C-allocation + |C| <
 * l; nor one along which somebody hangs in its exit region: |E| > R-allocation. Allocation does not
 * change along steps that keep the regions, so one state of each component tells.
 */
struct stuck {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
    _Atomic(bool) *no_memory;
};

int check_wastes(const struct check_graph *graph, const struct check_enabled *enabled, uint32_t id)
{
    const struct check_model *model = graph->model;
    const uint64_t *key = check_graph_key(graph, id);
    struct census census = count_regions(graph, enabled, id);
    struct group critical = {model, graph->budget, CHECK_WAITING, CHECK_CRITICAL};
    struct group leaving = {model, graph->budget, CHECK_EXIT, CHECK_REMAINDER};
    if (census.exiting > 0) {
        int all = allocation_at_least(&leaving, key, census.exiting);
        if (all < 1)
            return all < 0 ? -1 : 1;
    }
    if (census.trying == 0 || census.critical >= model->l)
        return 0;
    /* Wasted iff the allocation is below both |T| and l - |C|. */
    unsigned enough = model->l - census.critical;
    if (enough > census.trying)
        enough = census.trying;
    int at_least = allocation_at_least(&critical, key, enough);
    return at_least < 0 ? -1 : !at_least;
}

static bool wastes_for_ever(const void *context, const struct check_component *component)
{
    const struct stuck *stuck = context;
    if (!check_component_fair(component, admissible(stuck->graph->model)))
        return false;
    int answer = check_wastes(stuck->graph, stuck->enabled, component->member[0]);
    if (answer < 0)
        atomic_store(stuck->no_memory, true);
    return answer > 0;
}

static bool is_state(const void *context, uint32_t id)
{
    (void)context, (void)id;
    return true;
}

void check_decide_kl_deadlock(const struct check_graph *graph, const struct check_enabled *enabled,
                              struct check_result *result)
{
    struct check_view view = {
        .graph = graph, .edges = check_step_edges(graph->model), .keeps_regions = true};
    if (!check_view_open(&view, is_state, NULL))
        return;
    _Atomic(bool) no_memory = false;
    const struct stuck stuck = {graph, enabled, &no_memory};
    const struct check_hunt hunt = {
        .bad = wastes_for_ever, .context = &stuck, .cycle = {.fair = true, .j = CHECK_NONE}};
    const enum check_hunted hunted = check_hunt_in(&view, hunt, &result->witness);
    if (hunted == CHECK_FOUND) {
        result->answer = CHECK_FAILS;
        snprintf(result->about, sizeof result->about,
                 "a slot stays free for ever although somebody waits for it");
        if (atomic_load(&no_memory)) /* another component may be nearer */
            check_witness_free(&result->witness);
    } else if (hunted == CHECK_NOTHING_FOUND && !atomic_load(&no_memory)) {
        result->answer = CHECK_HOLDS;
    }
    check_bits_close(&view.inside);
}
