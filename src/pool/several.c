/*
 * Slots of several pools at once: all or none, without deadlock, in arrival order. What is done here is
 * protocol/pool/several.c, and that file says why it is right; what is done in each pool is the pool
 * protocol, step by step.
 */
#include "os/clock.h"
#include "pool/door.h"
#include "pool/handle.h"
#include "pool/reason.h"

#include <errno.h>
#include <stdlib.h>

/* The pools of one call, in the order of their doors. */
struct member {
    const berth_want *want;
    struct door door;
};

struct party {
    size_t count;
    struct member member[BERTH_MAX_WANTS];
};

static struct queue *queue_of(const berth_want *want)
{
    return &want->pool->queue;
}

/* ---- what is asked for ---- */

static int refuse_wants(const berth_want *wants, size_t count)
{
    if (count == 0 || count > BERTH_MAX_WANTS)
        return pool_fail(EINVAL, "from 1 to %d pools can be asked at once, not %zu",
                         (int)BERTH_MAX_WANTS, count);
    for (size_t i = 0; i < count; i++) {
        if (*wants[i].pool->mine == FORKED)
            return handle_is_not_mine(wants[i].pool);
        if (*wants[i].pool->mine == REMOTE)
            return pool_fail(ENOTSUP, "pool %s: several at once are for pools in a directory",
                             queue_of(&wants[i])->file.name);
        if (wants[i].slots == 0)
            return pool_fail(EINVAL, "pool %s: no slot is asked for",
                             queue_of(&wants[i])->file.name);
    }
    return 0;
}

/* Nobody waits for more slots than there are. The same pool may have been named twice. */
static int refuse_sums(const struct party *party)
{
    unsigned sum = 0;
    for (size_t i = 0; i < party->count; i++) {
        const berth_want *want = party->member[i].want;
        const unsigned slots = queue_slots(queue_of(want));
        if (i == 0 || door_compare(&party->member[i - 1].door, &party->member[i].door) != 0)
            sum = 0;
        sum = want->slots < BERTH_MAX_SLOTS - sum ? sum + want->slots : BERTH_MAX_SLOTS + 1;
        if (sum > slots)
            return pool_fail(EINVAL, "pool %s has %u slot%s, and more are asked for",
                             queue_of(want)->file.name, slots, slots == 1 ? "" : "s");
    }
    return 0;
}

/* ---- doors ---- */

static int by_door(const void *one, const void *other)
{
    const struct member *a = one, *b = other;
    return door_compare(&a->door, &b->door);
}

static void close_doors(struct party *party)
{
    for (size_t i = 0; i < party->count; i++)
        door_close(&party->member[i].door);
}

static int find_doors(struct party *party, const berth_want *wants, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        party->member[i].want = &wants[i];
        party->count = i + 1;
        error = door_find(&party->member[i].door, &queue_of(&wants[i])->file);
    }
    if (error == 0) {
        qsort(party->member, count, sizeof party->member[0], by_door);
        error = refuse_sums(party);
    }
    if (error != 0)
        close_doors(party);
    return error;
}

static int enter_doors(const struct party *party, uint64_t deadline)
{
    int error = 0;
    for (size_t i = 0; i < party->count && error == 0; i++) {
        if (i == 0 || door_compare(&party->member[i - 1].door, &party->member[i].door) != 0)
            error = door_enter(&party->member[i].door, &queue_of(party->member[i].want)->file,
                               deadline);
    }
    return error;
}

/* ---- tickets ---- */

static int not_in_time(const berth_want *want, int error)
{
    return error != ETIMEDOUT
               ? error
               : pool_fail(error, "pool %s: no slot came free in time", queue_of(want)->file.name);
}

/* Of the tickets that were drawn, `count` in all, none is kept, and no slot. */
static void take_back(const berth_want *wants, size_t count)
{
    static const struct queue_patience none = {.none = true};
    for (; count > 0; wants++) {
        for (unsigned s = 0; s < wants->slots && count > 0; s++, count--) {
            berth_grant *grant = &wants->grants[s];
            if (grant->ticket != 0 && queue_wait(queue_of(wants), &none, grant) == 0)
                queue_release(queue_of(wants), grant);
        }
    }
}

/* Does one thing for each slot that is asked for, as far as that goes well: *done of them. */
static int for_each(const berth_want *wants, size_t count, const struct queue_patience *patience,
                    int (*act)(struct queue *, const struct queue_patience *, berth_grant *),
                    size_t *done)
{
    *done = 0;
    for (size_t i = 0; i < count; i++) {
        for (unsigned s = 0; s < wants[i].slots; s++, ++*done) {
            const int error = act(queue_of(&wants[i]), patience, &wants[i].grants[s]);
            if (error != 0)
                return not_in_time(&wants[i], error);
        }
    }
    return 0;
}

static int acquire_all(const berth_want *wants, size_t count, const struct timespec *deadline)
{
    const struct queue_patience patience = {.deadline = deadline};
    struct party party;
    size_t drawn = 0, had;
    int error = refuse_wants(wants, count);
    if (error == 0)
        error = find_doors(&party, wants, count);
    if (error != 0)
        return error;
    error = enter_doors(&party, deadline != NULL ? os_nanoseconds(deadline) : UINT64_MAX);
    if (error == 0)
        error = for_each(wants, count, &patience, queue_draw, &drawn);
    close_doors(&party);
    if (error == 0)
        error = for_each(wants, count, &patience, queue_wait, &had);
    if (error != 0)
        take_back(wants, drawn);
    return error;
}

/* ---- berth.h ---- */

int berth_acquire_all(const berth_want *wants, size_t count)
{
    return acquire_all(wants, count, NULL);
}

int berth_acquire_all_until(const berth_want *wants, size_t count, const struct timespec *deadline)
{
    const int error = handle_deadline_check(deadline);
    return error != 0 ? error : acquire_all(wants, count, deadline);
}

/* Who does not wait needs no doors. */
int berth_try_acquire_all(const berth_want *wants, size_t count)
{
    static const struct queue_patience none = {.none = true};
    size_t had;
    int error = refuse_wants(wants, count);
    if (error != 0)
        return error;
    error = for_each(wants, count, &none, queue_acquire, &had);
    if (error != 0)
        take_back(wants, had);
    return error != EBUSY ? error : pool_fail(EBUSY, "not all of the slots are free");
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
