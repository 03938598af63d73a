/* For the guardian: what a dead process leaves in the store. */
#ifndef BERTH_STORE_ETCD_BURY_H
#define BERTH_STORE_ETCD_BURY_H

#include "store/store.h"

/* Gives back the slots that are held under the lease, ends it, and serves whoever waited for it. */
int bury_lease(const char *store, const char *name, int64_t lease, char reason[STORE_REASON]);

#endif
