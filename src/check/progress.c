/* Deadlock and lockout (starvation): is there a fair schedule along which nothing happens, or
 * nothing happens to one process? */
#include "check/decide.h"
#include "check/fair.h"
#include "check/hunt.h"
#include "check/parallel.h"

#include <stdio.h>

static bool stays_for_ever(const void *context, const struct check_component *component)
{
    (void)context;
    return check_component_fair(component, (struct check_admissible){0});
}

static bool all_rest(const struct check_graph *graph, uint32_t id)
{
    for (unsigned p = 0; p < check_workers(graph->model); p++) {
        enum check_region region = check_graph_region(graph, id, p);
        if (region != CHECK_REMAINDER && region != CHECK_DEAD)
            return false;
    }
    return true;
}

static bool all_stay_for_ever(const void *context, const struct check_component *component)
{
    return stays_for_ever(context, component) &&
           !all_rest(component->view->graph, component->member[0]);
}

/* Fills in the answer and, for a failing property, what is said about it. */
static void conclude(enum check_hunted hunted, struct check_result *result, const char *about,
                     unsigned process)
{
    if (hunted == CHECK_HUNT_NO_MEMORY)
        return;
    result->answer = hunted == CHECK_FOUND ? CHECK_FAILS : CHECK_HOLDS;
    if (hunted == CHECK_FOUND)
        snprintf(result->about, sizeof result->about, about, process);
}

static bool nobody_is_critical(const void *context, uint32_t id)
{
    const struct check_graph *graph = context;
    for (unsigned p = 0; p < graph->model->n; p++) {
        if (check_graph_region(graph, id, p) == CHECK_CRITICAL)
            return false;
    }
    return true;
}

/*
 * C2: from every state in which somebody is outside its remainder, under every admissible schedule,
 * somebody changes its region. Violated by a fair component over steps, without faults, that keep
 * the regions. A process that is critical cannot be in one: a step from the critical region leads
 * out of it.
 */
void check_decide_deadlock(const struct check_graph *graph, struct check_result *result)
{
    struct check_view view = {
        .graph = graph, .edges = check_step_edges(graph->model), .keeps_regions = true};
    if (!check_view_open(&view, nobody_is_critical, graph))
        return;
    const struct check_hunt hunt = {.bad = all_stay_for_ever,
                                    .cycle = {.fair = true, .j = CHECK_NONE}};
    conclude(check_hunt_in(&view, hunt, &result->witness), result,
             "the processes outside their remainder move for ever and none changes its region", 0);
    check_bits_close(&view.inside);
}

struct each {
    const struct check_graph *graph;
    bool (*bad)(const void *, const struct check_component *);
    enum check_hunted hunted[CHECK_MAX_PROCESSES];
    struct check_witness witness[CHECK_MAX_PROCESSES];
};

struct one {
    const struct check_graph *graph;
    unsigned i;
};

static bool waits(const void *context, uint32_t id)
{
    const struct one *one = context;
    return check_waits(one->graph, NULL, id, one->i);
}

static void hunt_for_one(void *context, uint64_t process)
{
    struct each *each = context;
    const struct one one = {each->graph, (unsigned)process};
    struct check_view view = {.graph = each->graph, .edges = ~UINT64_C(0)};
    each->hunted[one.i] = CHECK_HUNT_NO_MEMORY;
    if (!check_view_open(&view, waits, &one))
        return;
    const struct check_hunt hunt = {
        .bad = each->bad, .context = &one.i, .cycle = {.fair = true, .j = CHECK_NONE}};
    each->hunted[one.i] = check_hunt_in(&view, hunt, &each->witness[one.i]);
    check_bits_close(&view.inside);
}

/* Looks for a component of states in which some process waits, and that is `bad` for it; the first
 * process for which there is one is named. Processes are looked at side by side, so there has to be
 * memory for all of them. */
static void decide_for_each(const struct check_graph *graph,
                            bool (*bad)(const void *, const struct check_component *),
                            const char *about, struct check_result *result)
{
    struct each each = {.graph = graph, .bad = bad};
    const unsigned processes = check_first_only(graph, 1);
    check_share(check_threads_for(graph), processes, hunt_for_one, &each);
    result->answer = CHECK_HOLDS;
    for (unsigned i = 0; i < processes && result->answer == CHECK_HOLDS; i++) {
        result->answer = CHECK_UNDECIDED;
        conclude(each.hunted[i], result, about, i);
        if (each.hunted[i] == CHECK_FOUND) {
            result->witness = each.witness[i];
            each.witness[i] = (struct check_witness){0};
        }
    }
    for (unsigned i = 0; i < processes; i++)
        check_witness_free(&each.witness[i]);
}

/*
 * C3: no process stays for ever in its trying or exit region under an admissible schedule. The
 * others may die and revive for ever where the fault is death; the process itself does not die (its
 * death would lead out of the part of the graph that is looked at).
 */
void check_decide_lockout(const struct check_graph *graph, struct check_result *result)
{
    decide_for_each(graph, stays_for_ever, "process %u moves for ever and never leaves its region",
                    result);
}

/* Afek, Dolev, Gafni, Merritt, Shavit 1994, Definition 2.2: if fewer than l processes are faulty,
 * that is stop outside of their remainder, even in the critical region, then every process that
 * moves for ever returns to its remainder. */
static bool moves_and_stays(const void *context, const struct check_component *component)
{
    const struct check_graph *graph = component->view->graph;
    const unsigned i = *(const unsigned *)context;
    return check_process_moves(component, check_moving_places(component),
                               check_component_key(component), i) &&
           check_component_fair(component,
                                (struct check_admissible){.failing = graph->model->l - 1});
}

void check_decide_l_lockout(const struct check_graph *graph, struct check_result *result)
{
    decide_for_each(
        graph, moves_and_stays,
        "process %u moves for ever and never leaves its region, fewer than l being faulty", result);
}
