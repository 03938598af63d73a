/* The jobserver of make: a pipe with a byte in it for each free slot. */
#include "bench/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

struct tokens {
    int end[2];
};

static int token_put(const struct tokens *tokens)
{
    const char token = '+';
    ssize_t written;
    do
        written = write(tokens->end[1], &token, 1);
    while (written < 0 && errno == EINTR);
    return written == 1 ? 0 : errno;
}

static void pipe_unmake(struct bench_place *place)
{
    const struct tokens *tokens = place->shared;
    close(tokens->end[0]);
    close(tokens->end[1]);
}

static int pipe_make(struct bench_place *place)
{
    struct tokens *tokens = place->shared;
    int error = pipe2(tokens->end, O_CLOEXEC) == 0 ? 0 : errno;
    for (unsigned i = 0; i < place->slots && error == 0; i++) {
        error = token_put(tokens);
        if (error != 0)
            pipe_unmake(place);
    }
    return error;
}

static int pipe_acquire(struct bench_seat *seat)
{
    const struct tokens *tokens = seat->place->shared;
    char token;
    ssize_t got;
    do
        got = read(tokens->end[0], &token, 1);
    while (got < 0 && errno == EINTR);
    return got == 1 ? 0 : got == 0 ? EPIPE : errno;
}

/* Only for one process at a time: another could take the token after it was seen. */
static int pipe_try_acquire(struct bench_seat *seat)
{
    const struct tokens *tokens = seat->place->shared;
    struct pollfd readable = {.fd = tokens->end[0], .events = POLLIN};
    int ready = poll(&readable, 1, 0);
    if (ready < 0)
        return errno;
    return ready == 0 ? EBUSY : pipe_acquire(seat);
}

static int pipe_release(struct bench_seat *seat)
{
    return token_put(seat->place->shared);
}

BENCH_PAIRS(pipe)

const struct bench_subject bench_pipe = {
    .name = "pipe",
    .about = "make's jobserver: a byte in a pipe for each free slot",
    .most = BENCH_SLOTS,
    .make = pipe_make,
    .unmake = pipe_unmake,
    .join = bench_join_nothing,
    .acquire = pipe_acquire,
    .try_acquire = pipe_try_acquire,
    .release = pipe_release,
    .leave = bench_leave_nothing,
    .pairs = pipe_pairs,
};
