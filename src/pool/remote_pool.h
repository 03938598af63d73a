/* Pools that live in another store than a directory. */
#ifndef BERTH_POOL_REMOTE_POOL_H
#define BERTH_POOL_REMOTE_POOL_H

#include "berth.h"
#include "pool/cancel.h"
#include "store/store.h"

/* The part of a handle that is the store's; `handle` NULL: the pool lives in a directory. */
struct remote {
    const struct store_operations *store;
    void *handle;
};

/* The store that `options` or the environment name, if it is not a directory; otherwise NULL. */
const char *remote_store(const berth_options *options);

int remote_open(struct remote *remote, const char *store, const char *name,
                const berth_options *options);

/* The store's sentence becomes the thread's. */
int remote_explain(int error, const char reason[STORE_REASON]);

/* One of the store's operations on this handle, by its name in struct store_operations. It is not
 * cancelled, unless it says that it can be: it has locks of the handle. */
#define remote_call(remote, operation, ...)                                                        \
    __extension__({                                                                                \
        char remote_reason[STORE_REASON] = "";                                                     \
        const int remote_before = cancel_later();                                                  \
        const int remote_error =                                                                   \
            (remote)->store->operation((remote)->handle, __VA_ARGS__, remote_reason);              \
        cancel_as(remote_before);                                                                  \
        remote_explain(remote_error, remote_reason);                                               \
    })

/* In a child after fork, the handle is not `mine`: its copy is freed, nothing is given up. */
int remote_close(const struct remote *remote, bool mine);

int remote_look(berth_view **view, const char *store, const char *name,
                const berth_options *options);
int remote_list(const char *store, const berth_options *options,
                int (*each)(const char *name, void *context), void *context);
int remote_remove(const char *store, const char *name, const berth_options *options);

#endif
