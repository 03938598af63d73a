/*
 * The grants of a session. A renewed lease does not prove that the slot is still held: its key may
 * have been deleted, by a person or by etcd (a leader that was paused ends leases that others have
 * renewed), or a backup of the store was restored. So a holder watches the key of its slot, unless
 * it is given back soon; and where a watch was interrupted, it looks at the key before it renews
 * its lease again.
 */
#include "store/etcd/machine_parts.h"
#include "store/etcd/session.h"

#include "os/clock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t watch_after = 100 * (uint64_t)OS_MILLISECOND,
                      check_again = 50 * (uint64_t)OS_MILLISECOND,
                      check_within = 1 * (uint64_t)OS_SECOND;

/* ---- the list ---- */

struct session_grant *holding_add(struct session *session, const struct machine *machine,
                                  uint64_t now)
{
    struct session_grant *grant = malloc(sizeof *grant);
    if (grant == NULL)
        return NULL;
    *grant = (struct session_grant){.next = session->grants,
                                    .token = machine->token,
                                    .slot = machine->slot,
                                    .at_once = machine->ticket == machine->token,
                                    .watch_at = now + watch_after};
    memcpy(grant->entry, machine->entry, sizeof grant->entry);
    session->grants = grant;
    if (machine->token > session->revision) /* it came by mail */
        session->revision = machine->token;
    return grant;
}

struct session_grant *holding_find(struct session *session, const berth_grant *grant)
{
    struct session_grant *at = session->grants;
    while (at != NULL && (at->token != (int64_t)grant->token || at->slot != grant->slot))
        at = at->next;
    return at;
}

void holding_remove(struct session *session, struct session_grant *grant)
{
    struct session_grant **at = &session->grants;
    while (*at != grant)
        at = &(*at)->next;
    *at = grant->next;
    if (grant->watch != 0)
        watch_end(session, grant->watch);
    loans_grant_ends(session, grant);
    free(grant);
}

static bool is_held(const struct session_grant *grant)
{
    return grant->lost == NULL && !grant->releasing;
}

bool holding_any(const struct session *session)
{
    const struct session_grant *grant = session->grants;
    while (grant != NULL && !is_held(grant))
        grant = grant->next;
    return grant != NULL;
}

/* ---- lost ---- */

/* The guardian's ward may be working with any of these slots. */
void holding_tell(struct session *session)
{
    const uint64_t one = 1;
    guard_lease(&session->guard, session->lease.id, session->lease.good_until, os_now(STORE_CLOCK));
    if (write(session->lost_fd, &one, sizeof one) < 0)
        return; /* it is readable already */
}

void holding_lose(struct session *session, struct session_grant *grant, const char *why)
{
    if (grant->lost != NULL)
        return;
    layout_copy(grant->why, sizeof grant->why, why);
    grant->lost = grant->why;
    loans_renewed(session);
    holding_tell(session);
}

void holding_lose_all(struct session *session, const char *why)
{
    for (struct session_grant *grant = session->grants; grant != NULL; grant = grant->next)
        holding_lose(session, grant, why);
}

void holding_changed(struct session *session, const Etcd__KeyValue *kv)
{
    layout_key key;
    for (struct session_grant *grant = session->grants; grant != NULL; grant = grant->next) {
        layout_slot(&session->seat.layout, grant->slot, key);
        if (is_held(grant) && kv->mod_revision > grant->token && strlen(key) == kv->key.len &&
            memcmp(key, kv->key.data, kv->key.len) == 0)
            holding_lose(session, grant, "its key was deleted or changed in the store");
    }
}

/* ---- looked at ---- */

static bool is_mine(const struct session_grant *grant, const Etcd__KeyValue *kv)
{
    struct intake_holder holder;
    return intake_holder(kv, &holder) && strcmp(holder.entry, grant->entry) == 0 &&
           kv->mod_revision == grant->token;
}

static bool is_in(const struct layout *layout, const struct session_grant *grant,
                  const Etcd__RangeResponse *slots)
{
    for (size_t i = 0; i < slots->n_kvs; i++) {
        unsigned slot;
        if (intake_slot_key(layout, LAYOUT_SLOTS, slots->kvs[i], &slot) && slot == grant->slot)
            return is_mine(grant, slots->kvs[i]);
    }
    return false;
}

static void read_check(struct session *session, const Etcd__TxnResponse *txn)
{
    const Etcd__RangeResponse *slots = txn->n_responses == 1 ? range_of(txn->responses[0]) : NULL;
    if (slots == NULL)
        return;
    session->check_due = false;
    for (struct session_grant *grant = session->grants; grant != NULL; grant = grant->next) {
        if (is_held(grant) && grant->token <= session->check_seen &&
            !is_in(&session->seat.layout, grant, slots))
            holding_lose(session, grant, "its key was deleted or changed in the store");
    }
}

static void checked(struct link_call *call, const struct link_answer *answer)
{
    struct session *session = call->context;
    session->checking = false;
    session->check_at = os_now(STORE_CLOCK) + check_again;
    Etcd__TxnResponse *txn =
        answer->outcome == ANSWER_GIVEN
            ? intake_message(&etcd__txn_response__descriptor, answer->size, answer->message)
            : NULL;
    if (txn == NULL)
        return;
    if (txn->header != NULL && header_take(session, txn->header, session->check_seen))
        read_check(session, txn);
    etcd__txn_response__free_unpacked(txn, NULL);
}

static void check(struct session *session, uint64_t now)
{
    struct build *build = build_new();
    session->check_at = now + check_again;
    if (build == NULL)
        return;
    layout_key key, end;
    layout_in(&session->seat.layout, LAYOUT_SLOTS, "", key);
    layout_end(key, end);
    build_get(build, build->txn, false, key, (struct build_range){.end = end});
    session->check_call = (struct link_call){.path = "/etcdserverpb.KV/Txn",
                                             .end = checked,
                                             .context = session,
                                             .deadline = now + check_within};
    session->check_seen = session->revision;
    session->checking = link_call(&session->link, &session->check_call, &build->txn->base) == 0;
    free(build);
}

/* ---- and watched ---- */

bool holding_uncertain(const struct session *session)
{
    return (session->check_due || session->checking) && holding_any(session);
}

/* False: some are not, yet. Where the store permits no watch, the keys are only looked at. */
static bool watch_all(struct session *session, uint64_t now, struct moment *until)
{
    bool all = session->watch_asked == 0;
    for (struct session_grant *grant = session->grants; grant != NULL; grant = grant->next) {
        if (!is_held(grant) || grant->watch != 0)
            continue;
        uint64_t due = session->check_due ? 0 : grant->watch_at;
        due = due > session->watch_at ? due : session->watch_at;
        layout_key key;
        layout_slot(&session->seat.layout, grant->slot, key);
        if (now >= due)
            grant->watch = watch_key(session, now, key, session->check_due ? 0 : grant->token + 1);
        else
            *until = moment_first(*until, moment_at(due));
        all &= now < session->watch_at;
    }
    return all;
}

void holding_keep(struct session *session, uint64_t now, struct moment *until)
{
    if (session->drops != session->link.drops) {
        session->drops = session->link.drops;
        session->check_due |= holding_any(session);
    }
    const bool watched = watch_all(session, now, until);
    if (!session->check_due || session->checking)
        return;
    if (!holding_any(session))
        session->check_due = false;
    else if (watched && now >= session->check_at)
        check(session, now);
    else if (watched)
        *until = moment_first(*until, moment_at(session->check_at));
}
