/* The machine that it was measured on. */
#ifndef BERTH_BENCH_HARDWARE_H
#define BERTH_BENCH_HARDWARE_H

#include "bench/bench.h"

void bench_machine_look(struct bench_machine *machine);

#endif
