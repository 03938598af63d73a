#include "pool/find.h"

#include "os/io.h"
#include "pool/header.h"
#include "pool/name.h"
#include "pool/reason.h"
#include "pool/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = PATH_MAX + 1 + POOL_FILE_NAME_SIZE };

struct sought {
    const struct pool_directory *directory;
    const char *name;
    enum pool_purpose purpose;
    unsigned mode;
    char file[POOL_FILE_NAME_SIZE];
    char path[PATH_SIZE]; /* for people */
};

static int open_it(const struct sought *sought)
{
    /* O_NONBLOCK and O_NOCTTY, in case it is a fifo or a terminal; a regular file takes no
     * notice. */
    const int access = sought->purpose == POOL_TO_VIEW ? O_RDONLY : O_RDWR;
    return os_open(sought->directory->fd, sought->file, access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                   0);
}

static int cannot_open(const struct sought *sought, int error)
{
    switch (error) {
    case ENOENT:
        return pool_fail(error, "there is no pool %s in %s", sought->name, sought->directory->path);
    case ELOOP: return pool_fail(EPERM, "%s is a symbolic link", sought->path);
    case EISDIR: /* a directory */
    case ENXIO:  /* a socket, or a device without a driver */
        return pool_fail(EPERM, "%s is not a regular file", sought->path);
    default: return pool_fail(error, "cannot open %s: %m", sought->path);
    }
}

static int check_trust(const struct sought *sought, const struct stat *status)
{
    const uid_t owner = status->st_uid;
    const unsigned mode = (unsigned)status->st_mode & 0777;
    if (!S_ISREG(status->st_mode))
        return pool_fail(EPERM, "%s is not a regular file", sought->path);
    if (owner != geteuid() && owner != 0 && owner != sought->directory->owner)
        return pool_fail(EPERM,
                         "%s belongs to user %ju, and neither to user %ju nor to root nor to the "
                         "owner of its directory",
                         sought->path, (uintmax_t)owner, (uintmax_t)geteuid());
    if (sought->purpose == POOL_TO_USE && (mode & 0077 & ~sought->mode) != 0)
        return pool_fail(EPERM,
                         "%s has mode %04o, which gives others more than the %04o that was asked "
                         "for",
                         sought->path, mode, sought->mode);
    return 0;
}

static bool nobody_sits(int fd)
{
    struct os_range found;
    return os_lock_find(fd, POOL_ALL_SEATS, &found) == ENOENT;
}

bool pool_is_dead(int fd, const struct pool_header *header)
{
    return pool_header_is_of_other_boot(header) && nobody_sits(fd);
}

static int examine(struct pool_found *found, const struct sought *sought)
{
    struct stat status;
    if (fstat(found->fd, &status) != 0)
        return pool_fail(errno, "cannot examine %s: %m", sought->path);
    if (status.st_nlink == 0)
        return pool_fail(EIDRM, "the pool %s has been removed", sought->name);
    int error = check_trust(sought, &status);
    if (error != 0)
        return error;
    error = pool_header_read(found->fd, &found->header);
    if (error != 0)
        return pool_fail(error, "cannot read %s: %m", sought->path);
    found->is_of_earlier_version =
        pool_header_is_of_earlier_version(&found->header) && nobody_sits(found->fd);
    found->is_dead = found->is_of_earlier_version;
    if (found->is_dead)
        return 0;
    error = pool_header_check(&found->header, sought->name, (uint64_t)status.st_size, sought->path,
                              &found->geometry);
    if (error != 0)
        return error;
    found->is_dead = pool_is_dead(found->fd, &found->header);
    return 0;
}

int pool_find(struct pool_found *found, const struct pool_directory *directory, const char *name,
              enum pool_purpose purpose, unsigned mode)
{
    struct sought sought = {.directory = directory, .name = name, .purpose = purpose, .mode = mode};
    pool_name_to_file(name, sought.file);
    snprintf(sought.path, sizeof sought.path, "%s/%s", directory->path, sought.file);
    found->fd = open_it(&sought);
    if (found->fd < 0)
        return cannot_open(&sought, errno);
    int error = examine(found, &sought);
    if (error != 0) {
        close(found->fd);
        found->fd = -1;
    }
    return error;
}
