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
#include <sys/epoll.h>
#include <sys/eventfd.h>
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
    case SYS_gettid: result = sim_gettid(); break;
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
    case SIM_EVENT: return ofd->count > 0 ? POLLIN : 0;
    case SIM_PIDFD: {
        const struct sim_process *process = sim_find(ofd->pid);
        return process == NULL || process->birth != ofd->birth || process->life == SIM_ZOMBIE
                   ? POLLIN
                   : 0;
    }
    case SIM_EPOLL:
        for (unsigned i = 0; i < SIM_WATCHES; i++) {
            if (ofd->watched[i] != NULL &&
                (readiness(ofd->watched[i]) & (short)ofd->watch_events[i]) != 0)
                return POLLIN;
        }
        return 0;
    case SIM_NOTIFY: return ofd->count > 0 ? POLLIN : 0;
    case SIM_FILE:
    case SIM_TEXT:
    case SIM_TIMER:
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
    return sim_fd_new(sim_ofd_new(SIM_NOTIFY, NULL, flags), 0, (flags & IN_CLOEXEC) != 0);
}

/* One file each, by the link to its descriptor. */
int sim_inotify_add_watch(int fd, const char *path, uint32_t mask)
{
    int watched;
    (void)mask;
    sim_enter();
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL || ofd->kind != SIM_NOTIFY || ofd->noticed != NULL)
        return fails(ofd == NULL ? EBADF : EINVAL);
    if (sscanf(path, "/proc/self/fd/%d", &watched) != 1 || sim_fd_get(watched) == NULL)
        return fails(ENOENT);
    ofd->noticed = sim_fd_get(watched)->inode;
    return 1;
}

int sim_inotify_rm_watch(int fd, int watch)
{
    (void)watch;
    sim_enter();
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return -1;
    ofd->noticed = NULL;
    return 0;
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

int sim_ppoll(struct pollfd *polled, nfds_t count, const struct timespec *timeout,
              const sigset_t *mask)
{
    (void)mask;
    return poll_until(polled, count,
                      timeout == NULL ? SIM_FOREVER : sim.now + nanoseconds(timeout));
}

/* ---- events ---- */

int sim_eventfd(unsigned initial, int flags)
{
    sim_enter();
    struct sim_ofd *ofd = sim_ofd_new(SIM_EVENT, NULL, flags);
    ofd->count = initial;
    return sim_fd_new(ofd, 0, (flags & EFD_CLOEXEC) != 0);
}

ssize_t sim_write(int fd, const void *buffer, size_t size)
{
    uint64_t value;
    sim_enter();
    sim_cancellation_point();
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return -1;
    if (ofd->kind != SIM_EVENT || size < sizeof value)
        return fails(EINVAL);
    memcpy(&value, buffer, sizeof value);
    ofd->count += value;
    sim_poll_changed();
    return sizeof value;
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
    if (ofd->kind != SIM_EVENT || size < sizeof ofd->count)
        return fails(EINVAL);
    while (ofd->count == 0) {
        if ((ofd->flags & EFD_NONBLOCK) != 0)
            return fails(EAGAIN);
        if (sim_block(SIM_ON_POLL, 0, SIM_FOREVER, true) == SIM_INTERRUPTED)
            return fails(EINTR);
    }
    const uint64_t value = (ofd->flags & EFD_SEMAPHORE) != 0 ? 1 : ofd->count;
    ofd->count -= value;
    memcpy(buffer, &value, sizeof value);
    return sizeof value;
}

int sim_eventfd_write(int fd, uint64_t value)
{
    return sim_write(fd, &value, sizeof value) < 0 ? -1 : 0;
}

int sim_eventfd_read(int fd, uint64_t *value)
{
    return sim_read(fd, value, sizeof *value) < 0 ? -1 : 0;
}

/* ---- epoll ---- */

int sim_epoll_create1(int flags)
{
    sim_enter();
    sim.epolls = true;
    return sim_fd_new(sim_ofd_new(SIM_EPOLL, NULL, flags), 0, (flags & EPOLL_CLOEXEC) != 0);
}

int sim_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    sim_enter();
    struct sim_ofd *set = sim_fd_get(epoll), *ofd = sim_fd_get(fd);
    if (set == NULL || ofd == NULL)
        return fails(EBADF);
    unsigned at = 0, empty = SIM_WATCHES;
    for (; at < SIM_WATCHES && set->watched[at] != ofd; at++) {
        if (set->watched[at] == NULL && empty == SIM_WATCHES)
            empty = at;
    }
    if (operation == EPOLL_CTL_ADD ? at < SIM_WATCHES : at == SIM_WATCHES)
        return fails(operation == EPOLL_CTL_ADD ? EEXIST : ENOENT);
    if (operation == EPOLL_CTL_DEL) {
        set->watched[at] = NULL;
        return 0;
    }
    at = operation == EPOLL_CTL_ADD ? empty : at;
    if (at == SIM_WATCHES)
        return fails(ENOSPC);
    set->watched[at] = ofd;
    set->watch_events[at] = event->events;
    set->watch_data[at] = event->data.u64;
    sim_poll_changed();
    return 0;
}

int sim_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
    sim_enter();
    sim_cancellation_point();
    const uint64_t until = timeout < 0 ? SIM_FOREVER : sim.now + (uint64_t)timeout * SIM_MS;
    struct sim_ofd *set = sim_fd_get(epoll);
    if (set == NULL)
        return -1;
    for (;;) {
        int count = 0;
        for (unsigned i = 0; i < SIM_WATCHES && count < most; i++) {
            const short ready = set->watched[i] == NULL ? 0 : readiness(set->watched[i]);
            if (((unsigned)ready & set->watch_events[i]) == 0)
                continue;
            events[count] = (struct epoll_event){.events = EPOLLIN};
            events[count++].data.u64 = set->watch_data[i];
        }
        if (count > 0 || sim.now >= until)
            return count;
        if (sim_block(SIM_ON_POLL, 0, until, true) == SIM_INTERRUPTED)
            return fails(EINTR);
    }
}
