/* Processes that take a slot and keep it until they are killed: holders, and waiters behind
 * them. */
#ifndef BERTH_BENCH_SITTERS_H
#define BERTH_BENCH_SITTERS_H

#include "bench/crew.h"

/* What one of them says of itself, in shared memory. */
struct bench_sitter {
    _Alignas(BENCH_LINE) _Atomic(uint32_t) begun; /* it is about to call acquire */
    _Atomic(uint64_t) holds_since;                /* bench_now_ns(); 0: it has no slot yet */
};

struct bench_sitters {
    struct bench_place place;
    struct bench_crew crew;
    struct bench_sitter *sitter; /* `most` of them */
    unsigned most;
};

/* 0 or an errno value; close it either way. */
int bench_sitters_open(struct bench_run *run, struct bench_sitters *sitters,
                       const struct bench_subject *subject, unsigned slots, unsigned most);
void bench_sitters_close(struct bench_sitters *sitters);

/* Start one. The first two wait until it holds a slot, or sleeps because it waits for one. False:
 * interrupted, or *error, an errno value, ETIMEDOUT among them. */
bool bench_sitters_hold(struct bench_sitters *sitters, unsigned index, int *error);
bool bench_sitters_park(struct bench_sitters *sitters, unsigned index, int *error);
int bench_sitters_start(struct bench_sitters *sitters, unsigned index);

/* Waits until it holds a slot, or the time is over. As above. */
bool bench_sitters_await(struct bench_sitters *sitters, unsigned index, double seconds, int *error);

#endif
