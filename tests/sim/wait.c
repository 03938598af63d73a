/* Waiting: futexes, sleep, and descriptors that become readable. */
#include "sim.h"

#include "calls.h"
#include "oracle.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>

static int fails(int error)
{
    errno = error;
    return -1;
}

static uint64_t nanoseconds(const struct timespec *time)
{
    const uint64_t seconds = (uint64_t)time->tv_sec;
    return time->tv_sec < 0 ? 0
           : seconds > SIM_FOREVER / SIM_SECOND - 1
               ? SIM_FOREVER
               : seconds * SIM_SECOND + (uint64_t)time->tv_nsec;
}

/* ---- futexes ---- */

static long futex_wait(const _Atomic(uint32_t) *cell, uint32_t seen, uint64_t until)
{
    sim_reach((const void *)cell, sizeof *cell, false);
    if (atomic_load(cell) != seen)
        return fails(EAGAIN);
    SIM_MAY_FAIL(-1, EINTR, ENOMEM);
    oracle_sleeps((const void *)cell);
    switch (sim_block(SIM_ON_FUTEX, sim_futex_key((const void *)cell), until, true)) {
    case SIM_TIMED_OUT: return fails(ETIMEDOUT);
    case SIM_INTERRUPTED: return fails(EINTR);
    case SIM_WOKEN:
    default: return 0;
    }
}

static long futex(va_list arguments)
{
    _Atomic(uint32_t) *const cell = va_arg(arguments, void *);
    const int operation = va_arg(arguments, int) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    const uint32_t value = va_arg(arguments, uint32_t);
    const struct timespec *time = va_arg(arguments, void *);
    switch (operation) {
    case FUTEX_WAIT:
        return futex_wait(cell, value, time == NULL ? SIM_FOREVER : sim.now + nanoseconds(time));
    case FUTEX_WAIT_BITSET:
        return futex_wait(cell, value, time == NULL ? SIM_FOREVER : nanoseconds(time));
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return (long)sim_wake(SIM_ON_FUTEX, sim_futex_key((const void *)cell),
                              value > 0 ? value : 1); /* Linux wakes one at least */
    default:
        sim_fail("the simulator does not know futex operation %d: see tests/sim/wait.c", operation);
        return fails(ENOSYS);
    }
}

/* ---- calls without a name in libc ---- */

static long pidfd_open(unsigned pid)
{
    const struct sim_process *process = sim_find(pid);
    SIM_MAY_FAIL(-1, EMFILE, ENOMEM);
    if (process == NULL)
        return fails(ESRCH);
    struct sim_ofd *ofd = sim_ofd_new(SIM_PIDFD, NULL, 0);
    ofd->pid = pid;
    ofd->birth = process->birth;
    return sim_fd_new(ofd, 0, true);
}

long sim_syscall(long number, ...)
{
    va_list arguments;
    long result;
    sim_enter();
    va_start(arguments, number);
    switch (number) {
    case SYS_futex: result = futex(arguments); break;
    case SYS_pidfd_open: result = pidfd_open(va_arg(arguments, unsigned)); break;
    default:
        sim_fail("the simulator does not know system call %ld: see tests/sim/wait.c", number);
        result = fails(ENOSYS);
    }
    va_end(arguments);
    return result;
}

/* ---- sleep ---- */

static int sleep_until(uint64_t until)
{
    sim_enter();
    sim_cancellation_point();
    while (sim.now < until) {
        if (sim_block(SIM_ON_SLEEP, 0, until, true) == SIM_INTERRUPTED) {
            sim_cancellation_point();
            return EINTR;
        }
    }
    return 0;
}

int sim_nanosleep(const struct timespec *time, struct timespec *rest)
{
    (void)rest;
    const int error = sleep_until(sim.now + nanoseconds(time));
    return error == 0 ? 0 : fails(error);
}

int sim_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                        struct timespec *rest)
{
    (void)clock, (void)rest;
    const uint64_t wanted = nanoseconds(time);
    return sleep_until((flags & TIMER_ABSTIME) != 0 ? wanted : sim.now + wanted);
}

int sim_sched_yield(void)
{
    sim.now += SIM_CALL_NS;
    sim_give_way();
    return 0;
}

/* ---- descriptors that become readable ---- */

/* POLLIN where there is something. */
static short readiness(const struct sim_ofd *ofd)
{
    switch (ofd->kind) {
    case SIM_PIDFD: {
        const struct sim_process *process = sim_find(ofd->pid);
        return process == NULL || process->birth != ofd->birth || process->life == SIM_ZOMBIE
                   ? POLLIN
                   : 0;
    }
    case SIM_NOTIFY: return ofd->count > 0 ? POLLIN : 0;
    case SIM_FILE:
    case SIM_TEXT:
    default: return POLLIN;
    }
}

void sim_poll_changed(void)
{
    sim_wake(SIM_ON_POLL, 0, 1000);
}

/* Its number of links has changed. */
void sim_notify_unlinked(struct sim_inode *inode)
{
    for (unsigned i = 0; i < SIM_OFDS; i++) {
        struct sim_ofd *ofd = &sim.ofd[i];
        if (ofd->refs > 0 && ofd->kind == SIM_NOTIFY && ofd->noticed == inode)
            ofd->count++;
    }
    sim_poll_changed();
}

int sim_inotify_init1(int flags)
{
    sim_enter();
    SIM_MAY_FAIL(-1, EMFILE, ENOMEM);
    return sim_fd_new(sim_ofd_new(SIM_NOTIFY, NULL, flags), 0, (flags & IN_CLOEXEC) != 0);
}

/* One file each, by the link to its descriptor. */
int sim_inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    int watched;
    (void)mask;
    sim_enter();
    SIM_MAY_FAIL(-1, ENOSPC, ENOMEM);
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL || ofd->kind != SIM_NOTIFY || ofd->noticed != NULL)
        return fails(ofd == NULL ? EBADF : EINVAL);
    if (sscanf(path, "/proc/self/fd/%d", &watched) != 1 || sim_fd_get(watched) == NULL)
        return fails(ENOENT);
    ofd->noticed = sim_fd_get(watched)->inode;
    return 1;
}

static ssize_t read_notice(struct sim_ofd *ofd, void *buffer, size_t size)
{
    const struct inotify_event event = {.wd = 1, .mask = IN_ATTRIB};
    if (ofd->count == 0 && (ofd->flags & IN_NONBLOCK) != 0)
        return fails(EAGAIN);
    while (ofd->count == 0) {
        if (sim_block(SIM_ON_POLL, 0, SIM_FOREVER, true) == SIM_INTERRUPTED)
            return fails(EINTR);
    }
    if (size < sizeof event)
        return fails(EINVAL);
    ofd->count--;
    memcpy(buffer, &event, sizeof event);
    return sizeof event;
}

static int look(struct pollfd *polled, nfds_t count)
{
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        const int fd = polled[i].fd;
        polled[i].revents = 0;
        if (fd < 0)
            continue;
        const struct sim_ofd *ofd = sim_fd_get(fd);
        polled[i].revents =
            ofd == NULL ? POLLNVAL : (short)(readiness(ofd) & (polled[i].events | POLLHUP));
        ready += polled[i].revents != 0;
    }
    return ready;
}

static int poll_until(struct pollfd *polled, nfds_t count, uint64_t until)
{
    sim_enter();
    sim_cancellation_point();
    for (;;) {
        const int ready = look(polled, count);
        if (ready > 0 || sim.now >= until)
            return ready;
        if (sim_block(SIM_ON_POLL, 0, until, true) == SIM_INTERRUPTED) {
            sim_cancellation_point();
            return fails(EINTR);
        }
    }
}

int sim_poll(struct pollfd *polled, nfds_t count, int timeout)
{
    return poll_until(polled, count,
                      timeout < 0 ? SIM_FOREVER : sim.now + (uint64_t)timeout * SIM_MS);
}

ssize_t sim_write(int fd, const void *buffer, size_t size)
{
    (void)fd, (void)buffer, (void)size;
    sim_enter();
    sim_cancellation_point();
    return fails(EINVAL);
}

ssize_t sim_read(int fd, void *buffer, size_t size)
{
    sim_enter();
    sim_cancellation_point();
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return -1;
    if (ofd->kind == SIM_NOTIFY)
        return read_notice(ofd, buffer, size);
    return fails(EINVAL);
}
