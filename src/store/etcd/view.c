#include "store/etcd/machine_parts.h"

#include <string.h>

const Etcd__RangeResponse *range_of(const Etcd__ResponseOp *answer)
{
    return answer->response_case == ETCD__RESPONSE_OP__RESPONSE_RESPONSE_RANGE
               ? answer->response_range
               : NULL;
}

const Etcd__KeyValue *only_value(const Etcd__ResponseOp *answer)
{
    const Etcd__RangeResponse *range = range_of(answer);
    return range != NULL && range->n_kvs == 1 ? range->kvs[0] : NULL;
}

const Etcd__TxnResponse *nested_answer(const Etcd__TxnResponse *txn)
{
    return txn->n_responses == 1 &&
                   txn->responses[0]->response_case == ETCD__RESPONSE_OP__RESPONSE_RESPONSE_TXN
               ? txn->responses[0]->response_txn
               : NULL;
}

void view_ask(struct build *build, Etcd__TxnRequest *txn, bool otherwise,
              const struct layout *layout, bool waiters)
{
    layout_key key, end;
    layout_pool(layout, key);
    build_get(build, txn, otherwise, key, (struct build_range){0});
    layout_in(layout, LAYOUT_SLOTS, "", key);
    layout_end(key, end);
    build_get(build, txn, otherwise, key, (struct build_range){.end = end, .keys_only = true});
    layout_in(layout, LAYOUT_WAITERS, "", key);
    layout_end(key, end);
    build_get(build, txn, otherwise, key,
              waiters ? (struct build_range){.end = end,
                                             .keys_only = true,
                                             .by_creation = true,
                                             .limit = VIEW_WAITERS}
                      : (struct build_range){.end = end, .count_only = true});
    layout_in(layout, LAYOUT_USED, "", key);
    layout_end(key, end);
    build_get(build, txn, otherwise, key, (struct build_range){.end = end, .keys_only = true});
}

static void read_pool(struct view *view, const Etcd__KeyValue *kv)
{
    struct intake_pool pool;
    if (kv == NULL)
        return;
    if (!intake_pool(kv, &pool)) {
        view->broken = true;
        return;
    }
    view->there = true;
    view->slots = pool.slots;
    view->pool_ttl = pool.ttl;
    view->pool_revision = kv->mod_revision;
}

static bool is_taken(const struct view *view, unsigned slot)
{
    return view->taken[slot / 8] >> slot % 8 & 1;
}

bool view_is_orphan(const struct view *view, unsigned slot)
{
    return view->used[slot] != 0 && !is_taken(view, slot);
}

static void read_slots(struct view *view, const struct layout *layout,
                       const Etcd__RangeResponse *slots)
{
    for (size_t i = 0; i < slots->n_kvs; i++) {
        unsigned slot;
        if (!intake_slot_key(layout, LAYOUT_SLOTS, slots->kvs[i], &slot) || is_taken(view, slot)) {
            view->broken = true;
            continue;
        }
        view->taken[slot / 8] |= (unsigned char)(1 << slot % 8);
        view->below += slot < view->slots;
    }
}

/* After read_slots. */
static void read_used(struct view *view, const struct layout *layout,
                      const Etcd__RangeResponse *used)
{
    for (size_t i = 0; i < used->n_kvs; i++) {
        unsigned slot;
        if (!intake_slot_key(layout, LAYOUT_USED, used->kvs[i], &slot) || view->used[slot] != 0 ||
            used->kvs[i]->mod_revision <= 0) {
            view->broken = true;
            continue;
        }
        view->used[slot] = used->kvs[i]->mod_revision;
        view->orphaned += slot < view->slots && view_is_orphan(view, slot);
    }
}

static void read_waiters(struct view *view, const struct layout *layout,
                         const Etcd__RangeResponse *waiters)
{
    view->broken |= waiters->count < 0 || (size_t)waiters->count < waiters->n_kvs;
    view->waiters = (size_t)waiters->count;
    for (size_t i = 0; i < waiters->n_kvs && i < VIEW_WAITERS; i++) {
        const Etcd__KeyValue *kv = waiters->kvs[i];
        struct machine_served *waiter = &view->first[view->first_count];
        if (!intake_entry_key(layout, LAYOUT_WAITERS, kv, waiter->entry)) {
            view->broken = true;
            continue;
        }
        waiter->created = kv->create_revision;
        waiter->lease = kv->lease;
        view->first_count++;
    }
}

void view_read(struct view *view, const struct layout *layout, int64_t revision,
               Etcd__ResponseOp *const *answers, size_t count)
{
    memset(view, 0, sizeof *view);
    view->revision = revision;
    if (count < VIEW_ANSWERS || range_of(answers[0]) == NULL || range_of(answers[1]) == NULL ||
        range_of(answers[2]) == NULL || range_of(answers[3]) == NULL) {
        view->broken = true;
        return;
    }
    read_pool(view, only_value(answers[0]));
    read_slots(view, layout, range_of(answers[1]));
    read_waiters(view, layout, range_of(answers[2]));
    read_used(view, layout, range_of(answers[3]));
}

size_t view_vacancies(const struct view *view)
{
    return view->slots - view->below - view->orphaned;
}

bool view_free(const struct view *view, unsigned from, unsigned *slot)
{
    for (*slot = from; *slot < view->slots; ++*slot) {
        if (!is_taken(view, *slot) && !view_is_orphan(view, *slot))
            return true;
    }
    return false;
}

void view_leave(struct view *view, unsigned slot)
{
    if (!is_taken(view, slot))
        return;
    view->taken[slot / 8] &= (unsigned char)~(1 << slot % 8);
    view->used[slot] = 0;
    view->below -= slot < view->slots;
}

void view_take(struct machine_seat *seat, const struct view *view, uint64_t now)
{
    seat->looked = true;
    seat->slots = view->slots;
    seat->pool_ttl = view->pool_ttl;
    seat->pool_revision = view->pool_revision;
    orphans_see(seat, view, now);
    news_see(seat, view);
}
