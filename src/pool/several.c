/*
 * Slots of several pools at once: all or none, without deadlock, in arrival order. What is done here is
 * protocol/pool/several.c, and that file says why it is right; what is done in each pool is the pool
 * protocol, step by step.
 */
#include "pool/doors.h"
#include "pool/handle.h"
#include "pool/reason.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* One slot that is asked for. */
struct place {
    berth_pool *pool;
    berth_grant *grant;
    void *ticket;     /* that was drawn in another store */
    bool drawn, held; /* a ticket, and then a slot */
};

struct request {
    const berth_want *wants;
    size_t wanted, count;
    struct place *place;
    struct store_patience patience;
};

static const char *name_of(const berth_pool *pool)
{
    return pool->queue.file.name;
}

/* ---- what is asked for ---- */

static int refuse_wants(const berth_want *wants, size_t count)
{
    if (count == 0 || count > BERTH_MAX_WANTS)
        return pool_fail(EINVAL, "from 1 to %d pools can be asked at once, not %zu",
                         (int)BERTH_MAX_WANTS, count);
    for (size_t i = 0; i < count; i++) {
        const berth_pool *pool = wants[i].pool, *first = wants[0].pool;
        if (*pool->mine == FORKED)
            return handle_is_not_mine(pool);
        if (*pool->mine != *first->mine ||
            (*pool->mine == REMOTE &&
             !pool->remote.store->is_together(first->remote.handle, pool->remote.handle)))
            return pool_fail(EXDEV, "the pools %s and %s are not in the same store", name_of(first),
                             name_of(pool));
        if (wants[i].slots == 0)
            return pool_fail(EINVAL, "pool %s: no slot is asked for", name_of(pool));
    }
    return 0;
}

/* Nobody waits for more slots than there are. The same pool may have been named twice. */
static int refuse_sums(const berth_want *wants, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned slots = berth_slots(wants[i].pool);
        uint64_t sum = 0;
        for (size_t j = 0; j < count; j++)
            sum += doors_same_pool(wants[i].pool, wants[j].pool) ? wants[j].slots : 0;
        if (sum > slots)
            return pool_fail(EINVAL, "pool %s has %u slot%s, and more are asked for",
                             name_of(wants[i].pool), slots, slots == 1 ? "" : "s");
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
    if (request->count > 0)
        request->place = calloc(request->count, sizeof *request->place);
    if (request->place == NULL)
        return pool_fail(ENOMEM, "there is no memory for %zu slots", request->count);
    struct place *place = request->place;
    for (size_t i = 0; i < request->wanted; i++) {
        for (unsigned s = 0; s < wants[i].slots; s++)
            *place++ = (struct place){.pool = wants[i].pool, .grant = &wants[i].grants[s]};
    }
    return 0;
}

/* ---- tickets ---- */

static int draw(struct place *place, struct store_patience patience)
{
    const bool is_here = *place->pool->mine == HERE;
    const int error = is_here ? queue_draw(&place->pool->queue, &patience, place->grant)
                              : remote_draw(&place->pool->remote, patience, &place->ticket);
    place->drawn = error == 0;
    place->held = error == 0 && is_here && place->grant->slot != QUEUE_NO_SLOT;
    return error;
}

static int wait_for(struct place *place, struct store_patience patience)
{
    if (place->held)
        return 0;
    const int error =
        *place->pool->mine == HERE
            ? queue_wait(&place->pool->queue, &patience, place->grant)
            : remote_wait(&place->pool->remote, place->ticket, patience, place->grant);
    place->drawn = false;
    place->held = error == 0;
    return error;
}

/* Takes a slot or does not. */
static int try(struct place *place, struct store_patience patience)
{
    const int error = *place->pool->mine == HERE
                          ? queue_acquire(&place->pool->queue, &patience, place->grant)
                          : remote_acquire(&place->pool->remote, patience, place->grant);
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

/* For one place after the other, as long as that goes well. */
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

/* No ticket is kept, and no slot. The reason for that stays the reason. */
static void take_back(const struct request *request, int error)
{
    char reason[STORE_REASON];
    snprintf(reason, sizeof reason, "%s", berth_reason());
    for (size_t i = 0; i < request->count; i++) {
        struct place *place = &request->place[i];
        if (place->drawn)
            wait_for(place, (struct store_patience){.none = true});
        if (place->held)
            berth_release(place->pool, place->grant);
        place->held = false;
    }
    pool_fail(error, "%s", reason);
}

/* ---- all of it ---- */

static int stand_and_wait(const struct request *request)
{
    struct doors doors;
    int error = doors_enter(&doors, request->wants, request->wanted, request->patience);
    if (error == 0) {
        error = for_each(request, draw);
        const int lost = doors_leave(&doors);
        error = error != 0 ? error : lost;
    }
    if (error == 0)
        error = for_each(request, wait_for);
    return error != 0 ? error : for_each(request, look_at);
}

static int acquire_all(const berth_want *wants, size_t count, struct store_patience patience)
{
    struct request request = {.wants = wants, .wanted = count, .patience = patience};
    int error = begin(&request);
    if (error != 0)
        return error;
    do {
        /* Who does not wait needs no doors. */
        error = patience.none ? for_each(&request, try) : stand_and_wait(&request);
        if (error != 0)
            take_back(&request, error);
    } while (error == ESTALE);
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

int berth_release_all(const berth_want *wants, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count; i++) {
        for (unsigned s = 0; s < wants[i].slots; s++) {
            const int failed = berth_release(wants[i].pool, &wants[i].grants[s]);
            error = error != 0 ? error : failed;
        }
    }
    return error;
}
