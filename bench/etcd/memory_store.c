#include "memory_store.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct key;

/* Keys up to the last slash are a folder; its keys are in the order of their creation. */
struct folder {
    char *name;
    size_t count;
    struct key *first, *last;
    struct folder *next;
};

struct key {
    Etcd__KeyValue kv;
    struct folder *folder;
    struct key *before, *after; /* in the folder */
    struct key *chain;          /* in the table */
};

struct reply_block {
    struct reply_block *next;
    size_t used, size;
    _Alignas(16) char room[];
};

struct store_reply {
    struct reply_block *blocks;
    Etcd__TxnResponse *txn;
};

enum { TABLE = 1 << 18 };

struct store {
    struct key *table[TABLE];
    struct folder *folders;
    int64_t revision;
    store_watcher *watcher;
    void *context;
};

static void refuse(const char *what)
{
    fprintf(stderr, "the simulated store does not know %s\n", what);
    abort();
}

/* ---- keys ---- */

static uint64_t hash(ProtobufCBinaryData key)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < key.len; i++)
        h = (h ^ key.data[i]) * 1099511628211u;
    return (h ^ h >> 29) % TABLE;
}

static bool same(ProtobufCBinaryData one, ProtobufCBinaryData other)
{
    return one.len == other.len && memcmp(one.data, other.data, one.len) == 0;
}

static struct key *find(const struct store *store, ProtobufCBinaryData name)
{
    struct key *key = store->table[hash(name)];
    while (key != NULL && !same(key->kv.key, name))
        key = key->chain;
    return key;
}

static ProtobufCBinaryData copy(ProtobufCBinaryData data)
{
    ProtobufCBinaryData to = {.len = data.len, .data = malloc(data.len + 1)};
    if (to.data == NULL)
        refuse("this many keys");
    memcpy(to.data, data.data, data.len);
    to.data[data.len] = '\0';
    return to;
}

static struct folder *folder_of(struct store *store, ProtobufCBinaryData name)
{
    size_t length = name.len;
    while (length > 0 && name.data[length - 1] != '/')
        length--;
    for (struct folder *folder = store->folders; folder != NULL; folder = folder->next) {
        if (strlen(folder->name) == length && memcmp(folder->name, name.data, length) == 0)
            return folder;
    }
    struct folder *folder = calloc(1, sizeof *folder);
    ProtobufCBinaryData part = {length, name.data};
    folder->name = (char *)copy(part).data;
    folder->next = store->folders;
    store->folders = folder;
    return folder;
}

static struct key *create(struct store *store, ProtobufCBinaryData name)
{
    struct key *key = calloc(1, sizeof *key);
    if (key == NULL)
        refuse("this many keys");
    etcd__key_value__init(&key->kv);
    key->kv.key = copy(name);
    key->kv.create_revision = store->revision;
    key->folder = folder_of(store, name);
    key->before = key->folder->last;
    *(key->before != NULL ? &key->before->after : &key->folder->first) = key;
    key->folder->last = key;
    key->folder->count++;
    struct key **slot = &store->table[hash(name)];
    key->chain = *slot;
    *slot = key;
    return key;
}

static void destroy(struct store *store, struct key *key)
{
    struct key **slot = &store->table[hash(key->kv.key)];
    while (*slot != key)
        slot = &(*slot)->chain;
    *slot = key->chain;
    *(key->before != NULL ? &key->before->after : &key->folder->first) = key->after;
    *(key->after != NULL ? &key->after->before : &key->folder->last) = key->before;
    key->folder->count--;
    Etcd__KeyValue gone = ETCD__KEY_VALUE__INIT;
    gone.key = key->kv.key;
    gone.mod_revision = store->revision;
    store->watcher(store->context, &gone, true);
    free(key->kv.key.data);
    free(key->kv.value.data);
    free(key);
}

/* Keys are few for each client, and clients seldom die: they are looked for. */
void store_revoke(struct store *store, int64_t lease)
{
    store->revision++;
    for (struct folder *folder = store->folders; folder != NULL; folder = folder->next) {
        for (struct key *key = folder->first, *next; key != NULL; key = next) {
            next = key->after;
            if (key->kv.lease == lease)
                destroy(store, key);
        }
    }
}

/* ---- answers ---- */

static void *take(struct store_reply *reply, size_t size)
{
    size = (size + 15) / 16 * 16;
    struct reply_block *block = reply->blocks;
    if (block == NULL || block->used + size > block->size) {
        const size_t room = size > 4096 ? size : 4096;
        block = malloc(sizeof *block + room);
        if (block == NULL)
            refuse("an answer of this length");
        *block = (struct reply_block){.next = reply->blocks, .size = room};
        reply->blocks = block;
    }
    void *at = block->room + block->used;
    block->used += size;
    return memset(at, 0, size);
}

static Etcd__ResponseHeader *header(struct store *store, struct store_reply *reply)
{
    Etcd__ResponseHeader *made = take(reply, sizeof *made);
    etcd__response_header__init(made);
    made->revision = store->revision;
    return made;
}

static ProtobufCBinaryData copy_into(struct store_reply *reply, ProtobufCBinaryData data)
{
    ProtobufCBinaryData to = {.len = data.len, .data = take(reply, data.len + 1)};
    memcpy(to.data, data.data, data.len);
    return to;
}

static bool is_folder(const Etcd__RangeRequest *range, const struct folder *folder)
{
    return range->key.len == strlen(folder->name) &&
           memcmp(range->key.data, folder->name, range->key.len) == 0;
}

static Etcd__RangeResponse *get(struct store *store, struct store_reply *reply,
                                const Etcd__RangeRequest *range)
{
    Etcd__RangeResponse *response = take(reply, sizeof *response);
    etcd__range_response__init(response);
    struct key *key = NULL;
    bool single = range->range_end.len == 0;
    if (single) {
        key = find(store, range->key);
        response->count = key != NULL;
    } else {
        const struct folder *folder = store->folders;
        while (folder != NULL && !is_folder(range, folder))
            folder = folder->next;
        response->count = folder != NULL ? (int64_t)folder->count : 0;
        key = folder != NULL ? folder->first : NULL;
    }
    if (range->count_only)
        return response;
    size_t room = (size_t)response->count;
    if (range->limit > 0 && (size_t)range->limit < room)
        room = (size_t)range->limit;
    response->kvs = take(reply, (room + 1) * sizeof *response->kvs);
    for (; key != NULL && response->n_kvs < room; key = single ? NULL : key->after) {
        Etcd__KeyValue *kv = take(reply, sizeof *kv);
        *kv = key->kv;
        kv->key = copy_into(reply, key->kv.key);
        kv->value = range->keys_only ? (ProtobufCBinaryData){0} : copy_into(reply, key->kv.value);
        response->kvs[response->n_kvs++] = kv;
    }
    return response;
}

static void put(struct store *store, const Etcd__PutRequest *request)
{
    struct key *key = find(store, request->key);
    if (key == NULL)
        key = create(store, request->key);
    free(key->kv.value.data);
    key->kv.value = copy(request->value);
    key->kv.mod_revision = store->revision;
    key->kv.lease = request->lease;
    store->watcher(store->context, &key->kv, false);
}

/* ---- transactions ---- */

static bool is_less(ProtobufCBinaryData one, ProtobufCBinaryData other)
{
    const size_t both = one.len < other.len ? one.len : other.len;
    const int order = memcmp(one.data, other.data, both);
    return order != 0 ? order < 0 : one.len < other.len;
}

static bool holds(const struct store *store, const Etcd__Compare *compare)
{
    if (compare->range_end.len > 0) { /* only ever: none of them is there */
        const Etcd__RangeRequest range = {.key = compare->key};
        const struct folder *folder = store->folders;
        while (folder != NULL && !is_folder(&range, folder))
            folder = folder->next;
        return folder == NULL || folder->count == 0;
    }
    const struct key *key = find(store, compare->key);
    const bool equal = compare->result == ETCD__COMPARE__COMPARE_RESULT__EQUAL;
    switch (compare->target) {
    case ETCD__COMPARE__COMPARE_TARGET__CREATE:
        return ((key != NULL ? key->kv.create_revision : 0) == compare->create_revision) == equal;
    case ETCD__COMPARE__COMPARE_TARGET__MOD:
        return ((key != NULL ? key->kv.mod_revision : 0) == compare->mod_revision) == equal;
    case ETCD__COMPARE__COMPARE_TARGET__VALUE:
        if (compare->result == ETCD__COMPARE__COMPARE_RESULT__LESS)
            return key != NULL && is_less(key->kv.value, compare->value);
        return key != NULL && same(key->kv.value, compare->value) == equal;
    default: refuse("this comparison"); return false;
    }
}

static Etcd__TxnResponse *carry_out(struct store *store, struct store_reply *reply,
                                    const Etcd__TxnRequest *request);

static Etcd__ResponseOp *do_one(struct store *store, struct store_reply *reply,
                                const Etcd__RequestOp *op)
{
    Etcd__ResponseOp *response = take(reply, sizeof *response);
    etcd__response_op__init(response);
    switch (op->request_case) {
    case ETCD__REQUEST_OP__REQUEST_REQUEST_RANGE:
        response->response_case = ETCD__RESPONSE_OP__RESPONSE_RESPONSE_RANGE;
        response->response_range = get(store, reply, op->request_range);
        break;
    case ETCD__REQUEST_OP__REQUEST_REQUEST_PUT: put(store, op->request_put); break;
    case ETCD__REQUEST_OP__REQUEST_REQUEST_DELETE_RANGE: {
        struct key *key = find(store, op->request_delete_range->key);
        if (op->request_delete_range->range_end.len > 0)
            refuse("how to delete a range");
        if (key != NULL)
            destroy(store, key);
        break;
    }
    case ETCD__REQUEST_OP__REQUEST_REQUEST_TXN:
        response->response_case = ETCD__RESPONSE_OP__RESPONSE_RESPONSE_TXN;
        response->response_txn = carry_out(store, reply, op->request_txn);
        break;
    default: refuse("this operation");
    }
    return response;
}

static Etcd__TxnResponse *carry_out(struct store *store, struct store_reply *reply,
                                    const Etcd__TxnRequest *request)
{
    Etcd__TxnResponse *response = take(reply, sizeof *response);
    etcd__txn_response__init(response);
    response->succeeded = true;
    for (size_t i = 0; i < request->n_compare; i++)
        response->succeeded &= holds(store, request->compare[i]);
    const size_t count = response->succeeded ? request->n_success : request->n_failure;
    Etcd__RequestOp **ops = response->succeeded ? request->success : request->failure;
    response->responses = take(reply, (count + 1) * sizeof *response->responses);
    for (size_t i = 0; i < count; i++)
        response->responses[response->n_responses++] = do_one(store, reply, ops[i]);
    response->header = header(store, reply);
    return response;
}

struct store_reply *store_txn(struct store *store, const Etcd__TxnRequest *request)
{
    struct store_reply *reply = calloc(1, sizeof *reply);
    if (reply == NULL)
        refuse("this many requests");
    store->revision++; /* also where nothing is put: nothing depends on it */
    reply->txn = carry_out(store, reply, request);
    return reply;
}

int64_t store_revision(const struct store *store)
{
    return store->revision;
}

const Etcd__TxnResponse *store_reply_txn(const struct store_reply *reply)
{
    return reply->txn;
}

void store_reply_free(struct store_reply *reply)
{
    while (reply->blocks != NULL) {
        struct reply_block *next = reply->blocks->next;
        free(reply->blocks);
        reply->blocks = next;
    }
    free(reply);
}

struct store *store_new(store_watcher *watcher, void *context)
{
    struct store *store = calloc(1, sizeof *store);
    if (store != NULL) {
        store->watcher = watcher;
        store->context = context;
    }
    return store;
}
