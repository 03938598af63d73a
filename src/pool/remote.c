#include "pool/remote.h"

#include "os/process.h"
#include "pool/directory.h"
#include "pool/file.h"
#include "pool/name.h"
#include "pool/process.h"
#include "pool/reason.h"

#include <errno.h>
#include <stdlib.h>

/* The store's sentence becomes the thread's. */
static int explain(int error, const char reason[STORE_REASON])
{
    return error == 0 ? 0 : pool_fail(error, "%s", reason);
}

const char *remote_store(const berth_options *options)
{
    const char *store = pool_store_asked_for(options);
    return store != NULL && store_is_etcd(store) ? store : NULL;
}

static int load(const struct store_operations **operations)
{
    char reason[STORE_REASON] = "";
    return explain(store_load_etcd(operations, reason), reason);
}

int remote_open(struct remote *remote, const char *store, const char *name,
                const berth_options *options)
{
    char reason[STORE_REASON] = "";
    int error = pool_name_check(name);
    if (error == 0)
        error = pool_options_check(options);
    if (error == 0)
        error = load(&remote->store);
    return error != 0 ? error
                      : explain(remote->store->open(&remote->handle, store, name, options, reason),
                                reason);
}

int remote_acquire(const struct remote *remote, struct store_patience patience, berth_grant *grant)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->acquire(remote->handle, patience, grant, reason), reason);
}

int remote_enter_door(const struct remote *remote, struct store_patience patience, int64_t *door)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->enter_door(remote->handle, patience, door, reason), reason);
}

int remote_leave_door(const struct remote *remote, int64_t door)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->leave_door(remote->handle, door, reason), reason);
}

int remote_draw(const struct remote *remote, struct store_patience patience, void **ticket)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->draw(remote->handle, patience, ticket, reason), reason);
}

int remote_wait(const struct remote *remote, void *ticket, struct store_patience patience,
                berth_grant *grant)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->wait(remote->handle, ticket, patience, grant, reason), reason);
}

int remote_release(const struct remote *remote, const berth_grant *grant)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->release(remote->handle, grant, reason), reason);
}

int remote_lend(const struct remote *remote, const berth_grant *grant, int *fd)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->lend(remote->handle, grant, fd, reason), reason);
}

int remote_borrow(const struct remote *remote, const berth_grant *grant, unsigned level, int fd)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->borrow(remote->handle, grant, level, fd, reason), reason);
}

void remote_give_back(const struct remote *remote, const berth_grant *grant)
{
    remote->store->give_back(remote->handle, grant);
}

int remote_resize(const struct remote *remote, unsigned slots)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->resize(remote->handle, slots, reason), reason);
}

int remote_describe(const struct remote *remote, int pid, const char *command)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->describe(remote->handle, pid, command, reason), reason);
}

int remote_good_for(const struct remote *remote, const berth_grant *grant, struct timespec *left)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->good_for(remote->handle, grant, left, reason), reason);
}

int remote_ward(const struct remote *remote, int pid)
{
    char reason[STORE_REASON] = "";
    return explain(remote->store->ward(remote->handle, pid, reason), reason);
}

int remote_close(const struct remote *remote, bool mine)
{
    char reason[STORE_REASON] = "";
    if (mine)
        return explain(remote->store->close(remote->handle, reason), reason);
    remote->store->abandon(remote->handle);
    return 0;
}

/* Who runs it, and whether it is stopped, where that can be known. */
static void describe(berth_user *user)
{
    const bool here = (user->flags & STORE_USER_HERE) != 0;
    user->flags &= ~STORE_USER_HERE;
    if (here)
        pool_process_describe(user, os_pid_namespace());
}

static void describe_all(const berth_view *view)
{
    for (size_t i = 0; i < view->holder_count; i++)
        describe(view->holders[i]);
    for (size_t i = 0; i < view->waiter_count; i++)
        describe(view->waiters[i]);
    for (size_t i = 0; i < view->loan_count; i++)
        describe(&view->loans[i]->user);
}

int remote_look(berth_view **result, const char *store, const char *name)
{
    char reason[STORE_REASON] = "";
    const struct store_operations *operations;
    int error = pool_name_check(name);
    if (error == 0)
        error = load(&operations);
    if (error != 0)
        return error;
    berth_view *view = calloc(1, sizeof *view);
    if (view == NULL)
        return pool_fail(ENOMEM, "there is no memory for what pool %s looks like", name);
    error = explain(operations->look(view, store, name, reason), reason);
    if (error != 0) {
        berth_view_free(view);
        return error;
    }
    describe_all(view);
    *result = view;
    return 0;
}

int remote_list(const char *store, int (*each)(const char *name, void *context), void *context)
{
    char reason[STORE_REASON] = "";
    const struct store_operations *operations;
    const int error = load(&operations);
    return error != 0 ? error : explain(operations->list(store, each, context, reason), reason);
}

int remote_remove(const char *store, const char *name)
{
    char reason[STORE_REASON] = "";
    const struct store_operations *operations;
    int error = pool_name_check(name);
    if (error == 0)
        error = load(&operations);
    return error != 0 ? error : explain(operations->remove(store, name, reason), reason);
}
