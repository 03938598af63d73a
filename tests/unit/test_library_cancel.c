/* A thread that is to be cancelled, and calls the library: calls that do not wait go on to their
 * end, and none leaves anything behind. */
#include "library_support.h"

#include "os/clock.h"
#include "pool/door.h"
#include "pool/handle.h"

struct calls {
    const struct fixture *fixture;
    berth_pool *pool, *other;
    const char *failed; /* the call that did not do what it has to do */
    unsigned named;
};

static int count_name(const char *name, void *context)
{
    (void)name;
    ((struct calls *)context)->named++;
    pthread_testcancel(); /* as any call that the program may make here */
    return 0;
}

static int count_user(const berth_user *user, void *context)
{
    return count_name(user->command, context);
}

#define expect(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            calls->failed = #condition;                                                            \
            return NULL;                                                                           \
        }                                                                                          \
    } while (0)

/* With a cancellation that is due from the beginning. */
static void *call_all(void *context)
{
    struct calls *calls = context;
    const berth_options *options = &calls->fixture->options;
    char text[BERTH_LOAN_MAX];
    struct timespec left;
    berth_grant grant, other;
    berth_view *view;
    berth_pool *pool;
    unsigned level;
    pthread_cancel(pthread_self());
    expect(berth_open(&pool, "c", options) == 0 && berth_lost_fd(pool) >= 0);
    expect(berth_close(pool) == 0);
    expect(berth_look(&view, "a", options) == 0);
    berth_view_free(view);
    expect(berth_list(options, count_name, calls) == 0 && calls->named == 3);
    expect(berth_openers("a", options, count_user, calls) == 0 && calls->named == 4);
    expect(berth_remove("c", options) == 0);
    expect(berth_try_acquire(calls->pool, &grant) == 0);
    expect(berth_good_for(calls->pool, &grant, &left) == 0);
    expect(berth_describe(calls->pool, 1, "x") == 0 && berth_interrupt(calls->pool) == 0);
    expect(berth_resize(calls->pool, 2) == 0 && berth_slots(calls->pool) == 2);
    expect(berth_try_acquire(calls->pool, &other) == 0);
    expect(berth_try_acquire(calls->pool, &other) == EBUSY);
    expect(berth_release(calls->pool, &other) == 0);
    expect(berth_lend(calls->pool, &grant, text) == 0);
    expect(berth_loan_level(calls->pool, &grant, &level) == 0);
    expect(berth_release(calls->pool, &grant) == 0);
    const berth_want wants[] = {{calls->pool, 1, &grant}, {calls->other, 1, &other}};
    expect(berth_try_acquire_all(wants, 2) == 0 && berth_release_all(wants, 2) == 0);
    return calls;
}

static void test_calls_that_do_not_wait(void **state)
{
    struct fixture *fixture = *state;
    struct calls calls = {.fixture = fixture,
                          .pool = open_slots(fixture, "a", 1),
                          .other = open_slots(fixture, "b", 1)};
    void *result;
    pthread_t thread;
    const unsigned before = count_descriptors();
    assert_int_equal(pthread_create(&thread, NULL, call_all, &calls), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    if (calls.failed != NULL)
        fail_msg("not so: %s", calls.failed);
    assert_ptr_equal(result, &calls); /* it was not cancelled */
    assert_int_equal(count_descriptors(), before);
    assert_int_equal(count_free(fixture, "a"), 2);
    assert_int_equal(berth_close(calls.pool), 0);
    assert_int_equal(berth_close(calls.other), 0);
}

/* ---- calls that wait ---- */

struct all {
    const berth_want *wants;
    size_t count;
    _Atomic(int) result;
};

static void *acquire_all(void *context)
{
    struct all *all = context;
    atomic_store(&all->result, berth_acquire_all(all->wants, all->count));
    return NULL;
}

static void assert_cancelled(pthread_t thread)
{
    void *result;
    assert_int_equal(pthread_cancel(thread), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
}

/* A call that is cancelled at the door of one pool leaves that of the other. */
static void test_cancelled_at_a_door(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *pool[2], *other[2];
    berth_grant grant[2];
    for (unsigned i = 0; i < 2; i++) {
        pool[i] = open_slots(fixture, i == 0 ? "a" : "b", 1);
        other[i] = open_slots(fixture, i == 0 ? "a" : "b", 1);
    }
    const berth_want wants[] = {{pool[0], 1, &grant[0]}, {pool[1], 1, &grant[1]}};
    for (unsigned shut = 0; shut < 2; shut++) {
        struct all all = {.wants = wants, .count = 2, .result = -1};
        pthread_t thread;
        struct queue *door = &other[shut]->queue;
        assert_int_equal(door_enter(door, UINT64_MAX), 0);
        assert_int_equal(pthread_create(&thread, NULL, acquire_all, &all), 0);
        sleep_ms(30);
        assert_int_equal(atomic_load(&all.result), -1);
        assert_cancelled(thread);
        door_leave(door);
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(door_enter(&other[i]->queue, os_now(CLOCK_MONOTONIC) + OS_SECOND), 0);
            door_leave(&other[i]->queue);
        }
        assert_int_equal(berth_try_acquire_all(wants, 2), 0);
        assert_int_equal(berth_release_all(wants, 2), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(berth_close(pool[i]), 0);
        assert_int_equal(berth_close(other[i]), 0);
    }
}

/* A call that is cancelled when it has one of two slots gives that one back, and its place. */
static void test_cancelled_with_a_slot(void **state)
{
    SKIP_WITH_SANITIZER;
    const struct fixture *fixture = *state;
    berth_pool *pool[2] = {open_slots(fixture, "a", 1), open_slots(fixture, "b", 1)};
    berth_pool *holder = open_slots(fixture, "b", 1);
    berth_grant grant[2], held;
    const berth_want wants[] = {{pool[0], 1, &grant[0]}, {pool[1], 1, &grant[1]}};
    struct all all = {.wants = wants, .count = 2, .result = -1};
    pthread_t thread;
    assert_int_equal(berth_acquire(holder, &held), 0);
    assert_int_equal(pthread_create(&thread, NULL, acquire_all, &all), 0);
    eventually(5000, count_free(fixture, "a") == 0);
    assert_int_equal(atomic_load(&all.result), -1);
    assert_cancelled(thread);
    assert_int_equal(count_free(fixture, "a"), 1);
    assert_int_equal(berth_release(holder, &held), 0);
    assert_int_equal(count_free(fixture, "b"), 1);
    assert_int_equal(berth_try_acquire_all(wants, 2), 0);
    assert_int_equal(berth_close(pool[0]), 0);
    assert_int_equal(berth_close(pool[1]), 0);
    assert_int_equal(berth_close(holder), 0);
}

/* ---- waits that are stopped ---- */

struct stopped {
    berth_pool *pool;
    const volatile int *stop;
    _Atomic(int) result;
    _Atomic(bool) begun;
};

static void *acquire_unless(void *context)
{
    struct stopped *stopped = context;
    berth_grant grant;
    atomic_store(&stopped->begun, true);
    atomic_store(&stopped->result,
                 berth_acquire_unless(stopped->pool, &grant, NULL, stopped->stop));
    return NULL;
}

/* berth_interrupt wakes each wait of the handle, the first in line and the last. By itself the last
 * one of 128 looks after about two seconds. */
static void test_interrupt_wakes_all(void **state)
{
    enum { WAITS = 128 };
    const struct fixture *fixture = *state;
    static struct stopped stopped[WAITS];
    static volatile int stop;
    pthread_t thread[WAITS];
    berth_grant held;
    berth_pool *pool = open_slots(fixture, "a", 1);
    stop = 0;
    assert_int_equal(berth_acquire(pool, &held), 0);
    for (unsigned i = 0; i < WAITS; i++) {
        stopped[i] = (struct stopped){.pool = pool, .stop = &stop, .result = -1};
        assert_int_equal(pthread_create(&thread[i], NULL, acquire_unless, &stopped[i]), 0);
        while (!atomic_load(&stopped[i].begun))
            sleep_ms(1);
    }
    sleep_ms(2500); /* all have looked, and sleep for long */
    const uint64_t before = now_ms();
    stop = 1;
    assert_int_equal(berth_interrupt(pool), 0);
    for (unsigned i = 0; i < WAITS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(atomic_load(&stopped[i].result), ECANCELED);
    }
    assert_in_range(now_ms() - before, 0, 500);
    assert_int_equal(berth_release(pool, &held), 0);
    assert_int_equal(count_free(fixture, "a"), 1);
    assert_int_equal(berth_close(pool), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_calls_that_do_not_wait),
        pool_test(test_cancelled_at_a_door),
        pool_test(test_cancelled_with_a_slot),
        pool_test(test_interrupt_wakes_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
