/* The same work on several threads, which are kept from one piece of work to the next. */
#ifndef BERTH_CHECK_PARALLEL_H
#define BERTH_CHECK_PARALLEL_H

enum {
    CHECK_MAX_THREADS = 64,
    CHECK_WORTH_THREADS = 1 << 18, /* states of a graph from which a second thread is worth it */
    CHECK_LINE = 128, /* bytes; what different threads write lies so far apart (caches fetch pairs) */
};

/* Calls work(context, t) for t = 0 .. threads - 1, each on a thread of its own (t = 0 on this one),
 * and returns when all are done. Where a thread cannot be had, or this is called from inside such
 * work, the parts are done on this one, one after the other. */
void check_parallel(unsigned threads, void (*work)(void *context, unsigned thread), void *context);

#endif
