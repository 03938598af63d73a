#include "check/run.h"

#include "check/compact.h"
#include "check/decide.h"
#include "check/parallel.h"

#include <stdlib.h>
#include <string.h>

bool check_applies(const struct check_model *model, enum check_property property)
{
    switch (property) {
    case CHECK_DISTINCT_SLOTS: return model->slot != NULL;
    case CHECK_WINDOW: return model->violated != NULL && model->invariants > 0;
    case CHECK_INVARIANTS:
        return (model->violated != NULL && model->invariants > 0) || model->ahead != NULL;
    case CHECK_RESPONSIVE: return model->ranks != NULL && !model->ranks_things;
    case CHECK_PRECEDENCE:
    case CHECK_ACYCLIC:
    case CHECK_COMPARABLE:
    case CHECK_STABLE: return model->ranks != NULL;
    default: return true;
    }
}

static bool needs_enabled(const struct check_model *model, enum check_property property)
{
    switch (property) {
    case CHECK_KL_DEADLOCK_FREE:
    case CHECK_FINITE_WAITING_ENABLING:
    case CHECK_BOUNDED_WAITING_ENABLING:
    case CHECK_FIFO_ENABLING:
    case CHECK_L_FULL:
    case CHECK_QUEUELIKE:
    case CHECK_FIRST_IN_FIRST_ENABLED:
    case CHECK_STRONG_FIRST_IN_FIRST_ENABLED:
    case CHECK_OVERTAKING: return true;
    case CHECK_INVARIANTS: return model->ahead != NULL;
    default: return false;
    }
}

static bool needs_edges(const struct check_model *model, enum check_property property)
{
    switch (property) {
    case CHECK_EXCLUSION:
    case CHECK_DISTINCT_SLOTS:
    case CHECK_NO_MEMORY:
    case CHECK_VALUES:
    case CHECK_ACYCLIC:
    case CHECK_COMPARABLE:
    case CHECK_WINDOW: return false;
    case CHECK_INVARIANTS: return model->ahead != NULL;
    default: return true;
    }
}

/* C6: exclusion, no exit region, l-full, first in first enabled. */
static void decide_queuelike(const struct check_graph *graph, const struct check_enabled *enabled,
                             struct check_result *result)
{
    for (uint32_t id = 0; id < graph->count; id++) {
        for (unsigned p = 0; p < graph->model->n; p++) {
            if (check_region_of(graph->model, check_graph_key(graph, id), p) == CHECK_EXIT) {
                result->answer = CHECK_FAILS;
                strcpy(result->about, "it has an exit region");
                return;
            }
        }
    }
    check_decide_exclusion(graph, result);
    if (result->answer == CHECK_HOLDS)
        check_decide_l_full(graph, enabled, result);
    if (result->answer == CHECK_HOLDS)
        check_decide_fifo(graph, enabled, result);
}

/* `enabled` is NULL where there was no memory for it; what needs it stays undecided. */
static void decide(const struct check_graph *graph, const struct check_enabled *enabled,
                   const struct check_report *report, struct check_result *result)
{
    const enum check_property property = result->query.property;
    if (!check_applies(graph->model, property) ||
        (needs_edges(graph->model, property) && !graph->complete) ||
        (needs_enabled(graph->model, property) && enabled == NULL))
        return;
    switch (property) {
    case CHECK_EXCLUSION: check_decide_exclusion(graph, result); break;
    case CHECK_DISTINCT_SLOTS: check_decide_slots(graph, result); break;
    case CHECK_NO_SLOT_LOST: check_decide_lost(graph, result); break;
    case CHECK_DEADLOCK_FREE: check_decide_deadlock(graph, result); break;
    case CHECK_KL_DEADLOCK_FREE: check_decide_kl_deadlock(graph, enabled, result); break;
    case CHECK_LOCKOUT_FREE: check_decide_lockout(graph, result); break;
    case CHECK_FINITE_WAITING: check_decide_finite_waiting(graph, NULL, result); break;
    case CHECK_BOUNDED_WAITING: check_decide_bounded(graph, NULL, result); break;
    case CHECK_LINEAR_WAITING: check_decide_linear(graph, result); break;
    case CHECK_FIFO:
        if (check_has_own_order(graph->model))
            check_decide_own_order(graph, result);
        else
            check_decide_fifo(graph, NULL, result);
        break;
    case CHECK_NO_MEMORY: check_decide_no_memory(graph, result); break;
    case CHECK_FINITE_WAITING_ENABLING: check_decide_finite_waiting(graph, enabled, result); break;
    case CHECK_BOUNDED_WAITING_ENABLING: check_decide_bounded(graph, enabled, result); break;
    case CHECK_FIFO_ENABLING: check_decide_fifo(graph, enabled, result); break;
    case CHECK_L_FULL: check_decide_l_full(graph, enabled, result); break;
    case CHECK_QUEUELIKE: decide_queuelike(graph, enabled, result); break;
    case CHECK_WAIT_FREE_DOORWAY: check_decide_doorway(graph, result); break;
    case CHECK_FIRST_IN_FIRST_ENABLED: check_decide_first_enabled(graph, enabled, result); break;
    case CHECK_STRONG_FIRST_IN_FIRST_ENABLED:
        check_decide_strong_first_enabled(graph, enabled, result);
        break;
    case CHECK_OVERTAKING: check_decide_overtaking(graph, enabled, result); break;
    case CHECK_L_LOCKOUT_FREE: check_decide_l_lockout(graph, result); break;
    case CHECK_VALUES: {
        uint64_t most = report->whole;
        for (unsigned c = 0; c < graph->model->cells && !graph->model->one_variable; c++)
            most = report->values[c] > most ? report->values[c] : most;
        result->has_bound = most > 0;
        result->bound = most;
        bool over = result->query.has_bound && most > result->query.bound;
        result->answer = over                          ? CHECK_FAILS
                         : graph->complete && most > 0 ? CHECK_HOLDS
                                                       : CHECK_UNDECIDED;
        break;
    }
    case CHECK_WINDOW: check_decide_invariants(graph, 1, result); break;
    case CHECK_INVARIANTS:
        if (graph->model->violated != NULL)
            check_decide_invariants(graph, graph->model->invariants, result);
        if (graph->model->ahead != NULL && result->answer != CHECK_FAILS)
            check_decide_ahead(graph, enabled, result);
        break;
    case CHECK_RESPONSIVE: check_decide_responsive(graph, result); break;
    case CHECK_PRECEDENCE: check_decide_precedence(graph, result); break;
    case CHECK_ACYCLIC: check_decide_acyclic(graph, result); break;
    case CHECK_COMPARABLE: check_decide_comparable(graph, result); break;
    case CHECK_STABLE: check_decide_stable(graph, result); break;
    case CHECK_PROPERTIES: break;
    }
}

struct decisions {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
    const struct check_report *report;
    struct check_result *results;
    size_t count;
    _Atomic(size_t) taken;
};

static const struct check_result *result_of(const struct decisions *decisions,
                                            enum check_property property)
{
    for (size_t q = 0; q < decisions->count; q++) {
        if (decisions->results[q].query.property == property)
            return &decisions->results[q];
    }
    return NULL;
}

/* No lockout means no deadlock (Burns et al., section 2.2): where both are asked, deadlock waits for
 * the answer about lockout. */
static bool is_later(const struct decisions *decisions, size_t q)
{
    return decisions->results[q].query.property == CHECK_DEADLOCK_FREE &&
           result_of(decisions, CHECK_LOCKOUT_FREE) != NULL;
}

static void decide_some(void *context, unsigned thread)
{
    (void)thread;
    struct decisions *decisions = context;
    for (size_t q; (q = atomic_fetch_add(&decisions->taken, 1)) < decisions->count;) {
        if (!is_later(decisions, q))
            decide(decisions->graph, decisions->enabled, decisions->report, &decisions->results[q]);
    }
}

/* Several properties at a time; those for which there was no memory then get it all, one by one. */
static void decide_all(struct decisions *decisions)
{
    const struct check_graph *graph = decisions->graph;
    check_parallel(graph->count < CHECK_WORTH_THREADS ? 1 : graph->threads, decide_some, decisions);
    const struct check_result *lockout = result_of(decisions, CHECK_LOCKOUT_FREE);
    for (size_t q = 0; q < decisions->count && graph->complete; q++) {
        struct check_result *result = &decisions->results[q];
        if (is_later(decisions, q) && lockout->answer == CHECK_HOLDS)
            result->answer = CHECK_HOLDS;
        else if (result->answer == CHECK_UNDECIDED)
            decide(graph, decisions->enabled, decisions->report, result);
    }
}

/* Explores `model` and answers; report->end says how far it came. False: no memory to begin with. */
static bool explore_and_decide(const struct check_model *model, const struct check_limits *limits,
                               const struct check_query *queries, size_t count,
                               struct check_result *results, struct check_report *report)
{
    struct check_space space;
    struct check_limits kept = *limits;
    bool edges = false, enabling = false, values = false;
    memset(report, 0, sizeof *report);
    memset(results, 0, count * sizeof *results);
    for (size_t q = 0; q < count; q++) {
        results[q].query = queries[q];
        edges |= needs_edges(model, queries[q].property);
        enabling |= needs_enabled(model, queries[q].property);
        values |= queries[q].property == CHECK_VALUES;
    }
    kept.keep_order = edges;
    if (!check_explore(&space, model, &kept))
        return false;
    report->end = space.end;
    report->states = space.states;
    report->transitions = space.transitions;
    report->stored = space.stored;
    report->depth = space.depth;
    report->reduced = space.reduced;
    report->search_bytes = space.bytes;

    struct check_graph graph;
    if (space.end == CHECK_OUT_OF_RANGE) {
        const bool frozen = check_graph_freeze(&graph, &space, limits, false);
        if (frozen) {
            check_slip_find(&graph, space.bad, &report->slip);
            check_graph_close(&graph);
        } else {
            check_space_close(&space);
        }
    } else if (
        check_graph_freeze(&graph, &space, limits, edges && space.end == CHECK_COMPLETE)) {
        struct check_enabled enabled = {0};
        bool have = enabling && graph.complete && check_enabled_open(&enabled, &graph);
        if (values)
            check_count_values(&graph, report->values);
        if (values && model->one_variable)
            report->whole = check_count_whole(&graph);
        struct decisions decisions = {.graph = &graph,
                                      .enabled = have ? &enabled : NULL,
                                      .report = report,
                                      .results = results,
                                      .count = count};
        decide_all(&decisions);
        if (have)
            check_enabled_close(&enabled);
        check_graph_close(&graph);
    } else {
        check_space_close(&space);
    }
    return true;
}

/* The number of units that turn up among the first few states, or UINT32_MAX; *all: there are no
 * more. */
static uint32_t sample_units(struct check_compact *compact, const struct check_model *model,
                             const struct check_limits *limits, bool *all)
{
    struct check_limits few = *limits;
    struct check_space space;
    uint32_t most = UINT32_MAX;
    few.states = 4096;
    few.threads = 1;
    few.progress = NULL;
    bool open = false;
    for (unsigned words = 1; words <= CHECK_MAX_WORDS && !open; words++) {
        if (!check_compact_open(compact, model, limits->budget, words))
            continue;
        open = compact->unit_bits == CHECK_MAX_UNIT_BITS; /* as many units as there can be */
        if (!open)
            check_compact_close(compact);
    }
    if (!open)
        return most;
    if (check_explore(&space, &compact->model, &few)) {
        most = 0;
        for (unsigned t = 0; t < compact->tables; t++) {
            uint32_t count = atomic_load(&compact->units[t].count);
            most = count > most ? count : most;
        }
        *all = space.end == CHECK_COMPLETE;
        check_space_close(&space);
    }
    check_compact_close(compact);
    return most;
}

/* The smallest states that seem wide enough; if they are not, wider ones. */
static bool run_compact(const struct check_model *model, const struct check_limits *limits,
                        const struct check_query *queries, size_t count,
                        struct check_result *results, struct check_report *report, bool *ran)
{
    struct check_compact *compact = malloc(sizeof *compact);
    if (compact == NULL)
        return false;
    bool all = false, done = false, hopeless = false;
    uint64_t units = sample_units(compact, model, limits, &all);
    /* Of few units most are soon seen. */
    uint64_t enough = all ? units : units < 16 ? 2 * units : 4 * units;
    for (unsigned words = 1; words <= CHECK_MAX_WORDS && !done && !hopeless; words++) {
        if (!check_compact_open(compact, model, limits->budget, words))
            continue;
        bool widest = compact->unit_bits == CHECK_MAX_UNIT_BITS;
        if (widest || words == CHECK_MAX_WORDS || enough >> compact->unit_bits == 0) {
            *ran = explore_and_decide(&compact->model, limits, queries, count, results, report);
            bool full = atomic_load(&compact->full), broken = atomic_load(&compact->broken);
            done = !full && !broken;
            hopeless = broken || widest;
            if (!done)
                check_witness_free(&report->slip.witness);
        }
        check_compact_close(compact);
    }
    free(compact);
    return done;
}

static bool run(const struct check_model *model, const struct check_limits *limits,
                const struct check_query *queries, size_t count, struct check_result *results,
                struct check_report *report)
{
    bool ran = false;
    if (check_can_compact(model) &&
        run_compact(model, limits, queries, count, results, report, &ran))
        return ran;
    return explore_and_decide(model, limits, queries, count, results, report);
}

/* Who overtakes whom is asked of processes by name: where the graph was reduced by symmetry, it is
 * asked again of one that is not. */
static bool run_by_name(const struct check_model *model, const struct check_limits *limits,
                        struct check_result *result)
{
    struct check_limits plain = *limits;
    struct check_report report;
    const struct check_query query = result->query;
    plain.symmetry = false;
    return run(model, &plain, &query, 1, result, &report);
}

bool check_run(const struct check_model *model, const struct check_limits *limits,
               const struct check_query *queries, size_t count, struct check_result *results,
               struct check_report *report)
{
    double start = check_clock();
    bool ran = run(model, limits, queries, count, results, report);
    for (size_t q = 0; ran && q < count; q++) {
        if (queries[q].property == CHECK_OVERTAKING && report->reduced &&
            report->end == CHECK_COMPLETE)
            ran = run_by_name(model, limits, &results[q]);
    }
    report->peak_bytes = atomic_load(&limits->budget->peak);
    report->seconds = check_clock() - start;
    return ran;
}
