/*
 * What each answer says of the store as a whole: which cluster it is, and its revision. Revisions
 * only grow, and tokens are revisions. Where they have gone back, the store was set back to an
 * earlier state: a backup was restored. Then nothing that this handle knows is certain, and a
 * fencing token that it gets may have been given before. So the handle fails from then on, with
 * that reason.
 */
#include "store/etcd/session.h"

#include <errno.h>
#include <stdio.h>

static void went_back(struct session *session, int64_t from, int64_t to)
{
    snprintf(session->reason, sizeof session->reason,
             "the store went back from revision %lld to %lld: an old state of it was restored",
             (long long)from, (long long)to);
    session->error = ENOTRECOVERABLE;
    session->state = SESSION_FAILED;
    session_lose(session, "an old state of the store was restored");
    session->state = SESSION_FAILED;
    pthread_cond_broadcast(&session->opened);
}

bool header_take_lagging(struct session *session, const Etcd__ResponseHeader *header)
{
    if (header == NULL || header->cluster_id == 0)
        return true;
    const bool other = session->cluster != 0 && session->cluster != header->cluster_id;
    session->cluster = header->cluster_id;
    if (other)
        session_lose(session, "the store has become another cluster");
    return !other;
}

/* Transactions are linearizable: one that was sent after another was answered shows no lower
 * revision. */
bool header_take(struct session *session, const Etcd__ResponseHeader *header, int64_t seen)
{
    if (header->revision < seen) {
        went_back(session, seen, header->revision);
        return false;
    }
    if (header->revision > session->revision)
        session->revision = header->revision;
    return header_take_lagging(session, header);
}
