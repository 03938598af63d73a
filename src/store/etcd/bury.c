/*
 * A process has died, and nothing of it works any more: so its slots need not be orphaned, and those who wait
 * need not wait for longer.
 */
#include "store/etcd/bury.h"

#include "os/clock.h"
#include "store/etcd/parts.h"
#include "store/etcd/plain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct burial {
    struct plain plain;
    struct machine_seat seat;
    struct build *build;
    Etcd__TxnResponse *txn;
};

static void ignore(const uint8_t *message, size_t size, void *context)
{
    (void)message, (void)size, (void)context;
}

static int turn(struct burial *burial, struct machine machine, char reason[STORE_REASON])
{
    machine.seat = &burial->seat;
    machine.patience = (uint64_t)burial->plain.address.timeout * OS_SECOND;
    return plain_turn(&burial->plain, &machine, reason);
}

static int release_one(struct burial *burial, const Etcd__KeyValue *kv, char reason[STORE_REASON])
{
    struct machine machine = {.goal = MACHINE_RELEASE, .token = kv->mod_revision};
    layout_key key;
    Berth__Holder *holder = berth__holder__unpack(NULL, kv->value.len, kv->value.data);
    if (holder == NULL || !key_text(kv, key) || !layout_slot_of(key, &machine.slot)) {
        if (holder != NULL)
            berth__holder__free_unpacked(holder, NULL);
        return 0; /* none of ours */
    }
    layout_copy(machine.entry, sizeof machine.entry, holder->entry);
    berth__holder__free_unpacked(holder, NULL);
    const int error = turn(burial, machine, reason);
    return error == EPERM ? 0 : error; /* EPERM: it had been given back */
}

static int release_all(struct burial *burial, int64_t lease, char reason[STORE_REASON])
{
    layout_key key, end;
    layout_in(&burial->seat.layout, LAYOUT_SLOTS, "", key);
    layout_end(key, end);
    build_get(burial->build, burial->build->txn, false, key, (struct build_range){.end = end});
    int error = plain_txn(&burial->plain, burial->build->txn, &burial->txn, reason);
    const Etcd__RangeResponse *slots =
        error == 0 && burial->txn->n_responses == 1 ? range_of(burial->txn->responses[0]) : NULL;
    for (size_t i = 0; slots != NULL && i < slots->n_kvs && error == 0; i++) {
        if (slots->kvs[i]->lease == lease)
            error = release_one(burial, slots->kvs[i], reason);
    }
    return error;
}

static int bury(struct burial *burial, int64_t lease, char reason[STORE_REASON])
{
    Etcd__LeaseRevokeRequest request = ETCD__LEASE_REVOKE_REQUEST__INIT;
    request.id = lease;
    const int failed = release_all(burial, lease, reason);
    int error = plain_call(&burial->plain, "/etcdserverpb.Lease/LeaseRevoke", &request.base, ignore,
                           NULL, reason);
    if (error == 0 || error == ESTALE)
        error = turn(burial, (struct machine){.goal = MACHINE_SERVE}, reason);
    return error != 0 ? error : failed;
}

int bury_lease(const char *store, const char *name, int64_t lease, char reason[STORE_REASON])
{
    struct burial *burial = calloc(1, sizeof *burial);
    struct build *build = build_new();
    int error = ENOMEM;
    if (burial != NULL && build != NULL) {
        burial->build = build;
        burial->seat.random = 1 | (uint64_t)getpid() << 8;
        error = plain_open(&burial->plain, store, reason);
        if (error == 0) {
            layout_copy(burial->seat.layout.prefix, sizeof burial->seat.layout.prefix,
                        burial->plain.address.prefix);
            layout_copy(burial->seat.layout.name, sizeof burial->seat.layout.name, name);
            error = bury(burial, lease, reason);
            plain_close(&burial->plain);
        }
        if (burial->txn != NULL)
            etcd__txn_response__free_unpacked(burial->txn, NULL);
    }
    free(build);
    free(burial);
    return error;
}
