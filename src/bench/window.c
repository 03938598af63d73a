/*
 * The processes are not asked to stop: the driver reads their counters and their CPU clocks at both
 * ends of the window, and then kills them. So neither the start of a process nor its end is in the
 * numbers, and a subject that hangs costs no more time than one that does not.
 */
#include "bench/window.h"

#include "bench/work.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* How often the driver of a traced window looks at a process. */
static const double glance = 0.0003;

struct state {
    const struct bench_window *window;
    struct bench_place place;
    struct bench_crew crew;
    uint64_t work;
};

/* ---- in a child ---- */

static int work_plainly(const struct state *state, struct bench_seat *seat, unsigned me)
{
    const struct bench_subject *subject = state->place.subject;
    struct bench_corner *corner = &state->window->board->corner[me];
    const uint64_t work = state->work;
    for (uint64_t pairs = 1;; pairs++) {
        int error = subject->acquire(seat);
        if (error != 0)
            return error;
        bench_work(work);
        error = subject->release(seat);
        if (error != 0)
            return error;
        atomic_store_explicit(&corner->pairs, pairs, memory_order_relaxed);
    }
}

/* Just after an acquire: the order of entry, and the time that it took. */
static void write_down(const struct state *state, const struct bench_seat *seat, unsigned me,
                       uint64_t began_at)
{
    struct bench_board *board = state->window->board;
    struct bench_corner *corner = &board->corner[me];
    uint32_t at = atomic_fetch_add(&board->entered.value, 1);
    uint32_t number = atomic_load_explicit(&corner->began, memory_order_relaxed);
    atomic_store(&corner->began, 0);
    if (atomic_fetch_add(&board->inside.value, 1) >= state->place.slots)
        atomic_fetch_add(&board->violations, 1);
    if (at < BENCH_LOG) {
        uint64_t (*ticket)(const struct bench_seat *) = state->place.subject->ticket;
        board->log[at] = (struct bench_entry){number, ticket == NULL ? 0 : (uint32_t)ticket(seat)};
    }
    if (began_at != 0)
        bench_histogram_add(&corner->waits, bench_now_ns() - began_at);
}

static int work_traced(const struct state *state, struct bench_seat *seat, unsigned me)
{
    const struct bench_subject *subject = state->place.subject;
    struct bench_board *board = state->window->board;
    struct bench_corner *corner = &board->corner[me];
    for (;;) {
        bool measuring = atomic_load_explicit(&board->measuring, memory_order_relaxed);
        uint64_t began_at = measuring ? bench_now_ns() : 0;
        atomic_store(&corner->began_at, began_at);
        atomic_store(&corner->began, atomic_fetch_add(&board->arrivals.value, 1) + 1);
        int error = subject->acquire(seat);
        if (error != 0)
            return error;
        write_down(state, seat, me, began_at);
        bench_work(state->work);
        atomic_fetch_sub(&board->inside.value, 1);
        error = subject->release(seat);
        if (error != 0)
            return error;
    }
}

static int join(struct state *state, struct bench_seat *seat)
{
    *seat = (struct bench_seat){.place = &state->place};
    int error = state->place.subject->join(seat);
    if (error == 0)
        bench_gate_wait(&state->window->board->gate);
    return error;
}

static int live_plainly(void *context, unsigned me)
{
    struct state *state = context;
    struct bench_seat seat;
    int error = join(state, &seat);
    return error != 0 ? error : work_plainly(state, &seat, me);
}

static int live_traced(void *context, unsigned me)
{
    struct state *state = context;
    struct bench_seat seat;
    int error = join(state, &seat);
    return error != 0 ? error : work_traced(state, &seat, me);
}

/* ---- in the driver ---- */

static void wipe(struct bench_board *board)
{
    uint32_t entered = atomic_load(&board->entered.value);
    memset(board->log, 0, (entered < BENCH_LOG ? entered : BENCH_LOG) * sizeof board->log[0]);
    memset((void *)board, 0, offsetof(struct bench_board, log));
}

/* Everybody has joined, begun, and run for a while. */
static bool start(struct state *state, bench_body *body, int *error)
{
    const struct bench_window *window = state->window;
    struct bench_run *run = window->run;
    wipe(window->board);
    *error = 0;
    for (unsigned i = 0; i < window->processes && *error == 0; i++)
        *error = bench_crew_start(&state->crew, i, body, state);
    if (*error != 0 ||
        !bench_gate_full(&window->board->gate, &state->crew, window->processes, error))
        return false;
    bench_gate_open(&window->board->gate);
    return bench_sleep(run, bench_now() + run->size->warmup_s);
}

struct reading {
    double at;
    uint64_t pairs[BENCH_CONTENDERS];
    uint64_t cpu_ns;
};

static void read_board(const struct state *state, struct reading *reading)
{
    const struct bench_window *window = state->window;
    reading->at = bench_now();
    for (unsigned i = 0; i < window->processes; i++)
        reading->pairs[i] = atomic_load(&window->board->corner[i].pairs);
    reading->cpu_ns = 0;
    for (unsigned i = 0; i < window->processes; i++)
        reading->cpu_ns += bench_crew_cpu_ns(&state->crew, i);
}

static struct bench_plain between(const struct reading *first, const struct reading *last,
                                  unsigned processes)
{
    uint64_t pairs[BENCH_CONTENDERS], sum = 0;
    for (unsigned i = 0; i < processes; i++) {
        pairs[i] = last->pairs[i] - first->pairs[i];
        sum += pairs[i];
    }
    if (sum == 0)
        return (struct bench_plain){NAN, NAN, NAN};
    return (struct bench_plain){
        .ns_per_pair = (last->at - first->at) * 1e9 / (double)sum,
        .cpu_ns_per_pair = (double)(last->cpu_ns - first->cpu_ns) / (double)sum,
        .fairness = bench_jain(pairs, processes),
    };
}

static bool measure_plain(struct state *state, struct bench_plain *plain, int *error)
{
    struct bench_run *run = state->window->run;
    struct reading first = {0}, last = {0};
    if (!start(state, live_plainly, error))
        return *error != 0;
    read_board(state, &first);
    if (!bench_sleep(run, first.at + run->size->window_s))
        return false;
    read_board(state, &last);
    if (!bench_crew_failed(&state->crew, error))
        *plain = between(&first, &last, state->window->processes);
    return true;
}

/* The waits of all together. One that has not ended has lasted as long as it has. */
static void collect_waits(const struct state *state, uint64_t now, struct bench_histogram *waits)
{
    memset(waits, 0, sizeof *waits);
    for (unsigned i = 0; i < state->window->processes; i++) {
        const struct bench_corner *corner = &state->window->board->corner[i];
        uint64_t began_at = atomic_load(&corner->began_at);
        bench_histogram_merge(waits, &corner->waits);
        if (atomic_load(&corner->began) != 0 && began_at != 0 && began_at < now &&
            now - began_at > waits->max)
            waits->max = now - began_at;
    }
}

static bool measure_traced(struct state *state, struct bench_traced *traced, int *error)
{
    static struct bench_order order; /* large */
    struct bench_run *run = state->window->run;
    struct bench_board *board = state->window->board;
    order.count = 0;
    order.watching = false;
    if (!start(state, live_traced, error))
        return *error != 0;
    atomic_store(&board->measuring, true);
    const double end = bench_now() + run->size->window_s;
    while (bench_now() < end) {
        bench_order_look(&order, board, &state->crew);
        if (!bench_sleep(run, bench_now() + glance))
            return false;
    }
    /* Read before the processes are killed: a killed process would count as inside even after
     * another one has its slot. */
    uint64_t now = bench_now_ns();
    traced->violations = atomic_load(&board->violations);
    bench_order_close(&order, board);
    if (bench_crew_failed(&state->crew, error))
        return true;
    bench_crew_end(&state->crew);
    collect_waits(state, now, &traced->waits);
    if (!bench_order_count(&order, board, &state->place, &traced->overtaken))
        return bench_fail(run, "cannot work out the order", ENOMEM);
    return true;
}

static bool prepare(struct state *state, const struct bench_window *window, int *error)
{
    state->window = window;
    state->work = (uint64_t)(window->section_us * (double)window->run->work_per_us);
    bench_crew_init(&state->crew, window->run);
    *error = bench_place_make(window->run, &state->place, window->subject, window->slots);
    return *error == 0;
}

static void clean_up(struct state *state)
{
    bench_crew_end(&state->crew);
    bench_place_unmake(&state->place);
}

bool bench_window_plain(const struct bench_window *window, struct bench_plain *plain, int *error)
{
    struct state state;
    if (!prepare(&state, window, error))
        return true;
    bool ran = measure_plain(&state, plain, error);
    clean_up(&state);
    return ran;
}

bool bench_window_traced(const struct bench_window *window, struct bench_traced *traced, int *error)
{
    struct state state;
    if (!prepare(&state, window, error))
        return true;
    bool ran = measure_traced(&state, traced, error);
    clean_up(&state);
    return ran;
}
