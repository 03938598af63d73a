#include "check/explore.h"

#include "check/decide.h"
#include "check/parallel.h"
#include "check/symmetry.h"

#include <string.h>
#include <time.h>

/*
 * Level by level. A level is cut into rounds that cannot overfill the table, whatever the
 * successors turn out to be, so the table grows only between rounds, when nobody is at work.
 *
 * Within a round a thread takes chunks of the frontier, expands a batch of states, prefetches the
 * home slots of all successors, and only then looks at them: the memory latencies overlap.
 */

enum {
    FIRST_CAPACITY = 1 << 12,
    BATCH = 16,        /* states expanded before their successors are looked up */
    CHUNK = 512,       /* states of the frontier taken at a time by a thread */
    ALONE = 32768,     /* a round smaller than this is not worth a second thread */
    LATELY = 1 << 14,  /* states remembered by a worker; they should stay in its own cache */
    LARGE = 256 << 20, /* bytes of a table from which it grows by half */
};

#define MAX_LOAD 0.8

struct list { /* packed states, in memory of their own */
    uint64_t *state;
    uint64_t count, room; /* in states */
};

struct worker {
    struct list next;
    uint64_t *lately; /* LATELY states that this worker has come across not long ago */
    uint64_t added, expanded, states, transitions;
    bool error;
    bool no_memory;
    uint64_t bad[CHECK_MAX_WORDS]; /* the state that an error was found in */
};

struct round {
    struct check_space *space;
    const struct check_limits *limits;
    const uint64_t *frontier;
    uint64_t end;
    _Atomic(uint64_t) taken;
    _Atomic(unsigned) cut; /* enum check_end: why the round is not to be finished */
    double start;
    struct worker worker[CHECK_MAX_THREADS];
};

double check_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool list_reserve(struct list *list, struct check_budget *budget, unsigned words,
                         uint64_t more)
{
    if (list->count + more <= list->room)
        return true;
    uint64_t room = list->room * 2 > list->count + more ? list->room * 2 : list->count + more;
    size_t unit = words * sizeof(uint64_t);
    void *state = check_remap(budget, list->state, list->room * unit, room * unit);
    if (state == NULL)
        return false;
    list->state = state;
    list->room = room;
    return true;
}

static void list_free(struct list *list, struct check_budget *budget, unsigned words)
{
    check_unmap(budget, list->state, list->room * words * sizeof(uint64_t));
    *list = (struct list){0};
}

struct pending {
    uint64_t state[BATCH * CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    uint64_t home[BATCH * CHECK_MAX_EDGES];
    unsigned count;
};

/* Whether the state is the one in this place; it is afterwards. A state that has been here is in the
 * table, or in the batch that is about to be looked up. Most successors of a level are reached from
 * several of its states, which lie near each other: this saves about half of the trips to memory. */
static inline bool seen_lately(uint64_t *place, const uint64_t *state, unsigned words)
{
    if (check_same_state(place, state, words))
        return true;
    for (unsigned w = 0; w < words; w++)
        place[w] = state[w];
    return false;
}

/* Whether the state settles what is asked. */
static bool settles(const struct round *round, const uint64_t *state)
{
    for (uint64_t left = round->limits->stop_at; left != 0; left &= left - 1) {
        if (check_state_breaks(round->space->model, state,
                               (enum check_property)__builtin_ctzll(left)))
            return true;
    }
    return false;
}

/* Whether the time is over, or somebody has had enough. */
static bool is_cut(struct round *round)
{
    const struct check_limits *limits = round->limits;
    if (limits->interrupts != NULL && atomic_load(limits->interrupts) > 0)
        atomic_store(&round->cut, CHECK_INTERRUPTED);
    else if (limits->seconds > 0 && check_clock() - round->start > limits->seconds)
        atomic_store(&round->cut, CHECK_OUT_OF_TIME);
    return atomic_load(&round->cut) != CHECK_COMPLETE;
}

static inline __attribute__((always_inline)) void
expand_batch(struct round *round, struct worker *worker, struct pending *pending,
             const uint64_t *from, unsigned count, unsigned words)
{
    const struct check_model *model = round->space->model;
    const bool reduced = round->space->reduced;
    const uint64_t capacity = round->space->set.capacity;
    uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    pending->count = 0;
    for (unsigned b = 0; b < count; b++, from += words) {
        struct check_moves moves = model->expand(model, from, out);
        if (moves.error) {
            worker->error = true;
            worker->states++;
            for (unsigned w = 0; w < words; w++)
                worker->bad[w] = from[w];
            return;
        }
        if (round->limits->stop_at != 0 && settles(round, from))
            atomic_store(&round->cut, CHECK_VIOLATED);
        worker->expanded++;
        uint64_t orbit = reduced ? check_orbit(model, from) : 1;
        worker->states += orbit;
        worker->transitions += orbit * (uint64_t)__builtin_popcountll(moves.exist);
        for (uint64_t left = moves.change; left != 0; left &= left - 1) {
            unsigned e = (unsigned)__builtin_ctzll(left);
            uint64_t *state = &pending->state[pending->count * words];
            for (unsigned w = 0; w < words; w++)
                state[w] = out[e * words + w];
            if (reduced)
                check_canonical(model, state);
            uint64_t hash = check_set_hash(state, words);
            if (seen_lately(&worker->lately[hash % LATELY * words], state, words))
                continue;
            uint64_t home = check_set_home(hash, capacity);
            check_set_prefetch(&round->space->set, home, words);
            pending->home[pending->count++] = home;
        }
    }
}

static inline __attribute__((always_inline)) void
work_through(struct round *round, struct worker *worker, unsigned words)
{
    struct check_set *set = &round->space->set;
    const unsigned edges = round->space->model->n * round->space->model->kinds;
    struct pending pending;
    for (;;) {
        uint64_t first = atomic_fetch_add(&round->taken, CHUNK);
        if (first >= round->end || worker->error || worker->no_memory || is_cut(round))
            return;
        uint64_t last = first + CHUNK < round->end ? first + CHUNK : round->end;
        for (uint64_t f = first; f < last; f += BATCH) {
            unsigned count = (unsigned)(last - f < BATCH ? last - f : BATCH);
            if (!list_reserve(&worker->next, round->limits->budget, words,
                              (uint64_t)count * edges)) {
                worker->no_memory = true;
                return;
            }
            expand_batch(round, worker, &pending, &round->frontier[f * words], count, words);
            for (unsigned i = 0; i < pending.count; i++) {
                const uint64_t *state = &pending.state[i * words];
                if (check_set_add_words(set, state, pending.home[i], words)) {
                    uint64_t *next = &worker->next.state[worker->next.count++ * words];
                    for (unsigned w = 0; w < words; w++)
                        next[w] = state[w];
                    worker->added++;
                }
            }
        }
    }
}

static void work(void *context, unsigned thread)
{
    struct round *round = context;
    struct worker *worker = &round->worker[thread];
    /* The common cases, with their constants known. */
    if (round->space->model->words == 1)
        work_through(round, worker, 1);
    else if (round->space->model->words == 2)
        work_through(round, worker, 2);
    else
        work_through(round, worker, round->space->model->words);
}

/* Makes room for a round; false: no memory for it. */
static bool make_room(struct check_space *space, uint64_t waiting, uint64_t *size)
{
    const unsigned edges = space->model->n * space->model->kinds;
    for (;;) {
        uint64_t usable = (uint64_t)((double)space->set.capacity * MAX_LOAD);
        uint64_t fit = usable > space->stored ? (usable - space->stored) / edges : 0;
        if (fit >= waiting || fit >= space->set.capacity / 256) {
            *size = fit < waiting ? fit : waiting;
            return true;
        }
        /* To double is faster, to grow by half leaves less memory unused: that counts for more where
         * the table is large, or a slot is. */
        bool by_half = space->set.words > 1 || space->set.bytes >= LARGE;
        if (!check_set_grow(&space->set, by_half ? space->set.capacity + space->set.capacity / 2
                                                 : 2 * space->set.capacity))
            return false;
    }
}

/* `waiting`: states of the level that are still to be explored. */
static void report(const struct round *round, uint64_t waiting, double start)
{
    const struct check_limits *limits = round->limits;
    const struct check_space *space = round->space;
    uint64_t frontier = waiting;
    if (limits->progress == NULL)
        return;
    for (unsigned t = 0; t < limits->threads; t++)
        frontier += round->worker[t].next.count;
    struct check_progress progress = {.phase = "exploring",
                                      .states = space->stored,
                                      .frontier = frontier,
                                      .depth = space->depth,
                                      .bytes = atomic_load(&limits->budget->used),
                                      .seconds = check_clock() - start};
    limits->progress(&progress, limits->progress_context);
}

/* Explores `count` states; the new ones are left in the workers' lists. */
static enum check_end explore_level(struct round *round, const uint64_t *state, uint64_t count,
                                    double start)
{
    struct check_space *space = round->space;
    const struct check_limits *limits = round->limits;
    for (uint64_t done = 0; done < count;) {
        uint64_t size = 0;
        if (!make_room(space, count - done, &size))
            return CHECK_OUT_OF_MEMORY;
        round->frontier = state + done * space->model->words;
        round->end = size;
        atomic_store(&round->taken, 0);
        check_parallel(size < ALONE ? 1 : limits->threads, work, round);
        done += size;
        for (unsigned t = 0; t < limits->threads; t++) {
            struct worker *worker = &round->worker[t];
            space->stored += worker->added;
            space->states += worker->states;
            space->expanded += worker->expanded;
            space->transitions += worker->transitions;
            worker->added = worker->expanded = worker->states = worker->transitions = 0;
            if (worker->error) {
                memcpy(space->bad, worker->bad, sizeof space->bad);
                return CHECK_OUT_OF_RANGE;
            }
            if (worker->no_memory)
                return CHECK_OUT_OF_MEMORY;
        }
        report(round, count - done, start);
        if (atomic_load(&round->cut) != CHECK_COMPLETE || is_cut(round))
            return (enum check_end)atomic_load(&round->cut);
        if (space->stored >= UINT32_MAX || (limits->states > 0 && space->stored >= limits->states))
            return CHECK_TOO_MANY;
    }
    return CHECK_COMPLETE;
}

/* Moves the states in the workers' lists to the end of `list`. */
static bool gather(struct round *round, struct list *list)
{
    const unsigned words = round->space->model->words;
    for (unsigned t = 0; t < round->limits->threads; t++) {
        struct list *next = &round->worker[t].next;
        if (next->count == 0)
            continue;
        if (list->count == 0) { /* nothing to add to: take the whole list instead of copying it */
            struct list old = *list;
            *list = *next;
            *next = old;
        } else {
            if (!list_reserve(list, round->limits->budget, words, next->count))
                return false;
            memcpy(list->state + list->count * words, next->state,
                   next->count * words * sizeof(uint64_t));
            list->count += next->count;
        }
        next->count = 0;
    }
    return true;
}

static void search(struct round *round, struct list *list)
{
    struct check_space *space = round->space;
    const unsigned words = space->model->words;
    const double start = round->start = check_clock();
    uint64_t first = 0; /* of the level, in `list` */
    while (list->count > first && space->end == CHECK_COMPLETE) {
        const uint64_t last = list->count, level = last - first;
        space->end = explore_level(round, list->state + first * words, last - first, start);
        if (round->limits->keep_order)
            first = last;
        else
            list->count = 0;
        if (!gather(round, list) && space->end == CHECK_COMPLETE)
            space->end = CHECK_OUT_OF_MEMORY;
        uint64_t bytes =
            space->set.bytes + (level + list->count - first) * words * sizeof(uint64_t);
        space->bytes = bytes > space->bytes ? bytes : space->bytes;
        space->depth++;
    }
}

bool check_explore(struct check_space *space, const struct check_model *model,
                   const struct check_limits *limits)
{
    struct check_budget *budget = limits->budget;
    const unsigned words = model->words;
    *space = (struct check_space){.model = model};
    space->reduced = limits->symmetry && check_symmetry_helps(model);
    if (!check_set_open(&space->set, budget, words, FIRST_CAPACITY))
        return false;
    struct list list = {0};
    struct round round = {.space = space, .limits = limits};
    const size_t lately = LATELY * words * sizeof(uint64_t);
    bool memory = list_reserve(&list, budget, words, 1);
    for (unsigned t = 0; t < limits->threads; t++) {
        round.worker[t].lately = check_map(budget, lately);
        memory = memory && round.worker[t].lately != NULL;
    }
    if (memory) {
        model->initial(model, list.state);
        list.count = 1;
        check_set_add(&space->set, list.state,
                      check_set_home(check_set_hash(list.state, words), FIRST_CAPACITY));
        space->stored = 1;
        search(&round, &list);
    }
    for (unsigned t = 0; t < limits->threads; t++) {
        list_free(&round.worker[t].next, budget, words);
        check_unmap(budget, round.worker[t].lately, lately);
    }
    if (memory && limits->keep_order && space->end == CHECK_COMPLETE) {
        space->order = list.state;
        space->order_room = list.room;
    } else {
        list_free(&list, budget, words);
    }
    if (!memory)
        check_set_close(&space->set);
    return memory;
}

void check_space_close(struct check_space *space)
{
    if (space->order != NULL)
        check_unmap(space->set.budget, space->order,
                    space->order_room * space->model->words * sizeof(uint64_t));
    check_set_close(&space->set);
}
