/*
 * When a waiter looks at the pool. From a look at which every slot was held, nothing is there to be
 * given to those who wait until a slot's key is deleted (a lease has ended, or a slot was given up
 * where the store takes no more keys), or the pool's key is changed: a hand-over puts a slot's key,
 * and a release deletes it only if nobody waits. So a waiter that is told of these two needs no
 * looks of its own: it rests. It looks seldom even so, in case that something was not told.
 *
 * Once it has been told something, or cannot be told any more, it looks as if nobody told it
 * anything, until a look shows every slot held again. That depends on no other client: the last
 * one that is left of those who wait finds what there is.
 *
 * A client that was told when a slot's key went also knows since when the slot is orphaned.
 */
#include "store/etcd/machine_parts.h"

static const uint64_t look_first = UINT64_C(500000000), look_rarest = UINT64_C(15000000000),
                      rest_first = UINT64_C(30000000000), rest_longest = UINT64_C(120000000000),
                      news_after = UINT64_C(2000000000);

enum { NEAR = 30 }; /* places from the first that look more often */

static int64_t later_of(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

void news_see(struct machine_seat *seat, const struct view *view)
{
    const bool held = view_vacancies(view) == 0 && view->orphaned == 0;
    int64_t *at = held ? &seat->news.held_at : &seat->news.disturbed_at;
    *at = later_of(*at, view->revision);
}

uint64_t news_gone_at(const struct machine_seat *seat, unsigned slot, int64_t used, uint64_t now)
{
    const struct machine_orphan *orphan = &seat->orphans[slot];
    return orphan->gone > used ? orphan->gone_at : now;
}

void machine_news_from(struct machine_seat *seat, int64_t from)
{
    seat->news.told_from = from;
}

void machine_news(struct machine_seat *seat, uint64_t now, const Etcd__KeyValue *kv)
{
    unsigned slot;
    seat->news.disturbed_at = later_of(seat->news.disturbed_at, kv->mod_revision);
    if (!intake_slot_key(&seat->layout, LAYOUT_SLOTS, kv, &slot))
        return; /* the pool's own, for one */
    struct machine_orphan *orphan = &seat->orphans[slot];
    if (kv->mod_revision > orphan->gone) {
        orphan->gone = kv->mod_revision;
        orphan->gone_at = now;
    }
}

static bool may_rest(const struct machine_seat *seat)
{
    const struct machine_news *news = &seat->news;
    return news->told_from != 0 && news->told_from <= news->held_at + 1 &&
           news->held_at >= news->disturbed_at;
}

static enum machine_next look_or_rest(struct machine *machine, uint64_t now)
{
    if (!moment_has_come(machine->rest_until, now) && may_rest(machine->seat))
        return machine_pause(machine, machine->rest_until, look_or_rest);
    machine->seat->audits++;
    return audit_send(machine, now);
}

/* The first in line looks every half second, the others less often; but about twice before they
 * will be first, if the line goes on as it did. */
static uint64_t look_after(const struct machine *machine, uint64_t now, uint64_t rank)
{
    uint64_t pause = rank < NEAR ? look_first * (rank + 1) : look_rarest;
    if (machine->rank > rank && machine->rank_at != 0) {
        const uint64_t moved = machine->rank - rank, took = now - machine->rank_at;
        const uint64_t first_in = took / moved * rank / 8 * 7;
        if (first_in < pause)
            pause = first_in > look_first ? first_in : look_first;
    }
    return pause;
}

enum machine_next wait_in_line(struct machine *machine, uint64_t now, uint64_t rank)
{
    if (machine->giving_up)
        return retreat_send(machine, now);
    struct machine_seat *seat = machine->seat;
    machine->look_at = moment_at(now + machine_about(seat, look_after(machine, now, rank)));
    machine->rest_until =
        moment_at(now + machine_about(seat, rank < NEAR ? rest_first : rest_longest));
    machine->rank = rank;
    machine->rank_at = now;
    if (!machine->waits_for_mail)
        machine->news_at = now + news_after;
    machine->waits_for_mail = true;
    return wait_as_planned(machine);
}

enum machine_next wait_as_planned(struct machine *machine)
{
    return machine_pause(machine, machine->look_at, look_or_rest);
}

void machine_replan(struct machine *machine, uint64_t now)
{
    if (machine->later != look_or_rest)
        return; /* it will look anyway */
    const uint64_t pause = machine->rank < NEAR ? look_first * (machine->rank + 1) : look_rarest;
    const struct moment at = moment_at(now + machine_about(machine->seat, pause));
    machine->wake_at = machine->look_at = moment_first(at, machine->wake_at);
}
