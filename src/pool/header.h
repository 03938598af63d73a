/* The header of a pool file: made, and checked field by field. */
#ifndef BERTH_POOL_HEADER_H
#define BERTH_POOL_HEADER_H

#include "pool/format.h"

#include <stdbool.h>

/* A new pool's, of this moment and this boot. */
void pool_header_make(struct pool_header *header, const char *name,
                      const struct pool_geometry *geometry);

/* Reads what there is of the header of `fd`; the rest is zero. 0 or an errno value, without a
 * reason. */
int pool_header_read(int fd, struct pool_header *header);

/* Whether it is that of the pool `name`, in a file of `size` bytes: *geometry is then what the file
 * looks like. EPROTO and the reason if it is not; `path` is for the reason. */
int pool_header_check(const struct pool_header *header, const char *name, uint64_t size,
                      const char *path, struct pool_geometry *geometry);

/* Whether it is a pool, of a version before this one. */
bool pool_header_is_of_earlier_version(const struct pool_header *header);

/* Whether the header was written under another boot id than this process sees. Where one of the two
 * is not known, it was not. */
bool pool_header_is_of_other_boot(const struct pool_header *header);

#endif
