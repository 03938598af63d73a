/*
 * What others wrote: the answers of a server, which may be false, and the keys and values of other
 * clients. One function reads each kind, and refuses whatever is not in exactly its form. Nothing
 * else unpacks a message or parses a key, so that what is beyond these functions has been checked:
 * slots are below BERTH_MAX_SLOTS, names of entries and clients have their length, text
 * can be printed.
 */
#ifndef BERTH_STORE_ETCD_INTAKE_H
#define BERTH_STORE_ETCD_INTAKE_H

#include "store/etcd/key_layout.h"

#include "etcd.pb-c.h"

#include <stddef.h>
#include <time.h>

/* The most that one message may have: bytes, fields, other messages in it, and their depth. */
enum {
    INTAKE_BYTES = 8 << 20,
    INTAKE_FIELDS = 1 << 20,
    INTAKE_PARTS = 100 * 1000,
    INTAKE_DEPTH = 16,
};

/* Unpacks a message of that kind; NULL: it is none, or has too much in it. To be freed with the
 * function of its kind. */
void *intake_message(const ProtobufCMessageDescriptor *kind, size_t size, const uint8_t *bytes);

/* ---- keys ---- */

/* Gives the slot of a key in the folder 's' or 'u' of the pool. */
bool intake_slot_key(const struct layout *layout, char folder, const Etcd__KeyValue *kv,
                     unsigned *slot);
/* Gives the entry of a key in the folder 'w' or 'm' of the pool. */
bool intake_entry_key(const struct layout *layout, char folder, const Etcd__KeyValue *kv,
                      char entry[LAYOUT_ENTRY]);
/* Gives the client of a key in the folder 'c' of the pool. */
bool intake_client_key(const struct layout *layout, const Etcd__KeyValue *kv,
                       char client[LAYOUT_CLIENT]);
/* Gives the last part of the key of a pool; whether it can be a pool's name is not said. */
bool intake_pool_key(const struct layout *layout, const Etcd__KeyValue *kv, layout_key name);

/* ---- values ---- */

struct intake_pool {
    unsigned slots, ttl;
};

struct intake_holder {
    char entry[LAYOUT_ENTRY];
    int64_t since_ms;
};

struct intake_mail {
    unsigned slot;
    int64_t ticket;
};

enum { INTAKE_LOANS = 16 };

struct intake_client {
    int pid;
    char host[BERTH_NAME_MAX];
    char command[BERTH_COMMAND_MAX];
    int64_t opened_ms;
    uint64_t place;
    size_t loan_count;
    struct {
        unsigned slot, level;
        int64_t token;
    } loan[INTAKE_LOANS];
};

bool intake_pool(const Etcd__KeyValue *kv, struct intake_pool *pool);
bool intake_holder(const Etcd__KeyValue *kv, struct intake_holder *holder);
bool intake_mail(const Etcd__KeyValue *kv, struct intake_mail *mail);
bool intake_waiter(const Etcd__KeyValue *kv, int64_t *since_ms);
bool intake_client(const Etcd__KeyValue *kv, struct intake_client *client);

#endif
