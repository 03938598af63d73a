/* The locks of the catalogue in their native form, on real threads, side by side. */
#ifndef BERTH_BENCH_LOCKS_H
#define BERTH_BENCH_LOCKS_H

#include "bench/bench.h"
#include "protocol/checked.h"

enum { BENCH_LOCK_THREADS = 64, BENCH_LOCKS = 128 };

struct bench_locks_plan {
    bool quick;
    unsigned threads;          /* 0: 1, 2, and as many as there are processors, but at least 4 */
    const char *const *chosen; /* names; the rest is left out */
    size_t chosen_count;       /* 0: all of them */
    uint64_t seed;
    void (*progress)(const char *what, unsigned done, unsigned of);
};

/* One lock with one number of threads. */
struct bench_lock_row {
    const char *lock;
    unsigned threads, samples;
    struct bench_spread ns_per_pair; /* by the clock on the wall */
    struct bench_spread ratio;       /* to pthread_mutex in the same round */
    struct bench_spread fairness;    /* Jain's index of the threads' entries */
    struct bench_spread least;       /* entries of the thread with the fewest, to the mean */
    uint64_t entries, violations;    /* of all rounds; an entry that met somebody inside */
    bool stuck;                      /* a thread did not end when asked */
};

struct bench_locks_report {
    struct bench_lock_row *row;
    size_t count;
    struct bench_machine machine;
    double seconds;
    char failure[160];
};

/* Whether `berth bench --locks` can measure it: mutual exclusion among threads, without kills. */
bool bench_is_lock(const struct protocol_choice *choice);

/* Each measurement is made in a child of its own, which is killed if its threads do not come to an
 * end. The caller must be single-threaded. False: see `failure`. Free the report either way. */
bool bench_locks(const struct bench_locks_plan *plan, struct bench_locks_report *report);
void bench_locks_free(struct bench_locks_report *report);

#endif
