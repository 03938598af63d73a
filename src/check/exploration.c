#include "check/exploration.h"

#include "check/decide.h"
#include "check/parallel.h"
#include "check/symmetry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/*
 * Level by level. The threads take chunks of the level, expand a batch of states, prefetch the home
 * slots of all successors, and only then look at them: the memory latencies overlap.
 *
 * A thread that adds states to the table has set aside slots for them before, some thousands at a
 * time, so that it cannot get too full. When no slots are left to be set aside, the threads stop
 * where they are, make the table larger together, and go on: the level is explored in rounds. Each
 * has its own list of new states; the lists of one level are what is explored in the next.
 */

enum {
    FIRST_CAPACITY = 1 << 12,
    BATCH = 16,       /* states expanded before their successors are looked up */
    LEAST_CHUNK = 32, /* states of a level taken at a time by a thread, at least and at most */
    MOST_CHUNK = 4096,
    SHARES = 8,        /* a thread takes this part of what would be left for it */
    ASIDE = 4096,      /* slots set aside at a time */
    LATELY = 1 << 14,  /* states remembered by a worker; they should stay in its own cache */
    LARGE = 256 << 20, /* bytes of a table from which it grows by half */
    WORTH_HUGE_PAGES = 8 << 20,
};

#define MAX_LOAD 0.8

uint64_t check_most_numbers = UINT32_MAX; /* the last number means that there is none */

struct list { /* packed states, in memory of their own */
    uint64_t *state;
    uint64_t count, room; /* in states */
};

struct worker {
    _Alignas(CHECK_LINE) struct list next;
    uint64_t *lately;       /* LATELY states that this worker has come across not long ago */
    const uint64_t *resume; /* where its chunk was left when there were no slots any more */
    uint64_t left;          /* states of that chunk */
    int64_t slots;          /* set aside and not used */
    uint64_t added, expanded, states, transitions;
    bool error;
    bool barred;
    bool no_memory;
    uint64_t bad[CHECK_MAX_WORDS]; /* the state that an error was found in */
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct round {
    struct check_space *space;
    const struct check_limits *limits;
    uint64_t count;    /* states of the level */
    unsigned segments; /* that it lies in */
    struct {
        const uint64_t *state;
        uint64_t first;                           /* of its states, as they are counted through */
    } segment[CHECK_MAX_THREADS + 1];             /* the last one is the end */
    _Alignas(CHECK_LINE) _Atomic(uint64_t) taken; /* states of the level */
    _Alignas(CHECK_LINE) _Atomic(int64_t) free;   /* slots that may still be set aside */
    _Alignas(CHECK_LINE) _Atomic(bool) full;      /* there are none: the table has to grow */
    struct list level[CHECK_MAX_THREADS];         /* unless the order is kept */
    struct list *order;                           /* where it is */
    uint64_t offset[CHECK_MAX_THREADS];
    _Atomic(unsigned) cut; /* enum check_end: why the level is not finished */
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
    if (room * unit >= WORTH_HUGE_PAGES)
        madvise(state, room * unit, MADV_HUGEPAGE); /* a hint */
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

/* Whether the state is the one in this place; it is afterwards. A state that has been here is in
 * the table, or in the batch that is about to be looked up. Most successors of a level are reached
 * from several of its states, which lie near each other: this saves about half of the trips to
 * memory. */
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

/* Whether the time is over, or the caller has asked it to end. */
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
        worker->barred |= moves.barred;
        worker->expanded++;
        const uint64_t orbit = reduced                ? check_orbit(model, from)
                               : model->orbit != NULL ? model->orbit(model, from)
                                                      : 1;
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

/* Sets aside slots for `most` states; false: there are none left. */
static inline bool set_aside(struct round *round, struct worker *worker, unsigned most)
{
    while (worker->slots < (int64_t)most) {
        if (atomic_load_explicit(&round->full, memory_order_relaxed))
            return false;
        if (atomic_fetch_sub(&round->free, ASIDE) < ASIDE) {
            atomic_fetch_add(&round->free, ASIDE);
            atomic_store(&round->full, true);
            return false;
        }
        worker->slots += ASIDE;
    }
    return true;
}

static inline __attribute__((always_inline)) bool
explore_batch(struct round *round, struct worker *worker, struct pending *pending,
              const uint64_t *from, unsigned count, unsigned words)
{
    struct check_set *set = &round->space->set;
    const unsigned most = count * round->space->model->n * round->space->model->kinds;
    if (!set_aside(round, worker, most))
        return false;
    if (!list_reserve(&worker->next, round->limits->budget, words, most)) {
        worker->no_memory = true;
        return false;
    }
    expand_batch(round, worker, pending, from, count, words);
    if (worker->error)
        return false;
    uint64_t *next = worker->next.state + worker->next.count * words;
    unsigned added = 0;
    for (unsigned i = 0; i < pending->count; i++) {
        const uint64_t *state = &pending->state[i * words];
        if (!check_set_add_words(set, state, pending->home[i], words))
            continue;
        for (unsigned w = 0; w < words; w++)
            next[added * words + w] = state[w];
        added++;
    }
    worker->next.count += added;
    worker->added += added;
    worker->slots -= added;
    return true;
}

/* How many of the states that are left a thread takes. States that lie next to each other lead to
 * the same ones, which a thread that takes them all knows: the more at a time, the better. But all
 * threads should be done at about the same time, so the last ones are taken in small chunks. */
static uint64_t chunk_of(const struct round *round, uint64_t left)
{
    const uint64_t share = left / ((uint64_t)round->limits->threads * SHARES);
    const uint64_t chunk = share < LEAST_CHUNK  ? LEAST_CHUNK
                           : share > MOST_CHUNK ? MOST_CHUNK
                                                : share;
    return chunk < left ? chunk : left;
}

/* The next chunk of the level, which lies in one segment; false: there is none. */
static bool take_chunk(struct round *round, struct worker *worker, unsigned words)
{
    uint64_t first = atomic_load(&round->taken), last;
    unsigned s = 0;
    do {
        if (first >= round->count)
            return false;
        while (first >= round->segment[s + 1].first)
            s++;
        last = first + chunk_of(round, round->count - first);
        if (last > round->segment[s + 1].first)
            last = round->segment[s + 1].first;
    } while (!atomic_compare_exchange_weak(&round->taken, &first, last));
    worker->resume = round->segment[s].state + (first - round->segment[s].first) * words;
    worker->left = last - first;
    return true;
}

/* One more segment of the level that is being put together. */
static void add_segment(struct round *round, const uint64_t *state, uint64_t count)
{
    round->segment[round->segments++].state = state;
    round->count += count;
    round->segment[round->segments].first = round->count;
}

static inline __attribute__((always_inline)) void
work_through(struct round *round, struct worker *worker, unsigned words)
{
    struct pending pending;
    while (!is_cut(round) && (worker->left > 0 || take_chunk(round, worker, words))) {
        while (worker->left > 0) {
            const unsigned count = worker->left < BATCH ? (unsigned)worker->left : BATCH;
            if (!explore_batch(round, worker, &pending, worker->resume, count, words))
                return;
            worker->resume += (size_t)count * words;
            worker->left -= count;
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

/* Makes room for a round: there are free slots for some states more for each thread, and the whole
 * is not too full. False: no memory for it. */
static bool make_room(struct round *round)
{
    struct check_space *space = round->space;
    const unsigned threads = round->limits->threads;
    const int64_t least = (int64_t)threads * (ASIDE + (int64_t)BATCH * CHECK_MAX_EDGES);
    for (;;) {
        const int64_t usable = (int64_t)((double)space->set.capacity * MAX_LOAD);
        const int64_t free = usable - (int64_t)space->stored;
        if (free >= least) {
            atomic_store(&round->free, free);
            atomic_store(&round->full, false);
            return true;
        }
        /* To double is faster, to grow by less leaves less memory unused: that counts for more
         * where the table is large, or a slot is. */
        const struct check_set *set = &space->set;
        const uint64_t more = set->words > 1 && set->bytes >= LARGE / 8 ? set->capacity / 4
                              : set->words > 1 || set->bytes >= LARGE   ? set->capacity / 2
                                                                        : set->capacity;
        if (!check_set_grow_with(&space->set, set->capacity + more, threads))
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

/* A level of fewer states is not worth a second thread. */
static uint64_t alone(void)
{
    return check_worth_threads / 1024;
}

/* Adds up what the threads have done. */
static enum check_end collect(struct round *round)
{
    struct check_space *space = round->space;
    enum check_end end = CHECK_COMPLETE;
    for (unsigned t = 0; t < round->limits->threads; t++) {
        struct worker *worker = &round->worker[t];
        space->stored += worker->added;
        space->states += worker->states;
        space->expanded += worker->expanded;
        space->transitions += worker->transitions;
        space->barred |= worker->barred;
        worker->added = worker->expanded = worker->states = worker->transitions = 0;
        worker->slots = 0;
        if (worker->error && end != CHECK_OUT_OF_RANGE)
            memcpy(space->bad, worker->bad, sizeof space->bad);
        if (worker->error)
            end = CHECK_OUT_OF_RANGE;
        else if (worker->no_memory && end == CHECK_COMPLETE)
            end = CHECK_OUT_OF_MEMORY;
    }
    return end;
}

/* The states of the level that are not explored yet. */
static uint64_t waiting_in(const struct round *round)
{
    uint64_t waiting = round->count - atomic_load(&round->taken);
    for (unsigned t = 0; t < round->limits->threads; t++)
        waiting += round->worker[t].left;
    return waiting;
}

/* Explores the level; the new states are left in the workers' lists. */
static enum check_end explore_level(struct round *round, double start)
{
    struct check_space *space = round->space;
    const struct check_limits *limits = round->limits;
    atomic_store(&round->taken, 0);
    for (uint64_t waiting; (waiting = waiting_in(round)) > 0;) {
        if (!make_room(round))
            return CHECK_OUT_OF_MEMORY;
        for (unsigned t = 0; waiting < alone() && t < limits->threads; t++)
            work(round, t);
        if (waiting >= alone())
            check_parallel(limits->threads, work, round);
        const enum check_end end = collect(round);
        if (end != CHECK_COMPLETE)
            return end;
        report(round, waiting_in(round), start);
        if (is_cut(round))
            return (enum check_end)atomic_load(&round->cut);
        if ((limits->keep_order && space->stored >= check_most_numbers) ||
            (limits->states > 0 && space->stored >= limits->states))
            return CHECK_TOO_MANY;
    }
    return CHECK_COMPLETE;
}

static void copy_list(void *context, unsigned thread)
{
    struct round *round = context;
    const unsigned words = round->space->model->words;
    struct list *next = &round->worker[thread].next;
    if (next->count > 0)
        memcpy(round->order->state + round->offset[thread] * words, next->state,
               next->count * words * sizeof(uint64_t));
    next->count = 0;
}

/* The workers' lists become the next level. Where the order is kept, they are copied to the end of
 * the list of all; false: no memory for that. */
static bool next_level(struct round *round)
{
    const unsigned words = round->space->model->words, threads = round->limits->threads;
    uint64_t count = 0;
    for (unsigned t = 0; t < threads; t++) {
        round->offset[t] = round->order->count + count;
        count += round->worker[t].next.count;
    }
    round->segments = 0;
    round->count = 0;
    for (unsigned t = 0; !round->limits->keep_order && t < threads; t++) {
        const struct list used = round->level[t];
        round->level[t] = round->worker[t].next;
        round->worker[t].next = used;
        round->worker[t].next.count = 0;
        if (round->level[t].count > 0)
            add_segment(round, round->level[t].state, round->level[t].count);
    }
    if (!round->limits->keep_order || count == 0)
        return true;
    if (!list_reserve(round->order, round->limits->budget, words, count))
        return false;
    if (count < 16 * alone()) { /* to copy a state is a small part of exploring it */
        for (unsigned t = 0; t < threads; t++)
            copy_list(round, t);
    } else {
        check_parallel(threads, copy_list, round);
    }
    add_segment(round, round->order->state + round->order->count * words, count);
    round->order->count += count;
    return true;
}

static void search(struct round *round)
{
    struct check_space *space = round->space;
    const unsigned words = space->model->words;
    const double start = round->start = check_clock();
    while (round->count > 0 && space->end == CHECK_COMPLETE) {
        const uint64_t level = round->count;
        space->end = explore_level(round, start);
        if (!next_level(round) && space->end == CHECK_COMPLETE)
            space->end = CHECK_OUT_OF_MEMORY;
        const uint64_t bytes = space->set.bytes + (level + round->count) * words * sizeof(uint64_t);
        space->bytes = bytes > space->bytes ? bytes : space->bytes;
        space->depth++;
    }
}

/* Memory for the workers, and the first level, which is the initial state. */
static bool begin(struct round *round, struct list *order)
{
    const struct check_limits *limits = round->limits;
    struct check_space *space = round->space;
    const unsigned words = space->model->words;
    struct list *list = limits->keep_order ? order : &round->level[0];
    round->order = order;
    bool memory = list_reserve(list, limits->budget, words, 1);
    for (unsigned t = 0; t < limits->threads; t++) {
        round->worker[t].lately = check_map(limits->budget, LATELY * words * sizeof(uint64_t));
        memory = memory && round->worker[t].lately != NULL;
    }
    if (!memory)
        return false;
    space->model->initial(space->model, list->state);
    order->count = limits->keep_order ? 1 : 0;
    add_segment(round, list->state, 1);
    check_set_add(&space->set, list->state,
                  check_set_home(check_set_hash(list->state, words), FIRST_CAPACITY));
    space->stored = 1;
    return true;
}

bool check_explore(struct check_space *space, const struct check_model *model,
                   const struct check_limits *limits)
{
    struct check_budget *budget = limits->budget;
    const unsigned words = model->words;
    *space = (struct check_space){.model = model};
    space->reduced = limits->symmetry && check_symmetry_helps(model);
    struct round *round = aligned_alloc(CHECK_LINE, sizeof *round);
    if (round == NULL || !check_set_open(&space->set, budget, words, FIRST_CAPACITY)) {
        free(round);
        return false;
    }
    memset(round, 0, sizeof *round);
    round->space = space;
    round->limits = limits;
    struct list order = {0};
    const bool memory = begin(round, &order);
    if (memory)
        search(round);
    for (unsigned t = 0; t < limits->threads; t++) {
        list_free(&round->worker[t].next, budget, words);
        list_free(&round->level[t], budget, words);
        check_unmap(budget, round->worker[t].lately, LATELY * words * sizeof(uint64_t));
    }
    free(round);
    if (memory && limits->keep_order && space->end == CHECK_COMPLETE) {
        space->order = order.state;
        space->order_room = order.room;
    } else {
        list_free(&order, budget, words);
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
