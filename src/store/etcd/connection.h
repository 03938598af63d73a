/* A stream to one endpoint, with TLS or without; nothing here waits. */
#ifndef BERTH_STORE_ETCD_CONNECTION_H
#define BERTH_STORE_ETCD_CONNECTION_H

#include "store/etcd/address.h"
#include "store/etcd/resolve.h"

#include <netdb.h>
#include <sys/types.h>

struct tls;         /* of one connection */
struct tls_context; /* of all to an address */

struct connection {
    int fd;                  /* -1: there is none */
    struct resolve *resolve; /* the host is being looked up; NULL: it is not */
    struct tls *tls;         /* NULL: there is none */
    bool connected, ready;
    bool heard;  /* anything was read */
    short wants; /* POLLIN, POLLOUT: what it waits for */
    struct addrinfo *found, *next;
    char host[ADDRESS_HOST];
    char where[ADDRESS_HOST + 16]; /* for people */
};

/* Begins to connect: 0, or an errno value with the reason. */
int connection_open(struct connection *connection, const struct address_endpoint *endpoint,
                    struct tls_context *context, char reason[STORE_REASON]);
/* Goes on with that: 0 if it is ready, EAGAIN while it is not. EACCES: the peer is not trusted, and
 * trying again does not help. */
int connection_advance(struct connection *connection, struct tls_context *context,
                       char reason[STORE_REASON]);
void connection_close(struct connection *connection);
/* What to poll while it is not ready, for `wants`. */
int connection_fd(const struct connection *connection);

/* As read and write: -1 with EAGAIN if it would have to wait; 0 from read at the end. EACCES: the
 * other side refuses to go on, connection_refusal says why. */
ssize_t connection_read(struct connection *connection, void *buffer, size_t size);
ssize_t connection_write(struct connection *connection, const void *buffer, size_t size);
const char *connection_refusal(void);

#endif
