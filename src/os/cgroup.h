/*
 * Groups of processes that the kernel keeps (cgroups, version 2): a process that is started in one
 * stays in it, whatever parents it loses and whatever environment it clears, and all of them can be
 * killed at once. One can be made by root, and where a part of the tree has been delegated.
 */
#ifndef BERTH_OS_CGROUP_H
#define BERTH_OS_CGROUP_H

#include <limits.h>
#include <stdbool.h>

/* Makes one below this process's own, by that name: a word, this process's number, and more. Others
 * of that kind whose processes are gone are removed. False: none can be made, or none that can be
 * killed. */
bool os_cgroup_make(const char *name, char path[PATH_MAX]);

/* Kills all that are in it, and in those below. False: that cannot be done, or some are left after
 * a second. */
bool os_cgroup_kill(const char *path);

/* Removes it. A process still in it goes to the one above. Those above it whose names begin like
 * that are removed too, if nobody is in them any more: the process that should have done so found
 * this one in the way. */
void os_cgroup_remove(const char *path, const char *prefix);

/* This process leaves the outermost of the groups around it whose names begin like that. */
void os_cgroup_leave(const char *prefix);

#endif
