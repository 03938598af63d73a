/* Taking a pool's name away. */
#ifndef BERTH_POOL_REMOVAL_H
#define BERTH_POOL_REMOVAL_H

#include "pool/directory.h"
#include "pool/find.h"

/* Takes the file's name away, provided that nobody has a seat in it: EBUSY, with the reason, if
 * somebody has, or another is at this very moment removing it. EIDRM: the name refers to another
 * file by now, or to none. In any case the caller still closes *found. */
int pool_retire(const struct pool_directory *directory, const char *name,
                const struct pool_found *found);

/* 0 if the name refers to the file `fd`; EIDRM if to another one, or to none. */
int pool_has_name(const struct pool_directory *directory, const char *name, int fd);

#endif
