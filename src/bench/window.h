/* One subject under contention for a fraction of a second. */
#ifndef BERTH_BENCH_WINDOW_H
#define BERTH_BENCH_WINDOW_H

#include "bench/board.h"
#include "bench/overtakes.h"

struct bench_window {
    struct bench_run *run;
    const struct bench_subject *subject;
    unsigned processes, slots;
    double section_us;
    struct bench_board *board;
};

/* A plain window: only each process's number of pairs is recorded. */
struct bench_plain {
    double ns_per_pair, cpu_ns_per_pair, fairness; /* NAN: there was no pair */
};

/* A traced window: every acquire is timed and numbered. */
struct bench_traced {
    struct bench_histogram waits; /* of acquires that ended; the longest may not have */
    struct bench_overtaken overtaken;
    uint64_t violations;
};

/* False: the run cannot go on. *error: why the subject could not be measured, an errno value. */
bool bench_window_plain(const struct bench_window *window, struct bench_plain *plain, int *error);
bool bench_window_traced(const struct bench_window *window, struct bench_traced *traced,
                         int *error);

#endif
