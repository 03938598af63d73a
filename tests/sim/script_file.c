/* Plays about the file: made, removed, and made again. */
#include "script.h"

#include "api.h"
#include "choice.h"

#include <errno.h>

static void waits_once(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    (void)argument;
    if (api_open(&pool, "a", 1, 0) != 0)
        return;
    if (api_acquire(pool, &grant) == 0)
        api_release(pool, &grant);
    api_close(pool);
}

/* EIDRM: one that waits learns it, and a holder when it releases, at the latest. */
void script_removed(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    (void)argument;
    api_open(&pool, "a", 1, 0);
    api_acquire(pool, &grant);
    sim_spawn("waiter", waits_once, NULL);
    sim_spawn("waiter", waits_once, NULL);
    sim_sleep(choice_around(100 * SIM_MS));
    sim_unlink("a.berth");
    sim_sleep(3 * SIM_SECOND);
    api_release(pool, &grant);
    script_wait_for_all();
    api_close(pool);
    api_audit("a");
}

static void has_it_open(void *argument)
{
    berth_pool *pool;
    (void)argument;
    if (api_open(&pool, "a", 1, 0) != 0)
        return;
    sim_sleep(20 * SIM_MS);
    api_close(pool);
}

/* Each process that has the pool open is shown, in whatever order they have come. */
void script_openers(void *argument)
{
    const unsigned count = 2 + choice_below(5);
    (void)argument;
    api_seats = 8;
    for (unsigned i = 0; i < count; i++)
        script_start("has it open", has_it_open, NULL);
    sim_sleep(10 * SIM_MS);
    const unsigned seen = api_openers("a");
    if (seen != count)
        sim_fail("berth_openers shows %u handles of %u", seen, count);
    script_wait_for_all();
    if (api_openers("a") != 0)
        sim_fail("berth_openers shows a handle that is closed");
    api_audit("a");
}

static void removes(void *argument)
{
    (void)argument;
    api_remove("a");
}

static void stays(void *argument)
{
    berth_pool *pool;
    (void)argument;
    if (api_open(&pool, "a", 1, 0) != 0)
        return;
    sim_sleep(5 * SIM_MS);
    api_close(pool);
}

/* Two remove one pool, while a third makes it again. */
void script_remove_twice(void *argument)
{
    berth_pool *pool;
    (void)argument;
    api_open(&pool, "a", 1, 0);
    api_close(pool);
    script_start("removes", removes, NULL);
    script_start("removes", removes, NULL);
    script_start("stays", stays, NULL);
    script_wait_for_all();
    api_audit("a");
}

static void comes_and_goes(void *argument)
{
    (void)argument;
    for (unsigned i = 1 + choice_below(3); i > 0; i--) {
        berth_pool *pool;
        berth_grant grant;
        if (api_open(&pool, "a", choice_below(2), choice_one_in(4) ? BERTH_EXISTING : 0) == 0) {
            if (api_acquire(pool, &grant) == 0)
                api_release(pool, &grant);
            api_close(pool);
        }
        if (choice_one_in(2))
            api_remove("a");
        if (choice_one_in(4))
            api_look("a");
    }
    api_check_clean(3);
}

void script_come_and_go(void *argument)
{
    (void)argument;
    sim.no_tmpfile = choice_one_in(3);
    sim.no_empty_path = choice_one_in(2);
    for (unsigned i = 0; i < 3; i++)
        script_start("comes", comes_and_goes, NULL);
    script_wait_for_all();
    api_audit("a");
}
