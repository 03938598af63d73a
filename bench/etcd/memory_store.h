/*
 * A store in memory that carries out etcd's transactions: keys with revisions and leases, ranges of
 * one folder, nested transactions. It knows what src/store/etcd asks for, and stops with a line at
 * anything else.
 */
#ifndef BERTH_BENCH_ETCD_MEMORY_STORE_H
#define BERTH_BENCH_ETCD_MEMORY_STORE_H

#include "etcd.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

/* Called for each key that is put or deleted; a deleted one has no value. */
typedef void store_watcher(void *context, const Etcd__KeyValue *kv, bool deleted);

struct store *store_new(store_watcher *watcher, void *context);

/* An answer lives until it is freed. */
struct store_reply;
struct store_reply *store_txn(struct store *store, const Etcd__TxnRequest *request);
const Etcd__TxnResponse *store_reply_txn(const struct store_reply *reply);
void store_reply_free(struct store_reply *reply);

int64_t store_revision(const struct store *store);

/* All keys under the lease go, and it takes no more. */
void store_revoke(struct store *store, int64_t lease);

#endif
