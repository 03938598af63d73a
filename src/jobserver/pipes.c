#include "jobserver/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CLIENT_FROM = 30, /* shell scripts like to use the first ten descriptors */
    TOKENS = 4096,    /* read at once: a client may write without end */
};

static const char token = '+'; /* as GNU make writes it */

/* ---- one pipe ---- */

/* Neither of the two ends ever sees the other one close. */
static int open_both_ways(const char *path, int flags, int *fd)
{
    *fd = open(path, O_RDWR | O_CLOEXEC | flags);
    return *fd >= 0 ? 0 : errno;
}

static int open_for_client(const char *path, int *fd)
{
    int low;
    int error = open_both_ways(path, 0, &low);
    if (error != 0)
        return error;
    *fd = fcntl(low, F_DUPFD_CLOEXEC, CLIENT_FROM);
    error = *fd >= 0 ? 0 : errno;
    close(low);
    return error;
}

/* ---- the pipes of an account ---- */

/* Makes a FIFO and opens the server's end, which never waits. */
static int open_fifo(const char *path, int *fd)
{
    if (mkfifo(path, 0600) != 0 || chmod(path, 0600) != 0)
        return errno;
    return open_both_ways(path, O_NONBLOCK, fd);
}

/* Opens both ends of the pipe that tokens come back by: a FIFO whose name is gone as soon as they
 * are open. */
static int open_back(struct pipes *pipes)
{
    char path[PIPES_PATH + 8];
    snprintf(path, sizeof path, "%s.back", pipes->path);
    int error = open_fifo(path, &pipes->back);
    if (error == 0)
        error = open_for_client(path, &pipes->client[1]);
    unlink(path);
    return error;
}

static void drop_name(struct pipes *pipes)
{
    if (pipes->path[0] != '\0')
        unlink(pipes->path);
    pipes->path[0] = '\0';
}

int pipes_open(struct pipes *pipes, enum pipes_form form, const struct pipes_folder *folder)
{
    *pipes = (struct pipes){.form = form, .offer = -1, .back = -1, .client = {-1, -1}};
    const int length = snprintf(pipes->path, sizeof pipes->path, "%s/tokens", folder->path);
    if (length < 0 || length >= PIPES_PATH)
        return ENAMETOOLONG;
    int error = open_fifo(pipes->path, &pipes->offer);
    if (error == 0)
        error = open_for_client(pipes->path, &pipes->client[0]);
    if (error == 0 && form == PIPES_PAIR)
        error = open_back(pipes);
    if (form == PIPES_PAIR)
        drop_name(pipes);
    if (error != 0)
        pipes_close(pipes);
    return error;
}

void pipes_close(struct pipes *pipes)
{
    const int fds[] = {pipes->offer, pipes->back, pipes->client[0], pipes->client[1]};
    for (unsigned i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    drop_name(pipes);
    *pipes = (struct pipes){.offer = -1, .back = -1, .client = {-1, -1}};
}

int pipes_idle(const struct pipes *pipes, unsigned *idle)
{
    int bytes = 0;
    *idle = 0;
    if (ioctl(pipes->offer, FIONREAD, &bytes) != 0)
        return errno;
    *idle = (unsigned)bytes;
    return 0;
}

bool pipes_offer(const struct pipes *pipes)
{
    return write(pipes->offer, &token, 1) == 1;
}

bool pipes_take(const struct pipes *pipes)
{
    char taken;
    return read(pipes->offer, &taken, 1) == 1;
}

unsigned pipes_returned(const struct pipes *pipes)
{
    char tokens[TOKENS];
    const ssize_t bytes = pipes->back >= 0 ? read(pipes->back, tokens, sizeof tokens) : 0;
    return bytes > 0 ? (unsigned)bytes : 0;
}
