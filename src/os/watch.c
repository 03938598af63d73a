#include "os/watch.h"

#include "os/futex.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK = 16 * 1024 }; /* the thread calls poll and a futex, no more */

static void *wait_for_an_end(void *context)
{
    struct os_watch *watch = context;
    struct pollfd polled[OS_WATCH_MOST + 1] = {{.fd = watch->stop, .events = POLLIN}};
    for (unsigned i = 0; i < watch->count; i++)
        polled[i + 1] = (struct pollfd){.fd = watch->process[i], .events = POLLIN};
    while (poll(polled, watch->count + 1, -1) < 0 && errno == EINTR)
        continue;
    if (polled[0].revents == 0) {
        atomic_store(&watch->ended, true);
        os_futex_wake(watch->cell);
    }
    return NULL;
}

static void close_all(const struct os_watch *watch)
{
    for (unsigned i = 0; i < watch->count; i++)
        close(watch->process[i]);
    if (watch->stop >= 0)
        close(watch->stop);
}

/* The thread takes no signals: they are for the program's own threads. */
static int start_thread(struct os_watch *watch)
{
    const size_t least = (size_t)PTHREAD_STACK_MIN;
    pthread_attr_t attributes;
    sigset_t all, before;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    pthread_attr_setstacksize(&attributes, STACK > least ? STACK : least);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&watch->thread, &attributes, wait_for_an_end, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

int os_watch_start(struct os_watch *watch, const pid_t *pids, unsigned count,
                   _Atomic(uint64_t) *cell)
{
    const int saved = errno;
    int error = 0;
    *watch = (struct os_watch){.cell = cell, .stop = eventfd(0, EFD_CLOEXEC)};
    if (watch->stop < 0)
        error = errno;
    if (count > OS_WATCH_MOST)
        error = E2BIG;
    while (error == 0 && watch->count < count) {
        const int fd = (int)syscall(SYS_pidfd_open, pids[watch->count], 0);
        if (fd < 0)
            error = errno;
        else
            watch->process[watch->count++] = fd;
    }
    if (error == 0)
        error = start_thread(watch);
    if (error != 0)
        close_all(watch);
    errno = saved;
    return error;
}

void os_watch_stop(struct os_watch *watch)
{
    const int saved = errno;
    const uint64_t one = 1;
    while (write(watch->stop, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    pthread_join(watch->thread, NULL);
    close_all(watch);
    errno = saved;
}

uint64_t os_pid_namespace(void)
{
    struct stat status;
    const int saved = errno;
    const uint64_t number = stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
    errno = saved;
    return number;
}
