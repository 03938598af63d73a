/* Medians, fairness, and the distribution of many waits in little memory. */
#ifndef BERTH_BENCH_STATISTICS_H
#define BERTH_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The median, and the quartiles as its spread. NAN where there is nothing to tell. */
struct bench_spread {
    double median, low, high;
};

extern const struct bench_spread bench_unknown;

/* Median and quartiles of the values that are numbers. Reorders `value`. */
struct bench_spread bench_spread_of(double *value, size_t count);

/* The quantile: the least value such that `share` of all values are not larger (nearest rank).
 * Reorders `value`. */
double bench_quantile(double *value, size_t count, double share);

/* Jain's index: 1 where all have the same, 1/count where one has all. */
double bench_jain(const uint64_t *value, size_t count);

/* Waits in nanoseconds, in buckets that are a 32nd of their value wide. It has one writer, which
 * may be killed at any instant. */
enum { BENCH_BUCKETS = 32 * 40 };
struct bench_histogram {
    uint32_t bucket[BENCH_BUCKETS];
    uint64_t max;
};

void bench_histogram_add(struct bench_histogram *histogram, uint64_t value);
void bench_histogram_merge(struct bench_histogram *into, const struct bench_histogram *from);
/* As bench_quantile, to a 32nd; NAN: it is empty. */
double bench_histogram_quantile(const struct bench_histogram *histogram, double share);

#endif
