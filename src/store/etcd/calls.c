/* The calls of a link, from start to end. */
#include "store/etcd/link_parts.h"

#include "os/clock.h"
#include "store/etcd/grpc.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- their end ---- */

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

void calls_finish(struct link *link, struct link_call *call, const struct link_answer *answer)
{
    uint8_t *in = call->in; /* the answer's message may lie there */
    call->in = NULL;
    unlist(link, call);
    call->end(call, answer);
    free(in);
}

void calls_end_unanswered(struct link *link, struct link_call *call, int error, const char *reason)
{
    calls_finish(link, call,
                 &(struct link_answer){.outcome = call->id != 0 ? ANSWER_UNKNOWN : ANSWER_UNSENT,
                                       .error = error,
                                       .reason = reason});
}

/* The token is not valid any more: sign in and ask again, for it was not done. A stream is opened
 * again. */
static void sign_in_again(struct link *link, struct link_call *call)
{
    free(link->token);
    link->token = NULL;
    if (call->stream) {
        calls_end_unanswered(link, call, EHOSTUNREACH, "the token has expired");
        return;
    }
    call->id = 0;
    call->status = -1;
    call->http = 0;
    call->out_sent = call->in_size = 0;
}

/* The HTTP/2 stream of a call is closed: no more of the answer will come. */
static void end_call(struct link *link, struct link_call *call)
{
    struct link_answer answer;
    enum grpc_verdict verdict = grpc_answer(call, &answer);
    if (verdict == GRPC_SIGN_IN && link->address->user[0] != '\0') {
        sign_in_again(link, call);
        return;
    }
    if (verdict == GRPC_SIGN_IN) { /* there was no token */
        answer =
            (struct link_answer){.outcome = ANSWER_UNSENT, .error = EACCES, .reason = call->text};
        verdict = GRPC_REFUSE;
    }
    if (verdict != GRPC_GOOD) {
        snprintf(link->reason, sizeof link->reason, "%s: %s", link->connection.where,
                 answer.reason);
        link->leave |= verdict != GRPC_NONE;
        link->useless |= verdict != GRPC_NONE && verdict != GRPC_NO_LEADER;
        answer.reason = link->reason;
    }
    if (verdict == GRPC_REFUSE && link_mark_refused(link, answer.error))
        answer.outcome = ANSWER_REFUSED;
    if (answer.outcome == ANSWER_GIVEN) {
        link->failures = 0; /* the endpoint works */
        if (call->patient)
            link->answered_at = os_now(STORE_CLOCK);
        link->refused = 0;
    }
    calls_finish(link, call, &answer);
}

/* The first call of that kind. The end of a call may change the list, so look at the list again
 * after each. */
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

void calls_end_closed(struct link *link)
{
    for (struct link_call *call; (call = find(link, is_closed)) != NULL;)
        end_call(link, call);
}

void calls_interrupt(struct link *link)
{
    for (struct link_call *call; (call = find(link, is_under_way)) != NULL;)
        calls_end_unanswered(link, call, EHOSTUNREACH, link->reason);
}

/* ---- for the link's users ---- */

int link_call(struct link *link, struct link_call *call, const ProtobufCMessage *message)
{
    call->id = 0;
    call->cancelled = false;
    call->status = -1;
    call->http = 0;
    call->text[0] = '\0';
    call->out = call->in = NULL;
    call->out_size = call->out_sent = call->in_size = call->in_room = 0;
    call->span = 0;
    if (!grpc_add(call, message))
        return ENOMEM;
    call->next = link->calls;
    link->calls = call;
    return 0;
}

int link_more(struct link *link, struct link_call *call, const ProtobufCMessage *message)
{
    if (call->out_sent == call->out_size)
        call->out_sent = call->out_size = 0;
    if (!grpc_add(call, message))
        return ENOMEM;
    if (call->id > 0)
        nghttp2_session_resume_data(link->session, call->id);
    return 0;
}

void link_cancel(struct link *link, struct link_call *call)
{
    if (call->id > 0)
        grpc_reset(link, call);
    call->cancelled = true;
    unlist(link, call);
}
