/* The same work on several threads, which are kept from one piece of work to the next. */
#ifndef BERTH_CHECK_PARALLEL_H
#define BERTH_CHECK_PARALLEL_H

enum {
    CHECK_MAX_THREADS = 64,
    CHECK_BLOCK = 4096, /* of check_parallel_blocks */
    CHECK_LINE =
        128, /* bytes; what different threads write lies so far apart (caches fetch pairs) */
};

#include <stdbool.h>
#include <stdint.h>

/* States of a graph from which a second thread is worth it. Tests set it to 1. */
extern uint64_t check_worth_threads;

/* Calls work(context, t) for t = 0 .. threads - 1, each on a thread of its own (t = 0 on this one),
 * and returns when all are done. If a thread cannot be created, or from inside such work, its part
 * is done on this one. */
void check_parallel(unsigned threads, void (*work)(void *context, unsigned thread), void *context);

/* Calls work(context, piece) for piece = 0 .. count - 1, on this many threads, this one among them,
 * and returns when all are done. From inside such work: on this one, and on others that are through
 * with theirs. */
void check_share(unsigned threads, uint64_t count, void (*work)(void *context, uint64_t piece),
                 void *context);

/* Calls work(context, first, last) for the whole of 0 .. count - 1 in blocks of CHECK_BLOCK, as
 * check_share does; `down`: the last ones first. One thread where there is little to do. */
void check_parallel_blocks(unsigned threads, uint64_t count, bool down,
                           void (*work)(void *context, uint64_t first, uint64_t last),
                           void *context);

#endif
