#include "check/check.h"

#include "check/alike.h"
#include "check/collapse.h"
#include "check/compact.h"
#include "check/decide.h"
#include "check/parallel.h"
#include "check/replay.h"
#include "check/traits.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool check_applies(const struct check_model *model, enum check_property property)
{
    switch (property) {
    case CHECK_DISTINCT_SLOTS: return model->slot != NULL;
    case CHECK_WINDOW: return model->violated != NULL && model->invariants > 0;
    case CHECK_INVARIANTS:
        return (model->violated != NULL && model->invariants > 0) || model->ahead != NULL;
    case CHECK_OWN: return model->own != NULL;
    case CHECK_RESPONSIVE: return model->ranks != NULL && !model->ranks_things;
    case CHECK_PRECEDENCE:
    case CHECK_ACYCLIC:
    case CHECK_COMPARABLE:
    case CHECK_STABLE: return model->ranks != NULL;
    case CHECK_REENTRY:
    case CHECK_BOUNDED_RECOVERY: return model->kills;
    case CHECK_BOUNDED_ABORT: return model->has_choice;
    case CHECK_RMR_PASSAGE:
    case CHECK_RMR_SUPER_PASSAGE: return model->remote != NULL;
    default: return true;
    }
}

static bool needs_enabled(const struct check_model *model, enum check_property property)
{
    return check_has_trait(model, property, CHECK_OF_ENABLED);
}

static bool needs_edges(const struct check_model *model, enum check_property property)
{
    return !check_has_trait(model, property, CHECK_EDGELESS);
}

/* Corrects an answer where a limit kept processes in their remainder: a violation that was found is
 * one, unless it is that something cannot happen; that there is none is known up to the limit. */
static void decide_up_to_limit(const struct check_model *model, struct check_result *result)
{
    const enum check_property property = result->query.property;
    const bool lacks = check_has_trait(model, property, CHECK_OF_ABSENCE);
    if (result->answer == CHECK_UNDECIDED || (result->answer == CHECK_FAILS && !lacks))
        return;
    result->cut = true;
    if (result->answer == CHECK_FAILS)
        check_witness_free(&result->witness);
    if (result->answer == CHECK_FAILS || !check_has_trait(model, property, CHECK_TO_LIMIT))
        result->answer = CHECK_UNDECIDED;
}

static bool somebody_exits(const void *context, uint32_t id)
{
    const struct check_graph *graph = context;
    for (unsigned p = 0; p < graph->model->n; p++) {
        if (check_graph_region(graph, id, p) == CHECK_EXIT)
            return true;
    }
    return false;
}

/* C6: exclusion, no exit region, l-full, first in first enabled. */
static void decide_queuelike(const struct check_graph *graph, const struct check_enabled *enabled,
                             struct check_result *result)
{
    if (check_any_state(graph, somebody_exits, graph)) {
        result->answer = CHECK_FAILS;
        strcpy(result->about, "it has an exit region");
        return;
    }
    check_decide_exclusion(graph, result);
    if (result->answer == CHECK_HOLDS)
        check_decide_l_full(graph, enabled, result);
    if (result->answer == CHECK_HOLDS)
        check_decide_fifo(graph, enabled, result);
}

bool check_same_folded(const struct check_model *model, enum check_property property)
{
    return check_has_trait(model, property, CHECK_SAME_FOLDED);
}

bool check_decided_folded(const struct check_model *model, enum check_property property)
{
    return check_same_folded(model, property) ||
           (check_has_trait(model, property, CHECK_UNFOLDED) && check_can_fold(model) &&
            (property != CHECK_FIFO || !check_has_own_order(model)));
}

static const struct check_graph *graph_for(const struct check_graph *folded,
                                           const struct check_graph *unfolded,
                                           enum check_property property)
{
    return check_same_folded(folded->model, property) ? folded : unfolded;
}

static void decide_values(const struct check_graph *graph, const struct check_report *report,
                          struct check_result *result)
{
    uint64_t most = report->whole;
    for (unsigned c = 0; c < graph->model->cells && !graph->model->one_variable; c++)
        most = report->values[c] > most ? report->values[c] : most;
    result->has_bound = most > 0 && graph->complete;
    result->bound = result->has_bound ? most : 0;
    bool over = result->query.has_bound && most > result->query.bound;
    result->answer = over                          ? CHECK_FAILS
                     : graph->complete && most > 0 ? CHECK_HOLDS
                                                   : CHECK_UNDECIDED;
}

static bool can_be_decided(const struct check_graph *graph, const struct check_enabled *enabled,
                           enum check_property property)
{
    const struct check_model *model = graph->model;
    if (!check_applies(model, property) || (needs_enabled(model, property) && enabled == NULL))
        return false;
    if (property == CHECK_NO_SLOT_LOST && !graph->complete)
        return false;
    if (!needs_edges(model, property))
        return true;
    return (graph->complete || property == CHECK_OWN) && check_graph_numbered(graph);
}

/* `unfolded`: the same graph, with processes by name (folded.h). `enabled` is NULL where there was
 * no memory for it; what needs it stays undecided. */
static void decide(const struct check_graph *folded, const struct check_graph *unfolded,
                   const struct check_enabled *enabled, const struct check_report *report,
                   struct check_result *result)
{
    const enum check_property property = result->query.property;
    const struct check_graph *graph = graph_for(folded, unfolded, property);
    if (!can_be_decided(graph, enabled, property))
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
    case CHECK_VALUES: decide_values(graph, report, result); break;
    case CHECK_WINDOW: check_decide_invariants(graph, 1, result); break;
    case CHECK_INVARIANTS:
        if (graph->model->violated != NULL)
            check_decide_invariants(graph, UINT64_MAX, result);
        if (graph->model->ahead != NULL && result->answer != CHECK_FAILS)
            check_decide_ahead(graph, enabled, result);
        break;
    case CHECK_RESPONSIVE: check_decide_responsive(graph, result); break;
    case CHECK_PRECEDENCE: check_decide_precedence(graph, result); break;
    case CHECK_ACYCLIC: check_decide_acyclic(graph, result); break;
    case CHECK_COMPARABLE: check_decide_comparable(graph, result); break;
    case CHECK_STABLE: check_decide_stable(graph, result); break;
    case CHECK_REENTRY: check_decide_reentry(graph, result); break;
    case CHECK_BOUNDED_RECOVERY: check_decide_way_out(graph, CHECK_DEAD, result); break;
    case CHECK_BOUNDED_EXIT: check_decide_way_out(graph, CHECK_CRITICAL, result); break;
    case CHECK_BOUNDED_ABORT: check_decide_way_out(graph, CHECK_WAITING, result); break;
    case CHECK_OWN: check_decide_own(graph, result); break;
    case CHECK_RMR_PASSAGE: check_decide_remote(graph, false, result); break;
    case CHECK_RMR_SUPER_PASSAGE: check_decide_remote(graph, true, result); break;
    case CHECK_PROPERTIES: break;
    }
    if (graph->barred)
        decide_up_to_limit(graph->model, result);
}

/* All that comes after the exploration. It runs in a thread of its own if the caller watches it.
 * The caller may stop waiting; then the thread goes on with copies, and nothing that it uses is
 * freed. */
struct decisions {
    struct check_space space;
    struct check_graph graph, unfolded;                    /* the same where it is not folded */
    enum round { OF_STATES, OF_OTHERS, OF_ENABLED } round; /* of deciding: see is_of_round */
    struct check_enabled enabled;
    const struct check_limits *limits;
    struct check_report *report;
    size_t count;
    bool edges, enabling, values;
    bool moves; /* edges are followed, and can be computed again */
    _Atomic(const char *) phase;
    _Atomic(bool) over;
    _Atomic(unsigned char) state[CHECK_PROPERTIES]; /* of each result */
    struct check_result results[CHECK_PROPERTIES];
    struct check_limits own_limits; /* copies, for the thread that was left alone */
    struct check_report own_report;
};
enum { NOT_BEGUN, BEGUN, DECIDED };

static const struct check_result *result_of(const struct decisions *decisions,
                                            enum check_property property)
{
    for (size_t q = 0; q < decisions->count; q++) {
        if (decisions->results[q].query.property == property)
            return &decisions->results[q];
    }
    return NULL;
}

static const struct check_enabled *enabled_of(const struct decisions *decisions)
{
    return decisions->enabled.budget != NULL ? &decisions->enabled : NULL;
}

static void decide_one(struct decisions *decisions, unsigned threads, size_t q)
{
    struct check_graph graph = decisions->graph, unfolded = decisions->unfolded;
    graph.threads = unfolded.threads = threads;
    atomic_store(&decisions->state[q], BEGUN);
    decide(&graph, &unfolded, enabled_of(decisions), decisions->report, &decisions->results[q]);
    atomic_store(&decisions->state[q], DECIDED);
}

/* No lockout means no deadlock (Burns et al., section 2.2): where both are asked, deadlock waits
 * for the answer about lockout. */
static bool is_later(const struct decisions *decisions, size_t q)
{
    return decisions->results[q].query.property == CHECK_DEADLOCK_FREE &&
           result_of(decisions, CHECK_LOCKOUT_FREE) != NULL;
}

/* The order of decisions on a folded graph, which saves memory: first what is decided on its
 * states, before they are freed; then what does not depend on enabled processes; then the rest. */
static bool is_of_round(const struct decisions *decisions, size_t q)
{
    const struct check_model *model = decisions->graph.model;
    const enum check_property property = decisions->results[q].query.property;
    const enum round of = check_same_folded(model, property) ? OF_STATES
                          : needs_enabled(model, property)   ? OF_ENABLED
                                                             : OF_OTHERS;
    return decisions->graph.folding == NULL || decisions->round == of;
}

static void decide_unless_later(void *context, uint64_t q)
{
    struct decisions *decisions = context;
    if (is_of_round(decisions, q) && !is_later(decisions, q))
        decide_one(decisions, decisions->graph.threads, q);
}

/* Several properties at a time; those for which there was no memory then get it all, one by one. */
static void decide_all(struct decisions *decisions)
{
    const struct check_graph *graph = &decisions->graph;
    check_share(check_threads_for(graph), decisions->count, decide_unless_later, decisions);
    const struct check_result *lockout = result_of(decisions, CHECK_LOCKOUT_FREE);
    for (size_t q = 0; q < decisions->count && graph->complete; q++) {
        struct check_result *result = &decisions->results[q];
        if (is_later(decisions, q) && lockout->answer == CHECK_HOLDS) {
            result->answer = CHECK_HOLDS;
            atomic_store(&decisions->state[q], DECIDED);
        } else if (result->answer == CHECK_UNDECIDED && !result->cut && is_of_round(decisions, q)) {
            check_result_undecided(result);
            decide_one(decisions, graph->threads, q);
            if (result->answer == CHECK_UNDECIDED && graph->threads > 1)
                decide_one(decisions, 1, q);
        }
    }
}

/* Replays every witness on a run of its own. A witness for which there is no memory is dropped; one
 * that does not show its property is an error of the checker, and is reported. */
static void replay_all(struct decisions *decisions, struct check_report *report)
{
    for (size_t q = 0; q < decisions->count; q++) {
        struct check_result *result = &decisions->results[q];
        const enum check_property property = result->query.property;
        const char *why;
        if (result->answer != CHECK_FAILS || result->witness.edge == NULL ||
            !is_of_round(decisions, q))
            continue;
        switch (check_replay_result(
            graph_for(&decisions->graph, &decisions->unfolded, property),
            needs_enabled(decisions->graph.model, property) ? enabled_of(decisions) : NULL, result,
            &why)) {
        case CHECK_SHOWN: break;
        case CHECK_NOT_SHOWN:
            report->fault = why;
            report->fault_in = property;
            check_result_undecided(result);
            break;
        case CHECK_NOT_REPLAYED:
        default: check_witness_free(&result->witness); break;
        }
    }
}

/* The first two rounds. */
static void decide_folded(struct decisions *decisions, struct check_report *report)
{
    decide_all(decisions);
    replay_all(decisions, report);
    check_graph_forget_states(&decisions->graph);
    decisions->unfolded = check_graph_unfold(&decisions->graph);
    decisions->round = OF_OTHERS;
    decide_all(decisions);
    replay_all(decisions, report);
    decisions->round = OF_ENABLED;
}

static void *after_exploring(void *context)
{
    struct decisions *decisions = context;
    struct check_graph *graph = &decisions->graph;
    struct check_space *space = &decisions->space;
    struct check_report *report = decisions->report;
    const bool slipped = space->end == CHECK_OUT_OF_RANGE;
    atomic_store(&decisions->phase, "building the graph");
    if (!check_graph_freeze(graph, space, decisions->limits,
                            (decisions->edges || decisions->moves) &&
                                space->end == CHECK_COMPLETE)) {
        check_space_close(space);
    } else if (slipped) {
        check_slip_find(graph, space->bad, &report->slip);
        check_graph_close(graph);
    } else {
        if (graph->complete) {
            atomic_store(&decisions->phase, "looking for what was never done");
            check_cover(graph, &report->coverage);
        }
        atomic_store(&decisions->phase, "deciding");
        if (decisions->values)
            check_count_values(graph, report->values);
        if (decisions->values && graph->model->one_variable)
            report->whole = check_count_whole(graph);
        if (graph->folding != NULL)
            decide_folded(decisions, report);
        decisions->unfolded = check_graph_unfold(graph);
        if (decisions->enabling && graph->complete && check_graph_numbered(&decisions->unfolded) &&
            !check_enabled_open(&decisions->enabled, &decisions->unfolded))
            decisions->enabled = (struct check_enabled){0};
        decide_all(decisions);
        replay_all(decisions, report);
        if (decisions->enabled.budget != NULL)
            check_enabled_close(&decisions->enabled);
        check_graph_close(graph);
    }
    atomic_store(&decisions->over, true);
    return NULL;
}

static void report_progress(const struct decisions *decisions, double start)
{
    const struct check_limits *limits = decisions->limits;
    struct check_progress progress = {.phase = atomic_load(&decisions->phase),
                                      .states = decisions->space.stored,
                                      .bytes = atomic_load(&limits->budget->used),
                                      .of = (unsigned)decisions->count,
                                      .seconds = check_clock() - start};
    for (size_t q = 0; q < decisions->count; q++) {
        const unsigned char state = atomic_load(&decisions->state[q]);
        progress.decided += state == DECIDED;
        if (state == BEGUN && progress.property == NULL)
            progress.property = check_property_name(decisions->results[q].query.property);
    }
    if (limits->progress != NULL)
        limits->progress(&progress, limits->progress_context);
}

/* Waits for the thread; false: the time was over, or the user interrupted it. A run that is
 * incomplete already gets the time that it takes to look at its states. */
static bool watch(const struct decisions *decisions, double start)
{
    const struct check_limits *limits = decisions->limits;
    const unsigned before = limits->interrupts == NULL ? 0 : atomic_load(limits->interrupts);
    const bool whole = decisions->space.end == CHECK_COMPLETE;
    for (unsigned round = 0; !atomic_load(&decisions->over); round++) {
        const struct timespec pause = {.tv_nsec = round < 20    ? 50000
                                                  : round < 100 ? 1000000
                                                                : 20000000};
        nanosleep(&pause, NULL);
        report_progress(decisions, start);
        if (limits->interrupts != NULL && atomic_load(limits->interrupts) > before)
            return false;
        if (whole && limits->seconds > 0 && check_clock() - start > limits->seconds)
            return false;
    }
    return true;
}

/* Runs what comes after the exploration, watched if there is anything to be watched. False: it was
 * left alone, and goes on with copies of what may not last. */
static bool run_decisions(struct decisions *decisions, double start)
{
    const struct check_limits *limits = decisions->limits;
    pthread_t thread;
    if (limits->seconds <= 0 && limits->interrupts == NULL && limits->progress == NULL) {
        after_exploring(decisions);
        return true;
    }
    decisions->own_limits = *limits;
    decisions->own_report = *decisions->report;
    struct check_report *const report = decisions->report;
    decisions->limits = &decisions->own_limits;
    decisions->report = &decisions->own_report;
    if (pthread_create(&thread, NULL, after_exploring, decisions) != 0) {
        after_exploring(decisions);
    } else if (watch(decisions, start)) {
        pthread_join(thread, NULL);
    } else {
        pthread_detach(thread);
        report->abandoned = true;
        report->end = limits->interrupts != NULL && atomic_load(limits->interrupts) > 0
                          ? CHECK_INTERRUPTED
                          : CHECK_OUT_OF_TIME;
        return false;
    }
    *report = decisions->own_report;
    return true;
}

static bool is_decided(const struct decisions *decisions, size_t q)
{
    return atomic_load(&decisions->state[q]) == DECIDED;
}

/* Where there are more states than numbers, they are explored once more without: what is about
 * single states can be decided then, and nothing else. False: no memory to begin with. */
static bool explore(struct decisions *decisions, const struct check_model *model,
                    struct check_limits *limits)
{
    struct check_space *space = &decisions->space;
    bool single = false;
    for (size_t q = 0; q < decisions->count; q++)
        single |= !needs_edges(model, decisions->results[q].query.property);
    if (!check_explore(space, model, limits))
        return false;
    if (!single || !limits->keep_order || space->end != CHECK_TOO_MANY ||
        space->stored < check_most_numbers)
        return true;
    check_space_close(space);
    limits->keep_order = decisions->edges = false;
    return check_explore(space, model, limits);
}

/* Explores `model` and answers; report->end says how far it came. False: no memory to begin
 * with. */
static bool explore_and_decide(const struct check_model *model, const struct check_limits *limits,
                               const struct check_query *queries, size_t count,
                               struct check_result *results, struct check_report *report)
{
    const double start = check_clock();
    struct check_limits kept = *limits;
    struct decisions *decisions = calloc(1, sizeof *decisions);
    memset(report, 0, sizeof *report);
    memset(results, 0, count * sizeof *results);
    if (decisions == NULL)
        return false;
    decisions->limits = limits;
    decisions->report = report;
    decisions->count = count;
    atomic_store(&decisions->phase, "exploring");
    for (size_t q = 0; q < count; q++) {
        results[q].query = decisions->results[q].query = queries[q];
        decisions->edges |= needs_edges(model, queries[q].property);
        decisions->enabling |= needs_enabled(model, queries[q].property);
        decisions->moves |= queries[q].property == CHECK_NO_SLOT_LOST;
        decisions->values |= queries[q].property == CHECK_VALUES;
    }
    kept.keep_order = decisions->edges;
    if (!explore(decisions, model, &kept)) {
        free(decisions);
        return false;
    }
    const struct check_space *space = &decisions->space;
    report->end = space->end;
    report->states = space->states;
    report->transitions = space->transitions;
    report->stored = space->stored;
    report->depth = space->depth;
    report->frontier = space->stored - space->expanded;
    report->reduced = space->reduced;
    report->barred = space->barred;
    report->search_bytes = space->bytes;
    const bool whole = run_decisions(decisions, start);
    for (size_t q = 0; q < count; q++) {
        if (whole || is_decided(decisions, q))
            results[q] = decisions->results[q];
    }
    if (whole)
        free(decisions);
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
    few.stop_at = 0;
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
            done = report->abandoned || (!full && !broken);
            hopeless = broken || widest;
            if (!done)
                check_witness_free(&report->slip.witness);
        }
        if (*ran && report->abandoned)
            return true; /* the tables are in use */
        check_compact_close(compact);
    }
    free(compact);
    return done;
}

/* With states that are made of numbered parts; false: that does not work here, or there is no
 * memory. */
static bool run_collapsed(const struct check_model *model, const struct check_limits *limits,
                          const struct check_query *queries, size_t count,
                          struct check_result *results, struct check_report *report, bool *ran)
{
    struct check_collapse *collapse = malloc(sizeof *collapse);
    bool done = false;
    if (collapse != NULL && check_collapse_open(collapse, model, limits->budget)) {
        *ran = explore_and_decide(&collapse->model, limits, queries, count, results, report);
        if (*ran && report->abandoned)
            return true; /* the parts are in use */
        done = *ran && !atomic_load(&collapse->broken);
        if (!done)
            check_witness_free(&report->slip.witness);
        report->search_bytes += check_collapse_bytes(collapse);
        check_collapse_close(collapse);
    }
    free(collapse);
    return done;
}

static bool run(const struct check_model *model, const struct check_limits *limits,
                const struct check_query *queries, size_t count, struct check_result *results,
                struct check_report *report)
{
    bool ran = false;
    if (!limits->plain && check_can_compact(model) &&
        run_compact(model, limits, queries, count, results, report, &ran))
        return ran;
    if (!limits->plain && !check_can_compact(model) && check_can_collapse(model) &&
        run_collapsed(model, limits, queries, count, results, report, &ran))
        return ran;
    return explore_and_decide(model, limits, queries, count, results, report);
}

/* Overtaking is a question about named processes: where the graph was reduced by symmetry, it is
 * asked again of one that is not. */
static void run_by_name(const struct check_model *model, const struct check_limits *limits,
                        struct check_result *result, struct check_report *whole)
{
    struct check_limits plain = *limits;
    struct check_report report;
    const struct check_query query = result->query;
    plain.symmetry = false;
    check_result_undecided(result);
    if (run(model, &plain, &query, 1, result, &report) && report.fault != NULL) {
        whole->fault = report.fault;
        whole->fault_in = report.fault_in;
    }
}

/* ---- elsewhere ---- */

/* Which of the queries `limits->elsewhere` decides; it says of the others that it does not. */
static size_t split(const struct check_model *model, const struct check_limits *limits,
                    const struct check_query *queries, size_t count, struct check_query *there,
                    struct check_query *here)
{
    size_t theirs = 0, ours = 0;
    char text[1024] = "";
    for (size_t q = 0; q < count; q++) {
        if (limits->elsewhere->decides(model, queries[q].property)) {
            there[theirs++] = queries[q];
            continue;
        }
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", ours > 0 ? ", " : "",
                 check_property_name(queries[q].property));
        here[ours++] = queries[q];
    }
    if (ours > 0) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " %s decided on the CPU",
                 ours > 1 ? "are" : "is");
        limits->elsewhere->say(limits->elsewhere, text);
    }
    return theirs;
}

static void put_together(const struct check_query *queries, size_t count,
                         const struct check_result *part, size_t of, struct check_result *results)
{
    for (size_t q = 0; q < count; q++) {
        for (size_t p = 0; p < of; p++) {
            if (part[p].query.property == queries[q].property)
                results[q] = part[p];
        }
    }
}

/* Decides elsewhere first (on a GPU), and here what is left. Both explore the same states: if both
 * explored all of them and counted differently, one of them is wrong. */
static bool run_elsewhere(const struct check_model *model, const struct check_limits *limits,
                          const struct check_query *queries, size_t count,
                          struct check_result *results, struct check_report *report)
{
    struct check_query there[CHECK_PROPERTIES], here[CHECK_PROPERTIES];
    struct check_result found[CHECK_PROPERTIES];
    const size_t theirs = split(model, limits, queries, count, there, here);
    size_t ours = count - theirs;
    struct check_limits alone = *limits;
    alone.elsewhere = NULL;
    memset(report, 0, sizeof *report);
    memset(found, 0, sizeof found);
    if (theirs == 0 ||
        !limits->elsewhere->run(limits->elsewhere, model, limits, there, theirs, found, report))
        return run(model, &alone, queries, count, results, report);
    report->elsewhere = true;
    for (size_t q = 0; q < theirs && report->barred; q++)
        decide_up_to_limit(model, &found[q]);
    memset(results, 0, count * sizeof *results);
    for (size_t q = 0; q < count; q++)
        results[q].query = queries[q];
    put_together(queries, count, found, theirs, results);
    for (size_t q = 0; q < theirs && report->end == CHECK_COMPLETE; q++) {
        if (found[q].answer == CHECK_UNDECIDED && !found[q].cut)
            here[ours++] = there[q];
    }
    if (ours == 0 || report->end != CHECK_COMPLETE)
        return true;
    struct check_report second;
    struct check_result rest[CHECK_PROPERTIES];
    alone.stop_at = 0;
    if (!run(model, &alone, here, ours, rest, &second))
        return true;
    put_together(queries, count, rest, ours, results);
    if (second.end == CHECK_COMPLETE && second.fault == NULL &&
        (second.states != report->states || second.transitions != report->transitions)) {
        second.fault = "the GPU and the CPU do not count the same states and transitions";
        second.fault_in = there[0].property;
    }
    if (report->fault == NULL) {
        report->fault = second.fault;
        report->fault_in = second.fault_in;
    }
    for (unsigned c = 0; c < model->cells; c++)
        report->values[c] = report->values[c] != 0 ? report->values[c] : second.values[c];
    report->whole = report->whole != 0 ? report->whole : second.whole;
    report->end = second.end;
    report->barred = second.barred;
    report->coverage = second.coverage;
    report->abandoned = second.abandoned;
    report->slip = second.slip;
    return true;
}

bool check_run(const struct check_model *model, const struct check_limits *limits,
               const struct check_query *queries, size_t count, struct check_result *results,
               struct check_report *report)
{
    double start = check_clock();
    bool ran = true;
    struct check_slip apart = {0};
    const enum check_end alike =
        limits->symmetry ? check_alike(model, limits, &apart) : CHECK_COMPLETE;
    if (alike != CHECK_COMPLETE) {
        memset(report, 0, sizeof *report);
        memset(results, 0, count * sizeof *results);
        for (size_t q = 0; q < count; q++)
            results[q].query = queries[q];
        report->end = alike;
        report->frontier = 1; /* the initial state */
        report->unlike = alike == CHECK_OUT_OF_RANGE;
        report->slip = apart;
    } else if (limits->elsewhere != NULL) {
        ran = run_elsewhere(model, limits, queries, count, results, report);
    } else {
        ran = run(model, limits, queries, count, results, report);
    }
    for (size_t q = 0; ran && q < count; q++) {
        if (queries[q].property == CHECK_OVERTAKING && report->reduced &&
            report->end == CHECK_COMPLETE && !report->abandoned)
            run_by_name(model, limits, &results[q], report);
    }
    report->peak_bytes = atomic_load(&limits->budget->peak);
    if (report->elsewhere && report->search_bytes > report->peak_bytes)
        report->peak_bytes = report->search_bytes; /* there */
    report->seconds = check_clock() - start;
    return ran;
}
