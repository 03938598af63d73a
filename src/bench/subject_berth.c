/* A pool of this library, in a directory of the run's own. */
#include "bench/subject.h"

static int open_pool(const struct bench_place *place, berth_pool **pool)
{
    berth_options options = {.slots = place->slots, .store = place->directory};
    return berth_open(pool, place->name, &options);
}

static int pool_make(struct bench_place *place)
{
    berth_pool *pool;
    int error = open_pool(place, &pool);
    return error != 0 ? error : berth_close(pool);
}

static void pool_unmake(struct bench_place *place)
{
    /* What this leaves behind goes with the directory. */
    berth_remove(place->name, &(berth_options){.store = place->directory});
}

static int pool_join(struct bench_seat *seat)
{
    return open_pool(seat->place, &seat->own.berth.pool);
}

static void pool_leave(struct bench_seat *seat)
{
    berth_close(seat->own.berth.pool);
}

static int pool_acquire(struct bench_seat *seat)
{
    return berth_acquire(seat->own.berth.pool, &seat->own.berth.grant);
}

static int pool_try_acquire(struct bench_seat *seat)
{
    return berth_try_acquire(seat->own.berth.pool, &seat->own.berth.grant);
}

static int pool_release(struct bench_seat *seat)
{
    return berth_release(seat->own.berth.pool, &seat->own.berth.grant);
}

BENCH_PAIRS(pool)

static uint64_t pool_ticket(const struct bench_seat *seat)
{
    return seat->own.berth.grant.ticket;
}

const struct bench_subject bench_berth = {
    .name = "berth",
    .about = "libberth: berth_acquire, berth_release",
    .most = BENCH_SLOTS,
    .recovers = true,
    .make = pool_make,
    .unmake = pool_unmake,
    .join = pool_join,
    .acquire = pool_acquire,
    .try_acquire = pool_try_acquire,
    .release = pool_release,
    .leave = pool_leave,
    .pairs = pool_pairs,
    .ticket = pool_ticket,
};
