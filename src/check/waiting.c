/*
 * Bounds on waiting, exactly: the largest count along any path in a part of the graph, by dynamic
 * programming over its components in reverse topological order. A component in which the count can
 * go up on a cycle makes it unbounded.
 */
#include "check/decide.h"
#include "check/hunt.h"

#include <stdio.h>

/* How the count goes up along a path of waiting process i with respect to process j. */
enum counting {
    COUNT_CYCLES,    /* of j: in its remainder, later in its critical region (C4) */
    COUNT_ENTRIES,   /* of j into its critical region */
    COUNT_OWN_STEPS, /* of i, with the one out of its remainder */
    COUNT_STEPS,     /* of i, while it waits */
};

struct best {
    uint16_t
        value[2]; /* from here on; [1]: j has been seen in its remainder since its last count */
};

struct pass {
    const struct check_graph *graph;
    struct check_view view;
    enum counting counting;
    unsigned i, j;
    struct best *best; /* by component, in the order of delivery */
    size_t best_bytes;
    uint64_t bound;
    bool unbounded;
};

static enum check_region region_of(const struct pass *pass, uint32_t id, unsigned p)
{
    return check_region_of(pass->graph->model, check_graph_key(pass->graph, id), p);
}

/* Whether the edge is a step of i, whatever it chooses. */
static bool is_own_step(const struct pass *pass, unsigned edge)
{
    const struct check_model *model = pass->graph->model;
    return edge % model->n == pass->i && check_step_edges(model) >> edge & 1;
}

/* What the edge adds to the count. */
static unsigned weight(const struct pass *pass, uint32_t from, unsigned edge, uint32_t to)
{
    switch (pass->counting) {
    case COUNT_ENTRIES:
        return edge % pass->graph->model->n == pass->j &&
               region_of(pass, from, pass->j) != CHECK_CRITICAL &&
               region_of(pass, to, pass->j) == CHECK_CRITICAL;
    case COUNT_OWN_STEPS:
    case COUNT_STEPS: return is_own_step(pass, edge);
    case COUNT_CYCLES:
    default: return 0;
    }
}

static uint16_t capped(uint64_t value)
{
    return (uint16_t)(value < UINT16_MAX ? value : UINT16_MAX);
}

/* Whether the count can go up for ever in the component. */
static bool counts_for_ever(const void *context, const struct check_component *component)
{
    const struct pass *pass = context;
    const struct check_graph *graph = pass->graph;
    if (pass->counting == COUNT_CYCLES) {
        const struct check_shown shown = check_component_shows(component, pass->j);
        return shown.remainder && shown.critical;
    }
    for (uint32_t m = 0; m < component->count; m++) {
        const uint32_t from = component->member[m];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, from, buffer);
        for (unsigned e = 0; e < graph->edges; e++) {
            if (check_inner(component, row[e]) && weight(pass, from, e, row[e]) > 0)
                return true;
        }
    }
    return false;
}

static bool deliver(void *context, const struct check_component *component)
{
    struct pass *pass = context;
    const struct check_graph *graph = pass->graph;
    if (counts_for_ever(pass, component)) {
        pass->unbounded = true;
        return false;
    }
    struct check_shown shown = {false, false}; /* one of them at most */
    if (pass->counting == COUNT_CYCLES)
        shown = check_component_shows(component, pass->j);
    struct best best = {{0, 0}};
    /* Where the count stands and what has been seen on leaving the component, having entered it
     * without and with j seen in its remainder. */
    const unsigned seen[2] = {shown.remainder, !shown.critical};
    const unsigned gained[2] = {0, shown.critical};
    for (uint32_t m = 0; m < component->count; m++) {
        const uint32_t from = component->member[m];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, from, buffer);
        for (unsigned e = 0; e < graph->edges; e++) {
            const uint32_t to = row[e];
            if (to == CHECK_NONE || (pass->view.edges >> e & 1) == 0)
                continue;
            if (check_inner(component, to))
                continue;
            unsigned added = weight(pass, from, e, to);
            for (unsigned s = 0; s < 2; s++) {
                uint64_t after;
                if (check_bits_has(&pass->view.inside, to))
                    after =
                        pass->best[check_component_index(component->number_of[to])].value[seen[s]];
                else /* the last step may be the one that ends the wait */
                    after = pass->counting == COUNT_CYCLES && seen[s] &&
                            region_of(pass, to, pass->j) == CHECK_CRITICAL;
                uint16_t total = capped(gained[s] + added + after);
                if (total > best.value[s])
                    best.value[s] = total;
            }
        }
    }
    if (best.value[1] < gained[1])
        best.value[1] = (uint16_t)gained[1];
    pass->best[check_component_index(component->number)] = best;
    if (best.value[0] > pass->bound)
        pass->bound = best.value[0];
    return true;
}

/* Runs a pass over the states for which `waits` says that i waits; they stay in pass->view.inside,
 * which the caller closes. False: no memory. */
static bool run_pass(struct pass *pass,
                     bool (*waits)(const struct pass *pass, const void *context, uint32_t id),
                     const void *context)
{
    const struct check_graph *graph = pass->graph;
    pass->view.graph = graph;
    pass->view.edges = ~UINT64_C(0);
    if (!check_bits_open(&pass->view.inside, graph->budget, graph->count))
        return false;
    for (uint32_t id = 0; id < graph->count; id++) {
        if (waits(pass, context, id))
            check_bits_add(&pass->view.inside, id);
    }
    pass->best_bytes = (size_t)graph->count * sizeof *pass->best;
    pass->best = check_map(graph->budget, pass->best_bytes);
    bool memory = pass->best != NULL && check_components(&pass->view, deliver, pass);
    check_unmap(graph->budget, pass->best, pass->best_bytes);
    return memory;
}

/* ---- who waits ---- */

static bool waits_in_region(const struct pass *pass, const void *context, uint32_t id)
{
    return check_waits(pass->graph, context, id, pass->i);
}

static bool waits_past_doorway(const struct pass *pass, const void *context, uint32_t id)
{
    return region_of(pass, id, pass->i) != CHECK_DOORWAY && waits_in_region(pass, context, id);
}

static bool waits_to_enter(const struct pass *pass, const void *context, uint32_t id)
{
    (void)context;
    return region_of(pass, id, pass->i) == CHECK_WAITING;
}

static bool waits_active(const struct pass *pass, const void *context, uint32_t id)
{
    (void)context;
    const struct check_model *model = pass->graph->model;
    const uint64_t *key = check_graph_key(pass->graph, id);
    return check_trying(region_of(pass, id, pass->i)) &&
           (model->active == NULL || model->active(model, key) >> pass->i & 1);
}

static bool is_grey(const struct pass *pass, const void *context, uint32_t id)
{
    (void)context;
    const struct check_model *model = pass->graph->model;
    struct check_ranks ranks;
    const enum check_region region = region_of(pass, id, pass->i);
    if (!check_trying(region) && region != CHECK_CRITICAL)
        return false; /* it may have been killed, and puts things in order */
    model->ranks(model, check_graph_key(pass->graph, id), &ranks);
    return ranks.colour[pass->i] == CHECK_GREY;
}

static bool in_doorway(const struct pass *pass, const void *context, uint32_t id)
{
    (void)context;
    return region_of(pass, id, pass->i) == CHECK_DOORWAY;
}

/* ---- witnesses of a count that is larger than it should be ---- */

struct watch {
    const struct pass *pass;
    uint64_t target; /* accept when the count exceeds it */
};

/* The observer's state: 0 while i does not wait; else 1 + 2 * count + (j seen in its remainder). To
 * begin counting as early as possible never gives less, so the observer need not guess. */
static uint32_t next_watch(const void *context, uint32_t now, uint32_t from, unsigned edge,
                           uint32_t to)
{
    const struct watch *watch = context;
    const struct pass *pass = watch->pass;
    const bool waiting = check_bits_has(&pass->view.inside, to);
    const enum check_region j = region_of(pass, to, pass->j);
    /* The step out of the remainder is the first step of the doorway. */
    const bool begins = pass->counting == COUNT_OWN_STEPS && is_own_step(pass, edge) &&
                        region_of(pass, from, pass->i) == CHECK_REMAINDER;
    uint64_t count = now == 0 ? 0 : (now - 1) / 2;
    bool seen = now != 0 && (now - 1) % 2 != 0;
    if (now != 0 || begins)
        count += weight(pass, from, edge, to);
    if (pass->counting == COUNT_CYCLES && seen && j == CHECK_CRITICAL) {
        count++;
        seen = false;
    }
    if (count > watch->target)
        return CHECK_ACCEPT;
    if (!waiting)
        return 0;
    return 1 + 2 * (uint32_t)count + (uint32_t)(seen || j == CHECK_REMAINDER);
}

static void witness_unbounded(const struct pass *pass, struct check_result *result)
{
    const bool of_steps = pass->counting == COUNT_OWN_STEPS || pass->counting == COUNT_STEPS;
    struct check_hunt hunt = {.view = &pass->view,
                              .bad = counts_for_ever,
                              .context = pass,
                              .cycle = {.movers = of_steps ? UINT64_C(1) << pass->i : 0,
                                        .j = of_steps ? CHECK_NONE : pass->j}};
    check_hunt(&hunt, &result->witness);
}

static void witness_over(const struct pass *pass, uint64_t target, struct check_result *result)
{
    struct watch watch = {pass, target};
    struct check_observer observer = {
        .states = 1 + 2 * ((uint32_t)target + 2), .next = next_watch, .context = &watch};
    check_witness_search(pass->graph, &observer, &result->witness);
}

/* ---- the properties ---- */

struct survey {
    const struct check_graph *graph;
    enum counting counting;
    bool (*waits)(const struct pass *pass, const void *context, uint32_t id);
    const void *context;
    bool yes_or_no; /* more than allowed is enough of an answer, without bound or not */
};

struct outcome {
    bool memory, unbounded;
    uint64_t bound;
    unsigned i, j; /* where it is largest */
};

/* The bound over all pairs (i, j). Where it is more than `allowed`, or unbounded, the witness goes
 * into `result` (if there is one). */
static struct outcome survey_pairs(const struct survey *survey, bool has_allowed, uint64_t allowed,
                                   struct check_result *result)
{
    const struct check_graph *graph = survey->graph;
    struct outcome outcome = {.memory = true};
    for (unsigned i = 0; i < check_first_only(graph, 1) && !outcome.unbounded; i++) {
        for (unsigned j = 0; j < check_first_only(graph, 2) && !outcome.unbounded; j++) {
            if (j == i)
                continue;
            struct pass pass = {.graph = graph, .counting = survey->counting, .i = i, .j = j};
            outcome.memory = outcome.memory && run_pass(&pass, survey->waits, survey->context);
            if (!outcome.memory) {
                check_bits_close(&pass.view.inside);
                return outcome;
            }
            bool worse = pass.unbounded || pass.bound > outcome.bound;
            if (worse) {
                outcome.unbounded = pass.unbounded;
                outcome.bound = pass.bound;
                outcome.i = i;
                outcome.j = j;
            }
            if (worse && result != NULL) {
                check_witness_free(&result->witness);
                if (pass.unbounded && !survey->yes_or_no)
                    witness_unbounded(&pass, result);
                else if (pass.unbounded || (has_allowed && pass.bound > allowed))
                    witness_over(&pass, allowed, result);
            }
            check_bits_close(&pass.view.inside);
        }
    }
    return outcome;
}

/* It holds if there is a bound, and it is not more than `allowed` where something is allowed. */
static void conclude(const struct outcome *outcome, const char *verb, bool has_allowed,
                     uint64_t allowed, struct check_result *result)
{
    if (!outcome->memory) {
        check_result_undecided(result);
        return;
    }
    result->has_bound = !outcome->unbounded;
    result->bound = outcome->bound;
    bool fails = outcome->unbounded || (has_allowed && outcome->bound > allowed);
    result->answer = fails ? CHECK_FAILS : CHECK_HOLDS;
    if (fails && outcome->unbounded)
        snprintf(result->about, sizeof result->about,
                 "while process %u waits, process %u %s without bound", outcome->i, outcome->j,
                 verb);
    else if (fails)
        snprintf(result->about, sizeof result->about,
                 "while process %u waits, process %u %s %llu times (allowed: %llu)", outcome->i,
                 outcome->j, verb, (unsigned long long)outcome->bound, (unsigned long long)allowed);
}

/* C4, C4': while i stays in its trying or exit region (and is not enabled), j goes from remainder to
 * critical at most b times. */
void check_decide_bounded(const struct check_graph *graph, const struct check_enabled *enabled,
                          struct check_result *result)
{
    const char *verb = "goes from remainder to critical";
    struct survey survey = {graph, COUNT_CYCLES, waits_in_region, enabled, false};
    struct outcome outcome =
        survey_pairs(&survey, result->query.has_bound, result->query.bound, result);
    conclude(&outcome, verb, result->query.has_bound, result->query.bound, result);
}

/* C5, C5': 0-bounded waiting, but for the doorway: once i is past it (and not enabled), nobody who is
 * in its remainder then becomes critical before i gets on. Where there is no doorway, the whole
 * trying region waits; the exit region does in any case. */
void check_decide_fifo(const struct check_graph *graph, const struct check_enabled *enabled,
                       struct check_result *result)
{
    const char *verb = "goes from remainder to critical";
    struct survey survey = {graph, COUNT_CYCLES, waits_past_doorway, enabled, true};
    struct outcome outcome = survey_pairs(&survey, true, 0, result);
    conclude(&outcome, verb, true, 0, result);
    result->has_bound = false; /* fifo is yes or no, and its witness shows it once */
    if (result->answer == CHECK_FAILS)
        snprintf(result->about, sizeof result->about,
                 "while process %u waits, process %u %s, and so overtakes it", outcome.i, outcome.j,
                 verb);
}

/* Linear waiting: while i waits, j enters its critical region at most L0 times; counted from the end
 * of the doorway, and from the first store that makes i active. */
void check_decide_linear(const struct check_graph *graph, struct check_result *result)
{
    const char *verb = "enters its critical region";
    struct survey survey = {graph, COUNT_ENTRIES, waits_to_enter, NULL, false};
    struct outcome outcome =
        survey_pairs(&survey, result->query.has_bound, result->query.bound, result);
    conclude(&outcome, verb, result->query.has_bound, result->query.bound, result);
    if (result->answer == CHECK_UNDECIDED)
        return;
    survey.waits = waits_active;
    struct outcome active = survey_pairs(&survey, false, 0, NULL);
    if (!active.memory) { /* "no bound" would be read as "unbounded" */
        check_result_undecided(result);
        return;
    }
    result->has_bound_active = !active.unbounded;
    result->bound_active = active.unbounded ? 0 : active.bound;
}

/* The most steps that a process takes from its remainder to the end of its doorway, whatever the
 * others do. */
void check_decide_doorway(const struct check_graph *graph, struct check_result *result)
{
    struct outcome worst = {.memory = true};
    for (unsigned i = 0; worst.memory && i < check_first_only(graph, 1) && !worst.unbounded; i++) {
        struct pass pass = {.graph = graph, .counting = COUNT_OWN_STEPS, .i = i, .j = i};
        worst.memory = run_pass(&pass, in_doorway, NULL);
        /* The pass has counted the steps inside the doorway; one more leads out of the remainder. */
        if (worst.memory && (pass.unbounded || pass.bound + 1 > worst.bound)) {
            worst.unbounded = pass.unbounded;
            worst.bound = pass.bound + 1;
            worst.i = worst.j = i;
            check_witness_free(&result->witness);
            if (pass.unbounded)
                witness_unbounded(&pass, result);
            else if (result->query.has_bound && worst.bound > result->query.bound)
                witness_over(&pass, result->query.bound, result);
        }
        check_bits_close(&pass.view.inside);
    }
    conclude(&worst, "takes steps in its doorway", result->query.has_bound, result->query.bound,
             result);
    if (result->answer == CHECK_FAILS)
        snprintf(result->about, sizeof result->about, "process %u takes %s in its doorway", worst.i,
                 worst.unbounded ? "steps without bound" : "more steps than claimed");
}

/* A step of process i leads it out of where it is grey, and does not turn it black. */
static uint32_t next_unranked(const void *context, uint32_t now, uint32_t from, unsigned edge,
                              uint32_t to)
{
    const struct pass *pass = context;
    const struct check_model *model = pass->graph->model;
    struct check_ranks ranks;
    (void)now;
    if (!is_own_step(pass, edge) || !check_bits_has(&pass->view.inside, from) ||
        check_bits_has(&pass->view.inside, to))
        return 0;
    model->ranks(model, check_graph_key(pass->graph, to), &ranks);
    return ranks.colour[pass->i] == CHECK_BLACK ? 0 : CHECK_ACCEPT;
}

/* Responsiveness of Singh 1993: the most steps that a process takes from turning grey to turning
 * black, whatever the others do; it does not get on before. */
void check_decide_responsive(const struct check_graph *graph, struct check_result *result)
{
    struct outcome worst = {.memory = true};
    for (unsigned i = 0; worst.memory && i < check_first_only(graph, 1) && !worst.unbounded; i++) {
        struct pass pass = {.graph = graph, .counting = COUNT_STEPS, .i = i, .j = i};
        worst.memory = run_pass(&pass, is_grey, NULL);
        if (worst.memory && (pass.unbounded || pass.bound > worst.bound)) {
            worst = (struct outcome){true, pass.unbounded, pass.bound, i, i};
            check_witness_free(&result->witness);
            if (pass.unbounded)
                witness_unbounded(&pass, result);
            else if (result->query.has_bound && worst.bound > result->query.bound)
                witness_over(&pass, result->query.bound, result);
        }
        /* Whether there is such a run is a part of the answer, so the search has to end. */
        struct check_observer observer = {1, 0, next_unranked, &pass};
        struct check_witness unranked = {0};
        const enum check_searched searched = worst.memory
                                                 ? check_witness_search(graph, &observer, &unranked)
                                                 : CHECK_SEARCH_NO_MEMORY;
        worst.memory = searched != CHECK_SEARCH_NO_MEMORY;
        check_bits_close(&pass.view.inside);
        if (searched == CHECK_RUN_FOUND) {
            check_witness_free(&result->witness);
            result->witness = unranked;
            result->answer = CHECK_FAILS;
            snprintf(result->about, sizeof result->about,
                     "process %u asks for a rank and leaves without one", i);
            return;
        }
    }
    conclude(&worst, "takes steps", result->query.has_bound, result->query.bound, result);
    if (result->answer == CHECK_FAILS)
        snprintf(result->about, sizeof result->about, "process %u takes %s to be ranked", worst.i,
                 worst.unbounded ? "steps without bound" : "more steps than claimed");
}

/* ---- the way out ---- */

struct way_out {
    const struct pass *pass;
    enum check_region from;
    uint64_t first;  /* steps that count before the exit region */
    uint64_t target; /* accept when the count exceeds it */
};

/* A step of i's own from the region it is about, through the exit region or straight to rest. */
static bool sets_out(const struct pass *pass, enum check_region from, uint32_t id, unsigned edge,
                     uint32_t to)
{
    const enum check_region after = region_of(pass, to, pass->i);
    return is_own_step(pass, edge) && check_paper_region(region_of(pass, id, pass->i)) == from &&
           (after == CHECK_EXIT || after == CHECK_REMAINDER);
}

/* Marks the states in which i is in its exit region and has come there from the region `from`; *any: it
 * leaves that region at all. False: no memory. */
static bool mark_way_out(const struct pass *pass, enum check_region from, struct check_bits *marked,
                         bool *any)
{
    const struct check_graph *graph = pass->graph;
    const size_t bytes = (size_t)graph->count * sizeof(uint32_t);
    uint32_t *stack = check_map(graph->budget, bytes), pending = 0;
    if (stack == NULL)
        return false;
    for (uint32_t id = 0; id < graph->count || pending > 0;) {
        uint32_t buffer[CHECK_MAX_EDGES];
        const bool on_the_way = pending > 0;
        const uint32_t at = on_the_way ? stack[--pending] : id++;
        const uint32_t *row = check_graph_row(graph, at, buffer);
        for (unsigned e = 0; e < graph->edges; e++) {
            if (row[e] == CHECK_NONE || !(on_the_way || sets_out(pass, from, at, e, row[e])))
                continue;
            *any |= !on_the_way;
            if (region_of(pass, row[e], pass->i) != CHECK_EXIT || check_bits_has(marked, row[e]))
                continue;
            check_bits_add(marked, row[e]);
            stack[pending++] = row[e];
        }
    }
    check_unmap(graph->budget, stack, bytes);
    return true;
}

static bool is_marked(const struct pass *pass, const void *context, uint32_t id)
{
    (void)pass;
    return check_bits_has(context, id);
}

/* The observer's state: 0, or 1 + the number of steps so far. */
static uint32_t next_way_out(const void *context, uint32_t now, uint32_t from, unsigned edge,
                             uint32_t to)
{
    const struct way_out *way = context;
    uint64_t count = now == 0 ? 0 : now - 1;
    if (sets_out(way->pass, way->from, from, edge, to))
        count = way->first;
    else if (now == 0)
        return 0;
    else
        count += is_own_step(way->pass, edge);
    if (count > way->target)
        return CHECK_ACCEPT;
    return region_of(way->pass, to, way->pass->i) == CHECK_EXIT ? 1 + (uint32_t)count : 0;
}

static void witness_way_out(const struct pass *pass, enum check_region from, uint64_t first,
                            struct check_result *result)
{
    const struct way_out way = {pass, from, first, result->query.bound};
    struct check_observer observer = {
        .states = (uint32_t)way.target + 2, .next = next_way_out, .context = &way};
    check_witness_search(pass->graph, &observer, &result->witness);
}

static const char *way_out_name(enum check_region from)
{
    return from == CHECK_DEAD       ? "when it comes back"
           : from == CHECK_CRITICAL ? "to leave its critical region"
                                    : "to give up";
}

/*
 * The most steps of its own that a process takes from its critical region to its remainder (bounded
 * exit), from the choice to give up (bounded abort), or from its revival to where that leads (bounded
 * recovery), whatever the others do. The step out of the critical or trying region counts; to be revived
 * does not, it is no access.
 */
void check_decide_way_out(const struct check_graph *graph, enum check_region from,
                          struct check_result *result)
{
    const uint64_t first = from == CHECK_DEAD ? 0 : 1;
    struct outcome worst = {.memory = true};
    for (unsigned i = 0; worst.memory && i < check_first_only(graph, 1) && !worst.unbounded; i++) {
        struct pass pass = {.graph = graph, .counting = COUNT_STEPS, .i = i, .j = i};
        struct check_bits marked;
        bool any = false;
        if (!check_bits_open(&marked, graph->budget, graph->count))
            return;
        worst.memory =
            mark_way_out(&pass, from, &marked, &any) && run_pass(&pass, is_marked, &marked);
        const uint64_t bound = any ? pass.bound + first : 0;
        if (worst.memory && (pass.unbounded || bound > worst.bound)) {
            worst = (struct outcome){true, pass.unbounded, bound, i, i};
            check_witness_free(&result->witness);
            if (pass.unbounded)
                witness_unbounded(&pass, result);
            else if (result->query.has_bound && bound > result->query.bound)
                witness_way_out(&pass, from, first, result);
        }
        check_bits_close(&pass.view.inside);
        check_bits_close(&marked);
    }
    conclude(&worst, "takes steps", result->query.has_bound, result->query.bound, result);
    if (result->answer == CHECK_FAILS)
        snprintf(result->about, sizeof result->about, "process %u takes %s %s", worst.i,
                 worst.unbounded ? "steps without bound" : "more steps than claimed",
                 way_out_name(from));
}
