/*
 * libFuzzer over what the etcd store reads: the answers of a false server, and the keys and values
 * of other clients. There is no server: the transport has one end of a socket, and the client's
 * machine is given answers.
 *
 * The first byte chooses.
 *   0  bytes of a connection: what a server sends on it
 *   1  the same, as frames of HTTP/2: a header for each field, and a message in gRPC's frame
 *   2  answers to a machine, as bytes, one after the other; the second byte is its goal
 *   3  answers as another client makes them: keys and values below the pool's prefix
 *   4  values and text, one after the other
 * What the machine and the readers give is checked: a slot is one of the pool's, text can be
 * printed.
 */
#include "../input.h"

#include "os/clock.h"
#include "os/foreign.h"
#include "store/etcd/intake.h"
#include "store/etcd/grpc.h"
#include "store/etcd/machine_parts.h"
#include "store/etcd/tls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MUST(what)                                                                                 \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "not so: %s\n", #what);                                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No address here asks for TLS. */
const struct tls_operations *tls_find(char reason[STORE_REASON])
{
    (void)reason;
    return NULL;
}

const struct tls_operations *tls(void)
{
    abort();
}

static struct machine_seat seat;

static void sit(void)
{
    memset(&seat, 0, sizeof seat);
    snprintf(seat.layout.prefix, sizeof seat.layout.prefix, "/p/");
    snprintf(seat.layout.name, sizeof seat.layout.name, "x");
    snprintf(seat.client, sizeof seat.client, "%016x", 7);
    seat.lease = seat.client_revision = seat.pool_revision = 1;
    seat.slots = 2;
    seat.ttl = seat.pool_ttl = 2;
    seat.random = 1;
}

/* ---- 0, 1: the transport ---- */

static void keep(struct link_call *call, const struct link_answer *answer)
{
    *(bool *)call->context = true;
    if (answer->outcome != ANSWER_GIVEN) {
        for (const char *c = answer->reason; *c != '\0'; c++)
            MUST((unsigned char)*c >= ' ' && *c != 0x7f);
        return;
    }
    Etcd__TxnResponse *txn =
        intake_message(&etcd__txn_response__descriptor, answer->size, answer->message);
    if (txn != NULL)
        etcd__txn_response__free_unpacked(txn, NULL);
}

static void keep_message(struct link_call *call, const uint8_t *message, size_t size)
{
    (void)call;
    Etcd__WatchResponse *response =
        intake_message(&etcd__watch_response__descriptor, size, message);
    if (response != NULL)
        etcd__watch_response__free_unpacked(response, NULL);
}

static size_t frame(uint8_t *to, uint8_t kind, uint8_t flags, uint32_t stream, const uint8_t *from,
                    size_t size)
{
    const uint8_t head[] = {
        (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size, kind, flags, 0, 0, 0,
        (uint8_t)stream};
    memcpy(to, head, sizeof head);
    if (size > 0)
        memcpy(to + sizeof head, from, size);
    return sizeof head + size;
}

/* A header that is written out; the value comes from the input. */
static size_t literal(uint8_t *to, const char *name, struct input *input)
{
    const size_t length = strlen(name), value = input_take(input, 1) % 64;
    *to++ = 0;
    *to++ = (uint8_t)length;
    memcpy(to, name, length);
    to += length;
    *to++ = (uint8_t)value;
    for (size_t i = 0; i < value; i++)
        *to++ = (uint8_t)input_take(input, 1);
    return 3 + length + value;
}

static size_t as_frames(uint8_t *to, uint32_t stream, struct input *input)
{
    static const char *const names[] = {"grpc-status", "grpc-message", "content-type"};
    uint8_t head[512], body[4096] = {0};
    size_t used = frame(to, 4, 0, 0, NULL, 0), filled = 0;
    head[filled++] = 0x88; /* :status 200 */
    for (size_t i = input_take(input, 1) % 4; i > 0; i--)
        filled += literal(head + filled, names[i - 1], input);
    used += frame(to + used, 1, 4, stream, head, filled);
    const size_t size = input_take(input, 2) % 4000;
    for (size_t i = 0; i < size; i++)
        body[5 + i] = (uint8_t)input_take(input, 1);
    body[3] = (uint8_t)(size >> 8);
    body[4] = (uint8_t)size;
    used += frame(to + used, 0, 0, stream, body, 5 + size);
    static const uint8_t end[] = {0,   11,  'g', 'r', 'p', 'c', '-', 's',
                                  't', 'a', 't', 'u', 's', 1,   '0'};
    return used + frame(to + used, 1, 5, stream, end, sizeof end);
}

static void connection(struct input *input, bool framed)
{
    static const struct address address = {.endpoints = 1, .endpoint = {{"h", "1"}}, .shown = "h"};
    static struct link link;
    static uint8_t bytes[16384];
    char reason[STORE_REASON];
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    MUST(link_open(&link, &address, reason) == 0);
    const bool stream = input_take(input, 1) & 1;
    bool done = false;
    link.connection.fd = ends[0];
    link.state = LINK_UP;
    link.session = grpc_session(&link);
    struct link_call call = {.path = "/x/y",
                             .end = keep,
                             .message = keep_message,
                             .context = &done,
                             .stream = stream,
                             .deadline = os_now(STORE_CLOCK) + OS_SECOND};
    Etcd__RangeRequest request = ETCD__RANGE_REQUEST__INIT;
    MUST(link_call(&link, &call, &request.base) == 0);
    link_flush(&link, os_now(STORE_CLOCK));
    size_t size = 0;
    if (framed)
        size = as_frames(bytes, 1, input);
    while (!framed && !input_is_over(input) && size < sizeof bytes)
        bytes[size++] = (uint8_t)input_take(input, 1);
    if (write(ends[1], bytes, size) < 0)
        size = 0;
    close(ends[1]);
    link.state_deadline = os_now(STORE_CLOCK) + OS_SECOND;
    if (link.state == LINK_UP)
        link_advance(&link, os_now(STORE_CLOCK));
    if (!done)
        link_cancel(&link, &call);
    link_close(&link);
}

/* ---- 2, 3: the machine ---- */

static void check_grant(const struct machine *machine)
{
    if (machine->error == 0 && (machine->goal == MACHINE_ACQUIRE || machine->goal == MACHINE_TRY))
        MUST(machine->slot < seat.slots && seat.slots <= BERTH_MAX_SLOTS);
}

/* An answer: bytes of the input, after their number. */
static Etcd__TxnResponse *as_bytes(struct input *input)
{
    uint8_t bytes[1024];
    const size_t size = input_take(input, 2) % sizeof bytes;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)input_take(input, 1);
    return intake_message(&etcd__txn_response__descriptor, size, bytes);
}

enum { MOST = 6, ROOM = 80 };

/* What another client makes of an answer. Its parts are in static memory. */
static struct {
    Etcd__TxnResponse txn;
    Etcd__ResponseHeader header;
    Etcd__ResponseOp op[MOST], *ops[MOST];
    Etcd__RangeResponse range[MOST];
    Etcd__KeyValue kv[MOST][MOST], *kvs[MOST][MOST];
    uint8_t key[MOST][MOST][ROOM], value[MOST][MOST][ROOM];
} made;

static ProtobufCBinaryData take_bytes(uint8_t *room, const char *start, struct input *input)
{
    const size_t before = strlen(start), size = before + input_take(input, 1) % (ROOM - before);
    memcpy(room, start, before);
    for (size_t i = before; i < size; i++)
        room[i] = (uint8_t)input_take(input, 1);
    return (ProtobufCBinaryData){size, room};
}

static Etcd__TxnResponse *as_client(struct input *input)
{
    static const char *const folders[] = {
        "/p/use/x/s/", "/p/use/x/w/", "/p/use/x/u/",    "/p/use/x/m/",
        "/p/use/x/c/", "/p/pools/x",  "/p/use/x/s/000", "/p/use/x/w/0000000000000007."};
    etcd__txn_response__init(&made.txn);
    etcd__response_header__init(&made.header);
    made.txn.header = &made.header;
    made.header.revision = (int64_t)input_take(input, 1);
    made.txn.succeeded = input_take(input, 1) & 1;
    made.txn.n_responses = input_take(input, 1) % (MOST + 1);
    made.txn.responses = made.ops;
    for (size_t i = 0; i < made.txn.n_responses; i++) {
        made.ops[i] = &made.op[i];
        etcd__response_op__init(&made.op[i]);
        etcd__range_response__init(&made.range[i]);
        made.op[i].response_case = ETCD__RESPONSE_OP__RESPONSE_RESPONSE_RANGE;
        made.op[i].response_range = &made.range[i];
        made.range[i].count = (int64_t)(int8_t)input_take(input, 1);
        made.range[i].n_kvs = input_take(input, 1) % (MOST + 1);
        made.range[i].kvs = made.kvs[i];
        for (size_t k = 0; k < made.range[i].n_kvs; k++) {
            Etcd__KeyValue *kv = made.kvs[i][k] = &made.kv[i][k];
            etcd__key_value__init(kv);
            kv->key = take_bytes(made.key[i][k], folders[input_take(input, 1) % 8], input);
            kv->value = take_bytes(made.value[i][k], "", input);
            kv->mod_revision = (int64_t)input_take(input, 1);
            kv->create_revision = (int64_t)input_take(input, 1);
        }
    }
    return &made.txn;
}

static void machine(struct input *input, bool from_client)
{
    static const enum machine_goal goals[] = {MACHINE_ENTER,   MACHINE_ACQUIRE,   MACHINE_TRY,
                                              MACHINE_RELEASE, MACHINE_SERVE,     MACHINE_SWEEP,
                                              MACHINE_RESIZE,  MACHINE_ENTER_DOOR};
    sit();
    struct machine one = {.seat = &seat,
                          .goal = goals[input_take(input, 1) % 8],
                          .patience = patience_for(OS_SECOND),
                          .lost = input_take(input, 1) & 1};
    uint64_t now = OS_SECOND;
    seat.wanted = one.goal == MACHINE_RESIZE ? 3 : 0;
    enum machine_next next = machine_start(&one, now);
    for (unsigned step = 0; step < 24 && next != MACHINE_DONE && next != MACHINE_LOST; step++) {
        now += OS_SECOND;
        if (next == MACHINE_WAIT) {
            if (moment_is_never(one.wake_at))
                break;
            now += moment_left(one.wake_at, now);
            next = machine_tick(&one, now);
            continue;
        }
        free(one.request);
        one.request = NULL;
        Etcd__TxnResponse *txn = from_client ? as_client(input) : as_bytes(input);
        const bool whole = txn != NULL && txn->header != NULL;
        next =
            machine_reply(&one, now,
                          &(struct machine_answer){.outcome = whole ? ANSWER_GIVEN : ANSWER_UNKNOWN,
                                                   .txn = txn,
                                                   .error = EHOSTUNREACH,
                                                   .reason = "lost"});
        if (!from_client && txn != NULL)
            etcd__txn_response__free_unpacked(txn, NULL);
    }
    if (next == MACHINE_DONE)
        check_grant(&one);
    free(one.request);
}

/* ---- 4: values and text ---- */

static void check_text(const char *text, size_t room)
{
    char again[BERTH_COMMAND_MAX + BERTH_NAME_MAX];
    MUST(memchr(text, '\0', room) != NULL);
    for (const char *c = text; *c != '\0'; c++)
        MUST((unsigned char)*c >= ' ' && *c != 0x7f);
    os_clean(again, sizeof again, (struct os_foreign){text, strlen(text)});
    MUST(strcmp(again, text) == 0);
}

static void values(struct input *input)
{
    sit();
    while (!input_is_over(input)) {
        uint8_t key[ROOM], value[ROOM];
        char entry[LAYOUT_ENTRY], client_name[LAYOUT_CLIENT];
        unsigned slot;
        int64_t since;
        struct intake_pool pool;
        struct intake_holder holder;
        struct intake_mail mail;
        struct intake_client client;
        Etcd__KeyValue kv = ETCD__KEY_VALUE__INIT;
        kv.key = take_bytes(key, "/p/use/x/", input);
        kv.value = take_bytes(value, "", input);
        kv.mod_revision = 5;
        if (intake_slot_key(&seat.layout, 's', &kv, &slot))
            MUST(slot < BERTH_MAX_SLOTS && kv.key.len == strlen("/p/use/x/s/0000"));
        if (intake_entry_key(&seat.layout, 'w', &kv, entry))
            MUST(kv.key.len == strlen("/p/use/x/w/") + strlen(entry));
        intake_client_key(&seat.layout, &kv, client_name);
        if (intake_pool(&kv, &pool))
            MUST(pool.slots <= BERTH_MAX_SLOTS);
        if (intake_mail(&kv, &mail))
            MUST(mail.slot < BERTH_MAX_SLOTS);
        if (intake_holder(&kv, &holder))
            MUST(strlen(holder.entry) > LAYOUT_CLIENT);
        intake_waiter(&kv, &since);
        if (intake_client(&kv, &client)) {
            check_text(client.host, sizeof client.host);
            check_text(client.command, sizeof client.command);
        }
        machine_news(&seat, OS_SECOND, &kv);
        char text[32];
        os_clean(text, sizeof text, (struct os_foreign){(const char *)value, kv.value.len});
        check_text(text, sizeof text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {.data = data, .size = size};
    switch (input_take(&input, 1) % 5) {
    case 0: connection(&input, false); break;
    case 1: connection(&input, true); break;
    case 2: machine(&input, false); break;
    case 3: machine(&input, true); break;
    default: values(&input); break;
    }
    return 0;
}
