/*
 * The holder's side of a lease, without input and output. It counts from the moment at which the
 * last renewal that succeeded was sent, on CLOCK_BOOTTIME: the store cannot have begun to count
 * earlier, and a machine that is suspended does not stop the store's clock.
 *
 * An eighth of it is kept back for clocks that do not run alike: a holder whose clock runs at 7/8
 * of the speed of the store's still stops in time. Linux lets nobody slow a clock by more than a
 * tenth.
 */
#ifndef BERTH_STORE_ETCD_LEASE_H
#define BERTH_STORE_ETCD_LEASE_H

#include "store/etcd/moment.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    LEASE_KEPT_BACK = 8, /* one part in this many */
    LEASE_MOST = 3600,   /* seconds: whatever the store says */
};

struct lease {
    int64_t id;          /* 0: there is none */
    int64_t seconds;     /* as granted: others rely on it not lasting longer; 0: not yet */
    uint64_t good_until; /* nothing may rely on it afterwards */
    struct moment renew_at;
    uint64_t sent_at; /* of the request that is under way; 0: none is */
    unsigned failures;
};

static inline void lease_sent(struct lease *lease, uint64_t now)
{
    lease->sent_at = now;
}

/* It was granted or renewed for this number of seconds. */
static inline void lease_confirmed(struct lease *lease, int64_t seconds)
{
    if (lease->seconds == 0 || seconds < lease->seconds)
        lease->seconds = seconds < LEASE_MOST ? seconds : LEASE_MOST;
    const uint64_t time = (uint64_t)lease->seconds * UINT64_C(1000000000);
    lease->good_until = lease->sent_at + time - time / LEASE_KEPT_BACK;
    lease->renew_at = moment_at(lease->sent_at + time / 3);
    lease->sent_at = 0;
    lease->failures = 0;
}

/* When the last renewal that succeeded was sent. */
static inline uint64_t lease_renewed_at(const struct lease *lease)
{
    const uint64_t time = (uint64_t)lease->seconds * UINT64_C(1000000000);
    return lease->good_until - (time - time / LEASE_KEPT_BACK);
}

/* There was no answer: soon again. */
static inline void lease_missed(struct lease *lease, uint64_t now)
{
    const uint64_t pause = UINT64_C(50000000) << (lease->failures < 3 ? lease->failures : 3);
    lease->renew_at = moment_at(now + pause);
    lease->sent_at = 0;
    lease->failures++;
}

#endif
