/* Waiting: what callers that give up, signals, deadlines and cancellation must not break. */
#include "library_support.h"

#include <sys/time.h>

/* ---- places that were given up ---- */

/* Each call gives its place up; the next release then has all of them to pass. */
static void give_up_often(berth_pool *pool, unsigned times)
{
    berth_grant grant;
    const struct timespec past = {0};
    for (unsigned i = 0; i < times; i++)
        assert_int_equal(berth_acquire_until(pool, &grant, &past), ETIMEDOUT);
}

static void test_many_give_up(void **state)
{
    const struct fixture *fixture = *state;
    berth_options options = fixture->options;
    berth_pool *pool, *other;
    berth_grant grant;
    options.seats = 4096; /* a ring with room for them all */
    assert_int_equal(berth_open(&pool, "a", &options), 0);
    assert_int_equal(berth_open(&other, "a", &fixture->options), 0);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(berth_acquire(pool, &grant), 0);
        give_up_often(other, 9000);
        assert_int_equal(berth_release(pool, &grant), 0);
        assert_int_equal(count_free(fixture, "a"), 1);
    }
    assert_int_equal(berth_close(other), 0);
    assert_int_equal(berth_close(pool), 0);
}

struct crowd {
    const struct fixture *fixture;
    _Atomic(bool) stop;
    _Atomic(int) failed;
    _Atomic(unsigned) pairs;
};

static void *poll_pool(void *context)
{
    struct crowd *crowd = context;
    berth_pool *pool = NULL;
    berth_grant grant;
    const struct timespec past = {0};
    if (berth_open(&pool, "a", &crowd->fixture->options) != 0)
        return NULL;
    while (!atomic_load(&crowd->stop)) {
        const int error = berth_acquire_until(pool, &grant, &past);
        if (error == 0)
            berth_release(pool, &grant);
        else if (error != ETIMEDOUT)
            atomic_store(&crowd->failed, error);
    }
    berth_close(pool);
    return NULL;
}

static void *use_pool(void *context)
{
    struct crowd *crowd = context;
    berth_pool *pool = NULL;
    berth_grant grant;
    if (berth_open(&pool, "a", &crowd->fixture->options) != 0)
        return NULL;
    while (!atomic_load(&crowd->stop)) {
        int error = berth_acquire(pool, &grant);
        if (error == 0) {
            sleep_ms(15); /* for thousands of calls that give up */
            error = berth_release(pool, &grant);
        }
        if (error != 0)
            atomic_store(&crowd->failed, error);
        atomic_fetch_add(&crowd->pairs, 1);
    }
    berth_close(pool);
    return NULL;
}

/* One that polls, beside five that wait. */
static void test_poller_among_the_patient(void **state)
{
    struct crowd crowd = {.fixture = *state};
    pthread_t thread[6];
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, i == 0 ? poll_pool : use_pool, &crowd),
                         0);
    eventually(60000, atomic_load(&crowd.pairs) >= 150 || atomic_load(&crowd.failed) != 0);
    atomic_store(&crowd.stop, true);
    for (unsigned i = 0; i < 6; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&crowd.failed), 0);
    assert_int_equal(count_free(crowd.fixture, "a"), 1);
}

/* ---- who recovers ---- */

/* A caller whose deadlines are over gets the slot of a dead holder, as one that only tries does. */
static void test_poller_recovers(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant grant;
    const struct timespec past = {0};
    berth_pool *pool = open_slots(fixture, "a", 1);
    const pid_t holder = start_holder(fixture, "a", NULL);
    give_up_often(pool, 100);
    kill_child(holder);
    eventually(2000, berth_acquire_until(pool, &grant, &past) == 0);
    assert_int_equal(berth_close(pool), 0);
}

static void ignore(int signal)
{
    (void)signal;
}

static void start_timer(unsigned milliseconds)
{
    const struct sigaction action = {.sa_handler = ignore};
    const struct itimerval often = {{0, milliseconds * 1000}, {0, milliseconds * 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void stop_timer(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_DFL);
}

/* A process that becomes another program and lives on, while the slot stays with a child of its,
 * for a while. */
static pid_t start_leaver(const struct fixture *fixture, unsigned milliseconds)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        berth_pool *pool;
        berth_grant grant;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (berth_open(&pool, "a", &fixture->options) != 0 || berth_acquire(pool, &grant) != 0 ||
            write(ready[1], "", 1) != 1)
            _exit(1);
        if (fork() == 0) {
            sleep_ms(milliseconds);
            _exit(0);
        }
        execl("/bin/sleep", "sleep", "30", NULL);
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

/* Signals that come more often than a waiter looks do not keep it from looking. */
static void recover_under_signals(const struct fixture *fixture, unsigned period)
{
    berth_grant grant;
    berth_pool *pool = open_slots(fixture, "a", 1);
    const pid_t leaver = start_leaver(fixture, 400);
    struct timespec late = in_ms(5000);
    start_timer(period);
    const int error = berth_acquire_until(pool, &grant, &late);
    stop_timer();
    assert_int_equal(error, 0);
    assert_int_equal(berth_close(pool), 0);
    kill_child(leaver);
}

static void test_signals_do_not_starve(void **state)
{
    recover_under_signals(*state, 1);
    recover_under_signals(*state, 3);
    recover_under_signals(*state, 200);
}

/* ---- deadlines ---- */

static void test_deadlines(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant grant;
    struct timespec realtime;
    const struct timespec short_while = {.tv_nsec = 50 * 1000000}, bad = {.tv_nsec = 1000000000},
                          ever = {.tv_sec = INT32_MAX};
    berth_pool *pool = open_slots(fixture, "a", 1);
    clock_gettime(CLOCK_REALTIME, &realtime);
    assert_refused(EINVAL, berth_acquire_until(pool, &grant, &realtime), "CLOCK_REALTIME");
    assert_refused(EINVAL, berth_acquire_until(pool, &grant, &bad), "not a time");
    assert_refused(EINVAL, berth_acquire_until(pool, &grant, NULL), "NULL");
    assert_refused(EINVAL, berth_acquire_for(pool, &grant, &bad), "not a time");
    assert_refused(EINVAL, berth_acquire_for(pool, &grant, NULL), "NULL");
    assert_int_equal(berth_acquire_for(pool, &grant, &ever), 0);
    const uint64_t before = now_ms();
    berth_grant second;
    assert_refused(ETIMEDOUT, berth_acquire_for(pool, &second, &short_while), "in time");
    assert_in_range(now_ms() - before, 49, 5000);
    berth_want want = {pool, 1, &second};
    assert_refused(EINVAL, berth_acquire_all_until(&want, 1, &realtime), "CLOCK_REALTIME");
    assert_int_equal(berth_acquire_all_for(&want, 1, &short_while), ETIMEDOUT);
    assert_int_equal(berth_release(pool, &grant), 0);
    assert_int_equal(berth_acquire_all_for(&want, 1, &short_while), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* ---- cancellation ---- */

static void *wait_for_one(void *context)
{
    berth_grant grant;
    berth_acquire(context, &grant);
    return NULL;
}

static void *wait_for_two(void *context)
{
    berth_grant grants[2];
    const berth_want want = {context, 2, grants};
    berth_acquire_all(&want, 1);
    return NULL;
}

static void cancel_waiting(const struct fixture *fixture, void *(*body)(void *), unsigned after)
{
    berth_grant held;
    pthread_t thread;
    void *result;
    berth_pool *pool = open_slots(fixture, "a", 2), *waiting = open_slots(fixture, "a", 2);
    const bool both = body == wait_for_one;
    berth_grant other;
    assert_int_equal(berth_acquire(pool, &held), 0);
    if (both)
        assert_int_equal(berth_acquire(pool, &other), 0);
    assert_int_equal(pthread_create(&thread, NULL, body, waiting), 0);
    sleep_ms(after);
    assert_int_equal(pthread_cancel(thread), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    /* Its handle is still open, and has nothing. */
    assert_int_equal(berth_release(pool, &held), 0);
    if (both)
        assert_int_equal(berth_release(pool, &other), 0);
    assert_int_equal(count_free(fixture, "a"), 2);
    assert_int_equal(berth_close(waiting), 0);
    assert_int_equal(berth_close(pool), 0);
}

static void test_cancel(void **state)
{
    SKIP_WITH_SANITIZER;
    for (unsigned after = 0; after < 40; after += 4) {
        cancel_waiting(*state, wait_for_one, after + 1);
        cancel_waiting(*state, wait_for_two, after + 1);
    }
    cancel_waiting(*state, wait_for_one, 300);
    cancel_waiting(*state, wait_for_two, 300);
}

/* A release that hands the slot to a thread at the moment of its cancellation. */
static void test_cancel_and_grant(void **state)
{
    SKIP_WITH_SANITIZER;
    const struct fixture *fixture = *state;
    berth_pool *pool = open_slots(fixture, "a", 1), *waiting = open_slots(fixture, "a", 1);
    for (unsigned round = 0; round < 200; round++) {
        berth_grant held;
        pthread_t thread;
        void *result;
        assert_int_equal(berth_acquire(pool, &held), 0);
        assert_int_equal(pthread_create(&thread, NULL, wait_for_one, waiting), 0);
        usleep(round * 7 % 500);
        if (round % 2 == 0)
            pthread_cancel(thread);
        assert_int_equal(berth_release(pool, &held), 0);
        if (round % 2 == 1)
            pthread_cancel(thread);
        assert_int_equal(pthread_join(thread, &result), 0);
        if (result != PTHREAD_CANCELED) { /* it got the slot, and nobody has released it */
            assert_int_equal(berth_close(waiting), 0);
            waiting = open_slots(fixture, "a", 1);
        }
        struct timespec soon = in_ms(5000);
        assert_int_equal(berth_acquire_until(pool, &held, &soon), 0);
        assert_int_equal(berth_release(pool, &held), 0);
    }
    assert_int_equal(berth_close(waiting), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* ---- waits that are stopped ---- */

struct stopped {
    berth_pool *pool;
    const struct timespec *deadline;
    volatile int stop;
    _Atomic(int) result;
};

static void *wait_unless(void *context)
{
    struct stopped *stopped = context;
    berth_grant grant;
    atomic_store(&stopped->result,
                 berth_acquire_unless(stopped->pool, &grant, stopped->deadline, &stopped->stop));
    return NULL;
}

static void test_stop(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant held;
    berth_pool *pool = open_slots(fixture, "a", 1), *other = open_slots(fixture, "a", 1);
    assert_int_equal(berth_acquire(pool, &held), 0);
    for (unsigned round = 0; round < 30; round++) {
        struct timespec late = in_ms(60000);
        struct stopped stopped = {other, round % 2 == 0 ? NULL : &late, 0, -1};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, wait_unless, &stopped), 0);
        sleep_ms(round);
        stopped.stop = 1;
        eventually(2000, berth_interrupt(other) == 0 && atomic_load(&stopped.result) == ECANCELED);
        pthread_join(thread, NULL);
    }
    volatile int stop = 0;
    struct timespec soon = in_ms(30);
    berth_grant grant;
    assert_refused(ETIMEDOUT, berth_acquire_unless(other, &grant, &soon, &stop), "in time");
    assert_refused(EINVAL, berth_acquire_unless(other, &grant, NULL, NULL), "NULL");
    assert_int_equal(berth_release(pool, &held), 0);
    assert_int_equal(berth_acquire_unless(other, &grant, NULL, &stop), 0);
    assert_int_equal(berth_close(other), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* ---- threads and descriptors ---- */

static unsigned count_threads(void)
{
    return count_entries("/proc/self/task", "") - 2; /* . and .. */
}

enum { WAITERS = 60 };

/* Waiting takes neither a thread nor a descriptor, however long it lasts. */
static void test_no_threads(void **state)
{
    SKIP_WITH_SANITIZER;
    const struct fixture *fixture = *state;
    berth_grant held;
    pthread_t thread[WAITERS];
    berth_pool *pool = open_slots(fixture, "a", 1);
    assert_int_equal(berth_acquire(pool, &held), 0);
    const unsigned descriptors = count_descriptors();
    for (unsigned i = 0; i < WAITERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, wait_for_one, pool), 0);
    sleep_ms(300);
    assert_int_equal(count_threads(), 1 + WAITERS);
    assert_int_equal(count_descriptors(), descriptors);
    for (unsigned i = 0; i < WAITERS; i++) {
        pthread_cancel(thread[i]);
        pthread_join(thread[i], NULL);
    }
    assert_int_equal(berth_release(pool, &held), 0);
    assert_int_equal(count_free(fixture, "a"), 1);
    assert_int_equal(berth_close(pool), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_many_give_up),     pool_test(test_poller_among_the_patient),
        pool_test(test_poller_recovers),  pool_test(test_signals_do_not_starve),
        pool_test(test_deadlines),        pool_test(test_cancel),
        pool_test(test_cancel_and_grant), pool_test(test_stop),
        pool_test(test_no_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
