#include "pool/remote_pool.h"

#include "os/foreign.h"
#include "os/process.h"
#include "pool/directory.h"
#include "pool/file.h"
#include "pool/name.h"
#include "pool/owner_process.h"
#include "pool/reason.h"

#include <errno.h>
#include <stdlib.h>

int remote_explain(int error, const char reason[STORE_REASON])
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
    return remote_explain(store_load_etcd(operations, reason), reason);
}

int remote_open(struct remote *remote, const char *store, const char *name,
                const berth_options *options)
{
    char reason[STORE_REASON] = "";
    int error = pool_name_check(name, options);
    if (error == 0)
        error = pool_options_check(options);
    if (error == 0)
        error = load(&remote->store);
    return error != 0
               ? error
               : remote_explain(remote->store->open(&remote->handle, store, name, options, reason),
                                reason);
}

int remote_close(const struct remote *remote, bool mine)
{
    char reason[STORE_REASON] = "";
    if (mine)
        return remote_explain(remote->store->close(remote->handle, reason), reason);
    remote->store->abandon(remote->handle);
    return 0;
}

static void clean(char *text, size_t room)
{
    os_clean(text, room, (struct os_foreign){text, room});
}

/* Makes of what its client wrote something that can be shown; and adds its user, and whether it is
 * stopped, if that can be found out. */
static void describe(berth_user *user)
{
    clean(user->host, sizeof user->host);
    clean(user->command, sizeof user->command);
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

int remote_look(berth_view **result, const char *store, const char *name,
                const berth_options *options)
{
    char reason[STORE_REASON] = "";
    const struct store_operations *operations;
    int error = pool_name_check(name, options);
    if (error == 0)
        error = load(&operations);
    if (error != 0)
        return error;
    berth_view *view = calloc(1, sizeof *view);
    if (view == NULL)
        return pool_fail(ENOMEM, "there is no memory for what pool %s looks like", name);
    error = remote_explain(operations->look(view, store, name, reason), reason);
    if (error != 0) {
        berth_view_free(view);
        return error;
    }
    describe_all(view);
    *result = view;
    return 0;
}

struct listing {
    int (*each)(const char *name, void *context);
    void *context;
    bool lanes;
};

/* Passes on what the store calls a pool, or a lane, unless none can have that name: any user of the
 * store may have written it. */
static int pass_on(const char *name, void *context)
{
    const struct listing *listing = context;
    return pool_name_is_allowed(name, listing->lanes) ? listing->each(name, listing->context) : 0;
}

int remote_list(const char *store, const berth_options *options,
                int (*each)(const char *name, void *context), void *context)
{
    char reason[STORE_REASON] = "";
    const struct store_operations *operations;
    struct listing listing = {each, context, (options->flags & STORE_LANE) != 0};
    const int error = load(&operations);
    return error != 0 ? error
                      : remote_explain(operations->list(store, pass_on, &listing, reason), reason);
}

int remote_remove(const char *store, const char *name, const berth_options *options)
{
    char reason[STORE_REASON] = "";
    const struct store_operations *operations;
    int error = pool_name_check(name, options);
    if (error == 0)
        error = load(&operations);
    return error != 0 ? error : remote_explain(operations->remove(store, name, reason), reason);
}
