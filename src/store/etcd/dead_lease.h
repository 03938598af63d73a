/* For the guardian: what a dead process leaves in the store. */
#ifndef BERTH_STORE_ETCD_DEAD_LEASE_H
#define BERTH_STORE_ETCD_DEAD_LEASE_H

#include "store/store.h"

/* Gives back the slots that are held under the lease, ends it, and serves the clients that waited
 * for them. */
int dead_lease_end(const char *store, const char *name, int64_t lease, char reason[STORE_REASON]);

#endif
