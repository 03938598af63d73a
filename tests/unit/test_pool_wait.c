/* Waiting, from the library's side: who is told of what, and what a child keeps alive. */
#include "library_support.h"

#include "os/clock.h"

static _Atomic(int) *child_of_holder;

/* A child that goes on; `closes`: without the descriptor. */
static void fork_one(berth_pool *pool, bool closes)
{
    const pid_t pid = fork();
    if (pid == 0) {
        if (closes)
            close(berth_fd(pool));
        for (;;)
            pause();
    }
    atomic_store(child_of_holder, pid);
}

static void fork_closing(berth_pool *pool)
{
    fork_one(pool, true);
}

static void fork_keeping(berth_pool *pool)
{
    fork_one(pool, false);
}

/* berth.h: a child that closes the descriptor of berth_fd does not keep the seat alive. */
static void test_child_without_descriptor(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *pool;
    berth_grant grant;
    assert_int_equal(berth_open(&pool, "a", &fixture->options), 0);
    for (unsigned closes = 0; closes < 2; closes++) {
        const pid_t holder = start_holder(fixture, "a", closes ? fork_closing : fork_keeping);
        struct timespec soon = in_ms(2000);
        assert_int_equal(berth_try_acquire(pool, &grant), EBUSY);
        kill_child(holder);
        if (!closes) {
            assert_int_equal(berth_try_acquire(pool, &grant), EBUSY);
            kill(atomic_load(child_of_holder), SIGKILL);
        }
        assert_int_equal(berth_acquire_until(pool, &grant, &soon), 0);
        assert_int_equal(berth_release(pool, &grant), 0);
        if (closes)
            kill(atomic_load(child_of_holder), SIGKILL);
    }
    assert_int_equal(berth_close(pool), 0);
}

static void *kill_later(void *context)
{
    const struct timespec pause = {.tv_nsec = 300 * OS_MILLISECOND};
    nanosleep(&pause, NULL);
    kill(*(pid_t *)context, SIGKILL);
    return NULL;
}

/* A waiter that has been waiting for long gets the slot of a holder that is killed; and so it does
 * when the killed one left a child that has the descriptor, and dies later. */
static void test_long_wait(void **state)
{
    const struct fixture *fixture = *state;
    for (unsigned orphan = 0; orphan < 2; orphan++) {
        berth_pool *pool;
        berth_grant grant;
        pthread_t killer;
        pid_t holder = start_holder(fixture, "a", orphan ? fork_keeping : NULL), victim = holder;
        struct timespec late = in_ms(20000);
        assert_int_equal(berth_open(&pool, "a", &fixture->options), 0);
        if (orphan) {
            kill_child(holder);
            victim = atomic_load(child_of_holder);
        }
        assert_int_equal(pthread_create(&killer, NULL, kill_later, &victim), 0);
        assert_int_equal(berth_acquire_until(pool, &grant, &late), 0);
        pthread_join(killer, NULL);
        if (!orphan)
            waitpid(holder, NULL, 0);
        assert_int_equal(berth_close(pool), 0);
    }
}

/* A wait that ends in time leaves no thread and no descriptor behind. */
static void test_deadline_after_a_while(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *pool;
    berth_grant grant;
    const pid_t holder = start_holder(fixture, "a", NULL);
    assert_int_equal(berth_open(&pool, "a", &fixture->options), 0);
    const int before = dup(0);
    close(before);
    struct timespec soon = in_ms(150);
    assert_int_equal(berth_acquire_until(pool, &grant, &soon), ETIMEDOUT);
    const int after = dup(0);
    close(after);
    assert_int_equal(before, after);
    struct timespec never = {.tv_sec = (time_t)(~UINT64_C(0) >> 1), .tv_nsec = 999999999};
    kill_child(holder);
    assert_int_equal(berth_acquire_for(pool, &grant, &never), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* Whether a holder that found a slot free is shown since it has it; otherwise since it opened. It
 * was the last one that drew, so that all that was left to do was to take the slot. */
static bool shown_since_acquire(const struct fixture *fixture, unsigned flags)
{
    berth_options options = fixture->options;
    berth_pool *pool;
    berth_grant grant;
    berth_view *view;
    options.flags = flags;
    assert_int_equal(berth_open(&pool, "a", &options), 0);
    assert_int_equal(berth_acquire(pool, &grant), 0);
    assert_int_equal(berth_release(pool, &grant), 0);
    usleep(50 * 1000);
    const uint64_t between = os_now(CLOCK_REALTIME) - 25 * OS_MILLISECOND;
    assert_int_equal(berth_acquire(pool, &grant), 0);
    assert_int_equal(berth_look(&view, "a", &fixture->options), 0);
    assert_int_equal(view->holder_count, 1);
    const struct timespec since = view->holders[0]->since;
    berth_view_free(view);
    assert_int_equal(berth_release(pool, &grant), 0);
    assert_int_equal(berth_close(pool), 0);
    return (uint64_t)since.tv_sec * 1000 * OS_MILLISECOND + (uint64_t)since.tv_nsec > between;
}

static void test_since(void **state)
{
    assert_true(shown_since_acquire(*state, BERTH_TIMED));
    assert_false(shown_since_acquire(*state, 0));
}

int main(void)
{
    child_of_holder = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct CMUnitTest tests[] = {
        pool_test(test_child_without_descriptor),
        pool_test(test_long_wait),
        pool_test(test_deadline_after_a_while),
        pool_test(test_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
