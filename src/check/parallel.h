/* The same work on several threads. */
#ifndef BERTH_CHECK_PARALLEL_H
#define BERTH_CHECK_PARALLEL_H

enum {
    CHECK_MAX_THREADS = 64,
    CHECK_WORTH_THREADS = 1 << 18, /* states of a graph from which a second thread is worth it */
};

/* Calls work(context, t) for t = 0 .. threads - 1, each on a thread of its own (t = 0 on this one),
 * and returns when all are done. Where a thread cannot be had, its part is done on this one. */
void check_parallel(unsigned threads, void (*work)(void *context, unsigned thread), void *context);

#endif
