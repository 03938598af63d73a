/*
 * A pool as seen from outside: read only, by anyone who may read the file. T, A and everything that
 * they refer to are read again until T and A did not change during the read; what the last draw and
 * the last admission left to be written down is filled in here.
 */
#include "berth.h"

#include "os/clock.h"
#include "os/foreign.h"
#include "pool/bits.h"
#include "pool/cancel.h"
#include "pool/file.h"
#include "pool/handle.h"
#include "pool/loan.h"
#include "pool/options.h"
#include "pool/owner_process.h"
#include "pool/reason.h"
#include "pool/remote_pool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 1000 };

/* The protocol's words at one moment. */
struct moment {
    word draw, admission, slots;
    word slot[BERTH_MAX_SLOTS], since[BERTH_MAX_SLOTS];
    bool free[BERTH_MAX_SLOTS];
    size_t waiting; /* tickets from admit to tail */
    word *seat;     /* of each of those; or nobody */
    word *arrived;
};

/* Whose ticket it is, as far as its entry or the last draw tells. */
static word owner_of(const struct pool_words *shared, const struct moment *moment, word ticket)
{
    const word e = bits_entry(shared, ticket);
    switch (KIND(e, ticket)) {
    case WAITS:
    case ASLEEP:
    case BOUND: return VALUE(e);
    case GONE:
    case PASSED: return NOBODY;
    default: return ticket + 1 == TICKET(moment->draw) ? SEAT(moment->draw) : NOBODY;
    }
}

/* The slot that a ticket was admitted into, or BERTH_MAX_SLOTS if that is not written down. */
static word slot_of(const struct pool_words *shared, const struct moment *moment, word ticket)
{
    if (ticket + 1 == ADMIT(moment->admission))
        return SLOT_OF(moment->admission);
    const word e = bits_entry(shared, ticket);
    return KIND(e, ticket) == SLOT ? SLOT_OF(e) : BERTH_MAX_SLOTS;
}

/* The last draw and the last admission may not have been written into slot[] yet. */
static void fill_in(const struct pool_words *shared, struct moment *moment)
{
    const word tail = TICKET(moment->draw), admit = ADMIT(moment->admission);
    const word last[2] = {tail - 1, admit - 1};
    for (unsigned i = 0; i < 2; i++) {
        if (last[i] >= tail || last[i] >= admit)
            continue;
        const word j = slot_of(shared, moment, last[i]);
        if (j < BERTH_MAX_SLOTS && TICKET(moment->slot[j]) < last[i])
            moment->slot[j] = HOLDER(last[i], owner_of(shared, moment, last[i]));
    }
    for (word ticket = tail; ticket < admit; ticket++) {
        const word j = slot_of(shared, moment, ticket);
        if (j < BERTH_MAX_SLOTS)
            moment->free[j] = true;
    }
}

/* Reads it all once. EAGAIN: it changed during that. */
static int read_once(const struct pool_words *shared, struct moment *moment)
{
    const uint64_t now = os_now(CLOCK_REALTIME_COARSE);
    memset(moment->free, 0, sizeof moment->free);
    moment->draw = atomic_load(&shared->control->draw);
    moment->admission = atomic_load(&shared->control->admission);
    moment->slots = atomic_load(&shared->control->target);
    const word tail = TICKET(moment->draw), admit = ADMIT(moment->admission);
    if (tail > admit + RING || admit > tail + RING)
        return EPROTO;
    for (unsigned j = 0; j < BERTH_MAX_SLOTS; j++) {
        moment->slot[j] = atomic_load(&shared->slot[j]);
        moment->since[j] = atomic_load(&shared->file->since[j]);
    }
    fill_in(shared, moment);
    moment->waiting = 0;
    for (word ticket = admit; ticket < tail; ticket++) {
        moment->seat[moment->waiting] = owner_of(shared, moment, ticket);
        const word arrived = atomic_load(&shared->file->arrived[PLACE(ticket)]);
        moment->arrived[moment->waiting++] = pool_stamp_is_of(arrived, ticket)
                                                 ? arrived >> POOL_STAMP_BITS
                                                 : now / OS_MILLISECOND; /* just now */
    }
    return atomic_load(&shared->control->draw) == moment->draw &&
                   atomic_load(&shared->control->admission) == moment->admission
               ? 0
               : EAGAIN;
}

static void describe(const struct pool_words *shared, word seat, word since, berth_user *user)
{
    user->pid = (int)atomic_load(&shared->file->seat[seat].pid);
    user->since.tv_sec = (time_t)(since / 1000);
    user->since.tv_nsec = (long)(since % 1000 * 1000000);
    os_clean(user->command, sizeof user->command, OS_FOREIGN(shared->file->seat[seat].command));
    pool_process_of_seat(user, shared->file, &shared->file->seat[seat]);
    if (gethostname(user->host, sizeof user->host) != 0)
        user->host[0] = '\0';
    user->host[sizeof user->host - 1] = '\0';
}

/* Tells when `ticket` got its slot, if that was written down; else when the handle of `seat`, which
 * lives, was opened. The seat in the holder's word is not used: only find_user has checked one. */
static word since_when(const struct pool_words *shared, word ticket, word since, word seat)
{
    return pool_stamp_is_of(since, ticket) ? since >> POOL_STAMP_BITS
                                           : atomic_load(&shared->file->seat[seat].opened);
}

static bool lives(const struct pool_words *shared, word seat)
{
    return seat != NOBODY && seat < shared->file->geometry.seats &&
           pool_seat_alive(shared->file, (unsigned)seat);
}

/* Adds those that work in the slot in addition to its holder; false: no memory. */
static bool list_loans(const struct pool_words *shared, word slot, word token, berth_view *view)
{
    unsigned seat, before;
    for (unsigned level = 1; level < LOAN_LEVELS_END; level++) {
        if (!loan_seat(shared->file, (unsigned)slot, level, &seat)) {
            if (!loan_keeps_from(shared->file, (unsigned)slot, level))
                return true;
            continue; /* there are deeper ones */
        }
        berth_loan **more = realloc(view->loans, (view->loan_count + 1) * sizeof(berth_loan *));
        if (more == NULL)
            return false;
        view->loans = more;
        berth_loan *loan = view->loans[view->loan_count] = calloc(1, sizeof *loan);
        if (loan == NULL)
            return false;
        view->loan_count++;
        *loan = (berth_loan){.level = level,
                             .left = !loan_seat(shared->file, (unsigned)slot, level - 1, &before)};
        describe(shared, seat, atomic_load(&shared->file->seat[seat].opened), &loan->user);
        loan->user.number = (unsigned)slot;
        loan->user.token = token;
    }
    return true;
}

/* The process that is shown for the slot: its holder, or else the first borrower. */
static bool find_user(const struct pool_words *shared, word slot, word *seat)
{
    unsigned borrower;
    if (lives(shared, *seat))
        return true;
    for (unsigned level = 1; loan_keeps_from(shared->file, (unsigned)slot, level); level++) {
        if (!loan_seat(shared->file, (unsigned)slot, level, &borrower))
            continue;
        *seat = borrower;
        return true;
    }
    return false;
}

/* One more in a list; its length grows only when it is complete. */
static berth_user *add(berth_user **list, size_t count)
{
    list[count] = calloc(1, sizeof *list[count]);
    return list[count];
}

static int list_users(const struct pool_words *shared, const struct moment *moment,
                      berth_view *view)
{
    for (unsigned j = 0; j < BERTH_MAX_SLOTS; j++) {
        word seat = SEAT(moment->slot[j]);
        if (moment->free[j] || seat == NOBODY || !find_user(shared, j, &seat))
            continue;
        berth_user *user = add(view->holders, view->holder_count);
        if (user == NULL)
            return ENOMEM;
        view->holder_count++;
        const word ticket = TICKET(moment->slot[j]);
        describe(shared, seat, since_when(shared, ticket, moment->since[j], seat), user);
        user->number = j;
        user->token = shared->file->token_base + ticket;
        if (!list_loans(shared, j, user->token, view))
            return ENOMEM;
    }
    for (size_t i = 0; i < moment->waiting; i++) {
        if (!lives(shared, moment->seat[i]))
            continue;
        berth_user *user = add(view->waiters, view->waiter_count);
        if (user == NULL)
            return ENOMEM;
        view->waiter_count++;
        describe(shared, moment->seat[i], moment->arrived[i], user);
        user->number = (unsigned)view->waiter_count;
    }
    return 0;
}

static int look_at(const struct pool_words *shared, struct moment *moment, berth_view *view)
{
    int error = EAGAIN;
    for (unsigned i = 0; i < TRIES && error == EAGAIN; i++)
        error = read_once(shared, moment);
    if (error == EPROTO)
        return pool_is_damaged(shared->file);
    /* A pool that changes faster than it can be read is shown as it was while it was read. */
    view->slots = moment->slots < BERTH_MAX_SLOTS ? (unsigned)moment->slots : BERTH_MAX_SLOTS;
    view->seats = shared->file->geometry.seats;
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    view->holders = calloc(BERTH_MAX_SLOTS, sizeof *view->holders);
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    view->waiters = calloc(moment->waiting + 1, sizeof *view->waiters);
    if (view->holders == NULL || view->waiters == NULL || list_users(shared, moment, view) != 0)
        return pool_fail(ENOMEM, "there is no memory for what pool %s looks like",
                         shared->file->name);
    return 0;
}

/* Looks at a file that has been mapped. */
static int look_at_file(struct pool_file *file, struct moment *moment, berth_view *view)
{
    const struct pool_words words = pool_words_of(file);
    moment->seat = calloc(file->geometry.ring + 1, sizeof *moment->seat);
    moment->arrived = calloc(file->geometry.ring + 1, sizeof *moment->arrived);
    const int error =
        moment->seat == NULL || moment->arrived == NULL
            ? pool_fail(ENOMEM, "there is no memory for what pool %s looks like", file->name)
            : look_at(&words, moment, view);
    free(moment->seat);
    free(moment->arrived);
    return error;
}

static int look_in_directory(berth_view **result, const char *name, const berth_options *options)
{
    char path[PATH_MAX];
    struct pool_file file;
    berth_view *view = calloc(1, sizeof *view);
    struct moment *moment = calloc(1, sizeof *moment);
    if (view == NULL || moment == NULL) {
        free(view);
        free(moment);
        return pool_fail(ENOMEM, "there is no memory for what pool %s looks like", name);
    }
    int error = pool_directory(options, path, sizeof path);
    if (error == 0 && (view->store = strdup(path)) == NULL)
        error = pool_fail(ENOMEM, "there is no memory for what pool %s looks like", name);
    if (error == 0)
        error = pool_file_view(&file, name, options);
    if (error == 0) {
        error = look_at_file(&file, moment, view);
        pool_file_close(&file);
    }
    free(moment);
    if (error != 0)
        berth_view_free(view);
    else
        *result = view;
    return error;
}

static int look(berth_view **result, const char *name, const berth_options *options)
{
    const char *store = remote_store(options);
    return store != NULL ? remote_look(result, store, name, options)
                         : look_in_directory(result, name, options);
}

int berth_look(berth_view **result, const char *name, const berth_options *options)
{
    berth_options known;
    if (result == NULL)
        return handle_needs("the place for the view");
    *result = NULL;
    if (name == NULL)
        return handle_needs("the name of the pool");
    const int error = pool_options_read(options, &known);
    return error != 0 ? error : UNCANCELLED(look(result, name, &known));
}

static void free_users(berth_user **users, size_t count)
{
    for (size_t i = 0; users != NULL && i < count; i++)
        free(users[i]);
    free(users);
}

void berth_view_free(berth_view *view)
{
    if (view == NULL)
        return;
    free_users(view->holders, view->holder_count);
    free_users(view->waiters, view->waiter_count);
    for (size_t i = 0; i < view->loan_count; i++)
        free(view->loans[i]);
    free(view->loans);
    free(view->store);
    free(view);
}
