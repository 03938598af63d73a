/* A new pool file. It gets its name when everything is in it, and not before. */
#ifndef BERTH_POOL_CREATE_H
#define BERTH_POOL_CREATE_H

#include "pool/directory.h"
#include "pool/file.h"

/* How a file comes into being before it has its name. */
enum pool_start {
    POOL_STARTS_NAMELESS, /* O_TMPFILE: a process that dies leaves nothing behind */
    /* Without O_TMPFILE: under a name that no pool can have. What a killed process leaves is
     * removed by the next one that creates a pool this way. */
    POOL_STARTS_HIDDEN,
};

/* Creates the pool `name`, which has been checked, as have the options. EEXIST, without a reason:
 * it exists. EOPNOTSUPP, also without: this way does not work here. */
int pool_create(struct pool_file *file, const struct pool_directory *directory, const char *name,
                const berth_options *options, pool_initialise *initialise, enum pool_start start);

#endif
