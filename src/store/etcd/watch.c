/* Mail: one watch for each handle, on the keys that only its own entries have. */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <string.h>

static const uint64_t pause_refused = UINT64_C(1000000000);

static void deliver(struct session *session, const Etcd__Event *event)
{
    const Etcd__KeyValue *kv = event->kv;
    if (event->type != ETCD__EVENT__EVENT_TYPE__PUT || kv == NULL)
        return;
    for (struct session_task *task = session->tasks; task != NULL; task = task->next) {
        const size_t length = strlen(task->machine.entry);
        if (task->done || !task->turning || task->machine.goal != MACHINE_ACQUIRE ||
            kv->key.len <= length || kv->key.data[kv->key.len - length - 1] != '/' ||
            memcmp(kv->key.data + kv->key.len - length, task->machine.entry, length) != 0)
            continue;
        if (task->under_way)
            link_cancel(&session->link, &task->call);
        task->under_way = false;
        task_next(task, machine_mail(&task->machine, kv), os_now(CLOCK_MONOTONIC));
        break;
    }
}

static void message(struct link_call *call, const uint8_t *bytes, size_t size)
{
    struct session *session = call->context;
    Etcd__WatchResponse *response = etcd__watch_response__unpack(NULL, size, bytes);
    if (response == NULL)
        return;
    if (response->created && !response->canceled)
        session->watch_made = true;
    /* Compaction ends a watch, for instance. watch_keep makes another: not from in here. */
    session->watch_cancelled |= response->canceled;
    for (size_t i = 0; i < response->n_events; i++)
        deliver(session, response->events[i]);
    etcd__watch_response__free_unpacked(response, NULL);
}

static void end(struct link_call *call, const struct link_answer *answer)
{
    struct session *session = call->context;
    session->watching = session->watch_made = session->watch_cancelled = false;
    session->watch_missed = true;
    session->watch_at =
        os_now(CLOCK_MONOTONIC) + (answer->outcome == ANSWER_REFUSED ? pause_refused : 0);
}

static void begin(struct session *session, uint64_t now, int64_t from)
{
    const struct machine_seat *seat = &session->seat;
    static Etcd__WatchCreateRequest__FilterType filters[] = {
        ETCD__WATCH_CREATE_REQUEST__FILTER_TYPE__NODELETE};
    Etcd__WatchRequest request = ETCD__WATCH_REQUEST__INIT;
    Etcd__WatchCreateRequest create = ETCD__WATCH_CREATE_REQUEST__INIT;
    layout_key key, stop;
    char mine[LAYOUT_ENTRY];
    memcpy(mine, seat->client, LAYOUT_CLIENT - 1);
    mine[LAYOUT_CLIENT - 1] = '.';
    mine[LAYOUT_CLIENT] = '\0';
    layout_in(&seat->layout, LAYOUT_MAIL, mine, key);
    layout_end(key, stop);
    create.key = (ProtobufCBinaryData){strlen(key), (uint8_t *)key};
    create.range_end = (ProtobufCBinaryData){strlen(stop), (uint8_t *)stop};
    create.start_revision = from;
    create.n_filters = 1;
    create.filters = filters;
    request.request_union_case = ETCD__WATCH_REQUEST__REQUEST_UNION_CREATE_REQUEST;
    request.create_request = &create;
    session->watch_call = (struct link_call){.path = "/etcdserverpb.Watch/Watch",
                                             .end = end,
                                             .message = message,
                                             .context = session,
                                             .stream = true,
                                             .deadline = now + 2 * (uint64_t)OS_SECOND};
    if (link_call(&session->link, &session->watch_call, &request.base) == 0)
        session->watching = true;
}

static struct session_task *who_waits(struct session *session)
{
    for (struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (!task->done && task->turning && task->machine.waits_for_mail)
            return task;
    }
    return NULL;
}

/* Each who waits for mail looks once whether it has come. */
static void all_look_again(struct session *session, uint64_t now)
{
    for (struct session_task *task = session->tasks, *next; task != NULL; task = next) {
        next = task->next;
        if (!task->done && task->turning && task->machine.waits_for_mail && !task->under_way)
            task_next(task, machine_look_again(&task->machine, now), now);
    }
}

void watch_drop(struct session *session)
{
    if (session->watching)
        link_cancel(&session->link, &session->watch_call);
    session->watching = session->watch_made = session->watch_cancelled = false;
}

void watch_keep(struct session *session, uint64_t now)
{
    if (session->watch_cancelled) {
        watch_drop(session);
        session->watch_missed = true;
    }
    if (session->watch_made && session->watch_missed) {
        session->watch_missed = false;
        all_look_again(session, now);
    }
    const struct session_task *task = who_waits(session);
    if (session->watching || task == NULL || now < session->watch_at)
        return;
    /* The first time nothing was missed: it starts with what comes after the entry. Later, it starts
     * with what comes from now on, and when it is there, everybody looks. */
    begin(session, now, session->watch_missed ? 0 : task->machine.watch_from);
}
