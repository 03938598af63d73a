/*
 * D. J. Pearce, A space-efficient algorithm for finding strongly connected components, Information
 * Processing Letters 116 (2016): one number a state, which is its index while it is being worked on
 * and its component when it is done; components are numbered downwards from the top, so that a done
 * state never looks smaller than an index.
 */
#include "check/scc.h"

#include "check/parallel.h"

struct frame {
    uint32_t id;
    uint8_t edge;
    bool root;
};

struct stacks {
    struct check_budget *budget;
    struct frame *frame;
    size_t frames, frame_room;
    uint32_t *member; /* states of components not yet complete */
    size_t members, member_room;
};

static bool push_frame(struct stacks *stacks, uint32_t id)
{
    if (stacks->frames == stacks->frame_room) {
        size_t room = stacks->frame_room == 0 ? 4096 : stacks->frame_room * 2;
        void *frame =
            check_remap(stacks->budget, stacks->frame, stacks->frame_room * sizeof(struct frame),
                        room * sizeof(struct frame));
        if (frame == NULL)
            return false;
        stacks->frame = frame;
        stacks->frame_room = room;
    }
    stacks->frame[stacks->frames++] = (struct frame){.id = id, .root = true};
    return true;
}

static bool push_member(struct stacks *stacks, uint32_t id)
{
    if (stacks->members == stacks->member_room) {
        size_t room = stacks->member_room == 0 ? 4096 : stacks->member_room * 2;
        void *member = check_remap(stacks->budget, stacks->member,
                                   stacks->member_room * sizeof(uint32_t), room * sizeof(uint32_t));
        if (member == NULL)
            return false;
        stacks->member = member;
        stacks->member_room = room;
    }
    stacks->member[stacks->members++] = id;
    return true;
}

struct search {
    const struct check_view *view;
    struct check_condensed *found;
    uint32_t *number; /* found->number_of */
    uint8_t *regions; /* by state; NULL where it does not matter */
    uint32_t next_index, next_component;
    struct stacks stacks;
};

/*
 * The sum of the regions' numbers, modulo 8. A move changes the region of one process at most, and
 * there are fewer than 8, so it keeps the regions iff it keeps the sum; also in the quotient, where
 * the process may get another place.
 */
static void sum_block(void *context, uint64_t first, uint64_t last)
{
    const struct search *search = context;
    const struct check_graph *graph = search->view->graph;
    const struct check_model *model = graph->model;
    for (uint64_t id = first; id < last; id++) {
        unsigned sum = 0;
        for (unsigned p = 0; p < model->n; p++)
            sum += check_paper_region(check_graph_region(graph, (uint32_t)id, p));
        search->regions[id] = sum % 8;
    }
}

static bool sum_regions(struct search *search)
{
    const struct check_graph *graph = search->view->graph;
    search->regions = check_map(graph->budget, graph->count);
    if (search->regions != NULL)
        check_parallel_blocks(graph->threads, graph->count, false, sum_block, search);
    return search->regions != NULL;
}

/* Whether the edge into `to`, which is not `id` itself, belongs to the part. */
static inline bool follows(const struct search *search, uint32_t id, unsigned edge, uint32_t to)
{
    const struct check_view *view = search->view;
    return to != CHECK_NONE && view->edges >> edge & 1 && to != id &&
           check_bits_has(&view->inside, to) &&
           (search->regions == NULL || search->regions[to] == search->regions[id]);
}

/*
 * Trimming. A state all of whose edges lead to what is done is a component by itself, and is done.
 * Many threads can look for such states at once: a state is counted before it is seen to be done,
 * so whatever it leads to has been counted before it. Sweeps go down and up in turns (see lost.c),
 * as long as they find a good part of what is left; the rest is searched.
 */
enum { WORTH_A_SWEEP = 16 }; /* one in this many */

struct trimming {
    struct search *search;
    bool upwards;
    _Atomic(uint32_t) done;
};

static bool is_done(const struct search *search, uint32_t id)
{
    return __atomic_load_n(&search->number[id], __ATOMIC_ACQUIRE) != 0;
}

static bool leads_to_done(const struct search *search, uint32_t id)
{
    const struct check_graph *graph = search->view->graph;
    uint32_t buffer[CHECK_MAX_EDGES];
    const uint32_t *row = check_graph_row(graph, id, buffer);
    for (unsigned e = 0; e < graph->edges; e++) {
        if (follows(search, id, e, row[e]) && !is_done(search, row[e]))
            return false;
    }
    return true;
}

static void trim_block(void *context, uint64_t first, uint64_t last)
{
    struct trimming *trimming = context;
    struct search *search = trimming->search;
    for (uint64_t k = first; k < last; k++) {
        const uint32_t id = (uint32_t)(trimming->upwards ? k : first + last - 1 - k);
        if (!check_bits_has(&search->view->inside, id) || search->number[id] != 0 ||
            !leads_to_done(search, id))
            continue;
        const uint32_t place = atomic_fetch_add(&trimming->done, 1);
        search->found->member[place] = id;
        __atomic_store_n(&search->number[id], CHECK_FIRST_COMPONENT - place, __ATOMIC_RELEASE);
    }
}

static void trim(struct search *search)
{
    const struct check_graph *graph = search->view->graph;
    struct trimming trimming = {.search = search};
    const uint32_t all = search->found->states;
    uint32_t before, done = 0;
    do {
        before = done;
        check_parallel_blocks(graph->threads, graph->count, !trimming.upwards, trim_block,
                              &trimming);
        trimming.upwards = !trimming.upwards;
        done = atomic_load(&trimming.done);
    } while (done < all && done - before > (all - before) / WORTH_A_SWEEP);
    search->found->states = done;
    search->next_component = CHECK_FIRST_COMPONENT - done;
}

/* Takes the component whose root is `id` off the stack. */
static void complete(struct search *search, uint32_t id)
{
    struct stacks *stacks = &search->stacks;
    struct check_condensed *found = search->found;
    const uint32_t component = search->next_component--;
    const uint32_t first = found->states;
    while (stacks->members > 0 &&
           search->number[stacks->member[stacks->members - 1]] >= search->number[id])
        found->member[found->states++] = stacks->member[--stacks->members];
    found->member[found->states++] = id;
    for (uint32_t m = first; m < found->states; m++)
        search->number[found->member[m]] = component;
    search->next_index -= found->states - first;
}

static bool search_from(struct search *search, uint32_t start)
{
    const struct check_graph *graph = search->view->graph;
    struct stacks *stacks = &search->stacks;
    uint32_t buffer[CHECK_MAX_EDGES];
    if (!push_frame(stacks, start))
        return false;
    search->number[start] = search->next_index++;
    while (stacks->frames > 0) {
        struct frame *top = &stacks->frame[stacks->frames - 1];
        const uint32_t id = top->id;
        const uint32_t *row = check_graph_row(graph, id, buffer);
        uint32_t child = CHECK_NONE;
        if (top->edge == 0) {
            for (unsigned e = 0; e < graph->edges; e++) {
                if (row[e] != CHECK_NONE)
                    __builtin_prefetch(&search->number[row[e]]);
            }
        }
        for (; top->edge < graph->edges; top->edge++) {
            uint32_t to = row[top->edge];
            if (!follows(search, id, top->edge, to))
                continue;
            if (search->number[to] == 0) {
                child = to;
                break;
            }
            if (search->number[to] < search->number[id]) {
                search->number[id] = search->number[to];
                top->root = false;
            }
        }
        if (child != CHECK_NONE) {
            if (!push_frame(stacks, child)) /* may move the stack: `top` is stale after it */
                return false;
            search->number[child] = search->next_index++;
            continue;
        }
        bool root = top->root;
        stacks->frames--;
        if (root)
            complete(search, id);
        else if (!push_member(stacks, id))
            return false;
    }
    return true;
}

bool check_condense(struct check_condensed *condensed, const struct check_view *view)
{
    const struct check_graph *graph = view->graph;
    uint32_t inside = 0;
    for (size_t w = 0; w < view->inside.bytes / sizeof(uint64_t); w++)
        inside += (uint32_t)__builtin_popcountll(view->inside.word[w]);
    *condensed = (struct check_condensed){.view = view,
                                          .number_bytes = (size_t)graph->count * sizeof(uint32_t),
                                          .member_bytes = (size_t)inside * sizeof(uint32_t),
                                          .states = inside};
    condensed->number_of = check_map(graph->budget, condensed->number_bytes);
    condensed->member = check_map(graph->budget, condensed->member_bytes);
    struct search search = {.view = view,
                            .found = condensed,
                            .number = condensed->number_of,
                            .next_index = 1,
                            .stacks = {.budget = graph->budget}};
    bool memory = condensed->number_of != NULL && condensed->member != NULL &&
                  (!view->keeps_regions || sum_regions(&search));
    if (memory)
        trim(&search);
    for (uint32_t id = 0; memory && condensed->states < inside; id++) {
        if (check_bits_has(&view->inside, id) && search.number[id] == 0)
            memory = search_from(&search, id);
    }
    check_unmap(graph->budget, search.stacks.frame,
                search.stacks.frame_room * sizeof(struct frame));
    check_unmap(graph->budget, search.stacks.member, search.stacks.member_room * sizeof(uint32_t));
    check_unmap(graph->budget, search.regions, graph->count);
    if (!memory)
        check_condensed_close(condensed);
    return memory;
}

void check_condensed_close(struct check_condensed *condensed)
{
    if (condensed->view == NULL)
        return;
    struct check_budget *budget = condensed->view->graph->budget;
    check_unmap(budget, condensed->number_of, condensed->number_bytes);
    check_unmap(budget, condensed->member, condensed->member_bytes);
    *condensed = (struct check_condensed){0};
}

/* The component that begins at this place among the members. */
static struct check_component component_at(const struct check_condensed *condensed, uint32_t first)
{
    const uint32_t number = condensed->number_of[condensed->member[first]];
    uint32_t end = first + 1;
    while (end < condensed->states && condensed->number_of[condensed->member[end]] == number)
        end++;
    return (struct check_component){.view = condensed->view,
                                    .member = condensed->member + first,
                                    .count = end - first,
                                    .number = number,
                                    .number_of = condensed->number_of};
}

void check_deliver(const struct check_condensed *condensed,
                   bool (*deliver)(void *context, const struct check_component *component),
                   void *context)
{
    for (uint32_t first = 0; first < condensed->states;) {
        const struct check_component component = component_at(condensed, first);
        if (!deliver(context, &component))
            return;
        first += component.count;
    }
}

struct anybody {
    const struct check_condensed *condensed;
    void (*deliver)(void *context, const struct check_component *component);
    void *context;
};

/* The components that begin in the block. */
static void deliver_block(void *context, uint64_t first, uint64_t last)
{
    const struct anybody *anybody = context;
    const struct check_condensed *condensed = anybody->condensed;
    const uint32_t *member = condensed->member, *number_of = condensed->number_of;
    while (first < last && first > 0 && number_of[member[first]] == number_of[member[first - 1]])
        first++;
    while (first < last) {
        const struct check_component component = component_at(condensed, (uint32_t)first);
        anybody->deliver(anybody->context, &component);
        first += component.count;
    }
}

void check_deliver_any(const struct check_condensed *condensed,
                       void (*deliver)(void *context, const struct check_component *component),
                       void *context)
{
    struct anybody anybody = {condensed, deliver, context};
    check_parallel_blocks(condensed->view->graph->threads, condensed->states, false, deliver_block,
                          &anybody);
}

struct check_component check_component_of(const struct check_condensed *condensed, uint32_t id)
{
    const uint32_t number = condensed->number_of[id];
    uint32_t first = 0;
    while (condensed->number_of[condensed->member[first]] != number)
        first++;
    return component_at(condensed, first);
}

bool check_components(const struct check_view *view,
                      bool (*deliver)(void *context, const struct check_component *component),
                      void *context)
{
    struct check_condensed condensed;
    if (!check_condense(&condensed, view))
        return false;
    check_deliver(&condensed, deliver, context);
    check_condensed_close(&condensed);
    return true;
}

struct filling {
    struct check_view *view;
    bool (*is_in)(const void *context, uint32_t id);
    const void *context;
};

_Static_assert(CHECK_BLOCK % 64 == 0, "no two blocks share a word of bits");

static void fill_block(void *context, uint64_t first, uint64_t last)
{
    const struct filling *filling = context;
    for (uint64_t id = first; id < last; id++) {
        if (filling->is_in(filling->context, (uint32_t)id))
            check_bits_add(&filling->view->inside, id);
    }
}

bool check_view_open(struct check_view *view, bool (*is_in)(const void *context, uint32_t id),
                     const void *context)
{
    const struct check_graph *graph = view->graph;
    struct filling filling = {view, is_in, context};
    if (!check_bits_open(&view->inside, graph->budget, graph->count))
        return false;
    check_parallel_blocks(graph->threads, graph->count, false, fill_block, &filling);
    return true;
}

struct check_shown check_component_shows(const struct check_component *component, unsigned j)
{
    const struct check_graph *graph = component->view->graph;
    struct check_shown shown = {false, false};
    for (uint32_t m = 0; m < component->count; m++) {
        enum check_region region = check_graph_region(graph, component->member[m], j);
        shown.remainder |= region == CHECK_REMAINDER;
        shown.critical |= region == CHECK_CRITICAL;
    }
    return shown;
}
