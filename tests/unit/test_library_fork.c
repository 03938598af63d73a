/* Fork, several pools at once, and a pool whose file is deleted under its users. */
#include "library_support.h"

#include "pool/door.h"
#include "pool/handle.h"

#include <poll.h>
#include <sched.h>

/* ---- fork ---- */

/* A child opens the pool again, where the parent's lay, and then closes its copy of the
 * parent's. */
static int close_copy(void *context)
{
    const struct fixture *fixture = context;
    extern berth_pool *parents;
    berth_pool *mine;
    berth_grant grant;
    if (berth_acquire(parents, &grant) != ECHILD)
        return 1;
    if (berth_open(&mine, "a", &fixture->options) != 0 || berth_acquire(mine, &grant) != 0)
        return 2;
    if (berth_close(parents) != 0)
        return 3;
    if (berth_close(parents) != EBADF)
        return 4;
    if (berth_release(mine, &grant) != 0 || berth_acquire(mine, &grant) != 0)
        return 5;
    return berth_close(mine) == 0 ? 0 : 6;
}

berth_pool *parents;

static void test_close_in_child(void **state)
{
    struct fixture *fixture = *state;
    parents = open_slots(fixture, "a", 1);
    assert_child_succeeds(start_child(close_copy, fixture));
    berth_grant grant;
    assert_int_equal(berth_acquire(parents, &grant), 0); /* the parent's seat is as it was */
    assert_int_equal(berth_close(parents), 0);
}

static int watch_of_parent;

/* Of berth_lost_fd too; and neither what has got its number since, nor the child's own. */
static int close_copy_of_watch(void *context)
{
    const struct fixture *fixture = context;
    const int fd = watch_of_parent, before = (int)count_descriptors();
    berth_pool *mine;
    if (berth_close(parents) != 0 || (int)count_descriptors() != before - 2 ||
        fcntl(fd, F_GETFD) >= 0)
        return 1;
    if (berth_open(&mine, "a", &fixture->options) != 0 || berth_lost_fd(mine) < 0)
        return 2;
    return berth_close(mine) == 0 && (int)count_descriptors() == before - 2 ? 0 : 3;
}

static int keep_what_is_not_the_watch(void *context)
{
    const struct fixture *fixture = context;
    const int fd = watch_of_parent;
    berth_pool *mine;
    if (berth_open(&mine, "a", &fixture->options) != 0)
        return 1;
    while (open("/dev/null", O_RDONLY) < fd)
        continue; /* so that the next one gets the number */
    close(fd);
    if (berth_lost_fd(mine) != fd)
        return 1;
    if (berth_close(parents) != 0 || fcntl(fd, F_GETFD) < 0)
        return 2;
    close(fd);
    if (open("/dev/null", O_RDONLY) != fd || berth_close(mine) != 0 || fcntl(fd, F_GETFD) < 0)
        return 3;
    return 0;
}

static void test_watch_in_child(void **state)
{
    struct fixture *fixture = *state;
    parents = open_slots(fixture, "a", 1);
    const int fd = watch_of_parent = berth_lost_fd(parents);
    assert_true(fd >= 0);
    const pid_t child = start_child(close_copy_of_watch, fixture);
    assert_child_succeeds(child);
    assert_child_succeeds(start_child(keep_what_is_not_the_watch, fixture));
    assert_true(fcntl(fd, F_GETFD) >= 0);
    assert_int_equal(berth_close(parents), 0);
    assert_true(fcntl(fd, F_GETFD) < 0);
}

/* The child has closed the descriptor already, and its own handle has got the number. */
static int close_copy_late(void *context)
{
    const struct fixture *fixture = context;
    berth_pool *mine;
    berth_grant grant;
    const int fd = berth_fd(parents);
    close(fd);
    if (berth_open(&mine, "a", &fixture->options) != 0 || berth_fd(mine) != fd ||
        berth_acquire(mine, &grant) != 0)
        return 1;
    berth_close(parents);
    if (fcntl(fd, F_GETFD) < 0)
        return 2;
    return berth_close(mine) == 0 ? 0 : 3;
}

static void test_close_in_child_late(void **state)
{
    struct fixture *fixture = *state;
    parents = open_slots(fixture, "a", 1);
    assert_child_succeeds(start_child(close_copy_late, fixture));
    assert_int_equal(berth_close(parents), 0);
}

/* ---- several pools, and the door ---- */

struct forker {
    _Atomic(bool) stop;
    pid_t child[200];
    _Atomic(unsigned) count;
};

static void *fork_often(void *context)
{
    struct forker *forker = context;
    while (!atomic_load(&forker->stop) && forker->count < 200) {
        const pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                pause();
        }
        forker->child[forker->count++] = pid;
        usleep(300);
    }
    return NULL;
}

/* Children that are forked while another thread acquires slots of several pools do not keep the
 * doors of these pools shut. */
static void test_fork_behind_the_door(void **state)
{
    enum { POOLS = 16 };
    const struct fixture *fixture = *state;
    berth_grant grant[POOLS];
    berth_want wants[POOLS], others[POOLS];
    struct forker forker = {0};
    pthread_t thread;
    for (unsigned i = 0; i < POOLS; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        wants[i] = (berth_want){open_slots(fixture, name, 1), 1, &grant[i]};
        others[i] = (berth_want){open_slots(fixture, name, 1), 1, &grant[i]};
    }
    assert_int_equal(pthread_create(&thread, NULL, fork_often, &forker), 0);
    while (forker.count < 200) {
        assert_int_equal(berth_acquire_all(wants, POOLS), 0);
        assert_int_equal(berth_release_all(wants, POOLS), 0);
    }
    atomic_store(&forker.stop, true);
    pthread_join(thread, NULL);
    struct timespec soon = in_ms(2000);
    assert_int_equal(berth_acquire_all_until(others, POOLS, &soon), 0);
    assert_int_equal(berth_release_all(others, POOLS), 0);
    for (unsigned i = 0; i < forker.count; i++)
        kill_child(forker.child[i]);
    for (unsigned i = 0; i < POOLS; i++) {
        assert_int_equal(berth_close(others[i].pool), 0);
        assert_int_equal(berth_close(wants[i].pool), 0);
    }
}

/* A process is killed behind the door and not reaped, and its child keeps the seat. */
static void test_killed_behind_the_door(void **state)
{
    const struct fixture *fixture = *state;
    int ready[2];
    char byte;
    berth_grant grants[2];
    berth_pool *pool = open_slots(fixture, "a", 2);
    const berth_want want = {pool, 2, grants};
    assert_int_equal(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        berth_pool *mine;
        if (berth_open(&mine, "a", &fixture->options) != 0 ||
            door_enter(&mine->queue, UINT64_MAX) != 0)
            _exit(1);
        if (fork() == 0) {
            if (write(ready[1], "", 1) == 1)
                sleep_ms(3000);
            _exit(0);
        }
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct timespec soon = in_ms(100);
    assert_int_equal(berth_acquire_all_until(&want, 1, &soon), ETIMEDOUT);
    assert_int_equal(kill(pid, SIGKILL), 0); /* and it stays a zombie */
    soon = in_ms(1000);
    assert_int_equal(berth_acquire_all_until(&want, 1, &soon), 0);
    wait_for_child(pid);
    close(ready[0]);
    assert_int_equal(berth_close(pool), 0);
}

/* A process that may only read the file, and has a lock on all of it, keeps nobody out. */
static void test_reader_with_a_lock(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant grants[2];
    berth_pool *pool = open_slots(fixture, "a", 2);
    const berth_want want = {pool, 2, grants};
    const int fd = open(path_of(fixture, "a.berth"), O_RDONLY);
    struct flock lock = {.l_type = F_RDLCK, .l_start = (1L << 40) - 2, .l_len = 1};
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
    struct timespec soon = in_ms(1000);
    assert_int_equal(berth_acquire_all_until(&want, 1, &soon), 0);
    assert_int_equal(berth_release_all(&want, 1), 0);
    close(fd);
    assert_int_equal(berth_close(pool), 0);
}

/* The rights that the pool was opened with, and /proc, are not needed again. */
static int acquire_without_rights(void *context)
{
    const struct fixture *fixture = context;
    berth_pool *pool;
    berth_grant grants[2];
    if (berth_open(&pool, "a", &(berth_options){.store = fixture->store, .slots = 2}) != 0)
        return 1;
    if (geteuid() == 0 && (chroot("/dev/shm") != 0 || setuid(STRANGER) != 0))
        return 2;
    const berth_want want = {pool, 2, grants};
    return berth_acquire_all(&want, 1) == 0 && berth_release_all(&want, 1) == 0 ? 0 : 3;
}

static void test_rights_are_dropped(void **state)
{
    assert_child_succeeds(start_child(acquire_without_rights, *state));
}

struct shrink {
    berth_pool *pool;
    berth_grant grants[2];
    _Atomic(int) result;
};

static void *want_two(void *context)
{
    struct shrink *shrink = context;
    const berth_want want = {shrink->pool, 2, shrink->grants};
    atomic_store(&shrink->result, berth_acquire_all(&want, 1));
    return NULL;
}

/* Two of two are wanted, one is there, and the pool shrinks to one: the process that wants two gets
 * an error, and the slot goes to the one that wants one. */
static void test_shrinks_below(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant held, grant;
    pthread_t thread;
    berth_pool *pool = open_slots(fixture, "a", 2);
    struct shrink shrink = {.pool = open_slots(fixture, "a", 2), .result = -1};
    assert_int_equal(berth_acquire(pool, &held), 0);
    assert_int_equal(pthread_create(&thread, NULL, want_two, &shrink), 0);
    sleep_ms(50);
    assert_int_equal(berth_resize(pool, 1), 0);
    eventually(3000, atomic_load(&shrink.result) == EINVAL);
    pthread_join(thread, NULL);
    assert_int_equal(berth_release(pool, &held), 0);
    struct timespec soon = in_ms(1000);
    assert_int_equal(berth_acquire_until(pool, &grant, &soon), 0);
    assert_int_equal(berth_close(shrink.pool), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* A pool of no slots hands out none for the time being: a process that wants two waits for them,
 * and has nothing meanwhile. */
static void test_shrinks_to_none(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant held;
    berth_view *view;
    pthread_t thread;
    berth_pool *pool = open_slots(fixture, "a", 2);
    struct shrink shrink = {.pool = open_slots(fixture, "a", 2), .result = -1};
    assert_int_equal(berth_acquire(pool, &held), 0);
    assert_int_equal(pthread_create(&thread, NULL, want_two, &shrink), 0);
    sleep_ms(50);
    assert_int_equal(berth_resize(pool, 0), 0);
    assert_int_equal(berth_release(pool, &held), 0);
    sleep_ms(500);
    assert_int_equal(berth_look(&view, "a", &fixture->options), 0);
    assert_int_equal(view->holder_count, 0);
    berth_view_free(view);
    assert_int_equal(atomic_load(&shrink.result), -1);
    assert_int_equal(berth_resize(pool, 2), 0);
    eventually(3000, atomic_load(&shrink.result) == 0);
    pthread_join(thread, NULL);
    assert_int_equal(berth_close(shrink.pool), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* ---- a pool that is deleted ---- */

struct waiter {
    berth_pool *pool;
    _Atomic(int) result;
};

static void *wait_on(void *context)
{
    struct waiter *waiter = context;
    berth_grant grant;
    atomic_store(&waiter->result, berth_acquire(waiter->pool, &grant));
    return NULL;
}

enum { WAITERS = 150 }; /* the last one's own look would come after two seconds */

static void test_deleted(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant held;
    struct timespec left, past = {0};
    struct waiter waiter[WAITERS];
    pthread_t thread[WAITERS];
    berth_pool *pool = open_slots(fixture, "a", 1);
    assert_int_equal(berth_acquire(pool, &held), 0);
    struct pollfd lost = {.fd = berth_lost_fd(pool), .events = POLLIN};
    assert_true(lost.fd >= 0);
    for (unsigned i = 0; i < WAITERS; i++) {
        waiter[i] = (struct waiter){.pool = open_slots(fixture, "a", 1), .result = -1};
        assert_int_equal(pthread_create(&thread[i], NULL, wait_on, &waiter[i]), 0);
    }
    sleep_ms(300);
    assert_int_equal(berth_good_for(pool, &held, &left), 0);
    assert_true(left.tv_sec > 1000000);
    assert_int_equal(chmod(path_of(fixture, "a.berth"), 0600), 0); /* is none of it */
    assert_int_equal(berth_good_for(pool, &held, &left), 0);
    assert_int_equal(poll(&lost, 1, 0), 0);
    const uint64_t before = now_ms();
    assert_int_equal(unlink(path_of(fixture, "a.berth")), 0);
    assert_int_equal(poll(&lost, 1, 1000), 1);
    assert_refused(EIDRM, berth_good_for(pool, &held, &left), "deleted");
    assert_int_equal(left.tv_sec, 0);
    for (unsigned i = 0; i < WAITERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(atomic_load(&waiter[i].result), EIDRM);
    }
    assert_in_range(now_ms() - before, 0, 1000);
    berth_grant grant;
    assert_int_equal(berth_acquire_until(waiter[0].pool, &grant, &past), EIDRM);
    assert_refused(EIDRM, berth_release(pool, &held), "deleted");
    for (unsigned i = 0; i < WAITERS; i++)
        assert_int_equal(berth_close(waiter[i].pool), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* Where nobody patient is there to find out, those who poll do. */
static void test_deleted_and_polled(void **state)
{
    const struct fixture *fixture = *state;
    berth_grant held, grant;
    const struct timespec past = {0};
    berth_pool *pool = open_slots(fixture, "a", 1), *other = open_slots(fixture, "a", 1);
    assert_int_equal(berth_acquire(pool, &held), 0);
    assert_int_equal(unlink(path_of(fixture, "a.berth")), 0);
    eventually(1000, berth_acquire_until(other, &grant, &past) == EIDRM);
    assert_int_equal(berth_release(pool, &held), EIDRM);
    assert_int_equal(berth_close(other), 0);
    assert_int_equal(berth_close(pool), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_close_in_child),         pool_test(test_watch_in_child),
        pool_test(test_close_in_child_late),    pool_test(test_fork_behind_the_door),
        pool_test(test_killed_behind_the_door), pool_test(test_reader_with_a_lock),
        pool_test(test_rights_are_dropped),     pool_test(test_shrinks_below),
        pool_test(test_shrinks_to_none),        pool_test(test_deleted),
        pool_test(test_deleted_and_polled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
