#include "worker.h"

#include "forked.h"
#include "occupancy.h"
#include "order.h"
#include "os/clock.h"
#include "os/backoff.h"
#include "stress/random.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct plan *the_plan;
static _Thread_local struct self *current;

struct self *worker_self(void)
{
    return current;
}

void worker_spare(void)
{
    current = NULL;
}

unsigned worker_odds(void)
{
    return the_plan->odds;
}

static bool one_in(struct self *self, unsigned odds)
{
    return stress_random(&self->random) % odds == 0;
}

/* Whatever is not expected is trouble. Gives `error`. */
static int expect(struct self *self, const char *what, int error, int expected, int also)
{
    if (error != 0 && error != expected && error != also)
        complain(&self->board->complaints, "%s gave %d (%s): %s", what, error, strerror(error),
                 berth_reason());
    return error;
}

/* Mostly a few instructions; now and then long enough for the others to run, or to fall asleep. */
static void linger(struct self *self)
{
    const uint64_t r = stress_random(&self->random);
    for (uint64_t i = r % 64; i > 0; i--)
        os_relax();
    if ((r >> 16 & 15) == 0)
        sched_yield();
    if ((r >> 32 & 127) == 0) {
        const struct timespec moment = {.tv_nsec = (long)(r >> 40) % 300000};
        nanosleep(&moment, NULL);
    }
}

/* ---- one slot ---- */

static int acquire(struct self *self, berth_pool *pool, berth_grant *grant)
{
    const uint64_t way = stress_random(&self->random) % 8;
    int error;
    if (way < 4) {
        order_call(self, CALL_ACQUIRE);
        error = expect(self, "berth_acquire", berth_acquire(pool, grant), 0, 0);
    } else if (way < 6) {
        order_call(self, CALL_TRY);
        error = expect(self, "berth_try_acquire", berth_try_acquire(pool, grant), EBUSY, 0);
        atomic_fetch_add(&self->board->refusals, error == EBUSY);
    } else {
        const uint64_t patience = stress_random(&self->random) % 3000000 * (way == 6);
        const struct timespec deadline = os_timespec(os_now(CLOCK_MONOTONIC) + patience);
        order_call(self, CALL_UNTIL);
        error = expect(self, "berth_acquire_until", berth_acquire_until(pool, grant, &deadline),
                       ETIMEDOUT, 0);
        atomic_fetch_add(&self->board->timeouts, error == ETIMEDOUT);
    }
    order_return(self);
    return error;
}

static void release(struct self *self, berth_pool *pool, const berth_grant *grant)
{
    order_call(self, CALL_RELEASE);
    expect(self, "berth_release", berth_release(pool, grant), 0, 0);
    order_return(self);
    if (!the_plan->polite && one_in(self, 16) && berth_release(pool, grant) != EPERM)
        complain(&self->board->complaints, "a slot was released twice, and that was not refused");
}

/* Gets a slot if it can, and gives it back unless it is told to keep it. False: time to stop. */
static bool turn(struct self *self, berth_pool *pool, bool keep)
{
    berth_grant grant;
    const int error = acquire(self, pool, &grant);
    if (error != 0)
        return error == EBUSY || error == ETIMEDOUT;
    if (!order_granted(self, &grant) || !occupancy_enter(self, grant.slot, grant.token))
        return false;
    linger(self);
    if (one_in(self, 64))
        forked_over(self, the_plan, pool, &grant);
    occupancy_leave(self, grant.slot);
    if (!keep)
        release(self, pool, &grant);
    return true;
}

/* ---- a handle, and the threads that share it ---- */

struct sharing {
    pthread_t id;
    struct self self;
    berth_pool *pool;
    unsigned turns;
};

static void *share(void *context)
{
    struct sharing *sharing = context;
    struct self *self = &sharing->self;
    atomic_store(&self_corner(self)->tid, (int)syscall(SYS_gettid));
    current = self;
    for (unsigned i = 0; i < sharing->turns && turn(self, sharing->pool, false); i++)
        linger(self);
    return NULL;
}

static void use(struct self *self, berth_pool *pool)
{
    struct sharing sharing[BOARD_THREADS];
    const unsigned turns = 1 + (unsigned)(stress_random(&self->random) % 60);
    unsigned threads = 1 + (unsigned)(stress_random(&self->random) % the_plan->threads);
    for (unsigned i = 1; i < threads; i++) {
        sharing[i] = (struct sharing){.self = *self, .pool = pool, .turns = turns};
        sharing[i].self.thread = i;
        sharing[i].self.identity = self->identity + i;
        sharing[i].self.random = stress_random(&self->random);
        if (pthread_create(&sharing[i].id, NULL, share, &sharing[i]) != 0)
            threads = i; /* it will do */
    }
    for (unsigned i = 0; i < turns && turn(self, pool, false); i++)
        linger(self);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(sharing[i].id, NULL);
    if (one_in(self, 4))
        turn(self, pool, true); /* what is held then, closing gives back */
}

/* Other answers that a pool with few seats, or one that others keep removing, may give. */
static berth_pool *open_pool(struct self *self, const berth_options *options)
{
    berth_pool *pool = NULL;
    order_call(self, CALL_OPEN);
    int error = berth_open(&pool, the_plan->name, options);
    order_return(self);
    atomic_fetch_add(&self->board->opens, 1);
    expect(self, "berth_open", error, EUSERS, the_plan->removed ? EAGAIN : 0);
    return pool;
}

static void session(struct self *self)
{
    const berth_options options = {
        .slots = the_plan->resized ? 0 : the_plan->slots,
        .seats = the_plan->seats,
        .store = the_plan->store,
        .flags = (the_plan->removed ? 0 : BERTH_EXISTING) | (one_in(self, 8) ? BERTH_TIMED : 0),
    };
    berth_pool *pool = open_pool(self, &options);
    if (pool == NULL) {
        sched_yield();
        return;
    }
    use(self, pool);
    order_call(self, CALL_CLOSE);
    expect(self, "berth_close", berth_close(pool), 0, 0);
    order_return(self);
    if (!the_plan->removed)
        return;
    order_call(self, CALL_CLOSE);
    const int error = berth_remove(the_plan->name, &options);
    order_return(self);
    if (error != ENOENT)
        expect(self, "berth_remove", error, EBUSY, EAGAIN);
}

/* ---- the one that changes the size ---- */

static void resize(struct self *self, berth_pool *pool, unsigned slots)
{
    order_resizing(self);
    order_call(self, CALL_RESIZE);
    expect(self, "berth_resize", berth_resize(pool, slots), 0, 0);
    order_return(self);
    order_resized(self, slots);
}

/* It waits for nothing, or it might wait for itself: nobody gets a slot of a pool of 0. */
static void resizing_session(struct self *self)
{
    const berth_options options = {.store = the_plan->store, .flags = BERTH_EXISTING};
    berth_pool *pool = open_pool(self, &options);
    if (pool == NULL)
        return;
    for (unsigned i = 0; i < 50; i++) {
        const uint64_t r = stress_random(&self->random);
        resize(self, pool, (r & 7) == 0 ? 0 : 1 + (unsigned)(r >> 8) % the_plan->slots);
        linger(self);
        if ((r >> 3 & 3) != 0) {
            const struct timespec moment = {.tv_nsec = (long)(r >> 40) % 1000000};
            nanosleep(&moment, NULL);
        }
    }
    resize(self, pool, the_plan->slots);
    order_call(self, CALL_CLOSE);
    expect(self, "berth_close", berth_close(pool), 0, 0);
    order_return(self);
}

void worker_live(const struct plan *plan, struct board *board, unsigned place, uint64_t seed)
{
    struct board_place *mine = &board->place[place];
    struct self self = {.board = board,
                        .place = place,
                        .identity = board_identity(atomic_load(&mine->life), place, 0),
                        .random = seed};
    the_plan = plan;
    atomic_store(&mine->pid, getpid());
    atomic_store(&mine->thread[0].tid, getpid());
    current = &self;
    while (!complaint_found(&board->complaints)) {
        if (plan->resized && place == 0)
            resizing_session(&self);
        else
            session(&self);
    }
    current = NULL;
}
