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

/* The file of the program that is running. False: it cannot be found out. */
bool os_places_self(char path[PATH_MAX]);

/* `name` of that place, as seen from the file `self`, a path without links: beside it, as in the
 * build; or where it belongs in the installation that `self` is part of. False: there is none;
 * `path` is where it should be. */
bool os_places_find(const char *self, enum os_place place, const char *name, char path[PATH_MAX]);

#endif
