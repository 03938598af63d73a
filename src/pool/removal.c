/*
 * A removal locks all seats at once, looks whether the name still refers to the file that it has
 * locked, and unlinks the name. From the lock on nobody can take a seat; and a process that comes
 * with the file already open and gets a seat after the lock is gone finds a file without a name
 * (pool/seat.c). The kernel says that the file has no name, from the instant of the unlink on, so a
 * removal that is killed has either happened or not. The mark in the control page comes afterwards,
 * for processes that only look.
 */
#include "pool/removal.h"

#include "os/io.h"
#include "os/range_lock.h"
#include "pool/file.h"
#include "pool/name.h"
#include "pool/reason.h"
#include "pool/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int in_use(const char *name, int fd)
{
    struct os_range found;
    if (os_lock_find(fd, POOL_ALL_SEATS, &found) != 0 || pool_range_is_of_removal(found))
        return pool_fail(EBUSY, "the pool %s is just being removed by somebody else", name);
    return pool_fail(EBUSY, "somebody has the pool %s open (seat %jd)", name,
                     (intmax_t)pool_seat_of(found.start));
}

int pool_has_name(const struct pool_directory *directory, const char *name, int fd)
{
    char file[POOL_FILE_NAME_SIZE];
    struct stat named, open;
    pool_name_to_file(name, file);
    if (fstat(fd, &open) != 0)
        return pool_fail(errno, "cannot examine the pool %s: %m", name);
    if (fstatat(directory->fd, file, &named, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? pool_fail(EIDRM, "the pool %s has been removed", name)
                               : pool_fail(errno, "cannot examine the pool %s: %m", name);
    }
    if (named.st_dev != open.st_dev || named.st_ino != open.st_ino)
        return pool_fail(EIDRM, "the pool %s has been removed and made again", name);
    return 0;
}

/* A mark for processes that only look: the removal is complete without it. Not by a write, for
 * which a limit on the size of files would send a signal. */
static void tell_users(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_size < POOL_CONTROL_AT + POOL_PAGE)
        return; /* what is damaged, or of an earlier version, may be of any size */
    struct pool_control *control =
        mmap(NULL, POOL_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, POOL_CONTROL_AT);
    if (control == MAP_FAILED)
        return;
    atomic_store(&control->removed, 1);
    munmap(control, POOL_PAGE);
}

/* With all seats locked. */
static int unlink_it(const struct pool_directory *directory, const char *name, int fd)
{
    char file[POOL_FILE_NAME_SIZE];
    pool_name_to_file(name, file);
    int error = pool_has_name(directory, name, fd);
    if (error != 0)
        return error;
    if (unlinkat(directory->fd, file, 0) != 0)
        return pool_fail(errno, "cannot remove %s/%s: %m", directory->path, file);
    tell_users(fd);
    return 0;
}

int pool_retire(const struct pool_directory *directory, const char *name,
                const struct pool_found *found)
{
    int error = os_lock_take(found->fd, POOL_ALL_SEATS);
    if (error == EAGAIN)
        return in_use(name, found->fd);
    if (error != 0)
        return pool_fail(error, "cannot lock the pool %s: %m", name);
    error = unlink_it(directory, name, found->fd);
    os_lock_drop(found->fd, POOL_ALL_SEATS);
    return error;
}

/* What is no pool, or none of this version. Where its seats are is not known, so any lock on it
 * counts as a process that has it open. What cannot be opened as a file has no locks. */
static int remove_by_force(const struct pool_directory *directory, const char *name)
{
    char file[POOL_FILE_NAME_SIZE];
    struct os_range found;
    int error = 0;
    pool_name_to_file(name, file);
    const int fd = os_open(directory->fd, file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (fd >= 0 && os_lock_find(fd, (struct os_range){0}, &found) == 0)
        error = pool_fail(EBUSY, "somebody has the pool %s open", name);
    else if (unlinkat(directory->fd, file, 0) != 0)
        error = pool_fail(errno, "cannot remove %s/%s: %m", directory->path, file);
    if (fd >= 0)
        close(fd);
    return error;
}

int pool_file_remove(const char *name, const berth_options *options)
{
    struct pool_directory directory;
    struct pool_found found;
    int error = pool_name_check(name, options);
    if (error == 0)
        error = pool_directory_open(&directory, options, false);
    if (error != 0)
        return error;
    error = pool_find(&found, &directory, name, POOL_TO_REMOVE, 0);
    if (error == 0) {
        error = pool_retire(&directory, name, &found);
        close(found.fd);
    } else if ((error == EPROTO || error == EPERM) && options != NULL &&
               (options->flags & BERTH_FORCE) != 0) {
        error = remove_by_force(&directory, name);
    }
    pool_directory_close(&directory);
    /* The pool that was found has been removed, by this process or another. One that was made since
     * is another. */
    return error == EIDRM ? 0 : error;
}
