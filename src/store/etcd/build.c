#include "store/etcd/build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The sizes are ours alone, and bounded: nothing that came from outside is put in here
 * unchecked. */
static void *take(struct build *build, size_t size)
{
    const size_t rounded = (size + 15) / 16 * 16;
    assert(build->used + rounded <= BUILD_ROOM);
    void *room = build->room + build->used;
    build->used += rounded;
    memset(room, 0, size);
    return room;
}

static ProtobufCBinaryData text(struct build *build, const char *string)
{
    const size_t length = strlen(string);
    ProtobufCBinaryData data = {.len = length, .data = take(build, length + 1)};
    memcpy(data.data, string, length);
    return data;
}

static Etcd__TxnRequest *new_txn(struct build *build)
{
    Etcd__TxnRequest *txn = take(build, sizeof *txn);
    etcd__txn_request__init(txn);
    return txn;
}

struct build *build_new(void)
{
    struct build *build = malloc(sizeof *build);
    if (build == NULL)
        return NULL;
    build->used = 0;
    build->txn = new_txn(build);
    return build;
}

static ProtobufCBinaryData packed(struct build *build, const ProtobufCMessage *message)
{
    ProtobufCBinaryData data = {.len = protobuf_c_message_get_packed_size(message)};
    data.data = take(build, data.len + 1);
    protobuf_c_message_pack(message, data.data);
    return data;
}

/* ---- conditions ---- */

static Etcd__Compare *condition(struct build *build, Etcd__TxnRequest *txn, const char *key,
                                const char *end)
{
    Etcd__Compare *compare = take(build, sizeof *compare);
    etcd__compare__init(compare);
    compare->key = text(build, key);
    if (end != NULL)
        compare->range_end = text(build, end);
    if (txn->compare == NULL)
        txn->compare = take(build, BUILD_LIST * sizeof(void *));
    assert(txn->n_compare < BUILD_LIST);
    txn->compare[txn->n_compare++] = compare;
    return compare;
}

static void if_created(struct build *build, Etcd__TxnRequest *txn, const char *key, const char *end,
                       Etcd__Compare__CompareResult result, int64_t revision)
{
    Etcd__Compare *compare = condition(build, txn, key, end);
    compare->result = result;
    compare->target = ETCD__COMPARE__COMPARE_TARGET__CREATE;
    compare->target_union_case = ETCD__COMPARE__TARGET_UNION_CREATE_REVISION;
    compare->create_revision = revision;
}

void build_if_absent(struct build *build, Etcd__TxnRequest *txn, const char *key)
{
    if_created(build, txn, key, NULL, ETCD__COMPARE__COMPARE_RESULT__EQUAL, 0);
}

void build_if_present(struct build *build, Etcd__TxnRequest *txn, const char *key)
{
    if_created(build, txn, key, NULL, ETCD__COMPARE__COMPARE_RESULT__NOT_EQUAL, 0);
}

void build_if_none(struct build *build, Etcd__TxnRequest *txn, const char *key, const char *end)
{
    if_created(build, txn, key, end, ETCD__COMPARE__COMPARE_RESULT__EQUAL, 0);
}

void build_if_created(struct build *build, Etcd__TxnRequest *txn, const char *key, int64_t revision)
{
    if_created(build, txn, key, NULL, ETCD__COMPARE__COMPARE_RESULT__EQUAL, revision);
}

void build_if_modified(struct build *build, Etcd__TxnRequest *txn, const char *key,
                       int64_t revision)
{
    Etcd__Compare *compare = condition(build, txn, key, NULL);
    compare->target = ETCD__COMPARE__COMPARE_TARGET__MOD;
    compare->target_union_case = ETCD__COMPARE__TARGET_UNION_MOD_REVISION;
    compare->mod_revision = revision;
}

void build_if_none_since(struct build *build, Etcd__TxnRequest *txn, const char *key,
                         const char *end, int64_t revision)
{
    Etcd__Compare *compare = condition(build, txn, key, end);
    compare->result = ETCD__COMPARE__COMPARE_RESULT__LESS;
    compare->target = ETCD__COMPARE__COMPARE_TARGET__MOD;
    compare->target_union_case = ETCD__COMPARE__TARGET_UNION_MOD_REVISION;
    compare->mod_revision = revision + 1;
}

void build_if_value(struct build *build, Etcd__TxnRequest *txn, const char *key, const char *value)
{
    Etcd__Compare *compare = condition(build, txn, key, NULL);
    compare->target = ETCD__COMPARE__COMPARE_TARGET__VALUE;
    compare->target_union_case = ETCD__COMPARE__TARGET_UNION_VALUE;
    compare->value = text(build, value);
}

/* ---- what to do ---- */

static Etcd__RequestOp *action(struct build *build, Etcd__TxnRequest *txn, bool otherwise)
{
    Etcd__RequestOp ***list = otherwise ? &txn->failure : &txn->success;
    size_t *count = otherwise ? &txn->n_failure : &txn->n_success;
    if (*list == NULL)
        *list = take(build, BUILD_LIST * sizeof(void *));
    assert(*count < BUILD_LIST);
    Etcd__RequestOp *op = take(build, sizeof *op);
    etcd__request_op__init(op);
    (*list)[(*count)++] = op;
    return op;
}

static Etcd__PutRequest *put(struct build *build, Etcd__TxnRequest *txn, bool otherwise,
                             const char *key)
{
    Etcd__RequestOp *op = action(build, txn, otherwise);
    Etcd__PutRequest *request = take(build, sizeof *request);
    etcd__put_request__init(request);
    request->key = text(build, key);
    op->request_case = ETCD__REQUEST_OP__REQUEST_REQUEST_PUT;
    op->request_put = request;
    return request;
}

void build_put(struct build *build, Etcd__TxnRequest *txn, bool otherwise, const char *key,
               const ProtobufCMessage *value, int64_t lease)
{
    Etcd__PutRequest *request = put(build, txn, otherwise, key);
    request->lease = lease;
    request->value = packed(build, value);
}

void build_put_text(struct build *build, Etcd__TxnRequest *txn, bool otherwise, const char *key,
                    const char *value)
{
    put(build, txn, otherwise, key)->value = text(build, value);
}

void build_delete(struct build *build, Etcd__TxnRequest *txn, bool otherwise, const char *key,
                  const char *end)
{
    Etcd__RequestOp *op = action(build, txn, otherwise);
    Etcd__DeleteRangeRequest *request = take(build, sizeof *request);
    etcd__delete_range_request__init(request);
    request->key = text(build, key);
    if (end != NULL)
        request->range_end = text(build, end);
    op->request_case = ETCD__REQUEST_OP__REQUEST_REQUEST_DELETE_RANGE;
    op->request_delete_range = request;
}

void build_get(struct build *build, Etcd__TxnRequest *txn, bool otherwise, const char *key,
               struct build_range range)
{
    Etcd__RequestOp *op = action(build, txn, otherwise);
    Etcd__RangeRequest *request = take(build, sizeof *request);
    etcd__range_request__init(request);
    request->key = text(build, key);
    if (range.end != NULL)
        request->range_end = text(build, range.end);
    request->keys_only = range.keys_only;
    request->count_only = range.count_only;
    request->limit = range.limit;
    if (range.by_creation) {
        request->sort_order = ETCD__RANGE_REQUEST__SORT_ORDER__ASCEND;
        request->sort_target = ETCD__RANGE_REQUEST__SORT_TARGET__CREATE;
    }
    op->request_case = ETCD__REQUEST_OP__REQUEST_REQUEST_RANGE;
    op->request_range = request;
}

Etcd__TxnRequest *build_nested(struct build *build, Etcd__TxnRequest *txn, bool otherwise)
{
    Etcd__RequestOp *op = action(build, txn, otherwise);
    op->request_case = ETCD__REQUEST_OP__REQUEST_REQUEST_TXN;
    op->request_txn = new_txn(build);
    return op->request_txn;
}
