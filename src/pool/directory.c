#include "pool/directory.h"

#include "os/io.h"
#include "pool/file.h"
#include "pool/home.h"
#include "pool/name.h"
#include "pool/network.h"
#include "pool/reason.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which ---- */

/* A setuid program does not trust the environment. */
const char *pool_store_asked_for(const berth_options *options)
{
    if (options != NULL && options->store != NULL)
        return options->store;
    const char *store = secure_getenv("BERTH_STORE");
    return store != NULL && *store != '\0' ? store : NULL;
}

static int check_store(const char *store)
{
    if (store_is_etcd(store))
        return pool_fail(ENOSYS, "the etcd store is not installed: %s", store);
    if (*store != '/')
        return pool_fail(
            EINVAL, "a store is the absolute path of a directory, or etcd://...: \"%s\"", store);
    return 0;
}

static bool join(char *path, size_t size, const char *folder, const char *name)
{
    const int length = snprintf(path, size, "%s%s", folder, name);
    return length >= 0 && (size_t)length < size;
}

/* Finds the default: in the home of the user, or in shared memory for a user who has none. */
static int default_directory(char *path, size_t size)
{
    char home[PATH_MAX], shared[64];
    snprintf(shared, sizeof shared, "/dev/shm/berth-%ju", (uintmax_t)geteuid());
    const bool fits = pool_home(home, sizeof home) ? join(path, size, home, "/.local/state/berth")
                                                   : join(path, size, shared, "");
    return fits ? 0 : pool_fail(ENAMETOOLONG, "no room for the path of the store");
}

int pool_directory(const berth_options *options, char *path, size_t size)
{
    const char *store = pool_store_asked_for(options);
    if (store == NULL)
        return default_directory(path, size);
    int error = check_store(store);
    if (error != 0)
        return error;
    /* Without slashes at the end: with one, a symbolic link would be followed. */
    size_t length = strlen(store);
    while (length > 1 && store[length - 1] == '/')
        length--;
    if (length >= size)
        return pool_fail(ENAMETOOLONG, "the path of the store is too long: %s", store);
    memcpy(path, store, length);
    path[length] = '\0';
    return 0;
}

/* ---- opened ---- */

static int open_path(const char *path)
{
    return os_open(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
}

static int cannot_open(const struct pool_directory *directory, int error)
{
    if (error == ENOTDIR || error == ELOOP)
        return pool_fail(EPERM, "%s is not a directory (a symbolic link is not followed)",
                         directory->path);
    if (error == ENOENT && directory->by_default)
        return pool_fail(error, "there are no pools: %s does not exist", directory->path);
    return pool_fail(error, "cannot open the directory %s: %m", directory->path);
}

/* Anyone who can write to the directory can put another file in a pool's place. The sticky bit does
 * not help: anybody can still create a name that is not there yet. */
static int check_trust(struct pool_directory *directory)
{
    struct stat status;
    if (fstat(directory->fd, &status) != 0)
        return pool_fail(errno, "cannot examine the directory %s: %m", directory->path);
    directory->owner = status.st_uid;
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return pool_fail(EPERM,
                         "the directory %s belongs to user %ju; it has to belong to user %ju or to "
                         "root",
                         directory->path, (uintmax_t)status.st_uid, (uintmax_t)geteuid());
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return pool_fail(
            EPERM,
            "the directory %s has mode %04o: group or others can write to it, and only "
            "its owner may",
            directory->path, (unsigned)status.st_mode & 07777);
    return pool_network_refuse(directory->fd, directory->path);
}

/* Makes it, and what is missing of the way to it. Two processes may do so at once: it is enough
 * that it is there afterwards. */
static int make_path(const char *path)
{
    char part[PATH_MAX];
    const size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, S_IRWXU) != 0 && errno != EEXIST && (errno != EACCES || i == length))
            return errno;
    }
    return 0;
}

int pool_directory_open(struct pool_directory *directory, const berth_options *options, bool make)
{
    directory->fd = -1;
    directory->by_default = pool_store_asked_for(options) == NULL;
    int error = pool_directory(options, directory->path, sizeof directory->path);
    if (error != 0)
        return error;
    directory->fd = open_path(directory->path);
    if (directory->fd < 0 && errno == ENOENT && directory->by_default && make) {
        error = make_path(directory->path);
        if (error != 0)
            return pool_fail(error, "cannot make the directory %s: %m", directory->path);
        directory->fd = open_path(directory->path);
    }
    if (directory->fd < 0)
        return cannot_open(directory, errno);
    error = check_trust(directory);
    if (error != 0)
        pool_directory_close(directory);
    return error;
}

void pool_directory_close(struct pool_directory *directory)
{
    if (directory->fd >= 0)
        close(directory->fd);
    directory->fd = -1;
}
