/* The state of a link: which endpoint, connected or not, and what is due. */
#include "store/etcd/link_parts.h"

#include "os/clock.h"
#include "store/etcd/grpc.h"
#include "store/etcd/tls.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t pause_most = UINT64_C(1000000000);

static void drop(struct link *link, uint64_t now, int error)
{
    if (link->session != NULL)
        nghttp2_session_del(link->session);
    link->session = NULL;
    link->unsent_size = 0;
    const bool served = link->speaks && !link->useless;
    connection_close(&link->connection);
    link->state = LINK_DOWN;
    link->error = error;
    link->leave = false;
    do {
        link->endpoint = (link->endpoint + 1) % link->address->endpoints;
    } while ((link->refused >> link->endpoint & 1) != 0);
    link->failures++;
    link->drops++;
    link->silences = served ? 0 : link->silences + 1;
    link->useless = link->speaks = false;
    /* Each endpoint is tried at once, and then all of them again after a while, those that could
     * not be used too: none of the others answers, and they may have been put right. */
    uint64_t pause = 0;
    if (link->failures % link->address->endpoints == 0) {
        link->refused = 0;
        const unsigned rounds = link->failures / (unsigned)link->address->endpoints;
        pause = (uint64_t)OS_MILLISECOND * 25 << (rounds < 6 ? rounds : 6);
        link->random = link->random * UINT64_C(6364136223846793005) + 1442695040888963407;
        pause = (pause < pause_most ? pause : pause_most) / 2 + (link->random >> 33) % (pause / 2);
    }
    link->try_at = now + pause;
    /* What had been sent may have been done. What was not stays, up to its deadline. */
    calls_interrupt(link);
}

void link_fail(struct link *link, uint64_t now, int error, const char *what)
{
    if (what != NULL)
        snprintf(link->reason, sizeof link->reason, "%s: %s", link->connection.where, what);
    drop(link, now, error);
}

bool link_mark_refused(struct link *link, int error)
{
    const uint32_t all = (UINT32_C(1) << link->address->endpoints) - 1;
    link->refused |= UINT32_C(1) << link->endpoint;
    link->useless = true;
    if (link->refused != all)
        return false;
    link->refused = 0;
    link->error = error;
    link->failed_for_good = true;
    return true;
}

/* Such an endpoint has not carried out any request. */
static void refuse_all(struct link *link)
{
    while (link->calls != NULL)
        calls_finish(link, link->calls,
                     &(struct link_answer){
                         .outcome = ANSWER_REFUSED, .error = link->error, .reason = link->reason});
    link->failed_for_good = false; /* the next call is tried again */
}

void link_refuse(struct link *link, uint64_t now, int error, const char *what)
{
    if (link_mark_refused(link, error)) {
        snprintf(link->reason, sizeof link->reason, "%s: %s", link->connection.where, what);
        refuse_all(link);
    }
    link_fail(link, now, error, what);
}

/* ---- what is due ---- */

static void begin_session(struct link *link, uint64_t now)
{
    link->session = grpc_session(link);
    if (link->session == NULL)
        link_fail(link, now, ENOMEM, "there is no memory for a connection");
}

static void submit_all(struct link *link, uint64_t now)
{
    for (struct link_call *call = link->calls; call != NULL; call = call->next) {
        if (call->id != 0 || (link->state != LINK_UP && call != &link->sign_in))
            continue;
        if (!grpc_submit(link, call)) {
            link_fail(link, now, ENOMEM, "cannot make a request");
            return;
        }
        call->sent_at = now;
    }
}

/* Gives the time that a server has to connect, and again to say something. One that does not is
 * left for the others, and is given more time in the next round, unless one of them is there. */
static uint64_t connect_within(const struct link *link)
{
    const unsigned count = (unsigned)link->address->endpoints;
    const unsigned rounds = link->silences < count ? 0 : link->silences / count - 1;
    const uint64_t within = LINK_CONNECT_FIRST << (rounds < 4 ? rounds : 4);
    return link->address->endpoints == 1 || within > LINK_CONNECT_WITHIN ? LINK_CONNECT_WITHIN
                                                                         : within;
}

static void connected(struct link *link, uint64_t now)
{
    begin_session(link, now);
    if (link->session == NULL)
        return;
    if (sign_in_needed(link)) {
        sign_in(link, now);
        return;
    }
    link->state = LINK_UP;
    link->state_deadline = now + connect_within(link);
}

/* Whether to give it more time: others that came after it were answered. */
static bool is_slow(const struct link *link, struct link_call *call, uint64_t now)
{
    enum { PATIENCE = 5 };
    if (!call->patient || call->id <= 0 || link->answered_at <= call->sent_at)
        return false;
    if (call->span == 0)
        call->span = call->deadline - call->sent_at;
    if (now - call->sent_at >= PATIENCE * call->span)
        return false;
    call->deadline = now + call->span;
    return true;
}

/* If the time is over during a retry, the failure of the tries before it says more. */
static const char *why_expired(struct link *link)
{
    if (link->state == LINK_UP && link->failures == 0)
        snprintf(link->reason, sizeof link->reason, "%s: the store does not answer in time",
                 link->connection.where);
    return link->reason;
}

/* A call that was sent and got no answer in time: treat the endpoint as unreachable. */
static void expire(struct link *link, uint64_t now)
{
    bool suspect = false;
    for (struct link_call *call = link->calls; call != NULL;) {
        if (now < call->deadline || (call->stream && call->id != 0) || is_slow(link, call, now)) {
            call = call->next;
            continue;
        }
        suspect |= call->id != 0;
        if (call->id > 0)
            grpc_reset(link, call);
        calls_end_unanswered(link, call, EHOSTUNREACH, why_expired(link));
        call = link->calls;
    }
    if (suspect && link->state == LINK_UP)
        link_fail(link, now, EHOSTUNREACH, "the store does not answer in time");
    if (link->failed_for_good)
        refuse_all(link);
}

/* Says whether the server has still to show that it is there: one that is stopped accepts
 * connections, and says nothing. */
static bool is_coming_up(const struct link *link)
{
    return link->state == LINK_CONNECTING || link->state == LINK_SIGNING_IN ||
           (link->state == LINK_UP && !link->speaks);
}

static void connect_on(struct link *link, uint64_t now)
{
    if (link->state == LINK_DOWN && now >= link->try_at && link->calls != NULL) {
        const int error =
            connection_open(&link->connection, &link->address->endpoint[link->endpoint],
                            link->context, link->reason);
        link->state = LINK_CONNECTING;
        link->state_deadline = now + connect_within(link);
        if (error != 0)
            drop(link, now, error);
    }
    if (link->state == LINK_CONNECTING) {
        const int error = connection_advance(&link->connection, link->context, link->reason);
        if (error == 0) {
            connected(link, now);
        } else if (error != EAGAIN) {
            if (error == EACCES)
                link_mark_refused(link, error);
            drop(link, now, error);
        }
    }
}

/* Leaves a server that says nothing for the next one. */
static void expire_silence(struct link *link, uint64_t now)
{
    if (!is_coming_up(link) || now < link->state_deadline)
        return;
    const bool by_name = link->connection.resolve != NULL; /* which has a reason already */
    link_fail(link, now, EHOSTUNREACH,
              by_name                          ? NULL
              : link->state == LINK_CONNECTING ? "no connection in time"
                                               : "the store does not answer in time");
}

void link_flush(struct link *link, uint64_t now)
{
    if (link->session == NULL)
        return;
    if (link->state == LINK_UP && sign_in_needed(link))
        sign_in(link, now);
    submit_all(link, now);
    if (link->session != NULL)
        transfer_out(link, now);
    /* The server may have asked us to go away: as soon as nothing is under way. */
    if (link->session != NULL && nghttp2_session_want_read(link->session) == 0 &&
        nghttp2_session_want_write(link->session) == 0)
        link_fail(link, now, EHOSTUNREACH, "the store ended the connection");
}

void link_advance(struct link *link, uint64_t now)
{
    connect_on(link, now);
    if (link->session != NULL && transfer_in(link, now))
        calls_end_closed(link);
    expire_silence(link, now);
    if (link->leave)
        link_fail(link, now, EHOSTUNREACH, NULL);
    link_flush(link, now);
    expire(link, now);
}

/* ---- for its users ---- */

int link_open(struct link *link, const struct address *address, char reason[STORE_REASON])
{
    *link = (struct link){.address = address, .connection.fd = -1};
    link->random = os_now(STORE_CLOCK) ^ (uint64_t)(uintptr_t)link;
    link->endpoint = (link->random >> 8) % address->endpoints;
    link->silences = (unsigned)address->endpoints;
    snprintf(link->reason, sizeof link->reason, "no connection to %s in time", address->shown);
    if (!address->tls)
        return 0;
    const struct tls_operations *found = tls_find(reason);
    link->context = found != NULL ? found->context(address, reason) : NULL;
    return link->context != NULL ? 0 : found != NULL ? EACCES : ENOSYS;
}

void link_close(struct link *link)
{
    if (link->address == NULL)
        return; /* it was never opened */
    drop(link, os_now(STORE_CLOCK), ECANCELED);
    while (link->calls != NULL)
        calls_end_unanswered(link, link->calls, ECANCELED, "the connection was closed");
    if (link->context != NULL)
        tls()->free_context(link->context);
    link->context = NULL;
    free(link->token);
    link->token = NULL;
}

bool link_is_alive(const struct link *link)
{
    return link->silences < link->address->endpoints;
}

void link_poll(const struct link *link, int *fd, short *events, struct moment *until)
{
    *fd = connection_fd(&link->connection);
    *events = link->state == LINK_CONNECTING ? link->connection.wants : POLLIN;
    if (link->session != NULL &&
        (link->unsent_size > 0 || nghttp2_session_want_write(link->session)))
        *events |= POLLOUT;
    *until = moment_never();
    if (is_coming_up(link))
        *until = moment_at(link->state_deadline);
    if (link->state == LINK_DOWN && link->calls != NULL)
        *until = moment_at(link->try_at);
    for (const struct link_call *call = link->calls; call != NULL; call = call->next) {
        if (!(call->stream && call->id != 0))
            *until = moment_first(*until, moment_at(call->deadline));
    }
}

void link_drive(struct link *link, const bool *done)
{
    for (;;) {
        link_advance(link, os_now(STORE_CLOCK));
        if (*done)
            return;
        struct pollfd one;
        struct moment until;
        link_poll(link, &one.fd, &one.events, &until);
        const struct timespec wait = os_timespec(moment_left(until, os_now(STORE_CLOCK)));
        ppoll(&one, 1, moment_is_never(until) ? NULL : &wait, NULL);
    }
}
