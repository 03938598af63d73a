/* The part of loading that only some programs have: see load.c. */
#ifndef BERTH_STORE_LOADER_H
#define BERTH_STORE_LOADER_H

#include "store/store.h"

/* The operations of STORE_ETCD_LIBRARY; or NULL, and why. */
const struct store_operations *store_loader(const char **why);
/* Anything else that it has by a name. */
const void *store_loader_symbol(const char *name, const char **why);

#endif
