/* Where the parts of berth find each other: its programs, libraries and data. All of them ask
 * here. */
#ifndef BERTH_OS_PLACES_H
#define BERTH_OS_PLACES_H

#include <limits.h>
#include <stdbool.h>

enum os_place {
    OS_PLACE_COMMAND,   /* berth itself */
    OS_PLACE_LIBRARIES, /* libberth, libberth-etcd */
    OS_PLACE_PROGRAMS,  /* what the command and the libraries start */
    OS_PLACE_DATA,
    OS_PLACES
};

/* The file of the program that is running, as the kernel knows it. False: it cannot be found
 * out. */
bool os_places_self(char path[PATH_MAX]);

/* The file, a program or a shared library, that the kernel mapped at `address`. What the dynamic
 * linker says of it is not asked: for a program that is argv[0], which its caller chooses. False:
 * it cannot be found out. */
bool os_places_of(const void *address, char path[PATH_MAX]);

/* `name` of that place, as seen from the file `self`, a path without links: where it belongs in the
 * installation that `self` is part of; or beside it, if that is the folder of the build. False:
 * there is none; `path` is where it should be. */
bool os_places_find(const char *self, enum os_place place, const char *name, char path[PATH_MAX]);

#endif
