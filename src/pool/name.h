/* What pools and their files may be called. The pool `gpu` is the file gpu.berth of its
 * directory. */
#ifndef BERTH_POOL_NAME_H
#define BERTH_POOL_NAME_H

#include "berth.h"

#include <stdbool.h>

#define POOL_FILE_SUFFIX ".berth"

enum { POOL_FILE_NAME_SIZE = BERTH_NAME_MAX + sizeof POOL_FILE_SUFFIX };

/* 0, or EINVAL and the reason. `options` may be NULL; with STORE_LANE it is a name of two parts. */
int pool_name_check(const char *name, const berth_options *options);

/* Whether a pool can have this name, which somebody else wrote. */
bool pool_name_is_allowed(const char *name, bool lane);

/* `name` has been checked. */
void pool_name_to_file(const char *name, char file[static POOL_FILE_NAME_SIZE]);

/* Whether it is the name of a lane, POOL@LANE. */
bool pool_name_is_of_lane(const char *name);

/* False: no pool can have a file of this name, or no lane. */
bool pool_name_from_file(const char *file, bool lanes, char name[static BERTH_NAME_MAX + 1]);

#endif
