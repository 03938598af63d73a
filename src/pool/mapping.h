/* A pool file in memory. */
#ifndef BERTH_POOL_MAPPING_H
#define BERTH_POOL_MAPPING_H

#include "pool/file.h"

/* Maps the file `fd`, whose header has been checked, and fills in *file, which owns `fd` from then
 * on. If that fails, the caller still owns `fd`. 0 or an errno value; no text for
 * berth_reason. */
int pool_map(struct pool_file *file, int fd, const struct pool_header *header,
             const struct pool_geometry *geometry, bool writable);

#endif
