/* The library as berth.h declares it: handles, and what can be done with one. */
#include "os/clock.h"
#include "pool/cancel.h"
#include "pool/door.h"
#include "pool/handle.h"
#include "pool/heir.h"
#include "pool/loan.h"
#include "pool/file_lost.h"
#include "pool/options.h"
#include "pool/pools.h"
#include "pool/reason.h"
#include "pool/seat.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- opening ---- */

static void describe(berth_pool *pool, int pid, const char *command)
{
    if (*pool->mine == UNSEATED)
        return;
    struct pool_seat *seat = &pool->queue.file.seat[pool->queue.seat];
    char text[BERTH_COMMAND_MAX] = {0};
    strncpy(text, command, sizeof text - 1);
    memcpy(seat->command.bytes, text, sizeof text);
    atomic_store(&seat->opened, os_now(CLOCK_REALTIME) / OS_MILLISECOND);
    atomic_store(&seat->pid, (uint32_t)pid);
}

/* A pool that exists has the number of slots that was asked for. */
static int compare_slots(const struct pool_file *file, const berth_options *options)
{
    const uint64_t slots = atomic_load(&file->control->target);
    if (options->slots == 0 || options->slots == slots)
        return 0;
    return pool_fail(EEXIST, "pool %s has %llu slot%s, not %u: berth resize changes that",
                     file->name, (unsigned long long)slots, slots == 1 ? "" : "s", options->slots);
}

static int open_remote(berth_pool *pool, const char *store, const char *name,
                       const berth_options *options)
{
    const int error = remote_open(&pool->remote, store, name, options);
    if (error == 0)
        strncpy(pool->queue.file.name, name, sizeof pool->queue.file.name - 1);
    return error;
}

/* Gives up what a former owner of the seat has left. */
static int sweep(struct queue *queue)
{
    if (queue->seat == POOL_NO_SEAT)
        return 0;
    door_sweep(queue);
    return queue_sweep(queue);
}

static int sit_down(berth_pool *pool, const char *name, const berth_options *options)
{
    struct queue *queue = &pool->queue;
    int error = 0;
    /* A child that closes its copy of the descriptor must not keep the seat alive by a mapping. */
    if (madvise(queue->file.map, queue->file.geometry.size, MADV_DONTFORK) != 0)
        error = pool_fail(errno, "pool %s: cannot keep it from children: %m", name);
    if (error == 0)
        error = compare_slots(&queue->file, options);
    if (error == 0)
        error = sweep(queue);
    if (error != 0) {
        pool_seat_leave(&queue->file, queue->seat);
        pool_file_close(&queue->file);
    }
    return error;
}

static int open_here(berth_pool *pool, const char *name, const berth_options *options)
{
    struct queue *queue = &pool->queue;
    int error = pool_file_enter(&queue->file, &queue->seat, name, options, queue_initialise);
    if (error == 0)
        error = sit_down(pool, name, options);
    if (error != 0)
        return error;
    queue->timed = (options->flags & BERTH_TIMED) != 0;
    *pool->mine = queue->seat == POOL_NO_SEAT ? UNSEATED : HERE;
    describe(pool, (int)getpid(),
             options->command != NULL ? options->command : program_invocation_short_name);
    return 0;
}

int handle_take_seat(berth_pool *pool)
{
    struct queue *queue = &pool->queue;
    unsigned seat;
    int error = pool_seat_take(&queue->file, &seat);
    if (error != 0)
        return error;
    queue->seat = seat;
    error = sweep(queue);
    if (error == 0)
        error = heir_share(pool, pool_heirs_range(seat));
    if (error != 0) {
        pool_seat_leave(&queue->file, seat);
        queue->seat = POOL_NO_SEAT;
        return error;
    }
    *pool->mine = HERE;
    describe(pool, (int)getpid(), program_invocation_short_name);
    return 0;
}

static int open_pool(berth_pool **result, const char *name, const berth_options *options)
{
    berth_pool *pool = handle_make();
    if (pool == NULL)
        return pool_fail(ENOMEM, "there is no memory for a handle");
    const char *store = remote_store(options);
    const int error =
        store != NULL ? open_remote(pool, store, name, options) : open_here(pool, name, options);
    if (error != 0) {
        handle_free(pool);
        return error;
    }
    if (store != NULL)
        handle_open(pool, REMOTE);
    *result = pool;
    return 0;
}

int berth_open(berth_pool **result, const char *name, const berth_options *options)
{
    berth_options known;
    if (result == NULL)
        return handle_needs("the place for the handle");
    *result = NULL;
    if (name == NULL)
        return handle_needs("the name of the pool");
    const int error = pool_options_read(options, &known);
    return error != 0 ? error : UNCANCELLED(open_pool(result, name, &known));
}

/* ---- slots ---- */

/* In another store, or nowhere. */
static __attribute__((noinline)) int acquire_elsewhere(berth_pool *pool, berth_grant *grant,
                                                       struct store_patience patience)
{
    if (!handle_is_open(pool) || *pool->mine == UNSEATED)
        return handle_refuse(pool);
    if (grant == NULL)
        return handle_needs("the place for the grant");
    patience.can_be_cancelled = cancel_is_possible();
    return remote_call(&pool->remote, acquire, patience, grant);
}

static inline bool is_here(const berth_pool *pool, const void *argument)
{
    return __builtin_expect(pool != NULL && argument != NULL && *pool->mine == HERE, 1);
}

int berth_acquire(berth_pool *pool, berth_grant *grant)
{
    static const struct store_patience patient;
    return is_here(pool, grant) ? queue_acquire(&pool->queue, &patient, grant)
                                : acquire_elsewhere(pool, grant, (struct store_patience){0});
}

int berth_try_acquire(berth_pool *pool, berth_grant *grant)
{
    static const struct store_patience impatient = {.none = true};
    if (!is_here(pool, grant))
        return acquire_elsewhere(pool, grant, (struct store_patience){.none = true});
    const int error = queue_acquire(&pool->queue, &impatient, grant);
    return error != EBUSY ? error
                          : pool_fail(EBUSY, "pool %s has no free slot", pool->queue.file.name);
}

static int timed_out(const berth_pool *pool)
{
    return pool_fail(ETIMEDOUT, "pool %s: no slot came free in time", pool->queue.file.name);
}

static int acquire_until(berth_pool *pool, berth_grant *grant, const struct timespec *deadline)
{
    const struct store_patience until = {.deadline = deadline};
    if (!is_here(pool, grant))
        return acquire_elsewhere(pool, grant, until);
    const int error = queue_acquire(&pool->queue, &until, grant);
    return error != ETIMEDOUT ? error : timed_out(pool);
}

int berth_acquire_until(berth_pool *pool, berth_grant *grant, const struct timespec *deadline)
{
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    const int error = handle_deadline_check(deadline);
    return error != 0 ? error : acquire_until(pool, grant, deadline);
}

int berth_acquire_for(berth_pool *pool, berth_grant *grant, const struct timespec *timeout)
{
    struct timespec deadline;
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    const int error = handle_deadline_after(timeout, &deadline);
    return error != 0 ? error : acquire_until(pool, grant, &deadline);
}

int berth_acquire_unless(berth_pool *pool, berth_grant *grant, const struct timespec *deadline,
                         const volatile int *stop)
{
    const struct store_patience patience = {.deadline = deadline, .stop = stop};
    if (!handle_is_open(pool) || *pool->mine == UNSEATED)
        return handle_refuse(pool);
    if (grant == NULL || stop == NULL)
        return handle_needs(grant == NULL ? "the place for the grant" : "the word to stop by");
    if (*pool->mine == REMOTE)
        return pool_fail(ENOTSUP, "a wait for a pool in etcd cannot be stopped");
    int error = deadline != NULL ? handle_deadline_check(deadline) : 0;
    if (error == 0)
        error = queue_acquire(&pool->queue, &patience, grant);
    return error != ETIMEDOUT ? error : timed_out(pool);
}

int berth_interrupt(berth_pool *pool)
{
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    if (*pool->mine == HERE)
        queue_interrupt(&pool->queue);
    return 0;
}

static __attribute__((noinline)) int release_elsewhere(berth_pool *pool, const berth_grant *grant)
{
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    if (grant == NULL)
        return handle_needs("the grant");
    return *pool->mine != REMOTE || loan_holds(pool, grant)
               ? UNCANCELLED(loan_release(pool, grant))
               : remote_call(&pool->remote, release, grant);
}

int berth_release(berth_pool *pool, const berth_grant *grant)
{
    if (!is_here(pool, grant))
        return release_elsewhere(pool, grant);
    const int error = queue_release(&pool->queue, grant);
    return __builtin_expect(error == EPERM, 0) ? UNCANCELLED(loan_release(pool, grant)) : error;
}

/* ---- the handle ---- */

int berth_resize(berth_pool *pool, unsigned slots)
{
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    if (slots > BERTH_MAX_SLOTS)
        return pool_fail(EINVAL, "a pool has at most %d slots, not %u", BERTH_MAX_SLOTS, slots);
    return *pool->mine == REMOTE ? remote_call(&pool->remote, resize, slots)
                                 : queue_resize(&pool->queue, slots);
}

unsigned berth_slots(const berth_pool *pool)
{
    if (!handle_is_open(pool))
        return 0;
    return *pool->mine == REMOTE ? pool->remote.store->slots(pool->remote.handle)
                                 : queue_slots(&pool->queue);
}

int berth_describe(berth_pool *pool, int pid, const char *command)
{
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    if (command == NULL)
        return handle_needs("the command");
    if (*pool->mine == REMOTE)
        return remote_call(&pool->remote, describe, pid, command);
    describe(pool, pid, command);
    return 0;
}

int berth_fd(const berth_pool *pool)
{
    return pool != NULL ? pool->queue.file.fd : -1;
}

/* A slot of a pool in a file is held until it is released; crash recovery needs no guardian
 * there. */
int berth_good_for(berth_pool *pool, const berth_grant *grant, struct timespec *left)
{
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    if (grant == NULL || left == NULL)
        return handle_needs(grant == NULL ? "the grant" : "the place for the time");
    if (*pool->mine == REMOTE)
        return remote_call(&pool->remote, good_for, grant, left);
    if (!queue_holds(&pool->queue, grant) && !loan_holds(pool, grant))
        return queue_does_not_hold(&pool->queue, grant->slot);
    *left = (struct timespec){0};
    const int error = UNCANCELLED(lost_check(&pool->queue.file, atomic_load(&pool->lost_fd)));
    if (error == 0)
        *left = (struct timespec){.tv_sec = INT32_MAX};
    return error;
}

int berth_lost_fd(berth_pool *pool)
{
    if (!handle_is_open(pool))
        return -1;
    return *pool->mine == REMOTE ? pool->remote.store->lost_fd(pool->remote.handle)
                                 : UNCANCELLED(lost_fd(&pool->lost_fd, &pool->queue.file));
}

int berth_ward(berth_pool *pool, int pid)
{
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    return *pool->mine == REMOTE ? remote_call(&pool->remote, ward, pid) : 0;
}

/* In a child made by fork, only the copy of the descriptor is closed: the seat is the parent's, and
 * the mapping was never there. */
static int close_handle(berth_pool *pool)
{
    struct queue *queue = &pool->queue;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    const bool mine = *pool->mine != FORKED;
    int error = 0;
    if (pool->remote.handle != NULL) {
        if (mine)
            loan_close(pool);
        else
            loan_forget(pool);
        error = remote_close(&pool->remote, mine);
    } else if (mine) {
        if (loan_close(pool))
            error = sweep(queue);
        else
            door_sweep(queue);
        heir_close(pool, true);
        pool_seat_leave(&queue->file, queue->seat);
        pool_file_close(&queue->file);
    } else {
        heir_close(pool, false);
        loan_forget(pool);
        pool_file_abandon(&queue->file);
    }
    lost_fd_close(atomic_load(&pool->lost_fd), mine);
    handle_free(pool);
    return error;
}

int berth_close(berth_pool *pool)
{
    const int error = pool == NULL ? handle_needs("the handle") : handle_take(pool);
    return error != 0 ? error : UNCANCELLED(close_handle(pool));
}

/* ---- all pools of a store ---- */

static int list(const berth_options *options, int (*each)(const char *name, void *context),
                void *context)
{
    const char *store = remote_store(options);
    return store != NULL ? remote_list(store, options, each, context)
                         : pools_list(options, each, context);
}

int berth_list(const berth_options *options, int (*each)(const char *name, void *context),
               void *context)
{
    berth_options known;
    if (each == NULL)
        return handle_needs("the function to call");
    const int error = pool_options_read(options, &known);
    return error != 0 ? error : UNCANCELLED(list(&known, each, context));
}

static int remove_pool(const char *name, const berth_options *options)
{
    const char *store = remote_store(options);
    return store != NULL ? remote_remove(store, name, options) : pool_file_remove(name, options);
}

int berth_remove(const char *name, const berth_options *options)
{
    berth_options known;
    if (name == NULL)
        return handle_needs("the name of the pool");
    const int error = pool_options_read(options, &known);
    return error != 0 ? error : UNCANCELLED(remove_pool(name, &known));
}

const char *berth_version(void)
{
    return BERTH_VERSION;
}
