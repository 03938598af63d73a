/*
 * Looking up a host. The system's functions for that block for an unbounded time, so a separate
 * thread calls them, and nobody waits for that thread.
 */
#ifndef BERTH_STORE_ETCD_RESOLVE_H
#define BERTH_STORE_ETCD_RESOLVE_H

#include <netdb.h>

struct resolve;

/* A number needs no looking up: 0 and *found. Otherwise EAGAIN and *resolve, or an errno value. */
int resolve_start(const char *host, const char *port, struct resolve **resolve,
                  struct addrinfo **found);

/* Becomes readable when there is a result. */
int resolve_fd(const struct resolve *resolve);

/* 0 and *found, an EAI_ value, or EAI_AGAIN with errno EAGAIN: not yet. */
int resolve_take(struct resolve *resolve, struct addrinfo **found);

/* Drops the request, whether there is a result or not. */
void resolve_drop(struct resolve *resolve);

#endif
