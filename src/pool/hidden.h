/*
 * Files under a name that no pool can have, for file systems on which a file cannot be made without
 * one. The process that makes such a file holds a lock on it while it has that name; one that is
 * not locked was left behind by a process that has died.
 */
#ifndef BERTH_POOL_HIDDEN_H
#define BERTH_POOL_HIDDEN_H

#include <stddef.h>

enum { POOL_HIDDEN_NAME_SIZE = 32 };

/* Makes an empty one, and removes those that were left behind; 0 or an errno value, as below. */
int pool_hidden_make(int directory, char name[static POOL_HIDDEN_NAME_SIZE], int *fd);

/* Gives it its proper name: EEXIST if that is taken. EOPNOTSUPP: the file system cannot do this. */
int pool_hidden_show(int directory, const char *name, int fd, const char *proper_name);

/* Removes it. */
void pool_hidden_discard(int directory, const char *name);

#endif
