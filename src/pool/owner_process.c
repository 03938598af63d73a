#include "pool/owner_process.h"

#include "os/io.h"
#include "os/process.h"
#include "pool/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_SIZE = 1024 }; /* what is looked for is in the first lines */

/* Whether the process has the file open. EACCES: that may not be seen. */
static int has_open(int pid, const struct pool_file *file)
{
    char path[64], link[sizeof path + NAME_MAX + 2];
    struct stat status;
    const struct dirent *entry;
    int result = ENOENT;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return EACCES;
    while (result == ENOENT && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(link, sizeof link, "%s/%s", path, entry->d_name);
        if (stat(link, &status) == 0 && status.st_dev == file->device &&
            status.st_ino == file->inode)
            result = 0;
    }
    closedir(folder);
    return result;
}

/* Reads /proc/PID/status; *parent is the parent's number. */
static void read_status(berth_user *user, int *parent)
{
    char path[64], text[STATUS_SIZE];
    snprintf(path, sizeof path, "/proc/%d/status", user->pid);
    const int fd = os_open(AT_FDCWD, path, O_RDONLY, 0);
    if (fd < 0)
        return;
    const ssize_t length = os_read(fd, text, sizeof text - 1, 0);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *state = strstr(text, "\nState:\t"), *uid = strstr(text, "\nUid:\t");
    const char *above = strstr(text, "\nPPid:\t");
    if (above == NULL || sscanf(above, "\nPPid:\t%d", parent) != 1)
        *parent = 0;
    if (state != NULL && (state[8] == 'T' || state[8] == 't'))
        user->flags |= BERTH_USER_STOPPED;
    if (uid != NULL && sscanf(uid, "\nUid:\t%u", &user->uid) == 1)
        user->flags |= BERTH_USER_UID;
}

static bool is_here(const berth_user *user, uint64_t pid_namespace)
{
    return pid_namespace != 0 && pid_namespace == os_pid_namespace() && user->pid > 0;
}

void pool_process_describe(berth_user *user, uint64_t pid_namespace)
{
    int parent;
    if (is_here(user, pid_namespace))
        read_status(user, &parent);
}

void pool_process_of_seat(berth_user *user, const struct pool_file *file,
                          const struct pool_seat *seat)
{
    const uint64_t owner = atomic_load(&seat->owner);
    int parent = 0;
    if (!is_here(user, atomic_load(&seat->owner_namespace)))
        return;
    read_status(user, &parent);
    const bool is_child = parent > 0 && (uint64_t)parent == owner;
    int seen = has_open(user->pid, file);
    if (seen == ENOENT && is_child)
        seen = has_open(parent, file);
    if (seen == 0)
        user->flags |= BERTH_USER_SURE;
    else if (seen == ENOENT)
        user->flags &= ~(unsigned)BERTH_USER_UID;
}
