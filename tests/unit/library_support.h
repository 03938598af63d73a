/* What the tests of the library share: a pool of their own, processes that hold slots, times. */
#ifndef BERTH_TESTS_LIBRARY_SUPPORT_H
#define BERTH_TESTS_LIBRARY_SUPPORT_H

#include "handle_check.h"
#include "pool_support.h"

#include <pthread.h>
#include <time.h>

uint64_t now_ms(void);

struct timespec in_ms(int64_t milliseconds);

void sleep_ms(unsigned milliseconds);

berth_pool *open_slots(const struct fixture *fixture, const char *name, unsigned slots);

/* A process that holds a slot of the pool until it is killed. `then`, unless NULL, is what it does
 * once it has the slot. */
pid_t start_holder(const struct fixture *fixture, const char *name, void (*then)(berth_pool *pool));

/* How many slots the pool has to give, taken by another handle; they are given back. */
unsigned count_free(const struct fixture *fixture, const char *name);

/* Whether something is so within a time; it is asked again and again. */
#define eventually(milliseconds, condition)                                                        \
    do {                                                                                           \
        const uint64_t eventually_until = now_ms() + (milliseconds);                               \
        while (!(condition)) {                                                                     \
            if (now_ms() > eventually_until)                                                       \
                fail_msg("not within %d ms: %s", (int)(milliseconds), #condition);                 \
            sleep_ms(2);                                                                           \
        }                                                                                          \
    } while (0)

/* The address sanitizer does not see that cancellation leaves the frames below a handler, and takes
 * the handler's own variables for theirs. */
#ifdef __SANITIZE_ADDRESS__
#define SKIP_WITH_SANITIZER skip()
#else
#define SKIP_WITH_SANITIZER ((void)0)
#endif

#endif
