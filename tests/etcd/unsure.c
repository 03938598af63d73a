/*
 * unsure [SEED [ROUNDS]]: calls whose answers are lost, and that give up. A client's machine
 * (store/etcd/machine.h) asks a store in memory (bench/etcd/memory_store.c); each answer may be
 * lost, and a request that was lost may be carried out later. The machine's patience is short, so
 * that calls fail. After each failure it cleans up; then nothing of it may be left in the store: no
 * slot, no entry, no mail. And a release that has failed is repeated until it succeeds, and never
 * says that the slot was not held.
 *
 * And since when a slot is orphaned: since its holder's key was deleted, if that was told, but not
 * since an earlier holder's was.
 */
#include "memory_store.h"

#include "store/etcd/machine_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

enum { SLOTS = 2, LATE = 4 };

static uint64_t now = MS, random_state;
static struct store *store;
static struct build *late[LATE]; /* requests that are still on their way */
static unsigned failures, complaints;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (random_state * UINT64_C(2685821657736338717) >> 11) % below;
}

static void complain(const char *what, const struct machine *machine)
{
    complaints++;
    printf("%s: %s\n", what, machine->reason);
}

static void ignore(void *context, const Etcd__KeyValue *kv, bool deleted)
{
    (void)context, (void)kv, (void)deleted;
}

/* ---- requests ---- */

static void carry_out(struct build *build)
{
    store_reply_free(store_txn(store, build->txn));
    free(build);
}

static void deliver_late(bool all)
{
    for (unsigned i = 0; i < LATE; i++) {
        if (late[i] == NULL || (!all && draw(3) > 0))
            continue;
        carry_out(late[i]);
        late[i] = NULL;
    }
}

/* The answer is lost. The request was carried out, or is later, or never. */
static enum machine_next lose(struct machine *machine, struct build *build)
{
    const unsigned place = (unsigned)draw(LATE);
    if (draw(2) == 0) {
        carry_out(build);
    } else if (late[place] == NULL) {
        late[place] = build;
    } else {
        free(build);
    }
    now += 100 * MS;
    return machine_reply(machine, now,
                         &(struct machine_answer){
                             .outcome = ANSWER_UNKNOWN, .error = EHOSTUNREACH, .reason = "lost"});
}

static enum machine_next ask(struct machine *machine, bool may_lose)
{
    struct build *build = machine->request;
    machine->request = NULL;
    deliver_late(false);
    if (may_lose && draw(10) < 6)
        return lose(machine, build);
    struct store_reply *reply = store_txn(store, build->txn);
    free(build);
    now += MS;
    const struct machine_answer answer = {.outcome = ANSWER_GIVEN, .txn = store_reply_txn(reply)};
    const enum machine_next next = machine_reply(machine, now, &answer);
    store_reply_free(reply);
    return next;
}

/* To its end; or, where `waits` is false, until it waits in line. */
static enum machine_next turn(struct machine *machine, enum machine_next next, bool may_lose)
{
    for (;;) {
        switch (next) {
        case MACHINE_SEND: next = ask(machine, may_lose); break;
        case MACHINE_WAIT:
            if (machine->waits_for_mail && draw(2) == 0) { /* it loses patience */
                next = machine_give_up(machine, now, false);
                break;
            }
            now += moment_left(machine->wake_at, now);
            next = machine_tick(machine, now);
            break;
        default: return next;
        }
    }
}

/* ---- what is left ---- */

static size_t count(const struct machine_seat *seat, char folder)
{
    struct build *build = build_new();
    layout_key key, end;
    if (build == NULL)
        abort();
    layout_in(&seat->layout, folder, "", key);
    layout_end(key, end);
    build_get(build, build->txn, false, key, (struct build_range){.end = end});
    struct store_reply *reply = store_txn(store, build->txn);
    const size_t found = store_reply_txn(reply)->responses[0]->response_range->n_kvs;
    store_reply_free(reply);
    free(build);
    return found;
}

static void expect_nothing(const struct machine *machine, size_t held)
{
    deliver_late(true);
    const struct machine_seat *seat = machine->seat;
    const size_t slots = count(seat, LAYOUT_SLOTS), waiting = count(seat, LAYOUT_WAITERS),
                 mail = count(seat, LAYOUT_MAIL);
    if (slots != held || waiting != 0 || mail != 0) {
        complaints++;
        printf("left: %zu slots and not %zu, %zu entries, %zu mails\n", slots, held, waiting, mail);
    }
}

/* ---- calls ---- */

static struct machine new_machine(struct machine_seat *seat, enum machine_goal goal)
{
    return (struct machine){.seat = seat, .goal = goal, .patience = patience_for(150 * MS)};
}

static void release(struct machine_seat *seat, const struct machine *grant, bool may_lose)
{
    struct machine machine = new_machine(seat, MACHINE_RELEASE);
    memcpy(machine.entry, grant->entry, sizeof machine.entry);
    machine.slot = grant->slot;
    machine.token = grant->token;
    for (;;) {
        const bool unsure = machine.unsure;
        enum machine_next next = turn(&machine, machine_start(&machine, now), may_lose);
        if (next == MACHINE_DONE && machine.error == 0)
            return;
        if (next != MACHINE_DONE || machine.error == EPERM)
            complain("release", &machine);
        if (next != MACHINE_DONE || machine.error == EPERM)
            return;
        failures++;
        struct machine again = new_machine(seat, MACHINE_RELEASE);
        memcpy(again.entry, grant->entry, sizeof again.entry);
        again.slot = grant->slot;
        again.token = grant->token;
        again.unsure = unsure || machine.unsure;
        machine = again;
    }
}

/* A call that fails leaves nothing, as soon as the store answers again. */
static void acquire(struct machine_seat *seat, enum machine_goal goal, size_t held)
{
    struct machine machine = new_machine(seat, goal);
    enum machine_next next = turn(&machine, machine_start(&machine, now), true);
    if (next != MACHINE_DONE)
        complain("acquire", &machine);
    if (machine.error != 0 && machine.stake) {
        failures++;
        next = turn(&machine, machine_clean_up(&machine, now), draw(2) == 0);
        while (next == MACHINE_DONE && machine.error != 0 && machine.stake)
            next = turn(&machine, machine_clean_up(&machine, now), false);
    }
    if (next == MACHINE_DONE && machine.error == 0)
        release(seat, &machine, true);
    expect_nothing(&machine, held);
}

static void name_client(struct machine_seat *seat, unsigned number)
{
    snprintf(seat->layout.prefix, sizeof seat->layout.prefix, "/p/");
    snprintf(seat->layout.name, sizeof seat->layout.name, "x");
    snprintf(seat->client, sizeof seat->client, "%016x", number);
    seat->lease = number;
    seat->random = number;
}

static void enter(struct machine_seat *seat, unsigned number)
{
    name_client(seat, number);
    seat->wanted = SLOTS;
    struct machine machine = new_machine(seat, MACHINE_ENTER);
    if (turn(&machine, machine_start(&machine, now), false) != MACHINE_DONE || machine.error != 0)
        complain("enter", &machine);
}

/* Its holder's key was deleted at revision 20, when 5 s had passed; its key in use is of revision
 * `used`; a look shows it orphaned after 100 s. */
static bool is_over_at(int64_t used, uint64_t seconds)
{
    static struct machine_seat seat;
    static struct view view;
    seat = (struct machine_seat){.ttl = 10, .slots = 1, .layout = {.prefix = "/", .name = "pool"}};
    view = (struct view){.there = true, .slots = 1, .orphaned = 1, .revision = 30, .used = {used}};
    layout_key key;
    layout_slot(&seat.layout, 0, key);
    Etcd__KeyValue kv = ETCD__KEY_VALUE__INIT;
    kv.key = (ProtobufCBinaryData){strlen(key), (uint8_t *)key};
    kv.mod_revision = 20;
    machine_news(&seat, 5000 * MS, &kv);
    view_take(&seat, &view, 100000 * MS);
    unsigned slot;
    return orphans_over(&seat, &view, seconds * 1000 * MS, 0, &slot);
}

static void orphaned_since(void)
{
    const struct machine nothing = {0};
    if (is_over_at(10, 14) || !is_over_at(10, 15))
        complain("it is not orphaned since its key was deleted", &nothing);
    if (is_over_at(25, 109) || !is_over_at(25, 110))
        complain("it is orphaned since an earlier holder's key was deleted", &nothing);
}

int main(int argc, char **argv)
{
    random_state = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * 2 + 1;
    const unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3000;
    static struct machine_seat one, other;
    store = store_new(ignore, NULL);
    orphaned_since();
    enter(&one, 1);
    enter(&other, 2);
    for (unsigned i = 0; i < rounds && complaints < 10; i++) {
        /* Sometimes the other one holds both slots, so that this one has to wait. */
        struct machine held[SLOTS];
        const unsigned holds = draw(2) == 0 ? SLOTS : 0;
        for (unsigned h = 0; h < holds; h++) {
            held[h] = new_machine(&other, MACHINE_TRY);
            if (turn(&held[h], machine_start(&held[h], now), false) != MACHINE_DONE ||
                held[h].error != 0)
                complain("hold", &held[h]);
        }
        acquire(&one, draw(2) == 0 ? MACHINE_TRY : MACHINE_ACQUIRE, holds);
        for (unsigned h = 0; h < holds; h++)
            release(&other, &held[h], false);
    }
    printf("%u rounds, %u calls failed, %u complaints\n", rounds, failures, complaints);
    return complaints > 0 || failures == 0;
}
