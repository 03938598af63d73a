/*
 * A transaction, put together: conditions, and what to do where all of them hold and where not. All
 * memory of one request lies in one block.
 */
#ifndef BERTH_STORE_ETCD_BUILD_H
#define BERTH_STORE_ETCD_BUILD_H

#include "etcd.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

/* Room for the largest request: SERVE_MOST hand-overs of three keys each. */
enum { BUILD_ROOM = 64 * 1024, BUILD_LIST = 32 };

struct build {
    size_t used;
    Etcd__TxnRequest *txn;
    _Alignas(16) char room[BUILD_ROOM];
};

/* With an empty transaction in it; NULL: no memory. Free it with free(). */
struct build *build_new(void);

/* ---- conditions; all of them must hold ---- */

void build_if_absent(struct build *build, Etcd__TxnRequest *txn, const char *key);
void build_if_present(struct build *build, Etcd__TxnRequest *txn, const char *key);
/* No key from `key` up to, and without, `end` is there. */
void build_if_none(struct build *build, Etcd__TxnRequest *txn, const char *key, const char *end);
/* None of them was put after that revision. */
void build_if_none_since(struct build *build, Etcd__TxnRequest *txn, const char *key,
                         const char *end, int64_t revision);
void build_if_created(struct build *build, Etcd__TxnRequest *txn, const char *key,
                      int64_t revision);
void build_if_modified(struct build *build, Etcd__TxnRequest *txn, const char *key,
                       int64_t revision);
void build_if_value(struct build *build, Etcd__TxnRequest *txn, const char *key, const char *value);

/* ---- what to do; `otherwise` says in which of the two cases ---- */

struct build_range {
    const char *end; /* NULL: that one key */
    bool keys_only, count_only, by_creation;
    int64_t limit;
};

void build_put(struct build *build, Etcd__TxnRequest *txn, bool otherwise, const char *key,
               const ProtobufCMessage *value, int64_t lease);
void build_put_text(struct build *build, Etcd__TxnRequest *txn, bool otherwise, const char *key,
                    const char *value);
void build_delete(struct build *build, Etcd__TxnRequest *txn, bool otherwise, const char *key,
                  const char *end);
void build_get(struct build *build, Etcd__TxnRequest *txn, bool otherwise, const char *key,
               struct build_range range);
Etcd__TxnRequest *build_nested(struct build *build, Etcd__TxnRequest *txn, bool otherwise);

#endif
