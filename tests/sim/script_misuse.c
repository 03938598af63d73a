/* What a program must not do, and what the library says to it; and how a holder learns that it has
 * lost its pool. */
#include "script.h"

#include "api.h"
#include "calls.h"
#include "choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *what, int error, int expected)
{
    sim_say("%s = %s", what, error == 0 ? "0" : strerrorname_np(error));
    if (error != expected)
        sim_fail("%s gives %s instead of %s", what, error == 0 ? "0" : strerrorname_np(error),
                 expected == 0 ? "0" : strerrorname_np(expected));
    if (error != 0 && *berth_reason() == '\0')
        sim_fail("%s gives no reason", what);
}

/* ---- handles and grants ---- */

static void wrong_grants(berth_pool *pool, berth_pool *other)
{
    berth_grant grant, wrong;
    if (api_acquire(pool, &grant) != 0)
        return;
    expect("a release by another handle", berth_release(other, &grant), EPERM);
    wrong = grant;
    wrong.slot = 5000;
    expect("a release of slot 5000", berth_release(pool, &wrong), EPERM);
    wrong = grant;
    wrong.ticket++;
    expect("a release with another ticket", berth_release(pool, &wrong), EPERM);
    wrong = (berth_grant){0};
    expect("a release of nothing", berth_release(pool, &wrong), EPERM);
    api_release(pool, &grant);
    expect("a second release", berth_release(pool, &grant), EPERM);
}

static void nothing_at_all(berth_pool *pool)
{
    berth_grant grant;
    struct timespec time = {0};
    berth_pool *opened = pool;
    expect("berth_open without a place", berth_open(NULL, "a", NULL), EINVAL);
    expect("berth_open without a name", berth_open(&opened, NULL, NULL), EINVAL);
    if (opened != NULL)
        sim_fail("berth_open fails, and leaves a handle behind");
    expect("berth_acquire without a handle", berth_acquire(NULL, &grant), EINVAL);
    expect("berth_acquire without a grant", berth_acquire(pool, NULL), EINVAL);
    expect("berth_try_acquire without a grant", berth_try_acquire(pool, NULL), EINVAL);
    expect("berth_acquire_until without a time", berth_acquire_until(pool, &grant, NULL), EINVAL);
    expect("berth_release without a grant", berth_release(pool, NULL), EINVAL);
    expect("berth_good_for without a grant", berth_good_for(pool, NULL, &time), EINVAL);
    expect("berth_close without a handle", berth_close(NULL), EINVAL);
    expect("berth_acquire_all of nothing", berth_acquire_all(NULL, 0), EINVAL);
}

static void no_times(berth_pool *pool)
{
    berth_grant grant;
    const struct timespec negative = {.tv_sec = -1}, odd = {.tv_nsec = 1000000000};
    struct timespec realtime;
    sim_clock_gettime(CLOCK_REALTIME, &realtime);
    expect("a deadline below 0", berth_acquire_until(pool, &grant, &negative), EINVAL);
    expect("a deadline with a second of ns", berth_acquire_until(pool, &grant, &odd), EINVAL);
    expect("a deadline of CLOCK_REALTIME", berth_acquire_until(pool, &grant, &realtime), EINVAL);
    expect("a timeout below 0", berth_acquire_for(pool, &grant, &negative), EINVAL);
}

static void misuses(void *argument)
{
    berth_pool *pool, *other, *third;
    berth_grant grant;
    (void)argument;
    if (api_open(&pool, "a", 2, 0) != 0)
        return;
    if (api_open(&other, "a", 2, 0) == 0) {
        wrong_grants(pool, other);
        nothing_at_all(pool);
        no_times(pool);
        api_close(other);
        expect("a second close", berth_close(other), EBADF);
        expect("berth_acquire with a closed handle", berth_acquire(other, &grant), EBADF);
        if (api_open(&third, "a", 2, 0) == 0) {
            if (api_acquire(third, &grant) == 0)
                api_release(third, &grant);
            api_close(third);
        }
    }
    api_close(pool);
    api_check_clean(3);
}

void script_misuse(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 2; i++)
        script_start("misuses", misuses, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- a holder whose file is deleted ---- */

static bool is_readable(int fd, int timeout)
{
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    return sim_poll(&polled, 1, timeout) == 1;
}

void script_lost(void *argument)
{
    (void)argument;
    berth_pool *pool;
    berth_grant grant;
    struct timespec left;
    const bool deleted = choice_one_in(2);
    if (api_open(&pool, "a", 1, 0) != 0 || api_acquire(pool, &grant) != 0)
        return;
    const bool asks = !choice_one_in(4);
    const int fd = asks ? berth_lost_fd(pool) : -1;
    if (asks && (fd < 0 ? sim.fault.birth == 0 : berth_lost_fd(pool) != fd))
        sim_fail("berth_lost_fd gives no descriptor, or another one each time");
    expect("berth_good_for", berth_good_for(pool, &grant, &left), 0);
    if (left.tv_sec < 1000)
        sim_fail("a slot of a pool in shared memory is good for %lld s", (long long)left.tv_sec);
    if (fd >= 0 && is_readable(fd, 1))
        sim_fail("nothing has happened, and berth_lost_fd is readable");
    if (deleted)
        sim_unlink("a.berth");
    if (fd >= 0 && is_readable(fd, 1) != deleted)
        sim_fail("berth_lost_fd is %sreadable", deleted ? "not " : "");
    expect("berth_good_for", berth_good_for(pool, &grant, &left), deleted ? EIDRM : 0);
    if (fd >= 0 && is_readable(fd, 1))
        sim_fail("berth_lost_fd is readable after berth_good_for was asked");
    api_release(pool, &grant);
    expect("berth_good_for after the release", berth_good_for(pool, &grant, &left), EPERM);
    api_close(pool);
    api_check_clean(3);
    api_audit("a");
}
