/* Loading the etcd store: in the shared libberth and in the guardian, where there is a dynamic linker.
 * What is linked statically has none, and does without this file. */
#include "store/loader.h"

#include <dlfcn.h>

const struct store_operations *store_loader(const char **why)
{
    void *library = dlopen(STORE_ETCD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    const struct store_operations *found =
        library != NULL ? dlsym(library, STORE_ETCD_SYMBOL) : NULL;
    if (found == NULL)
        *why = dlerror();
    return found;
}
