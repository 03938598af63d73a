#include "refute/loops.h"

#include <stdint.h>
#include <stdlib.h>

bool loops_add(struct loops_graph *graph, struct loops_edge edge)
{
    if (graph->edges == graph->room) {
        const size_t room = graph->room == 0 ? 64 : 2 * graph->room;
        struct loops_edge *grown = reallocarray(graph->edge, room, sizeof *grown);
        if (grown == NULL)
            return false;
        graph->edge = grown;
        graph->room = room;
    }
    graph->edge[graph->edges++] = edge;
    return true;
}

void loops_free(struct loops_graph *graph)
{
    free(graph->edge);
    *graph = (struct loops_graph){.edges = 0};
}

struct stage {
    const struct loops_graph *graph;
    struct loops_trail *trail;
    uint32_t done;              /* X: vertices that have their trail */
    uint32_t used;              /* M: labels */
    unsigned x[LOOPS_VERTICES]; /* the vertices of phi1 and phi2 */
    size_t f1[LOOPS_VERTICES];  /* their edges: f1[i] and f2[i] lead to x[i] */
    size_t f2[LOOPS_VERTICES];
    unsigned k;                  /* the last of x */
    uint32_t on_phi, phi_labels; /* vert(phi1), labels(phi1) and labels(phi2) */
};

static uint32_t bit(unsigned number)
{
    return UINT32_C(1) << number;
}

/* Edges from the end of phi1 with a label that is not used yet. */
static bool is_open(const struct stage *stage, size_t e)
{
    const struct loops_edge *edge = &stage->graph->edge[e];
    return edge->from == stage->x[stage->k] &&
           ((stage->used | stage->phi_labels) & bit(edge->label)) == 0;
}

/* Two open edges with different labels that end in `ends`; at one vertex, if `together`. */
static bool find_two(const struct stage *stage, uint32_t ends, bool together, size_t *e1,
                     size_t *e2)
{
    const struct loops_graph *graph = stage->graph;
    for (*e1 = 0; *e1 < graph->edges; (*e1)++) {
        if (!is_open(stage, *e1) || (ends & bit(graph->edge[*e1].to)) == 0)
            continue;
        for (*e2 = *e1 + 1; *e2 < graph->edges; (*e2)++) {
            const struct loops_edge *a = &graph->edge[*e1], *b = &graph->edge[*e2];
            if (is_open(stage, *e2) && (ends & bit(b->to)) != 0 && a->label != b->label &&
                (!together || a->to == b->to))
                return true;
        }
    }
    return false;
}

static void append(struct loops_highway *way, size_t e)
{
    way->edge[way->length++] = e;
}

/* x[from] .. x[to] along f. */
static void append_phi(struct loops_highway *way, const size_t *f, unsigned from, unsigned to)
{
    for (unsigned i = from + 1; i <= to; i++)
        append(way, f[i]);
}

static unsigned index_on_phi(const struct stage *stage, unsigned vertex)
{
    unsigned i = 0;
    while (stage->x[i] != vertex)
        i++;
    return i;
}

static void finish(struct stage *stage, unsigned i, const struct loops_trail *trail)
{
    stage->trail[stage->x[i]] = *trail;
    stage->done |= bit(stage->x[i]);
    for (unsigned e = 0; e < trail->way.length; e++)
        stage->used |= bit(stage->graph->edge[trail->way.edge[e]].label);
    for (unsigned e = 0; e < trail->loop.length; e++)
        stage->used |= bit(stage->graph->edge[trail->loop.edge[e]].label);
}

/* (2) e1 and e2 lead back to phi, e1 to a later vertex: the ways of all vertices end with e1, the
 * loop with e2. */
static void close_loops(struct stage *stage, size_t e1, size_t e2)
{
    unsigned p = index_on_phi(stage, stage->graph->edge[e1].to);
    unsigned q = index_on_phi(stage, stage->graph->edge[e2].to);
    if (p > q) {
        const size_t e = e1;
        const unsigned i = p;
        e1 = e2, p = q;
        e2 = e, q = i;
    }
    for (unsigned i = 0; i <= stage->k; i++) {
        struct loops_trail trail = {.way = {.begin = stage->x[i]}, .loop = {.begin = stage->x[q]}};
        append_phi(&trail.loop, stage->f2, q, stage->k);
        append(&trail.loop, e2);
        append_phi(&trail.way, stage->f1, i, stage->k);
        append(&trail.way, e1);
        if (i > p)
            append_phi(&trail.way, stage->f1, p, i);
        finish(stage, i, &trail);
    }
}

/* (3) e leads to a vertex that has its trail, which is used again. */
static void join_trail(struct stage *stage, size_t e)
{
    const struct loops_trail joined = stage->trail[stage->graph->edge[e].to];
    for (unsigned i = 0; i <= stage->k; i++) {
        struct loops_trail trail = {.way = {.begin = stage->x[i]}, .loop = joined.loop};
        append_phi(&trail.way, stage->f1, i, stage->k);
        append(&trail.way, e);
        for (unsigned j = 0; j < joined.way.length; j++)
            append(&trail.way, joined.way.edge[j]);
        finish(stage, i, &trail);
    }
}

/* One stage of the construction, from vertex x. */
static bool construct(struct stage *stage, unsigned x)
{
    const uint32_t all =
        stage->graph->vertices == 32 ? UINT32_MAX : bit(stage->graph->vertices) - 1;
    size_t e1, e2;
    stage->k = 0;
    stage->x[0] = x;
    stage->on_phi = bit(x);
    stage->phi_labels = 0;
    /* (1) extend both paths to common new vertices */
    while (find_two(stage, all & ~stage->done & ~stage->on_phi, true, &e1, &e2)) {
        stage->k++;
        stage->x[stage->k] = stage->graph->edge[e1].to;
        stage->f1[stage->k] = e1;
        stage->f2[stage->k] = e2;
        stage->on_phi |= bit(stage->graph->edge[e1].to);
        stage->phi_labels |= bit(stage->graph->edge[e1].label) | bit(stage->graph->edge[e2].label);
    }
    if (find_two(stage, stage->on_phi, false, &e1, &e2)) {
        close_loops(stage, e1, e2);
        return true;
    }
    for (size_t e = 0; e < stage->graph->edges; e++) {
        if (is_open(stage, e) && (stage->done & bit(stage->graph->edge[e].to)) != 0) {
            join_trail(stage, e);
            return true;
        }
    }
    return false;
}

bool loops_find(const struct loops_graph *graph, struct loops_trail *trail, unsigned *stuck)
{
    struct stage stage = {.graph = graph, .trail = trail};
    for (unsigned x = 0; x < graph->vertices; x++) {
        *stuck = x;
        if ((stage.done & bit(x)) == 0 && !construct(&stage, x))
            return false;
    }
    return true;
}
