/* gRPC's framing on nghttp2. Used by the link only. */
#ifndef BERTH_STORE_ETCD_GRPC_H
#define BERTH_STORE_ETCD_GRPC_H

#include "store/etcd/link.h"

nghttp2_session *grpc_session(struct link *link);

/* Appends a message to what the call has to send. */
bool grpc_add(struct link_call *call, const ProtobufCMessage *message);
bool grpc_submit(struct link *link, struct link_call *call);
void grpc_reset(struct link *link, struct link_call *call);

enum grpc_verdict {
    GRPC_GOOD,      /* an answer, or a refusal */
    GRPC_NONE,      /* a stream ended; it can be opened again */
    GRPC_NO_LEADER, /* an etcd that cannot serve at the moment */
    GRPC_LEAVE,     /* this endpoint gives none now */
    GRPC_REFUSE,    /* it never will */
    GRPC_SIGN_IN,   /* the token is not valid any more */
};

/* How the call of a closed stream ended. ENOTSUP: the store wants no token. */
enum grpc_verdict grpc_answer(struct link_call *call, struct link_answer *answer);

#endif
