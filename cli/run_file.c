#include "run.h"

#include "cli.h"

#include <errno.h>

/* A pool in a file is lost if somebody deletes the file: newcomers make another one, and know
 * nothing of this command. That is said once, and the command goes on. */
struct timespec run_file_look(const struct run_child *child, void *context)
{
    struct run_file *file = context;
    (void)child;
    for (size_t i = 0; i < file->pools->count && !file->told; i++) {
        const struct run_pool *pool = &file->pools->pool[i];
        struct timespec left;
        if (berth_good_for(pool->handle, &pool->grants[0], &left) != EIDRM)
            continue;
        file->told = true;
        cli_error(
            CLI_OK,
            "run: the file of the pool %s has been deleted: others may run beside this command",
            pool->name);
    }
    return (struct timespec){.tv_sec = file->told ? 3600 : 1};
}
