/*
 * Slots of several pools at once: all or none, without deadlock, in arrival order. What is done
 * here is protocol/pool/several.c, and that file says why it is right; what is done in each pool is
 * the pool protocol, step by step.
 */
#include "os/clock.h"
#include "pool/cancel.h"
#include "pool/doors.h"
#include "pool/handle.h"
#include "pool/reason.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* One slot that is asked for. */
struct place {
    berth_pool *pool;
    berth_grant *grant;
    const struct queue_need *need; /* of all pools */
    void *ticket;                  /* that was drawn in another store */
    bool drawn, held;              /* a ticket, and then a slot */
};

struct request {
    const berth_want *wants;
    size_t wanted, count;
    struct place *place;
    struct store_patience patience;
    struct doors doors;
    struct queue_need need[BERTH_MAX_WANTS + 1];
};

static const char *name_of(const berth_pool *pool)
{
    return pool->queue.file.name;
}

/* ---- what is asked for ---- */

static int refuse_want(const berth_want *want, const berth_pool *first)
{
    const berth_pool *pool = want->pool;
    if (!handle_is_open(pool) || *pool->mine == UNSEATED)
        return handle_refuse(pool);
    if (want->grants == NULL)
        return handle_needs("the array for the grants");
    if (*pool->mine != *first->mine ||
        (*pool->mine == REMOTE &&
         !pool->remote.store->is_together(first->remote.handle, pool->remote.handle)))
        return pool_fail(EXDEV, "the pools %s and %s are not in the same store", name_of(first),
                         name_of(pool));
    return want->slots == 0 ? pool_fail(EINVAL, "pool %s: no slot is asked for", name_of(pool)) : 0;
}

static int refuse_wants(const berth_want *wants, size_t count)
{
    int error = 0;
    if (wants == NULL)
        return handle_needs("the list of what is wanted");
    if (count == 0 || count > BERTH_MAX_WANTS)
        return pool_fail(EINVAL, "from 1 to %d pools can be asked at once, not %zu",
                         (int)BERTH_MAX_WANTS, count);
    for (size_t i = 0; i < count && error == 0; i++)
        error = refuse_want(&wants[i], wants[0].pool);
    return error;
}

/* Slots of this pool that are asked for: it may have been named twice. */
static uint64_t needed(const berth_want *wants, size_t count, const berth_pool *pool)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += doors_same_pool(pool, wants[i].pool) ? wants[i].slots : 0;
    return sum;
}

/* A call for more slots than a pool has fails at once, unless the pool is in a file and has none at
 * all: then it has been drained, and the call waits. */
static int refuse_sums(const berth_want *wants, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const berth_pool *pool = wants[i].pool;
        const unsigned slots = berth_slots(pool);
        const uint64_t sum = needed(wants, count, pool);
        if (sum > BERTH_MAX_SLOTS || (sum > slots && (slots > 0 || *pool->mine == REMOTE)))
            return pool_fail(EINVAL, "pool %s has %u slot%s, and more are asked for", name_of(pool),
                             slots, slots == 1 ? "" : "s");
    }
    return 0;
}

static int begin(struct request *request)
{
    const berth_want *wants = request->wants;
    int error = refuse_wants(wants, request->wanted);
    if (error == 0)
        error = refuse_sums(wants, request->wanted);
    if (error != 0)
        return error;
    for (size_t i = 0; i < request->wanted; i++)
        request->count += wants[i].slots;
    // NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI)
    request->place = calloc(request->count, sizeof *request->place);
    if (request->place == NULL)
        return pool_fail(ENOMEM, "there is no memory for %zu slots", request->count);
    struct place *place = request->place;
    for (size_t i = 0; i < request->wanted; i++) {
        berth_pool *pool = wants[i].pool;
        const bool is_here = *pool->mine == HERE;
        request->need[i] = (struct queue_need){is_here ? &pool->queue : NULL,
                                               (unsigned)needed(wants, request->wanted, pool)};
        for (unsigned s = 0; s < wants[i].slots; s++)
            *place++ =
                (struct place){.pool = pool, .grant = &wants[i].grants[s], .need = request->need};
    }
    return 0;
}

/* ---- tickets ---- */

static int draw(struct place *place, struct store_patience patience)
{
    const bool is_here = *place->pool->mine == HERE;
    const int error = is_here ? queue_draw(&place->pool->queue, &patience, place->grant)
                              : remote_call(&place->pool->remote, draw, patience, &place->ticket);
    place->drawn = error == 0;
    place->held = error == 0 && is_here && place->grant->slot != QUEUE_NO_SLOT;
    return error;
}

/* A thread that is cancelled in here has given its ticket up. */
static int wait_for(struct place *place, struct store_patience patience)
{
    if (place->held)
        return 0;
    const bool is_here = *place->pool->mine == HERE;
    place->drawn = !is_here;
    const int error =
        is_here ? queue_wait(&place->pool->queue, &patience, place->need, place->grant)
                : remote_call(&place->pool->remote, wait, place->ticket, patience, place->grant);
    place->drawn = false;
    place->held = error == 0;
    return error;
}

/* Takes a slot without waiting. */
static int try(struct place *place, struct store_patience patience)
{
    const int error = *place->pool->mine == HERE
                          ? queue_acquire(&place->pool->queue, &patience, place->grant)
                          : remote_call(&place->pool->remote, acquire, patience, place->grant);
    place->held = error == 0;
    return error;
}

/* A grant can be lost while the others are waited for. */
static int look_at(struct place *place, struct store_patience patience)
{
    (void)patience;
    struct timespec left = {0};
    const int error = berth_good_for(place->pool, place->grant, &left);
    return error == 0 && left.tv_sec == 0 && left.tv_nsec == 0 ? ESTALE : error;
}

/* For each place in turn, until one fails. */
static int for_each(const struct request *request,
                    int (*act)(struct place *, struct store_patience))
{
    for (size_t i = 0; i < request->count; i++) {
        const int error = act(&request->place[i], request->patience);
        if (error == ETIMEDOUT && *request->place[i].pool->mine == HERE)
            return pool_fail(error, "pool %s: no slot came free in time",
                             name_of(request->place[i].pool));
        if (error != 0)
            return error;
    }
    return 0;
}

/* No ticket is kept, no slot, and no door. */
static void take_back(struct request *request)
{
    doors_leave(&request->doors);
    for (size_t i = 0; i < request->count; i++) {
        struct place *place = &request->place[i];
        if (place->drawn)
            wait_for(place, (struct store_patience){.none = true});
        if (place->held)
            berth_release(place->pool, place->grant);
        place->held = false;
    }
}

/* The reason for that stays the reason. */
static void take_back_after(struct request *request, int error)
{
    char reason[STORE_REASON];
    snprintf(reason, sizeof reason, "%s", berth_reason());
    take_back(request);
    pool_fail(error, "%s", reason);
}

/* ---- all of it ---- */

static int stand_and_wait(struct request *request)
{
    int error = doors_enter(&request->doors, request->wants, request->wanted, request->patience);
    if (error == 0) {
        error = for_each(request, draw);
        const int lost = doors_leave(&request->doors);
        error = error != 0 ? error : lost;
    }
    if (error == 0)
        error = for_each(request, wait_for);
    return error != 0 ? error : for_each(request, look_at);
}

/* Waits, holding nothing, as long as a pool has no slots at all. */
static int wait_for_slots(const struct request *request)
{
    enum { PAUSE = 20 * OS_MILLISECOND };
    const struct timespec *deadline = request->patience.deadline;
    const uint64_t end = deadline != NULL ? os_nanoseconds(deadline) : UINT64_MAX;
    for (size_t i = 0; i < request->wanted; i++) {
        berth_pool *pool = request->wants[i].pool;
        while (*pool->mine == HERE && berth_slots(pool) == 0) {
            const uint64_t now = os_now(CLOCK_MONOTONIC);
            if (request->patience.none)
                return EBUSY;
            if (pool_file_is_gone(&pool->queue.file))
                return pool_fail(EIDRM, "the file of the pool %s has been deleted", name_of(pool));
            if (now >= end)
                return pool_fail(ETIMEDOUT, "pool %s has no slots", name_of(pool));
            const struct timespec until = os_timespec(end - now < PAUSE ? end : now + PAUSE);
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        }
    }
    return refuse_sums(request->wants, request->wanted);
}

static int acquire(struct request *request)
{
    int error;
    do {
        error = wait_for_slots(request);
        if (error != 0)
            return error;
        /* A call that does not wait needs no doors. */
        error = request->patience.none ? for_each(request, try) : stand_and_wait(request);
        if (error != 0)
            take_back_after(request, error);
    } while (error == ESTALE || error == ERANGE); /* ERANGE: a pool has shrunk in the meantime */
    return error;
}

static void cancelled(void *context)
{
    struct request *request = context;
    take_back(request);
    free(request->place);
}

static int acquire_all(const berth_want *wants, size_t count, struct store_patience patience)
{
    struct request request = {.wants = wants, .wanted = count, .patience = patience};
    int error = begin(&request);
    if (error != 0)
        return error;
    request.patience.can_be_cancelled = cancel_is_possible();
    pthread_cleanup_push(cancelled, &request);
    error = acquire(&request);
    pthread_cleanup_pop(0);
    free(request.place);
    return error != EBUSY ? error : pool_fail(EBUSY, "not all of the slots are free");
}

int berth_acquire_all(const berth_want *wants, size_t count)
{
    return acquire_all(wants, count, (struct store_patience){0});
}

int berth_try_acquire_all(const berth_want *wants, size_t count)
{
    return acquire_all(wants, count, (struct store_patience){.none = true});
}

int berth_acquire_all_until(const berth_want *wants, size_t count, const struct timespec *deadline)
{
    const int error = handle_deadline_check(deadline);
    return error != 0 ? error
                      : acquire_all(wants, count, (struct store_patience){.deadline = deadline});
}

int berth_acquire_all_for(const berth_want *wants, size_t count, const struct timespec *timeout)
{
    struct timespec deadline;
    const int error = handle_deadline_after(timeout, &deadline);
    return error != 0 ? error
                      : acquire_all(wants, count, (struct store_patience){.deadline = &deadline});
}

int berth_release_all(const berth_want *wants, size_t count)
{
    int error = wants != NULL ? 0 : handle_needs("the list of what is held");
    for (size_t i = 0; i < count && wants != NULL; i++) {
        for (unsigned s = 0; s < wants[i].slots; s++) {
            const int failed = wants[i].grants != NULL
                                   ? berth_release(wants[i].pool, &wants[i].grants[s])
                                   : handle_needs("the array of the grants");
            error = error != 0 ? error : failed;
        }
    }
    return error;
}
