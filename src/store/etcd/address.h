/*
 * Where an etcd store is:
 *
 *     etcd://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/PREFIX][?OPTION=VALUE[&...]]
 *
 * Options: ca, cert, key (files in PEM; any of them, or tls=1, asks for TLS), ttl (seconds of the
 * lease, 2 to 3600, default 10), timeout (seconds until a store that does not answer is given up,
 * default 5), plain=1 (a password may go over a connection without TLS, to another machine too).
 * The password can be given as BERTH_ETCD_PASSWORD, where others do not see it.
 */
#ifndef BERTH_STORE_ETCD_ADDRESS_H
#define BERTH_STORE_ETCD_ADDRESS_H

#include "store/etcd/key_layout.h"
#include "store/store.h"

#include <limits.h>

#define ADDRESS_PASSWORD "BERTH_ETCD_PASSWORD"

enum { ADDRESS_ENDPOINTS = 16, ADDRESS_HOST = 254, ADDRESS_WORD = 256 };

struct address_endpoint {
    char host[ADDRESS_HOST];
    char port[6];
};

struct address {
    struct address_endpoint endpoint[ADDRESS_ENDPOINTS];
    size_t endpoints;
    char prefix[LAYOUT_PREFIX];
    char user[ADDRESS_WORD], password[ADDRESS_WORD];
    bool tls, plain;
    char ca[PATH_MAX], cert[PATH_MAX], key[PATH_MAX];
    unsigned ttl, timeout; /* seconds */
    char shown[256];       /* for people: without the password */
};

/* 0, or EINVAL. */
int address_parse(struct address *address, const char *store, char reason[STORE_REASON]);

#endif
