/*
 * simulate [CLIENTS [SLOTS [ROUNDS [HOLD_MS [DEATHS [LOST [SEED [DOOM [DEAF]]]]]]]]]: CLIENTS
 * clients on one pool, in simulated time. Each is the machine that the library runs
 * (src/store/etcd/machine.h) with a lease of its own; the store is memory_store.c, one request
 * after the other; messages take a quarter to three quarters of a millisecond. Each client arrives
 * within the first second, and takes a slot ROUNDS times, for HOLD_MS on average. DEATHS of them
 * die while they hold a slot: every other one with its host, so that its lease has to expire, the
 * rest alone, so that a guardian ends the lease.
 *
 * Of a thousand answers, LOST are lost; half of those requests are carried out as always, half up
 * to a second later, when the client has gone on.
 *
 * After DOOM seconds all but the last in line die at once, with their hosts. The one that is left
 * has to find a slot within two leases and 25 s, though it was far behind; and though it is told
 * nothing for DEAF seconds, and never what happened in them.
 *
 * Clients that wait are told of slots' keys that are deleted, as the library's are (news.c).
 *
 * Says how many messages, wake-ups and audits that took, and how long clients waited. Fails if two
 * were in one slot, if somebody was overtaken, or if somebody never got a slot.
 */
#include "memory_store.h"

#include "store/etcd/lease.h"
#include "store/etcd/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)
#define TTL 10

enum what {
    ARRIVE,
    REQUEST,
    SERVE,
    ANSWER,
    TICK,
    MAIL,
    WATCH,
    WATCH_AGAIN,
    NEWS,
    RELEASE,
    RENEW,
    DIE,
    EXPIRE,
    END_ALL
};

struct event {
    uint64_t at, order;
    enum what what;
    unsigned client;
    unsigned serial;      /* of the machine that it is for; an event for an earlier one is void */
    bool lost;            /* REQUEST: nobody will learn what came of it */
    void *data;           /* REQUEST: a build; ANSWER: a reply, or NULL if there is none */
    Etcd__KeyValue *mail; /* NEWS: it is one of `deletions`, and not to be freed */
};

struct client {
    struct machine_seat seat;
    struct machine machine;
    struct lease lease;
    unsigned serial, rounds;
    bool entered, holding, dead, settled;
    bool waiting, watching;
    uint64_t asked;
};

static unsigned clients, slots, rounds, deaths, lost;
static uint64_t hold;
static struct client *client;
static struct store *store;
static struct event *heap;
static size_t heap_count, heap_room;
static uint64_t now, ended, order, store_free_at, random_state;
static uint64_t requests, mails, renewals, acquires, audits, violations;
static unsigned *occupant; /* of each slot: the client, from 1 */
static uint64_t *waits;
static struct grant {
    int64_t ticket, token;
} * grants;
static size_t wait_count; /* and grants */
static Etcd__KeyValue **deletions;
static size_t deletion_count, deletion_room;
static uint64_t doom, deaf, news, watches, survived_at;
static unsigned survivor;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (random_state * UINT64_C(2685821657736338717) >> 11) % below;
}

static uint64_t latency(void)
{
    return MS / 4 + draw(MS / 2);
}

/* ---- events ---- */

static bool before(const struct event *one, const struct event *other)
{
    return one->at != other->at ? one->at < other->at : one->order < other->order;
}

static void schedule(struct event event)
{
    event.order = order++;
    if (heap_count == heap_room) {
        heap_room = heap_room * 2 + 1024;
        heap = realloc(heap, heap_room * sizeof *heap);
        if (heap == NULL)
            abort();
    }
    size_t at = heap_count++;
    while (at > 0 && before(&event, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = event;
}

static struct event next_event(void)
{
    const struct event first = heap[0], last = heap[--heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap_count)
            break;
        if (child + 1 < heap_count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

/* ---- clients ---- */

static void begin(unsigned c, enum machine_goal goal);

static void granted(unsigned c)
{
    struct client *it = &client[c];
    const struct machine *machine = &it->machine;
    acquires++;
    if (doom != 0 && now > doom)
        survived_at = now;
    it->holding = true;
    grants[wait_count] = (struct grant){machine->ticket, machine->token};
    waits[wait_count++] = now - it->asked;
    if (machine->slot >= slots || occupant[machine->slot] != 0)
        violations++;
    else
        occupant[machine->slot] = c + 1;
    const bool dies = deaths > 0 && draw(clients) < deaths;
    schedule((struct event){.at = now + 1 + draw(2 * hold + 1),
                            .what = dies ? DIE : RELEASE,
                            .client = c,
                            .serial = it->serial});
}

static void finished(unsigned c)
{
    struct client *it = &client[c];
    if (it->machine.error != 0) {
        fprintf(stderr, "client %u: %s\n", c, it->machine.reason);
        violations++;
        return;
    }
    switch (it->machine.goal) {
    case MACHINE_ENTER:
        it->entered = true;
        it->asked = now;
        begin(c, MACHINE_ACQUIRE);
        break;
    case MACHINE_ACQUIRE: granted(c); break;
    case MACHINE_RELEASE:
        ended = now;
        if (it->settled) {
            store_revoke(store, it->seat.lease);
            break;
        }
        if (++it->rounds < rounds) {
            it->asked = now;
            begin(c, MACHINE_ACQUIRE);
        }
        break;
    default: break;
    }
}

static void step(unsigned c, enum machine_next next)
{
    struct client *it = &client[c];
    struct event event = {.client = c, .serial = it->serial};
    it->waiting = next == MACHINE_WAIT;
    switch (next) {
    case MACHINE_SEND:
        event.what = REQUEST;
        event.data = it->machine.request;
        event.at = now + latency();
        it->machine.request = NULL;
        requests++;
        event.lost = lost > 0 && it->entered && draw(1000) < lost;
        if (event.lost) {
            event.at += draw(2) * draw(1000 * MS);
            schedule((struct event){
                .at = now + 100 * MS, .what = ANSWER, .client = c, .serial = it->serial});
        }
        schedule(event);
        break;
    case MACHINE_WAIT:
        event.what = TICK;
        event.at = it->machine.wake_at.at;
        schedule(event);
        if (it->machine.waits_for_mail && !it->watching) {
            event.what = WATCH;
            event.at = it->machine.news_at > now ? it->machine.news_at : now;
            schedule(event);
        }
        break;
    case MACHINE_DONE: finished(c); break;
    case MACHINE_LOST: violations++; break;
    }
}

static void begin(unsigned c, enum machine_goal goal)
{
    struct client *it = &client[c];
    struct machine machine = {.seat = &it->seat, .goal = goal, .patience = patience_endless()};
    if (goal == MACHINE_RELEASE) {
        memcpy(machine.entry, it->machine.entry, sizeof machine.entry);
        machine.slot = it->machine.slot;
        machine.token = it->machine.token;
    }
    it->machine = machine;
    it->serial++;
    it->watching = false;
    machine_news_from(&it->seat, 0);
    step(c, machine_start(&it->machine, now));
}

static Etcd__KeyValue *copy(const Etcd__KeyValue *kv)
{
    Etcd__KeyValue *to = malloc(sizeof *to + kv->key.len + kv->value.len);
    if (to == NULL)
        abort();
    *to = *kv;
    to->key.data = (uint8_t *)(to + 1);
    to->value.data = to->key.data + kv->key.len;
    memcpy(to->key.data, kv->key.data, kv->key.len);
    memcpy(to->value.data, kv->value.data, kv->value.len);
    return to;
}

static void tell(unsigned c, Etcd__KeyValue *deletion)
{
    schedule((struct event){.at = now + latency(), .what = NEWS, .client = c, .mail = deletion});
}

static void slot_deleted(const Etcd__KeyValue *kv)
{
    if (deletion_count == deletion_room) {
        deletion_room = deletion_room * 2 + 1024;
        deletions = realloc(deletions, deletion_room * sizeof *deletions);
        if (deletions == NULL)
            abort();
    }
    deletions[deletion_count] = copy(kv);
    for (unsigned c = 0; c < clients; c++) {
        if (client[c].watching && !client[c].dead)
            tell(c, deletions[deletion_count]);
    }
    deletion_count++;
}

/* The store has put a key, or deleted one. Mail is for the client whose number is in the key:
 * .../m/CLIENT.NUMBER */
static void watched(void *context, const Etcd__KeyValue *kv, bool deleted)
{
    (void)context;
    const char *key = (const char *)kv->key.data;
    const char *slash = memrchr(key, '/', kv->key.len);
    if (slash == NULL || slash - key < 2)
        return;
    if (deleted && slash[-1] == 's')
        slot_deleted(kv);
    if (deleted || slash[-1] != 'm')
        return;
    schedule((struct event){.at = now + latency(),
                            .what = MAIL,
                            .client = (unsigned)strtoul(slash + 1, NULL, 16),
                            .mail = copy(kv)});
}

/* ---- what happens ---- */

/* The store takes 20 microseconds for each request, one after the other. */
static void queue_up(const struct event *event)
{
    struct event served = *event;
    served.what = SERVE;
    served.at = store_free_at > now ? store_free_at : now;
    store_free_at = served.at + MS / 50;
    schedule(served);
}

static void carry_out(const struct event *event)
{
    struct build *build = event->data;
    struct store_reply *reply = store_txn(store, build->txn);
    free(build);
    if (event->lost) {
        store_reply_free(reply);
        return;
    }
    schedule((struct event){.at = now + latency(),
                            .what = ANSWER,
                            .client = event->client,
                            .serial = event->serial,
                            .data = reply});
}

static void take_answer(const struct event *event)
{
    struct client *it = &client[event->client];
    struct store_reply *reply = event->data;
    const struct machine_answer given = {.outcome = ANSWER_GIVEN,
                                         .txn = reply != NULL ? store_reply_txn(reply) : NULL};
    const struct machine_answer unknown = {.outcome = ANSWER_UNKNOWN, .reason = "lost"};
    if (it->serial == event->serial && !it->dead)
        step(event->client, machine_reply(&it->machine, now, reply != NULL ? &given : &unknown));
    if (reply != NULL)
        store_reply_free(reply);
}

static void take_mail(const struct event *event)
{
    struct client *it = &client[event->client];
    mails++;
    const char *slash = memrchr(event->mail->key.data, '/', event->mail->key.len);
    const size_t length =
        event->mail->key.len - (size_t)(slash + 1 - (char *)event->mail->key.data);
    if (!it->dead && !it->holding && it->machine.goal == MACHINE_ACQUIRE &&
        strlen(it->machine.entry) == length && memcmp(slash + 1, it->machine.entry, length) == 0) {
        it->serial++; /* what is still to come for it is of no interest */
        step(event->client, machine_mail(&it->machine, event->mail));
    }
    free(event->mail);
}

/* It has waited for a while, and is told what has happened since it last saw every slot held. */
static void watch(unsigned c)
{
    struct client *it = &client[c];
    if (it->watching || !it->machine.waits_for_mail || (now >= doom && now < doom + deaf))
        return;
    const bool missed = deaf != 0 && now > doom;
    const int64_t from = missed ? store_revision(store) + 1 : it->seat.news.held_at + 1;
    it->watching = true;
    watches++;
    machine_news_from(&it->seat, from);
    for (size_t i = deletion_count; i > 0 && deletions[i - 1]->mod_revision >= from; i--)
        tell(c, deletions[i - 1]);
}

static void take_news(unsigned c, const Etcd__KeyValue *deletion)
{
    struct client *it = &client[c];
    if (it->dead || !it->watching)
        return;
    news++;
    machine_news(&it->seat, now, deletion);
    if (!it->waiting)
        return;
    machine_replan(&it->machine, now);
    step(c, MACHINE_WAIT);
}

static void renew(unsigned c)
{
    struct client *it = &client[c];
    if (it->dead || it->rounds == rounds)
        return;
    renewals++;
    lease_sent(&it->lease, now);
    lease_confirmed(&it->lease, TTL);
    schedule((struct event){.at = it->lease.renew_at.at, .what = RENEW, .client = c});
}

static void die(unsigned c)
{
    struct client *it = &client[c];
    const bool with_host = c % 2 == 0;
    it->dead = true;
    occupant[it->machine.slot] = 0; /* it does no more work */
    schedule((struct event){.at = with_host ? it->lease.renew_at.at - TTL * 1000 * MS / 3 +
                                                  TTL * 1000 * MS
                                            : now + 5 * MS,
                            .what = EXPIRE,
                            .client = c});
}

/* The lease ends; a guardian gives the slot back first. */
static void expire(unsigned c)
{
    struct client *it = &client[c];
    if (c % 2 == 0 || doom != 0) {
        store_revoke(store, it->seat.lease);
        return;
    }
    it->dead = it->holding = false; /* the guardian, from here on */
    it->settled = true;
    it->rounds = rounds;
    begin(c, MACHINE_RELEASE);
}

/* It is told nothing any more, for a while. */
static void deafen(unsigned c)
{
    struct client *it = &client[c];
    it->watching = false;
    machine_news_from(&it->seat, 0);
    if (it->waiting) {
        machine_replan(&it->machine, now);
        step(c, MACHINE_WAIT);
    }
    schedule((struct event){.at = now + deaf, .what = WATCH_AGAIN, .client = c});
}

/* All at once, but for the one that waits and came last. */
static void end_all(void)
{
    for (unsigned c = 0; c < clients; c++) {
        if (client[c].waiting && client[c].machine.ticket > client[survivor].machine.ticket)
            survivor = c;
    }
    if (deaf != 0)
        deafen(survivor);
    for (unsigned c = 0; c < clients; c++) {
        if (c == survivor || client[c].dead)
            continue;
        if (client[c].holding)
            occupant[client[c].machine.slot] = 0;
        client[c].dead = true;
        schedule((struct event){.at = client[c].lease.renew_at.at + TTL * 1000 * MS * 2 / 3,
                                .what = EXPIRE,
                                .client = c});
    }
}

static void arrive(unsigned c)
{
    struct client *it = &client[c];
    it->seat.lease = it->lease.id = (int64_t)c + 1;
    it->seat.random = draw(UINT64_MAX) | 1;
    it->seat.ttl = TTL;
    it->seat.wanted = slots;
    strcpy(it->seat.layout.prefix, "/sim/");
    strcpy(it->seat.layout.name, "pool");
    snprintf(it->seat.client, sizeof it->seat.client, "%016x", c);
    renew(c);
    begin(c, MACHINE_ENTER);
}

static void happen(const struct event *event)
{
    struct client *it = &client[event->client];
    const bool current = it->serial == event->serial && !it->dead;
    switch (event->what) {
    case ARRIVE: arrive(event->client); break;
    case REQUEST: queue_up(event); break;
    case SERVE: carry_out(event); break;
    case ANSWER: take_answer(event); break;
    case TICK: /* there may be several, if what was planned has changed */
        if (current && it->waiting && event->at == it->machine.wake_at.at)
            step(event->client, machine_tick(&it->machine, now));
        break;
    case MAIL: take_mail(event); break;
    case WATCH:
        if (current)
            watch(event->client);
        break;
    case WATCH_AGAIN: watch(event->client); break;
    case NEWS: take_news(event->client, event->mail); break;
    case END_ALL: end_all(); break;
    case RELEASE:
        if (it->dead)
            break;
        occupant[it->machine.slot] = 0;
        it->holding = false;
        begin(event->client, MACHINE_RELEASE);
        break;
    case RENEW: renew(event->client); break;
    case DIE:
        if (!it->dead)
            die(event->client);
        break;
    case EXPIRE: expire(event->client); break;
    }
}

static int compare(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static int compare_grants(const void *one, const void *other)
{
    const struct grant *a = one, *b = other;
    return a->ticket != b->ticket ? (a->ticket > b->ticket) - (a->ticket < b->ticket)
                                  : (a->token > b->token) - (a->token < b->token);
}

/* The first to come is served first: the tokens grow with the tickets. */
static size_t count_overtakes(void)
{
    size_t overtakes = 0;
    qsort(grants, wait_count, sizeof *grants, compare_grants);
    for (size_t i = 1; i < wait_count; i++)
        overtakes += grants[i].token < grants[i - 1].token;
    return overtakes;
}

static double wait_ms(double part)
{
    return wait_count > 0 ? (double)waits[(size_t)((double)(wait_count - 1) * part)] / 1e6 : 0;
}

int main(int argc, char **argv)
{
    const unsigned long given[] = {100000, 64, 1, 20, 0, 0, 1, 0, 0};
    unsigned long argument[9];
    for (int i = 0; i < 9; i++)
        argument[i] = i + 1 < argc ? strtoul(argv[i + 1], NULL, 10) : given[i];
    clients = (unsigned)argument[0];
    slots = (unsigned)argument[1];
    rounds = (unsigned)argument[2];
    hold = argument[3] * MS;
    deaths = (unsigned)argument[4];
    lost = (unsigned)argument[5];
    random_state = argument[6] * 2 + 1;
    doom = argument[7] * 1000 * MS;
    deaf = argument[8] * 1000 * MS;
    client = calloc(clients, sizeof *client);
    occupant = calloc(slots, sizeof *occupant);
    waits = calloc((size_t)clients * rounds + 1, sizeof *waits);
    grants = calloc((size_t)clients * rounds + 1, sizeof *grants);
    store = store_new(watched, NULL);
    if (client == NULL || occupant == NULL || waits == NULL || grants == NULL || store == NULL)
        return 2;
    for (unsigned c = 0; c < clients; c++)
        schedule((struct event){.at = draw(1000 * MS) + 1, .what = ARRIVE, .client = c});
    if (doom != 0)
        schedule((struct event){.at = doom, .what = END_ALL});
    while (heap_count > 0 && now < 100000 * 1000 * MS) { /* a day: somebody waits for ever */
        const struct event event = next_event();
        now = event.at;
        happen(&event);
    }
    size_t never = 0;
    for (unsigned c = 0; c < clients; c++) {
        audits += client[c].seat.audits;
        never += !client[c].dead && client[c].rounds < rounds;
    }
    qsort(waits, wait_count, sizeof *waits, compare);
    printf("%u clients, %u slots, held for %lu ms: %llu acquires in %.1f s\n", clients, slots,
           argument[3], (unsigned long long)acquires, (double)ended / 1e9);
    printf("  transactions  %10llu  %.3f for each acquire, %.3f of them audits\n",
           (unsigned long long)requests, (double)requests / (double)acquires,
           (double)audits / (double)acquires);
    printf("  wake-ups      %10llu  %.3f for each acquire\n", (unsigned long long)mails,
           (double)mails / (double)acquires);
    printf("  renewals      %10llu\n  watches       %10llu  told %llu times\n",
           (unsigned long long)renewals, (unsigned long long)watches, (unsigned long long)news);
    printf("  wait          %.1f ms median, %.1f ms for 99 of 100, %.1f ms at most\n", wait_ms(0.5),
           wait_ms(0.99), wait_ms(1));
    const size_t overtakes = count_overtakes();
    printf("  two in a slot %10llu\n  overtaken     %10zu\n  never served  %10zu\n",
           (unsigned long long)violations, overtakes, never);
    if (doom != 0)
        printf("  survivor      %10.1f s after the others died\n",
               ((double)survived_at - (double)doom) / 1e9);
    const bool late =
        doom != 0 && (survived_at < doom || survived_at > doom + (2 * TTL + 25) * 1000 * MS);
    return violations > 0 || never > 0 || overtakes > 0 || late;
}
