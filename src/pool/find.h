/* A pool file that exists: opened, and trusted or not. */
#ifndef BERTH_POOL_FIND_H
#define BERTH_POOL_FIND_H

#include "pool/directory.h"
#include "pool/format.h"

#include <stdbool.h>

enum pool_purpose { POOL_TO_USE, POOL_TO_VIEW, POOL_TO_REMOVE };

struct pool_found {
    int fd; /* read-only for a view */
    struct pool_header header;
    struct pool_geometry geometry;
    bool is_dead;               /* pool_is_dead, or: */
    bool is_of_earlier_version; /* and nobody has it open; then there is no geometry */
};

/* Opens the file of the pool `name`, which has been checked. `mode`: the permissions that a file to
 * be used may have at most. ENOENT: there is none. EPERM, EPROTO: see berth_open. EIDRM: it was
 * removed just now, look again. The caller closes *found, if 0 is returned. */
int pool_find(struct pool_found *found, const struct pool_directory *directory, const char *name,
              enum pool_purpose purpose, unsigned mode);

/* Whether the pool was left behind by an earlier boot. Locks do not outlive a boot: where somebody
 * has a seat, it was not, whatever the boot ids say (some containers see an id of their own). */
bool pool_is_dead(int fd, const struct pool_header *header);

#endif
