/*
 * A process has died, and nothing that it started still runs. So its slots can be handed on at
 * once, and do not have to be taken over as orphaned ones after a wait.
 */
#include "store/etcd/dead_lease.h"

#include "os/clock.h"
#include "store/etcd/machine_parts.h"
#include "store/etcd/plain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct dead {
    struct plain plain;
    struct machine_seat seat;
    struct build *build;
    Etcd__TxnResponse *txn;
};

static void ignore(const uint8_t *message, size_t size, void *context)
{
    (void)message, (void)size, (void)context;
}

static int turn(struct dead *dead, struct machine machine, char reason[STORE_REASON])
{
    machine.seat = &dead->seat;
    machine.patience = patience_for((uint64_t)dead->plain.address.timeout * OS_SECOND);
    return plain_turn(&dead->plain, &machine, reason);
}

static int release_one(struct dead *dead, const Etcd__KeyValue *kv, char reason[STORE_REASON])
{
    struct machine machine = {.goal = MACHINE_RELEASE, .token = kv->mod_revision};
    struct intake_holder holder;
    if (!intake_holder(kv, &holder) ||
        !intake_slot_key(&dead->seat.layout, LAYOUT_SLOTS, kv, &machine.slot))
        return 0; /* not a key of ours */
    layout_copy(machine.entry, sizeof machine.entry, holder.entry);
    const int error = turn(dead, machine, reason);
    return error == EPERM ? 0 : error; /* EPERM: it had been given back */
}

static int release_all(struct dead *dead, int64_t lease, char reason[STORE_REASON])
{
    layout_key key, end;
    layout_in(&dead->seat.layout, LAYOUT_SLOTS, "", key);
    layout_end(key, end);
    build_get(dead->build, dead->build->txn, false, key, (struct build_range){.end = end});
    int error = plain_txn(&dead->plain, dead->build->txn, &dead->txn, reason);
    const Etcd__RangeResponse *slots =
        error == 0 && dead->txn->n_responses == 1 ? range_of(dead->txn->responses[0]) : NULL;
    for (size_t i = 0; slots != NULL && i < slots->n_kvs && error == 0; i++) {
        if (slots->kvs[i]->lease == lease)
            error = release_one(dead, slots->kvs[i], reason);
    }
    return error;
}

static int end(struct dead *dead, int64_t lease, char reason[STORE_REASON])
{
    Etcd__LeaseRevokeRequest request = ETCD__LEASE_REVOKE_REQUEST__INIT;
    request.id = lease;
    const int failed = release_all(dead, lease, reason);
    int error = plain_call(&dead->plain, "/etcdserverpb.Lease/LeaseRevoke", &request.base, ignore,
                           NULL, reason);
    if (error == 0 || error == ESTALE)
        error = turn(dead, (struct machine){.goal = MACHINE_SERVE}, reason);
    return error != 0 ? error : failed;
}

int dead_lease_end(const char *store, const char *name, int64_t lease, char reason[STORE_REASON])
{
    struct dead *dead = calloc(1, sizeof *dead);
    struct build *build = build_new();
    int error = ENOMEM;
    if (dead != NULL && build != NULL) {
        dead->build = build;
        dead->seat.random = 1 | (uint64_t)getpid() << 8;
        error = plain_open(&dead->plain, store, reason);
        if (error == 0) {
            layout_copy(dead->seat.layout.prefix, sizeof dead->seat.layout.prefix,
                        dead->plain.address.prefix);
            layout_copy(dead->seat.layout.name, sizeof dead->seat.layout.name, name);
            error = end(dead, lease, reason);
            plain_close(&dead->plain);
        }
        if (dead->txn != NULL)
            etcd__txn_response__free_unpacked(dead->txn, NULL);
    }
    free(build);
    free(dead);
    return error;
}
