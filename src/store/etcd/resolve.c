#include "store/etcd/resolve.h"

#include "store/etcd/address.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct resolve {
    atomic_int users; /* the caller, and the thread */
    atomic_bool done;
    int fd;
    int error; /* as getaddrinfo gives it */
    struct addrinfo *found;
    char host[ADDRESS_HOST];
    char port[8];
};

static int look_up(const char *host, const char *port, int flags, struct addrinfo **found)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    const int error = getaddrinfo(host, port, &hints, found);
    if (error != 0)
        *found = NULL;
    return error;
}

void resolve_drop(struct resolve *resolve)
{
    if (resolve == NULL || atomic_fetch_sub(&resolve->users, 1) > 1)
        return;
    if (resolve->found != NULL)
        freeaddrinfo(resolve->found);
    close(resolve->fd);
    free(resolve);
}

static void *run(void *argument)
{
    struct resolve *resolve = argument;
    const uint64_t one = 1;
    resolve->error = look_up(resolve->host, resolve->port, AI_ADDRCONFIG, &resolve->found);
    atomic_store(&resolve->done, true);
    if (write(resolve->fd, &one, sizeof one) < 0)
        resolve->error = EAI_SYSTEM; /* it has room for one */
    resolve_drop(resolve);
    return NULL;
}

static int start_thread(struct resolve *resolve)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all); /* signals are for the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, &attributes, run, resolve);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

int resolve_start(const char *host, const char *port, struct resolve **result,
                  struct addrinfo **found)
{
    if (look_up(host, port, AI_NUMERICHOST | AI_NUMERICSERV, found) == 0)
        return 0;
    struct resolve *resolve = calloc(1, sizeof *resolve);
    if (resolve == NULL)
        return ENOMEM;
    resolve->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (resolve->fd < 0) {
        free(resolve);
        return errno;
    }
    layout_copy(resolve->host, sizeof resolve->host, host);
    layout_copy(resolve->port, sizeof resolve->port, port);
    atomic_store(&resolve->users, 2);
    const int error = start_thread(resolve);
    if (error != 0) {
        close(resolve->fd);
        free(resolve);
        return error;
    }
    *result = resolve;
    return EAGAIN;
}

int resolve_fd(const struct resolve *resolve)
{
    return resolve->fd;
}

int resolve_take(struct resolve *resolve, struct addrinfo **found)
{
    errno = EAGAIN;
    if (!atomic_load(&resolve->done))
        return EAI_AGAIN;
    errno = 0;
    *found = resolve->found;
    resolve->found = NULL;
    return resolve->error;
}
