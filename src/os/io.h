/* Opening, reading and writing files, with interruptions and short transfers handled. */
#ifndef BERTH_OS_IO_H
#define BERTH_OS_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* openat, close-on-exec, and with a descriptor that is not one of the three standard ones even
 * where those are closed: what a program prints must not end up in this file. -1: errno says
 * why. */
int os_open(int directory, const char *name, int flags, mode_t mode);

/* Reads up to `size` bytes from `offset` on; fewer only at the end of the file. -1: errno says
 * why. */
ssize_t os_read(int fd, void *buffer, size_t size, int64_t offset);

/* Writes all of it: 0 or an errno value. */
int os_write(int fd, const void *buffer, size_t size, int64_t offset);

#endif
