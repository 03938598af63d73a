/* Calls without a handle: each opens a connection, asks, and closes it. */
#ifndef BERTH_STORE_ETCD_PLAIN_H
#define BERTH_STORE_ETCD_PLAIN_H

#include "store/etcd/intake.h"
#include "store/etcd/link.h"
#include "store/store.h"

struct plain {
    struct address address;
    struct link link;
};

int plain_open(struct plain *plain, const char *store, char reason[STORE_REASON]);
void plain_close(struct plain *plain);

/* Carries out a transaction that can be repeated, within the time-out. The caller frees
 * *response. */
int plain_txn(struct plain *plain, const Etcd__TxnRequest *request, Etcd__TxnResponse **response,
              char reason[STORE_REASON]);
/* Any other call; `take` gets the answer, or is NULL. */
int plain_call(struct plain *plain, const char *path, const ProtobufCMessage *request,
               void (*take)(const uint8_t *message, size_t size, void *context), void *context,
               char reason[STORE_REASON]);
/* Runs a machine until it has finished. */
int plain_turn(struct plain *plain, struct machine *machine, char reason[STORE_REASON]);

#endif
