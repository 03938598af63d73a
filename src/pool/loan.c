#include "pool/loan.h"

#include "os/clock.h"
#include "os/range_lock.h"
#include "pool/cancel.h"
#include "pool/heir.h"
#include "pool/lender.h"
#include "pool/reason.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(CHAIN_NAME_BITS + CHAIN_LEVEL_BITS + 10 <= 62, "a range of bytes for each level");
_Static_assert(BERTH_MAX_SLOTS == 1 << 10 && BERTH_MAX_SEATS <= 1 << LOAN_SEAT_BITS, "as above");

/* ---- the kernel's locks ---- */

/* Whose handle it is, by which name. */
struct loan_place {
    berth_pool *pool;
    int fd;
    uint64_t me, lender;
    int error; /* of the kernel, which could not do what was asked */
};

/* What says that a process of this name is at this level. */
static struct os_range level_of(uint64_t slot, uint64_t d, uint64_t name)
{
    return (struct os_range){.start = chain_start(slot, d), .length = 1 + (int64_t)name};
}

static bool take(const struct loan_place *place, uint64_t slot, uint64_t d, uint64_t end)
{
    return d == end || os_lock_take(place->fd, chain_levels(slot, d, end)) == 0;
}

static void drop(const struct loan_place *place, uint64_t slot, uint64_t d, uint64_t end)
{
    if (d == end) /* beyond the last level; no range is empty */
        return;
    os_lock_drop(place->fd, chain_levels(slot, d, end));
    heir_drop(place->pool, chain_levels(slot, d, end));
}

/* Has this level by my name from now on, together with the heir, and none below it. */
static bool keep(struct loan_place *place, uint64_t slot, uint64_t d)
{
    const struct os_range mine = level_of(slot, d, place->me);
    const struct os_range all = chain_levels(slot, d, LOAN_LEVELS_END);
    const struct os_range rest = {.start = mine.start + mine.length,
                                  .length = all.length - mine.length};
    place->error = os_lock_share(place->fd, mine);
    if (place->error == 0)
        place->error = os_lock_drop(place->fd, rest);
    if (place->error == 0)
        place->error = heir_share(place->pool, mine);
    if (place->error != 0)
        drop(place, slot, d, LOAN_LEVELS_END);
    return place->error == 0;
}

/* If the kernel does not answer, somebody may still hold it. */
static bool is_held(int fd, uint64_t slot, uint64_t d, uint64_t end)
{
    struct os_range found;
    return d < end && os_lock_find(fd, chain_levels(slot, d, end), &found) != ENOENT;
}

/* The name of the process that has this level; 0: none has it, or one is about to take it. */
static uint64_t name_at(int fd, uint64_t slot, uint64_t level)
{
    struct os_range found;
    const int64_t start = chain_start(slot, level);
    return os_lock_find(fd, (struct os_range){.start = start, .length = 1}, &found) == 0 &&
                   found.start == start && found.length <= INT64_C(1) << LOAN_NAME_BITS
               ? (uint64_t)found.length - 1
               : 0;
}

/* ---- the protocol ---- */

#define STEP_NATIVE
#define STEP_EMBEDDED
#define STEP_OWN_SHARED
#define LOAN_EMBEDDED
#define step_shared loan_place
#define LEVELS_END LOAN_LEVELS_END
#define TAKE(label, taken, j, d, end) STEP_HOOK(label, taken = take(shared, j, d, end));
#define DROP(label, j, d, end) STEP_HOOK(label, drop(shared, j, d, end));
#define KEEP(label, j, d) STEP_HOOK(label, if (!keep(shared, j, d)) outcome = NOTHING);
#define IS_HELD(label, held, j, d, end) STEP_HOOK(label, held = is_held(shared->fd, j, d, end));
#define IS_LENT(label, held, j, d)                                                                 \
    STEP_HOOK(label, held = name_at(shared->fd, j, d) == shared->lender);
#include "protocol/pool/loan.c"

static const struct step_params as_it_is = {.n = 1, .l = BERTH_MAX_SLOTS};

/* The kernel does not show an open file its own locks. */
bool loan_works_in(struct queue *queue, unsigned slot)
{
    loan_lock_list(queue);
    const struct loan *at = queue->loans;
    while (at != NULL && at->grant.slot != slot)
        at = at->next;
    loan_unlock_list(queue);
    return at != NULL;
}

bool loan_keeps(const struct pool_file *file, unsigned slot)
{
    struct loan_place place = {.fd = file->fd};
    struct step_local my = {.j = slot + 1};
    keeps(&place, &my, &as_it_is, 0);
    return my.outcome == OUT;
}

bool loan_keeps_from(const struct pool_file *file, unsigned slot, unsigned level)
{
    return level < LOAN_LEVELS_END && is_held(file->fd, slot + 1, level, LOAN_LEVELS_END);
}

bool loan_seat(const struct pool_file *file, unsigned slot, unsigned level, unsigned *seat)
{
    const uint64_t name = level < LOAN_LEVELS_END ? name_at(file->fd, slot + 1, level) : 0;
    *seat = (unsigned)(name & ((1 << LOAN_SEAT_BITS) - 1));
    return name != 0 && *seat < file->geometry.seats;
}

/* ---- what a handle lends and borrows ---- */

/* Held while the list is looked at or changed, and what is looked up in it used: a slot is lent
 * once, and borrowed once. Nobody waits for a borrower with it. A child made by fork does not get
 * here with a handle of its parent's. */
void loan_lock_list(struct queue *queue)
{
    while (atomic_exchange(&queue->loans_busy, 1) != 0)
        sched_yield();
}

void loan_unlock_list(struct queue *queue)
{
    atomic_store(&queue->loans_busy, 0);
}

static void lock_list(berth_pool *pool)
{
    loan_lock_list(&pool->queue);
}

static void unlock_list(berth_pool *pool)
{
    loan_unlock_list(&pool->queue);
}

/* The place of the loan in the list, or the list's end. With the list locked. */
static struct loan **find(berth_pool *pool, const berth_grant *grant)
{
    struct loan **at = &pool->queue.loans;
    while (*at != NULL &&
           ((*at)->grant.slot != grant->slot || (*at)->grant.ticket != grant->ticket))
        at = &(*at)->next;
    return at;
}

/* With the list locked. */
static void add(berth_pool *pool, struct loan *loan)
{
    loan->next = pool->queue.loans;
    pool->queue.loans = loan;
}

/* Copies what the list has of the grant; false: nothing. */
static bool read_loan(berth_pool *pool, const berth_grant *grant, struct loan *loan)
{
    lock_list(pool);
    const struct loan *found = *find(pool, grant);
    if (found != NULL)
        *loan = *found;
    unlock_list(pool);
    return found != NULL;
}

bool loan_holds(berth_pool *pool, const berth_grant *grant)
{
    struct loan loan;
    return read_loan(pool, grant, &loan);
}

/* Of a pool in a directory there is no number to find the file by. */
static bool is_remote(const berth_pool *pool)
{
    return *pool->mine == REMOTE;
}

/* Not 0. The number tells this run from those that had the seat before. */
static uint64_t draw_name(unsigned seat)
{
    uint64_t mixed = os_now(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 40;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    mixed ^= mixed >> 31;
    return (mixed >> LOAN_SEAT_BITS << LOAN_SEAT_BITS | seat | 1 << LOAN_SEAT_BITS) &
           ((UINT64_C(1) << LOAN_NAME_BITS) - 1);
}

/* Takes its level of the chain, by an open file of the loan's own. 0, EAGAIN or ESTALE. */
static int take_level(berth_pool *pool, const struct loan *loan, const struct loan_lender *lender)
{
    struct loan_place place = {
        .pool = pool, .fd = loan->fd, .me = loan->name, .lender = lender->name};
    struct step_local my = {.j = lender->slot + 1, .d = lender->level};
    if (name_at(place.fd, my.j, my.d) == lender->name) /* otherwise trying is pointless */
        borrow(&place, &my, &as_it_is, 0);
    return place.error != 0     ? place.error
           : my.outcome == LENT ? 0
           : my.outcome == OUT  ? EAGAIN
                                : ESTALE;
}

/* From now on the store shows the loan, and has the descriptor. */
static int tell_store(berth_pool *pool, const struct loan *loan)
{
    const int error = remote_call(&pool->remote, borrow, &loan->grant, loan->level, loan->fd);
    if (error != 0)
        close(loan->fd);
    return error;
}

/* With the list locked. */
static int borrow_from(berth_pool *pool, const struct loan_lender *lender, berth_grant *grant)
{
    const berth_grant lent = {.slot = lender->slot,
                              .ticket = lender->token - pool->queue.file.token_base};
    if (*find(pool, &lent) != NULL) /* its locks would not keep this handle out */
        return EAGAIN;
    struct loan *loan = calloc(1, sizeof *loan);
    if (loan == NULL)
        return ENOMEM;
    *loan = (struct loan){.name = draw_name(pool->queue.seat), .level = lender->level + 1};
    loan->fd = is_remote(pool) ? lender_open_again(lender) : pool->queue.file.fd;
    int error = loan->fd >= 0 ? take_level(pool, loan, lender) : ESTALE;
    if (error != 0 && is_remote(pool) && loan->fd >= 0)
        close(loan->fd);
    loan->grant = (berth_grant){.token = lender->token,
                                .slot = lender->slot,
                                .seat = pool->queue.seat,
                                .ticket = lender->token - pool->queue.file.token_base};
    if (error == 0 && is_remote(pool))
        error = tell_store(pool, loan);
    if (error != 0) {
        free(loan);
        return error;
    }
    *grant = loan->grant;
    add(pool, loan);
    return 0;
}

int loan_borrow(berth_pool *pool, const struct loan_lender *lender, berth_grant *grant)
{
    const int before = cancel_later(); /* files are opened and closed */
    lock_list(pool);
    const int error = borrow_from(pool, lender, grant);
    unlock_list(pool);
    cancel_as(before);
    return error;
}

bool loan_is_there(const berth_pool *pool, const struct loan_lender *lender)
{
    (void)pool;
    return name_at(lender->fd, lender->slot + 1, lender->level) == lender->name;
}

/* Those that were inherited have low numbers, and are not closed on exec as a handle's own are. */
void loan_close_copies(const berth_pool *pool)
{
    enum { LOW = 256 };
    struct stat mine, other;
    if (is_remote(pool) || fstat(pool->queue.file.fd, &mine) != 0)
        return; /* the file of a loan in another store is not inherited */
    for (int fd = STDERR_FILENO + 1; fd < LOW; fd++) {
        const int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && !handle_has(fd) && fstat(fd, &other) == 0 &&
            other.st_dev == mine.st_dev && other.st_ino == mine.st_ino)
            close(fd);
    }
}

/* Ends the loan if nobody has borrowed it; false: somebody has, and the handle still lends it. */
static bool end(berth_pool *pool, const struct loan *loan)
{
    struct loan_place place = {.pool = pool, .fd = loan->fd, .me = loan->name};
    struct step_local my = {.j = loan->grant.slot + 1, .d = loan->level};
    reclaim(&place, &my, &as_it_is, 0);
    return my.outcome == NOTHING;
}

/* Ends it in any case; false: the slot stays with who has borrowed it. */
static bool end_at_once(berth_pool *pool, const struct loan *loan)
{
    struct loan_place place = {.pool = pool, .fd = loan->fd, .me = loan->name};
    struct step_local my = {.j = loan->grant.slot + 1, .d = loan->level};
    if (end(pool, loan))
        return true;
    leave(&place, &my, &as_it_is, 0);
    return my.outcome == NOTHING;
}

/* If the lender has left, the slot is handed on only by a process that looks for it: so this one
 * does. In another store the lender does not leave. */
static void given_back(berth_pool *pool, const struct loan *loan)
{
    static const struct store_patience impatient = {.none = true};
    berth_grant grant;
    if (is_remote(pool)) {
        const int before = cancel_later();
        pool->remote.store->give_back(pool->remote.handle, &loan->grant);
        cancel_as(before);
        return;
    }
    if (name_at(pool->queue.file.fd, loan->grant.slot + 1, loan->level - 1) == 0 &&
        (*pool->mine == HERE || handle_take_seat(pool) == 0) &&
        queue_acquire(&pool->queue, &impatient, &grant) == 0)
        queue_release(&pool->queue, &grant);
}

/* The slot is the queue's again. */
static int release_own(berth_pool *pool, const struct loan *loan)
{
    if (is_remote(pool))
        return remote_call(&pool->remote, release, &loan->grant);
    atomic_store(&pool->queue.held[loan->grant.slot], loan->grant.ticket);
    return queue_release(&pool->queue, &loan->grant);
}

/* There is no point in waiting for a slot that is lost. */
static bool is_lost(const berth_pool *pool, const struct loan *loan)
{
    struct timespec left;
    return is_remote(pool) && (remote_call(&pool->remote, good_for, &loan->grant, &left) != 0 ||
                               (left.tv_sec == 0 && left.tv_nsec == 0));
}

/* Whether the locks can be asked for: not if the program has closed the descriptor. */
static bool has_file(const berth_pool *pool)
{
    return is_remote(pool) || pool_file_is_ours(&pool->queue.file);
}

/* Waits until nobody borrows: a handle that stays open would keep the slot for ever. EBADF: that
 * cannot be known. */
static int wait_for_end(berth_pool *pool, const struct loan *loan)
{
    uint64_t pause = OS_MILLISECOND;
    while (has_file(pool) && !end(pool, loan) && !is_lost(pool, loan)) {
        const struct timespec sleep = os_timespec(pause);
        nanosleep(&sleep, NULL);
        pause = pause < 100 * (uint64_t)OS_MILLISECOND ? 2 * pause : pause;
    }
    return has_file(pool) ? 0
                          : pool_fail(EBADF, "the program has closed the descriptor of the pool %s",
                                      pool->queue.file.name);
}

/* Takes the loan out of the list; NULL: the handle has none by that grant. */
static struct loan *take_out(berth_pool *pool, const berth_grant *grant)
{
    lock_list(pool);
    struct loan **at = find(pool, grant), *found = *at;
    if (found != NULL && found->grant.seat != grant->seat)
        found = NULL;
    if (found != NULL)
        *at = found->next;
    unlock_list(pool);
    return found;
}

int loan_release(berth_pool *pool, const berth_grant *grant)
{
    struct loan *loan = take_out(pool, grant);
    if (loan == NULL) /* unless another thread has just failed to lend it */
        return is_remote(pool) ? queue_does_not_hold(&pool->queue, grant->slot)
                               : queue_release(&pool->queue, grant);
    int error = wait_for_end(pool, loan);
    if (error != 0) { /* closing the handle is left */
        lock_list(pool);
        add(pool, loan);
        unlock_list(pool);
        return error;
    }
    if (loan->level == 0)
        error = release_own(pool, loan);
    else
        given_back(pool, loan);
    free(loan);
    return error;
}

bool loan_close(berth_pool *pool)
{
    bool back = true;
    while (pool->queue.loans != NULL) {
        struct loan *loan = pool->queue.loans;
        pool->queue.loans = loan->next;
        if (!has_file(pool))
            back = false; /* its locks went with the descriptor */
        else if (loan->level == 0 && is_remote(pool))
            wait_for_end(pool, loan); /* closing the handle gives it back */
        else if (loan->level == 0 && !end_at_once(pool, loan))
            back = false;
        else if (loan->level == 0)
            release_own(pool, loan); /* what is wrong with the pool, the sweep will say */
        else {
            end_at_once(pool, loan);
            given_back(pool, loan);
        }
        free(loan);
    }
    return back;
}

void loan_forget(berth_pool *pool)
{
    while (pool->queue.loans != NULL) {
        struct loan *next = pool->queue.loans->next;
        free(pool->queue.loans);
        pool->queue.loans = next;
    }
}

bool loan_is_out(berth_pool *pool, const berth_grant *grant)
{
    struct loan loan;
    return read_loan(pool, grant, &loan) &&
           is_held(loan.fd, grant->slot + 1, loan.level + 1, LOAN_LEVELS_END);
}

/* The file that has the chain of a slot which this handle holds. From now on the slot is released
 * by way of the loan. */
static int take_from_queue(berth_pool *pool, const berth_grant *grant, int *fd)
{
    *fd = pool->queue.file.fd;
    if (is_remote(pool))
        return remote_call(&pool->remote, lend, grant, fd);
    return queue_claim(&pool->queue, grant) ? 0 : queue_does_not_hold(&pool->queue, grant->slot);
}

/* With the list locked. */
static int lend(berth_pool *pool, const berth_grant *grant)
{
    struct loan *loan = calloc(1, sizeof *loan);
    if (loan == NULL)
        return pool_fail(ENOMEM, "there is no memory for a loan");
    *loan = (struct loan){.grant = *grant, .name = draw_name(pool->queue.seat)};
    int error = take_from_queue(pool, grant, &loan->fd);
    if (error != 0) {
        free(loan);
        return error;
    }
    const struct os_range level = level_of(grant->slot + 1, 0, loan->name);
    error = os_lock_share(loan->fd, level);
    if (error == 0)
        error = heir_share(pool, level);
    if (error != 0) {
        os_lock_drop(loan->fd, level);
        if (!is_remote(pool))
            atomic_store(&pool->queue.held[grant->slot], grant->ticket);
        free(loan);
        return pool_fail(error, "pool %s: slot %u cannot be lent: %m", pool->queue.file.name,
                         grant->slot);
    }
    add(pool, loan);
    return 0;
}

/* Lends what is not lent yet, and copies the loan. */
static int lend_once(berth_pool *pool, const berth_grant *grant, struct loan *loan)
{
    lock_list(pool);
    int error = *find(pool, grant) == NULL ? lend(pool, grant) : 0;
    if (error == 0)
        *loan = **find(pool, grant);
    unlock_list(pool);
    return error;
}

int loan_share_all(berth_pool *pool)
{
    int error = 0;
    for (const struct loan *at = pool->queue.loans; at != NULL && error == 0; at = at->next)
        error = heir_share(pool, level_of(at->grant.slot + 1, at->level, at->name));
    return error;
}

int berth_lend(berth_pool *pool, const berth_grant *grant, char text[BERTH_LOAN_MAX])
{
    struct loan loan;
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    if (grant == NULL || text == NULL)
        return handle_needs(grant == NULL ? "the grant" : "the place for the text");
    text[0] = '\0';
    const int error = UNCANCELLED(lend_once(pool, grant, &loan));
    if (error != 0)
        return error;
    const int length =
        snprintf(text, BERTH_LOAN_MAX, "%s/%u/%u/%" PRIx64 "/%" PRIu64, pool->queue.file.name,
                 grant->slot, loan.level, loan.name, grant->token);
    if (is_remote(pool))
        snprintf(text + length, BERTH_LOAN_MAX - (size_t)length, "/%d/%d", (int)getpid(), loan.fd);
    return 0;
}

int berth_loan_level(berth_pool *pool, const berth_grant *grant, unsigned *level)
{
    struct loan loan;
    if (!handle_is_open(pool))
        return handle_refuse(pool);
    if (grant == NULL || level == NULL)
        return handle_needs(grant == NULL ? "the grant" : "the place for the level");
    *level = read_loan(pool, grant, &loan) ? loan.level : 0;
    return 0;
}
