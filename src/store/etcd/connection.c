#include "store/etcd/connection.h"

#include "store/etcd/tls.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Tries addresses until one does not fail at once. */
static int try_next(struct connection *connection, char reason[STORE_REASON], int error)
{
    for (; connection->next != NULL; connection->next = connection->next->ai_next) {
        const struct addrinfo *to = connection->next;
        const int one = 1;
        connection->fd =
            socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, to->ai_protocol);
        if (connection->fd >= 0) {
            setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            if (connect(connection->fd, to->ai_addr, to->ai_addrlen) == 0 || errno == EINPROGRESS) {
                connection->next = to->ai_next;
                connection->wants = POLLOUT;
                return 0;
            }
        }
        error = errno;
        if (connection->fd >= 0)
            close(connection->fd);
        connection->fd = -1;
    }
    snprintf(reason, STORE_REASON, "cannot connect to %s: %s", connection->where, strerror(error));
    return error;
}

static int not_found(const struct connection *connection, int error, char reason[STORE_REASON])
{
    snprintf(reason, STORE_REASON, "cannot find the host %s: %s", connection->host,
             error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
    return EHOSTUNREACH;
}

int connection_open(struct connection *connection, const struct address_endpoint *endpoint,
                    struct tls_context *context, char reason[STORE_REASON])
{
    (void)context;
    *connection = (struct connection){.fd = -1};
    layout_copy(connection->host, sizeof connection->host, endpoint->host);
    snprintf(connection->where, sizeof connection->where, "%s:%s", endpoint->host, endpoint->port);
    const int error =
        resolve_start(endpoint->host, endpoint->port, &connection->resolve, &connection->found);
    if (error == EAGAIN) {
        connection->wants = POLLIN;
        snprintf(reason, STORE_REASON, "the host %s is not found in time", connection->host);
        return 0;
    }
    if (error != 0) {
        snprintf(reason, STORE_REASON, "cannot look up the host %s: %s", connection->host,
                 strerror(error));
        return error;
    }
    connection->next = connection->found;
    return try_next(connection, reason, EHOSTUNREACH);
}

/* EAGAIN: the host is still being looked up, or has just been found. */
static int look_up(struct connection *connection, char reason[STORE_REASON])
{
    const int error = resolve_take(connection->resolve, &connection->found);
    if (error == EAI_AGAIN && errno == EAGAIN)
        return EAGAIN;
    resolve_drop(connection->resolve);
    connection->resolve = NULL;
    if (error != 0)
        return not_found(connection, error, reason);
    connection->next = connection->found;
    const int failed = try_next(connection, reason, EHOSTUNREACH);
    return failed == 0 ? EAGAIN : failed;
}

int connection_fd(const struct connection *connection)
{
    return connection->resolve != NULL ? resolve_fd(connection->resolve) : connection->fd;
}

int connection_advance(struct connection *connection, struct tls_context *context,
                       char reason[STORE_REASON])
{
    if (connection->resolve != NULL)
        return look_up(connection, reason);
    if (!connection->connected) {
        int error = 0;
        socklen_t size = sizeof error;
        struct pollfd poll_one = {.fd = connection->fd, .events = POLLOUT};
        if (poll(&poll_one, 1, 0) == 0)
            return EAGAIN;
        getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) {
            close(connection->fd);
            connection->fd = -1;
            error = try_next(connection, reason, error);
            return error == 0 ? EAGAIN : error;
        }
        connection->connected = true;
        if (context != NULL && tls()->begin(connection, context) != 0) {
            snprintf(reason, STORE_REASON, "there is no memory for TLS");
            return ENOMEM;
        }
    }
    if (connection->tls != NULL && !connection->ready) {
        const int error = tls()->shake_hands(connection, reason);
        if (error != 0)
            return error;
    }
    connection->ready = true;
    connection->wants = POLLIN;
    return 0;
}

void connection_close(struct connection *connection)
{
    if (connection->tls != NULL)
        tls()->end(connection);
    if (connection->fd >= 0)
        close(connection->fd);
    if (connection->found != NULL)
        freeaddrinfo(connection->found);
    resolve_drop(connection->resolve);
    *connection = (struct connection){.fd = -1};
}

ssize_t connection_read(struct connection *connection, void *buffer, size_t size)
{
    return connection->tls != NULL ? tls()->read(connection, buffer, size)
                                   : recv(connection->fd, buffer, size, 0);
}

ssize_t connection_write(struct connection *connection, const void *buffer, size_t size)
{
    return connection->tls != NULL ? tls()->write(connection, buffer, size)
                                   : send(connection->fd, buffer, size, MSG_NOSIGNAL);
}

const char *connection_refusal(void)
{
    return tls()->refusal();
}
