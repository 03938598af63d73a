/* Work that keeps a processor busy and touches no memory: the inside of a critical section. */
#ifndef BERTH_BENCH_WORK_H
#define BERTH_BENCH_WORK_H

#include <stdint.h>

/* A chain of multiplications, each of which needs the one before; `count` of them. */
void bench_work(uint64_t count);

/* How many take a microsecond when nothing disturbs. */
uint64_t bench_work_calibrate(void);

#endif
