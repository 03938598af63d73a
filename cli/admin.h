#ifndef BERTH_CLI_ADMIN_H
#define BERTH_CLI_ADMIN_H

struct cli_command;
struct cli_where;

/* Whether this user may change the number of slots of the pool: CLI_OK, or CLI_FAILED after saying
 * who may. Every user of a pool that is not declared may. */
int cli_check_admin(const struct cli_where *where, const struct cli_command *command,
                    const char *name);

#endif
