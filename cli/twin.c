/*
 * The command is linked statically, for it is started often and half of the time that takes would
 * be the dynamic linker's. But what is static can load neither the etcd store nor a protocol file
 * of the user's; and the laboratory is large. So there are twins, linked dynamically: berth-etcd,
 * which is the command with the store in it, and berth-lab, which has the laboratory's commands and
 * loads protocol files and the driver of a GPU. The command becomes one of them where it is needed.
 */
#include "cli.h"

#include "os/places.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_become(const char *program, char **argv)
{
    char self[PATH_MAX], path[PATH_MAX];
    if (os_places_self(self) && os_places_find(self, OS_PLACE_PROGRAMS, program, path))
        execv(path, argv);
}

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
    return store != NULL && store_is_etcd(store);
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

void cli_become_twin(int argc, char **argv)
{
    if (asks_for_etcd(argc, argv))
        cli_become("berth-etcd", argv);
}

/* `argv` begins at the subcommand; the program is the word before it, by whatever name it was
 * called. */
void cli_become_twin_for(const char *store, char **argv)
{
    if (is_etcd(store))
        cli_become("berth-etcd", argv - 1);
}

#endif
