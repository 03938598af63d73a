#include "pool/pause.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/wait.h"
#include "pool/bits.h"

/* In nanoseconds. A timer that runs out before the next tick of the kernel's clock has to be set in
 * hardware, which costs more than the sleep; so none is shorter than a few milliseconds. */
enum {
    SPINS = 100, /* not a time */
    NEXT_LOOKS_FIRST = 5 * OS_MILLISECOND,
    NEXT_LOOKS_LAST = 22 * OS_MILLISECOND,
    NEXT_LOOKS_SHARE = 8, /* of the time that it has been next */
    OTHERS_LOOK = 20 * OS_MILLISECOND,
    OTHERS_LOOK_SHARE = 300 * 1000,       /* for each that waits, if that is more */
    WATCHES_AFTER = 60 * OS_MILLISECOND,  /* a thread costs as much as some looks */
    WATCHER_LOOKS = 250 * OS_MILLISECOND, /* for what a watch does not see */
    DOOR_LOOKS = OS_MILLISECOND,
    INSTEAD_LOOKS = 10 * OS_MILLISECOND, /* or OTHERS_LOOK_SHARE for each that waits */
};

static void stamp_arrival(const struct pool_words *shared, word ticket, word flag)
{
    atomic_store_explicit(&shared->file->arrived[PLACE(ticket)],
                          os_now(CLOCK_REALTIME_COARSE) / OS_MILLISECOND | flag,
                          memory_order_relaxed);
}

static word admitted(const struct pool_words *shared)
{
    return ADMIT(atomic_load(&shared->control->admission));
}

static void stop_watching(struct pause *pause)
{
    if (pause->watching == PAUSE_WATCHES)
        os_watch_stop(&pause->watch);
    pause->watching = PAUSE_ALONE;
}

/* ---- whom to watch ---- */

static bool add_seat(const struct pool_words *shared, word seat, uint64_t namespace, pid_t *pids,
                     unsigned *count)
{
    if (seat >= shared->file->geometry.seats || *count == OS_WATCH_MOST)
        return false;
    const struct pool_seat *line = &shared->file->seat[seat];
    pids[*count] = (pid_t)atomic_load(&line->pid);
    return atomic_load(&line->pid_namespace) == namespace && pids[(*count)++] > 0;
}

/* The holders, if I am the next in line; else whoever is before me, who will be a holder by the time
 * that I am the next. False: somebody cannot be watched. */
static bool list_pids(const struct pool_words *shared, word ticket, bool next, pid_t *pids,
                      unsigned *count)
{
    const uint64_t namespace = os_pid_namespace();
    if (namespace == 0)
        return false;
    if (!next) {
        const word e = atomic_load(&shared->ring[PLACE(ticket - 1)]);
        const word kind = KIND(e, ticket - 1);
        return (kind == WAITS || kind == ASLEEP || kind == BOUND) &&
               add_seat(shared, VALUE(e), namespace, pids, count);
    }
    const word wanted = atomic_load(&shared->control->target);
    for (word j = 0; j < wanted && j < BERTH_MAX_SLOTS; j++) {
        if (!add_seat(shared, SEAT(atomic_load(&shared->slot[j])), namespace, pids, count))
            return false;
    }
    return *count > 0;
}

static void start_watching(struct pause *pause, const struct pool_words *shared,
                           _Atomic(uint64_t) *entry, word ticket)
{
    pid_t pids[OS_WATCH_MOST];
    unsigned count = 0;
    pause->watching = list_pids(shared, ticket, pause->next, pids, &count) &&
                              os_watch_start(&pause->watch, pids, count, entry) == 0
                          ? PAUSE_WATCHES
                          : PAUSE_HAS_SEEN;
}

/* ---- how long to sleep ---- */

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
    return value < least ? least : value < most ? value : most;
}

static uint64_t looks_after(const struct pause *pause, uint64_t now, uint64_t waiting)
{
    if (pause->watching == PAUSE_WATCHES)
        return WATCHER_LOOKS;
    if (pause->next || pause->watching == PAUSE_HAS_SEEN)
        return between(NEXT_LOOKS_FIRST, (now - pause->since) / NEXT_LOOKS_SHARE, NEXT_LOOKS_LAST);
    return between(OTHERS_LOOK, waiting * OTHERS_LOOK_SHARE, UINT64_MAX);
}

/* ---- */

void pause_begin(struct pause *pause, const struct pool_words *shared, uint64_t ticket)
{
    if (ticket <= admitted(shared))
        return; /* the next in line spins first */
    pause->sleeps = true;
    stamp_arrival(shared, ticket, 0);
}

/* Gives whether it is time to look. */
static bool sleep_or_look(struct pause *pause, const struct pool_words *shared,
                          _Atomic(uint64_t) *entry, word ticket, uint64_t asleep)
{
    const word admit = admitted(shared), tail = TICKET(atomic_load(&shared->control->draw));
    const bool next = ticket <= admit;
    if (!pause->sleeps && pause->rounds < SPINS) {
        pause->rounds++;
        os_relax();
        return false;
    }
    if (!pause->sleeps) {
        pause->sleeps = true;
        stamp_arrival(shared, ticket, 0);
        return true; /* before it sleeps for the first time */
    }
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    const bool moved_up = pause->since != 0 && next && !pause->next;
    if (pause->since == 0 || next != pause->next) { /* other processes matter now */
        stop_watching(pause);
        pause->since = now;
        pause->next = next;
    }
    pause->expired = now >= pause->deadline ||
                     (pause->instead != NULL && pause->instead(pause->context));
    if (pause->expired)
        return false;
    if (moved_up)
        return true; /* who was next before may have left to it what the dead have */
    if (pause->watching == PAUSE_ALONE && now - pause->since >= WATCHES_AFTER) {
        start_watching(pause, shared, entry, ticket);
        if (!next)
            stamp_arrival(shared, ticket, POOL_TELL_WHEN_NEXT);
        return true; /* somebody may have ended before the watch began */
    }
    uint64_t until = now + looks_after(pause, now, tail - admit);
    if (pause->instead != NULL) /* nobody tells of that */
        until = between(now, until, now + between(INSTEAD_LOOKS, (tail - admit) * OTHERS_LOOK_SHARE,
                                                  UINT64_MAX - now));
    const struct timespec wake_up = os_timespec(until < pause->deadline ? until : pause->deadline);
    const bool woken = os_futex_sleep(entry, (uint32_t)asleep, &wake_up);
    if (pause->watching == PAUSE_WATCHES && atomic_load(&pause->watch.ended)) {
        stop_watching(pause);
        pause->watching = PAUSE_HAS_SEEN;
        return true;
    }
    return !woken;
}

void pause_once(struct pause *pause, const struct pool_words *shared, _Atomic(uint64_t) *entry,
                uint64_t ticket, uint64_t asleep)
{
    pause->look = sleep_or_look(pause, shared, entry, ticket, asleep);
    pause->has_looked |= pause->look;
}

void pause_at_door(struct pause *pause)
{
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    const struct timespec until = os_timespec(now + DOOR_LOOKS);
    pause->expired = pause->none || now >= pause->deadline;
    if (!pause->expired)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

void pause_end(struct pause *pause)
{
    stop_watching(pause);
}

void pause_tell_next(const struct pause *pause, const struct pool_words *shared, uint64_t ticket)
{
    const word behind = ticket + 1;
    if (pause->has_looked ||
        (atomic_load(&shared->file->arrived[PLACE(behind)]) & POOL_TELL_WHEN_NEXT) != 0)
        os_futex_wake(&shared->ring[PLACE(behind)]);
}
