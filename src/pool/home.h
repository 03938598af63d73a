/* The home directory of the user that this process acts for. */
#ifndef BERTH_POOL_HOME_H
#define BERTH_POOL_HOME_H

#include <stdbool.h>
#include <stddef.h>

/* By /etc/passwd, so that a shell, cron, sudo and a service of one user come to the same answer,
 * whatever their environments; by $HOME for a user that is not in it. False: there is none that
 * exists and belongs to the user. */
bool pool_home(char *path, size_t size);

#endif
