/* Pools that live in another store than a directory: the library's calls, handed on. */
#ifndef BERTH_POOL_REMOTE_H
#define BERTH_POOL_REMOTE_H

#include "berth.h"
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
int remote_acquire(const struct remote *remote, struct store_patience patience, berth_grant *grant);
int remote_enter_door(const struct remote *remote, struct store_patience patience, int64_t *door);
int remote_leave_door(const struct remote *remote, int64_t door);
int remote_draw(const struct remote *remote, struct store_patience patience, void **ticket);
int remote_wait(const struct remote *remote, void *ticket, struct store_patience patience,
                berth_grant *grant);
int remote_release(const struct remote *remote, const berth_grant *grant);
int remote_lend(const struct remote *remote, const berth_grant *grant, int *fd);
int remote_borrow(const struct remote *remote, const berth_grant *grant, unsigned level, int fd);
void remote_give_back(const struct remote *remote, const berth_grant *grant);
int remote_resize(const struct remote *remote, unsigned slots);
int remote_describe(const struct remote *remote, int pid, const char *command);
int remote_good_for(const struct remote *remote, const berth_grant *grant, struct timespec *left);
int remote_ward(const struct remote *remote, int pid);
int remote_close(const struct remote *remote, bool mine);

int remote_look(berth_view **view, const char *store, const char *name);
int remote_list(const char *store, int (*each)(const char *name, void *context), void *context);
int remote_remove(const char *store, const char *name);

#endif
