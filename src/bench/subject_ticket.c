/* Concurrency Kit's ticket spin lock in a shared mapping. It is all in a header. */
#include "bench/subject.h"

#include <errno.h>

#if __has_include(<ck_spinlock.h>)

#include <ck_spinlock.h>

static int ticket_make(struct bench_place *place)
{
    ck_spinlock_ticket_init(place->shared);
    return 0;
}

static int ticket_acquire(struct bench_seat *seat)
{
    ck_spinlock_ticket_lock(seat->place->shared);
    return 0;
}

static int ticket_try_acquire(struct bench_seat *seat)
{
    /* Not everywhere is there a trylock; the caller is alone here. */
    if (ck_spinlock_ticket_locked(seat->place->shared))
        return EBUSY;
    return ticket_acquire(seat);
}

static int ticket_release(struct bench_seat *seat)
{
    ck_spinlock_ticket_unlock(seat->place->shared);
    return 0;
}

#define MISSING NULL

#else

static int ticket_make(struct bench_place *place)
{
    (void)place;
    return ENOSYS;
}

static int ticket_acquire(struct bench_seat *seat)
{
    (void)seat;
    return ENOSYS;
}

static int ticket_try_acquire(struct bench_seat *seat)
{
    return ticket_acquire(seat);
}

static int ticket_release(struct bench_seat *seat)
{
    return ticket_acquire(seat);
}

#define MISSING "built without Concurrency Kit (Debian: libck-dev)"

#endif

static void ticket_unmake(struct bench_place *place)
{
    (void)place;
}

BENCH_PAIRS(ticket)

const struct bench_subject bench_ticket = {
    .name = "ck-ticket",
    .about = "Concurrency Kit's ticket spin lock",
    .missing = MISSING,
    .most = 1,
    .spins = true,
    .make = ticket_make,
    .unmake = ticket_unmake,
    .join = bench_join_nothing,
    .acquire = ticket_acquire,
    .try_acquire = ticket_try_acquire,
    .release = ticket_release,
    .leave = bench_leave_nothing,
    .pairs = ticket_pairs,
};
