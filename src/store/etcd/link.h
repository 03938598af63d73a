/*
 * Calls of etcd's services, gRPC over HTTP/2, on one connection to one of the endpoints; when that
 * fails, to the next. Nothing here blocks: the caller polls its descriptor (link_poll) and then
 * calls link_advance. Not thread-safe.
 */
#ifndef BERTH_STORE_ETCD_LINK_H
#define BERTH_STORE_ETCD_LINK_H

#include "store/etcd/connection.h"
#include "store/etcd/machine.h"

#include <nghttp2/nghttp2.h>

struct link_call;

/* How a call ended, or a message of a stream. */
struct link_answer {
    enum machine_outcome outcome;
    int error; /* unless the outcome is ANSWER_GIVEN */
    const char *reason;
    const uint8_t *message;
    size_t size;
};

struct link_call {
    const char *path;                                                      /* "/SERVICE/METHOD" */
    void (*end)(struct link_call *call, const struct link_answer *answer); /* once */
    void (*message)(struct link_call *call, const uint8_t *message, size_t size); /* of a stream */
    void *context;
    bool stream;       /* stays open: has no deadline once it has been answered */
    uint64_t deadline; /* STORE_CLOCK, nanoseconds */
    /* It goes on after the deadline for a while, if the endpoint answers other calls like it: it is
     * slow, and asking another one would only add load. */
    bool patient;

    /* The link's own. */
    struct link_call *next;
    uint8_t *out;
    size_t out_size, out_sent;
    uint8_t *in;
    size_t in_size, in_room;
    bool cancelled;
    int32_t id; /* of the HTTP/2 stream; 0: it has none yet */
    int status; /* gRPC's; -1: not yet */
    int http;   /* HTTP's; 0: not yet */
    char text[256];
    uint64_t sent_at;
    uint64_t span; /* how long it was given at first; 0: it has its first deadline */
};

/* How long connecting to an endpoint may take, before the next one is tried. */
#define LINK_CONNECT_WITHIN UINT64_C(2000000000) /* nanoseconds; as long again to sign in */
#define LINK_CONNECT_FIRST UINT64_C(250000000)   /* the first time, if there are others to try */

enum link_state { LINK_DOWN, LINK_CONNECTING, LINK_SIGNING_IN, LINK_UP };

enum { LINK_OUT = 64 * 1024 }; /* more than two frames */

struct link {
    const struct address *address;
    struct tls_context *context; /* NULL: no TLS */
    struct connection connection;
    enum link_state state;
    nghttp2_session *session;
    struct link_call *calls;
    size_t endpoint;      /* the next to be tried */
    unsigned failures;    /* in a row */
    unsigned silences;    /* connections in a row, from the first on, to nothing that serves */
    bool speaks;          /* this connection: the server has sent HTTP/2's SETTINGS */
    bool useless;         /* this connection: what is there can serve nobody */
    unsigned drops;       /* connections that were given up */
    uint64_t answered_at; /* a patient call, for the last time */
    uint64_t try_at;      /* LINK_DOWN: not before */
    uint64_t
        state_deadline; /* CONNECTING, SIGNING_IN, and UP until the server has said something */
    uint64_t random;
    char *token; /* of Auth; NULL: none yet. Empty: the store wants none */
    struct link_call sign_in;
    uint32_t refused;     /* a bit for each endpoint that cannot be used */
    bool failed_for_good; /* refused by all of them, or for a reason that all of them have */
    bool leave;           /* this endpoint, as soon as all that it said has been read */
    int error;            /* of the last failure, with its reason */
    char reason[STORE_REASON];
    size_t unsent_size;
    uint8_t unsent[LINK_OUT]; /* frames that are not written yet */
};

int link_open(struct link *link, const struct address *address, char reason[STORE_REASON]);
void link_close(struct link *link); /* calls end as ANSWER_UNKNOWN or ANSWER_UNSENT */

/* Sends `message` (packed) and expects an answer: 0 or ENOMEM. *call stays the caller's, and has to
 * stay where it is until it has ended. */
int link_call(struct link *link, struct link_call *call, const ProtobufCMessage *message);
/* Another message on a stream that is open. */
int link_more(struct link *link, struct link_call *call, const ProtobufCMessage *message);
/* Cancels it; `end` is not called. */
void link_cancel(struct link *link, struct link_call *call);

/* Says whether some server was there lately that would serve: perhaps they have no leader. */
bool link_is_alive(const struct link *link);

/* What to poll for, and until when; fd -1: only the time. */
void link_poll(const struct link *link, int *fd, short *events, struct moment *until);
/* Does what can be done without waiting. */
void link_advance(struct link *link, uint64_t now);
/* Of that, only sends what there is to send. */
void link_flush(struct link *link, uint64_t now);
/* Drives it until *done, for callers without a thread for it. */
void link_drive(struct link *link, const bool *done);

#endif
