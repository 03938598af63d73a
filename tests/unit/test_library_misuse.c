/* What a program can do wrong without writing into foreign memory: an error with a reason, and no
 * slot twice or lost. */
#include "library_support.h"

#include <sched.h>
#include <sys/resource.h>

/* ---- NULL, and handles that are closed ---- */

static void test_null(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant grant;
    struct timespec left;
    berth_view *view = (berth_view *)&left;
    berth_pool *pool = (berth_pool *)&left;
    const berth_want want = {.slots = 1};
    assert_refused(EINVAL, berth_close(NULL), "NULL");
    assert_refused(EINVAL, berth_open(NULL, "a", &fixture->options), "NULL");
    assert_refused(EINVAL, berth_open(&pool, NULL, &fixture->options), "NULL");
    assert_null(pool);
    pool = (berth_pool *)&left;
    assert_refused(EINVAL, berth_open(&pool, "not/a/name", &fixture->options), "name");
    assert_null(pool);
    assert_refused(EINVAL, berth_acquire(NULL, &grant), "NULL");
    assert_refused(EINVAL, berth_try_acquire(NULL, &grant), "NULL");
    assert_refused(EINVAL, berth_acquire_until(NULL, &grant, &left), "NULL");
    assert_refused(EINVAL, berth_release(NULL, &grant), "NULL");
    assert_refused(EINVAL, berth_resize(NULL, 1), "NULL");
    assert_refused(EINVAL, berth_describe(NULL, 1, ""), "NULL");
    assert_refused(EINVAL, berth_ward(NULL, 1), "NULL");
    assert_refused(EINVAL, berth_good_for(NULL, &grant, &left), "NULL");
    assert_refused(EINVAL, berth_acquire_all(NULL, 1), "NULL");
    assert_refused(EINVAL, berth_acquire_all(&want, 1), "NULL");
    assert_refused(EINVAL, berth_release_all(&want, 1), "NULL");
    assert_refused(EINVAL, berth_look(NULL, "a", &fixture->options), "NULL");
    assert_refused(ENOENT, berth_look(&view, "a", &fixture->options), "a");
    assert_null(view);
    assert_refused(EINVAL, berth_list(&fixture->options, NULL, NULL), "NULL");
    assert_refused(EINVAL, berth_remove(NULL, &fixture->options), "NULL");
    assert_int_equal(berth_slots(NULL), 0);
    assert_int_equal(berth_fd(NULL), -1);
    assert_int_equal(berth_lost_fd(NULL), -1);
    berth_view_free(NULL);

    pool = open_slots(fixture, "a", 1);
    assert_refused(EINVAL, berth_acquire(pool, NULL), "NULL");
    assert_refused(EINVAL, berth_try_acquire(pool, NULL), "NULL");
    assert_refused(EINVAL, berth_release(pool, NULL), "NULL");
    assert_refused(EINVAL, berth_describe(pool, 1, NULL), "NULL");
    assert_refused(EINVAL, berth_good_for(pool, NULL, &left), "NULL");
    assert_int_equal(berth_close(pool), 0);
}

static void test_closed_handle(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant grant;
    berth_pool *pool = open_slots(fixture, "a", 1), *other = open_slots(fixture, "b", 1);
    assert_int_equal(berth_acquire(pool, &grant), 0);
    assert_int_equal(berth_close(pool), 0);
    assert_refused(EBADF, berth_close(pool), "not open");
    assert_refused(EBADF, berth_acquire(pool, &grant), "not open");
    assert_refused(EBADF, berth_release(pool, &grant), "not open");
    assert_refused(EBADF, berth_close((berth_pool *)&grant), "not open");
    assert_int_equal(berth_close(other), 0);
    assert_int_equal(count_free(fixture, "a"), 1);
}

/* ---- grants ---- */

static void test_wrong_grant(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant grant, forged;
    berth_pool *pool = open_slots(fixture, "a", 2), *other = open_slots(fixture, "a", 2);
    assert_int_equal(berth_acquire(pool, &grant), 0);
    assert_refused(EPERM, berth_release(other, &grant), "does not hold");
    forged = grant;
    forged.slot ^= 1;
    assert_int_equal(berth_release(pool, &forged), EPERM);
    forged = (berth_grant){.slot = 5000, .seat = grant.seat, .ticket = grant.ticket};
    assert_int_equal(berth_release(pool, &forged), EPERM);
    forged = (berth_grant){0};
    assert_int_equal(berth_release(pool, &forged), EPERM);
    assert_int_equal(berth_release(pool, &grant), 0);
    assert_int_equal(berth_release(pool, &grant), EPERM);
    assert_int_equal(berth_close(other), 0);
    assert_int_equal(berth_close(pool), 0);
}

enum { ROUNDS = 20000 };

struct doubled {
    berth_pool *pool;
    berth_grant grant;
    _Atomic(unsigned) round, done, released;
};

static void release_once(struct doubled *doubled)
{
    /* In parentheses: without a look at the handle, which would keep the two threads apart. */
    if ((berth_release)(doubled->pool, &doubled->grant) == 0)
        atomic_fetch_add(&doubled->released, 1);
}

static void *release_too(void *context)
{
    struct doubled *doubled = context;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        while (atomic_load(&doubled->round) < round)
            sched_yield();
        release_once(doubled);
        atomic_store(&doubled->done, round);
    }
    return NULL;
}

/* Of two threads that release one grant, one does; the slot does not exist twice. */
static void test_two_release(void **state)
{
    const struct fixture *fixture = *state;
    struct doubled doubled = {.pool = open_slots(fixture, "a", 2)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, release_too, &doubled), 0);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        atomic_store(&doubled.released, 0);
        assert_int_equal((berth_acquire)(doubled.pool, &doubled.grant), 0);
        atomic_store(&doubled.round, round);
        if (round % 2 == 0)
            sched_yield();
        release_once(&doubled);
        while (atomic_load(&doubled.done) < round)
            sched_yield();
        assert_int_equal(atomic_load(&doubled.released), 1);
    }
    pthread_join(thread, NULL);
    assert_int_equal(count_free(fixture, "a"), 2);
    assert_int_equal(berth_close(doubled.pool), 0);
}

/* ---- descriptors ---- */

/* The program has closed the handle's descriptor, and something else is there now: nobody is
 * dead. */
static void reuse_descriptor(const struct fixture *fixture,
                             int (*open_other)(const struct fixture *))
{
    berth_grant grant;
    berth_pool *pool = open_slots(fixture, "a", 1);
    const pid_t holder = start_holder(fixture, "a", NULL);
    const int fd = berth_fd(pool);
    const int other = open_other(fixture);
    assert_true(other >= 0);
    assert_int_equal(dup2(other, fd), fd);
    const int error = berth_try_acquire(pool, &grant);
    if (error != EBADF && error != EBUSY)
        fail_msg("a slot that a living process holds: %d", error);
    struct timespec soon = in_ms(100);
    assert_refused(EBADF, berth_acquire_until(pool, &grant, &soon), "closed the descriptor");
    assert_int_equal(kill(holder, 0), 0);
    berth_close(pool);
    assert_true(fcntl(fd, F_GETFD) >= 0); /* it is not the library's to close */
    close(fd);
    close(other);
    kill_child(holder);
}

static int open_null(const struct fixture *fixture)
{
    (void)fixture;
    return open("/dev/null", O_RDWR);
}

static int open_again(const struct fixture *fixture)
{
    return open(path_of(fixture, "a.berth"), O_RDWR);
}

static int open_pipe(const struct fixture *fixture)
{
    (void)fixture;
    int ends[2];
    return pipe(ends) == 0 && close(ends[1]) == 0 ? ends[0] : -1;
}

static void test_reused_descriptor(void **state)
{
    reuse_descriptor(*state, open_null);
    reuse_descriptor(*state, open_again);
    reuse_descriptor(*state, open_pipe);
}

/* The descriptor is another handle's of the same pool. */
static void test_descriptor_of_another_handle(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant grant, second;
    berth_pool *pool = open_slots(fixture, "a", 1);
    const int fd = berth_fd(pool);
    close(fd);
    berth_pool *other = open_slots(fixture, "a", 1);
    assert_int_equal(berth_fd(other), fd);
    assert_int_equal(berth_acquire(other, &grant), 0);
    struct timespec soon = in_ms(100);
    assert_int_equal(berth_acquire_until(pool, &second, &soon), EBADF);
    berth_close(pool);
    assert_int_equal(berth_try_acquire(other, &second), EBUSY);
    assert_int_equal(berth_release(other, &grant), 0);
    assert_int_equal(berth_close(other), 0);
}

/* ---- options of other versions ---- */

static void test_options_size(void **state)
{
    const struct fixture *fixture = *state;
    struct {
        berth_options known;
        int more[4];
    } later = {.known = fixture->options};
    berth_pool *pool;
    later.known.size = sizeof later;
    assert_int_equal(berth_open(&pool, "a", &later.known), 0);
    assert_int_equal(berth_close(pool), 0);
    later.more[1] = 1;
    assert_refused(EINVAL, berth_open(&pool, "a", &later.known), "does not know");
    later.known.size = sizeof later.known;
    assert_int_equal(berth_open(&pool, "a", &later.known), 0);
    assert_int_equal(berth_close(pool), 0);
    later.known.size = 8;
    assert_refused(EINVAL, berth_open(&pool, "a", &later.known), "size");
    assert_null(pool);
}

/* ---- what stays behind ---- */

static void test_command_is_erased(void **state)
{
    const struct fixture *fixture = *state;
    berth_options options = fixture->options;
    berth_pool *pool;
    options.command = "my --password=secret";
    assert_int_equal(berth_open(&pool, "a", &options), 0);
    assert_int_equal(berth_close(pool), 0);
    char text[1 << 16];
    const int fd = open(path_of(fixture, "a.berth"), O_RDONLY);
    for (ssize_t size; (size = read(fd, text, sizeof text)) > 0;)
        assert_null(memmem(text, (size_t)size, "secret", 6));
    close(fd);
}

static int remove_with_limit(void *context)
{
    const struct fixture *fixture = context;
    const struct rlimit limit = {512, 512};
    setrlimit(RLIMIT_FSIZE, &limit);
    return berth_remove("a", &fixture->options);
}

static void test_limit_on_file_size(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(berth_close(open_slots(fixture, "a", 1)), 0);
    assert_child_succeeds(start_child(remove_with_limit, fixture));
}

static void test_long_store(void **state)
{
    const struct fixture *fixture = *state;
    char store[1024];
    berth_options options = fixture->options;
    berth_view *view;
    berth_pool *pool;
    snprintf(store, sizeof store, "%s/%0200d", fixture->store, 1);
    assert_int_equal(mkdir(store, 0700), 0);
    const size_t length = strlen(store);
    snprintf(store + length, sizeof store - length, "/%0200d", 2);
    assert_int_equal(mkdir(store, 0700), 0);
    options.store = store;
    assert_int_equal(berth_open(&pool, "a", &options), 0);
    assert_int_equal(berth_look(&view, "a", &options), 0);
    assert_string_equal(view->store, store);
    berth_view_free(view);
    assert_int_equal(berth_close(pool), 0);
    assert_int_equal(berth_remove("a", &options), 0);
    assert_int_equal(rmdir(store), 0);
    store[length] = '\0';
    assert_int_equal(rmdir(store), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_null),
        pool_test(test_closed_handle),
        pool_test(test_wrong_grant),
        pool_test(test_two_release),
        pool_test(test_reused_descriptor),
        pool_test(test_descriptor_of_another_handle),
        pool_test(test_options_size),
        pool_test(test_command_is_erased),
        pool_test(test_limit_on_file_size),
        pool_test(test_long_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
