#include "keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, TOKENS = 64, WHILE_NS = 500000000 };
#define BACK ".back" /* as pipes.c names the second FIFO */

/* The ends of a client's two FIFOs that the server had. */
struct route {
    int from, to;
};

static bool is_fifo(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

static bool ends_in_back(const char *path)
{
    const size_t length = strlen(path), less = strlen(BACK);
    return length > less && strcmp(path + length - less, BACK) == 0;
}

/* What this process has open, except the list itself. */
static size_t list_open(int fd[], size_t room)
{
    size_t count = 0;
    DIR *entries = opendir("/proc/self/fd");
    const struct dirent *entry;
    while (entries != NULL && count < room && (entry = readdir(entries)) != NULL) {
        const int number = entry->d_name[0] != '.' ? (int)strtol(entry->d_name, NULL, 10) : -1;
        if (number >= 0 && number != dirfd(entries))
            fd[count++] = number;
    }
    if (entries != NULL)
        closedir(entries);
    return count;
}

/* The path of a client's second FIFO. */
static bool is_way_back(int fd, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 && ends_in_back(path);
}

/* The same FIFO once more. */
static int open_again(int fd, int flags)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return open(link, flags | O_NONBLOCK | O_CLOEXEC);
}

/* One for reading only, and the other one for writing only: then poll tells when the client has
 * closed them. False: it has already. */
static bool open_route(int from, int to, struct route *route)
{
    route->from = open_again(from, O_RDONLY);
    route->to = open_again(to, O_WRONLY);
    if (route->from >= 0 && route->to >= 0)
        return true;
    if (route->from >= 0)
        close(route->from);
    if (route->to >= 0)
        close(route->to);
    return false;
}

/* Everything that is no FIFO: slots depend on it. What is left, packed. */
static size_t close_others(int fd[], size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (fd[i] <= STDERR_FILENO || !is_fifo(fd[i]))
            close(fd[i]);
        else
            fd[left++] = fd[i];
    }
    return left;
}

/* The FIFO that has the name of that one without its end; -1: there is none. */
static int other_of(const char *back, const int fd[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char path[PATH_MAX];
        const size_t length = strlen(back) - strlen(BACK);
        if (!is_way_back(fd[i], path) && strlen(path) == length && strncmp(path, back, length) == 0)
            return fd[i];
    }
    return -1;
}

/* A process that was told a name and has not opened it yet must not wait for the other end to be
 * opened: first the names go, and a while later the descriptors that are open both ways. */
static size_t take_over(struct route route[MOST])
{
    static int fd[4 * MOST];
    static struct route both[MOST];
    const size_t count = close_others(fd, list_open(fd, 4 * MOST));
    size_t pairs = 0, routes = 0;
    for (size_t i = 0; i < count && pairs < MOST; i++) {
        char path[PATH_MAX];
        if (!is_way_back(fd[i], path))
            continue;
        both[pairs] = (struct route){fd[i], other_of(path, fd, count)};
        unlink(path);
        path[strlen(path) - strlen(BACK)] = '\0';
        unlink(path);
        *strrchr(path, '/') = '\0';
        rmdir(path); /* when the last of them is gone */
        pairs += both[pairs].to >= 0;
    }
    nanosleep(&(struct timespec){.tv_nsec = WHILE_NS}, NULL);
    for (size_t i = 0; i < pairs; i++)
        routes += open_route(both[i].from, both[i].to, &route[routes]);
    for (size_t i = 0; i < count; i++)
        close(fd[i]);
    return routes;
}

static void carry(const struct route *route)
{
    char tokens[TOKENS];
    const ssize_t count = read(route->from, tokens, sizeof tokens);
    ssize_t written = count > 0 ? write(route->to, tokens, (size_t)count) : 0;
    (void)written; /* it has no reader any more, so the token is not missed */
}

/* Until none of them has a writer. */
static void relay(struct route *route, size_t routes)
{
    static struct pollfd polled[MOST];
    while (routes > 0) {
        for (size_t i = 0; i < routes; i++)
            polled[i] = (struct pollfd){route[i].from, POLLIN, 0};
        if (poll(polled, routes, -1) < 0 && errno != EINTR)
            return;
        for (size_t i = routes; i-- > 0;) {
            if ((polled[i].revents & POLLIN) != 0) {
                carry(&route[i]);
            } else if ((polled[i].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
                close(route[i].from);
                close(route[i].to);
                route[i] = route[--routes];
            }
        }
    }
}

static void keep(const sigset_t *wake)
{
    static struct route route[MOST];
    int number;
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_NAME, "berth-keeper");
    sigwait(wake, &number);
    relay(route, take_over(route));
    _exit(0);
}

/* It shares the table of descriptors, so that it has what is opened later. */
int keeper_start(pid_t *keeper)
{
    sigset_t wake, all, before;
    const pid_t parent = getpid();
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR1);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* a Ctrl-C is for the server */
    const long pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGUSR1) != 0 || getppid() != parent)
            _exit(0);
        keep(&wake);
    }
    const int error = pid < 0 ? errno : 0;
    *keeper = (pid_t)pid;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error;
}

void keeper_stop(pid_t keeper)
{
    kill(keeper, SIGKILL);
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        continue;
}
