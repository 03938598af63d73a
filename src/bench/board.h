/* What the processes of a contended window write down, in memory that the driver reads. Each corner
 * has one writer; all of it outlives a killed one. */
#ifndef BERTH_BENCH_BOARD_H
#define BERTH_BENCH_BOARD_H

#include "bench/crew.h"
#include "bench/statistics.h"

enum { BENCH_LOG = 1 << 20 }; /* entries that are kept; later ones are not looked at */

struct bench_corner {
    _Alignas(BENCH_LINE) _Atomic(uint64_t) pairs;
    /* While it is in its acquire, and traced: the number that it took before, counted from 1, and
     * when. 0: it is elsewhere. */
    _Atomic(uint32_t) began;
    _Atomic(uint64_t) began_at;
    struct bench_histogram waits;
};

/* In order of entry: the number taken before, counted from 1 (0: killed before it wrote this), and
 * the low half of the ticket, if the subject has one. */
struct bench_entry {
    uint32_t number, ticket;
};

/* Each has its lines to itself. */
struct bench_counter {
    _Alignas(BENCH_LINE) _Atomic(uint32_t) value;
};

struct bench_board {
    struct bench_gate gate;
    _Atomic(bool) measuring;       /* waits that begin now are kept */
    _Atomic(uint32_t) violations;  /* entries that found all slots taken */
    struct bench_counter arrivals; /* drawn just before an acquire */
    struct bench_counter entered;  /* and just after it */
    struct bench_counter inside;
    struct bench_corner corner[BENCH_CONTENDERS];
    struct bench_entry log[BENCH_LOG];
};

#endif
