/* What the source files of a link share. */
#ifndef BERTH_STORE_ETCD_LINK_PARTS_H
#define BERTH_STORE_ETCD_LINK_PARTS_H

#include "store/etcd/link.h"

/* ---- link.c ---- */

/* The connection has failed: the next endpoint is tried. `what` says why; NULL: link->reason
 * does. */
void link_fail(struct link *link, uint64_t now, int error, const char *what);

/* The same, and trying this endpoint again does not help: certificate, protocol, version. If all
 * endpoints are like that, calls end at once. */
void link_refuse(struct link *link, uint64_t now, int error, const char *what);
/* Only records that. True: none of the endpoints can be used. */
bool link_mark_refused(struct link *link, int error);

/* ---- calls.c ---- */

void calls_finish(struct link *link, struct link_call *call, const struct link_answer *answer);
/* There was none, and what was asked may have been done if it was sent. */
void calls_end_unanswered(struct link *link, struct link_call *call, int error, const char *reason);
/* Those whose streams the peer has closed. The callbacks of nghttp2 only record it. */
void calls_end_closed(struct link *link);
/* Those that were sent: there is no connection any more. */
void calls_interrupt(struct link *link);

/* ---- sign_in.c ---- */

bool sign_in_needed(const struct link *link);
void sign_in(struct link *link, uint64_t now);

/* ---- transfer.c ---- */

/* False: the connection has failed. */
bool transfer_in(struct link *link, uint64_t now);
void transfer_out(struct link *link, uint64_t now);

#endif
