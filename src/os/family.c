#define _GNU_SOURCE
#include "os/family.h"

#include "os/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct process {
    pid_t pid, parent;
    unsigned long long started; /* together with the number, this identifies a process */
    bool dead, spared, marked, member;
    char name[16];
};

struct all {
    struct process *process;
    size_t count, room;
};

/* ---- /proc ---- */

/* The file /proc/PID/NAME, as far as there is room; ended by 0. Its length, or -1. */
static ssize_t read_file(pid_t pid, const char *name, char *buffer, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t used = 0;
    ssize_t got;
    while (used < room - 1 && (got = read(fd, buffer + used, room - 1 - used)) > 0)
        used += (size_t)got;
    close(fd);
    buffer[used] = '\0';
    return (ssize_t)used;
}

/* The name is in parentheses, and may have any characters in it. */
static bool read_stat(pid_t pid, struct process *process)
{
    char text[1024], state;
    int parent;
    if (read_file(pid, "stat", text, sizeof text) <= 0)
        return false;
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (open == NULL || close == NULL || close < open ||
        sscanf(close + 1,
               " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &state, &parent, &process->started) != 3)
        return false;
    const size_t length = (size_t)(close - open - 1) < 15 ? (size_t)(close - open - 1) : 15;
    memcpy(process->name, open + 1, length);
    process->name[length] = '\0';
    process->pid = pid;
    process->parent = (pid_t)parent;
    process->dead = state == 'Z' || state == 'X';
    return true;
}

/* Whether `text` is NAME=WORD WORD ..., and one of the words is the mark's. */
static bool is_marked(const char *text, const char *mark)
{
    const char *value = strchr(mark, '=');
    const size_t name = value != NULL ? (size_t)(value + 1 - mark) : 0;
    if (name == 0 || strncmp(text, mark, name) != 0)
        return false;
    const size_t length = strlen(mark + name);
    for (const char *word = text + name; *word != '\0';) {
        const size_t this = strcspn(word, " ");
        if (this == length && memcmp(word, mark + name, length) == 0)
            return true;
        word += this;
        word += strspn(word, " ");
    }
    return false;
}

/* Of a process of another user there is nothing to read. */
static bool has_mark(pid_t pid, const char *mark)
{
    enum { ROOM = 256 * 1024 };
    char *environment = malloc(ROOM);
    if (environment == NULL)
        return false;
    const ssize_t length = read_file(pid, "environ", environment, ROOM);
    bool found = false;
    for (ssize_t at = 0; at < length && !found; at += (ssize_t)strlen(environment + at) + 1)
        found = is_marked(environment + at, mark);
    free(environment);
    return found;
}

static bool add(struct all *all, const struct process *process)
{
    if (all->count == all->room) {
        const size_t room = all->room * 2 + 256;
        struct process *more = realloc(all->process, room * sizeof *more);
        if (more == NULL)
            return false;
        all->process = more;
        all->room = room;
    }
    all->process[all->count++] = *process;
    return true;
}

static bool is_child(const struct os_family *family, const struct process *process)
{
    return process->parent != 0 &&
           (process->parent == family->of[0] || process->parent == family->of[1]);
}

static bool has_ended(int pidfd)
{
    struct pollfd one = {.fd = pidfd, .events = POLLIN};
    return pidfd > 0 && poll(&one, 1, 0) != 0;
}

/* Forgets the numbers of those that have ended. Whatever was read before that, under the number of
 * a process that has not ended, was its own. */
static struct os_family without_ended(const struct os_family *family)
{
    struct os_family now = *family;
    if (has_ended(family->of_is))
        now.of[0] = 0;
    if (has_ended(family->with_is))
        now.with = 0;
    return now;
}

static int read_all(const struct os_family *family, struct all *all)
{
    DIR *folder = opendir("/proc");
    if (folder == NULL)
        return errno;
    int error = 0;
    const struct dirent *entry;
    while (error == 0 && (entry = readdir(folder)) != NULL) {
        char *end;
        struct process process = {0};
        const long pid = strtol(entry->d_name, &end, 10);
        if (pid <= 0 || *end != '\0' || pid == getpid() || !read_stat((pid_t)pid, &process))
            continue;
        process.marked =
            family->mark != NULL && !process.dead && has_mark(process.pid, family->mark);
        process.spared = family->spare != NULL && strcmp(process.name, family->spare) == 0 &&
                         (is_child(family, &process) || process.marked);
        process.spared |= is_child(family, &process) && process.started < family->since;
        error = add(all, &process) ? 0 : ENOMEM;
    }
    closedir(folder);
    return error;
}

/* ---- who belongs to it ---- */

static bool is_member(const struct all *all, const struct os_family *family,
                      const struct process *process)
{
    if (process->spared || process->pid == family->of[0] || process->pid == family->of[1])
        return false;
    if (process->marked || process->pid == family->with || is_child(family, process))
        return true;
    for (size_t i = 0; i < all->count; i++) {
        if (all->process[i].member && all->process[i].pid == process->parent)
            return true;
    }
    return false;
}

static void find_members(struct all *all, const struct os_family *family)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all->count; i++) {
            struct process *process = &all->process[i];
            if (!process->member && is_member(all, family, process))
                process->member = more = true;
        }
    }
}

/* By a descriptor, after a second look: the number may be another process's by now. */
static int send_to(const struct process *process, int number)
{
    struct process now;
    const int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (fd < 0)
        return errno;
    int error = ESRCH;
    if (read_stat(process->pid, &now) && now.started == process->started)
        error = syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0 ? 0 : errno;
    close(fd);
    return error;
}

unsigned long long os_family_now(void)
{
    const long ticks = sysconf(_SC_CLK_TCK);
    return os_now(CLOCK_BOOTTIME) / (OS_SECOND / (unsigned long long)(ticks > 0 ? ticks : 100));
}

unsigned long long os_family_started(pid_t pid)
{
    struct process process;
    return read_stat(pid, &process) && !process.dead ? process.started : 0;
}

int os_family_signal(const struct os_family *family, int number, struct os_family_result *result)
{
    struct all all = {0};
    *result = (struct os_family_result){0};
    const int error = read_all(family, &all);
    const struct os_family now = without_ended(family);
    if (error == 0)
        find_members(&all, &now);
    for (size_t i = 0; error == 0 && i < all.count; i++) {
        const struct process *process = &all.process[i];
        if (!process->member || process->dead)
            continue;
        const int refused = send_to(process, number);
        if (refused == ESRCH)
            continue;
        if (result->count++ == 0) {
            result->first = process->pid;
            memcpy(result->name.bytes, process->name, sizeof result->name.bytes);
        }
        if (refused != 0)
            result->refused = process->pid;
    }
    free(all.process);
    return error;
}

int os_family_kill(const struct os_family *family, struct os_family_result *result)
{
    const uint64_t end = os_now(CLOCK_MONOTONIC) + OS_SECOND;
    for (;;) {
        const int error = os_family_signal(family, SIGKILL, result);
        if (error != 0 || result->count == 0 || (result->refused != 0 && result->count == 1) ||
            os_now(CLOCK_MONOTONIC) >= end)
            return error;
        const struct timespec pause = os_timespec((uint64_t)2 * OS_MILLISECOND);
        nanosleep(&pause, NULL);
    }
}
