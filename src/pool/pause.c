#include "pool/pause.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/backoff.h"
#include "pool/bits.h"

#include <errno.h>

/* In nanoseconds. A timer that runs out before the next tick of the kernel's clock has to be set in
 * hardware, which costs more than a short sleep; so the first sleep, which a hand-over usually ends
 * early, has a longer timer. */
enum {
    SPINS = 100, /* not a time */
    NEXT_LOOKS_FIRST = 4 * OS_MILLISECOND,
    NEXT_LOOKS_LEAST = OS_MILLISECOND,
    NEXT_LOOKS_MOST = 20 * OS_MILLISECOND,
    NEXT_LOOKS_SHARE = 500, /* of the time that it has been next */
    OTHERS_LOOK = 20 * OS_MILLISECOND,
    OTHERS_LOOK_SHARE = 16 * OS_MILLISECOND, /* for each beyond OTHERS_FEW, if that is more */
    OTHERS_FEW = 4,                          /* not a time */
    LOOK_SHARE = 128, /* of its time is the most that a waiter spends looking */
    DOOR_LOOKS = OS_MILLISECOND,
    INSTEAD_ASKS = 10 * OS_MILLISECOND,
    INSTEAD_ASKS_SHARE = 300 * 1000, /* for each that waits, if that is more */
};

/* For people to read, so it can wait until the first look: a wait that is over before costs
 * less. */
static void stamp_arrival(const struct pause *pause, const struct pool_words *shared, word ticket,
                          uint64_t now)
{
    const uint64_t came = os_now(CLOCK_REALTIME_COARSE) - (now - pause->came);
    atomic_store_explicit(&shared->file->arrived[PLACE(ticket)],
                          pool_stamp(came / OS_MILLISECOND, ticket), memory_order_relaxed);
}

/* The waiters up to this one sleep for long, and want to be told when they are next. */
static void ask_to_be_told(const struct pool_words *shared, word ticket)
{
    word last = atomic_load(&shared->control->tell);
    while (last < ticket && !atomic_compare_exchange_weak(&shared->control->tell, &last, ticket))
        ;
}

/* ---- why a wait cannot go on ---- */

static void wake_all(const struct pool_words *shared)
{
    const word admit = bits_admit(shared), tail = bits_tail(shared);
    for (word i = 0; i < RING && admit + i < tail; i++)
        os_futex_wake(&shared->ring[PLACE(admit + i)]);
}

/* Costs system calls: asked when it is time to look. A process that finds out that the file is gone
 * tells all others. */
static int file_is_lost(const struct pool_words *shared)
{
    if (!pool_file_is_ours(shared->file))
        return EBADF;
    if (!pool_file_is_gone(shared->file))
        return 0;
    atomic_store(&shared->control->removed, 1);
    wake_all(shared);
    return EIDRM;
}

static int cannot_go_on(const struct pause *pause, const struct pool_words *shared)
{
    if (atomic_load(&shared->control->removed) != 0)
        return EIDRM;
    if (pause->stop != NULL && *pause->stop != 0)
        return ECANCELED;
    for (const struct queue_need *need = pause->need; need != NULL && need->queue != NULL; need++) {
        if (queue_slots(need->queue) < need->slots)
            return ERANGE;
    }
    return 0;
}

/* ---- how long to sleep ---- */

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
    return value < least ? least : value < most ? value : most;
}

static uint64_t looks_after(const struct pause *pause, uint64_t now, uint64_t waiting)
{
    const uint64_t cheap = pause->look_took * LOOK_SHARE;
    if (pause->looks == 0)
        return pause->next ? NEXT_LOOKS_FIRST : OTHERS_LOOK;
    if (!pause->next)
        return waiting <= OTHERS_FEW
                   ? OTHERS_LOOK
                   : between(OTHERS_LOOK, (waiting - OTHERS_FEW) * OTHERS_LOOK_SHARE, UINT64_MAX);
    const uint64_t share = (now - pause->since) / NEXT_LOOKS_SHARE;
    return between(NEXT_LOOKS_LEAST, share > cheap ? share : cheap, NEXT_LOOKS_MOST);
}

/* ---- */

void pause_begin(struct pause *pause, const struct pool_words *shared, uint64_t ticket)
{
    pause->sleeps = ticket > bits_admit(shared); /* the next in line spins first */
}

/* It is time to look. */
static bool look(struct pause *pause, uint64_t now)
{
    pause->look = pause->has_looked = true;
    pause->looks++;
    pause->look_began = now;
    pause->looks_at = 0;
    return false;
}

/* Other processes matter in another place. */
static bool has_moved(struct pause *pause, bool next, uint64_t now)
{
    const bool first = pause->since == 0;
    if (!first && next == pause->next)
        return false;
    pause->since = now;
    pause->next = next;
    pause->looks = 0;
    pause->looks_at = 0;
    return !first;
}

/* When to wake up: for a look at the dead, or, where the caller may get a loan instead of a slot,
 * to ask for that; nobody announces a loan. */
static uint64_t asks_at(const struct pause *pause, uint64_t now, uint64_t waiting)
{
    if (pause->instead == NULL)
        return pause->looks_at;
    const uint64_t share = waiting * INSTEAD_ASKS_SHARE;
    const uint64_t asks_at = now + (share > INSTEAD_ASKS ? share : INSTEAD_ASKS);
    return asks_at < pause->looks_at ? asks_at : pause->looks_at;
}

bool pause_plan(struct pause *pause, const struct pool_words *shared, uint64_t ticket,
                struct timespec *until)
{
    const word admit = bits_admit(shared), tail = bits_tail(shared);
    const bool next = ticket <= admit;
    pause->look = false;
    if (!pause->sleeps && pause->rounds < SPINS) {
        pause->rounds++;
        os_relax();
        return false;
    }
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    if (pause->came == 0)
        pause->came = now;
    if (!pause->sleeps) {
        pause->sleeps = true;
        return look(pause, now); /* before it sleeps for the first time */
    }
    if (pause->look_began != 0) {
        pause->look_took = now - pause->look_began;
        pause->look_began = 0;
    }
    pause->why = cannot_go_on(pause, shared);
    if (pause->why == 0 && pause->instead != NULL && pause->instead(pause->context))
        pause->why = ECANCELED;
    const bool moved = has_moved(pause, next, now);
    const bool over = now >= pause->deadline;
    pause->expired = pause->why != 0 || (over && pause->has_looked);
    if (pause->expired)
        return false;
    /* A call whose time is over looks once before it gives up; and a waiter that has moved up may
     * be the one that has to recover the slots of dead holders. */
    if (moved && next)
        return look(pause, now);
    if (over || (pause->looks_at != 0 && now >= pause->looks_at)) {
        pause->why = file_is_lost(shared);
        pause->expired = pause->why != 0;
        stamp_arrival(pause, shared, ticket, now);
        if (!next)
            ask_to_be_told(shared, ticket);
        return !pause->expired && look(pause, now);
    }
    if (pause->looks_at == 0)
        pause->looks_at = now + looks_after(pause, now, tail - admit);
    const uint64_t wakes_at = asks_at(pause, now, tail - admit);
    *until = os_timespec(wakes_at < pause->deadline ? wakes_at : pause->deadline);
    return true;
}

void pause_at_door(struct pause *pause, const struct pool_words *shared)
{
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    const struct timespec until = os_timespec(now + DOOR_LOOKS);
    pause->why = file_is_lost(shared);
    if (pause->why == 0)
        pause->why = cannot_go_on(pause, shared);
    pause->expired = pause->none || pause->why != 0 || now >= pause->deadline;
    if (!pause->expired)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

void pause_interrupt(const struct pool_words *shared, uint64_t seat)
{
    const word admit = bits_admit(shared), tail = bits_tail(shared);
    for (word i = 0; i < RING && admit + i < tail; i++) {
        const word ticket = admit + i, e = bits_entry(shared, ticket);
        if (KIND(e, ticket) == ASLEEP && VALUE(e) == seat)
            os_futex_wake(&shared->ring[PLACE(ticket)]);
    }
}

void pause_tell_next(const struct pause *pause, const struct pool_words *shared, uint64_t ticket)
{
    const word behind = ticket + 1;
    if (pause->has_looked || behind <= atomic_load(&shared->control->tell))
        os_futex_wake(&shared->ring[PLACE(behind)]);
}
