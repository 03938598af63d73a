/* berth bench PROTOCOL: how fast one lock of the catalogue, or of a file, is on threads,
 * natively. */
#include "bench_report.h"
#include "cli.h"

#include "check/exploration.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 16, LINE = 64, ROUNDS = 5 };

struct race {
    const struct protocol_native *native;
    struct step_params params;
    void *shared;
    _Atomic(bool) go, stop;
    _Atomic(unsigned) ready;
};

enum { LONGEST = 10 }; /* seconds that it may take to get anywhere */

struct runner {
    struct race *race;
    unsigned me;
    _Atomic(uint64_t) passages;
};

static void *run_lock(void *argument)
{
    struct runner *runner = argument;
    struct race *race = runner->race;
    const struct protocol_native *native = race->native;
    void *local = calloc(1, native->local_size);
    uint64_t passages = 0;
    atomic_fetch_add(&race->ready, 1);
    while (!atomic_load(&race->go))
        sched_yield();
    while (local != NULL && !atomic_load_explicit(&race->stop, memory_order_relaxed)) {
        if (!native->entry(race->shared, local, &race->params, runner->me))
            continue;
        native->exit(race->shared, local, &race->params, runner->me);
        atomic_store_explicit(&runner->passages, ++passages, memory_order_relaxed);
    }
    free(local);
    return NULL;
}

static uint64_t all_passages(struct runner *runner, unsigned count)
{
    uint64_t passages = 0;
    for (unsigned t = 0; t < count; t++)
        passages += atomic_load_explicit(&runner[t].passages, memory_order_relaxed);
    return passages;
}

/* Passages in a second, by this number of threads; 0: it could not be measured. */
static double race_once(const struct protocol_choice *choice, struct step_params params,
                        unsigned threads, double seconds)
{
    struct race race = {.native = choice->native, .params = params};
    struct runner runner[MOST_THREADS] = {{0}};
    pthread_t id[MOST_THREADS];
    const size_t size = (choice->native->shared_size + LINE - 1) / LINE * LINE;
    race.shared = aligned_alloc(LINE, size);
    if (race.shared == NULL)
        return 0;
    for (size_t i = 0; i < size; i++)
        ((char *)race.shared)[i] = 0;
    race.native->initial(race.shared, &race.params);
    unsigned started = 0;
    for (; started < threads; started++) {
        runner[started].race = &race;
        runner[started].me = started;
        if (pthread_create(&id[started], NULL, run_lock, &runner[started]) != 0)
            break;
    }
    while (atomic_load(&race.ready) < started)
        sched_yield();
    const double start = check_clock();
    atomic_store(&race.go, true);
    usleep((useconds_t)(seconds * 1e6));
    /* On a busy machine it may not have begun yet. */
    while (all_passages(runner, started) == 0 && check_clock() - start < LONGEST)
        usleep(1000);
    atomic_store(&race.stop, true);
    for (unsigned t = 0; t < started; t++)
        pthread_join(id[t], NULL);
    const uint64_t passages = all_passages(runner, started);
    const double took = check_clock() - start;
    free(race.shared);
    return started == threads ? (double)passages / took : 0;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int bench_lock(const char *name, bool quick, bool json)
{
    struct protocol_choice choice;
    if (!protocol_find(name, &choice))
        return cli_error(CLI_USAGE, "no such protocol: %s (berth protocols lists them)", name);
    if (choice.protocol->is_object || choice.native->supervise != NULL)
        return cli_error(CLI_USAGE, "%s is no lock of its participants alone", name);
    json_t *rows = json_array();
    char full[128];
    protocol_full_name(&choice, full, sizeof full);
    if (!json)
        printf("%s, natively: passages in a second by all threads, the median of %d runs\n%8s %14s "
               "%12s\n",
               full, (int)ROUNDS, "threads", "passages/s", "ns each");
    for (unsigned threads = 1; threads <= MOST_THREADS && threads <= choice.protocol->max_n;
         threads *= 2) {
        double rate[ROUNDS];
        struct step_params params = protocol_defaults(&choice);
        params.n = threads < choice.protocol->min_n ? choice.protocol->min_n : threads;
        params.fault = STEP_FAULT_NONE;
        for (unsigned r = 0; r < ROUNDS; r++) {
            rate[r] = race_once(&choice, params, threads, quick ? 0.02 : 0.2);
            if (rate[r] <= 0) {
                json_decref(rows);
                return cli_error(CLI_FAILED, "%s does not get anywhere with %u threads", full,
                                 threads);
            }
        }
        qsort(rate, ROUNDS, sizeof rate[0], compare);
        const double median = rate[ROUNDS / 2];
        json_array_append_new(rows, json_pack("{s:i, s:f, s:f}", "threads", (int)threads,
                                              "passages_per_second", median, "ns", 1e9 / median));
        if (!json)
            printf("%8u %14.0f %12.1f\n", threads, median, 1e9 / median);
    }
    if (json)
        return cli_print_json(json_pack("{s:s, s:o}", "protocol", full, "bench", rows));
    json_decref(rows);
    return cli_flush(CLI_OK);
}
