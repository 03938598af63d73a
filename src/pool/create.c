#include "pool/create.h"

#include "os/io.h"
#include "pool/header.h"
#include "pool/hidden.h"
#include "pool/mapping.h"
#include "pool/name.h"
#include "pool/reason.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is in it ---- */

/* Reserves the whole file, so that a lack of room shows now, and not as a SIGBUS at the first
 * access. In pieces, since a signal can undo what one call has done so far. */
static int reserve(int fd, size_t size)
{
    enum { PIECE = 256 * 1024 };
    struct rlimit limit;
    /* Beyond the limit on file sizes the kernel would send a signal. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size)
        return EFBIG;
    for (size_t at = 0; at < size;) {
        const size_t piece = size - at < PIECE ? size - at : PIECE;
        int error = posix_fallocate(fd, (off_t)at, (off_t)piece);
        if (error == 0)
            at += piece;
        else if (error != EINTR)
            return error;
    }
    return 0;
}

static int fill(struct pool_file *file, int fd, const char *name, const berth_options *options,
                pool_initialise *initialise)
{
    const struct pool_geometry geometry =
        pool_geometry_of(options->seats != 0 ? options->seats : BERTH_DEFAULT_SEATS);
    struct pool_header header;
    pool_header_make(&header, name, &geometry);
    int error = reserve(fd, geometry.size);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        return pool_fail(error, "there is no room for the pool %s, %zu bytes: %m", name,
                         geometry.size);
    if (error == 0)
        error = os_write(fd, &header, sizeof header, 0);
    /* Whatever the umask. */
    if (error == 0 && fchmod(fd, options->mode != 0 ? options->mode : S_IRUSR | S_IWUSR) != 0)
        error = errno;
    if (error == 0)
        error = pool_map(file, fd, &header, &geometry, true);
    if (error != 0)
        return pool_fail(error, "cannot create the pool %s: %m", name);
    initialise(file, options->slots != 0 ? options->slots : 1);
    /* A file that has its name has its header, after a power failure too. On tmpfs this is
     * nothing. */
    if (fsync(fd) != 0)
        return pool_fail(errno, "cannot create the pool %s: %m", name);
    return 0;
}

/* ---- where it comes from, and how it gets its name ---- */

struct unnamed {
    const struct pool_directory *directory;
    enum pool_start start;
    int fd;
    char hidden[POOL_HIDDEN_NAME_SIZE];
};

static int make_unnamed(struct unnamed *unnamed)
{
    const int directory = unnamed->directory->fd;
    if (unnamed->start == POOL_STARTS_HIDDEN)
        return pool_hidden_make(directory, unnamed->hidden, &unnamed->fd);
    unnamed->fd = os_open(directory, ".", O_TMPFILE | O_RDWR, S_IRUSR | S_IWUSR);
    if (unnamed->fd >= 0)
        return 0;
    /* EISDIR: a kernel without O_TMPFILE. */
    return errno == EISDIR || errno == EINVAL ? EOPNOTSUPP : errno;
}

/* The direct way is open to root, and on newer kernels to everybody; the other needs /proc. */
static int link_nameless(int fd, int directory, const char *file)
{
    char link[sizeof "/proc/self/fd/" + 3 * sizeof fd];
    if (linkat(fd, "", directory, file, AT_EMPTY_PATH) == 0)
        return 0;
    if (errno == EEXIST)
        return EEXIST;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, link, directory, file, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    return errno == ENOENT ? EOPNOTSUPP : errno;
}

static int give_name(struct unnamed *unnamed, const char *name)
{
    char file[POOL_FILE_NAME_SIZE];
    pool_name_to_file(name, file);
    if (unnamed->start == POOL_STARTS_NAMELESS)
        return link_nameless(unnamed->fd, unnamed->directory->fd, file);
    return pool_hidden_show(unnamed->directory->fd, unnamed->hidden, unnamed->fd, file);
}

static int publish(struct unnamed *unnamed, const char *name)
{
    int error = give_name(unnamed, name);
    if (error == 0 || error == EEXIST || error == EOPNOTSUPP)
        return error;
    return pool_fail(error, "cannot create the pool %s in %s: %m", name, unnamed->directory->path);
}

int pool_create(struct pool_file *file, const struct pool_directory *directory, const char *name,
                const berth_options *options, pool_initialise *initialise, enum pool_start start)
{
    struct unnamed unnamed = {.directory = directory, .start = start};
    *file = (struct pool_file){.fd = -1, .mark = -1};
    int error = make_unnamed(&unnamed);
    if (error == EOPNOTSUPP)
        return error;
    if (error != 0)
        return pool_fail(error, "cannot create a file in %s: %m", directory->path);
    error = fill(file, unnamed.fd, name, options, initialise);
    if (error == 0)
        error = publish(&unnamed, name);
    if (error == 0)
        return 0;
    if (start == POOL_STARTS_HIDDEN)
        pool_hidden_discard(directory->fd, unnamed.hidden);
    if (file->map != NULL)
        pool_file_close(file); /* the descriptor is the file's by now */
    else
        close(unnamed.fd);
    return error;
}
