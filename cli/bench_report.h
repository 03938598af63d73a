/* How `berth bench` shows what it has measured. */
#ifndef BERTH_CLI_BENCH_REPORT_H
#define BERTH_CLI_BENCH_REPORT_H

#include "bench/bench.h"
#include "cli.h"

#include <limits.h>

/* "AMD EPYC, 2 cores, Linux 6.18" */
void bench_machine_text(char *text, size_t size, const struct bench_machine *machine);
/* The lines above the tables: the machine, how long it was measured, and how busy it was before. */
void bench_print_heading(const struct bench_machine *machine, bool quick, double seconds,
                         uint64_t seed);

/* One table for each case: bench_text.c */
void bench_print(const struct bench_report *report, const struct bench_plan *plan);

/* A plot: bench_plot.c */
void bench_plot(FILE *stream, const struct bench_report *report, const struct bench_plan *plan);

struct bench_locks_plan;
/* bench_locks.c: the locks of the catalogue. An exit status. */
int bench_print_locks(const struct bench_locks_plan *plan, bool json);

#define BENCH_ABOUT "measure pools beside the alternatives, in one interleaved run"

/* bench_etcd.c: the same for a pool in etcd, which berth-etcd does. Returns if that cannot be: an
 * exit status. */
int bench_etcd(const char *store, bool quick, bool json);

/* bench_lock.c: one lock of the catalogue, or of a file, natively. */
int bench_lock(const char *name, bool quick, bool json);

/* The path of the command that people call, which is not the program that measures. */
bool cli_command_path(char path[PATH_MAX]);

#endif
