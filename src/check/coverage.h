/*
 * What a complete exploration came across: the regions in which some process was, and the points of
 * the source that some step went through. A point is an access, or an outcome of one: which ON was
 * taken, whether an AWAIT waited. The model numbers its points from 1 on, and its notes name them.
 */
#ifndef BERTH_CHECK_COVERAGE_H
#define BERTH_CHECK_COVERAGE_H

#include "check/model.h"

#include <stdatomic.h>

enum { CHECK_MAX_POINTS = 4096 };

struct check_coverage {
    bool known;      /* nothing below means anything otherwise */
    bool whole;      /* a point that is not there was never made; else the search was given up */
    uint8_t regions; /* bit r: some process was in region r (enum check_region) */
    _Atomic(uint64_t) made[CHECK_MAX_POINTS / 64]; /* bit i: point i + 1 */
};

static inline bool check_is_made(const struct check_coverage *coverage, unsigned point)
{
    return point == 0 || coverage->made[(point - 1) / 64] >> (point - 1) % 64 & 1;
}

static inline void check_make_point(struct check_coverage *coverage, unsigned point)
{
    if (point > 0 && point <= CHECK_MAX_POINTS && !check_is_made(coverage, point))
        atomic_fetch_or(&coverage->made[(point - 1) / 64], UINT64_C(1) << (point - 1) % 64);
}

struct check_graph;

/* Fills in `coverage` from all states of a graph. */
void check_cover(const struct check_graph *graph, struct check_coverage *coverage);

#endif
