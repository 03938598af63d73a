/* Programs of berth that this one becomes: they need the dynamic linker, and berth run does
 * without. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Beside the command, as it is built; and from bin to libexec, as it is installed. */
static const char *const places[] = {"", BERTH_LIBEXEC "/"};

int cli_become(const struct cli_command *command, const char *program, const char *needs,
               char **argv)
{
    char path[PATH_MAX + sizeof BERTH_LIBEXEC + 64];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    if (length < 0 || length >= PATH_MAX)
        return cli_error(CLI_FAILED, "%s: cannot find out where berth is: %s", command->name,
                         strerror(errno));
    path[length] = '\0';
    char *name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    const size_t room = (size_t)(path + sizeof path - name);
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(name, room, "%s%s", places[i], program);
        execv(path, argv);
        if (errno != ENOENT)
            return cli_error(CLI_FAILED, "%s: cannot run %s: %s", command->name, path,
                             strerror(errno));
    }
    return cli_error(CLI_FAILED, "%s: %s is not installed (it is left out of a build without %s)",
                     command->name, path, needs);
}
