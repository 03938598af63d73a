/*
 * Ways to hand out slots among processes, measured side by side in one run. bench.c says how, and
 * what each number means.
 */
#ifndef BERTH_BENCH_BENCH_H
#define BERTH_BENCH_BENCH_H

#include "bench/statistics.h"
#include "bench/subject.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_case {
    BENCH_UNCONTENDED,
    BENCH_CONTENDED,
    BENCH_KILLS,
    BENCH_RECOVERY,
    BENCH_PARKED,
    BENCH_COMMAND,
    BENCH_CASES
};
extern const char *const bench_case_names[BENCH_CASES];

enum { BENCH_CONTENDERS = 64 }; /* most processes in the case contended */

struct bench_plan {
    bool quick;
    bool cases[BENCH_CASES];
    bool subjects[BENCH_SUBJECTS]; /* as in bench_subjects; the case command ignores it */
    unsigned processes;            /* in the case contended; 0: several numbers of them */
    uint64_t seed;
    const char *command; /* the path of the berth command */
    /* Called from time to time with what is being done; or NULL. */
    void (*progress)(const char *what, unsigned done, unsigned of);
};

/* One measurement. What it does not tell is NAN, or a spread of NANs. */
struct bench_row {
    enum bench_case of;
    const char *subject;
    unsigned processes, slots;
    double section_us; /* what is done with a slot before it is released */
    unsigned samples;  /* rounds; for recovery, kills */

    struct bench_spread ns_per_pair; /* by the clock on the wall; for a command, its whole run */
    struct bench_spread ratio;       /* to sem_t in the same round; for a command, to fork+exec */
    struct bench_spread cpu_ns_per_pair; /* of all processes together */
    struct bench_spread ratio_to_sysv, cpu_ratio_to_sysv, ratio_to_flock; /* in the same round */
    struct bench_spread fairness;                                         /* Jain's index */

    double watched, overtakes;  /* waiters seen asleep, and how often they were passed after that */
    double overtakes_by_ticket; /* of entries in another order than their tickets; one slot only */
    double overtakes_from_call; /* the same by the order of the calls, doorway races included */
    double p50_us, p99_us, max_us; /* of a wait; of a recovery */

    double kills, slots_left;
    double dead_after; /* the kill after which no process got a slot any more */

    double cpu_percent; /* of one core, all waiters together */

    char note[120]; /* what went wrong, or is special; often empty */
};

struct bench_machine {
    char cpu[96], kernel[96];
    unsigned cores;
    double load; /* processes that wanted to run in the minute before */
};

struct bench_report {
    struct bench_row *row;
    size_t count, room;
    struct bench_machine machine;
    double seconds;
    int interrupted;   /* the signal that ended it early; 0: none */
    char failure[160]; /* why berth failed, where bench_run returned false */
};

/* Blocks until all is measured; leaves no process, file or semaphore behind, interrupted or not.
 * The caller must be single-threaded: it is forked. False: see `failure`. Free the report either
 * way. */
bool bench_run(const struct bench_plan *plan, struct bench_report *report);
void bench_report_free(struct bench_report *report);

#endif
