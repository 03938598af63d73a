/* Loading the etcd store: in the shared libberth and in the guardian, where there is a dynamic
 * linker. What is linked statically has none, and does without this file. */
#include "store/loader.h"

#include "os/places.h"

#include <dlfcn.h>
#include <stdlib.h>

static char here; /* an address in this library, or in the program that it is linked into */

/* That of the same installation, if there is one; otherwise the dynamic linker may know one. */
static void *load(void)
{
    Dl_info info;
    char self[PATH_MAX], path[PATH_MAX];
    if (((dladdr(&here, &info) != 0 && realpath(info.dli_fname, self) != NULL) ||
         os_places_self(self)) &&
        os_places_find(self, OS_PLACE_LIBRARIES, STORE_ETCD_LIBRARY, path))
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return dlopen(STORE_ETCD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

const void *store_loader_symbol(const char *name, const char **why)
{
    void *library = load();
    const void *found = library != NULL ? dlsym(library, name) : NULL;
    if (found == NULL)
        *why = dlerror();
    return found;
}

const struct store_operations *store_loader(const char **why)
{
    return store_loader_symbol(STORE_ETCD_SYMBOL, why);
}
