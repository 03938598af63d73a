/* Names are collected before the first is handed out, so that the caller may make and remove pools
 * while it goes through them. */
#include "pool/pools.h"

#include "os/io.h"
#include "pool/directory.h"
#include "pool/file.h"
#include "pool/find.h"
#include "pool/header.h"
#include "pool/name.h"
#include "pool/reason.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef char pool_name[BERTH_NAME_MAX + 1];

struct names {
    pool_name *name;
    size_t count, room;
};

/* A pool as far as one can see at a glance; opening it may still be refused, and is where it may
 * not even be read. */
static bool is_pool(int directory, const char *file)
{
    struct pool_header header;
    struct stat status;
    int fd = os_open(directory, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0)
        return errno == EACCES;
    bool is = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
              pool_header_read(fd, &header) == 0 && header.magic == POOL_MAGIC;
    close(fd);
    return is;
}

static int add(struct names *names, const char *name)
{
    if (names->count == names->room) {
        size_t room = names->room == 0 ? 16 : 2 * names->room;
        pool_name *more = reallocarray(names->name, room, sizeof *more);
        if (more == NULL)
            return ENOMEM;
        names->name = more;
        names->room = room;
    }
    snprintf(names->name[names->count++], sizeof(pool_name), "%s", name);
    return 0;
}

static int collect(struct names *names, int directory, DIR *list, bool lanes)
{
    for (;;) {
        pool_name name;
        errno = 0;
        const struct dirent *entry = readdir(list);
        if (entry == NULL)
            return errno;
        if (!pool_name_from_file(entry->d_name, lanes, name) || !is_pool(directory, entry->d_name))
            continue;
        int error = add(names, name);
        if (error != 0)
            return error;
    }
}

static int read_directory(struct names *names, const struct pool_directory *directory, bool lanes)
{
    int fd = os_open(directory->fd, ".", O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return errno;
    DIR *list = fdopendir(fd);
    if (list == NULL) {
        int error = errno;
        close(fd);
        return error;
    }
    int error = collect(names, directory->fd, list, lanes);
    closedir(list);
    return error;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(left, right);
}

static int list_directory(struct names *names, const berth_options *options)
{
    struct pool_directory directory;
    int error = pool_directory_open(&directory, options, false);
    if (error == ENOENT && directory.by_default)
        return 0; /* nobody has made a pool yet */
    if (error != 0)
        return error;
    const bool lanes = options != NULL && (options->flags & STORE_LANE) != 0;
    error = read_directory(names, &directory, lanes);
    if (error != 0)
        pool_fail(error, "cannot list the pools of %s: %m", directory.path);
    pool_directory_close(&directory);
    return error;
}

int pools_list(const berth_options *options, int (*each)(const char *name, void *context),
               void *context)
{
    struct names names = {0};
    int error = list_directory(&names, options);
    if (names.count > 1)
        qsort(names.name, names.count, sizeof names.name[0], by_name);
    for (size_t i = 0; error == 0 && i < names.count; i++)
        error = each(names.name[i], context);
    free(names.name);
    return error;
}
