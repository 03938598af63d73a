/* Whether the program has more than one thread. */
#ifndef BERTH_OS_THREADS_H
#define BERTH_OS_THREADS_H

#include <stdbool.h>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define OS_KNOWS_THREADS
#endif
#endif

/* True if it certainly has only one: then operations do not have to be atomic among threads. */
static inline bool os_is_single_threaded(void)
{
#ifdef OS_KNOWS_THREADS
    return __libc_single_threaded;
#else
    return false;
#endif
}

#endif
