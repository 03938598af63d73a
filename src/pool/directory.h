/* The directory that pools live in: which one it is, and whether it can be trusted. */
#ifndef BERTH_POOL_DIRECTORY_H
#define BERTH_POOL_DIRECTORY_H

#include "berth.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* An open directory. Everything in it is reached by way of `fd`, so that what was checked is what
 * is used; `path` is for people. */
struct pool_directory {
    int fd; /* O_PATH */
    uid_t owner;
    bool by_default; /* it is the default, and was not named */
    char path[PATH_MAX];
};

/* The store that the options or the environment name; NULL: none. */
const char *pool_store_asked_for(const berth_options *options);

/* Opens the directory that pools are in. `make`: the default directory is made if it is not there;
 * any other has to be. ENOENT: it is not there. EPERM: others could put files into it. EREMOTE: it
 * is on a network file system. EINVAL, ENOSYS: that is no directory's path. */
int pool_directory_open(struct pool_directory *directory, const berth_options *options, bool make);

void pool_directory_close(struct pool_directory *directory);

#endif
