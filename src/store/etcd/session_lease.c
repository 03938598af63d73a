/* The lease of a session: granted, renewed, lost, ended; and the way into the pool, which needs
 * one. */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static uint64_t timeout(const struct session *session)
{
    return (uint64_t)session->address.timeout * OS_SECOND;
}

/* Says until when opening a pool goes on: as long as the address says; as long as an acquire would,
 * while some server is there. */
static struct moment opening_ends(const struct session *session)
{
    const uint64_t most = link_is_alive(&session->link) ? SESSION_OUTAGE : timeout(session);
    return patience_ends(patience_for(most), session->trouble_since);
}

/* Gives the moment at which a lease is not asked for any more, while the store fails. Of the
 * callers that wait for another lease, the last decides; each has patience since it came. */
static struct moment give_up_at(const struct session *session)
{
    const uint64_t since = session->trouble_since;
    struct moment last = moment_at(0);
    for (const struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (task->state == TASK_QUEUED && task->caller == CALLER_WAITS)
            last = moment_last(last, patience_ends(task->machine.patience,
                                                   task->begun > since ? task->begun : since));
    }
    return session->was_open ? last : moment_last(last, opening_ends(session));
}

static uint64_t attempt(const struct session *session)
{
    const uint64_t third = (uint64_t)session->address.ttl * OS_SECOND / 3;
    const uint64_t most = timeout(session) / 2;
    return third < most ? third : most;
}

static bool call(struct session *session, uint64_t now, const char *path,
                 void (*end)(struct link_call *, const struct link_answer *),
                 const ProtobufCMessage *request)
{
    session->lease_call = (struct link_call){
        .path = path, .end = end, .context = session, .deadline = now + attempt(session)};
    return link_call(&session->link, &session->lease_call, request) == 0;
}

static bool is_lease_call(const struct session *session)
{
    for (const struct link_call *at = session->link.calls; at != NULL; at = at->next) {
        if (at == &session->lease_call)
            return true;
    }
    return false;
}

/* ---- into the pool ---- */

static void enter(struct session *session, uint64_t now)
{
    struct session_task *task = &session->enter;
    session->seat.lease = session->lease.id;
    session->seat.ttl = (unsigned)session->lease.seconds;
    session->seat.existing |= session->was_open;
    if (session->was_open)
        session->seat.wanted = 0;
    task->machine = (struct machine){
        .seat = &session->seat, .goal = MACHINE_ENTER, .patience = patience_endless()};
    task->session = session;
    task->deadline = moment_never();
    session->state = SESSION_ENTERING;
    task_start(task, now);
}

/* Nothing can be done in this pool any more: all waiting callers are told. */
static void give_up(struct session *session, int error, const char *reason)
{
    session->error = error;
    if (reason != session->reason)
        snprintf(session->reason, sizeof session->reason, "%s", reason);
    session->state = session->was_open ? SESSION_IDLE : SESSION_FAILED;
    session->trouble_since = 0;
    pthread_cond_broadcast(&session->opened);
    for (struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (task->state == TASK_QUEUED)
            task_fail(task, error, session->reason);
    }
}

/* What went wrong last, for when that has lasted too long. */
static void keep_trouble(struct session *session, int error, const char *reason)
{
    session->error = error;
    if (reason != session->reason)
        layout_copy(session->reason, sizeof session->reason, reason);
}

static void entered(struct session *session)
{
    const struct machine *machine = &session->enter.machine;
    if (machine->error != 0) {
        give_up(session, machine->error, machine->reason);
        return;
    }
    session->state = SESSION_OPEN;
    session->was_open = true;
    session->trouble_since = 0;
    pthread_cond_broadcast(&session->opened);
}

/* ---- the lease ---- */

/* The way into the pool is given up: the store has failed for too long. */
static void give_up_late(struct session *session)
{
    if (session->state == SESSION_ENTERING) {
        task_interrupt(&session->enter);
        session->enter.state = TASK_ENDED;
        if (session->enter.machine.reason[0] != '\0')
            keep_trouble(session, EHOSTUNREACH, session->enter.machine.reason);
    }
    if (is_lease_call(session))
        link_cancel(&session->link, &session->lease_call);
    if (session->error == 0)
        keep_trouble(session, EHOSTUNREACH, session->link.reason);
    session->lease.id = 0;
    give_up(session, session->error, session->reason);
}

static void granted(struct link_call *lease_call, const struct link_answer *answer)
{
    struct session *session = lease_call->context;
    const uint64_t now = os_now(STORE_CLOCK);
    if (answer->outcome == ANSWER_GIVEN) {
        Etcd__LeaseGrantResponse *response =
            intake_message(&etcd__lease_grant_response__descriptor, answer->size, answer->message);
        const int64_t seconds = response != NULL ? response->ttl : 0;
        const bool same = response == NULL || header_take_lagging(session, response->header);
        if (response != NULL)
            etcd__lease_grant_response__free_unpacked(response, NULL);
        if (!same)
            return; /* it was given up, and another one is asked for */
        if (seconds <= 0) {
            give_up(session, EPROTO, "the store granted no lease");
            return;
        }
        lease_confirmed(&session->lease, seconds);
    } else if (answer->outcome == ANSWER_REFUSED && answer->error == EEXIST) {
        /* An earlier request was carried out, and its answer was lost; its time is what counts. */
        lease_confirmed(&session->lease, session->address.ttl);
    } else if (answer->outcome == ANSWER_REFUSED) {
        session->lease.id = 0;
        give_up(session, answer->error, answer->reason);
        return;
    } else {
        keep_trouble(session, answer->error, answer->reason);
        session->lease.renew_at = moment_at(now + (uint64_t)OS_MILLISECOND * 50);
        return;
    }
    loans_tell_guard(session);
    enter(session, now);
}

static void ask_for_lease(struct session *session, uint64_t now)
{
    struct machine_seat *seat = &session->seat;
    if (session->lease.id == 0) {
        uint64_t drawn[2];
        if (getentropy(drawn, sizeof drawn) != 0) {
            give_up(session, errno, "there are no random numbers");
            return;
        }
        session->lease = (struct lease){.id = (int64_t)(drawn[0] >> 1 | 1)};
        lease_sent(&session->lease, now); /* of the first of them */
        snprintf(seat->client, sizeof seat->client, "%016llx", (unsigned long long)drawn[1]);
        seat->random = drawn[0] | 1;
        if (session->trouble_since == 0)
            session->trouble_since = now;
    }
    Etcd__LeaseGrantRequest request = ETCD__LEASE_GRANT_REQUEST__INIT;
    request.ttl = session->address.ttl;
    request.id = session->lease.id;
    session->state = SESSION_LEASING;
    session->lease.renew_at = moment_never();
    if (!call(session, now, "/etcdserverpb.Lease/LeaseGrant", granted, &request.base))
        give_up(session, ENOMEM, "there is no memory for a request");
}

static void renewed(struct link_call *lease_call, const struct link_answer *answer)
{
    struct session *session = lease_call->context;
    Etcd__LeaseKeepAliveResponse *response =
        answer->outcome == ANSWER_GIVEN
            ? intake_message(&etcd__lease_keep_alive_response__descriptor, answer->size,
                             answer->message)
            : NULL;
    if (response == NULL) {
        lease_missed(&session->lease, os_now(STORE_CLOCK));
        layout_copy(session->not_renewed, sizeof session->not_renewed,
                    answer->outcome != ANSWER_GIVEN ? answer->reason
                                                    : "the store's answer is not etcd's");
        return;
    }
    session->not_renewed[0] = '\0';
    if (!header_take_lagging(session, response->header)) {
        etcd__lease_keep_alive_response__free_unpacked(response, NULL);
        return;
    }
    if (response->ttl > 0) {
        lease_confirmed(&session->lease, response->ttl);
        loans_renewed(session);
        loans_tell_guard(session);
    } else {
        session_lose(session, "its lease has ended in the store");
    }
    etcd__lease_keep_alive_response__free_unpacked(response, NULL);
}

static void renew(struct session *session, uint64_t now)
{
    Etcd__LeaseKeepAliveRequest request = ETCD__LEASE_KEEP_ALIVE_REQUEST__INIT;
    request.id = session->lease.id;
    lease_sent(&session->lease, now);
    if (!call(session, now, "/etcdserverpb.Lease/LeaseKeepAlive", renewed, &request.base))
        lease_missed(&session->lease, now);
}

static void revoked_alone(struct link_call *call, const struct link_answer *answer)
{
    (void)answer; /* it ends by itself, too */
    ((struct session *)call->context)->revoking_alone = false;
}

/* Nobody relies on the lease, and it need not keep keys until it expires. */
static void revoke_alone(struct session *session, uint64_t now)
{
    if (session->revoking_alone || session->revoking || now >= session->lease.good_until)
        return;
    Etcd__LeaseRevokeRequest request = ETCD__LEASE_REVOKE_REQUEST__INIT;
    request.id = session->lease.id;
    session->revoke_call = (struct link_call){.path = "/etcdserverpb.Lease/LeaseRevoke",
                                              .end = revoked_alone,
                                              .context = session,
                                              .deadline = now + attempt(session)};
    session->revoking_alone = link_call(&session->link, &session->revoke_call, &request.base) == 0;
}

void session_lose(struct session *session, const char *why)
{
    if (session->lease.id == 0)
        return;
    if (is_lease_call(session) && !session->revoking)
        link_cancel(&session->link, &session->lease_call);
    if (session->checking)
        link_cancel(&session->link, &session->check_call);
    session->checking = false;
    watch_drop(session);
    session->watch_missed = session->check_due = false; /* there is nothing of the new client yet */
    if (session->grants == NULL)
        revoke_alone(session, os_now(STORE_CLOCK));
    holding_lose_all(session, why);
    session->lease = (struct lease){0};
    session->not_renewed[0] = '\0';
    session->state = SESSION_IDLE;
    tasks_lose(session);
}

bool session_lease_good(const struct session *session, uint64_t now)
{
    return session->lease.id != 0 && now < session->lease.good_until;
}

static bool has_lease(const struct session *session)
{
    return session->state == SESSION_ENTERING || session->state == SESSION_OPEN;
}

/* Says what an operator asks who has to tell a dead server from a client that did not run: when the
 * lease was renewed for the last time, and what went wrong since. */
static void lose_unrenewed(struct session *session, uint64_t now)
{
    const struct lease *lease = &session->lease;
    const uint64_t renewed_at = lease_renewed_at(lease);
    const uint64_t ago = now > renewed_at ? (now - renewed_at) / OS_MILLISECOND : 0;
    const time_t wall = (time_t)((os_now(CLOCK_REALTIME) / OS_MILLISECOND - ago) / 1000);
    struct tm utc = {0};
    char when[32] = "", why[SESSION_WHY];
    if (gmtime_r(&wall, &utc) != NULL)
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const char *said = session->not_renewed[0] != '\0' ? session->not_renewed
                       : lease->sent_at != 0           ? "the store has not answered since"
                                                       : "this process did not run meanwhile";
    snprintf(why, sizeof why,
             "the lease of %lld s could not be renewed in time: last renewed at %s, %llu.%llu s "
             "ago; %.300s",
             (long long)lease->seconds, when, (unsigned long long)(ago / 1000),
             (unsigned long long)(ago % 1000 / 100), said);
    session_lose(session, why);
}

void session_lease_look(struct session *session, uint64_t now)
{
    if (!session->ending && has_lease(session) && !session_lease_good(session, now))
        lose_unrenewed(session, now);
}

static void revoked(struct link_call *lease_call, const struct link_answer *answer)
{
    struct session *session = lease_call->context;
    session->revoking = false;
    session->revoked = answer->outcome == ANSWER_GIVEN ||
                       (answer->outcome == ANSWER_REFUSED && answer->error == ESTALE);
    pthread_cond_broadcast(&session->opened);
}

void session_lease_end(struct session *session, uint64_t now)
{
    if (is_lease_call(session))
        link_cancel(&session->link, &session->lease_call);
    session->ending = true;
    session->revoked = session->lease.id == 0;
    session->revoking = !session->revoked;
    if (session->revoked)
        return;
    Etcd__LeaseRevokeRequest request = ETCD__LEASE_REVOKE_REQUEST__INIT;
    request.id = session->lease.id;
    if (!call(session, now, "/etcdserverpb.Lease/LeaseRevoke", revoked, &request.base))
        session->revoking = false;
}

/* The machine that enters the pool. */
static void keep_entering(struct session *session, uint64_t now, struct moment *until)
{
    struct session_task *entering = &session->enter;
    if (entering->state == TASK_WAITING && moment_has_come(entering->machine.wake_at, now))
        task_next(entering, machine_tick(&entering->machine, now), now);
    if (session->state != SESSION_ENTERING)
        return; /* the lease was lost */
    if (entering->state == TASK_ENDED)
        entered(session);
    else if (entering->state == TASK_WAITING)
        *until = moment_first(*until, entering->machine.wake_at);
}

void session_lease_keep(struct session *session, uint64_t now, struct moment *until)
{
    if (session->ending || session->state == SESSION_FAILED)
        return;
    if (session->state == SESSION_ENTERING)
        keep_entering(session, now, until);
    session_lease_look(session, now);
    if (session->state == SESSION_LEASING || session->state == SESSION_ENTERING) {
        const struct moment last = give_up_at(session);
        if (moment_has_come(last, now))
            give_up_late(session);
        *until = moment_first(*until, last);
    }
    const struct moment renew_at = session->lease.renew_at;
    const bool waits = holding_uncertain(session);
    switch (session->state) {
    case SESSION_IDLE:
        if (tasks_want_lease(session) || !session->was_open)
            ask_for_lease(session, now);
        break;
    case SESSION_LEASING:
        if (moment_has_come(renew_at, now))
            ask_for_lease(session, now);
        break;
    case SESSION_ENTERING:
    case SESSION_OPEN:
        if (session->lease.sent_at == 0 && !waits && moment_has_come(renew_at, now))
            renew(session, now);
        *until = moment_first(*until, moment_at(session->lease.good_until));
        if (session->lease.sent_at == 0 && !waits)
            *until = moment_first(*until, session->lease.renew_at);
        break;
    case SESSION_FAILED: break;
    }
    if (session->state == SESSION_LEASING)
        *until = moment_first(*until, session->lease.renew_at);
}
