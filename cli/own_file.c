#include "own_file.h"

#include "cli.h"
#include "own_text.h"

#include "protocol/own.h"

#include <string.h>

#ifdef BERTH_LAB
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#endif

#ifdef BERTH_LAB
/* Says why the object of `path` cannot be loaded: `why` is what the loader says of it, such as
 * "...: undefined symbol: STEP_ALIVE". */
static int cannot_load(const char *path, const char *why)
{
    static const char undefined[] = "undefined symbol: ";
    const char *symbol = strstr(why, undefined);
    char text[PATH_MAX + 256];
    if (symbol == NULL)
        return cli_error(CLI_USAGE, "%s cannot be loaded: %s", path, why);
    symbol += sizeof undefined - 1;
    if (cli_own_missing(path, symbol, text, sizeof text))
        return cli_error(CLI_USAGE, "%s", text);
    return cli_error(CLI_USAGE, "%s uses %s, which it does not define", path, symbol);
}

int cli_own_load(const struct cli_command *command, int argc, char **argv)
{
    char path[PATH_MAX], object[PATH_MAX];
    size_t length;
    bool keep;
    const char *argument = cli_own_argument(command, argc, argv, &length);
    if (argument == NULL)
        return CLI_OK;
    if (length >= sizeof path)
        return cli_error(CLI_USAGE, "the name of the file is too long");
    memcpy(path, argument, length);
    path[length] = '\0';
    const int status = cli_own_build(path, object, sizeof object, &keep);
    if (status != CLI_OK)
        return status;
    void *loaded = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    const char *why = loaded == NULL ? dlerror() : NULL;
    if (!keep) {
        unlink(object);
        rmdir(dirname(object));
    }
    if (loaded == NULL)
        return cannot_load(path, why);
    const struct protocol_model *const *model = dlsym(loaded, "berth_own_model");
    const struct protocol_native *const *native = dlsym(loaded, "berth_own_native");
    if (model == NULL || native == NULL)
        return cli_error(CLI_USAGE,
                         "%s is no protocol file: it does not end with "
                         "PROTOCOL(...) and #include \"step/end.h\"",
                         path);
    static char text[512];
    static char name[PATH_MAX];
    memcpy(name, path, length + 1);
    static struct protocol_model guarded;
    cli_own_guard(*model, &guarded);
    if (!protocol_own_register(name, &guarded, *native, text, sizeof text))
        return cli_error(CLI_USAGE, "%s: %s", path, text);
    return CLI_OK;
}
#else
int cli_own_load(const struct cli_command *command, int argc, char **argv)
{
    size_t length;
    const char *argument = cli_own_argument(command, argc, argv, &length);
    if (argument == NULL)
        return CLI_OK;
    return cli_error(CLI_FAILED, "%s: berth-lab, which runs protocol files, is not installed",
                     argument);
}
#endif
