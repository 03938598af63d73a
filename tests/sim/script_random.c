/*
 * Random programs. Every process opens one or two pools, has up to three threads, and makes calls
 * of all kinds; it forks, becomes another program, and loses threads. Nobody waits for ever while
 * it holds something, so that every run comes to an end if every call does.
 */
#include "script.h"

#include "api.h"
#include "calls.h"
#include "choice.h"

#include <errno.h>
#include <fcntl.h>

/* On the heap of the process: a fork copies it. */
struct worker {
    berth_pool *pool[2];
    unsigned pools;
    unsigned forks; /* that it may still make */
};

/* Of the whole run. */
static struct {
    unsigned slots[2];
    unsigned calls;
    bool resizes, misuses, together;
} plan;

static berth_pool *some_pool(const struct worker *worker)
{
    return worker->pool[choice_below(worker->pools)];
}

static void hold(void)
{
    if (choice_one_in(3))
        sim_sleep(choice_around(SIM_MS << choice_below(6)));
}

static int64_t some_time(void)
{
    switch (choice_below(4)) {
    case 0: return 0;
    case 1: return -(int64_t)SIM_SECOND;
    case 2: return (int64_t)choice_around(SIM_MS);
    default: return (int64_t)choice_around(100 * SIM_MS);
    }
}

/* ---- what a thread does ---- */

static void take_one(const struct worker *worker)
{
    berth_grant grant;
    berth_pool *pool = some_pool(worker);
    int error;
    switch (choice_below(5)) {
    case 0: error = api_try(pool, &grant); break;
    case 1: error = api_until(pool, &grant, some_time()); break;
    default: error = api_acquire(pool, &grant); break;
    }
    if (error != 0)
        return;
    if (choice_one_in(16))
        api_look("a");
    hold();
    api_release(pool, &grant);
}

static void take_several(const struct worker *worker)
{
    berth_grant grant[2][2];
    berth_want wants[2];
    const unsigned count = 1 + choice_below(worker->pools);
    const unsigned first = choice_below(worker->pools);
    for (unsigned i = 0; i < count; i++) {
        const unsigned p = (first + i) % worker->pools;
        wants[i] = (berth_want){worker->pool[p], 1 + choice_below(2), grant[i]};
    }
    int error;
    switch (choice_below(4)) {
    case 0: error = api_try_all(wants, count); break;
    case 1: error = api_all_until(wants, count, some_time()); break;
    default: error = api_all(wants, count); break;
    }
    if (error != 0)
        return;
    hold();
    api_release_all(wants, count);
}

/* A handle of its own, perhaps closed while it holds something. */
static void come_and_go(void)
{
    berth_pool *pool;
    berth_grant grant;
    if (api_open(&pool, choice_one_in(2) ? "a" : "b", 0, 0) != 0)
        return;
    if (api_until(pool, &grant, some_time()) == 0 && choice_one_in(2))
        api_release(pool, &grant);
    api_close(pool);
}

/* A handle whose descriptor the program closes, and perhaps uses for something else. */
static void lose_a_descriptor(void)
{
    berth_pool *pool;
    berth_grant grant;
    int other = -1;
    if (api_open(&pool, "a", 0, 0) != 0)
        return;
    const int fd = berth_fd(pool);
    api_spoil(pool);
    sim_close(fd);
    if (choice_one_in(2))
        other = sim_openat(AT_FDCWD, "/store/scratch", O_RDWR | O_CREAT, 0600);
    if (api_try(pool, &grant) == 0)
        api_release(pool, &grant);
    if (api_until(pool, &grant, some_time()) == 0)
        api_release(pool, &grant);
    api_close(pool);
    if (other >= 0)
        sim_close(other); /* if it is still open */
}

static void child(const struct worker *worker)
{
    sim.self->process->killable = true;
    sim_sleep(choice_around(SIM_MS << choice_below(5)));
    if (choice_one_in(2)) {
        for (unsigned p = 0; p < worker->pools; p++) {
            berth_grant grant;
            if (choice_one_in(2) && api_try(worker->pool[p], &grant) != ECHILD)
                sim_fail("a child uses its parent's handle");
            if (choice_one_in(2))
                come_and_go();
            api_close(worker->pool[p]);
        }
    }
    if (choice_one_in(2))
        come_and_go();
    sim_exit(0);
}

static void idles(void *argument)
{
    (void)argument;
    sim_sleep(choice_around(30 * SIM_MS));
}

static void become_another(const struct worker *worker)
{
    berth_grant grant;
    if (api_until(some_pool(worker), &grant, some_time()) == 0 && choice_one_in(2))
        sim_fcntl(berth_fd(some_pool(worker)), F_SETFD, NULL);
    sim_exec("idle", idles, NULL);
}

static void *one_call(void *argument)
{
    berth_grant grant;
    berth_pool *pool = argument;
    if (api_acquire(pool, &grant) == 0) {
        sim_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* it has to be released now */
        api_release(pool, &grant);
    }
    return NULL;
}

static void lose_a_thread(const struct worker *worker)
{
    const int thread = sim_start_thread(one_call, some_pool(worker));
    if (thread < 0)
        return;
    sim_sleep(choice_around((uint64_t)1000 << choice_below(14)));
    sim_cancel_thread(thread);
    sim_join_thread(thread);
}

static void resize(const struct worker *worker)
{
    const unsigned p = choice_below(worker->pools);
    api_resize(worker->pool[p], 1 + choice_below(3));
}

static void act(struct worker *worker)
{
    switch (choice_below(20)) {
    case 0: come_and_go(); break;
    case 1:
        if (worker->forks > 0) {
            worker->forks--;
            if (sim_fork() == 0)
                child(worker);
        }
        break;
    case 2:
        if (choice_one_in(4))
            become_another(worker);
        break;
    case 3: lose_a_thread(worker); break;
    case 4:
        if (plan.resizes)
            resize(worker);
        break;
    case 5:
        if (choice_one_in(4))
            api_look("a");
        break;
    case 6:
    case 7:
    case 8:
    case 9: take_several(worker); break;
    case 10:
        if (plan.misuses)
            lose_a_descriptor();
        break;
    case 11:
        if (plan.misuses && choice_one_in(4))
            sim_unlink("a.berth");
        break;
    default: take_one(worker); break;
    }
}

static void *thread_program(void *argument)
{
    sim.self->can_be_cancelled = sim.cancels;
    for (unsigned i = 1 + choice_below(plan.calls); i > 0; i--)
        act(argument);
    return NULL;
}

static void worker_program(void *argument)
{
    static const char *const name[2] = {"a", "b"};
    (void)argument;
    struct worker *worker;
    do
        worker = sim_calloc(1, sizeof *worker);
    while (worker == NULL); /* it fails once at most */
    int thread[2];
    const unsigned threads = choice_one_in(2) ? choice_below(3) : 0;
    worker->pools = 1 + choice_below(2);
    worker->forks = 1;
    for (unsigned p = 0; p < worker->pools; p++) {
        if (api_open(&worker->pool[p], name[p], 0, 0) != 0)
            sim_exit(1);
    }
    if (plan.together)
        script_together();
    for (unsigned i = 0; i < threads; i++)
        thread[i] = sim_start_thread(thread_program, worker);
    thread_program(worker);
    for (unsigned i = 0; i < threads; i++)
        sim_join_thread(thread[i]);
    for (unsigned p = 0; p < worker->pools; p++)
        api_close(worker->pool[p]);
    if (!sim.cancels) /* a cancelled thread of this script leaves its own files open */
        api_check_clean(3);
}

/* The pools are opened first, so that they have the slots that were planned; and in the end they
 * get them back, in case the process that shrank them was killed. */
void script_random(void *argument)
{
    (void)argument;
    berth_pool *a, *b;
    plan.slots[0] = 1 + choice_below(3);
    plan.slots[1] = 1 + choice_below(3);
    plan.calls = 1 + choice_below(5);
    plan.resizes = choice_one_in(3);
    plan.misuses = choice_one_in(4);
    plan.together = choice_one_in(2);
    api_seats = choice_one_in(3) ? 2 + choice_below(4) : 8;
    api_open(&a, "a", plan.slots[0], 0);
    api_open(&b, "b", plan.slots[1], 0);
    for (unsigned i = 1 + choice_below(4); i > 0; i--) {
        script_start("worker", worker_program, NULL);
        if (choice_one_in(3))
            sim_sleep(choice_around(SIM_MS));
    }
    script_wait_for_all();
    api_close(a);
    api_close(b);
    sim_unlink("scratch");
    api_audit("a");
    api_audit("b");
}
