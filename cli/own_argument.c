/* Which argument of a command names a protocol file. */
#include "own_file.h"

#include <stdbool.h>
#include <string.h>

/* The commands that take a protocol. */
static bool takes_protocol(const char *command)
{
    static const char *const commands[] = {"check",  "trace", "explore",   "space",
                                           "stress", "bench", "protocols", "prove"};
    for (size_t c = 0; c < sizeof commands / sizeof commands[0]; c++) {
        if (strcmp(commands[c], command) == 0)
            return true;
    }
    return false;
}

const char *cli_own_argument(int argc, char **argv, size_t *length)
{
    if (argc < 3 || !takes_protocol(argv[1]))
        return NULL;
    for (int a = 2; a < argc; a++) {
        const size_t whole = strlen(argv[a]);
        if (argv[a][0] == '-')
            continue;
        if (whole > 2 && strcmp(argv[a] + whole - 2, ".c") == 0) {
            *length = whole;
            return argv[a];
        }
        const char *end = strstr(argv[a], ".c/");
        if (end != NULL && strchr(end + 3, '/') == NULL) {
            *length = (size_t)(end - argv[a]) + 2;
            return argv[a];
        }
    }
    return NULL;
}
