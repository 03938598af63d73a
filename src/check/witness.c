#include "check/witness.h"

#include "check/decide.h"
#include "check/fair.h"
#include "check/symmetry.h"

#include <stdlib.h>
#include <string.h>

void check_witness_free(struct check_witness *witness)
{
    free(witness->edge);
    *witness = (struct check_witness){0};
}

void check_witness_empty(struct check_witness *witness)
{
    *witness = (struct check_witness){.edge = malloc(1)};
}

void check_run_free(struct check_run_list *run)
{
    free(run->edge);
    *run = (struct check_run_list){0};
}

static bool append(struct check_run_list *run, uint8_t edge)
{
    if (run->length == run->room) {
        size_t room = run->room == 0 ? 64 : run->room * 2;
        uint8_t *larger = realloc(run->edge, room);
        if (larger == NULL)
            return false;
        run->edge = larger;
        run->room = room;
    }
    run->edge[run->length++] = edge;
    return true;
}

/* ---- breadth-first search with an observer ---- */

/*
 * A batch of visits at a time. Threads look for the successors of its pieces that were not seen
 * before the batch, and put them into lists, one for each piece. The lists are then merged one
 * after the other, and what is still new is queued: so the queue is the same for any number of
 * threads, and the run that is found is the first of the shortest in the order of the edges.
 */
enum { PIECE = 256, PIECES = 16, NARROW = 64 };

struct visit {
    uint32_t id, observed, parent;
    uint8_t edge;
};

struct queue {
    struct check_budget *budget;
    struct visit *visit;
    size_t count, room;
};

static bool enqueue(struct queue *queue, struct visit visit)
{
    if (queue->count == queue->room) {
        size_t room = queue->room == 0 ? 1024 : queue->room * 2;
        void *larger = check_remap(queue->budget, queue->visit, queue->room * sizeof(struct visit),
                                   room * sizeof(struct visit));
        if (larger == NULL)
            return false;
        queue->visit = larger;
        queue->room = room;
    }
    queue->visit[queue->count++] = visit;
    return true;
}

/* What has been seen: a bit for each state and each state of the observer or, where it has many, a
 * set. */
struct seen {
    uint32_t states; /* of the observer */
    bool narrow;
    struct check_bits bits;
    struct check_set set;
};

static bool open_seen(struct seen *seen, const struct check_graph *graph, uint32_t states)
{
    *seen = (struct seen){.states = states, .narrow = states <= NARROW};
    return seen->narrow ? check_bits_open(&seen->bits, graph->budget, graph->count * states)
                        : check_set_open(&seen->set, graph->budget, 1, 4096);
}

static void close_seen(struct seen *seen)
{
    if (seen->narrow)
        check_bits_close(&seen->bits);
    else
        check_set_close(&seen->set);
}

enum sight { SEEN_BEFORE, SEEN_FIRST, SEEN_NO_MEMORY };

/* Adds (id, observed) to what has been seen, `count` of them. */
static enum sight see(struct seen *seen, size_t count, uint32_t id, uint32_t observed)
{
    const uint64_t at = (uint64_t)id * seen->states + observed;
    if (seen->narrow) {
        const bool before = check_bits_has(&seen->bits, at);
        check_bits_add(&seen->bits, at);
        return before ? SEEN_BEFORE : SEEN_FIRST;
    }
    if (count * 2 >= seen->set.capacity && !check_set_grow(&seen->set, seen->set.capacity * 2))
        return SEEN_NO_MEMORY;
    const uint64_t state = at | CHECK_PRESENT;
    const uint64_t home = check_set_home(check_set_hash(&state, 1), seen->set.capacity);
    return check_set_add(&seen->set, &state, home) ? SEEN_FIRST : SEEN_BEFORE;
}

static bool append_path(const struct queue *queue, uint32_t last, uint8_t edge,
                        struct check_run_list *run)
{
    size_t first = run->length;
    bool memory = append(run, edge);
    for (uint32_t v = last; memory && queue->visit[v].parent != CHECK_NONE;
         v = queue->visit[v].parent)
        memory = append(run, queue->visit[v].edge);
    for (size_t a = first, b = run->length; memory && a + 1 < b; a++, b--) {
        uint8_t moved = run->edge[a];
        run->edge[a] = run->edge[b - 1];
        run->edge[b - 1] = moved;
    }
    return memory;
}

struct list {
    struct visit *visit; /* room for all successors of a piece */
    uint32_t count;
    bool accepted; /* the last one ends the run that was sought */
};

struct search {
    const struct check_graph *graph;
    const struct check_observer *observer;
    uint64_t edges;
    struct queue queue;
    struct seen seen;
    uint32_t first, last; /* visits of the batch */
    struct list list[PIECES];
};

/* The successors of the visits of one piece that may be new. */
static void look_ahead(void *context, uint64_t piece)
{
    struct search *search = context;
    const struct check_observer *observer = search->observer;
    const uint32_t first = search->first + (uint32_t)piece * PIECE;
    const uint32_t last = search->last - first < PIECE ? search->last : first + PIECE;
    struct list *list = &search->list[piece];
    list->count = 0;
    list->accepted = false;
    for (uint32_t v = first; v < last && !list->accepted; v++) {
        const struct visit at = search->queue.visit[v];
        uint32_t buffer[CHECK_MAX_EDGES];
        const uint32_t *row = check_graph_row(search->graph, at.id, buffer);
        for (unsigned e = 0; e < search->graph->edges && !list->accepted; e++) {
            if (row[e] == CHECK_NONE || (search->edges >> e & 1) == 0)
                continue;
            const uint32_t next = observer->next(observer->context, at.observed, at.id, e, row[e]);
            if (next == CHECK_REJECT ||
                (search->seen.narrow && next != CHECK_ACCEPT &&
                 check_bits_has(&search->seen.bits, (uint64_t)row[e] * observer->states + next)))
                continue;
            list->visit[list->count++] = (struct visit){row[e], next, v, (uint8_t)e};
            list->accepted = next == CHECK_ACCEPT;
        }
    }
}

/* Queues what is new in a list, until it has the end of the run. */
static enum check_searched queue_list(struct search *search, const struct list *list,
                                      struct check_run_list *run, struct check_step *last)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct visit visit = list->visit[i];
        if (visit.observed == CHECK_ACCEPT) {
            *last = (struct check_step){search->queue.visit[visit.parent].id, visit.id};
            return append_path(&search->queue, visit.parent, visit.edge, run)
                       ? CHECK_RUN_FOUND
                       : CHECK_SEARCH_NO_MEMORY;
        }
        const enum sight sight = see(&search->seen, search->queue.count, visit.id, visit.observed);
        if (sight == SEEN_NO_MEMORY || (sight == SEEN_FIRST && !enqueue(&search->queue, visit)))
            return CHECK_SEARCH_NO_MEMORY;
    }
    return CHECK_NO_SUCH_RUN;
}

static enum check_searched search_batch(struct search *search, struct check_run_list *run,
                                        struct check_step *last)
{
    const size_t left = search->queue.count - search->first;
    if (search->queue.count >= CHECK_NONE - PIECE * PIECES * CHECK_MAX_EDGES)
        return CHECK_SEARCH_NO_MEMORY; /* visits have 32-bit numbers */
    search->last = search->first + (uint32_t)(left < PIECE * PIECES ? left : PIECE * PIECES);
    const unsigned pieces = (search->last - search->first + PIECE - 1) / PIECE;
    check_share(check_threads_for(search->graph), pieces, look_ahead, search);
    enum check_searched searched = CHECK_NO_SUCH_RUN;
    for (unsigned p = 0; p < pieces && searched == CHECK_NO_SUCH_RUN; p++)
        searched = queue_list(search, &search->list[p], run, last);
    search->first = search->last;
    return searched;
}

static enum check_searched search_run(const struct check_graph *graph, uint32_t from,
                                      uint64_t edges, const struct check_observer *observer,
                                      struct check_run_list *run, struct check_step *last)
{
    struct search search = {
        .graph = graph, .observer = observer, .edges = edges, .queue = {.budget = graph->budget}};
    const size_t each = (size_t)PIECE * graph->edges, bytes = PIECES * each * sizeof(struct visit);
    struct visit *lists = check_map(graph->budget, bytes);
    enum check_searched searched = CHECK_NO_SUCH_RUN;
    if (lists == NULL || !open_seen(&search.seen, graph, observer->states) ||
        !enqueue(&search.queue, (struct visit){from, observer->start, CHECK_NONE, 0}))
        searched = CHECK_SEARCH_NO_MEMORY;
    for (unsigned p = 0; p < PIECES; p++)
        search.list[p].visit = lists + p * each;
    if (searched == CHECK_NO_SUCH_RUN)
        see(&search.seen, 0, from, observer->start);
    while (searched == CHECK_NO_SUCH_RUN && search.first < search.queue.count)
        searched = search_batch(&search, run, last);
    check_unmap(graph->budget, search.queue.visit, search.queue.room * sizeof(struct visit));
    check_unmap(graph->budget, lists, bytes);
    if (search.seen.states > 0)
        close_seen(&search.seen);
    return searched;
}

enum check_searched check_search(const struct check_graph *graph, uint32_t from, uint64_t edges,
                                 const struct check_observer *observer, struct check_run_list *run,
                                 uint32_t *end)
{
    struct check_step last = {from, from};
    const enum check_searched searched = search_run(graph, from, edges, observer, run, &last);
    *end = last.to;
    return searched;
}

/* ---- from runs of the quotient to runs of the processes ---- */

/*
 * A run through canonical states names places, not processes. `who[place]` is the process at a
 * place. Processes in equal local states may be exchanged freely; the one that moved least recently
 * is given the step, so that a repeated cycle is fair to all of them.
 */
struct cast {
    const struct check_model *model;
    bool reduced;
    uint64_t state[CHECK_MAX_WORDS]; /* canonical */
    unsigned who[CHECK_MAX_PROCESSES];
    size_t moved[CHECK_MAX_PROCESSES]; /* when each process moved last */
    size_t now;
};

static void cast_begin(struct cast *cast, const struct check_graph *graph)
{
    *cast = (struct cast){.model = check_graph_named(graph), .reduced = graph->reduced};
    cast->model->initial(cast->model, cast->state);
    for (unsigned p = 0; p < cast->model->n; p++)
        cast->who[p] = p;
}

static void choose_least_recent(struct cast *cast, unsigned place)
{
    const struct check_model *model = cast->model;
    uint64_t block = check_get(cast->state, model->block[place]);
    for (unsigned q = CHECK_NAMED; q < check_workers(model); q++) {
        if (check_get(cast->state, model->block[q]) == block &&
            cast->moved[cast->who[q]] < cast->moved[cast->who[place]]) {
            unsigned other = cast->who[q];
            cast->who[q] = cast->who[place];
            cast->who[place] = other;
        }
    }
}

/* Makes one move of the quotient and returns the edge as the processes see it. */
static uint8_t cast_move(struct cast *cast, unsigned edge)
{
    const struct check_model *model = cast->model;
    unsigned place = edge % model->n;
    if (cast->reduced && place >= CHECK_NAMED && place < check_workers(model))
        choose_least_recent(cast, place);
    unsigned process = cast->who[place];
    cast->moved[process] = ++cast->now;
    struct check_note note;
    uint64_t next[CHECK_MAX_WORDS];
    model->describe(model, cast->state, edge, next, &note);
    memcpy(cast->state, next, sizeof next);
    if (cast->reduced) {
        /* The sort of check_canonical, with the processes carried along. */
        for (unsigned p = CHECK_NAMED + 1; p < check_workers(model); p++) {
            uint64_t block = check_get(cast->state, model->block[p]);
            unsigned moving = cast->who[p], q = p;
            for (; q > CHECK_NAMED && check_get(cast->state, model->block[q - 1]) > block; q--) {
                check_put(cast->state, model->block[q],
                          check_get(cast->state, model->block[q - 1]));
                cast->who[q] = cast->who[q - 1];
            }
            check_put(cast->state, model->block[q], block);
            cast->who[q] = moving;
        }
    }
    return (uint8_t)(edge / model->n * model->n + process);
}

static void cast_concrete(const struct cast *cast, uint64_t *state)
{
    memcpy(state, cast->state, sizeof cast->state);
    for (unsigned p = 0; p < cast->model->n; p++)
        check_put(state, cast->model->block[cast->who[p]],
                  check_get(cast->state, cast->model->block[p]));
}

enum check_searched check_witness_search_to(const struct check_graph *graph,
                                            const struct check_observer *observer,
                                            struct check_witness *witness, struct check_step *last)
{
    struct check_run_list run = {0};
    const enum check_searched searched =
        search_run(graph, graph->initial, ~UINT64_C(0), observer, &run, last);
    if (searched != CHECK_RUN_FOUND) {
        check_run_free(&run);
        return searched;
    }
    struct cast cast;
    cast_begin(&cast, graph);
    for (size_t s = 0; s < run.length; s++)
        run.edge[s] = cast_move(&cast, run.edge[s]);
    *witness = (struct check_witness){run.edge, run.length, run.length};
    return CHECK_RUN_FOUND;
}

enum check_searched check_witness_search(const struct check_graph *graph,
                                         const struct check_observer *observer,
                                         struct check_witness *witness)
{
    struct check_step last;
    return check_witness_search_to(graph, observer, witness, &last);
}

/* ---- lassos ---- */

struct into {
    const struct check_component *component;
};

static uint32_t next_into(const void *context, uint32_t now, uint32_t from, unsigned edge,
                          uint32_t to)
{
    const struct into *into = context;
    (void)now, (void)from, (void)edge;
    return check_inner(into->component, to) ? CHECK_ACCEPT : 0;
}

/* What a cycle still has to do. */
struct tour {
    const struct check_component *component;
    uint64_t moves;           /* processes (or places) that have yet to move */
    bool remainder, critical; /* regions of j yet to be seen */
    uint32_t j;
    uint32_t home; /* when nothing else is left: back to this state */
};

static bool tour_left(const struct tour *tour)
{
    return tour->moves != 0 || tour->remainder || tour->critical;
}

static uint32_t next_on_tour(const void *context, uint32_t now, uint32_t from, unsigned edge,
                             uint32_t to)
{
    const struct tour *tour = context;
    const struct check_graph *graph = tour->component->view->graph;
    (void)now, (void)from;
    if (!check_inner(tour->component, to))
        return CHECK_REJECT;
    if (!tour_left(tour))
        return to == tour->home ? CHECK_ACCEPT : 0;
    if (tour->moves >> edge % graph->model->n & 1)
        return CHECK_ACCEPT;
    if (tour->j != CHECK_NONE) {
        enum check_region region = check_graph_region(graph, to, tour->j);
        if ((tour->remainder && region == CHECK_REMAINDER) ||
            (tour->critical && region == CHECK_CRITICAL))
            return CHECK_ACCEPT;
    }
    return 0;
}

/* The one edge that the cycle has to go along. */
struct leg {
    const struct check_component *component;
    const struct check_cycle *cycle;
};

static uint32_t next_through(const void *context, uint32_t now, uint32_t from, unsigned edge,
                             uint32_t to)
{
    const struct leg *leg = context;
    (void)now;
    if (!check_inner(leg->component, to))
        return CHECK_REJECT;
    return leg->cycle->through(leg->cycle->context, from, edge) ? CHECK_ACCEPT : 0;
}

static void tick_off(struct tour *tour, const struct check_run_list *run, size_t first,
                     uint32_t end)
{
    const struct check_graph *graph = tour->component->view->graph;
    for (size_t s = first; s < run->length; s++)
        tour->moves &= ~(UINT64_C(1) << run->edge[s] % graph->model->n);
    if (tour->j == CHECK_NONE)
        return;
    enum check_region region = check_graph_region(graph, end, tour->j);
    if (region == CHECK_REMAINDER)
        tour->remainder = false;
    if (region == CHECK_CRITICAL)
        tour->critical = false;
}

/* Whether process p, which has not moved on the cycle, may stand still in it. */
static bool may_stand(const struct check_component *component, uint64_t moving,
                      const uint64_t *state, unsigned p)
{
    enum check_region region = check_region_of(check_graph_named(component->view->graph), state, p);
    return region == CHECK_REMAINDER || region == CHECK_DEAD ||
           !check_process_moves(component, moving, state, p);
}

/* In the quotient a cycle may come back with the processes exchanged: repeat it until they are in
 * their places again and, if `fair`, all that should have moved. */
static bool unroll(const struct check_component *component, struct check_run_list *run, size_t stem,
                   bool fair, struct check_witness *witness)
{
    const struct check_graph *graph = component->view->graph;
    const uint64_t moving = fair ? check_moving_places(component) : 0;
    enum { MOST = 256 };
    const struct check_model *model = check_graph_named(graph);
    struct check_run_list whole = {0};
    struct cast cast;
    uint64_t(*at)[CHECK_MAX_WORDS] = calloc(MOST + 1, sizeof *at);
    size_t *since = calloc(MOST + 1, sizeof *since);
    bool closed = false, memory = at != NULL && since != NULL;
    cast_begin(&cast, graph);
    for (size_t s = 0; memory && s < stem; s++)
        memory = append(&whole, cast_move(&cast, run->edge[s]));
    for (unsigned turn = 0; memory && !closed && turn < MOST; turn++) {
        cast_concrete(&cast, at[turn]);
        since[turn] = whole.length;
        for (unsigned earlier = turn; earlier-- > 0 && !closed;) {
            if (!check_same_state(at[earlier], at[turn], model->words))
                continue;
            closed = true;
            for (unsigned p = 0; p < model->n && fair; p++)
                closed = closed && (cast.moved[p] > since[earlier] ||
                                    may_stand(component, moving, at[turn], p));
            if (closed)
                *witness = (struct check_witness){whole.edge, whole.length, since[earlier]};
        }
        for (size_t s = stem; memory && !closed && s < run->length; s++)
            memory = append(&whole, cast_move(&cast, run->edge[s]));
    }
    free(at);
    free(since);
    if (!closed)
        check_run_free(&whole);
    return closed;
}

static bool search_inside(const struct check_component *component, uint32_t *at,
                          const struct check_observer *observer, struct check_run_list *run)
{
    const struct check_view *view = component->view;
    return check_search(view->graph, *at, view->edges, observer, run, at) == CHECK_RUN_FOUND;
}

bool check_witness_lasso(const struct check_component *component, const struct check_cycle *cycle,
                         struct check_witness *witness)
{
    const bool fair = cycle->fair;
    const struct check_graph *graph = component->view->graph;
    struct check_run_list run = {0};
    uint32_t at = graph->initial;
    bool found = true;
    if (cycle->stem != NULL) {
        *cycle->into = component;
        if (cycle->stem->start == 0 || !check_inner(component, at))
            found =
                check_search(graph, at, ~UINT64_C(0), cycle->stem, &run, &at) == CHECK_RUN_FOUND;
    } else if (!check_inner(component, at)) {
        struct into into = {component};
        struct check_observer observer = {1, 0, next_into, &into};
        found = check_search(graph, at, ~UINT64_C(0), &observer, &run, &at) == CHECK_RUN_FOUND;
    }
    size_t stem = run.length;
    uint64_t moves = fair ? check_moving_places(component) : 0;
    for (unsigned p = 0; fair && p < graph->model->n; p++) {
        const enum check_region region = check_graph_region(graph, at, p);
        if (region == CHECK_REMAINDER || region == CHECK_DEAD ||
            !check_process_moves(component, moves,
                                 graph->folds > 1 ? NULL : check_graph_key(graph, at), p))
            moves &= ~(UINT64_C(1) << p);
    }
    moves |= cycle->movers;
    struct tour tour = {.component = component,
                        .moves = moves,
                        .remainder = cycle->j != CHECK_NONE,
                        .critical = cycle->j != CHECK_NONE,
                        .j = cycle->j,
                        .home = at};
    struct check_observer observer = {1, 0, next_on_tour, &tour};
    tick_off(&tour, &run, run.length, at);
    if (found && cycle->through != NULL) {
        const struct leg leg = {component, cycle};
        const struct check_observer through = {1, 0, next_through, &leg};
        found = search_inside(component, &at, &through, &run);
        if (found)
            tick_off(&tour, &run, stem, at);
    }
    while (found && tour_left(&tour)) {
        size_t first = run.length;
        found = search_inside(component, &at, &observer, &run);
        if (found)
            tick_off(&tour, &run, first, at);
    }
    if (found && (at != tour.home || run.length == stem))
        found = search_inside(component, &at, &observer, &run);
    found = found && unroll(component, &run, stem, fair, witness);
    check_run_free(&run);
    return found;
}
