/* gRPC's framing on nghttp2: for the link alone. */
#ifndef BERTH_STORE_ETCD_GRPC_H
#define BERTH_STORE_ETCD_GRPC_H

#include "store/etcd/link.h"

nghttp2_session *grpc_session(struct link *link);

/* Appends a message to what the call has to send. */
bool grpc_add(struct link_call *call, const ProtobufCMessage *message);
bool grpc_submit(struct link *link, struct link_call *call);
void grpc_reset(struct link *link, struct link_call *call);

/* What a closed stream's call was answered; false: nothing. EKEYEXPIRED: the token is not valid any
 * more; ENOTSUP: the store wants no token. */
bool grpc_answer(const struct link_call *call, struct link_answer *answer);

#endif
