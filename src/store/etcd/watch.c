/* Watches: one for mail, on the keys that only a handle's own entries have, one for each slot that
 * it holds for longer, and those of news_watch.c. They share one stream. */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <string.h>

static const uint64_t pause_refused = UINT64_C(1000000000);
static const int64_t UNKNOWN = INT64_MAX; /* of a revision: greater than any */

static void deliver(struct session *session, const Etcd__Event *event)
{
    const Etcd__KeyValue *kv = event->kv;
    char entry[LAYOUT_ENTRY];
    if (event->type != ETCD__EVENT__EVENT_TYPE__PUT || kv == NULL ||
        !intake_entry_key(&session->seat.layout, LAYOUT_MAIL, kv, entry))
        return;
    for (struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (!task_is_turning(task) || task->machine.goal != MACHINE_ACQUIRE ||
            strcmp(entry, task->machine.entry) != 0)
            continue;
        task_interrupt(task);
        task_next(task, machine_mail(&task->machine, kv), os_now(STORE_CLOCK));
        break;
    }
}

/* Compaction ends a watch, for instance. watch_keep makes another: not from in here. */
static void watch_was_ended(struct session *session, int64_t number)
{
    bool mine = number == session->watch_mail || number < 0 || news_is(session, number);
    for (const struct session_grant *grant = session->grants; grant != NULL; grant = grant->next)
        mine |= grant->watch == number;
    session->watch_cancelled |= mine;
}

static void message(struct link_call *call, const uint8_t *bytes, size_t size)
{
    struct session *session = call->context;
    Etcd__WatchResponse *response = intake_message(&etcd__watch_response__descriptor, size, bytes);
    if (response == NULL)
        return;
    if (response->created && session->watch_asked > 0)
        session->watch_asked--;
    if (response->created && response->watch_id == session->watch_mail &&
        session->mail_from == UNKNOWN) {
        session->mail_from =
            response->header != NULL ? response->header->revision + 1 : UNKNOWN - 1;
        session->watch_missed = false;
    }
    if (response->created)
        news_created(session, response);
    if (response->canceled)
        watch_was_ended(session, response->watch_id);
    if (response->canceled && response->created) /* it is not permitted, for instance */
        session->watch_at = os_now(STORE_CLOCK) + pause_refused;
    const bool news = news_is(session, response->watch_id);
    if (news)
        news_changed(session, response);
    for (size_t i = 0; i < response->n_events && !news; i++) {
        if (response->events[i]->kv == NULL)
            continue;
        deliver(session, response->events[i]);
        holding_changed(session, response->events[i]->kv);
    }
    etcd__watch_response__free_unpacked(response, NULL);
}

/* There are no watches any more. What happens from now on is missed. */
static void forget(struct session *session)
{
    session->watching = session->watch_cancelled = false;
    session->watch_asked = 0;
    session->watch_mail = 0;
    session->watch_missed = session->check_due = true;
    news_forget(session, os_now(STORE_CLOCK));
    for (struct session_grant *grant = session->grants; grant != NULL; grant = grant->next)
        grant->watch = 0;
}

static void end(struct link_call *call, const struct link_answer *answer)
{
    struct session *session = call->context;
    forget(session);
    session->watch_at =
        os_now(STORE_CLOCK) + (answer->outcome == ANSWER_REFUSED ? pause_refused : 0);
}

/* The stream is opened with the first watch. */
static bool ask(struct session *session, uint64_t now, const Etcd__WatchRequest *request)
{
    if (session->watching)
        return link_more(&session->link, &session->watch_call, &request->base) == 0;
    session->watch_call = (struct link_call){.path = "/etcdserverpb.Watch/Watch",
                                             .end = end,
                                             .message = message,
                                             .context = session,
                                             .stream = true,
                                             .deadline = now + 2 * (uint64_t)OS_SECOND};
    session->watching = link_call(&session->link, &session->watch_call, &request->base) == 0;
    return session->watching;
}

int64_t watch_create(struct session *session, uint64_t now, Etcd__WatchCreateRequest *create)
{
    Etcd__WatchRequest request = ETCD__WATCH_REQUEST__INIT;
    request.request_union_case = ETCD__WATCH_REQUEST__REQUEST_UNION_CREATE_REQUEST;
    request.create_request = create;
    create->watch_id = ++session->watch_numbers;
    if (!ask(session, now, &request))
        return 0;
    session->watch_asked++;
    return create->watch_id;
}

int64_t watch_key(struct session *session, uint64_t now, const char *key, int64_t from)
{
    Etcd__WatchCreateRequest request = ETCD__WATCH_CREATE_REQUEST__INIT;
    request.key = (ProtobufCBinaryData){strlen(key), (uint8_t *)key};
    request.start_revision = from;
    return watch_create(session, now, &request);
}

void watch_end(struct session *session, int64_t number)
{
    Etcd__WatchRequest request = ETCD__WATCH_REQUEST__INIT;
    Etcd__WatchCancelRequest cancel = ETCD__WATCH_CANCEL_REQUEST__INIT;
    request.request_union_case = ETCD__WATCH_REQUEST__REQUEST_UNION_CANCEL_REQUEST;
    request.cancel_request = &cancel;
    cancel.watch_id = number;
    if (session->watching)
        link_more(&session->link, &session->watch_call, &request.base);
}

static int64_t watch_for_mail(struct session *session, uint64_t now, int64_t from)
{
    const struct machine_seat *seat = &session->seat;
    static Etcd__WatchCreateRequest__FilterType filters[] = {
        ETCD__WATCH_CREATE_REQUEST__FILTER_TYPE__NODELETE};
    Etcd__WatchCreateRequest request = ETCD__WATCH_CREATE_REQUEST__INIT;
    layout_key key, stop;
    char mine[LAYOUT_ENTRY];
    memcpy(mine, seat->client, LAYOUT_CLIENT - 1);
    mine[LAYOUT_CLIENT - 1] = '.';
    mine[LAYOUT_CLIENT] = '\0';
    layout_in(&seat->layout, LAYOUT_MAIL, mine, key);
    layout_end(key, stop);
    request.key = (ProtobufCBinaryData){strlen(key), (uint8_t *)key};
    request.range_end = (ProtobufCBinaryData){strlen(stop), (uint8_t *)stop};
    request.start_revision = from;
    request.n_filters = 1;
    request.filters = filters;
    return watch_create(session, now, &request);
}

/* Until which revision the one that looked longest ago has looked; 0: nobody waits. */
static int64_t earliest(const struct session *session)
{
    int64_t from = 0;
    for (const struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (task_waits(task) && (from == 0 || task->machine.watch_from < from))
            from = task->machine.watch_from;
    }
    return from;
}

/* Each waiter whose mail may have come before there was the watch looks once. */
static void look_for_missed(struct session *session, uint64_t now)
{
    for (struct session_task *task = session->tasks, *next; task != NULL; task = next) {
        next = task->next;
        if (!task_waits(task) || task->state == TASK_ASKING ||
            task->machine.watch_from >= session->mail_from)
            continue;
        task->machine.watch_from = session->mail_from; /* it is repeated until it is answered */
        task_next(task, machine_look_again(&task->machine, now), now);
    }
}

void watch_drop(struct session *session)
{
    if (session->watching)
        link_cancel(&session->link, &session->watch_call);
    forget(session);
}

void watch_keep(struct session *session, uint64_t now, struct moment *until)
{
    if (session->watch_cancelled)
        watch_drop(session);
    if (session->watch_mail != 0 && session->mail_from != UNKNOWN)
        look_for_missed(session, now);
    const int64_t from = earliest(session);
    if (session->watch_mail != 0 || from == 0)
        return;
    if (now < session->watch_at) {
        *until = moment_first(*until, moment_at(session->watch_at));
        return;
    }
    /* The first time nothing was missed: it starts with what comes after the first of the entries.
     * Later, it starts with what comes from now on, and when it is there, everybody looks. */
    session->mail_from = session->watch_missed ? UNKNOWN : from;
    session->watch_mail = watch_for_mail(session, now, session->watch_missed ? 0 : from);
}
