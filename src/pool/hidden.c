#include "pool/hidden.h"

#include "os/io.h"
#include "os/range_lock.h"
#include "pool/format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

#define PREFIX ".new-"

/* Beside the bytes of the seats. */
static const struct os_range in_the_making = {.start = POOL_SEAT_BYTE - 1, .length = 1};

/* ---- what others have left ---- */

static void remove_if_left_behind(int directory, const char *name)
{
    struct stat status;
    int fd = os_open(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0)
        return;
    /* Its maker may not have come to lock it yet; it looks whether the file has been taken from
     * it. */
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && os_lock_take(fd, in_the_making) == 0)
        unlinkat(directory, name, 0);
    close(fd);
}

/* Errors are ignored: a file that cannot be removed only takes room. */
static void remove_leftovers(int directory)
{
    int fd = os_open(directory, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (list == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(list)) != NULL) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0)
            remove_if_left_behind(directory, entry->d_name);
    }
    closedir(list);
}

/* ---- our own ---- */

/* Locks a file that was just made; false if another process took it for a leftover. */
static bool is_ours(int fd)
{
    struct stat status;
    return os_lock_take(fd, in_the_making) == 0 && fstat(fd, &status) == 0 && status.st_nlink == 1;
}

int pool_hidden_make(int directory, char name[static POOL_HIDDEN_NAME_SIZE], int *fd)
{
    remove_leftovers(directory);
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            return errno;
        snprintf(name, POOL_HIDDEN_NAME_SIZE, PREFIX "%016" PRIx64, number);
        *fd = os_open(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR);
        if (*fd < 0 && errno != EEXIST)
            return errno;
        if (*fd >= 0 && is_ours(*fd))
            return 0;
        if (*fd >= 0)
            close(*fd);
    }
    return EAGAIN;
}

int pool_hidden_show(int directory, const char *name, int fd, const char *proper_name)
{
    if (renameat2(directory, name, directory, proper_name, RENAME_NOREPLACE) != 0)
        return errno == EINVAL || errno == ENOSYS ? EOPNOTSUPP : errno;
    os_lock_drop(fd, in_the_making);
    return 0;
}

void pool_hidden_discard(int directory, const char *name)
{
    unlinkat(directory, name, 0);
}
