/* The processes of a measurement: started, looked at from outside, killed, and waited for. */
#ifndef BERTH_BENCH_CREW_H
#define BERTH_BENCH_CREW_H

#include "bench/plan.h"

#include <sys/types.h>

enum { BENCH_CREW = 1024 };

/* What a child does. It ends with this as its exit status: 0 or an errno value. */
typedef int bench_body(void *context, unsigned me);

struct bench_crew {
    struct bench_run *run;
    unsigned size; /* indices that have been in use */
    struct {
        pid_t pid; /* 0: not there, or ended and waited for */
        int stat;  /* its file in /proc; -1: not open */
    } child[BENCH_CREW];
};

/* In shared memory: children wait here until all have come. */
struct bench_gate {
    _Atomic(uint32_t) ready, open;
};

void bench_gate_wait(struct bench_gate *gate); /* in a child */

/* Waits for `count` children at the gate. False: interrupted, or one of them ended (then *error
 * says why, an errno value), or it took too long (ETIMEDOUT). */
bool bench_gate_full(struct bench_gate *gate, struct bench_crew *crew, unsigned count, int *error);
void bench_gate_open(struct bench_gate *gate);

void bench_crew_init(struct bench_crew *crew, struct bench_run *run);

/* Starts child `index`: 0 or an errno value. bench_crew_end must be called either way. */
int bench_crew_start(struct bench_crew *crew, unsigned index, bench_body *body, void *context);

/* Whether the child has ended by itself; *error gets its status, ECHILD for a signal. */
bool bench_crew_ended(struct bench_crew *crew, unsigned index, int *error);
/* Whether any has; those that ended successfully are skipped. */
bool bench_crew_failed(struct bench_crew *crew, int *error);
unsigned bench_crew_living(struct bench_crew *crew);

/* Sends SIGKILL; bench_crew_reap waits for the end. */
void bench_crew_kill(const struct bench_crew *crew, unsigned index);
void bench_crew_reap(struct bench_crew *crew, unsigned index);

/* Kills all that are left, and waits for them. */
void bench_crew_end(struct bench_crew *crew);

/* Whether the kernel says that it sleeps and waits for something: not running, not about to. */
bool bench_crew_asleep(struct bench_crew *crew, unsigned index);

/* Waits until it is asleep and `begun` is not 0. False: interrupted, or *error (see above). */
bool bench_crew_park(struct bench_crew *crew, unsigned index, _Atomic(uint32_t) *begun, int *error);

/* CPU time that it has used, in nanoseconds; 0 if it is there no more. */
uint64_t bench_crew_cpu_ns(const struct bench_crew *crew, unsigned index);

#endif
