/*
 * Learning from the kernel that a process has ended, while sleeping on a futex: a thread polls
 * descriptors of the processes and wakes the sleeper. It costs nothing until one of them ends.
 */
#ifndef BERTH_OS_WATCH_H
#define BERTH_OS_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { OS_WATCH_MOST = 32 };

struct os_watch {
    pthread_t thread;
    int stop;                   /* an event descriptor */
    int process[OS_WATCH_MOST]; /* descriptors of the processes */
    unsigned count;
    _Atomic(uint64_t) *cell; /* where the sleeper sleeps */
    _Atomic(bool) ended;     /* one of them has */
};

/* Watches these processes, by their numbers in this process's namespace. 0 or an errno value: what
 * cannot be watched is nothing to rely on. */
int os_watch_start(struct os_watch *watch, const pid_t *pids, unsigned count,
                   _Atomic(uint64_t) *cell);
void os_watch_stop(struct os_watch *watch);

/* Says which namespace of process numbers this process is in; 0: that is not known. */
uint64_t os_pid_namespace(void);

#endif
