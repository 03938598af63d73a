#include "store/etcd/link.h"

#include "os/clock.h"
#include "store/etcd/grpc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t connect_within = UINT64_C(2000000000), pause_most = UINT64_C(1000000000);

/* ---- calls ---- */

static void unlist(struct link *link, struct link_call *call)
{
    for (struct link_call **at = &link->calls; *at != NULL; at = &(*at)->next) {
        if (*at == call) {
            *at = call->next;
            break;
        }
    }
    free(call->out);
    free(call->in);
    call->out = call->in = NULL;
}

static void finish(struct link *link, struct link_call *call, const struct link_answer *answer)
{
    uint8_t *in = call->in; /* the answer's message may lie there */
    call->in = NULL;
    unlist(link, call);
    call->end(call, answer);
    free(in);
}

static void end_unanswered(struct link *link, struct link_call *call, int error, const char *reason)
{
    finish(link, call,
           &(struct link_answer){.outcome = call->id != 0 ? ANSWER_UNKNOWN : ANSWER_UNSENT,
                                 .error = error,
                                 .reason = reason});
}

/* The HTTP/2 stream of a call is closed: what was said is all there is. */
static void end_call(struct link *link, struct link_call *call)
{
    struct link_answer answer;
    if (grpc_answer(call, &answer)) {
        if (answer.error == EKEYEXPIRED) { /* the token: sign in and ask again, it was not done */
            link->token[0] = '\0';
            call->id = 0;
            call->status = -1;
            call->out_sent = call->in_size = 0;
            return;
        }
        finish(link, call, &answer);
    } else {
        end_unanswered(link, call, ECONNRESET, "the store ended the call without an answer");
    }
}

/* The first call of that kind. What a call's end does may change the list: look again after each. */
static struct link_call *find(struct link *link, bool (*is)(const struct link_call *))
{
    struct link_call *call = link->calls;
    while (call != NULL && !is(call))
        call = call->next;
    return call;
}

static bool is_under_way(const struct link_call *call)
{
    return call->id != 0;
}

static bool is_closed(const struct link_call *call)
{
    return call->id < 0;
}

static void drop(struct link *link, uint64_t now, int error)
{
    if (link->session != NULL)
        nghttp2_session_del(link->session);
    link->session = NULL;
    link->unsent_size = 0;
    connection_close(&link->connection);
    link->state = LINK_DOWN;
    link->error = error;
    link->endpoint = (link->endpoint + 1) % link->address->endpoints;
    link->failures++;
    /* Each endpoint is tried at once, and then all of them again after a while. */
    uint64_t pause = 0;
    if (link->failures % link->address->endpoints == 0) {
        const unsigned rounds = link->failures / (unsigned)link->address->endpoints;
        pause = (uint64_t)OS_MILLISECOND * 25 << (rounds < 6 ? rounds : 6);
        link->random = link->random * UINT64_C(6364136223846793005) + 1442695040888963407;
        pause = (pause < pause_most ? pause : pause_most) / 2 + (link->random >> 33) % (pause / 2);
    }
    link->try_at = now + pause;
    /* What had been sent may have been done. What was not stays, up to its deadline. */
    for (struct link_call *call; (call = find(link, is_under_way)) != NULL;)
        end_unanswered(link, call, EHOSTUNREACH, link->reason);
}

static void fail(struct link *link, uint64_t now, int error, const char *what)
{
    if (what != NULL)
        snprintf(link->reason, sizeof link->reason, "%s: %s", link->connection.where, what);
    drop(link, now, error);
}

/* ---- sessions ---- */

static void begin_session(struct link *link, uint64_t now)
{
    link->session = grpc_session(link);
    if (link->session == NULL)
        fail(link, now, ENOMEM, "there is no memory for a connection");
}

static void submit_all(struct link *link, uint64_t now)
{
    for (struct link_call *call = link->calls; call != NULL; call = call->next) {
        if (call->id != 0 || (link->state != LINK_UP && call != &link->sign_in))
            continue;
        if (!grpc_submit(link, call)) {
            fail(link, now, ENOMEM, "cannot make a request");
            return;
        }
        call->sent_at = now;
    }
}

static void refused_for_good(struct link *link, const char *reason)
{
    snprintf(link->reason, sizeof link->reason, "%s", reason);
    link->error = EACCES;
    link->failed_for_good = true;
}

static void signed_in(struct link_call *call, const struct link_answer *answer)
{
    struct link *link = call->context;
    Etcd__AuthenticateResponse *response =
        answer->outcome == ANSWER_GIVEN
            ? etcd__authenticate_response__unpack(NULL, answer->size, answer->message)
            : NULL;
    if (response != NULL && strlen(response->token) < sizeof link->token) {
        layout_copy(link->token, sizeof link->token, response->token);
        link->state = LINK_UP;
        link->failures = 0;
    } else if (answer->outcome == ANSWER_REFUSED && answer->error == ENOTSUP) {
        layout_copy(link->token, sizeof link->token, "-"); /* the store asks nobody who they are */
        link->state = LINK_UP;
        link->failures = 0;
    } else if (answer->outcome == ANSWER_REFUSED) {
        refused_for_good(link, answer->reason);
    }
    if (response != NULL)
        etcd__authenticate_response__free_unpacked(response, NULL);
}

static void sign_in(struct link *link, uint64_t now)
{
    Etcd__AuthenticateRequest request = ETCD__AUTHENTICATE_REQUEST__INIT;
    char user[ADDRESS_WORD], password[ADDRESS_WORD];
    layout_copy(user, sizeof user, link->address->user);
    layout_copy(password, sizeof password, link->address->password);
    request.name = user;
    request.password = password;
    link->state = LINK_SIGNING_IN;
    link->state_deadline = now + connect_within;
    link->sign_in = (struct link_call){.path = "/etcdserverpb.Auth/Authenticate",
                                       .end = signed_in,
                                       .context = link,
                                       .deadline = link->state_deadline};
    if (link_call(link, &link->sign_in, &request.base) != 0)
        fail(link, now, ENOMEM, "there is no memory for a request");
}

static bool has_to_sign_in(const struct link *link)
{
    return link->address->user[0] != '\0' && link->token[0] == '\0';
}

static void connected(struct link *link, uint64_t now)
{
    begin_session(link, now);
    if (link->session == NULL)
        return;
    if (has_to_sign_in(link)) {
        sign_in(link, now);
        return;
    }
    link->state = LINK_UP;
}

/* ---- input and output ---- */

/* Reading or writing did not succeed, with errno. */
static void broken(struct link *link, uint64_t now)
{
    const int error = errno;
    link->failed_for_good |= error == EACCES;
    fail(link, now, error == EACCES ? EACCES : EHOSTUNREACH,
         error == EACCES ? connection_refusal() : strerror(error));
}

static bool receive(struct link *link, uint64_t now)
{
    uint8_t buffer[16384];
    for (;;) {
        const ssize_t got = connection_read(&link->connection, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return true;
        if (got < 0)
            broken(link, now);
        else if (got == 0)
            fail(link, now, EHOSTUNREACH, "the store ended the connection");
        if (got <= 0)
            return false;
        const ssize_t used = nghttp2_session_mem_recv(link->session, buffer, (size_t)got);
        if (used < 0) {
            fail(link, now, EPROTO, "this is not etcd, or no HTTP/2");
            return false;
        }
    }
}

/* Frames are put together, so that a request is one packet. */
static bool gather(struct link *link, uint64_t now)
{
    while (link->unsent_size < LINK_OUT / 2) {
        const uint8_t *frame;
        const ssize_t size = nghttp2_session_mem_send(link->session, &frame);
        if (size <= 0) {
            if (size < 0)
                fail(link, now, EPROTO, nghttp2_strerror((int)size));
            return size == 0;
        }
        if (link->unsent_size + (size_t)size > LINK_OUT) {
            fail(link, now, EPROTO, "a frame is too long");
            return false;
        }
        memcpy(link->unsent + link->unsent_size, frame, (size_t)size);
        link->unsent_size += (size_t)size;
    }
    return true;
}

static void transmit(struct link *link, uint64_t now)
{
    while (gather(link, now) && link->unsent_size > 0) {
        const ssize_t put = connection_write(&link->connection, link->unsent, link->unsent_size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            return;
        if (put < 0) {
            broken(link, now);
            return;
        }
        link->unsent_size -= (size_t)put;
        memmove(link->unsent, link->unsent + put, link->unsent_size);
    }
}

/* Streams that the peer has closed. The callbacks of nghttp2 only take note of that. */
static void end_closed(struct link *link)
{
    for (struct link_call *call; (call = find(link, is_closed)) != NULL;)
        end_call(link, call);
}

/* A call that was sent and got no answer in time: the endpoint is as good as gone. */
static void expire(struct link *link, uint64_t now)
{
    bool suspect = false;
    for (struct link_call *call = link->calls; call != NULL;) {
        if (now < call->deadline || (call->stream && call->id != 0)) {
            call = call->next;
            continue;
        }
        suspect |= call->id != 0;
        if (call->id > 0)
            grpc_reset(link, call);
        end_unanswered(link, call, EHOSTUNREACH,
                       link->state == LINK_UP ? "the store does not answer in time" : link->reason);
        call = link->calls;
    }
    if (suspect && link->state == LINK_UP)
        fail(link, now, EHOSTUNREACH, "the store does not answer in time");
    if (link->failed_for_good) {
        while (link->calls != NULL)
            finish(link, link->calls,
                   &(struct link_answer){
                       .outcome = ANSWER_REFUSED, .error = link->error, .reason = link->reason});
        link->failed_for_good = false; /* who asks again is answered again */
    }
}

static void connect_on(struct link *link, uint64_t now)
{
    if (link->state == LINK_DOWN && now >= link->try_at && link->calls != NULL) {
        const int error =
            connection_open(&link->connection, &link->address->endpoint[link->endpoint],
                            link->context, link->reason);
        link->state = LINK_CONNECTING;
        link->state_deadline = now + connect_within;
        if (error != 0)
            drop(link, now, error);
    }
    if (link->state == LINK_CONNECTING) {
        const int error = connection_advance(&link->connection, link->context, link->reason);
        if (error == 0) {
            connected(link, now);
        } else if (error != EAGAIN) {
            link->failed_for_good |= error == EACCES;
            drop(link, now, error);
        }
    }
    if ((link->state == LINK_CONNECTING || link->state == LINK_SIGNING_IN) &&
        now >= link->state_deadline)
        fail(link, now, EHOSTUNREACH, "no connection in time");
}

void link_flush(struct link *link, uint64_t now)
{
    if (link->session == NULL)
        return;
    if (link->state == LINK_UP && has_to_sign_in(link))
        sign_in(link, now);
    submit_all(link, now);
    if (link->session != NULL)
        transmit(link, now);
    /* The server may have asked us to go away: as soon as nothing is under way. */
    if (link->session != NULL && nghttp2_session_want_read(link->session) == 0 &&
        nghttp2_session_want_write(link->session) == 0)
        fail(link, now, EHOSTUNREACH, "the store ended the connection");
}

void link_advance(struct link *link, uint64_t now)
{
    connect_on(link, now);
    if (link->session != NULL && receive(link, now))
        end_closed(link);
    link_flush(link, now);
    expire(link, now);
}

/* ---- for its users ---- */

int link_open(struct link *link, const struct address *address, char reason[STORE_REASON])
{
    *link = (struct link){.address = address, .connection.fd = -1};
    link->random = os_now(CLOCK_MONOTONIC) ^ (uint64_t)(uintptr_t)link;
    link->endpoint = (link->random >> 8) % address->endpoints;
    snprintf(link->reason, sizeof link->reason, "no connection to %s in time", address->shown);
    if (!address->tls)
        return 0;
    link->context = connection_context(address, reason);
    return link->context != NULL ? 0 : EACCES;
}

void link_close(struct link *link)
{
    if (link->address == NULL)
        return; /* it was never opened */
    drop(link, os_now(CLOCK_MONOTONIC), ECANCELED);
    while (link->calls != NULL)
        end_unanswered(link, link->calls, ECANCELED, "the connection was closed");
    if (link->context != NULL)
        SSL_CTX_free(link->context);
    link->context = NULL;
}

int link_call(struct link *link, struct link_call *call, const ProtobufCMessage *message)
{
    call->id = 0;
    call->status = -1;
    call->text[0] = '\0';
    call->out = call->in = NULL;
    call->out_size = call->out_sent = call->in_size = call->in_room = 0;
    if (!grpc_add(call, message))
        return ENOMEM;
    call->next = link->calls;
    link->calls = call;
    return 0;
}

void link_cancel(struct link *link, struct link_call *call)
{
    if (call->id > 0)
        grpc_reset(link, call);
    unlist(link, call);
}

void link_poll(const struct link *link, int *fd, short *events, uint64_t *until)
{
    *fd = link->connection.fd;
    *events = link->state == LINK_CONNECTING ? link->connection.wants : POLLIN;
    if (link->session != NULL &&
        (link->unsent_size > 0 || nghttp2_session_want_write(link->session)))
        *events |= POLLOUT;
    *until = UINT64_MAX;
    if (link->state == LINK_CONNECTING || link->state == LINK_SIGNING_IN)
        *until = link->state_deadline;
    if (link->state == LINK_DOWN && link->calls != NULL)
        *until = link->try_at;
    for (const struct link_call *call = link->calls; call != NULL; call = call->next) {
        if (!(call->stream && call->id != 0) && call->deadline < *until)
            *until = call->deadline;
    }
}

void link_drive(struct link *link, const bool *done)
{
    for (;;) {
        link_advance(link, os_now(CLOCK_MONOTONIC));
        if (*done)
            return;
        struct pollfd one;
        uint64_t until;
        link_poll(link, &one.fd, &one.events, &until);
        const uint64_t now = os_now(CLOCK_MONOTONIC);
        const uint64_t left = until > now ? until - now : 0;
        const struct timespec wait = os_timespec(left);
        ppoll(&one, 1, until == UINT64_MAX ? NULL : &wait, NULL);
    }
}
