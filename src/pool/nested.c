/*
 * Slots for a process inside others that hold some: borrowed or its own.
 *
 * For one slot of one pool, a process waits in the queue and for a loan at the same time. It needs
 * no seat to borrow, so that a tree of runs goes on where all seats are taken by others. For more
 * than that, loans come first, all of them or none, and only then is anything waited for in line: a
 * process that holds a slot of one pool while it waits for a loan could be the one that the
 * borrower waits for (deadlock).
 */
#include "os/clock.h"
#include "pool/cancel.h"
#include "pool/doors.h"
#include "pool/lender.h"
#include "pool/reason.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PAUSE = 2 * OS_MILLISECOND, LAST_PAUSE = 32 * OS_MILLISECOND };

/* The lenders of slots of a pool, the nearest first. */
struct lenders {
    size_t count;
    struct loan_lender *of;
};

/* Whether it is the nearest of its slot that is left: those farther out have lent the slot on to
 * it, and may lend it to this process when it is over. */
static bool is_nearest(const struct lenders *lenders, size_t i)
{
    bool nearest = !lenders->of[i].over;
    for (size_t k = 0; k < i; k++)
        nearest = nearest && (lenders->of[k].slot != lenders->of[i].slot || lenders->of[k].over);
    return nearest;
}

/* How many slots are lent. */
static size_t count_lent(const struct lenders *lenders)
{
    size_t lent = 0;
    for (size_t i = 0; i < lenders->count; i++)
        lent += is_nearest(lenders, i);
    return lent;
}

/* ---- the texts ---- */

static void free_lenders(const berth_pool *pool, struct lenders *lenders)
{
    for (size_t i = 0; i < lenders->count; i++)
        lender_close(pool, &lenders->of[i]);
    free(lenders->of);
    *lenders = (struct lenders){0};
}

/* Those of the texts that are of this pool, and whose lenders are there. The caller frees them. */
static int read_lenders(const berth_pool *pool, const char *loans, struct lenders *lenders)
{
    *lenders = (struct lenders){0};
    if (loans == NULL)
        return 0;
    lenders->of = calloc(strlen(loans) / 2 + 1, sizeof *lenders->of);
    if (lenders->of == NULL)
        return pool_fail(ENOMEM, "there is no memory for a list of loans");
    for (const char *text = loans; *text != '\0';) {
        const size_t length = strcspn(text, " ");
        struct loan_lender lender;
        const bool known = lender_read(&lender, pool, text, length);
        if (known && loan_is_there(pool, &lender))
            lenders->of[lenders->count++] = lender;
        else if (known)
            lender_close(pool, &lender);
        text += length;
        text += strspn(text, " ");
    }
    return 0;
}

/* ---- one slot ---- */

struct one {
    berth_pool *pool;
    struct lenders lenders;
    berth_grant grant; /* the loan */
    bool borrowed;
    int error;
};

/* Tries all of them, the nearest first. */
static bool borrow_one(void *context)
{
    struct one *one = context;
    bool is_over = false;
    for (size_t i = 0; i < one->lenders.count && !one->borrowed && one->error == 0; i++) {
        struct loan_lender *lender = &one->lenders.of[i];
        if (!is_nearest(&one->lenders, i) || lender->level == LOAN_LAST_LEVEL)
            continue;
        const int error = loan_borrow(one->pool, lender, &one->grant);
        lender->over = error == ESTALE;
        is_over |= lender->over;
        one->borrowed = error == 0;
        one->error = error != EAGAIN && error != ESTALE ? error : 0;
    }
    if (is_over && count_lent(&one->lenders) == 0) /* nothing is left to borrow */
        UNCANCELLED((loan_close_copies(one->pool), 0));
    return one->borrowed || one->error != 0;
}

static int cannot_borrow(int error, const berth_pool *pool)
{
    return pool_fail(error, "pool %s: a slot that is lent cannot be borrowed: %m",
                     pool->queue.file.name);
}

static int acquire_one(const berth_want *want, const struct lenders *lenders,
                       const struct timespec *deadline, unsigned flags)
{
    struct one one = {.pool = want->pool, .lenders = *lenders};
    const struct store_patience patience = {.none = (flags & BERTH_TRY) != 0,
                                            .deadline = deadline,
                                            .instead = borrow_one,
                                            .context = &one};
    const char *name = want->pool->queue.file.name;
    int error = 0;
    if (!borrow_one(&one)) {
        error = *want->pool->mine == REMOTE
                    ? remote_call(&want->pool->remote, acquire, patience, want->grants)
                    : queue_acquire(&want->pool->queue, &patience, want->grants);
        if (error == 0 && one.borrowed) /* both: one of them is enough */
            UNCANCELLED(loan_release(want->pool, &one.grant));
        if (error == 0)
            return 0;
    }
    if (one.borrowed) { /* then the wait was stopped, or never began */
        *want->grants = one.grant;
        return 0;
    }
    if (one.error != 0)
        return cannot_borrow(one.error, want->pool);
    if (error == EBUSY)
        return pool_fail(error, "pool %s has no free slot, and none to lend", name);
    return error != ETIMEDOUT ? error
                              : pool_fail(error, "pool %s: no slot came free in time", name);
}

/* ---- several ---- */

struct several {
    const berth_want *wants;
    size_t count;
    struct lenders *lenders; /* of each want */
    berth_want own[BERTH_MAX_WANTS];
    size_t own_count;
    bool borrowed; /* all that can be lent */
    bool again;    /* what the ancestors lend has to be looked up again */
};

static bool is_single(const struct several *several)
{
    return several->count == 1 && several->wants->slots == 1;
}

/* Gives back the first `count` of what was borrowed, and then `more` of the next. */
static void give_back(const struct several *several, size_t count, unsigned more)
{
    for (size_t i = 0; i <= count && i < several->count; i++) {
        const unsigned slots = several->lenders[i].count == 0 ? 0
                               : i < count                    ? several->wants[i].slots
                                                              : more;
        for (unsigned s = 0; s < slots; s++)
            loan_release(several->wants[i].pool, &several->wants[i].grants[s]);
    }
}

/* All that can be lent, or nothing. ESTALE: some lender is gone. EAGAIN: somebody has borrowed
 * it. */
static int borrow_all(struct several *several)
{
    for (size_t i = 0; i < several->count; i++) {
        const berth_want *want = &several->wants[i];
        const struct lenders *lenders = &several->lenders[i];
        unsigned have = 0;
        int error = 0;
        for (size_t k = 0; k < lenders->count && have < want->slots && error == 0; k++) {
            if (!is_nearest(lenders, k) || lenders->of[k].level == LOAN_LAST_LEVEL)
                continue;
            error = loan_borrow(want->pool, &lenders->of[k], &want->grants[have]);
            have += error == 0;
            error = error == EAGAIN ? 0 : error; /* another will do */
        }
        if (lenders->count == 0 || have == want->slots)
            continue;
        give_back(several, i, have);
        return error != 0 ? error : EAGAIN;
    }
    return 0;
}

/* Slots that nobody lends are acquired through the queue. */
static int acquire_rest(struct several *several, const struct timespec *deadline, unsigned flags)
{
    int error = 0;
    several->borrowed = true;
    if (several->own_count > 0)
        error = (flags & BERTH_TRY) != 0 ? berth_try_acquire_all(several->own, several->own_count)
                : deadline != NULL
                    ? berth_acquire_all_until(several->own, several->own_count, deadline)
                    : berth_acquire_all(several->own, several->own_count);
    several->borrowed = false;
    if (error != 0) {
        char reason[STORE_REASON];
        snprintf(reason, sizeof reason, "%s", berth_reason());
        give_back(several, several->count, 0);
        pool_fail(error, "%s", reason);
    }
    return error;
}

/* Sleeps, each time longer; false: the deadline is over. */
static bool rest_until(const struct timespec *deadline, uint64_t *pause)
{
    const uint64_t until = deadline != NULL ? os_nanoseconds(deadline) : UINT64_MAX;
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    if (now >= until)
        return false;
    const struct timespec sleep = os_timespec(*pause < until - now ? *pause : until - now);
    nanosleep(&sleep, NULL); /* a signal only makes it shorter */
    *pause = 2 * *pause < LAST_PAUSE ? 2 * *pause : LAST_PAUSE;
    return true;
}

/* Gives all handles seats that have none. EUSERS: not all have one now. */
static int take_seats(const struct several *several)
{
    int error = 0;
    for (size_t i = 0; i < several->count && error == 0; i++) {
        if (*several->wants[i].pool->mine == UNSEATED)
            error = UNCANCELLED(handle_take_seat(several->wants[i].pool));
    }
    return error;
}

/* Whether slots of their own are there for the wants that nobody lends any: a pool that has shrunk
 * may still have lent what is wanted. */
static bool can_be_lent(const struct several *several)
{
    for (size_t i = 0; i < several->own_count; i++) {
        const berth_pool *pool = several->own[i].pool;
        if (berth_slots(pool) > 0 && berth_slots(pool) < several->own[i].slots)
            return false;
    }
    return several->own_count < several->count;
}

/* A slot of its own for each, now; EBUSY: no. */
static int try_own(struct several *several)
{
    int error = take_seats(several);
    if (error == 0)
        error = berth_try_acquire_all(several->wants, several->count);
    return error == EUSERS || (error == EINVAL && can_be_lent(several)) ? EBUSY : error;
}

static int acquire_several(struct several *several, const struct timespec *deadline, unsigned flags)
{
    uint64_t pause = FIRST_PAUSE;
    for (;;) {
        int error = borrow_all(several);
        if (error == 0)
            return acquire_rest(several, deadline, flags);
        several->again = error == ESTALE;
        if (error != EAGAIN)
            return error == ESTALE ? error : cannot_borrow(error, several->wants->pool);
        error = try_own(several);
        if (error == EBUSY && (flags & BERTH_TRY) != 0)
            return pool_fail(error, "not all of the slots are free, or lent");
        if (error != EBUSY)
            return error;
        several->again = is_single(several) && *several->wants->pool->mine == HERE;
        if (several->again) /* it has got a seat, and can stand in line */
            return ESTALE;
        if (!rest_until(deadline, &pause))
            return pool_fail(ETIMEDOUT, "neither all of the slots nor all of the loans came free "
                                        "in time");
    }
}

/* ---- what is refused ---- */

/* The same pool may have been named more than once. */
static unsigned sum_of(const struct several *several, const berth_pool *pool)
{
    unsigned sum = 0;
    for (size_t i = 0; i < several->count; i++)
        sum += doors_same_pool(several->wants[i].pool, pool) ? several->wants[i].slots : 0;
    return sum;
}

static int refuse(const struct several *several, const berth_pool *pool, size_t lent,
                  unsigned flags)
{
    const unsigned slots = berth_slots(pool), wanted = lent > 0 ? sum_of(several, pool) : 0;
    const char *name = pool->queue.file.name;
    if ((flags & BERTH_OWN) != 0 && lent > 0 && slots > 0 && wanted + lent > slots)
        return pool_fail(EDEADLK,
                         "pool %s has %u slot%s, of which %zu belong%s to the runs around this "
                         "one: %u more would be waited for until they end",
                         name, slots, slots == 1 ? "" : "s", lent, lent == 1 ? "s" : "", wanted);
    if ((flags & BERTH_OWN) == 0 && lent > 0 && lent < wanted)
        return pool_fail(
            EDEADLK,
            "pool %s: %u slots are asked for inside a run that has %zu: ask for all of "
            "them there, or for slots of its own here",
            name, wanted, lent);
    return 0;
}

static int plan(struct several *several, const char *loans, unsigned flags, size_t *lent)
{
    int error = 0;
    *lent = several->own_count = 0;
    for (size_t i = 0; i < several->count && error == 0; i++) {
        struct lenders *lenders = &several->lenders[i];
        error = read_lenders(several->wants[i].pool, loans, lenders);
        if (error == 0)
            error = refuse(several, several->wants[i].pool, count_lent(lenders), flags);
        *lent += count_lent(lenders);
        if (lenders->count == 0)
            several->own[several->own_count++] = several->wants[i];
    }
    return error;
}

static int acquire_plainly(const berth_want *wants, size_t count, const struct timespec *deadline,
                           unsigned flags)
{
    if ((flags & BERTH_TRY) != 0)
        return count == 1 && wants->slots == 1 ? berth_try_acquire(wants->pool, wants->grants)
                                               : berth_try_acquire_all(wants, count);
    if (count == 1 && wants->slots == 1)
        return deadline != NULL ? berth_acquire_until(wants->pool, wants->grants, deadline)
                                : berth_acquire(wants->pool, wants->grants);
    return deadline != NULL ? berth_acquire_all_until(wants, count, deadline)
                            : berth_acquire_all(wants, count);
}

/* Nothing is borrowed: it waits for a seat, if need be, and then in line. */
static int acquire_own(struct several *several, const struct timespec *deadline, unsigned flags)
{
    uint64_t pause = FIRST_PAUSE;
    for (size_t i = 0; i < several->count; i++)
        UNCANCELLED((loan_close_copies(several->wants[i].pool), 0));
    int error = take_seats(several);
    while (error == EUSERS) {
        if ((flags & BERTH_TRY) != 0)
            return pool_fail(EBUSY, "%s", berth_reason());
        if (!rest_until(deadline, &pause))
            return pool_fail(ETIMEDOUT, "no seat came free in time");
        error = take_seats(several);
    }
    return error != 0 ? error : acquire_plainly(several->wants, several->count, deadline, flags);
}

/* Whether a pool has only lenders around this process from which nothing can be borrowed. */
static bool is_too_deep(const struct several *several)
{
    for (size_t i = 0; i < several->count; i++) {
        const struct lenders *lenders = &several->lenders[i];
        size_t last = 0;
        for (size_t k = 0; k < lenders->count; k++)
            last += is_nearest(lenders, k) && lenders->of[k].level == LOAN_LAST_LEVEL;
        if (last > 0 && last == count_lent(lenders))
            return true;
    }
    return false;
}

/* To wait would be to wait for the runs around this one. */
static int acquire_too_deep(struct several *several)
{
    const int error = try_own(several);
    return error != EBUSY
               ? error
               : pool_fail(EDEADLK,
                           "pool %s: %d runs are one inside the other in the slot of this one: it "
                           "cannot be lent once more, and no other is free",
                           several->wants->pool->queue.file.name, LOAN_LEVELS_END);
}

static int acquire(struct several *several, const char *loans, const struct timespec *deadline,
                   unsigned flags)
{
    size_t lent;
    int error = UNCANCELLED(plan(several, loans, flags, &lent)); /* files are opened and closed */
    if (error != 0)
        return error;
    if (lent == 0 || (flags & BERTH_OWN) != 0)
        return acquire_own(several, deadline, flags);
    if (is_too_deep(several))
        return acquire_too_deep(several);
    return is_single(several) && *several->wants->pool->mine != UNSEATED
               ? acquire_one(several->wants, several->lenders, deadline, flags)
               : acquire_several(several, deadline, flags);
}

static void forget_lenders(const struct several *several)
{
    for (size_t i = 0; i < several->count; i++)
        free_lenders(several->wants[i].pool, &several->lenders[i]);
}

/* The thread is cancelled while it waits. */
static void cancelled(void *context)
{
    const struct several *several = context;
    if (several->borrowed)
        give_back(several, several->count, 0);
    forget_lenders(several);
}

/* Until what the ancestors lend does not change in the meantime. */
static int acquire_again(struct several *several, const char *loans,
                         const struct timespec *deadline, unsigned flags)
{
    int error;
    do {
        memset(several->lenders, 0, several->count * sizeof *several->lenders);
        several->again = false;
        pthread_cleanup_push(cancelled, several);
        error = acquire(several, loans, deadline, flags);
        pthread_cleanup_pop(0);
        UNCANCELLED((forget_lenders(several), 0));
    } while (several->again);
    return error;
}

int berth_acquire_within(const berth_want *wants, size_t count, const char *loans,
                         const struct timespec *deadline, unsigned flags)
{
    struct lenders lenders[BERTH_MAX_WANTS];
    struct several several = {.wants = wants, .count = count, .lenders = lenders};
    if ((flags & ~(unsigned)(BERTH_OWN | BERTH_TRY)) != 0)
        return pool_fail(EINVAL, "unknown flags: %#x", flags);
    if (wants == NULL)
        return handle_needs("what is wanted");
    if (count == 0 || count > BERTH_MAX_WANTS)
        return pool_fail(EINVAL, "not from 1 to %d pools", (int)BERTH_MAX_WANTS);
    for (size_t i = 0; i < count; i++) {
        const berth_pool *pool = wants[i].pool;
        if (!handle_is_open(pool))
            return handle_refuse(pool);
        if (wants[i].grants == NULL)
            return handle_needs("the place for the grants");
        if (wants[i].slots == 0)
            return pool_fail(EINVAL, "no slot is asked for");
    }
    const int error = deadline != NULL ? handle_deadline_check(deadline) : 0;
    if (error != 0)
        return error;
    return *wants->pool->mine == REMOTE
               ? UNCANCELLED(acquire_again(&several, loans, deadline, flags))
               : acquire_again(&several, loans, deadline, flags);
}
