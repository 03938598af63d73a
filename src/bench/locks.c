/*
 * Threads that take a lock and give it back, again and again, with nothing between. Every lock has
 * one window in each round, in an order that is new for every round; what is reported is the median
 * of the rounds. Each entry looks whether somebody else is inside, so that a lock without mutual
 * exclusion is detected here too.
 *
 * One thread alone measures the way in when nobody else wants it, with the lock made for two.
 */
#include "bench/locks.h"

#include "bench/hardware.h"
#include "bench/plan.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SIZES = 3, FULL_ROUNDS = 7, QUICK_ROUNDS = 3 };
static const double full_window_s = 0.1, quick_window_s = 0.02, patience_s = 20;

struct tally {
    _Alignas(BENCH_LINE) uint64_t entries, violations;
};

/* What one window is about, shared by the child's threads and, in the end, with the parent. */
struct window {
    _Alignas(BENCH_LINE) _Atomic(unsigned) inside;
    _Alignas(BENCH_LINE) atomic_bool stop;
    pthread_barrier_t start;
    pthread_mutex_t mutex;
    const struct protocol_native *native; /* NULL: the mutex */
    struct step_params params;
    void *shared;
    unsigned threads;
    double seconds;
    bool done;
    struct tally tally[BENCH_LOCK_THREADS];
};

struct seat {
    struct window *window;
    unsigned me;
    void *local;
};

/* ---- in the child ---- */

/* The work inside: one look and one step, so that two at once are seen. */
static bool alone(struct window *window)
{
    const bool first = atomic_exchange_explicit(&window->inside, 1, memory_order_relaxed) == 0;
    atomic_store_explicit(&window->inside, 0, memory_order_relaxed);
    return first;
}

static void *take_turns(void *context)
{
    const struct seat *seat = context;
    struct window *window = seat->window;
    const struct protocol_native *native = window->native;
    uint64_t entries = 0, violations = 0;
    pthread_barrier_wait(&window->start);
    while (!atomic_load_explicit(&window->stop, memory_order_relaxed)) {
        if (native == NULL) {
            pthread_mutex_lock(&window->mutex);
            violations += !alone(window);
            pthread_mutex_unlock(&window->mutex);
        } else if (native->entry(window->shared, seat->local, &window->params, seat->me)) {
            violations += !alone(window);
            native->exit(window->shared, seat->local, &window->params, seat->me);
        }
        entries++;
    }
    window->tally[seat->me].entries = entries;
    window->tally[seat->me].violations = violations;
    return NULL;
}

static void pass_time(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* Does not return: 0, or the errno value that kept it from measuring. */
static void run_child(struct window *window)
{
    static struct seat seat[BENCH_LOCK_THREADS];
    pthread_t thread[BENCH_LOCK_THREADS] = {0};
    const size_t local_size = window->native != NULL ? window->native->local_size : 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int error = pthread_barrier_init(&window->start, NULL, window->threads + 1);
    for (unsigned t = 0; t < window->threads && error == 0; t++) {
        void *local = NULL;
        error = posix_memalign(&local, BENCH_LINE, local_size + BENCH_LINE);
        if (error != 0)
            break;
        memset(local, 0, local_size);
        seat[t] = (struct seat){window, t, local};
        error = pthread_create(&thread[t], NULL, take_turns, &seat[t]);
    }
    if (error != 0)
        _exit(error); /* those that wait at the barrier go too */
    pthread_barrier_wait(&window->start);
    const double begun = bench_now();
    pass_time(window->seconds);
    atomic_store(&window->stop, true);
    window->seconds = bench_now() - begun;
    for (unsigned t = 0; t < window->threads; t++)
        pthread_join(thread[t], NULL);
    window->done = true;
    _exit(0);
}

/* ---- one window ---- */

/* Gives the child time to come to an end; false: it was killed for not doing so. */
static bool await_child(pid_t child, double deadline, int *status)
{
    for (;;) {
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child)
            return true;
        if (ended < 0 && errno != EINTR) {
            *status = 0;
            return true;
        }
        if (bench_now() > deadline)
            break;
        pass_time(0.001);
    }
    kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

static int set_up(struct window *window, const struct protocol_native *native, unsigned threads,
                  double seconds)
{
    memset(window, 0, sizeof *window);
    window->native = native;
    window->threads = threads;
    window->seconds = seconds;
    int error = pthread_mutex_init(&window->mutex, NULL);
    if (native == NULL || error != 0)
        return error;
    error = posix_memalign(&window->shared, BENCH_LINE, native->shared_size + BENCH_LINE);
    if (error == 0)
        memset(window->shared, 0, native->shared_size);
    return error;
}

/* 0 or an errno value. */
static int measure(struct window *window, const struct protocol_choice *choice, unsigned threads,
                   double seconds)
{
    int error = set_up(window, choice != NULL ? choice->native : NULL, threads, seconds);
    if (error != 0)
        return error;
    if (choice != NULL) {
        window->params = protocol_defaults(choice);
        window->params.n = threads > choice->protocol->min_n ? threads : choice->protocol->min_n;
        window->params.l = 1;
        window->params.k = 1;
        window->params.fault = STEP_FAULT_NONE;
        choice->native->initial(window->shared, &window->params);
    }
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        run_child(window);
    if (child < 0)
        error = errno;
    else if (!await_child(child, bench_now() + seconds + patience_s, &status))
        window->done = false;
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    free(window->shared);
    return error;
}

/* ---- all of them ---- */

struct sample {
    double ns_per_pair, fairness, least;
};

struct entrant {
    struct protocol_choice choice; /* of the mutex: nothing */
    const char *name;
};

struct contest {
    const struct bench_locks_plan *plan;
    struct bench_locks_report *report;
    struct window *window;
    struct entrant entrant[BENCH_LOCKS];
    unsigned entrants;
    unsigned size[MOST_SIZES], sizes;
    unsigned rounds;
    struct sample (*sample)[FULL_ROUNDS]; /* of each row */
    uint64_t random;
};

/* These need something that is missing here: l-assignment another protocol around it, etcd-lease a
 * store with leases that run out. */
static const char *const no_locks[] = {"l-assignment", "etcd-lease"};

bool bench_is_lock(const struct protocol_choice *choice)
{
    const struct protocol *protocol = choice->protocol;
    bool excludes = false;
    for (size_t i = 0; i < sizeof no_locks / sizeof no_locks[0]; i++) {
        if (strcmp(protocol->name, no_locks[i]) == 0)
            return false;
    }
    for (size_t c = 0; c < protocol->variants[0].claim_count; c++)
        excludes |= protocol->variants[0].claims[c].property == CHECK_EXCLUSION;
    return excludes && !protocol->is_object && !protocol->ranks_things && protocol->min_l <= 1 &&
           protocol->fault != STEP_FAULT_KILL && choice->native->clash == NULL &&
           choice->native->supervise == NULL;
}

static bool is_chosen(const struct bench_locks_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->chosen_count; i++) {
        if (strcmp(plan->chosen[i], name) == 0)
            return true;
    }
    return plan->chosen_count == 0;
}

static void choose(struct contest *contest)
{
    contest->entrant[contest->entrants++].name =
        "pthread_mutex"; /* what the others are measured by */
    for (size_t i = 0; i < protocol_count && contest->entrants < BENCH_LOCKS; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, 0};
        if (bench_is_lock(&choice) && is_chosen(contest->plan, protocol->name))
            contest->entrant[contest->entrants++] = (struct entrant){choice, protocol->name};
    }
}

static void choose_sizes(struct contest *contest)
{
    const unsigned cores = contest->report->machine.cores;
    if (contest->plan->threads != 0) {
        contest->size[contest->sizes++] = contest->plan->threads;
        return;
    }
    contest->size[contest->sizes++] = 1;
    contest->size[contest->sizes++] = 2;
    contest->size[contest->sizes++] = cores > 8 ? 8 : cores < 4 ? 4 : cores;
}

static bool fits(const struct entrant *entrant, unsigned threads)
{
    return entrant->choice.protocol == NULL || threads <= entrant->choice.protocol->max_n;
}

static bool fail(struct contest *contest, const char *what, int error)
{
    snprintf(contest->report->failure, sizeof contest->report->failure, "%s: %s", what,
             strerror(error));
    return false;
}

static void take_down(const struct window *window, struct bench_lock_row *row,
                      struct sample *sample)
{
    uint64_t entries[BENCH_LOCK_THREADS], sum = 0, least = UINT64_MAX;
    *sample = (struct sample){0};
    if (!window->done) {
        row->stuck = true;
        return;
    }
    for (unsigned t = 0; t < window->threads; t++) {
        entries[t] = window->tally[t].entries;
        sum += entries[t];
        least = entries[t] < least ? entries[t] : least;
        row->violations += window->tally[t].violations;
    }
    row->entries += sum;
    row->samples++;
    sample->ns_per_pair = window->seconds * 1e9 / (double)(sum > 0 ? sum : 1);
    sample->fairness = bench_jain(entries, window->threads);
    sample->least = sum > 0 ? (double)least * window->threads / (double)sum : 0;
}

/* The rows are entrants by sizes. */
static bool run_round(struct contest *contest, unsigned round, unsigned s)
{
    unsigned order[BENCH_LOCKS];
    const double seconds = contest->plan->quick ? quick_window_s : full_window_s;
    bench_shuffle(&contest->random, order, contest->entrants);
    for (unsigned i = 0; i < contest->entrants; i++) {
        const unsigned e = order[i], at = e * contest->sizes + s;
        struct bench_lock_row *row = &contest->report->row[at];
        if (!fits(&contest->entrant[e], contest->size[s]) || row->stuck)
            continue;
        const struct protocol_choice *choice = &contest->entrant[e].choice;
        const int error = measure(contest->window, choice->protocol != NULL ? choice : NULL,
                                  contest->size[s], seconds);
        if (error != 0)
            return fail(contest, contest->entrant[e].name, error);
        take_down(contest->window, row, &contest->sample[at][round]);
    }
    return true;
}

static bool run_rounds(struct contest *contest)
{
    for (unsigned round = 0; round < contest->rounds; round++) {
        for (unsigned s = 0; s < contest->sizes; s++) {
            if (contest->plan->progress != NULL)
                contest->plan->progress("locks", round * contest->sizes + s,
                                        contest->rounds * contest->sizes);
            if (!run_round(contest, round, s))
                return false;
        }
    }
    return true;
}

static void summarise(struct contest *contest)
{
    size_t kept = 0;
    for (size_t at = 0; at < (size_t)contest->entrants * contest->sizes; at++) {
        struct bench_lock_row row = contest->report->row[at];
        const struct sample *sample = contest->sample[at];
        const struct sample *mutex = contest->sample[at % contest->sizes];
        double ns[FULL_ROUNDS], ratio[FULL_ROUNDS], fairness[FULL_ROUNDS], least[FULL_ROUNDS];
        if (row.samples == 0 && !row.stuck)
            continue; /* it does not take this many threads */
        for (unsigned r = 0; r < contest->rounds && !row.stuck; r++) {
            ns[r] = sample[r].ns_per_pair;
            ratio[r] = sample[r].ns_per_pair / mutex[r].ns_per_pair;
            fairness[r] = sample[r].fairness;
            least[r] = sample[r].least;
        }
        const unsigned count = row.stuck ? 0 : contest->rounds;
        row.ns_per_pair = bench_spread_of(ns, count);
        row.ratio = bench_spread_of(ratio, count);
        row.fairness = bench_spread_of(fairness, count);
        row.least = bench_spread_of(least, count);
        contest->report->row[kept++] = row;
    }
    contest->report->count = kept;
}

bool bench_locks(const struct bench_locks_plan *plan, struct bench_locks_report *report)
{
    static struct contest contest;
    const double begun = bench_now();
    *report = (struct bench_locks_report){0};
    contest = (struct contest){.plan = plan, .report = report, .random = plan->seed};
    contest.rounds = plan->quick ? QUICK_ROUNDS : FULL_ROUNDS;
    bench_machine_look(&report->machine);
    choose(&contest);
    choose_sizes(&contest);
    const size_t rows = (size_t)contest.entrants * contest.sizes;
    report->row = calloc(rows, sizeof *report->row);
    contest.sample = calloc(rows, sizeof *contest.sample);
    contest.window = bench_map(sizeof *contest.window);
    bool ran = report->row != NULL && contest.sample != NULL && contest.window != NULL;
    if (!ran)
        fail(&contest, "cannot measure", ENOMEM);
    for (size_t at = 0; at < rows && ran; at++) {
        report->row[at].lock = contest.entrant[at / contest.sizes].name;
        report->row[at].threads = contest.size[at % contest.sizes];
    }
    ran = ran && run_rounds(&contest);
    if (ran)
        summarise(&contest);
    if (contest.window != NULL)
        bench_unmap(contest.window, sizeof *contest.window);
    free(contest.sample);
    report->seconds = bench_now() - begun;
    return ran;
}

void bench_locks_free(struct bench_locks_report *report)
{
    free(report->row);
    *report = (struct bench_locks_report){0};
}
