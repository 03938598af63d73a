/* What the harnesses of one run share: its plan, its random numbers, its way to wait, its
 * places. */
#ifndef BERTH_BENCH_PLAN_H
#define BERTH_BENCH_PLAN_H

#include "bench/bench.h"
#include "stress/signals.h"

#include <stdatomic.h>

enum { BENCH_LINE = 128 }; /* two cache lines: processors fetch them in pairs */

/* How much of everything: one for a full run, one for a quick one. */
struct bench_sizes {
    unsigned uncontended_rounds;
    double batch_s; /* of uncontended pairs */
    unsigned plain_rounds, traced_rounds;
    double warmup_s, window_s; /* of a contended round */
    unsigned most_processes;
    unsigned kills;
    unsigned recoveries;
    double parked_s;
    unsigned crowd; /* waiters that are parked together; 0: not done */
    double crowd_s;
    unsigned command_rounds, slow_command_rounds;
};

struct bench_run {
    const struct bench_plan *plan;
    const struct bench_sizes *size;
    struct bench_report *report;
    struct stress_signals signals;
    char directory[64]; /* for temporary files; removed at the end */
    uint64_t random;
    unsigned places;      /* made so far */
    uint64_t work_per_us; /* see bench/work.h */
};

/* All of these return false where the run cannot go on: see its report. */

/* Puts down what could not be done and why; returns false. */
bool bench_fail(struct bench_run *run, const char *what, int error);

/* Sleeps until bench_now() is `until`. */
bool bench_sleep(struct bench_run *run, double until);
/* Sleeps at most this many seconds; a child that ends cuts it short. */
bool bench_doze(struct bench_run *run, double seconds);

/* Takes a copy of the row. */
bool bench_add(struct bench_run *run, const struct bench_row *row);

/* A row in which nothing is known yet. */
struct bench_row bench_row_of(enum bench_case of, const char *subject, unsigned processes,
                              unsigned slots);
/* Into the row's note, with the errno value's text. */
void bench_note(struct bench_row *row, const char *what, int error);

void bench_progress(const struct bench_run *run, const char *what, unsigned done, unsigned of);

bool bench_chosen(const struct bench_run *run, const struct bench_subject *subject);

/* 0 .. below - 1 */
unsigned bench_pick(struct bench_run *run, unsigned below);
/* 0 .. count - 1 in a random order. */
void bench_shuffle(uint64_t *random, unsigned *order, unsigned count);

double bench_now(void); /* seconds of the monotonic clock, which all processes agree on */
uint64_t bench_now_ns(void);

/* Memory that children share, zero at first; NULL with errno set. */
void *bench_map(size_t size);
void bench_unmap(void *memory, size_t size);

/* Sets a subject up: 0 or an errno value. */
int bench_place_make(struct bench_run *run, struct bench_place *place,
                     const struct bench_subject *subject, unsigned slots);
void bench_place_unmake(struct bench_place *place);

/* The harnesses. */
bool bench_uncontended(struct bench_run *run);
bool bench_contended(struct bench_run *run);
bool bench_kills(struct bench_run *run);
bool bench_recovery(struct bench_run *run);
bool bench_parked(struct bench_run *run);
bool bench_command(struct bench_run *run);

#endif
