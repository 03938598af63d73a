#include "refute/search.h"

#include "check/exploration.h"

#include <assert.h>
#include <string.h>

struct node {
    uint8_t value, state[2];
};

struct search {
    struct search_protocol protocol;
    struct node node[SEARCH_NODES]; /* by number */
    struct search_result *result;
    search_visit *visit;
    void *context;
    unsigned fresh[2][CHECK_DEAD + 1]; /* local states that are used, by program and region */
    unsigned first[CHECK_DEAD + 1], count[CHECK_DEAD + 1]; /* of each region's local states */
    /* The part of the graph that has been reached. */
    bool seen[SEARCH_NODES];
    uint16_t queue[SEARCH_NODES];
    unsigned head, tail, process; /* the next step to look at: of `process` in queue[head] */
    const struct search_limits *limits;
    double start;
    bool stopped;
};

/* Looks up from the work: has it to end, and who wants to know how far it is? */
static void look_up(struct search *search)
{
    const struct search_limits *limits = search->limits;
    const double seconds = check_clock() - search->start;
    search->stopped = (limits->seconds > 0 && seconds > limits->seconds) ||
                      (limits->interrupts != NULL && atomic_load(limits->interrupts) > 0);
    if (limits->progress != NULL)
        limits->progress(search->result, seconds, limits->context);
}

static unsigned number_of(const struct search *search, struct node node)
{
    const unsigned states = search->protocol.states;
    return (node.value * states + node.state[0]) * states + node.state[1];
}

static struct node node_of(const struct search *search, unsigned number)
{
    return search->node[number];
}

static unsigned program_of(const struct search *search, unsigned process)
{
    return search->protocol.size.distinct ? process : 0;
}

static enum check_region region_of(const struct search *search, struct node node, unsigned process)
{
    return (enum check_region)search->protocol.region[node.state[process]];
}

static struct search_entry *entry_of(struct search *search, struct node node, unsigned process)
{
    return &search->protocol.next[program_of(search, process)][node.state[process]][node.value];
}

/* The node after a step; false: that has not been chosen yet. */
static bool step(struct search *search, struct node *node, unsigned process)
{
    const struct search_entry *entry = entry_of(search, *node, process);
    if (entry->value == SEARCH_UNSET)
        return false;
    node->value = entry->value;
    node->state[process] = entry->state;
    return true;
}

/* ---- components of what has been reached ---- */

enum question { ASK_DEADLOCK, ASK_LOCKOUT, ASK_BOUNDED };

struct components {
    struct search *search;
    enum question question;
    unsigned waits; /* the process that waits, where the question is about one */
    uint16_t index[SEARCH_NODES], low[SEARCH_NODES], stack[SEARCH_NODES];
    bool on_stack[SEARCH_NODES];
    unsigned next, height;
    bool bad;
};

static bool in_protocol(enum check_region region)
{
    return region == CHECK_WAITING || region == CHECK_EXIT;
}

static bool is_inside(const struct components *components, struct node node)
{
    return components->question == ASK_DEADLOCK ||
           in_protocol(region_of(components->search, node, components->waits));
}

/* A step that leads to a node that was reached, within the part that the question is about. */
static bool edge(const struct components *components, struct node from, unsigned process,
                 struct node *to)
{
    struct search *search = components->search;
    *to = from;
    return step(search, to, process) && search->seen[number_of(search, *to)] &&
           is_inside(components, *to) &&
           (components->question != ASK_DEADLOCK ||
            region_of(search, from, process) == region_of(search, *to, process));
}

/* Whether the component, which is on the stack from `from` on, violates what is asked. */
static bool is_bad(const struct components *components, unsigned from)
{
    struct search *search = components->search;
    const unsigned other = 1 - components->waits;
    bool moves[2] = {false, false}, rests = false, enters = false, outside = false;
    for (unsigned m = from; m < components->height; m++) {
        const struct node node = node_of(search, components->stack[m]);
        rests |= region_of(search, node, other) == CHECK_REMAINDER;
        enters |= region_of(search, node, other) == CHECK_CRITICAL;
        for (unsigned p = 0; p < 2; p++) {
            struct node to;
            outside |= region_of(search, node, p) != CHECK_REMAINDER;
            if (!edge(components, node, p, &to))
                continue;
            for (unsigned t = from; !moves[p] && t < components->height; t++)
                moves[p] = components->stack[t] == number_of(search, to);
        }
    }
    if (components->question == ASK_BOUNDED)
        return rests && enters;
    /* A process that does not move stays where it is, which has to be its remainder. */
    const struct node node = node_of(search, components->stack[from]);
    for (unsigned p = 0; p < 2; p++) {
        if (!moves[p] && region_of(search, node, p) != CHECK_REMAINDER)
            return false;
    }
    return outside;
}

/* Tarjan's algorithm. */
static void descend(struct components *components, unsigned number)
{
    struct search *search = components->search;
    const struct node node = node_of(search, number);
    components->index[number] = components->low[number] = (uint16_t)++components->next;
    const unsigned base = components->height;
    components->stack[components->height++] = (uint16_t)number;
    components->on_stack[number] = true;
    for (unsigned p = 0; p < 2 && !components->bad; p++) {
        struct node to;
        if (!edge(components, node, p, &to))
            continue;
        const unsigned there = number_of(search, to);
        if (components->index[there] == 0) {
            descend(components, there);
            if (components->low[there] < components->low[number])
                components->low[number] = components->low[there];
        } else if (components->on_stack[there] &&
                   components->index[there] < components->low[number]) {
            components->low[number] = components->index[there];
        }
    }
    if (components->bad || components->low[number] != components->index[number])
        return;
    /* Most components are single states without an edge to themselves. */
    bool alone = components->height == base + 1;
    for (unsigned p = 0; p < 2 && alone; p++) {
        struct node to;
        alone = !edge(components, node, p, &to) || number_of(search, to) != number;
    }
    components->bad = !alone && is_bad(components, base);
    while (components->height > base)
        components->on_stack[components->stack[--components->height]] = false;
}

/* Of two processes with one program it is enough to ask about the first. */
static bool violates(struct search *search, enum question question)
{
    const struct search_size *size = &search->protocol.size;
    const unsigned states = search->protocol.states, nodes = size->values * states * states;
    for (unsigned waits = 0; waits <= (size->distinct && question != ASK_DEADLOCK); waits++) {
        struct components components;
        components.search = search;
        components.question = question;
        components.waits = waits;
        components.next = components.height = 0;
        components.bad = false;
        memset(components.index, 0, nodes * sizeof components.index[0]);
        memset(components.on_stack, 0, nodes * sizeof components.on_stack[0]);
        for (unsigned n = 0; n < search->tail && !components.bad; n++) {
            const unsigned number = search->queue[n];
            if (components.index[number] == 0 && is_inside(&components, node_of(search, number)))
                descend(&components, number);
        }
        if (components.bad)
            return true;
    }
    return false;
}

/* Whether what there is falls short of the goal; it is counted. */
static bool falls_short(struct search *search)
{
    const enum search_goal goal = search->protocol.size.goal;
    const enum question first = goal == SEARCH_DEADLOCK_FREE ? ASK_DEADLOCK : ASK_LOCKOUT;
    const bool bad = violates(search, first);
    if (bad)
        search->result->cut[1 + first]++;
    else if (goal == SEARCH_BOUNDED_WAITING && violates(search, ASK_BOUNDED))
        search->result->cut[1 + ASK_BOUNDED]++;
    else
        return false;
    return true;
}

/* ---- the search ---- */

static void found(struct search *search)
{
    struct search_protocol *protocol = &search->protocol;
    struct search_result *result = search->result;
    protocol->has = 0;
    protocol->has |= violates(search, ASK_LOCKOUT) ? 0 : SEARCH_LOCKOUT;
    protocol->has |= violates(search, ASK_BOUNDED) ? 0 : SEARCH_BOUNDED;
    for (unsigned p = 0; p < 2; p++) {
        protocol->used[p] = 0;
        for (unsigned r = 0; r <= CHECK_DEAD; r++)
            protocol->used[p] += search->fresh[p][r];
    }
    result->complete++;
    result->found[protocol->values][protocol->has]++;
    struct search_protocol *example = &result->example[protocol->values][protocol->has];
    bool *has = &result->has_example[protocol->values][protocol->has];
    if (!*has || protocol->used[0] + protocol->used[1] < example->used[0] + example->used[1])
        *example = *protocol;
    *has = true;
    if (search->visit != NULL)
        search->visit(protocol, search->context);
}

static void go_on(struct search *search);

/* Every choice for one entry. */
static void choose(struct search *search, struct node node, unsigned process)
{
    struct search_protocol *protocol = &search->protocol;
    struct search_entry *entry = entry_of(search, node, process);
    const unsigned program = program_of(search, process);
    const enum check_region from = region_of(search, node, process);
    const bool trying = from == CHECK_REMAINDER || from == CHECK_WAITING;
    const enum check_region to[2] = {trying ? CHECK_WAITING : CHECK_EXIT,
                                     trying ? CHECK_CRITICAL : CHECK_REMAINDER};
    const unsigned head = search->head, tail = search->tail, values = protocol->values;
    for (unsigned r = 0; r < 2; r++) {
        unsigned *fresh = &search->fresh[program][to[r]];
        const unsigned used = *fresh;
        for (unsigned s = 0; s <= used && s < search->count[to[r]]; s++) {
            for (unsigned v = 0; v <= values && v < protocol->size.values; v++) {
                if (search->stopped)
                    return;
                *entry = (struct search_entry){(uint8_t)v, (uint8_t)(search->first[to[r]] + s)};
                *fresh = s == used ? used + 1 : used;
                protocol->values = v == values ? values + 1 : values;
                search->result->chosen++;
                if ((search->result->chosen & 0xffff) == 0)
                    look_up(search);
                if (!falls_short(search))
                    go_on(search);
                while (search->tail > tail)
                    search->seen[search->queue[--search->tail]] = false;
                search->head = head;
                search->process = process;
                *fresh = used;
                protocol->values = values;
            }
        }
    }
    *entry = (struct search_entry){SEARCH_UNSET, SEARCH_UNSET};
}

/* Explores until an entry is missing, or nothing is. */
static void go_on(struct search *search)
{
    for (; search->head < search->tail; search->head++, search->process = 0) {
        const struct node node = node_of(search, search->queue[search->head]);
        for (; search->process < 2; search->process++) {
            struct node to = node;
            if (!step(search, &to, search->process)) {
                choose(search, node, search->process);
                return;
            }
            const unsigned number = number_of(search, to);
            if (search->seen[number])
                continue;
            if (region_of(search, to, 0) == CHECK_CRITICAL &&
                region_of(search, to, 1) == CHECK_CRITICAL) {
                search->result->cut[0]++;
                return;
            }
            search->seen[number] = true;
            search->queue[search->tail++] = (uint16_t)number;
        }
    }
    if (!falls_short(search))
        found(search);
}

static double power(double base, unsigned exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

const char *search_run(const struct search_size *size, const struct search_limits *limits,
                       search_visit *visit, void *context, struct search_result *result)
{
    static const enum check_region regions[] = {CHECK_REMAINDER, CHECK_WAITING, CHECK_CRITICAL,
                                                CHECK_EXIT};
    const unsigned counts[] = {size->remainder, size->trying, size->critical, size->exit};
    struct search search = {.protocol = {.size = *size},
                            .result = result,
                            .visit = visit,
                            .context = context,
                            .limits = limits,
                            .start = check_clock()};
    *result = (struct search_result){.tables = 1};
    static_assert(SEARCH_VALUES == 4, "the message says so");
    if (size->values < 1 || size->values > SEARCH_VALUES)
        return "1 to 4 values can be searched";
    if (size->remainder < 1 || size->critical < 1)
        return "there must be a remainder state and a critical one";
    for (unsigned r = 0; r < 4; r++) {
        search.first[regions[r]] = search.protocol.states;
        search.count[regions[r]] = counts[r];
        if (search.protocol.states + counts[r] > SEARCH_STATES)
            return "that many local states are not searched";
        for (unsigned s = 0; s < counts[r]; s++)
            search.protocol.region[search.protocol.states++] = (uint8_t)regions[r];
        const double targets = r < 2 ? size->trying + size->critical : size->exit + size->remainder;
        result->tables *= power(targets * size->values, counts[r] * size->values);
    }
    if (size->distinct)
        result->tables *= result->tables;
    for (unsigned n = 0; n < size->values * search.protocol.states * search.protocol.states; n++) {
        const unsigned states = search.protocol.states;
        search.node[n] = (struct node){(uint8_t)(n / states / states),
                                       {(uint8_t)(n / states % states), (uint8_t)(n % states)}};
    }
    memset(search.protocol.next, SEARCH_UNSET, sizeof search.protocol.next);
    search.protocol.values = 1;
    search.fresh[0][CHECK_REMAINDER] = search.fresh[1][CHECK_REMAINDER] = 1;
    const unsigned start = number_of(&search, (struct node){0, {0, 0}});
    search.seen[start] = true;
    search.queue[search.tail++] = (uint16_t)start;
    go_on(&search);
    result->all = !search.stopped;
    return NULL;
}
