#include "client_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number after `name` in /proc/PID/status; 0: there is none. */
static pid_t status_number(pid_t pid, const char *name)
{
    char path[64], line[256];
    long number = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && number == 0 && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0)
            number = strtol(line + strlen(name), NULL, 10);
    }
    if (file != NULL)
        fclose(file);
    return (pid_t)number;
}

pid_t process_of_thread(pid_t thread)
{
    return status_number(thread, "Tgid:");
}

pid_t process_parent(pid_t pid)
{
    return status_number(pid, "PPid:");
}

void process_command(pid_t pid, char text[BERTH_COMMAND_MAX])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, BERTH_COMMAND_MAX - 1) : 0;
    if (fd >= 0)
        close(fd);
    length = length > 0 ? length : 0;
    while (length > 0 && text[length - 1] == '\0')
        length--;
    for (ssize_t i = 0; i < length; i++)
        text[i] = text[i] != '\0' ? text[i] : ' ';
    text[length] = '\0';
}

bool process_is_ninja(pid_t pid)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    const bool read = file != NULL && fgets(name, sizeof name, file) != NULL;
    if (file != NULL)
        fclose(file);
    return read && (strcmp(name, "ninja\n") == 0 || strcmp(name, "ninja-build\n") == 0);
}

/* PROCESS_WRITES: also where it is open for both. */
static enum process_has how_open(pid_t pid, const char *number)
{
    char path[64], line[256];
    long flags = O_RDWR;
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%.20s", (int)pid, number);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "flags:", 6) == 0)
            flags = strtol(line + 6, NULL, 8);
    }
    if (file != NULL)
        fclose(file);
    return (flags & O_ACCMODE) == O_RDONLY ? PROCESS_READS : PROCESS_WRITES;
}

enum process_has process_has_open(pid_t pid, const char *path)
{
    char folder[64], link[PATH_MAX];
    enum process_has has = PROCESS_HAS_NOT;
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    if (entries == NULL)
        return errno == ENOENT ? PROCESS_HAS_NOT : PROCESS_WRITES;
    while (has != PROCESS_WRITES && (entry = readdir(entries)) != NULL) {
        const ssize_t length = readlinkat(dirfd(entries), entry->d_name, link, sizeof link - 1);
        if (length < 0)
            continue;
        link[length] = '\0';
        if (strcmp(link, path) == 0)
            has = how_open(pid, entry->d_name);
    }
    closedir(entries);
    return has;
}

int process_watch(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}
