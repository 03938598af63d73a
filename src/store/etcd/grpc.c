#include "store/etcd/grpc.h"

#include "os/foreign.h"
#include "store/etcd/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME = 5, MOST = FRAME + INTAKE_BYTES }; /* compressed or not, and four bytes of length */

/* gRPC's codes, as far as etcd uses them. */
enum {
    CODE_OK = 0,
    CODE_INVALID_ARGUMENT = 3,
    CODE_NOT_FOUND = 5,
    CODE_PERMISSION_DENIED = 7,
    CODE_RESOURCE_EXHAUSTED = 8,
    CODE_FAILED_PRECONDITION = 9,
    CODE_OUT_OF_RANGE = 11,
    CODE_UNIMPLEMENTED = 12,
    CODE_UNAVAILABLE = 14,
    CODE_UNAUTHENTICATED = 16
};

/* ---- sending ---- */

bool grpc_add(struct link_call *call, const ProtobufCMessage *message)
{
    const size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *room = realloc(call->out, call->out_size + FRAME + size);
    if (room == NULL)
        return false;
    uint8_t *at = room + call->out_size;
    at[0] = 0;
    for (int i = 0; i < 4; i++)
        at[1 + i] = (uint8_t)(size >> (24 - 8 * i));
    protobuf_c_message_pack(message, at + FRAME);
    call->out = room;
    call->out_size += FRAME + size;
    return true;
}

static ssize_t read_out(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t room,
                        uint32_t *flags, nghttp2_data_source *source, void *context)
{
    (void)session, (void)id, (void)context;
    struct link_call *call = source->ptr;
    size_t left = call->out_size - call->out_sent;
    if (left > room)
        left = room;
    memcpy(buffer, call->out + call->out_sent, left);
    call->out_sent += left;
    if (call->out_sent == call->out_size && !call->stream)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return left > 0 || !call->stream ? (ssize_t)left : NGHTTP2_ERR_DEFERRED;
}

static nghttp2_nv header(const char *name, const char *value)
{
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value),
                        NGHTTP2_NV_FLAG_NO_COPY_NAME};
}

bool grpc_submit(struct link *link, struct link_call *call)
{
    const nghttp2_nv headers[] = {
        header(":method", "POST"),
        header(":scheme", link->context != NULL ? "https" : "http"),
        header(":path", call->path),
        header(":authority", link->connection.where),
        header("content-type", "application/grpc"),
        header("te", "trailers"),
        header("user-agent", "berth/" BERTH_VERSION),
        header("token", link->token != NULL ? link->token : ""),
    };
    const size_t count = sizeof headers / sizeof headers[0];
    const bool with_token = link->token != NULL && link->token[0] != '\0';
    const nghttp2_data_provider data = {.source.ptr = call, .read_callback = read_out};
    const int32_t id = nghttp2_submit_request(link->session, NULL, headers,
                                              with_token ? count : count - 1, &data, call);
    if (id <= 0)
        return false;
    call->id = id;
    return true;
}

/* nghttp2 sends a reset before any more data of the stream, so the call's are not asked for
 * again. */
void grpc_reset(struct link *link, struct link_call *call)
{
    if (link->session == NULL)
        return;
    nghttp2_session_set_stream_user_data(link->session, call->id, NULL);
    nghttp2_submit_rst_stream(link->session, NGHTTP2_FLAG_NONE, call->id, NGHTTP2_CANCEL);
}

/* ---- receiving ---- */

static void take_header(struct link_call *call, const char *name, const char *value, size_t length)
{
    if (strcmp(name, ":status") == 0) {
        call->http = atoi(value);
    } else if (strcmp(name, "grpc-status") == 0) {
        call->status = atoi(value);
    } else if (strcmp(name, "grpc-message") == 0) {
        os_clean(call->text, sizeof call->text, (struct os_foreign){value, length});
    }
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_length, const uint8_t *value, size_t length, uint8_t flags,
                     void *context)
{
    (void)name_length, (void)flags, (void)context;
    struct link_call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (call != NULL)
        take_header(call, (const char *)name, (const char *)value, length);
    return 0;
}

static size_t frame_size(const uint8_t *frame)
{
    return FRAME + ((size_t)frame[1] << 24 | (size_t)frame[2] << 16 | (size_t)frame[3] << 8 |
                    (size_t)frame[4]);
}

/* Hands on the messages of a stream as they become complete. The receiver of one may cancel the
 * call; then the remaining ones are dropped. */
static void hand_on(struct link_call *call)
{
    uint8_t *in = call->in;
    const size_t size = call->in_size, room = call->in_room;
    size_t used = 0;
    call->in = NULL;
    call->in_size = call->in_room = 0;
    while (!call->cancelled && size - used >= FRAME && size - used >= frame_size(in + used)) {
        const size_t whole = frame_size(in + used);
        call->message(call, in + used + FRAME, whole - FRAME);
        used += whole;
    }
    if (call->cancelled) {
        free(in);
        return;
    }
    memmove(in, in + used, size - used);
    call->in = in;
    call->in_size = size - used;
    call->in_room = room;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t length, void *context)
{
    (void)flags, (void)context;
    struct link_call *call = nghttp2_session_get_stream_user_data(session, id);
    if (call == NULL)
        return 0;
    if (call->in_size + length > MOST)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (call->in_size + length > call->in_room) {
        const size_t room = (call->in_size + length) * 2;
        uint8_t *in = realloc(call->in, room);
        if (in == NULL)
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        call->in = in;
        call->in_room = room;
    }
    memcpy(call->in + call->in_size, data, length);
    call->in_size += length;
    if (call->stream)
        hand_on(call);
    return 0;
}

/* A call must not be ended inside a callback of nghttp2: a negative id marks it, and it is ended
 * later. */
static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *context)
{
    (void)error, (void)context;
    struct link_call *call = nghttp2_session_get_stream_user_data(session, id);
    if (call != NULL)
        call->id = -id;
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    (void)session;
    if (frame->hd.type == NGHTTP2_SETTINGS)
        ((struct link *)context)->speaks = true;
    return 0;
}

nghttp2_session *grpc_session(struct link *link)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_session *session = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        return NULL;
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                               {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20}};
    if (nghttp2_session_client_new(&session, callbacks, link) == 0 &&
        (nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, 2) != 0 ||
         nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, 1 << 22) != 0)) {
        nghttp2_session_del(session);
        session = NULL;
    }
    nghttp2_session_callbacks_del(callbacks);
    return session;
}

/* ---- what the answer means ---- */

static bool says(const struct link_call *call, const char *words)
{
    return strstr(call->text, words) != NULL;
}

/* 0: it is not known whether it was done. */
static int error_of(const struct link_call *call)
{
    switch (call->status) {
    case CODE_NOT_FOUND: return says(call, "lease") ? ESTALE : ENOENT;
    case CODE_PERMISSION_DENIED: return EACCES;
    case CODE_UNAUTHENTICATED: return EKEYEXPIRED;
    case CODE_RESOURCE_EXHAUSTED: return says(call, "space exceeded") ? ENOSPC : EMSGSIZE;
    case CODE_FAILED_PRECONDITION:
        return says(call, "lease already exists")         ? EEXIST
               : says(call, "authentication is not enab") ? ENOTSUP
                                                          : EIO;
    case CODE_INVALID_ARGUMENT:
        return says(call, "auth store is old")    ? EKEYEXPIRED
               : says(call, "authentication")     ? EACCES
               : says(call, "user name is empty") ? EACCES
                                                  : EIO;
    case CODE_OUT_OF_RANGE: return ERANGE;
    default: return 0;
    }
}

/* Messages of etcd, and the errors that they stand for. */
static void explain(struct link_call *call, const char *meaning)
{
    char said[160];
    layout_copy(said, sizeof said, call->text);
    snprintf(call->text, sizeof call->text, "%s (%s)", meaning, said);
}

static enum grpc_verdict no_answer(struct link_call *call)
{
    if (call->http != 0 && call->http != 200) {
        snprintf(call->text, sizeof call->text, "HTTP status %d: this is a proxy, and not etcd",
                 call->http);
        return GRPC_LEAVE;
    }
    snprintf(call->text, sizeof call->text, "the store ended the call without an answer");
    return call->stream ? GRPC_NONE : GRPC_LEAVE;
}

/* A learner never carries out a request. The other answers come from a member that may have begun
 * to: it has lost its leader, or is a leader that has lost its followers. */
static enum grpc_verdict unavailable(struct link_call *call, struct link_answer *answer)
{
    if (says(call, "learner")) {
        answer->outcome = ANSWER_UNSENT;
        explain(call, "this member is a learner, and answers nothing");
        return GRPC_LEAVE;
    }
    return says(call, "etcdserver") ? GRPC_NO_LEADER : GRPC_LEAVE;
}

/* It was not carried out here, and never will be. */
static enum grpc_verdict refuse(struct link_call *call, struct link_answer *answer, int error,
                                const char *meaning)
{
    *answer = (struct link_answer){.outcome = ANSWER_UNSENT, .error = error, .reason = call->text};
    explain(call, meaning);
    return GRPC_REFUSE;
}

/* A member, or something before it, that cannot go on: another may. */
static enum grpc_verdict failed(struct link_call *call, struct link_answer *answer, int error)
{
    char meaning[64];
    snprintf(meaning, sizeof meaning, "the store failed, with gRPC status %d", call->status);
    explain(call, meaning);
    if (error == EMSGSIZE)
        answer->outcome = ANSWER_UNSENT;
    return GRPC_LEAVE;
}

enum grpc_verdict grpc_answer(struct link_call *call, struct link_answer *answer)
{
    *answer = (struct link_answer){
        .outcome = ANSWER_UNKNOWN, .error = EHOSTUNREACH, .reason = call->text};
    if (call->status < 0)
        return no_answer(call);
    if (call->status == CODE_OK) {
        if (call->in_size < FRAME || call->in[0] != 0 || call->in_size < frame_size(call->in))
            return no_answer(call);
        answer->outcome = ANSWER_GIVEN;
        answer->message = call->in + FRAME;
        answer->size = frame_size(call->in) - FRAME;
        return GRPC_GOOD;
    }
    if (call->status == CODE_UNAVAILABLE)
        return unavailable(call, answer);
    const int error = error_of(call);
    if (error == EKEYEXPIRED)
        return GRPC_SIGN_IN;
    if (call->status == CODE_UNIMPLEMENTED)
        return refuse(call, answer, EPROTO,
                      "the store is too old, or no etcd: 3.4 is the oldest that will do");
    /* EMSGSIZE: too many requests at once, and this one was rejected. */
    if (error == 0 || error == EMSGSIZE)
        return failed(call, answer, error);
    if (!says(call, "etcdserver"))
        return refuse(call, answer, error == EACCES ? EACCES : EPROTO,
                      "this is not etcd, or something before it lets nothing through");
    answer->outcome = ANSWER_REFUSED;
    answer->error = error;
    if (error == ENOSPC)
        explain(call, "the store is full, and takes nothing until its alarm is disarmed");
    else if (error == ERANGE)
        explain(call, "what was asked for has been compacted");
    return GRPC_GOOD;
}
