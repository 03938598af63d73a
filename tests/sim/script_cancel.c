/* Plays in which a thread does not wait to the end: it is cancelled, or asked to stop. */
#include "script.h"

#include "api.h"
#include "choice.h"

#include <errno.h>

static berth_pool *open_pool(const char *name, unsigned slots)
{
    berth_pool *pool = NULL;
    if (api_open(&pool, name, slots, 0) != 0)
        sim_fail("the pool cannot be opened");
    return pool;
}

static void holds(void *argument)
{
    berth_grant grant;
    berth_pool *pool = open_pool("a", 1);
    api_acquire(pool, &grant);
    sim_sleep(*(const uint64_t *)argument);
    api_release(pool, &grant);
    api_close(pool);
}

struct cancelled {
    berth_pool *pool;
    berth_grant grant;
    bool granted;
};

static void *waits_and_may_be_cancelled(void *argument)
{
    struct cancelled *shared = argument;
    shared->granted = api_acquire(shared->pool, &shared->grant) == 0;
    return NULL;
}

static void cancels(void *argument)
{
    (void)argument;
    struct cancelled shared = {.pool = open_pool("a", 1)};
    const int thread = sim_start_thread(waits_and_may_be_cancelled, &shared);
    sim_sleep(choice_around((uint64_t)1000 << choice_below(18)));
    sim_cancel_thread(thread);
    sim_join_thread(thread);
    if (shared.granted)
        api_release(shared.pool, &shared.grant);
    /* Whatever became of the thread: the handle has no slot now, and another one gets it. */
    berth_grant grant;
    if (api_acquire(shared.pool, &grant) == 0)
        api_release(shared.pool, &grant);
    api_close(shared.pool);
    api_check_clean(3);
}

void script_cancel(void *argument)
{
    static uint64_t for_long = 150 * SIM_MS, for_short = 5 * SIM_MS;
    (void)argument;
    sim_spawn("holder", holds, choice_one_in(2) ? &for_long : &for_short);
    sim_spawn("cancels", cancels, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- asked to stop ---- */

struct stopped {
    berth_pool *pool;
    berth_grant grant;
    volatile int stop;
    bool over;
    int error;
};

static void *waits_unless(void *argument)
{
    struct stopped *shared = argument;
    shared->error = api_unless(shared->pool, &shared->grant, &shared->stop);
    shared->over = true;
    return NULL;
}

static void stops(void *argument)
{
    (void)argument;
    struct stopped shared = {.pool = open_pool("a", 1)};
    const int thread = sim_start_thread(waits_unless, &shared);
    sim_sleep(choice_around((uint64_t)1000 << choice_below(16)));
    shared.stop = 1;
    const uint64_t since = sim.now;
    while (!shared.over) {
        berth_interrupt(shared.pool);
        sim_sleep(SIM_MS);
        if (sim.now - since > 30 * SIM_MS)
            sim_fail("a wait goes on, 30 ms after it was asked to stop");
    }
    sim_join_thread(thread);
    if (shared.error == 0)
        api_release(shared.pool, &shared.grant);
    berth_grant grant;
    if (api_acquire(shared.pool, &grant) == 0)
        api_release(shared.pool, &grant);
    api_close(shared.pool);
    api_check_clean(3);
}

void script_stop(void *argument)
{
    static uint64_t for_long = 100 * SIM_MS, for_short = 5 * SIM_MS;
    (void)argument;
    sim_spawn("holder", holds, choice_one_in(2) ? &for_long : &for_short);
    sim_spawn("stops", stops, NULL);
    script_wait_for_all();
    api_audit("a");
}
