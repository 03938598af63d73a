#define _GNU_SOURCE
#include "os/cgroup.h"

#include "os/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

/* The text of a file, as far as there is room. False: it cannot be read. */
static bool read_text(const char *path, char *text, size_t room)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t used = 0;
    ssize_t got;
    while (used < room - 1 && (got = read(fd, text + used, room - 1 - used)) > 0)
        used += (size_t)got;
    close(fd);
    text[used] = '\0';
    return true;
}

static bool in_folder(const char *folder, const char *name, char path[PATH_MAX])
{
    const int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX;
}

static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    const int fd = in_folder(folder, name, path) ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    const bool written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return written;
}

/* ---- where ---- */

/* The line that begins with `start`, without it and without its end. */
static char *line_of(char *text, const char *start)
{
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        if (strncmp(line, start, strlen(start)) == 0) {
            if (end != NULL)
                *end = '\0';
            return line + strlen(start);
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return NULL;
}

/* The folder at which they are mounted. */
static bool find_root(char root[PATH_MAX])
{
    static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[PATH_MAX];
        if (in_folder(places[i], "cgroup.controllers", path) && access(path, R_OK) == 0) {
            snprintf(root, PATH_MAX, "%s", places[i]);
            return true;
        }
    }
    return false;
}

static bool find_own(char path[PATH_MAX])
{
    char text[4096], root[PATH_MAX];
    if (!read_text("/proc/self/cgroup", text, sizeof text) || !find_root(root))
        return false;
    const char *own = line_of(text, "0::");
    if (own == NULL || strncmp(own, "/..", 3) == 0) /* it is not below what is mounted here */
        return false;
    const int length = snprintf(path, PATH_MAX, "%s%s", root, strcmp(own, "/") == 0 ? "" : own);
    return length > 0 && length < PATH_MAX;
}

/* ---- for others ---- */

/* Removes groups whose makers were killed, with every process that would have removed them. A group
 * that is not empty stays. */
// NOLINTNEXTLINE(misc-no-recursion)
static void sweep(const char *own, const char *name)
{
    const size_t prefix = strcspn(name, "0123456789");
    DIR *folder = opendir(own);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char path[PATH_MAX];
        const long pid = strncmp(entry->d_name, name, prefix) == 0
                             ? strtol(entry->d_name + prefix, NULL, 10)
                             : 0;
        if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH &&
            in_folder(own, entry->d_name, path) && rmdir(path) != 0 && errno == EBUSY) {
            sweep(path, name); /* those inside it first */
            rmdir(path);
        }
    }
    if (folder != NULL)
        closedir(folder);
}

bool os_cgroup_make(const char *name, char path[PATH_MAX])
{
    char own[PATH_MAX], killing[PATH_MAX];
    if (!find_own(own) || !in_folder(own, name, path) || mkdir(path, 0755) != 0)
        return false;
    sweep(own, name);
    if (in_folder(path, "cgroup.kill", killing) && access(killing, W_OK) == 0)
        return true;
    rmdir(path);
    return false;
}

static bool is_populated(const char *path)
{
    char events[PATH_MAX], text[256];
    return in_folder(path, "cgroup.events", events) && read_text(events, text, sizeof text) &&
           strstr(text, "populated 1") != NULL;
}

bool os_cgroup_kill(const char *path)
{
    const uint64_t end = os_now(CLOCK_MONOTONIC) + OS_SECOND;
    if (!write_text(path, "cgroup.kill", "1"))
        return false;
    while (is_populated(path)) {
        if (os_now(CLOCK_MONOTONIC) >= end)
            return false;
        const struct timespec pause = os_timespec(OS_MILLISECOND);
        nanosleep(&pause, NULL);
    }
    return true;
}

/* How many there were. */
static unsigned move_all(const char *from, const char *to)
{
    char list[PATH_MAX], text[4096], pid[32];
    unsigned count = 0;
    if (!in_folder(from, "cgroup.procs", list) || !read_text(list, text, sizeof text))
        return 0;
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1, count++) {
        snprintf(pid, sizeof pid, "%.*s", (int)(end - at), at);
        write_text(to, "cgroup.procs", pid);
    }
    return count;
}

void os_cgroup_remove(const char *path, const char *prefix)
{
    enum { TRIES = 100 };
    char at[PATH_MAX], above[PATH_MAX];
    snprintf(at, sizeof at, "%s", path);
    snprintf(above, sizeof above, "%s", path);
    char *slash = strrchr(above, '/');
    if (slash == NULL)
        return;
    *slash = '\0';
    for (unsigned i = 0; i < TRIES && rmdir(at) != 0; i++) {
        if (errno != EBUSY)
            return;
        const struct timespec pause = os_timespec(OS_MILLISECOND);
        if (move_all(at, above) == 0)
            nanosleep(&pause, NULL); /* there is one below it */
    }
    while ((slash = strrchr(above, '/')) != NULL &&
           strncmp(slash + 1, prefix, strlen(prefix)) == 0 && rmdir(above) == 0)
        *slash = '\0';
}

void os_cgroup_leave(const char *prefix)
{
    char own[PATH_MAX];
    if (!find_own(own))
        return;
    for (char *slash = strchr(own, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        if (strncmp(slash + 1, prefix, strlen(prefix)) == 0) {
            *slash = '\0';
            write_text(own, "cgroup.procs", "0");
            return;
        }
    }
}
