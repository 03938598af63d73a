/* What the kernel knows about a process that a seat names. */
#ifndef BERTH_POOL_OWNER_PROCESS_H
#define BERTH_POOL_OWNER_PROCESS_H

#include "berth.h"

/* Fills in who runs it and whether it is stopped, if it is one of this process's own namespace;
 * leaves it at "not known" otherwise. */
void pool_process_describe(berth_user *user, uint64_t pid_namespace);

#endif
