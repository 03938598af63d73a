/* What the kernel knows about a process that a seat names. */
#ifndef BERTH_POOL_OWNER_PROCESS_H
#define BERTH_POOL_OWNER_PROCESS_H

#include "berth.h"

struct pool_file;
struct pool_seat;

/* Fills in who runs it and whether it is stopped, if it is one of this process's own namespace;
 * leaves it at "not known" otherwise. */
void pool_process_describe(berth_user *user, uint64_t pid_namespace);

/* The same for a seat. Its number is what somebody wrote: it is sure only if that process has the
 * file open, or is a child of one that has, the seat's owner. Root can see that, and the user of
 * these processes; where it can be seen that it is not so, the user is not known. */
void pool_process_of_seat(berth_user *user, const struct pool_file *file,
                          const struct pool_seat *seat);

#endif
