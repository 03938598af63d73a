/*
 * Who may change a declared pool: root, the owner of its file, and the members of the group that
 * the declaration names as its admin. A courtesy: a user who may write to the file may do it with a
 * program of their own, and all who may use the pool may write to it.
 */
#include "admin.h"

#include "cli.h"
#include "where.h"

#include "store/store.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_owner(const char *store, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    const int length = snprintf(path, sizeof path, "%s/%s.berth", store, name);
    return length > 0 && (size_t)length < sizeof path && stat(path, &status) == 0 &&
           status.st_uid == geteuid();
}

static bool is_in(gid_t group)
{
    const int count = getgroups(0, NULL);
    gid_t *groups = count > 0 ? calloc((size_t)count, sizeof *groups) : NULL;
    bool found = getegid() == group;
    for (int i = 0; groups != NULL && i < getgroups(count, groups) && !found; i++)
        found = groups[i] == group;
    free(groups);
    return found;
}

int cli_check_admin(const struct cli_where *where, const struct cli_command *command,
                    const char *name)
{
    const struct cli_declared *declared = cli_where_declared(where, name);
    if (declared == NULL || geteuid() == 0)
        return CLI_OK;
    const char *store = cli_where_store(where, name);
    const bool in_etcd = store != NULL && store_is_etcd(store);
    if ((declared->has_admin && is_in(declared->admin)) || (in_etcd && !declared->has_admin))
        return CLI_OK;
    if (!in_etcd && (store == NULL || is_owner(store, name)))
        return CLI_OK; /* the default store is the user's own */
    return cli_error(CLI_FAILED,
                     "%s: pool %s is declared in %s, and is not yours: root%s may change it",
                     command->name, name, declared->file,
                     declared->has_admin ? ", its owner and its admin group"
                                         : " and its owner (admin = GROUP names others)");
}
