#include "bench/statistics.h"

#include <math.h>
#include <stdlib.h>

const struct bench_spread bench_unknown = {NAN, NAN, NAN};

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static size_t sort_numbers(double *value, size_t count)
{
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(value[i]))
            value[numbers++] = value[i];
    }
    qsort(value, numbers, sizeof *value, compare);
    return numbers;
}

/* Between the two values next to the place, in proportion. */
static double between(const double *value, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    double rest = place - (double)below;
    return below + 1 < count ? value[below] + rest * (value[below + 1] - value[below])
                             : value[below];
}

struct bench_spread bench_spread_of(double *value, size_t count)
{
    count = sort_numbers(value, count);
    if (count == 0)
        return bench_unknown;
    return (struct bench_spread){between(value, count, 0.5), between(value, count, 0.25),
                                 between(value, count, 0.75)};
}

double bench_quantile(double *value, size_t count, double share)
{
    count = sort_numbers(value, count);
    if (count == 0)
        return NAN;
    size_t rank = (size_t)ceil(share * (double)count);
    return value[rank > 0 ? rank - 1 : 0];
}

double bench_jain(const uint64_t *value, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)value[i];
        squares += (double)value[i] * (double)value[i];
    }
    return squares > 0 ? sum * sum / ((double)count * squares) : NAN;
}

/* Values below 32 have a bucket each; above that, each power of two has 32 buckets. */
static size_t bucket_of(uint64_t value)
{
    if (value < 32)
        return (size_t)value;
    unsigned power = 63 - (unsigned)__builtin_clzll(value);
    size_t bucket = 32 * (size_t)(power - 4) + (size_t)(value >> (power - 5) & 31);
    return bucket < BENCH_BUCKETS ? bucket : BENCH_BUCKETS - 1;
}

/* The middle of a bucket. */
static double value_of(size_t bucket)
{
    if (bucket < 32)
        return (double)bucket;
    unsigned power = (unsigned)(bucket / 32) + 4;
    return ldexp(32.5 + (double)(bucket % 32), (int)power - 5);
}

void bench_histogram_add(struct bench_histogram *histogram, uint64_t value)
{
    histogram->bucket[bucket_of(value)]++;
    if (value > histogram->max)
        histogram->max = value;
}

void bench_histogram_merge(struct bench_histogram *into, const struct bench_histogram *from)
{
    for (size_t i = 0; i < BENCH_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
    if (from->max > into->max)
        into->max = from->max;
}

double bench_histogram_quantile(const struct bench_histogram *histogram, double share)
{
    uint64_t count = 0, sum = 0;
    for (size_t i = 0; i < BENCH_BUCKETS; i++)
        count += histogram->bucket[i];
    if (count == 0)
        return NAN;
    uint64_t rank = (uint64_t)ceil(share * (double)count);
    for (size_t i = 0; i < BENCH_BUCKETS; i++) {
        sum += histogram->bucket[i];
        if (sum >= rank)
            return fmin(value_of(i), (double)histogram->max);
    }
    return (double)histogram->max;
}
