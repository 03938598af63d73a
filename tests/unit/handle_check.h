/*
 * What a call leaves behind in a handle. Every call of a test that includes this by way of
 * library_support.h is followed by a look at the handle, whether the call returned, failed, ran out
 * of time or was cancelled: it has what it had, and what the call says that it got or gave back;
 * no place in the line is its own; and the kernel keeps as many locks for it as it has seats and
 * loans. Nothing is said of a call during which another thread made one with the same handle.
 */
#ifndef BERTH_TESTS_HANDLE_CHECK_H
#define BERTH_TESTS_HANDLE_CHECK_H

#include "berth.h"

int checked_acquire(berth_pool *pool, berth_grant *grant);
int checked_try_acquire(berth_pool *pool, berth_grant *grant);
int checked_acquire_until(berth_pool *pool, berth_grant *grant, const struct timespec *deadline);
int checked_acquire_for(berth_pool *pool, berth_grant *grant, const struct timespec *timeout);
int checked_acquire_unless(berth_pool *pool, berth_grant *grant, const struct timespec *deadline,
                           const volatile int *stop);
int checked_release(berth_pool *pool, const berth_grant *grant);
int checked_lend(berth_pool *pool, const berth_grant *grant, char text[BERTH_LOAN_MAX]);
int checked_resize(berth_pool *pool, unsigned slots);
int checked_acquire_all(const berth_want *wants, size_t count);
int checked_try_acquire_all(const berth_want *wants, size_t count);
int checked_acquire_all_until(const berth_want *wants, size_t count,
                              const struct timespec *deadline);
int checked_acquire_all_for(const berth_want *wants, size_t count, const struct timespec *timeout);
int checked_release_all(const berth_want *wants, size_t count);
int checked_acquire_within(const berth_want *wants, size_t count, const char *loans,
                           const struct timespec *deadline, unsigned flags);

/* A name in parentheses is the call itself, without the look. */
#define berth_acquire(pool, grant) checked_acquire(pool, grant)
#define berth_try_acquire(pool, grant) checked_try_acquire(pool, grant)
#define berth_acquire_until(pool, grant, deadline) checked_acquire_until(pool, grant, deadline)
#define berth_acquire_for(pool, grant, timeout) checked_acquire_for(pool, grant, timeout)
#define berth_acquire_unless(pool, grant, deadline, stop)                                          \
    checked_acquire_unless(pool, grant, deadline, stop)
#define berth_release(pool, grant) checked_release(pool, grant)
#define berth_lend(pool, grant, text) checked_lend(pool, grant, text)
#define berth_resize(pool, slots) checked_resize(pool, slots)
#define berth_acquire_all(wants, count) checked_acquire_all(wants, count)
#define berth_try_acquire_all(wants, count) checked_try_acquire_all(wants, count)
#define berth_acquire_all_until(wants, count, deadline)                                            \
    checked_acquire_all_until(wants, count, deadline)
#define berth_acquire_all_for(wants, count, timeout) checked_acquire_all_for(wants, count, timeout)
#define berth_release_all(wants, count) checked_release_all(wants, count)
#define berth_acquire_within(wants, count, loans, deadline, flags)                                 \
    checked_acquire_within(wants, count, loans, deadline, flags)

#endif
