/* A client comes to a pool: the prefix is berth's, the pool is there or is made, and the client's
 * own key is put, under its lease. */
#include "store/etcd/machine_parts.h"

#include <errno.h>
#include <string.h>

enum { ROUNDS = 16 }; /* lost races until this is reported as an error */

static enum machine_next read_open(struct machine *machine, uint64_t now,
                                   const Etcd__TxnResponse *txn);
static enum machine_next create_send(struct machine *machine, uint64_t now);
static enum machine_next create_marked_send(struct machine *machine, uint64_t now);

void put_client(struct machine *machine, Etcd__TxnRequest *txn, bool otherwise)
{
    const struct machine_seat *seat = machine->seat;
    Berth__Client client = BERTH__CLIENT__INIT;
    char host[BERTH_NAME_MAX], command[BERTH_COMMAND_MAX];
    memcpy(host, seat->host, sizeof host);
    memcpy(command, seat->command, sizeof command);
    client.host = host;
    client.pid = seat->pid;
    client.command = (ProtobufCBinaryData){strlen(command), (uint8_t *)command};
    client.opened_ms = seat->opened_ms;
    client.place = seat->place;
    Berth__Loan loan[MACHINE_LOANS], *loans[MACHINE_LOANS];
    for (size_t i = 0; i < seat->loan_count; i++) {
        loan[i] = (Berth__Loan)BERTH__LOAN__INIT;
        loan[i].slot = seat->loans[i].slot;
        loan[i].level = seat->loans[i].level;
        loan[i].token = seat->loans[i].token;
        loans[i] = &loan[i];
    }
    client.n_loans = seat->loan_count;
    client.loans = loans;
    layout_key key;
    layout_in(&seat->layout, LAYOUT_CLIENTS, seat->client, key);
    build_put(machine->request, txn, otherwise, key, &client.base, seat->lease);
}

enum machine_next enter_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct machine_seat *seat = machine->seat;
    if (!machine_request(machine, enter_send, read_open))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key mark, pool, end;
    layout_mark(&seat->layout, mark);
    layout_pool(&seat->layout, pool);
    build_if_value(build, build->txn, mark, LAYOUT_MARK);
    build_if_present(build, build->txn, pool);
    build_get(build, build->txn, false, pool, (struct build_range){0});
    put_client(machine, build->txn, false);

    layout_end(seat->layout.prefix, end);
    build_get(build, build->txn, true, mark, (struct build_range){0});
    build_get(build, build->txn, true, pool, (struct build_range){.keys_only = true});
    build_get(build, build->txn, true, seat->layout.prefix,
              (struct build_range){.end = end, .count_only = true});
    return MACHINE_SEND;
}

static enum machine_next not_a_pool(struct machine *machine)
{
    return machine_fail(machine, EPROTO, "pool %s is damaged, or of another version of berth",
                        machine->seat->layout.name);
}

/* What the pool's key says; false: it is not as berth writes it. */
static bool read_pool(struct machine_seat *seat, const Etcd__KeyValue *kv)
{
    struct intake_pool pool;
    const bool good = kv != NULL && intake_pool(kv, &pool);
    if (good) {
        seat->slots = pool.slots;
        seat->pool_ttl = pool.ttl;
        seat->pool_revision = kv->mod_revision;
    }
    return good;
}

/* ---- a lease that is longer than any before: those who wait have to know of it (orphans.c)
 * ---- */

static enum machine_next read_raise(struct machine *machine, uint64_t now,
                                    const Etcd__TxnResponse *txn);

static enum machine_next raise_send(struct machine *machine, uint64_t now)
{
    (void)now;
    const struct machine_seat *seat = machine->seat;
    if (!machine_request(machine, raise_send, read_raise))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    Berth__Pool pool = BERTH__POOL__INIT;
    pool.format = LAYOUT_FORMAT;
    pool.slots = seat->slots;
    pool.ttl = seat->ttl;
    layout_key key;
    layout_pool(&seat->layout, key);
    build_if_modified(build, build->txn, key, seat->pool_revision);
    build_put(build, build->txn, false, key, &pool.base, 0);
    build_get(build, build->txn, true, key, (struct build_range){0});
    return MACHINE_SEND;
}

static enum machine_next raised(struct machine *machine, uint64_t now)
{
    const struct machine_seat *seat = machine->seat;
    return seat->pool_ttl < seat->ttl ? raise_send(machine, now) : machine_done(machine);
}

static enum machine_next read_raise(struct machine *machine, uint64_t now,
                                    const Etcd__TxnResponse *txn)
{
    struct machine_seat *seat = machine->seat;
    if (txn->succeeded) {
        seat->pool_revision = txn->header->revision;
        seat->pool_ttl = seat->ttl;
    } else if (txn->n_responses != 1 || !read_pool(seat, only_value(txn->responses[0]))) {
        return not_a_pool(machine);
    }
    return raised(machine, now);
}

static enum machine_next entered(struct machine *machine, uint64_t now, int64_t revision)
{
    struct machine_seat *seat = machine->seat;
    if (seat->wanted != 0 && seat->wanted != seat->slots)
        return machine_fail(
            machine, EEXIST, "pool %s has %u slot%s, not %u: berth resize changes that",
            seat->layout.name, seat->slots, seat->slots == 1 ? "" : "s", seat->wanted);
    seat->client_revision = revision;
    return raised(machine, now);
}

/* The pool is not there, or the prefix is not marked. */
static enum machine_next read_absence(struct machine *machine, uint64_t now,
                                      const Etcd__TxnResponse *txn)
{
    const struct machine_seat *seat = machine->seat;
    if (txn->n_responses != 3 || range_of(txn->responses[2]) == NULL)
        return not_a_pool(machine);
    const Etcd__KeyValue *mark = only_value(txn->responses[0]);
    if (mark != NULL && (mark->value.len != strlen(LAYOUT_MARK) ||
                         memcmp(mark->value.data, LAYOUT_MARK, mark->value.len) != 0))
        return machine_fail(machine, EPROTO, "the prefix %s belongs to another version of berth",
                            seat->layout.prefix);
    if (mark == NULL && range_of(txn->responses[2])->count > 0)
        return machine_fail(machine, EPROTO, "the prefix %s holds keys that are not berth's",
                            seat->layout.prefix);
    if (only_value(txn->responses[1]) != NULL || machine->rounds++ >= ROUNDS)
        return machine->rounds < ROUNDS ? enter_send(machine, now) : not_a_pool(machine);
    if (seat->existing)
        return machine_fail(machine, ENOENT, "there is no pool %s", seat->layout.name);
    return mark != NULL ? create_marked_send(machine, now) : create_send(machine, now);
}

static enum machine_next read_open(struct machine *machine, uint64_t now,
                                   const Etcd__TxnResponse *txn)
{
    if (!txn->succeeded)
        return read_absence(machine, now, txn);
    const Etcd__KeyValue *kv = txn->n_responses == 2 ? only_value(txn->responses[0]) : NULL;
    return read_pool(machine->seat, kv) ? entered(machine, now, txn->header->revision)
                                        : not_a_pool(machine);
}

static enum machine_next read_create(struct machine *machine, uint64_t now,
                                     const Etcd__TxnResponse *txn)
{
    if (!txn->succeeded)
        return enter_send(machine, now); /* another client made it, or the request was made twice */
    struct machine_seat *seat = machine->seat;
    seat->slots = seat->wanted > 0 ? seat->wanted : 1;
    seat->pool_ttl = seat->ttl;
    seat->pool_revision = txn->header->revision;
    return entered(machine, now, txn->header->revision);
}

static enum machine_next create(struct machine *machine, bool marked)
{
    const struct machine_seat *seat = machine->seat;
    /* If the answer is lost, opening the pool tells whether it was made. */
    if (!machine_request(machine, enter_send, read_create))
        return machine_no_memory(machine);
    struct build *build = machine->request;
    layout_key mark, key, end;
    layout_mark(&seat->layout, mark);
    layout_end(seat->layout.prefix, end);
    layout_pool(&seat->layout, key);
    if (marked) {
        build_if_value(build, build->txn, mark, LAYOUT_MARK);
        build_if_absent(build, build->txn, key);
    } else {
        build_if_none(build, build->txn, seat->layout.prefix, end);
        build_put_text(build, build->txn, false, mark, LAYOUT_MARK);
    }
    Berth__Pool pool = BERTH__POOL__INIT;
    pool.format = LAYOUT_FORMAT;
    pool.slots = seat->wanted > 0 ? seat->wanted : 1;
    pool.ttl = seat->ttl;
    build_put(build, build->txn, false, key, &pool.base, 0);
    put_client(machine, build->txn, false);
    return MACHINE_SEND;
}

static enum machine_next create_send(struct machine *machine, uint64_t now)
{
    (void)now;
    return create(machine, false);
}

static enum machine_next create_marked_send(struct machine *machine, uint64_t now)
{
    (void)now;
    return create(machine, true);
}
