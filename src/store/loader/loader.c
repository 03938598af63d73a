/* Loading the etcd store: in the shared libberth and in the guardian, where there is a dynamic
 * linker. What is linked statically has none, and does without this file. */
#include "store/loader.h"

#include "os/places.h"

#include <dlfcn.h>

/* An address in the file of this library, or of the program that it is linked into. */
static const char here = '\0';

/* That of the same installation, if there is one; otherwise the dynamic linker may know one. */
static void *load(void)
{
    char self[PATH_MAX], path[PATH_MAX];
    if (os_places_of(&here, self) &&
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
