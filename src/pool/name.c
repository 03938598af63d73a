#include "pool/name.h"

#include "pool/reason.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

/* The length of a good name; 0 for any other. That of a lane has a part more, or two. */
static size_t length_of(const char *name, bool lane)
{
    if (name[0] == '.' || name[0] == '-')
        return 0;
    size_t length = strnlen(name, BERTH_NAME_MAX + 1), good = strspn(name, allowed);
    while (lane && good > 0 && name[good] == '@')
        good += 1 + strspn(name + good + 1, allowed);
    return length <= BERTH_NAME_MAX && good == length && lane == pool_name_is_of_lane(name) ? length
                                                                                            : 0;
}

bool pool_name_is_allowed(const char *name, bool lane)
{
    return length_of(name, lane) != 0;
}

bool pool_name_is_of_lane(const char *name)
{
    return strchr(name, '@') != NULL;
}

int pool_name_check(const char *name, const berth_options *options)
{
    if (name == NULL || *name == '\0')
        return pool_fail(EINVAL, "the pool has no name");
    if (length_of(name, options != NULL && (options->flags & STORE_LANE) != 0) != 0)
        return 0;
    if (strnlen(name, BERTH_NAME_MAX + 1) > BERTH_NAME_MAX)
        return pool_fail(EINVAL, "a pool's name has at most %d characters", BERTH_NAME_MAX);
    return pool_fail(EINVAL,
                     "a pool's name is made of letters, digits, '.', '_' and '-', and begins with "
                     "neither '.' nor '-': \"%s\"",
                     name);
}

void pool_name_to_file(const char *name, char file[static POOL_FILE_NAME_SIZE])
{
    snprintf(file, POOL_FILE_NAME_SIZE, "%s" POOL_FILE_SUFFIX, name);
}

bool pool_name_from_file(const char *file, bool lanes, char name[static BERTH_NAME_MAX + 1])
{
    const size_t suffix = sizeof POOL_FILE_SUFFIX - 1;
    size_t length = strlen(file);
    if (length <= suffix || length - suffix > BERTH_NAME_MAX ||
        strcmp(file + length - suffix, POOL_FILE_SUFFIX) != 0)
        return false;
    memcpy(name, file, length - suffix);
    name[length - suffix] = '\0';
    return length_of(name, lanes) != 0;
}
