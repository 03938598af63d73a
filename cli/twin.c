/*
 * The command is linked statically, for it is started often and half of the time that takes would be
 * the dynamic linker's. But what is static can load neither the etcd store nor a protocol file of the user's. So
 * there are twins, of the same sources, linked dynamically: berth-etcd with the store in it, and
 * berth-lab, which loads protocol files, and the driver of a GPU. The command becomes one of them where it is needed.
 */
#include "cli.h"
#include "own.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(BERTH_TWIN) || defined(BERTH_LAB)

void cli_become_twin(int argc, char **argv)
{
    (void)argc, (void)argv;
}

void cli_become_twin_for(const char *store, char **argv)
{
    (void)store, (void)argv;
}

#else

static bool is_etcd(const char *store)
{
    return store != NULL && strncmp(store, "etcd://", 7) == 0;
}

/* --store ADDRESS or --store=ADDRESS, or as short as getopt allows; up to "--". */
static bool asks_for_etcd(int argc, char **argv)
{
    for (int a = 1; a < argc && strcmp(argv[a], "--") != 0; a++) {
        const char *equals = strchr(argv[a], '=');
        const size_t length = equals != NULL ? (size_t)(equals - argv[a]) : strlen(argv[a]);
        if (length < strlen("--s") || length > strlen("--store") ||
            strncmp(argv[a], "--store", length) != 0)
            continue;
        if (is_etcd(equals != NULL ? equals + 1 : argv[a + 1]))
            return true;
    }
    return is_etcd(secure_getenv("BERTH_STORE"));
}

/* The driver of a GPU is a library. */
static bool asks_for_gpu(int argc, char **argv)
{
    for (int a = 2; a < argc && strcmp(argv[1], "check") == 0 && strcmp(argv[a], "--") != 0; a++) {
        if (strcmp(argv[a], "--gpu") == 0 || strcmp(argv[a], "--gp") == 0 ||
            strcmp(argv[a], "--g") == 0)
            return true;
    }
    return false;
}

static void become(const char *twin, char **argv)
{
    static const char *const places[] = {"", "../libexec/berth/"};
    char folder[PATH_MAX], path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length <= 0)
        return;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return;
    slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int size = snprintf(path, sizeof path, "%s%s%s", folder, places[i], twin);
        if (size > 0 && (size_t)size < sizeof path)
            execv(path, argv);
    }
}

void cli_become_twin(int argc, char **argv)
{
    size_t length;
    if (cli_own_argument(argc, argv, &length) != NULL || asks_for_gpu(argc, argv))
        become("berth-lab", argv);
    else if (asks_for_etcd(argc, argv))
        become("berth-etcd", argv);
}

/* The subcommand has moved on by one word, and main may be asked for by any name. */
void cli_become_twin_for(const char *store, char **argv)
{
    if (is_etcd(store))
        become("berth-etcd", argv - 1);
}

#endif
