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

/* The states in which process i waits, and their components: the same for every j. */
struct room {
    struct check_view view;
    struct check_condensed condensed;
};

struct pass {
    const struct check_graph *graph;
    const struct room *room;
    enum counting counting;
    unsigned i, j;
    uint64_t counted;  /* edges that may count */
    struct best *best; /* by component, in the order of delivery */
    uint64_t bound;
    bool unbounded;
};

static enum check_region region_of(const struct pass *pass, uint32_t id, unsigned p)
{
    return check_graph_region(pass->graph, id, p);
}

/* Whether the edge is a step of i, whatever it chooses. */
static bool is_own_step(const struct pass *pass, unsigned edge)
{
    const struct check_model *model = pass->graph->model;
    return edge % model->n == pass->i && check_step_edges(model) >> edge & 1;
}

/* The edges that may count: those of j, or the steps of i. */
static uint64_t counted_edges(const struct pass *pass)
{
    const struct check_model *model = pass->graph->model;
    uint64_t edges = 0;
    for (unsigned e = 0; e < pass->graph->edges; e++) {
        if (pass->counting == COUNT_ENTRIES ? e % model->n == pass->j : is_own_step(pass, e))
            edges |= UINT64_C(1) << e;
    }
    return pass->counting == COUNT_CYCLES ? 0 : edges;
}

/* What an edge that may count adds to the count. */
static unsigned weight(const struct pass *pass, uint32_t from, uint32_t to)
{
    return pass->counting != COUNT_ENTRIES || (region_of(pass, from, pass->j) != CHECK_CRITICAL &&
                                               region_of(pass, to, pass->j) == CHECK_CRITICAL);
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
        for (uint64_t left = pass->counted; left != 0; left &= left - 1) {
            const uint32_t to = row[__builtin_ctzll(left)];
            if (check_inner(component, to) && weight(pass, from, to) > 0)
                return true;
        }
    }
    return false;
}

/* The most that is counted after the component has been left by the edge to `to`, with j seen in
 * its remainder or not. */
static unsigned after(const struct pass *pass, const struct check_component *component, uint32_t to,
                      unsigned seen)
{
    if (check_bits_has(&pass->room->view.inside, to))
        return pass->best[check_component_index(component->number_of[to])].value[seen];
    /* The last step may be the one that ends the wait. */
    return pass->counting == COUNT_CYCLES && seen && region_of(pass, to, pass->j) == CHECK_CRITICAL;
}

static bool deliver(void *context, const struct check_component *component)
{
    struct pass *pass = context;
    const struct check_graph *graph = pass->graph;
    const bool cycles = pass->counting == COUNT_CYCLES;
    struct check_shown shown = {false, false};
    if (cycles)
        shown = check_component_shows(component, pass->j);
    pass->unbounded = shown.remainder && shown.critical;
    /* Where the count stands and what has been seen on leaving the component, having entered it
     * without and with j seen in its remainder. */
    const unsigned seen[2] = {shown.remainder, !shown.critical};
    const unsigned gained = shown.critical;
    struct best best = {{0, (uint16_t)gained}};
    for (uint32_t m = 0; m < component->count && !pass->unbounded; m++) {
        const uint32_t from = component->member[m];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, from, buffer);
        for (unsigned e = 0; e < graph->edges && !pass->unbounded; e++) {
            const uint32_t to = row[e];
            if (to == CHECK_NONE)
                continue;
            const unsigned added = pass->counted >> e & 1 ? weight(pass, from, to) : 0;
            if (check_inner(component, to)) {
                pass->unbounded = added > 0;
                continue;
            }
            const uint16_t without = capped(added + after(pass, component, to, seen[0]));
            if (without > best.value[0])
                best.value[0] = without;
            if (!cycles) /* the two are the same */
                continue;
            const uint16_t with = capped(gained + after(pass, component, to, seen[1]));
            if (with > best.value[1])
                best.value[1] = with;
        }
    }
    if (!cycles)
        best.value[1] = best.value[0];
    pass->best[check_component_index(component->number)] = best;
    if (best.value[0] > pass->bound)
        pass->bound = best.value[0];
    return !pass->unbounded;
}

/* Whether i waits in a state; `pass` has no room yet. */
typedef bool waits_function(const struct pass *pass, const void *context, uint32_t id);

struct asked {
    const struct pass *pass;
    waits_function *waits;
    const void *context;
};

static bool is_in_room(const void *context, uint32_t id)
{
    const struct asked *asked = context;
    return asked->waits(asked->pass, asked->context, id);
}

static void close_room(struct room *room)
{
    check_condensed_close(&room->condensed);
    check_bits_close(&room->view.inside);
}

/* False: no memory. The caller closes the room in any case. */
static bool open_room(struct room *room, const struct pass *pass, waits_function *waits,
                      const void *context)
{
    const struct asked asked = {pass, waits, context};
    *room = (struct room){.view = {.graph = pass->graph, .edges = ~UINT64_C(0)}};
    return check_view_open(&room->view, is_in_room, &asked) &&
           check_condense(&room->condensed, &room->view);
}

/* False: no memory. */
static bool run_pass(struct pass *pass)
{
    const size_t bytes = (size_t)pass->room->condensed.states * sizeof *pass->best;
    pass->best = check_map(pass->graph->budget, bytes);
    if (pass->best == NULL)
        return false;
    pass->counted = counted_edges(pass);
    check_deliver(&pass->room->condensed, deliver, pass);
    check_unmap(pass->graph->budget, pass->best, bytes);
    return true;
}

/* Both, for callers that ask about i alone. */
static bool enter_room(struct room *room, struct pass *pass, waits_function *waits,
                       const void *context)
{
    pass->room = room;
    return open_room(room, pass, waits, context) && run_pass(pass);
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
        return false; /* it may have been killed, and is recovering */
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
 * begin counting as early as possible never gives less, so the observer does not have to guess. */
static uint32_t next_watch(const void *context, uint32_t now, uint32_t from, unsigned edge,
                           uint32_t to)
{
    const struct watch *watch = context;
    const struct pass *pass = watch->pass;
    const bool waiting = check_bits_has(&pass->room->view.inside, to);
    const enum check_region j = region_of(pass, to, pass->j);
    /* The step out of the remainder is the first step of the doorway. */
    const bool begins = pass->counting == COUNT_OWN_STEPS && is_own_step(pass, edge) &&
                        region_of(pass, from, pass->i) == CHECK_REMAINDER;
    uint64_t count = now == 0 ? 0 : (now - 1) / 2;
    bool seen = now != 0 && (now - 1) % 2 != 0;
    if ((now != 0 || begins) && pass->counted >> edge & 1)
        count += weight(pass, from, to);
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
    struct check_hunt hunt = {.condensed = &pass->room->condensed,
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
    waits_function *waits;
    const void *context;
    bool yes_or_no; /* more than allowed is enough of an answer, without bound or not */
};

struct outcome {
    bool memory, unbounded;
    uint64_t bound;
    unsigned i, j; /* where it is largest */
};

/* A survey of all pairs, in any order. */
struct pairs {
    const struct survey *survey;
    unsigned others;             /* that are asked about, each with each i */
    _Atomic(unsigned) unbounded; /* the least i without bound: later ones do not count */
    struct outcome outcome[CHECK_MAX_PROCESSES][CHECK_MAX_PROCESSES];
};

struct in_room {
    struct pairs *pairs;
    const struct room *room;
    unsigned i;
};

static void survey_pair(void *context, uint64_t j)
{
    const struct in_room *in_room = context;
    const struct survey *survey = in_room->pairs->survey;
    struct pass pass = {.graph = survey->graph,
                        .room = in_room->room,
                        .counting = survey->counting,
                        .i = in_room->i,
                        .j = (unsigned)j};
    if (j == pass.i)
        return;
    const bool memory = run_pass(&pass);
    in_room->pairs->outcome[pass.i][j] =
        (struct outcome){memory, pass.unbounded, pass.bound, pass.i, pass.j};
    unsigned least = atomic_load(&in_room->pairs->unbounded);
    while (pass.unbounded && pass.i < least &&
           !atomic_compare_exchange_weak(&in_room->pairs->unbounded, &least, pass.i)) {
    }
}

static void survey_process(void *context, uint64_t i)
{
    struct pairs *pairs = context;
    const struct survey *survey = pairs->survey;
    const struct pass pass = {.graph = survey->graph, .i = (unsigned)i};
    struct room room;
    if (i > atomic_load(&pairs->unbounded))
        return;
    struct in_room in_room = {pairs, &room, (unsigned)i};
    if (open_room(&room, &pass, survey->waits, survey->context))
        check_share(check_threads_for(survey->graph), pairs->others, survey_pair, &in_room);
    close_room(&room);
}

/* The worst of all pairs: the first one without bound, or the first with the largest bound. */
static struct outcome worst_of(const struct pairs *pairs)
{
    struct outcome worst = {.memory = true};
    const unsigned processes = check_first_only(pairs->survey->graph, 1);
    for (unsigned i = 0; i < processes && !worst.unbounded; i++) {
        for (unsigned j = 0; j < pairs->others && !worst.unbounded; j++) {
            const struct outcome *outcome = &pairs->outcome[i][j];
            if (j == i)
                continue;
            if (!outcome->memory)
                return *outcome;
            if (outcome->unbounded || outcome->bound > worst.bound)
                worst = *outcome;
        }
    }
    return worst;
}

/* A witness for the worst pair; there may be no memory for it. */
static void witness_worst(const struct survey *survey, const struct outcome *worst,
                          uint64_t allowed, struct check_result *result)
{
    struct room room;
    struct pass pass = {
        .graph = survey->graph, .counting = survey->counting, .i = worst->i, .j = worst->j};
    if (open_room(&room, &pass, survey->waits, survey->context)) {
        pass.room = &room;
        pass.counted = counted_edges(&pass);
        if (worst->unbounded && !survey->yes_or_no)
            witness_unbounded(&pass, result);
        else
            witness_over(&pass, allowed, result);
    }
    close_room(&room);
}

/* The bound over all pairs (i, j). Where it is more than `allowed`, or unbounded, the witness goes
 * into `result` (if there is one). */
static struct outcome survey_pairs(const struct survey *survey, bool has_allowed, uint64_t allowed,
                                   struct check_result *result)
{
    const struct check_graph *graph = survey->graph;
    struct pairs pairs = {
        .survey = survey, .others = check_first_only(graph, 2), .unbounded = CHECK_MAX_PROCESSES};
    check_share(check_threads_for(graph), check_first_only(graph, 1), survey_process, &pairs);
    const struct outcome worst = worst_of(&pairs);
    if (worst.memory && result != NULL &&
        (worst.unbounded || (has_allowed && worst.bound > allowed)))
        witness_worst(survey, &worst, allowed, result);
    return worst;
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
    result->bound = outcome->unbounded ? 0 : outcome->bound;
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

/* C4, C4': while i stays in its trying or exit region (and is not enabled), j goes from remainder
 * to critical at most b times. */
void check_decide_bounded(const struct check_graph *graph, const struct check_enabled *enabled,
                          struct check_result *result)
{
    const char *verb = "goes from remainder to critical";
    struct survey survey = {graph, COUNT_CYCLES, waits_in_region, enabled, false};
    struct outcome outcome =
        survey_pairs(&survey, result->query.has_bound, result->query.bound, result);
    conclude(&outcome, verb, result->query.has_bound, result->query.bound, result);
}

/* C5, C5': 0-bounded waiting, except in the doorway: once i is past it (and not enabled), no
 * process that is in its remainder then becomes critical before i makes progress. Where there is no
 * doorway, the whole trying region waits; the exit region does in any case. */
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

/* Linear waiting: while i waits, j enters its critical region at most L0 times; counted from the
 * end of the doorway, and from the first store that makes i active. */
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

static void count_doorway(const void *context, unsigned i, struct check_most *most)
{
    struct room room;
    struct pass pass = {.graph = context, .counting = COUNT_OWN_STEPS, .i = i, .j = i};
    most->memory = enter_room(&room, &pass, in_doorway, NULL);
    most->unbounded = pass.unbounded;
    most->bound = pass.bound + 1; /* the pass has not counted the step out of the remainder */
    close_room(&room);
}

/* The most steps that a process takes from its remainder to the end of its doorway, whatever the
 * others do. */
void check_decide_doorway(const struct check_graph *graph, struct check_result *result)
{
    const struct survey survey = {graph, COUNT_OWN_STEPS, in_doorway, NULL, false};
    const struct check_most most =
        check_most(graph, check_first_only(graph, 1), count_doorway, graph);
    if (!check_most_concludes(&most, result))
        return;
    const struct outcome worst = {true, most.unbounded, most.bound, most.i, most.i};
    witness_worst(&survey, &worst, result->query.bound, result);
    snprintf(result->about, sizeof result->about, "process %u takes %s in its doorway", most.i,
             most.unbounded ? "steps without bound" : "more steps than claimed");
}

/* A step of process i leads it out of where it is grey, and does not turn it black. */
static uint32_t next_unranked(const void *context, uint32_t now, uint32_t from, unsigned edge,
                              uint32_t to)
{
    const struct pass *pass = context;
    const struct check_model *model = pass->graph->model;
    struct check_ranks ranks;
    (void)now;
    if (!is_own_step(pass, edge) || !check_bits_has(&pass->room->view.inside, from) ||
        check_bits_has(&pass->room->view.inside, to))
        return 0;
    model->ranks(model, check_graph_key(pass->graph, to), &ranks);
    return ranks.colour[pass->i] == CHECK_BLACK ? 0 : CHECK_ACCEPT;
}

/* Responsiveness of Singh 1993: the most steps that a process takes from turning grey to turning
 * black, whatever the others do; it makes no progress before. */
void check_decide_responsive(const struct check_graph *graph, struct check_result *result)
{
    struct outcome worst = {.memory = true};
    for (unsigned i = 0; worst.memory && i < check_first_only(graph, 1) && !worst.unbounded; i++) {
        struct room room;
        struct pass pass = {.graph = graph, .counting = COUNT_STEPS, .i = i, .j = i};
        worst.memory = enter_room(&room, &pass, is_grey, NULL);
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
        close_room(&room);
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

/* Marks the states in which i is in its exit region and has come there from the region `from`;
 * *any: it leaves that region at all. False: no memory. */
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

struct leaving {
    const struct check_graph *graph;
    enum check_region from;
};

/* What one process does on its way out. */
struct exit_pass {
    struct pass pass;
    struct room room;
    struct check_bits marked; /* the states on its way */
    bool any;                 /* it sets out at all */
};

/* False: no memory. The caller closes it in any case. */
static bool open_exit(struct exit_pass *out, const struct leaving *leaving, unsigned i)
{
    const struct check_graph *graph = leaving->graph;
    *out = (struct exit_pass){.pass = {.graph = graph, .counting = COUNT_STEPS, .i = i, .j = i}};
    return check_bits_open(&out->marked, graph->budget, graph->count) &&
           mark_way_out(&out->pass, leaving->from, &out->marked, &out->any) &&
           enter_room(&out->room, &out->pass, is_marked, &out->marked);
}

static void close_exit(struct exit_pass *out)
{
    close_room(&out->room);
    check_bits_close(&out->marked);
}

/* The step out of the critical or trying region counts; to be revived does not, it is no access. */
static uint64_t steps_before(enum check_region from)
{
    return from == CHECK_DEAD ? 0 : 1;
}

static void count_way_out(const void *context, unsigned i, struct check_most *most)
{
    const struct leaving *leaving = context;
    struct exit_pass out;
    most->memory = open_exit(&out, leaving, i);
    most->unbounded = out.pass.unbounded;
    most->bound = out.any ? out.pass.bound + steps_before(leaving->from) : 0;
    close_exit(&out);
}

/*
 * The most steps of its own that a process takes from its critical region to its remainder (bounded
 * exit), from the choice to give up (bounded abort), or from its revival to where that leads
 * (bounded recovery), whatever the others do.
 */
void check_decide_way_out(const struct check_graph *graph, enum check_region from,
                          struct check_result *result)
{
    const struct leaving leaving = {graph, from};
    const struct check_most most =
        check_most(graph, check_first_only(graph, 1), count_way_out, &leaving);
    if (!check_most_concludes(&most, result))
        return;
    struct exit_pass out;
    const bool memory = open_exit(&out, &leaving, most.i);
    if (memory && most.unbounded)
        witness_unbounded(&out.pass, result);
    else if (memory)
        witness_way_out(&out.pass, from, steps_before(from), result);
    close_exit(&out);
    snprintf(result->about, sizeof result->about, "process %u takes %s %s", most.i,
             most.unbounded ? "steps without bound" : "more steps than claimed",
             way_out_name(from));
}
