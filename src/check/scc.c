/*
 * D. J. Pearce, A space-efficient algorithm for finding strongly connected components, Information
 * Processing Letters 116 (2016): one number a state, which is its index while it is being worked on
 * and its component when it is done; components are numbered downwards from the top, so that a done
 * state never looks smaller than an index.
 */
#include "check/scc.h"

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
    uint32_t *number;
    uint8_t *regions; /* by state; NULL where it does not matter */
    uint32_t next_index, next_component;
    struct stacks stacks;
    bool (*deliver)(void *context, const struct check_component *component);
    void *context;
    bool stopped;
};

/*
 * The sum of the regions' numbers, modulo 8. A move changes the region of one process at most, and
 * there are fewer than 8, so it keeps the regions iff it keeps the sum; also in the quotient, where
 * the process may get another place.
 */
static bool sum_regions(struct search *search)
{
    const struct check_graph *graph = search->view->graph;
    const struct check_model *model = graph->model;
    search->regions = check_map(graph->budget, graph->count);
    for (uint32_t id = 0; search->regions != NULL && id < graph->count; id++) {
        const uint64_t *key = check_graph_key(graph, id);
        unsigned sum = 0;
        for (unsigned p = 0; p < model->n; p++)
            sum += check_paper_region(check_region_of(model, key, p));
        search->regions[id] = sum % 8;
    }
    return search->regions != NULL;
}

/* Takes the component whose root is `id` off the stack and delivers it. */
static bool complete(struct search *search, uint32_t id)
{
    struct stacks *stacks = &search->stacks;
    size_t first = stacks->members;
    while (first > 0 && search->number[stacks->member[first - 1]] >= search->number[id])
        first--;
    if (!push_member(stacks, id))
        return false;
    uint32_t count = (uint32_t)(stacks->members - first);
    uint32_t component = search->next_component--;
    for (size_t m = first; m < stacks->members; m++)
        search->number[stacks->member[m]] = component;
    search->next_index -= count;
    struct check_component result = {.view = search->view,
                                     .member = stacks->member + first,
                                     .count = count,
                                     .number = component,
                                     .number_of = search->number};
    search->stopped = !search->deliver(search->context, &result);
    stacks->members = first;
    return true;
}

static bool search_from(struct search *search, uint32_t start)
{
    const struct check_view *view = search->view;
    const struct check_graph *graph = view->graph;
    struct stacks *stacks = &search->stacks;
    uint32_t buffer[CHECK_MAX_EDGES];
    if (!push_frame(stacks, start))
        return false;
    search->number[start] = search->next_index++;
    while (stacks->frames > 0 && !search->stopped) {
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
            if (to == CHECK_NONE || (view->edges >> top->edge & 1) == 0 || to == id ||
                !check_bits_has(&view->inside, to) ||
                (search->regions != NULL && search->regions[to] != search->regions[id]))
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
        if (!(root ? complete(search, id) : push_member(stacks, id)))
            return false;
    }
    return true;
}

bool check_components(const struct check_view *view,
                      bool (*deliver)(void *context, const struct check_component *component),
                      void *context)
{
    const struct check_graph *graph = view->graph;
    size_t bytes = (size_t)graph->count * sizeof(uint32_t);
    struct search search = {.view = view,
                            .number = check_map(graph->budget, bytes),
                            .next_index = 1,
                            .next_component = UINT32_MAX - 1,
                            .stacks = {.budget = graph->budget},
                            .deliver = deliver,
                            .context = context};
    bool memory = search.number != NULL && (!view->keeps_regions || sum_regions(&search));
    for (uint32_t id = 0; memory && !search.stopped && id < graph->count; id++) {
        if (check_bits_has(&view->inside, id) && search.number[id] == 0)
            memory = search_from(&search, id);
    }
    check_unmap(graph->budget, search.stacks.frame,
                search.stacks.frame_room * sizeof(struct frame));
    check_unmap(graph->budget, search.stacks.member, search.stacks.member_room * sizeof(uint32_t));
    check_unmap(graph->budget, search.regions, graph->count);
    check_unmap(graph->budget, search.number, bytes);
    return memory;
}

struct check_shown check_component_shows(const struct check_component *component, unsigned j)
{
    const struct check_graph *graph = component->view->graph;
    struct check_shown shown = {false, false};
    for (uint32_t m = 0; m < component->count; m++) {
        enum check_region region =
            check_region_of(graph->model, check_graph_key(graph, component->member[m]), j);
        shown.remainder |= region == CHECK_REMAINDER;
        shown.critical |= region == CHECK_CRITICAL;
    }
    return shown;
}
