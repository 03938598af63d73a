/*
 * What a connection asks of TLS. OpenSSL is most of what a program has to load and relocate, and
 * most stores on a private network do without it. So the command's twin is not linked with it, and
 * loads it, with STORE_ETCD_LIBRARY, for an address that asks for TLS. That library has it.
 */
#ifndef BERTH_STORE_ETCD_TLS_H
#define BERTH_STORE_ETCD_TLS_H

#include "store/etcd/connection.h"

/* Of the two structures that both sides know. A library of another version of berth has others, or
 * another number. */
#define TLS_INTERFACE                                                                              \
    (STORE_INTERFACE * UINT64_C(0x100000000) + sizeof(struct connection) * 0x10000 +               \
     sizeof(struct address))
#define TLS_SYMBOL "berth_store_etcd_tls"

struct tls_context;

struct tls_operations {
    uint64_t interface;
    /* NULL: `reason` says what is wrong with the files. */
    struct tls_context *(*context)(const struct address *address, char reason[STORE_REASON]);
    void (*free_context)(struct tls_context *context);
    int (*begin)(struct connection *connection, struct tls_context *context); /* 0 or ENOMEM */
    /* EAGAIN: not yet. EACCES: no trust, for good. */
    int (*shake_hands)(struct connection *connection, char reason[STORE_REASON]);
    ssize_t (*read)(struct connection *connection, void *buffer, size_t size);
    ssize_t (*write)(struct connection *connection, const void *buffer, size_t size);
    const char *(*refusal)(void);
    void (*end)(struct connection *connection);
};

/* Finds it; or NULL, and the reason. */
const struct tls_operations *tls_find(char reason[STORE_REASON]);
/* The same, after it was found once. */
const struct tls_operations *tls(void);

#endif
