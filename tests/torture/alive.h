/* Whether a thread can still run, by the kernel, and by other means than the library uses. */
#ifndef BERTH_TORTURE_ALIVE_H
#define BERTH_TORTURE_ALIVE_H

#include <stdbool.h>

/*
 * True from the instant at which the thread cannot execute another instruction of its program,
 * which is before the kernel closes the files of the process: a process that got hold of a lock
 * that the process had by its files finds all of its threads to be dead. A stopped thread is alive.
 */
bool thread_is_dead(int pid, int tid);

/* Whether the kernel tells us so, tried on a child that has ended. */
bool thread_is_dead_works(void);

#endif
