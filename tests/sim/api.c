#include "api.h"

#include "calls.h"
#include "choice.h"

#include "pool/outside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { HANDLES = 256 };

static struct handle {
    const berth_pool *pool;
    struct oracle_pool *of;
    struct sim_ofd *ofd;
    uint64_t serial; /* of the open file */
    unsigned birth;  /* of its process; 0: unused */
    bool spoilt;
} handles[HANDLES];

unsigned api_seats;

void api_begin(void)
{
    api_seats = 6;
    memset(handles, 0, sizeof handles);
}

/* ---- handles ---- */

static bool is_used(const struct handle *handle)
{
    for (unsigned p = 0; p < sim.processes; p++) {
        if (sim.process[p].life != SIM_FREE && sim.process[p].birth == handle->birth)
            return handle->birth != 0;
    }
    return false;
}

/* NULL: it is a parent's, or none. */
static struct handle *find(const berth_pool *pool)
{
    for (unsigned i = 0; i < HANDLES; i++) {
        if (handles[i].pool == pool && handles[i].birth == sim.self->process->birth)
            return &handles[i];
    }
    return NULL;
}

static void add(const berth_pool *pool)
{
    struct sim_ofd *ofd = sim_fd_get(berth_fd(pool));
    const unsigned slots = berth_slots(pool);
    for (unsigned i = 0; i < HANDLES && ofd != NULL; i++) {
        if (is_used(&handles[i]))
            continue;
        handles[i] = (struct handle){.birth = sim.self->process->birth,
                                     .pool = pool,
                                     .of = oracle_pool_of(ofd->inode, slots),
                                     .ofd = ofd,
                                     .serial = ofd->serial};
        return;
    }
    sim_fail("there is no room for a handle, or berth_fd is not open");
}

void api_spoil(const berth_pool *pool)
{
    struct handle *handle = find(pool);
    if (handle != NULL)
        handle->spoilt = true;
}

/* For the history: the name that the pool's file has. */
static const char *pool_name(const struct handle *handle)
{
    for (unsigned i = 0; i < SIM_INODES && handle != NULL; i++) {
        if (sim.name[i].inode == handle->of->inode)
            return sim.name[i].name;
    }
    return handle == NULL ? "a parent's pool" : "a removed pool";
}

/* A pool that somebody has open is not removed by the library. */
void oracle_unlinks(const struct sim_inode *inode)
{
    for (unsigned i = 0; i < HANDLES; i++) {
        const struct handle *handle = &handles[i];
        if (is_used(handle) && handle->pool != NULL && !handle->spoilt &&
            handle->of->inode == inode && handle->of->number == inode->number &&
            handle->ofd->refs > 0 && handle->ofd->serial == handle->serial)
            sim_fail("the file of a pool is removed while somebody has it open");
    }
}

/* ---- errors ---- */

static const char *name_of(int error)
{
    return error == 0 ? "0" : strerrorname_np(error);
}

/* Whether the call has failed because a system call has. It has left nothing behind, so that it can
 * be made again; and it fails only once. */
static bool is_by_fault(const char *call, int error)
{
    struct sim_fault *fault = &sim.fault;
    if (error == 0 || error == EPROTO || fault->birth != sim.self->process->birth ||
        fault->is_answered)
        return false;
    sim_say("%s = %s, after that", call, name_of(error));
    return fault->is_answered = true;
}

/* Any other than these is a failure. */
static void check_error(const char *call, const struct handle *handle, int error,
                        const int *expected)
{
    sim_say("%s = %s%s%s", call, name_of(error), error != 0 ? ": " : "",
            error != 0 ? berth_reason() : "");
    if (error == 0 || (handle != NULL && handle->spoilt))
        return;
    if (error == ECHILD && handle == NULL)
        return;
    if (error == EIDRM && handle != NULL && handle->of->inode->links == 0)
        return;
    for (; *expected != 0; expected++) {
        if (*expected == error)
            return;
    }
    sim_fail("%s gives %s: %s", call, name_of(error), berth_reason());
}

#define EXPECTED(...) ((const int[]){__VA_ARGS__, 0})
#define NONE ((const int[]){0})

/* ---- opening and closing ---- */

int api_open(berth_pool **pool, const char *name, unsigned slots, unsigned flags)
{
    const berth_options options = {
        .slots = slots, .seats = api_seats, .flags = flags, .store = "/store", .command = "sim"};
    sim_say("berth_open(%s)...", name);
    struct sim_call *call = oracle_call(ORACLE_OPEN, 0);
    const int error = berth_open(pool, name, &options);
    oracle_ends(call);
    if (is_by_fault("berth_open", error))
        return api_open(pool, name, slots, flags);
    check_error("berth_open", NULL, error, EXPECTED(EUSERS, ENOENT, EEXIST, EAGAIN));
    if (error == ENOENT && (flags & BERTH_EXISTING) == 0)
        sim_fail("berth_open gives ENOENT, and may create the pool");
    if (error == EEXIST && slots == 0)
        sim_fail("berth_open gives EEXIST, and was not asked for a number of slots");
    if (error != 0)
        return error;
    add(*pool);
    if (find(*pool) != NULL && find(*pool)->of->inode->links == 0 && !sim.removed_by_hand)
        sim_fail("berth_open gives a pool whose file has no name any more");
    return 0;
}

int api_close(berth_pool *pool)
{
    struct handle *handle = find(pool);
    sim_say("berth_close(%s)...", pool_name(handle));
    struct sim_call *call = oracle_call(ORACLE_CLOSE, 0);
    if (handle != NULL) {
        oracle_wants(call, handle->of, handle->ofd, 1);
        oracle_closes(handle->of, handle->ofd);
        for (unsigned i = 0; i < HANDLES; i++) { /* a child's copy is a handle too */
            if (handles[i].birth == sim.self->process->birth && handles[i].pool == pool)
                handles[i].pool = NULL;
        }
    }
    const int error = berth_close(pool);
    oracle_ends(call);
    if (!is_by_fault("berth_close", error)) /* it is closed nevertheless */
        check_error("berth_close", handle, error, NONE);
    for (unsigned j = 0; j < ORACLE_SLOTS && handle != NULL; j++) {
        struct oracle_holder *holder = &handle->of->holder[j];
        if (holder->ofd == handle->ofd && holder->state == ORACLE_RELEASES)
            holder->state = ORACLE_NOBODY;
        for (unsigned d = 1; d < ORACLE_LEVELS; d++) {
            struct oracle_holder *loan = &handle->of->loan[j][d];
            if (loan->ofd == handle->ofd && loan->state == ORACLE_RELEASES)
                loan->state = ORACLE_NOBODY;
        }
    }
    return error;
}

/* ---- slots ---- */

struct asked {
    struct sim_call *call;
    struct handle *handle;
};

static struct asked begin(enum oracle_kind kind, const berth_pool *pool, uint64_t deadline,
                          const char *what)
{
    struct asked asked = {.handle = find(pool)};
    sim_say("%s(%s)...", what, pool_name(asked.handle));
    asked.call = oracle_call(kind, deadline);
    if (asked.handle != NULL)
        oracle_wants(asked.call, asked.handle->of, asked.handle->ofd, 1);
    oracle_goes(asked.call);
    if (asked.handle != NULL && asked.handle->spoilt)
        asked.call->alone = false;
    return asked;
}

enum { AGAIN = -1 }; /* it is to be called again */

static int end(struct asked asked, const char *what, int error, const berth_grant *grant,
               const int *expected)
{
    if (error == 0 && asked.handle == NULL)
        sim_fail("%s succeeds with a parent's handle", what);
    else if (error == 0)
        sim_say("%s gives slot %u, token %llu", what, grant->slot,
                (unsigned long long)grant->token);
    if (error == 0)
        oracle_granted(asked.call, asked.handle->of, asked.handle->ofd, grant);
    else if (asked.handle != NULL && !asked.handle->spoilt)
        oracle_refused(asked.call, error);
    oracle_ends(asked.call);
    if (is_by_fault(what, error))
        return AGAIN;
    if (error != 0)
        check_error(what, asked.handle, error, expected);
    return error;
}

int api_acquire(berth_pool *pool, berth_grant *grant)
{
    const struct asked asked = begin(ORACLE_ACQUIRE, pool, SIM_FOREVER, "berth_acquire");
    const int error = end(asked, "berth_acquire", berth_acquire(pool, grant), grant, NONE);
    return error == AGAIN ? api_acquire(pool, grant) : error;
}

int api_try(berth_pool *pool, berth_grant *grant)
{
    const struct asked asked = begin(ORACLE_TRY, pool, SIM_FOREVER, "berth_try_acquire");
    const int error =
        end(asked, "berth_try_acquire", berth_try_acquire(pool, grant), grant, EXPECTED(EBUSY));
    return error == AGAIN ? api_try(pool, grant) : error;
}

static struct timespec time_of(uint64_t nanoseconds)
{
    return (struct timespec){(time_t)(nanoseconds / SIM_SECOND), (long)(nanoseconds % SIM_SECOND)};
}

int api_until(berth_pool *pool, berth_grant *grant, int64_t after)
{
    const uint64_t deadline = (uint64_t)((int64_t)sim.now + after);
    const struct timespec time = time_of(deadline);
    const struct asked asked = begin(ORACLE_UNTIL, pool, deadline, "berth_acquire_until");
    if (after > 0)
        asked.call->alone = false; /* there is time for others to come, and the bound is watched */
    if (after >= 0 && choice_one_in(4)) {
        const struct timespec timeout = time_of((uint64_t)after);
        return end(asked, "berth_acquire_for", berth_acquire_for(pool, grant, &timeout), grant,
                   EXPECTED(ETIMEDOUT));
    }
    return end(asked, "berth_acquire_until", berth_acquire_until(pool, grant, &time), grant,
               EXPECTED(ETIMEDOUT));
}

int api_unless(berth_pool *pool, berth_grant *grant, const volatile int *stop)
{
    const struct asked asked = begin(ORACLE_ACQUIRE, pool, SIM_FOREVER, "berth_acquire_unless");
    const int error = berth_acquire_unless(pool, grant, NULL, stop);
    if (error == ECANCELED && *stop == 0)
        sim_fail("berth_acquire_unless gives up, and was not asked to");
    const int result = end(asked, "berth_acquire_unless", error, grant, EXPECTED(ECANCELED));
    return result == AGAIN ? api_unless(pool, grant, stop) : result;
}

static int release(berth_pool *pool, const berth_grant *grant, const int *expected)
{
    struct handle *handle = find(pool);
    sim_say("berth_release(%s) of slot %u...", pool_name(handle), grant->slot);
    struct sim_call *call = oracle_call(ORACLE_RELEASE, 0);
    unsigned level = 0;
    if (handle != NULL)
        berth_loan_level(pool, grant, &level);
    if (handle != NULL) {
        oracle_wants(call, handle->of, handle->ofd, 1);
        if (level == 0)
            oracle_releases(handle->of, grant->slot);
        else
            oracle_gives_back(handle->of, handle->ofd, grant, level);
    }
    const int error = berth_release(pool, grant);
    if (error == 0 && handle != NULL && level == 0)
        oracle_released(handle->of, grant->slot);
    else if (error == 0 && handle != NULL)
        oracle_gave_back(handle->of, handle->ofd, grant, level);
    oracle_ends(call);
    check_error("berth_release", handle, error, expected);
    return error;
}

int api_release(berth_pool *pool, const berth_grant *grant)
{
    return release(pool, grant, NONE);
}

int api_release_perhaps(berth_pool *pool, const berth_grant *grant)
{
    return release(pool, grant, EXPECTED(EPERM));
}

/* ---- several at once ---- */

static struct sim_call *begin_all(enum oracle_kind kind, const berth_want *wants, size_t count,
                                  uint64_t deadline, const char *what)
{
    for (size_t i = 0; i < count; i++)
        sim_say("%s: %u of %s...", what, wants[i].slots, pool_name(find(wants[i].pool)));
    struct sim_call *call = oracle_call(kind, deadline);
    for (size_t i = 0; i < count; i++) {
        const struct handle *handle = find(wants[i].pool);
        if (handle != NULL)
            oracle_wants(call, handle->of, handle->ofd, wants[i].slots);
    }
    oracle_goes(call);
    if (count > 1 || wants[0].slots > 1)
        call->alone = false; /* "nothing is free" may be true of one pool and untrue of the other */
    return call;
}

static int end_all(struct sim_call *call, const berth_want *wants, size_t count, const char *what,
                   int error, const int *expected)
{
    const struct handle *handle = find(wants[0].pool);
    for (size_t i = 0; i < count; i++) { /* EIDRM is right if any of the files is gone */
        const struct handle *one = find(wants[i].pool);
        handle = one != NULL && one->of->inode->links == 0 ? one : handle;
    }
    for (size_t i = 0; i < count && error == 0; i++) {
        const struct handle *one = find(wants[i].pool);
        for (unsigned s = 0; s < wants[i].slots && one != NULL; s++) {
            sim_say("%s gives slot %u, token %llu", what, wants[i].grants[s].slot,
                    (unsigned long long)wants[i].grants[s].token);
            oracle_granted(call, one->of, one->ofd, &wants[i].grants[s]);
        }
    }
    if (error != 0)
        oracle_refused(call, error);
    oracle_ends(call);
    if (is_by_fault(what, error))
        return AGAIN;
    if (error != 0)
        check_error(what, handle, error, expected);
    return error;
}

int api_all(const berth_want *wants, size_t count)
{
    struct sim_call *call =
        begin_all(ORACLE_ACQUIRE, wants, count, SIM_FOREVER, "berth_acquire_all");
    const int error = end_all(call, wants, count, "berth_acquire_all",
                              berth_acquire_all(wants, count), EXPECTED(EINVAL));
    return error == AGAIN ? api_all(wants, count) : error;
}

int api_try_all(const berth_want *wants, size_t count)
{
    struct sim_call *call =
        begin_all(ORACLE_TRY, wants, count, SIM_FOREVER, "berth_try_acquire_all");
    const int error = end_all(call, wants, count, "berth_try_acquire_all",
                              berth_try_acquire_all(wants, count), EXPECTED(EBUSY, EINVAL));
    return error == AGAIN ? api_try_all(wants, count) : error;
}

int api_all_until(const berth_want *wants, size_t count, int64_t after)
{
    const uint64_t deadline = (uint64_t)((int64_t)sim.now + after);
    const struct timespec time = time_of(deadline);
    struct sim_call *call =
        begin_all(ORACLE_UNTIL, wants, count, deadline, "berth_acquire_all_until");
    if (after >= 0 && choice_one_in(4)) {
        const struct timespec timeout = time_of((uint64_t)after);
        return end_all(call, wants, count, "berth_acquire_all_for",
                       berth_acquire_all_for(wants, count, &timeout), EXPECTED(ETIMEDOUT, EINVAL));
    }
    return end_all(call, wants, count, "berth_acquire_all_until",
                   berth_acquire_all_until(wants, count, &time), EXPECTED(ETIMEDOUT, EINVAL));
}

int api_release_all(const berth_want *wants, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count; i++) {
        for (unsigned s = 0; s < wants[i].slots; s++) {
            const int failed = api_release(wants[i].pool, &wants[i].grants[s]);
            error = error != 0 ? error : failed;
        }
    }
    return error;
}

/* ---- loans ---- */

int api_lend(berth_pool *pool, const berth_grant *grant, struct api_loan *loan)
{
    struct handle *handle = find(pool);
    unsigned level = 0;
    sim_say("berth_lend(%s) of slot %u...", pool_name(handle), grant->slot);
    const int error = berth_lend(pool, grant, loan->text);
    if (error == 0 && handle != NULL && berth_loan_level(pool, grant, &level) == 0)
        loan->lender = (struct oracle_lender){.pool = handle->of,
                                              .slot = grant->slot,
                                              .level = level,
                                              .token = grant->token,
                                              .ofd = handle->ofd,
                                              .serial = handle->serial};
    check_error("berth_lend", handle, error, EXPECTED(EPERM));
    return error;
}

/* What was got: loans, and slots of its own. */
static void note_grants(struct sim_call *call, const berth_want *wants, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct handle *one = find(wants[i].pool);
        for (unsigned s = 0; s < wants[i].slots && one != NULL; s++) {
            const berth_grant *grant = &wants[i].grants[s];
            unsigned level = 0;
            berth_loan_level(wants[i].pool, grant, &level);
            sim_say("berth_acquire_within gives slot %u, token %llu, level %u", grant->slot,
                    (unsigned long long)grant->token, level);
            if (level == 0)
                oracle_granted(call, one->of, one->ofd, grant);
            else
                oracle_borrowed(call, one->of, one->ofd, grant, level);
        }
    }
}

int api_within(const berth_want *wants, size_t count, const struct api_loan *loans, size_t lenders,
               int64_t after, unsigned flags)
{
    char text[ORACLE_LENDERS * (BERTH_LOAN_MAX + 1)] = "";
    const uint64_t deadline = (uint64_t)((int64_t)sim.now + after);
    const struct timespec time = time_of(deadline);
    const enum oracle_kind kind = (flags & BERTH_TRY) != 0 ? ORACLE_TRY
                                  : after != 0             ? ORACLE_UNTIL
                                                           : ORACLE_ACQUIRE;
    struct sim_call *call =
        begin_all(kind, wants, count, after != 0 ? deadline : SIM_FOREVER, "berth_acquire_within");
    call->alone = false;
    for (size_t i = 0; i < lenders && i < ORACLE_LENDERS; i++) {
        strcat(strcat(text, i > 0 ? " " : ""), loans[i].text);
        if ((flags & BERTH_OWN) == 0)
            call->lender[call->lenders++] = loans[i].lender;
    }
    const int error = berth_acquire_within(wants, count, text, after != 0 ? &time : NULL, flags);
    const struct handle *handle = find(wants[0].pool);
    if (error == 0)
        note_grants(call, wants, count);
    else
        oracle_refused(call, error);
    oracle_ends(call);
    if (error != 0)
        check_error("berth_acquire_within", handle, error,
                    (flags & BERTH_TRY) != 0 ? EXPECTED(EBUSY, EDEADLK)
                    : after != 0             ? EXPECTED(ETIMEDOUT, EDEADLK)
                                             : EXPECTED(EDEADLK));
    return error;
}

/* ---- the rest ---- */

/* `name`: of the pool, which is resized without a seat; NULL: by the handle. */
static int resize(berth_pool *pool, const char *name, unsigned slots)
{
    char file[96];
    const berth_options options = {.store = "/store"};
    struct handle *handle = name == NULL ? find(pool) : NULL;
    unsigned former;
    snprintf(file, sizeof file, "%s.berth", name == NULL ? "" : name);
    struct sim_inode *inode = name == NULL ? NULL : sim_lookup(file);
    struct oracle_pool *of = handle != NULL  ? handle->of
                             : inode != NULL ? oracle_pool_of(inode, 1)
                                             : NULL;
    sim_say("berth_resize(%s) to %u...", name != NULL ? name : pool_name(handle), slots);
    struct sim_call *call = oracle_call(ORACLE_RESIZE, 0);
    if (handle != NULL)
        oracle_wants(call, of, handle->ofd, 1);
    if (of != NULL)
        oracle_resizes(of, slots);
    const int error = name != NULL ? pool_resize_from_outside(name, &options, slots, &former)
                                   : berth_resize(pool, slots);
    if (error == 0 && of != NULL)
        oracle_resized(of, slots);
    oracle_ends(call);
    if (is_by_fault("berth_resize", error))
        return resize(pool, name, slots);
    check_error("berth_resize", handle, error, NONE);
    return error;
}

int api_resize(berth_pool *pool, unsigned slots)
{
    return resize(pool, NULL, slots);
}

int api_resize_from_outside(const char *name, unsigned slots)
{
    return resize(NULL, name, slots);
}

/* What is shown of a pool in which nothing happens meanwhile. */
static void check_view(const berth_view *view, const struct oracle_pool *pool, unsigned holders)
{
    if (view->slots != pool->most || view->waiter_count != 0 || view->holder_count != holders)
        sim_fail("berth_look shows %zu holders and %zu waiters of %u slots, and there are %u, none "
                 "and %u",
                 view->holder_count, view->waiter_count, view->slots, holders, pool->most);
}

int api_look(const char *name)
{
    char file[96];
    berth_view *view = NULL;
    const berth_options options = {.store = "/store"};
    snprintf(file, sizeof file, "%s.berth", name);
    const struct oracle_pool *pool = oracle_quiet(sim_lookup(file));
    const unsigned holders = pool != NULL ? oracle_holders(pool) : 0;
    const uint64_t changes = pool != NULL ? pool->changes : 0;
    const int error = berth_look(&view, name, &options);
    if (is_by_fault("berth_look", error))
        return api_look(name);
    check_error("berth_look", NULL, error, EXPECTED(ENOENT, EIDRM));
    if (error != 0)
        return error;
    sim_say("berth_look shows %zu holders and %zu waiters of %u slots", view->holder_count,
            view->waiter_count, view->slots);
    if (pool != NULL && pool == oracle_quiet(sim_lookup(file)) && pool->changes == changes &&
        oracle_holders(pool) == holders)
        check_view(view, pool, holders);
    berth_view_free(view);
    return 0;
}

static int count_opener(const berth_user *user, void *count)
{
    (void)user;
    ++*(unsigned *)count;
    return 0;
}

unsigned api_openers(const char *name)
{
    unsigned count = 0;
    const berth_options options = {.store = "/store"};
    const int error = berth_openers(name, &options, count_opener, &count);
    if (is_by_fault("berth_openers", error))
        return api_openers(name);
    check_error("berth_openers", NULL, error, EXPECTED(0));
    return count;
}

int api_remove(const char *name)
{
    const berth_options options = {.store = "/store"};
    sim_say("berth_remove(%s)...", name);
    const int error = berth_remove(name, &options);
    if (is_by_fault("berth_remove", error))
        return api_remove(name);
    check_error("berth_remove", NULL, error, EXPECTED(EBUSY, ENOENT));
    return error;
}

void api_check_clean(unsigned fds)
{
    const struct sim_process *process = sim.self->process;
    const unsigned open = sim_open_fds(process), views = sim_open_views(process);
    if (open > fds)
        sim_fail("P%u has closed all of its handles, and %u descriptors are open instead of %u",
                 process->pid, open, fds);
    if (views > 0)
        sim_fail("P%u has closed all of its handles, and %u mappings are left", process->pid,
                 views);
}

static void take_all(berth_pool *pool)
{
    berth_grant grant[ORACLE_SLOTS + 1];
    const unsigned slots = berth_slots(pool);
    for (unsigned i = 0; i < slots; i++) {
        if (api_try(pool, &grant[i]) != 0)
            sim_fail("a slot is lost: all are gone, and of %u slots %u are available", slots, i);
    }
    if (api_try(pool, &grant[slots]) != EBUSY)
        sim_fail("all %u slots are held, and one more was given", slots);
    for (unsigned i = 0; i < slots; i++)
        api_release(pool, &grant[i]);
}

void api_audit(const char *name)
{
    berth_pool *pool = NULL;
    berth_view *view = NULL;
    const berth_options options = {.store = "/store"};
    sim.fault.over = true;
    if (berth_look(&view, name, &options) == 0) {
        if (view->holder_count + view->waiter_count > 0)
            sim_fail("all are gone, and %zu holders and %zu waiters are shown", view->holder_count,
                     view->waiter_count);
        berth_view_free(view);
    }
    if (api_open(&pool, name, 0, 0) != 0)
        sim_fail("all are gone, and the pool cannot be opened");
    take_all(pool);
    api_close(pool);
    if (api_remove(name) != 0)
        sim_fail("all are gone, and the pool cannot be removed");
    for (unsigned i = 0; i < SIM_INODES; i++) {
        if (sim.name[i].inode != NULL && strncmp(sim.name[i].name, ".new-", 5) != 0)
            sim_say("left in the store: %s", sim.name[i].name);
    }
    api_check_clean(3);
}
