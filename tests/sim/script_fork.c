/* Plays in which a process forks, becomes another program, loses a descriptor or a thread. */
#include "script.h"

#include "api.h"
#include "calls.h"
#include "choice.h"

#include <errno.h>
#include <fcntl.h>

static berth_pool *open_pool(const char *name, unsigned slots)
{
    berth_pool *pool = NULL;
    if (api_open(&pool, name, slots, 0) != 0)
        sim_fail("the pool cannot be opened");
    return pool;
}

/* ---- a child with a copy of a handle ---- */

static void use_own(berth_pool *copy)
{
    berth_grant grant;
    if (choice_one_in(2) && api_try(copy, &grant) != ECHILD)
        sim_fail("a child uses its parent's handle");
    berth_pool *own = open_pool("a", 2);
    api_close(copy);
    if (api_acquire(own, &grant) == 0)
        api_release(own, &grant);
    api_close(own);
    api_check_clean(3);
}

static void forks_once(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_pool("a", 2);
    api_acquire(pool, &grant);
    const int child = sim_fork();
    if (child == 0) {
        use_own(pool);
        return;
    }
    api_release(pool, &grant);
    if (api_acquire(pool, &grant) == 0)
        api_release(pool, &grant);
    sim_reap((unsigned)child);
    api_close(pool);
    api_check_clean(3);
}

void script_fork_close(void *argument)
{
    (void)argument;
    sim_spawn("forks", forks_once, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- a fork while another thread is in a call ---- */

struct pair {
    berth_pool *pool[2];
    bool over;
};

static void *takes_both(void *argument)
{
    struct pair *pair = argument;
    berth_grant grant[2];
    const berth_want wants[2] = {{pair->pool[0], 1, &grant[0]}, {pair->pool[1], 1, &grant[1]}};
    for (unsigned i = 0; i < 3; i++) {
        if (api_all(wants, 2) == 0)
            api_release_all(wants, 2);
    }
    return NULL;
}

static void forks_beside(void *argument)
{
    struct pair pair = {.pool = {open_pool("a", 2), open_pool("b", 2)}};
    const int thread = sim_start_thread(takes_both, &pair);
    for (unsigned i = choice_below(300); i > 0; i--)
        sim_give_way();
    const int child = sim_fork();
    if (child == 0) {
        sim.self->process->killable = false;
        sim_sleep(2 * SIM_SECOND); /* it has copies of whatever was open, and does nothing */
        return;
    }
    for (unsigned i = choice_below(60); i > 0 && argument != NULL; i--)
        sim_give_way();
    if (argument != NULL)
        sim_kill(sim.self->process);
    sim_join_thread(thread);
    api_close(pair.pool[0]);
    api_close(pair.pool[1]);
    sim_reap((unsigned)child);
}

static void takes_both_too(void *argument)
{
    (void)argument;
    struct pair pair = {.pool = {open_pool("a", 2), open_pool("b", 2)}};
    sim_sleep(choice_around(SIM_MS));
    takes_both(&pair);
    api_close(pair.pool[0]);
    api_close(pair.pool[1]);
    api_check_clean(3);
}

void script_fork_in_all(void *argument)
{
    (void)argument;
    sim_spawn("forks", forks_beside, NULL);
    sim_spawn("both", takes_both_too, NULL);
    script_wait_for_all();
    api_audit("a");
    api_audit("b");
}

/* The same, and the process that forks is killed, wherever its other thread is. */
void script_fork_and_die(void *argument)
{
    static bool dies;
    (void)argument;
    script_start("forks", forks_beside, &dies);
    sim_spawn("both", takes_both_too, NULL);
    script_wait_for_all();
    api_audit("a");
    api_audit("b");
}

/* ---- a holder that forks ---- */

static void holds_and_forks(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    if (api_acquire(pool, &grant) != 0)
        return;
    const int child = sim_fork();
    sim_sleep(choice_around(10 * SIM_MS));
    if (child != 0)
        api_release(pool, &grant);
    else if (choice_one_in(2))
        api_close(pool);
    sim_sleep(choice_around(10 * SIM_MS));
}

static void waits_once(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    if (api_acquire(pool, &grant) == 0)
        api_release(pool, &grant);
    api_close(pool);
}

void script_fork_holder(void *argument)
{
    (void)argument;
    script_start("holder", holds_and_forks, NULL);
    script_start("waiter", waits_once, NULL);
    script_start("holder", holds_and_forks, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- exec ---- */

static void idles(void *argument)
{
    (void)argument;
    sim_sleep(choice_around(50 * SIM_MS));
}

static void becomes_another(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    if (api_acquire(pool, &grant) != 0)
        return;
    if (choice_one_in(2)) /* then the slot is the new program's */
        sim_fcntl(berth_fd(pool), F_SETFD, NULL);
    sim_exec("idle", idles, NULL);
}

void script_exec(void *argument)
{
    (void)argument;
    script_start("holder", becomes_another, NULL);
    script_start("waiter", waits_once, NULL);
    script_start("waiter", waits_once, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- a descriptor that is another file's ---- */

static void holds(void *argument)
{
    berth_grant grant;
    berth_pool *pool = open_pool("a", 1);
    api_acquire(pool, &grant);
    sim_sleep(*(const uint64_t *)argument);
    api_release(pool, &grant);
    api_close(pool);
}

static void loses_its_descriptor(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    api_spoil(pool);
    const int fd = berth_fd(pool);
    sim_close(fd);
    int other; /* the program opens files of its own, until one has the same number */
    do
        other = sim_openat(AT_FDCWD, "/store/scratch", O_RDWR | O_CREAT, 0600);
    while (other < fd);
    if (other != fd)
        sim_fail("the descriptor was not used again");
    if (api_try(pool, &grant) == 0)
        api_release(pool, &grant);
    if (api_until(pool, &grant, choice_one_in(2) ? 0 : 60 * (int64_t)SIM_MS) == 0)
        api_release(pool, &grant);
    api_close(pool);
}

void script_reused(void *argument)
{
    static uint64_t long_enough = 20 * SIM_MS;
    (void)argument;
    sim_spawn("holder", holds, &long_enough);
    sim_sleep(5 * SIM_MS);
    sim_spawn("loser", loses_its_descriptor, NULL);
    script_wait_for_all();
    sim_unlink("scratch");
    api_audit("a");
}
