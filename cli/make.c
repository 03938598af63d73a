/* Making a pool that others are to use too. */
#include "make.h"

#include "pool/reason.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The group first, so that no other group gets access in between. */
int cli_share(berth_pool *pool, const char *name, unsigned mode, const gid_t *group)
{
    struct stat status;
    const int fd = berth_fd(pool);
    if (fd < 0)
        return 0; /* etcd has permissions of its own */
    if (fstat(fd, &status) != 0)
        return pool_fail(errno, "cannot examine pool %s: %m", name);
    if (group != NULL && status.st_gid != *group && fchown(fd, (uid_t)-1, *group) != 0)
        return pool_fail(errno, "cannot give pool %s to group %u: %m", name, (unsigned)*group);
    if (mode != 0 && (status.st_mode & 0777) != mode && fchmod(fd, mode) != 0)
        return pool_fail(errno, "cannot give pool %s the mode %04o: %m", name, mode);
    return 0;
}

/* It is made for its owner alone where it has a group to get first. */
int cli_make(berth_pool **pool, const char *name, const berth_options *options, const gid_t *group)
{
    berth_options how = *options;
    if (group != NULL)
        how.mode = 0;
    int error = berth_open(pool, name, &how);
    if (error == 0 && group != NULL) {
        error = cli_share(*pool, name, options->mode, group);
        if (error != 0)
            berth_close(*pool);
    }
    return error;
}

int cli_make_declared(berth_pool **pool, const struct cli_declared *declared,
                      const berth_options *options)
{
    berth_options how = *options;
    if (how.mode == 0)
        how.mode = declared->mode;
    if (declared->slots != 0)
        how.slots = declared->slots;
    return cli_make(pool, declared->name, &how, declared->has_group ? &declared->group : NULL);
}
