/*
 * Burns et al., Theorem 4.12. The vertices are the values that V has while P0 is critical; an edge
 * with label i leads from v to w if process i, coming from its remainder, finds v and can then
 * bring about w for ever. With few values there are loop trails (Lemma 4.11): while P0 is critical,
 * some processes take V along the way of a trail, and others are taken in along its loop,
 * unnoticed. Then P0 and the former leave and come again and again; each time that the way passes
 * the values of the loop, the latter get their steps, and are locked out.
 */
#include "refute/adversary.h"
#include "refute/loops.h"

#include <stdlib.h>

struct trails {
    struct adversary *adversary;
    uint64_t value[LOOPS_VERTICES]; /* of the vertices: A */
    unsigned values, enough;        /* more than `enough` of them, and the proof does not begin */
    struct loops_graph graph;
    struct loops_trail trail[LOOPS_VERTICES];
    crew loop_team; /* those of the loop, once they have been taken in */
};

/* ---- the graph ---- */

static unsigned vertex_of(const struct trails *trails, uint64_t value)
{
    unsigned v = 0;
    while (v < trails->values && trails->value[v] != value)
        v++;
    return v;
}

/* Collects the values while P0 is critical; likes the state where they are too many. */
static bool collect(const struct adversary *adversary, const uint64_t *state, const void *context)
{
    struct trails *trails = *(struct trails *const *)context;
    const uint64_t value = value_of(adversary, state);
    if (check_region_of(adversary->model, state, 0) != CHECK_CRITICAL ||
        vertex_of(trails, value) < trails->values)
        return false;
    if (trails->values == trails->enough)
        return true;
    trails->value[trails->values++] = value;
    return false;
}

/* The edges of process i from vertex v: what it does alone, having found the value. A process that
 * cannot make its steps was not meant to find it there. */
static bool add_edges(struct trails *trails, unsigned v, unsigned i)
{
    struct adversary *adversary = trails->adversary;
    const struct check_model *model = adversary->model;
    uint64_t state[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS];
    struct states orbit;
    bool steps = true, fresh = true, memory = true, normal = false;
    uint32_t back = 0;
    model->initial(model, state);
    value_put(adversary, state, trails->value[v]);
    states_open(&orbit, model->words, adversary->most);
    while (steps && memory && fresh) {
        struct check_note note;
        back = states_add(&orbit, state, &fresh);
        memory = back != STATES_NONE;
        steps = !fresh || model->describe(model, state, i, next, &note);
        for (unsigned w = 0; fresh && steps && w < model->words; w++)
            state[w] = next[w];
    }
    uint32_t seen = 0; /* vertices that have their edge */
    for (uint32_t s = back; steps && memory && s < orbit.count; s++) {
        const unsigned to = vertex_of(trails, value_of(adversary, states_key(&orbit, s)));
        if (s == 0 || to == trails->values || seen >> to & 1)
            continue;
        seen |= UINT32_C(1) << to;
        normal = true;
        memory = loops_add(
            &trails->graph,
            (struct loops_edge){
                .from = v, .to = to, .label = i, .steps = s, .period = orbit.count - back});
    }
    if (memory && !normal)
        memory = loops_add(&trails->graph,
                           (struct loops_edge){.from = v, .to = v, .label = i, .dummy = true});
    states_close(&orbit);
    return memory || fall_short(adversary, REFUTE_NO_MEMORY);
}

/* ---- along a trail ---- */

/* Process `label` comes along the edge, from its remainder. */
static bool along(struct trails *trails, struct run *run, const struct loops_edge *edge)
{
    struct adversary *adversary = trails->adversary;
    if (edge->dummy) { /* then it enters beside P0 */
        size_t period;
        return drive_recur(adversary, run, edge->label, &period) &&
               stop(adversary, "P%u has no value to bring about, and does not enter", edge->label);
    }
    for (size_t s = 0; s < edge->steps; s++) {
        if (!run_step(adversary, run, edge->label))
            return false;
    }
    return run_value(adversary, run) == trails->value[edge->to] ||
           stop(adversary, "P%u does something else each time", edge->label);
}

/* What is done for the loop while the way is at `vertex`. */
enum insertion { NOTHING, TAKE_IN, KEEP_UP };

struct insertions {
    enum insertion kind;
    uint32_t done; /* edges of the loop */
};

static bool insert(struct trails *trails, struct run *run, const struct loops_highway *loop,
                   unsigned vertex, struct insertions *insertions)
{
    const struct loops_edge *edge = trails->graph.edge;
    if (insertions->kind == TAKE_IN && vertex == loop->begin && insertions->done == 0) {
        insertions->done = 1;
        for (unsigned e = 0; e < loop->length; e++) {
            if (!along(trails, run, &edge[loop->edge[e]]))
                return false;
        }
    }
    for (unsigned e = 0; insertions->kind == KEEP_UP && e < loop->length; e++) {
        const struct loops_edge *of = &edge[loop->edge[e]];
        if (of->to != vertex || insertions->done >> e & 1)
            continue;
        insertions->done |= UINT32_C(1) << e;
        for (size_t s = 0; s < of->period; s++) {
            if (!run_step(trails->adversary, run, of->label))
                return false;
        }
    }
    return true;
}

/* Nobody may come back to another remainder state than its first. */
static bool no_memory(struct adversary *adversary, const struct run *run)
{
    const struct check_model *model = adversary->model;
    uint64_t state[CHECK_MAX_WORDS];
    model->initial(model, state);
    for (unsigned p = 0; p < model->n; p++) {
        uint64_t first[CHECK_MAX_WORDS] = {0}, now[CHECK_MAX_WORDS] = {0};
        model->local_state(model, state, p, first);
        model->local_state(model, run->state, p, now);
        if (run_region(adversary, run, p) == CHECK_REMAINDER &&
            !check_same_state(first, now, model->block_words))
            return conclude(adversary, run, CHECK_NO_MEMORY, run->length,
                            "P%u comes back to another remainder state", p);
    }
    return true;
}

/* One round: P0 enters, others come along the way of its value's trail, and all of them leave.
 * *vertex is where P0 found itself critical. */
static bool go_round(struct trails *trails, struct run *run, enum insertion kind, unsigned chosen,
                     unsigned *vertex)
{
    struct adversary *adversary = trails->adversary;
    if (!drive_enter(adversary, run, 0))
        return false;
    *vertex = vertex_of(trails, run_value(adversary, run));
    const struct loops_trail *trail = &trails->trail[*vertex];
    struct insertions insertions = {.kind = *vertex == chosen ? kind : NOTHING};
    if (!insert(trails, run, &trail->loop, *vertex, &insertions))
        return false;
    for (unsigned e = 0; e < trail->way.length; e++) {
        const struct loops_edge *edge = &trails->graph.edge[trail->way.edge[e]];
        if (!along(trails, run, edge) || !insert(trails, run, &trail->loop, edge->to, &insertions))
            return false;
    }
    const crew others = team_range(0, adversary->model->n) & ~trails->loop_team;
    return drive_exit(adversary, run, others) && no_memory(adversary, run);
}

/* Rounds until all are where they were once before: rounds *first .. *second - 1 are a cycle, and
 * begin at vertex *chosen. */
static bool plain_rounds(struct trails *trails, uint32_t *first, uint32_t *second, unsigned *chosen)
{
    struct adversary *adversary = trails->adversary;
    struct run run;
    struct states seen;
    unsigned vertex, at[LOOPS_VERTICES + 1] = {0};
    bool goes_on = true, fresh = true;
    run_begin(adversary, &run);
    /* Without memory there are no more different ones than values. */
    states_open(&seen, adversary->model->words, adversary->most);
    while (goes_on && fresh) {
        *first = states_add(&seen, run.state, &fresh);
        *second = (uint32_t)seen.count;
        if (*first == STATES_NONE)
            goes_on = fall_short(adversary, REFUTE_NO_MEMORY);
        else if (fresh) {
            goes_on = go_round(trails, &run, NOTHING, 0, &vertex);
            if (goes_on && *first <= LOOPS_VERTICES)
                at[*first] = vertex;
        }
    }
    if (goes_on && *first > LOOPS_VERTICES)
        goes_on = stop(adversary, "the rounds take too long to repeat");
    *chosen = goes_on ? at[*first] : 0;
    states_close(&seen);
    run_free(&run);
    return goes_on;
}

static bool lock_out(struct trails *trails)
{
    struct adversary *adversary = trails->adversary;
    uint32_t first = 0, second = 0;
    unsigned chosen, vertex;
    if (!plain_rounds(trails, &first, &second, &chosen))
        return false;
    const struct loops_highway *loop = &trails->trail[chosen].loop;
    const struct loops_edge *edge = trails->graph.edge;
    struct run run;
    run_begin(adversary, &run);
    bool goes_on = true;
    size_t stem = 0;
    for (uint32_t r = 0; goes_on && r < second + (second - first); r++) {
        if (r == first) {
            for (unsigned e = 0; e < loop->length; e++)
                trails->loop_team |= team_of(edge[loop->edge[e]].label);
        }
        if (r == second)
            stem = run.length;
        const enum insertion kind = r < first ? NOTHING : r == first ? TAKE_IN : KEEP_UP;
        goes_on = go_round(trails, &run, kind, chosen, &vertex);
    }
    if (goes_on) {
        char text[64];
        say(adversary, "the loop of %u at %s, and a way of %u past it", loop->length,
            value_text(adversary, trails->value[loop->begin], text, sizeof text),
            trails->trail[chosen].way.length);
        goes_on = conclude_lockout(adversary, &run, stem, edge[loop->edge[0]].label);
    }
    run_free(&run);
    return goes_on;
}

void adversary_4_12(struct adversary *adversary)
{
    const unsigned n = adversary->model->n;
    struct trails trails = {.adversary = adversary, .enough = (n - 1) / 2};
    struct trails *collecting = &trails;
    struct reach reach = {.room = 0};
    struct run run;
    uint32_t at = STATES_NONE;
    run_begin(adversary, &run);
    bool goes_on =
        reach_search(adversary, &reach, &run, team_range(0, n), collect, &collecting, &at);
    reach_close(&reach);
    if (goes_on && at != STATES_NONE)
        goes_on = stop(adversary, "V has more than (N - 1)/2 = %u values while P0 is critical",
                       trails.enough);
    /* That P0 alone becomes critical is Lemma 4.2; where it never does, there is a deadlock. */
    if (goes_on && trails.values == 0)
        goes_on = drive_enter(adversary, &run, 0) && stop(adversary, "P0 is never critical");
    for (unsigned v = 0; goes_on && v < trails.values; v++) {
        for (unsigned i = 1; goes_on && i < n; i++)
            goes_on = add_edges(&trails, v, i);
    }
    trails.graph.vertices = trails.values;
    trails.graph.labels = n;
    unsigned stuck;
    if (goes_on && !loops_find(&trails.graph, trails.trail, &stuck)) {
        char text[64];
        goes_on = stop(adversary, "Lemma 4.11: no stage from %s",
                       value_text(adversary, trails.value[stuck], text, sizeof text));
    }
    if (goes_on)
        lock_out(&trails);
    loops_free(&trails.graph);
    run_free(&run);
}
