/* Making a pool that others are to use too. These give what the library gives, with its reason. */
#ifndef BERTH_CLI_MAKE_H
#define BERTH_CLI_MAKE_H

#include "declared.h"

/* Opens a pool, which is made if it does not exist; `group` gets it, unless it is NULL. EEXIST,
 * EPERM: there is one with another number of slots, or with more permission for others. */
int cli_make(berth_pool **pool, const char *name, const berth_options *options, const gid_t *group);

/* The same, as the pool is declared; what `options` says of slots is for where the declaration does
 * not say. */
int cli_make_declared(berth_pool **pool, const struct cli_declared *declared,
                      const berth_options *options);

/* Gives an open pool a group and a mode; NULL and 0: as it is. */
int cli_share(berth_pool *pool, const char *name, unsigned mode, const gid_t *group);

#endif
