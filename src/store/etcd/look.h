/* Looking at pools in etcd without a handle. */
#ifndef BERTH_STORE_ETCD_LOOK_H
#define BERTH_STORE_ETCD_LOOK_H

#include "store/store.h"

int look_pool(berth_view *view, const char *store, const char *name, char reason[STORE_REASON]);
int look_list(const char *store, int (*each)(const char *name, void *context), void *context,
              char reason[STORE_REASON]);
int look_remove(const char *store, const char *name, char reason[STORE_REASON]);

#endif
