/* How a holder learns that its pool's file has been deleted. */
#ifndef BERTH_POOL_FILE_LOST_H
#define BERTH_POOL_FILE_LOST_H

#include "pool/file.h"

/* EIDRM, if the file has lost its name; EBADF, if the descriptor is another file's. `fd`, if it is
 * not -1, is readable afterwards only if something has happened since. */
int lost_check(const struct pool_file *file, int fd);

/* A descriptor that becomes readable when the file loses its name, made the first time and kept in
 * *kept; -1 if there is none. */
int lost_fd(_Atomic(int) *kept, const struct pool_file *file);

/* Closes a descriptor of lost_fd; or, where it is a parent's, the copy that fork has made. If the
 * program has another file there by now, nothing is closed. */
void lost_fd_close(int fd, bool is_mine);

#endif
