#include "pool/handle.h"

#include "os/clock.h"
#include "pool/reason.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic(berth_pool *) handles;

enum { UNUSED, USED, BEING_CLOSED };

/* A word that is CLOSED here and FORKED in every child made by fork. */
static uint32_t *make_mark(void)
{
    uint32_t *mark =
        mmap(NULL, POOL_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mark == MAP_FAILED)
        return NULL;
    if (madvise(mark, POOL_PAGE, MADV_WIPEONFORK) != 0) {
        const int error = errno;
        munmap(mark, POOL_PAGE);
        errno = error;
        return NULL;
    }
    *mark = CLOSED;
    return mark;
}

static void clear(berth_pool *pool)
{
    memset(&pool->queue, 0, sizeof pool->queue);
    memset(&pool->remote, 0, sizeof pool->remote);
    atomic_store(&pool->heir_fd, -1);
    pool->queue.file.fd = -1;
    atomic_store(&pool->lost_fd, -1);
    *pool->mine = CLOSED;
}

berth_pool *handle_make(void)
{
    for (berth_pool *pool = atomic_load(&handles); pool != NULL; pool = pool->next) {
        int use = UNUSED;
        if (atomic_compare_exchange_strong(&pool->use, &use, USED)) {
            clear(pool);
            return pool;
        }
    }
    berth_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL || (pool->mine = make_mark()) == NULL) {
        free(pool);
        return NULL;
    }
    clear(pool);
    atomic_store(&pool->use, USED);
    pool->next = atomic_load(&handles);
    while (!atomic_compare_exchange_weak(&handles, &pool->next, pool))
        continue;
    return pool;
}

void handle_open(berth_pool *pool, uint32_t where)
{
    *pool->mine = where;
}

int handle_take(const berth_pool *pool)
{
    berth_pool *known = atomic_load(&handles);
    while (known != NULL && known != pool)
        known = known->next;
    int use = USED;
    if (known == NULL || !atomic_compare_exchange_strong(&known->use, &use, BEING_CLOSED))
        return pool_fail(EBADF, "the handle is not open (any more)");
    return 0;
}

bool handle_has(int fd)
{
    for (const berth_pool *pool = atomic_load(&handles); pool != NULL; pool = pool->next) {
        if (handle_is_open(pool) &&
            (pool->queue.file.fd == fd || atomic_load(&pool->heir_fd) == fd))
            return true;
    }
    return false;
}

void handle_free(berth_pool *pool)
{
    clear(pool);
    atomic_store(&pool->use, UNUSED);
}

int handle_needs(const char *what)
{
    return pool_fail(EINVAL, "%s is NULL", what);
}

int handle_refuse(const berth_pool *pool)
{
    if (pool == NULL)
        return handle_needs("the handle");
    if (*pool->mine == UNSEATED)
        return pool_fail(EUSERS, "all seats of the pool %s were taken when it was opened",
                         pool->queue.file.name);
    return *pool->mine == CLOSED
               ? pool_fail(EBADF, "the handle is not open (any more)")
               : pool_fail(ECHILD, "pool %s was opened before a fork, by the parent: open it again",
                           pool->queue.file.name);
}

/* ---- deadlines ---- */

static bool is_time(const struct timespec *time)
{
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec <= 999999999;
}

int handle_deadline_check(const struct timespec *deadline)
{
    enum { TEN_YEARS = 10 * 366 * 24 * 3600 }; /* in seconds */
    if (deadline == NULL)
        return handle_needs("the deadline");
    if (!is_time(deadline))
        return pool_fail(EINVAL, "the deadline is not a time");
    const uint64_t now = os_now(CLOCK_MONOTONIC) / OS_SECOND;
    if ((uint64_t)deadline->tv_sec > now + TEN_YEARS)
        return pool_fail(EINVAL, "the deadline is more than ten years ahead: it is one of "
                                 "CLOCK_MONOTONIC, not of CLOCK_REALTIME");
    return 0;
}

int handle_deadline_after(const struct timespec *timeout, struct timespec *deadline)
{
    if (timeout == NULL)
        return handle_needs("the timeout");
    if (!is_time(timeout))
        return pool_fail(EINVAL, "the timeout is not a time");
    const uint64_t now = os_now(CLOCK_MONOTONIC), wait = os_nanoseconds(timeout);
    *deadline = os_timespec(wait < INT64_MAX - now ? now + wait : INT64_MAX);
    return 0;
}
