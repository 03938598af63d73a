/*
 * Files are opened and closed by cancellation points. A thread that is cancelled in one of them
 * would leave half of a handle behind, so cancellation waits until the call is over.
 */
#ifndef BERTH_POOL_CANCEL_H
#define BERTH_POOL_CANCEL_H

#include <pthread.h>
#include <stdbool.h>

static inline int cancel_later(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void cancel_as(int before)
{
    pthread_setcancelstate(before, NULL);
}

/* Whether the caller's thread would be cancelled in a cancellation point. */
static inline bool cancel_is_possible(void)
{
    const int before = cancel_later();
    cancel_as(before);
    return before == PTHREAD_CANCEL_ENABLE;
}

/* The value of an expression that must not be cancelled. */
#define UNCANCELLED(expression)                                                                    \
    __extension__({                                                                                \
        const int uncancelled_before = cancel_later();                                             \
        const int uncancelled_result = (expression);                                               \
        cancel_as(uncancelled_before);                                                             \
        uncancelled_result;                                                                        \
    })

#endif
