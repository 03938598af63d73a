/*
 * The folders are those that the build was configured with (cmake/places.cmake), each below the
 * prefix or absolute. What lies beside the calling file counts in the folder of the build alone: in
 * an installation it would be whatever somebody put there. The prefix is known only when it is
 * installed, and a tree may be moved; so it is not compiled in, but found from the folder of the
 * calling file.
 */
#include "os/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const folders[OS_PLACES] = {
    [OS_PLACE_COMMAND] = BERTH_PLACE_COMMAND,
    [OS_PLACE_LIBRARIES] = BERTH_PLACE_LIBRARIES,
    [OS_PLACE_PROGRAMS] = BERTH_PLACE_PROGRAMS,
    [OS_PLACE_DATA] = BERTH_PLACE_DATA,
};

bool os_places_self(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    return path[0] == '/';
}

/* Reads a line of /proc/self/maps: "from-to rights offset device inode   path". */
static bool covers(const char *line, uintptr_t address, const char **path)
{
    uintptr_t from, to;
    *path = strchr(line, '/');
    return sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2 && address >= from &&
           address < to && *path != NULL;
}

bool os_places_of(const void *address, char path[PATH_MAX])
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    const char *found;
    size_t room = 0;
    bool known = false;
    while (maps != NULL && !known && getline(&line, &room, maps) > 0) {
        if (!covers(line, (uintptr_t)address, &found))
            continue;
        const int size = snprintf(path, PATH_MAX, "%.*s", (int)strcspn(found, "\n"), found);
        known = size > 0 && size < PATH_MAX;
    }
    free(line);
    if (maps != NULL)
        fclose(maps);
    return known;
}

static bool join(char path[PATH_MAX], const char *above, const char *below, const char *name)
{
    const int size = snprintf(path, PATH_MAX, "%s/%s%s%s", above, below,
                              below[0] != '\0' && name[0] != '\0' ? "/" : "", name);
    return size > 0 && size < PATH_MAX;
}

static bool is_same(const char *one, const char *other)
{
    struct stat first, second;
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Programs and libraries are files: a folder of that name is not what is looked for. */
static bool is_there(const char *path, enum os_place place)
{
    struct stat status;
    return stat(path, &status) == 0 && (place == OS_PLACE_DATA || S_ISREG(status.st_mode));
}

/* Cuts as many names off the end of `folder` as `below` has; false: it has fewer. */
static bool climb(char *folder, const char *below)
{
    for (const char *rest = below; rest != NULL; rest = strchr(rest + 1, '/')) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    return true;
}

/* The prefix of the installation in which `folder` is one of those that files ask from. */
static bool find_prefix(const char *folder, char prefix[PATH_MAX])
{
    char path[PATH_MAX];
    for (unsigned place = 0; place < OS_PLACE_DATA; place++) {
        if (folders[place][0] == '/') {
            snprintf(prefix, PATH_MAX, "%s", BERTH_PLACE_PREFIX);
            if (is_same(folder, folders[place]))
                return true;
            continue;
        }
        snprintf(prefix, PATH_MAX, "%s", folder);
        if (climb(prefix, folders[place]) && join(path, prefix, folders[place], "") &&
            is_same(folder, path))
            return true;
    }
    return false;
}

bool os_places_find(const char *self, enum os_place place, const char *name, char path[PATH_MAX])
{
    char folder[PATH_MAX], prefix[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", self);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    if (is_same(folder, BERTH_PLACE_BUILD) &&
        join(path, folder, place == OS_PLACE_DATA ? "share/berth" : "", name) &&
        is_there(path, place))
        return true;
    if (folders[place][0] == '/')
        return join(path, "", folders[place] + 1, name) && is_there(path, place);
    if (find_prefix(folder, prefix))
        return join(path, prefix, folders[place], name) && is_there(path, place);
    snprintf(path, PATH_MAX, "%s", name); /* there is no installation that it could be in */
    return false;
}
