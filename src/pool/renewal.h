/*
 * Renews a pool of an earlier boot in place: it stays the pool that it was, with its number of
 * slots and its mode, and only permission to write to the file is needed.
 */
#ifndef BERTH_POOL_RENEWAL_H
#define BERTH_POOL_RENEWAL_H

#include "pool/file.h"
#include "pool/find.h"

/* Clears the pool that was found dead; it keeps its number of slots, and its tokens go on growing.
 * EIDRM: look at it again, it has been renewed by now. Otherwise why it cannot be, with the reason.
 * The caller still closes *found. */
int pool_renew(const struct pool_found *found, const char *name, pool_initialise *initialise);

/* Whether that has happened since the file was mapped: what was read from its header is out of
 * date. */
bool pool_was_renewed(const struct pool_file *file);

#endif
