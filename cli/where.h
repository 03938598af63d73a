/* Which store a pool is in: the one that is asked for, or the one that it is declared in, or the
 * default. */
#ifndef BERTH_CLI_WHERE_H
#define BERTH_CLI_WHERE_H

#include "declared.h"

struct cli_command;

struct cli_where {
    const char *asked; /* --store; NULL: not given */
    struct cli_declarations all;
    char **argv; /* of the subcommand */
};

/* Where a pool turns out to be declared in etcd, the command's twin is called with `argv`; NULL:
 * this program needs none. */
void cli_where_open(struct cli_where *where, const char *asked, char **argv);
void cli_where_close(struct cli_where *where);

/* What is declared about the pool, if it is the one that is meant; NULL: nothing. */
const struct cli_declared *cli_where_declared(const struct cli_where *where, const char *name);

/* CLI_OK, or what is wrong with what is declared about the pool, printed. */
int cli_where_check(const struct cli_where *where, const struct cli_command *command,
                    const char *name);

/* Its store, for berth_options; NULL: the default. */
const char *cli_where_store(const struct cli_where *where, const char *name);
/* Whether `berth rm --force` removes what is no pool: not from etcd, where it may be anybody's. */
bool cli_where_has_force(const struct cli_where *where, const char *name);

/* Calls `each` for all pools that a user would name: those of the store that was asked for; or
 * those of the default store, and those that are declared and exist. In alphabetical order, as far
 * as `each` gives 0. */
int cli_where_each(const struct cli_where *where,
                   int (*each)(const char *name, const char *store, void *context), void *context);

/* Gives a pool another number of slots; anyone may who may write to it, also when all seats are
 * taken. A status; *former is how many it had. */
int cli_where_resize(const struct cli_where *where, const struct cli_command *command,
                     const char *name, unsigned slots, unsigned *former);

/* Prints why a library's call about a pool failed, as cli_pool_failed; and where no pool has this
 * name, the nearest one that there is. */
int cli_where_failed(const struct cli_where *where, const struct cli_command *command,
                     const char *name, int error);

#endif
