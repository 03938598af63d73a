#include "os/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_of(const char *assignment, const char *name, size_t length)
{
    return strncmp(assignment, name, length) == 0 && assignment[length] == '=';
}

/* A new list, without that name, and with `assignment`, unless that is NULL. The old one stays: a
 * thread may be reading it, and nobody can tell until when. */
static int replace(const char *name, size_t length, char *assignment)
{
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    char **list = malloc((count + 2) * sizeof *list);
    if (list == NULL)
        return ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!is_of(environ[i], name, length))
            list[kept++] = environ[i];
    }
    if (assignment != NULL)
        list[kept++] = assignment;
    list[kept] = NULL;
    __atomic_store_n(&environ, list, __ATOMIC_RELEASE);
    return 0;
}

int os_environment_put(char *assignment)
{
    return replace(assignment, strcspn(assignment, "="), assignment);
}

int os_environment_set(const char *name, const char *value)
{
    char *assignment;
    if (asprintf(&assignment, "%s=%s", name, value) < 0)
        return ENOMEM;
    const int error = os_environment_put(assignment);
    if (error != 0)
        free(assignment);
    return error;
}

int os_environment_unset(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; environ != NULL && environ[i] != NULL; i++) {
        if (is_of(environ[i], name, length))
            return replace(name, length, NULL);
    }
    return 0;
}

int os_environment_erase(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; environ != NULL && environ[i] != NULL; i++) {
        if (is_of(environ[i], name, length))
            explicit_bzero(environ[i] + length + 1, strlen(environ[i] + length + 1));
    }
    return os_environment_unset(name);
}
