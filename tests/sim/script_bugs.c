/* Plays about deadlines, signals, threads and sizes, each of which the library once got wrong. */
#include "script.h"

#include "api.h"
#include "choice.h"

#include <errno.h>

static berth_pool *open_a(unsigned slots)
{
    berth_pool *pool = NULL;
    if (api_open(&pool, "a", slots, 0) != 0)
        sim_fail("the pool cannot be opened");
    return pool;
}

/* ---- deadlines that are over ---- */

void script_given_up(void *argument)
{
    berth_grant mine, grant;
    (void)argument;
    api_seats = 1100; /* more than the usual number: a larger ring */
    berth_pool *holder = open_a(1), *poller = open_a(1);
    sim.step_limit = 100000000;
    api_acquire(holder, &mine);
    const bool verbose = sim.verbose;
    sim.verbose = false;
    for (unsigned i = 0; i < 9000; i++)
        api_until(poller, &grant, 0);
    sim.verbose = verbose;
    sim_say("9000 calls have timed out");
    api_release(holder, &mine);
    if (api_acquire(poller, &grant) == 0)
        api_release(poller, &grant);
    api_close(poller);
    api_close(holder);
    api_audit("a");
}

static void take_and_sleep(void *argument)
{
    berth_grant grant;
    berth_pool *pool = open_a(1);
    api_acquire(pool, &grant);
    sim_sleep(argument != NULL ? *(const uint64_t *)argument : SIM_SECOND);
}

static void polls(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_a(1);
    for (unsigned i = 0; i < 50; i++) {
        if (api_until(pool, &grant, -(int64_t)SIM_MS) == 0) {
            api_release(pool, &grant);
            break;
        }
        sim_sleep(choice_around(10 * SIM_MS));
    }
    api_close(pool);
}

void script_polls(void *argument)
{
    (void)argument;
    struct sim_process *holder = sim_spawn("holder", take_and_sleep, NULL);
    holder->keeps_zombie = choice_one_in(2);
    sim_sleep(10 * SIM_MS);
    script_start("polls", polls, NULL);
    if (choice_one_in(2))
        script_start("polls", polls, NULL);
    sim_sleep(choice_around(60 * SIM_MS));
    sim_kill(holder);
    script_wait_for_all();
    api_audit("a");
}

/* ---- signals ---- */

static void waits_once(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_a(1);
    if (api_acquire(pool, &grant) == 0)
        api_release(pool, &grant);
    api_close(pool);
    api_check_clean(3);
}

static void idles(void *argument)
{
    (void)argument;
    sim_sleep(4 * SIM_SECOND);
}

static void takes_and_becomes_another(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_a(1);
    api_acquire(pool, &grant);
    sim_sleep(500 * SIM_MS);
    sim_exec("idle", idles, NULL);
}

/* The holder's descriptor is closed by an exec: its process lives on, and nobody is told. */
void script_signals(void *argument)
{
    (void)argument;
    sim_spawn("holder", takes_and_becomes_another, NULL);
    sim_sleep(SIM_MS);
    struct sim_process *waiter = sim_spawn("waiter", waits_once, NULL);
    waiter->tick = 200 * SIM_MS;
    waiter->next_tick = sim.now + waiter->tick;
    if (waiter->next_tick < sim.next_timer)
        sim.next_timer = waiter->next_tick;
    script_wait_for_all();
    api_audit("a");
}

void script_signals_often(void *argument)
{
    static const uint64_t soon = 40 * SIM_MS;
    (void)argument;
    struct sim_process *holder = sim_spawn("holder", take_and_sleep, (void *)(uintptr_t)&soon);
    holder->keeps_zombie = choice_one_in(2);
    sim_sleep(SIM_MS);
    for (unsigned i = 0; i < 2; i++) {
        struct sim_process *waiter = sim_spawn("waiter", waits_once, NULL);
        waiter->tick = choice_around(SIM_MS / 2);
        waiter->next_tick = sim.now + waiter->tick;
        if (waiter->next_tick < sim.next_timer)
            sim.next_timer = waiter->next_tick;
    }
    script_wait_for_all();
    api_audit("a");
}

/* ---- after a long time ---- */

/* Waiters look less often as time goes by, but never so seldom that the bound does not hold. */
void script_long_wait(void *argument)
{
    static const uint64_t for_ever = 1000 * SIM_SECOND;
    (void)argument;
    struct sim_process *holder = sim_spawn("holder", take_and_sleep, (void *)(uintptr_t)&for_ever);
    struct sim_process *waiter[3];
    const unsigned waiters = 1 + choice_below(3);
    for (unsigned i = 0; i < waiters; i++) {
        sim_sleep(SIM_MS);
        waiter[i] = sim_spawn("waiter", waits_once, NULL);
    }
    sim_sleep(choice_around(100 * SIM_MS << choice_below(11)));
    sim_kill(holder);
    for (unsigned i = 0; i + 1 < waiters; i++) {
        if (choice_one_in(2))
            sim_kill(waiter[i]);
    }
    script_wait_for_all();
    api_audit("a");
}

/* ---- threads ---- */

struct shared_grant {
    berth_pool *pool;
    berth_grant grant;
    unsigned succeeded;
};

static void *releases(void *argument)
{
    struct shared_grant *shared = argument;
    shared->succeeded += api_release_perhaps(shared->pool, &shared->grant) == 0;
    return NULL;
}

static void two_release(void *argument)
{
    (void)argument;
    struct shared_grant shared = {.pool = open_a(1)};
    for (unsigned i = 0; i < 3; i++) {
        api_acquire(shared.pool, &shared.grant);
        shared.succeeded = 0;
        const int one = sim_start_thread(releases, &shared);
        const int other = sim_start_thread(releases, &shared);
        sim_join_thread(one);
        sim_join_thread(other);
        if (shared.succeeded != 1)
            sim_fail("one grant was released %u times", shared.succeeded);
    }
    api_close(shared.pool);
    api_check_clean(3);
}

void script_release_twice(void *argument)
{
    (void)argument;
    sim_spawn("two", two_release, NULL);
    sim_spawn("waiter", waits_once, NULL);
    script_wait_for_all();
    api_audit("a");
}

static void *waits_in_thread(void *argument)
{
    berth_grant grant;
    berth_pool *pool = argument;
    if (api_acquire(pool, &grant) == 0) {
        sim_sleep(SIM_MS);
        api_release(pool, &grant);
    }
    return NULL;
}

static void many_wait(void *argument)
{
    (void)argument;
    int thread[4];
    berth_pool *pool = open_a(1);
    for (unsigned i = 0; i < 4; i++)
        thread[i] = sim_start_thread(waits_in_thread, pool);
    for (unsigned i = 0; i < 4; i++)
        sim_join_thread(thread[i]);
    api_close(pool);
    api_check_clean(3);
}

void script_threads(void *argument)
{
    static const uint64_t long_enough = 200 * SIM_MS;
    (void)argument;
    sim_spawn("holder", take_and_sleep, (void *)(uintptr_t)&long_enough);
    sim_sleep(SIM_MS);
    struct sim_process *many = sim_spawn("threads", many_wait, NULL);
    many->tick = choice_one_in(2) ? 0 : 30 * SIM_MS;
    many->next_tick = sim.now + 30 * SIM_MS;
    script_wait_for_all();
    api_audit("a");
}

/* ---- fewer slots than are asked for ---- */

static void wants_two(void *argument)
{
    berth_grant grant[2];
    (void)argument;
    berth_pool *pool = open_a(0);
    const berth_want want = {pool, 2, grant};
    if (api_all(&want, 1) == 0)
        api_release_all(&want, 1);
    api_close(pool);
}

static void wants_one(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_a(0);
    api_acquire(pool, &grant);
    api_release(pool, &grant);
    api_close(pool);
}

static void takes_one_and_dies(void *argument)
{
    berth_grant grant;
    (void)argument;
    api_acquire(open_a(0), &grant);
    sim_sleep(2 * SIM_MS);
    sim_kill(sim.self->process);
}

/* A slot that was not there when the waiter came is left by a dead holder. */
void script_grow(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_a(1);
    api_acquire(pool, &grant);
    sim_spawn("dies", takes_one_and_dies, NULL);
    sim_sleep(SIM_MS);
    sim_spawn("waits", wants_one, NULL);
    sim_sleep(SIM_MS);
    api_resize(pool, 2);
    sim_sleep(SIM_SECOND);
    api_release(pool, &grant);
    script_wait_for_all();
    api_close(pool);
    api_audit("a");
}

void script_shrink(void *argument)
{
    berth_grant grant[2];
    (void)argument;
    berth_pool *pool = open_a(2);
    api_acquire(pool, &grant[0]);
    api_acquire(pool, &grant[1]);
    sim_spawn("two", wants_two, NULL);
    sim_sleep(choice_around(2 * SIM_MS));
    sim_spawn("one", wants_one, NULL);
    sim_sleep(choice_around(2 * SIM_MS));
    const unsigned first = choice_below(2);
    api_release(pool, &grant[first]);
    sim_sleep(choice_around(SIM_MS));
    api_resize(pool, 1);
    sim_sleep(choice_around(SIM_MS));
    api_release(pool, &grant[1 - first]);
    script_wait_for_all();
    api_close(pool);
    api_audit("a");
}
