#include "store/etcd/intake.h"

#include "os/foreign.h"

#include "values.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LEASE = 3600 }; /* the most that an address can ask for */

/* ---- messages ---- */

struct count {
    size_t fields, parts;
};

static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < 70 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;
        if (shift < 64)
            *number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

/* Says how many bytes the value of a field has that is no number of bytes; false: it has none. */
static bool length_of(unsigned type, const uint8_t **at, const uint8_t *end, uint64_t *length)
{
    switch (type) {
    case 0: *length = 0; return take_varint(at, end, &(uint64_t){0});
    case 1: *length = 8; return true;
    case 2: return take_varint(at, end, length);
    case 5: *length = 4; return true;
    default: return false;
    }
}

/* Looks at all of a message before memory is taken for it. What is in a message is never deeper
 * than `depth`, so this does not go deeper either. */
static bool is_sane(const ProtobufCMessageDescriptor *kind, const uint8_t *at, const uint8_t *end,
                    unsigned depth, struct count *count)
{
    if (depth == 0 || ++count->parts > INTAKE_PARTS)
        return false;
    while (at < end) {
        uint64_t tag, length;
        if (++count->fields > INTAKE_FIELDS || !take_varint(&at, end, &tag) ||
            !length_of(tag & 7, &at, end, &length) || length > (uint64_t)(end - at))
            return false;
        const ProtobufCFieldDescriptor *field =
            tag >> 3 <= UINT32_MAX
                ? protobuf_c_message_descriptor_get_field(kind, (unsigned)(tag >> 3))
                : NULL;
        if ((tag & 7) == 2 && field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE &&
            !is_sane(field->descriptor, at, at + length, depth - 1, count))
            return false;
        at += length;
    }
    return true;
}

void *intake_message(const ProtobufCMessageDescriptor *kind, size_t size, const uint8_t *bytes)
{
    struct count count = {0};
    if (size > INTAKE_BYTES ||
        (size > 0 && !is_sane(kind, bytes, bytes + size, INTAKE_DEPTH, &count)))
        return NULL;
    return protobuf_c_message_unpack(kind, NULL, size, bytes);
}

/* ---- keys ---- */

/* Gives what comes after the folder's name, as text without a slash. */
static bool rest_of(const char *folder, const Etcd__KeyValue *kv, layout_key rest)
{
    const size_t before = strlen(folder);
    if (kv->key.len < before || kv->key.len >= LAYOUT_KEY ||
        memcmp(kv->key.data, folder, before) != 0)
        return false;
    const size_t length = kv->key.len - before;
    const uint8_t *from = kv->key.data + before;
    if (memchr(from, '\0', length) != NULL || memchr(from, '/', length) != NULL)
        return false;
    memcpy(rest, from, length);
    rest[length] = '\0';
    return true;
}

static bool rest_in(const struct layout *layout, char folder, const Etcd__KeyValue *kv,
                    layout_key rest)
{
    layout_key before;
    layout_in(layout, folder, "", before);
    return rest_of(before, kv, rest);
}

bool intake_slot_key(const struct layout *layout, char folder, const Etcd__KeyValue *kv,
                     unsigned *slot)
{
    layout_key digits;
    if (!rest_in(layout, folder, kv, digits) || strlen(digits) != 4 ||
        strspn(digits, "0123456789") != 4)
        return false;
    *slot = (unsigned)strtoul(digits, NULL, 10);
    return *slot < BERTH_MAX_SLOTS;
}

static bool is_client(const char *text)
{
    return strspn(text, "0123456789abcdef") == LAYOUT_CLIENT - 1;
}

/* CLIENT.NUMBER */
static bool is_entry(const char *text)
{
    const size_t length = strlen(text);
    return length > LAYOUT_CLIENT && length < LAYOUT_ENTRY && is_client(text) &&
           text[LAYOUT_CLIENT - 1] == '.' &&
           strspn(text + LAYOUT_CLIENT, "0123456789") == length - LAYOUT_CLIENT;
}

bool intake_entry_key(const struct layout *layout, char folder, const Etcd__KeyValue *kv,
                      char entry[LAYOUT_ENTRY])
{
    layout_key rest;
    if (!rest_in(layout, folder, kv, rest) || !is_entry(rest))
        return false;
    layout_copy(entry, LAYOUT_ENTRY, rest);
    return true;
}

bool intake_client_key(const struct layout *layout, const Etcd__KeyValue *kv,
                       char client[LAYOUT_CLIENT])
{
    layout_key rest;
    if (!rest_in(layout, LAYOUT_CLIENTS, kv, rest) || strlen(rest) != LAYOUT_CLIENT - 1 ||
        !is_client(rest))
        return false;
    layout_copy(client, LAYOUT_CLIENT, rest);
    return true;
}

bool intake_pool_key(const struct layout *layout, const Etcd__KeyValue *kv, layout_key name)
{
    layout_key folder;
    snprintf(folder, sizeof folder, "%spools/", layout->prefix);
    return rest_of(folder, kv, name);
}

/* ---- values ---- */

static void *value_of(const ProtobufCMessageDescriptor *kind, const Etcd__KeyValue *kv)
{
    return intake_message(kind, kv->value.len, kv->value.data);
}

bool intake_pool(const Etcd__KeyValue *kv, struct intake_pool *pool)
{
    Berth__Pool *value = value_of(&berth__pool__descriptor, kv);
    if (value == NULL)
        return false;
    *pool = (struct intake_pool){value->slots, value->ttl};
    const bool good = value->format == LAYOUT_FORMAT && value->slots <= BERTH_MAX_SLOTS &&
                      value->ttl <= LONGEST_LEASE;
    berth__pool__free_unpacked(value, NULL);
    return good;
}

bool intake_holder(const Etcd__KeyValue *kv, struct intake_holder *holder)
{
    Berth__Holder *value = value_of(&berth__holder__descriptor, kv);
    if (value == NULL)
        return false;
    const bool good = is_entry(value->entry);
    layout_copy(holder->entry, sizeof holder->entry, good ? value->entry : "");
    holder->since_ms = value->since_ms;
    berth__holder__free_unpacked(value, NULL);
    return good;
}

bool intake_mail(const Etcd__KeyValue *kv, struct intake_mail *mail)
{
    Berth__Mail *value = value_of(&berth__mail__descriptor, kv);
    if (value == NULL)
        return false;
    *mail = (struct intake_mail){value->slot, value->ticket};
    berth__mail__free_unpacked(value, NULL);
    return mail->slot < BERTH_MAX_SLOTS;
}

bool intake_waiter(const Etcd__KeyValue *kv, int64_t *since_ms)
{
    Berth__Waiter *value = value_of(&berth__waiter__descriptor, kv);
    if (value == NULL)
        return false;
    *since_ms = value->since_ms;
    berth__waiter__free_unpacked(value, NULL);
    return true;
}

static struct os_foreign text_of(const void *bytes, size_t size)
{
    return (struct os_foreign){size > 0 ? bytes : "", size};
}

bool intake_client(const Etcd__KeyValue *kv, struct intake_client *client)
{
    Berth__Client *value = value_of(&berth__client__descriptor, kv);
    if (value == NULL)
        return false;
    *client = (struct intake_client){
        .pid = value->pid, .opened_ms = value->opened_ms, .place = value->place};
    os_clean(client->host, sizeof client->host, text_of(value->host, strlen(value->host)));
    os_clean(client->command, sizeof client->command,
             text_of(value->command.data, value->command.len));
    for (size_t i = 0; i < value->n_loans && client->loan_count < INTAKE_LOANS; i++) {
        const Berth__Loan *loan = value->loans[i];
        if (loan->slot >= BERTH_MAX_SLOTS || loan->level == 0)
            continue;
        client->loan[client->loan_count].slot = loan->slot;
        client->loan[client->loan_count].level = loan->level;
        client->loan[client->loan_count++].token = loan->token;
    }
    berth__client__free_unpacked(value, NULL);
    return true;
}
