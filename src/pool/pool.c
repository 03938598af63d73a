/* The library as berth.h declares it: handles, and what can be done with one. */
#include "os/clock.h"
#include "os/watch.h"
#include "pool/handle.h"
#include "pool/loan.h"
#include "pool/reason.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int handle_is_not_mine(const berth_pool *pool)
{
    return pool_fail(ECHILD, "pool %s was opened before a fork, by the parent: open it again",
                     pool->queue.file.name);
}

int handle_deadline_check(const struct timespec *deadline)
{
    return deadline->tv_sec < 0 || deadline->tv_nsec < 0 || deadline->tv_nsec > 999999999
               ? pool_fail(EINVAL, "the deadline is not a time")
               : 0;
}

/* A word that is `where` here and 0 in every child made by fork. */
static uint32_t *open_mark(uint32_t where)
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
    *mark = where;
    return mark;
}

static void describe(berth_pool *pool, int pid, const char *command)
{
    struct pool_seat *seat = &pool->queue.file.seat[pool->queue.seat];
    char text[BERTH_COMMAND_MAX] = {0};
    strncpy(text, command, sizeof text - 1);
    memcpy(seat->command, text, sizeof text);
    atomic_store(&seat->opened, os_now(CLOCK_REALTIME) / OS_MILLISECOND);
    atomic_store(&seat->pid_namespace, os_pid_namespace());
    atomic_store(&seat->pid, (uint32_t)pid);
}

/* A pool that exists has the number of slots that was asked for. */
static int compare_slots(const struct pool_file *file, const berth_options *options)
{
    const uint64_t slots = atomic_load(&file->control->target);
    if (options == NULL || options->slots == 0 || options->slots == slots)
        return 0;
    return pool_fail(EEXIST, "pool %s has %llu slots, not %u: berth resize changes that",
                     file->name, (unsigned long long)slots, options->slots);
}

static int open_remote(berth_pool **result, const char *store, const char *name,
                       const berth_options *options)
{
    berth_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return pool_fail(ENOMEM, "there is no memory for a handle");
    pool->queue.file.fd = -1;
    pool->mine = open_mark(REMOTE);
    int error = pool->mine != NULL ? remote_open(&pool->remote, store, name, options)
                                   : pool_fail(errno, "pool %s: no memory for a handle: %s", name,
                                               strerror(errno));
    if (error != 0) {
        if (pool->mine != NULL)
            munmap(pool->mine, POOL_PAGE);
        free(pool);
        return error;
    }
    strncpy(pool->queue.file.name, name, sizeof pool->queue.file.name - 1);
    *result = pool;
    return 0;
}

int berth_open(berth_pool **result, const char *name, const berth_options *options)
{
    const char *store = remote_store(options);
    if (store != NULL)
        return open_remote(result, store, name, options);
    berth_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return pool_fail(ENOMEM, "there is no memory for a handle");
    int error =
        pool_file_enter(&pool->queue.file, &pool->queue.seat, name, options, queue_initialise);
    if (error != 0) {
        free(pool);
        return error;
    }
    /* A child that closes its copy of the descriptor shall not keep the seat alive by a mapping. */
    if (madvise(pool->queue.file.map, pool->queue.file.geometry.size, MADV_DONTFORK) == 0)
        pool->mine = open_mark(HERE);
    if (pool->mine == NULL)
        error = pool_fail(errno, "pool %s: no memory for a handle: %s", name, strerror(errno));
    if (error == 0)
        error = compare_slots(&pool->queue.file, options);
    if (error == 0)
        error = queue_sweep(&pool->queue);
    if (error != 0) {
        if (pool->mine != NULL)
            munmap(pool->mine, POOL_PAGE);
        pool_seat_leave(&pool->queue.file, pool->queue.seat);
        pool_file_close(&pool->queue.file);
        free(pool);
        return error;
    }
    pool->queue.timed = options != NULL && (options->flags & BERTH_TIMED) != 0;
    describe(pool, (int)getpid(),
             options != NULL && options->command != NULL ? options->command
                                                         : program_invocation_short_name);
    *result = pool;
    return 0;
}

int berth_acquire(berth_pool *pool, berth_grant *grant)
{
    static const struct store_patience patient;
    if (*pool->mine != HERE)
        return *pool->mine == REMOTE
                   ? remote_acquire(&pool->remote, (struct store_patience){0}, grant)
                   : handle_is_not_mine(pool);
    return queue_acquire(&pool->queue, &patient, grant);
}

int berth_try_acquire(berth_pool *pool, berth_grant *grant)
{
    if (*pool->mine != HERE)
        return *pool->mine == REMOTE
                   ? remote_acquire(&pool->remote, (struct store_patience){.none = true}, grant)
                   : handle_is_not_mine(pool);
    static const struct store_patience impatient = {.none = true};
    const int error = queue_acquire(&pool->queue, &impatient, grant);
    return error != EBUSY ? error
                          : pool_fail(EBUSY, "pool %s has no free slot", pool->queue.file.name);
}

int berth_acquire_until(berth_pool *pool, berth_grant *grant, const struct timespec *deadline)
{
    if (*pool->mine == 0)
        return handle_is_not_mine(pool);
    int error = handle_deadline_check(deadline);
    if (error != 0)
        return error;
    if (*pool->mine == REMOTE)
        return remote_acquire(&pool->remote, (struct store_patience){.deadline = deadline}, grant);
    const struct store_patience until = {.deadline = deadline};
    error = queue_acquire(&pool->queue, &until, grant);
    return error != ETIMEDOUT
               ? error
               : pool_fail(ETIMEDOUT, "pool %s: no slot came free in time", pool->queue.file.name);
}

int berth_release(berth_pool *pool, const berth_grant *grant)
{
    if (*pool->mine != HERE)
        return *pool->mine == REMOTE ? remote_release(&pool->remote, grant)
                                     : handle_is_not_mine(pool);
    const int error = queue_release(&pool->queue, grant);
    return __builtin_expect(error == EPERM && pool->loans != NULL, 0) ? loan_release(pool, grant)
                                                                      : error;
}

int berth_resize(berth_pool *pool, unsigned slots)
{
    if (*pool->mine == 0)
        return handle_is_not_mine(pool);
    if (slots > BERTH_MAX_SLOTS)
        return pool_fail(EINVAL, "a pool has at most %d slots, not %u", BERTH_MAX_SLOTS, slots);
    if (*pool->mine == REMOTE)
        return remote_resize(&pool->remote, slots);
    return queue_resize(&pool->queue, slots);
}

unsigned berth_slots(const berth_pool *pool)
{
    if (*pool->mine != HERE)
        return *pool->mine == REMOTE ? pool->remote.store->slots(pool->remote.handle) : 0;
    return queue_slots(&pool->queue);
}

int berth_describe(berth_pool *pool, int pid, const char *command)
{
    if (*pool->mine != HERE)
        return *pool->mine == REMOTE ? remote_describe(&pool->remote, pid, command)
                                     : handle_is_not_mine(pool);
    describe(pool, pid, command);
    return 0;
}

int berth_fd(const berth_pool *pool)
{
    return pool->queue.file.fd;
}

/* A slot of a pool in a file is held until it is released, and what is dead needs no guardian. */
int berth_good_for(berth_pool *pool, const berth_grant *grant, struct timespec *left)
{
    if (*pool->mine != HERE)
        return *pool->mine == REMOTE ? remote_good_for(&pool->remote, grant, left)
                                     : handle_is_not_mine(pool);
    *left = (struct timespec){.tv_sec = INT32_MAX};
    return 0;
}

int berth_lost_fd(const berth_pool *pool)
{
    return *pool->mine == REMOTE ? pool->remote.store->lost_fd(pool->remote.handle) : -1;
}

int berth_ward(berth_pool *pool, int pid)
{
    if (*pool->mine != HERE)
        return *pool->mine == REMOTE ? remote_ward(&pool->remote, pid) : handle_is_not_mine(pool);
    return 0;
}

/* In a child, only the copy is closed: the seat is the parent's. */
int berth_close(berth_pool *pool)
{
    int error = 0;
    if (pool->remote.handle != NULL) {
        error = remote_close(&pool->remote, *pool->mine == REMOTE);
        munmap(pool->mine, POOL_PAGE);
        free(pool);
        return error;
    }
    if (*pool->mine != 0) {
        if (loan_close(pool))
            error = queue_sweep(&pool->queue);
        pool_seat_leave(&pool->queue.file, pool->queue.seat);
    }
    munmap(pool->mine, POOL_PAGE);
    pool_file_close(&pool->queue.file);
    free(pool);
    return error;
}

int berth_list(const berth_options *options, int (*each)(const char *name, void *context),
               void *context)
{
    const char *store = remote_store(options);
    return store != NULL ? remote_list(store, each, context)
                         : pool_file_list(options, each, context);
}

int berth_remove(const char *name, const berth_options *options)
{
    const char *store = remote_store(options);
    return store != NULL ? remote_remove(store, name) : pool_file_remove(name, options);
}

const char *berth_version(void)
{
    return BERTH_VERSION;
}
