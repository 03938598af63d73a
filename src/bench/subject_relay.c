/*
 * Arrival order and nothing else: tickets, and for each a word on which its owner sleeps. It knows
 * of no death, no slot numbers, no giving up, and does what is left in as few steps as there are.
 * So this is what sleeping in a line costs in any implementation; the rest is the price of
 * recovery.
 */
#include "bench/subject.h"

#include "os/futex.h"
#include "os/backoff.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum { WORDS = 256, SPINS = 100, SLEEPS = 1 };

struct relay {
    _Atomic(uint64_t) drawn, admitted;
    _Atomic(uint64_t) word[WORDS]; /* go() of the last ticket that was admitted, and SLEEPS */
};
_Static_assert(sizeof(struct relay) <= BENCH_SHARED, "there is room for it");

/* Even, and it grows: a process that is slow finds the word of a ticket that is not its own, but
 * later. */
static uint64_t go(uint64_t ticket)
{
    return 2 * (ticket + 1);
}

static void admit(struct relay *relay)
{
    const uint64_t ticket = atomic_fetch_add(&relay->admitted, 1);
    _Atomic(uint64_t) *word = &relay->word[ticket % WORDS];
    if ((atomic_exchange(word, go(ticket)) & SLEEPS) != 0)
        os_futex_wake(word);
}

static int relay_make(struct bench_place *place)
{
    memset(place->shared, 0, sizeof(struct relay));
    for (unsigned s = 0; s < place->slots; s++)
        admit(place->shared);
    return 0;
}

static int relay_acquire(struct bench_seat *seat)
{
    struct relay *relay = seat->place->shared;
    const uint64_t ticket = atomic_fetch_add(&relay->drawn, 1);
    _Atomic(uint64_t) *word = &relay->word[ticket % WORDS];
    if (ticket <= atomic_load(&relay->admitted)) { /* the next in line spins first */
        for (unsigned i = 0; i < SPINS && atomic_load(word) < go(ticket); i++)
            os_relax();
    }
    for (uint64_t seen; (seen = atomic_load(word)) < go(ticket);) {
        if ((seen & SLEEPS) != 0 || atomic_compare_exchange_strong(word, &seen, seen | SLEEPS))
            os_futex_sleep(word, (uint32_t)(seen | SLEEPS), NULL);
    }
    return 0;
}

static int relay_try_acquire(struct bench_seat *seat)
{
    struct relay *relay = seat->place->shared;
    /* A process that asks here is alone. */
    return atomic_load(&relay->drawn) < atomic_load(&relay->admitted) ? relay_acquire(seat) : EBUSY;
}

static int relay_release(struct bench_seat *seat)
{
    admit(seat->place->shared);
    return 0;
}

static void relay_unmake(struct bench_place *place)
{
    (void)place;
}

BENCH_PAIRS(relay)

const struct bench_subject bench_relay = {
    .name = "relay",
    .about = "tickets and futexes: order, without recovery",
    .most = BENCH_SLOTS,
    .make = relay_make,
    .unmake = relay_unmake,
    .join = bench_join_nothing,
    .acquire = relay_acquire,
    .try_acquire = relay_try_acquire,
    .release = relay_release,
    .leave = bench_leave_nothing,
    .pairs = relay_pairs,
};
