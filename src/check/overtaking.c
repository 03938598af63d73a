/*
 * Overtaking (Afek, Dolev, Gafni, Merritt, Shavit 1994, Definition 2.6): i is overtaken by j if it
 * is past its doorway and not enabled, j has been in its remainder since, and j is critical. The
 * number is how often that happens to i on one way through its waiting room, all others taken
 * together.
 *
 * By dynamic programming over the components of the states in which i is held up, with the set of
 * processes that have been in their remainder since and have not been counted after it. A process
 * that enters and rests in one component does so for ever. The processes must keep their places, so
 * this cannot be decided on a graph that is reduced by symmetry.
 */
#include "check/decide.h"
#include "check/hunt.h"
#include "check/scc.h"

#include <stdio.h>

struct pass {
    struct check_view view; /* i waits past its doorway and is not enabled */
    const struct check_enabled *enabled;
    unsigned i, j;
    uint16_t *most; /* from here on, for each component and set */
    uint64_t bound;
    unsigned unbounded; /* processes that overtake i for ever */
};

static enum check_region region_of(const struct pass *pass, uint32_t id, unsigned p)
{
    const struct check_graph *graph = pass->view.graph;
    return check_graph_region(graph, id, p);
}

/* The process that enters its critical region along the edge, as a set. */
static unsigned entering(const struct pass *pass, uint32_t from, unsigned edge, uint32_t to)
{
    const unsigned j = edge % pass->view.graph->model->n;
    return (unsigned)(j != pass->i && region_of(pass, from, j) != CHECK_CRITICAL &&
                      region_of(pass, to, j) == CHECK_CRITICAL)
           << j;
}

static unsigned resting(const struct pass *pass, uint32_t id)
{
    unsigned set = 0;
    for (unsigned j = 0; j < check_workers(pass->view.graph->model); j++)
        set |= (unsigned)(j != pass->i && region_of(pass, id, j) == CHECK_REMAINDER) << j;
    return set;
}

struct shown {
    unsigned rest, enter; /* processes that do, inside the component */
};

static struct shown shown_by(const struct pass *pass, const struct check_component *component)
{
    const struct check_graph *graph = pass->view.graph;
    struct shown shown = {0, 0};
    for (uint32_t m = 0; m < component->count; m++) {
        const uint32_t from = component->member[m];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, from, buffer);
        shown.rest |= resting(pass, from);
        for (unsigned e = 0; e < graph->edges; e++) {
            if (check_inner(component, row[e]))
                shown.enter |= entering(pass, from, e, row[e]);
        }
    }
    return shown;
}

static bool overtakes_for_ever(const void *context, const struct check_component *component)
{
    const struct pass *pass = context;
    const struct shown shown = shown_by(pass, component);
    return (shown.rest & shown.enter) >> pass->j & 1;
}

static uint16_t *most_of(const struct pass *pass, uint32_t number)
{
    return pass->most + ((size_t)check_component_index(number) << pass->view.graph->model->n);
}

static bool deliver(void *context, const struct check_component *component)
{
    struct pass *pass = context;
    const struct check_graph *graph = pass->view.graph;
    const unsigned sets = 1U << graph->model->n;
    const struct shown shown = shown_by(pass, component);
    uint16_t *most = most_of(pass, component->number);
    pass->unbounded |= shown.rest & shown.enter;
    if (pass->unbounded != 0)
        return true;                          /* all that do have to be known */
    for (unsigned set = 0; set < sets; set++) /* every process that can be counted inside is */
        most[set] = (uint16_t)__builtin_popcount(set & shown.enter);
    for (uint32_t m = 0; m < component->count; m++) {
        const uint32_t from = component->member[m];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(graph, from, buffer);
        for (unsigned e = 0; e < graph->edges; e++) {
            const uint32_t to = row[e];
            if (to == CHECK_NONE || check_inner(component, to) ||
                !check_bits_has(&pass->view.inside, to))
                continue;
            const unsigned enters = entering(pass, from, e, to);
            const uint16_t *after = most_of(pass, component->number_of[to]);
            for (unsigned set = 0; set < sets; set++) {
                const unsigned inside = (unsigned)__builtin_popcount(set & shown.enter);
                const unsigned then = (set & ~shown.enter) | shown.rest;
                const unsigned total = inside + ((then & enters) != 0) + after[then & ~enters];
                most[set] = (uint16_t)(total > most[set] ? total : most[set]);
            }
        }
    }
    if (most[0] > pass->bound)
        pass->bound = most[0];
    return true;
}

static bool is_held_up(const void *context, uint32_t id)
{
    const struct pass *pass = context;
    return region_of(pass, id, pass->i) == CHECK_WAITING &&
           !check_is_enabled(pass->view.graph, pass->enabled->critical, id, pass->i);
}

/* False: no memory. The view stays open. */
static bool run_pass(struct pass *pass)
{
    const struct check_graph *graph = pass->view.graph;
    struct check_condensed condensed;
    if (!check_view_open(&pass->view, is_held_up, pass) || !check_condense(&condensed, &pass->view))
        return false;
    const size_t bytes = ((size_t)condensed.states << graph->model->n) * sizeof *pass->most;
    pass->most = check_map(graph->budget, bytes);
    if (pass->most != NULL)
        check_deliver(&condensed, deliver, pass);
    const bool memory = pass->most != NULL;
    check_unmap(graph->budget, pass->most, bytes);
    check_condensed_close(&condensed);
    return memory;
}

/* ---- witnesses ---- */

struct watch {
    const struct pass *pass;
    uint64_t allowed;
};

/* The observer's state: 0 while i is not held up; else 1 and, in bits, the count and the set. */
static uint32_t next_watch(const void *context, uint32_t now, uint32_t from, unsigned edge,
                           uint32_t to)
{
    const struct watch *watch = context;
    const struct pass *pass = watch->pass;
    const unsigned n = pass->view.graph->model->n;
    unsigned set = now == 0 ? 0 : (now - 1) & ((1U << n) - 1);
    uint32_t count = now == 0 ? 0 : (now - 1) >> n;
    if (!check_bits_has(&pass->view.inside, to))
        return 0;
    const unsigned counted = entering(pass, from, edge, to) & set;
    count += counted != 0;
    if (count > watch->allowed)
        return CHECK_ACCEPT;
    set = (set & ~counted) | resting(pass, to);
    return 1 + (count << n | set);
}

static void find_witness(struct pass *pass, struct check_result *result)
{
    const unsigned n = pass->view.graph->model->n;
    if (pass->unbounded != 0) {
        pass->j = (unsigned)__builtin_ctz(pass->unbounded);
        const struct check_hunt hunt = {
            .bad = overtakes_for_ever, .context = pass, .cycle = {.j = pass->j}};
        check_hunt_in(&pass->view, hunt, &result->witness);
        snprintf(result->about, sizeof result->about,
                 "while process %u waits, process %u overtakes it without bound", pass->i, pass->j);
        return;
    }
    struct watch watch = {pass, result->query.bound};
    struct check_observer observer = {
        .states = 1 + ((uint32_t)(watch.allowed + 1) << n), .next = next_watch, .context = &watch};
    check_witness_search(pass->view.graph, &observer, &result->witness);
    snprintf(result->about, sizeof result->about,
             "process %u is overtaken %llu times on one way through its waiting room (allowed: "
             "%llu)",
             pass->i, (unsigned long long)pass->bound, (unsigned long long)watch.allowed);
}

struct asked {
    const struct check_graph *graph;
    const struct check_enabled *enabled;
};

static struct pass pass_of(const struct asked *asked, unsigned i)
{
    return (struct pass){
        .view = {.graph = asked->graph, .edges = ~UINT64_C(0)}, .enabled = asked->enabled, .i = i};
}

static void count_of(const void *context, unsigned i, struct check_most *most)
{
    struct pass pass = pass_of(context, i);
    most->memory = run_pass(&pass);
    most->unbounded = pass.unbounded != 0;
    most->bound = pass.bound;
    check_bits_close(&pass.view.inside);
}

void check_decide_overtaking(const struct check_graph *graph, const struct check_enabled *enabled,
                             struct check_result *result)
{
    const struct asked asked = {graph, enabled};
    if (graph->reduced)
        return;
    const struct check_most most = check_most(graph, check_workers(graph->model), count_of, &asked);
    if (!check_most_concludes(&most, result))
        return;
    struct pass pass = pass_of(&asked, most.i);
    if (run_pass(&pass)) /* as before, for the witness */
        find_witness(&pass, result);
    check_bits_close(&pass.view.inside);
}
