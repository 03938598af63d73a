/* Watches for the waiters of a handle (news.c): of slots' keys that are deleted, and of the pool's
 * key. They are there while somebody has waited for a while, on the stream of the others. */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <string.h>

/* Says from when on somebody wants them; never, if nobody waits. */
static struct moment wanted_at(const struct session *session)
{
    struct moment at = moment_never();
    for (const struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (task_waits(task))
            at = moment_first(at, moment_at(task->machine.news_at));
    }
    return at;
}

static void replan(struct session *session, uint64_t now)
{
    for (struct session_task *task = session->tasks; task != NULL; task = task->next) {
        if (task_waits(task) && task->state == TASK_WAITING)
            machine_replan(&task->machine, now);
    }
}

static void watch_slots(struct session *session, uint64_t now)
{
    static Etcd__WatchCreateRequest__FilterType filters[] = {
        ETCD__WATCH_CREATE_REQUEST__FILTER_TYPE__NOPUT};
    Etcd__WatchCreateRequest request = ETCD__WATCH_CREATE_REQUEST__INIT;
    layout_key key, stop;
    layout_in(&session->seat.layout, LAYOUT_SLOTS, "", key);
    layout_end(key, stop);
    request.key = (ProtobufCBinaryData){strlen(key), (uint8_t *)key};
    request.range_end = (ProtobufCBinaryData){strlen(stop), (uint8_t *)stop};
    request.start_revision = session->news.from;
    request.n_filters = 1;
    request.filters = filters;
    session->news.slots = watch_create(session, now, &request);
}

static void watch_pool(struct session *session, uint64_t now)
{
    layout_key key;
    layout_pool(&session->seat.layout, key);
    session->news.pool = watch_key(session, now, key, session->news.from);
}

static void end(struct session *session, uint64_t now)
{
    const int64_t slots = session->news.slots, pool = session->news.pool;
    news_forget(session, now); /* so that nobody wonders why they ended */
    if (slots != 0)
        watch_end(session, slots);
    if (pool != 0)
        watch_end(session, pool);
}

void news_keep(struct session *session, uint64_t now, struct moment *until)
{
    struct session_news *news = &session->news;
    const struct moment at = wanted_at(session);
    if (moment_is_never(at) && (news->slots != 0 || news->pool != 0))
        end(session, now);
    if (moment_is_never(at) || (news->slots != 0 && news->pool != 0))
        return;
    const struct moment due = moment_last(at, moment_at(session->watch_at));
    if (!moment_has_come(due, now)) {
        *until = moment_first(*until, due);
        return;
    }
    /* From the last look on at which there was nothing to be told. Where the watches were
     * interrupted, from now on, and somebody looks once. */
    if (news->slots == 0 && news->pool == 0)
        news->from = session->watch_missed || session->seat.news.held_at == 0
                         ? 0
                         : session->seat.news.held_at + 1;
    if (news->slots == 0)
        watch_slots(session, now);
    if (news->pool == 0)
        watch_pool(session, now);
}

void news_created(struct session *session, const Etcd__WatchResponse *response)
{
    struct session_news *news = &session->news;
    if (response->watch_id != news->slots && response->watch_id != news->pool)
        return;
    const int64_t from = news->from != 0            ? news->from
                         : response->header != NULL ? response->header->revision + 1
                                                    : INT64_MAX;
    news->told_from = from > news->told_from ? from : news->told_from;
    if (++news->created == 2)
        machine_news_from(&session->seat, news->told_from);
}

bool news_is(const struct session *session, int64_t number)
{
    return number != 0 && (number == session->news.slots || number == session->news.pool);
}

void news_changed(struct session *session, const Etcd__WatchResponse *response)
{
    const uint64_t now = os_now(STORE_CLOCK);
    for (size_t i = 0; i < response->n_events; i++) {
        if (response->events[i]->kv != NULL)
            machine_news(&session->seat, now, response->events[i]->kv);
    }
    if (response->n_events > 0)
        replan(session, now);
}

void news_forget(struct session *session, uint64_t now)
{
    session->news = (struct session_news){0};
    machine_news_from(&session->seat, 0);
    replan(session, now);
}
