#include "jobserver/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what stands before the program ---- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Programs that start another one, which their arguments name. */
static bool is_prefix(const char *path)
{
    static const char *const known[] = {"chrt",   "eatmydata", "env",   "fakeroot",
                                        "ionice", "nice",      "nohup", "setsid",
                                        "stdbuf", "taskset",   "time",  "timeout"};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name_of(path), known[i]) == 0)
            return true;
    }
    return false;
}

/* Options, assignments, numbers, times and lists of processors: no program is called like that. A
 * value of another kind is taken for the program, and nothing is known of that. */
static bool is_no_program(const char *word)
{
    return word[0] == '-' || isdigit((unsigned char)word[0]) || strchr(word, '=') != NULL;
}

static char **skip_prefixes(char **argv)
{
    while (*argv != NULL && is_prefix(*argv)) {
        do
            argv++;
        while (*argv != NULL && is_no_program(*argv));
    }
    return argv;
}

/* ---- cmake ---- */

/* The folder that `cmake --build FOLDER` is about. NULL: it is not that command. */
static const char *built_folder(char **argv)
{
    for (; *argv != NULL && strcmp(*argv, "--") != 0; argv++) {
        if (strcmp(*argv, "--build") == 0)
            return argv[1];
    }
    return NULL;
}

/* What it starts there is in the cache. */
static void read_cache(struct command *command, const char *folder)
{
    static const char entry[] = "CMAKE_MAKE_PROGRAM:";
    char path[COMMAND_PATH], line[COMMAND_PATH];
    const int length = snprintf(path, sizeof path, "%s/CMakeCache.txt", folder);
    FILE *cache = length >= 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    while (cache != NULL && fgets(line, sizeof line, cache) != NULL) {
        const char *value = strchr(line, '=');
        if (strncmp(line, entry, sizeof entry - 1) != 0 || value == NULL)
            continue;
        snprintf(command->path, sizeof command->path, "%.*s", (int)strcspn(value + 1, "\n"),
                 value + 1);
        command->program = flags_program(command->path);
    }
    if (cache != NULL)
        fclose(cache);
}

static bool is_number(const char *text)
{
    return text != NULL && *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* The number of a word like -j4 or --parallel=4; NULL: it is none of these. */
static const char *number_of(const char *word)
{
    static const char *const options[] = {"--parallel=", "--parallel", "-j"};
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        const size_t length = strlen(options[i]);
        if (strncmp(word, options[i], length) == 0 &&
            (word[length] == '\0' || is_number(word + length)))
            return word + length;
    }
    return NULL;
}

static unsigned take_from_cmake(char **argv)
{
    unsigned long jobs = 0;
    char **from = argv + 1, **to = from;
    while (*from != NULL && strcmp(*from, "--") != 0) {
        const char *number = number_of(*from);
        if (number == NULL) {
            *to++ = *from++;
            continue;
        }
        from++;
        if (*number == '\0' && is_number(*from))
            number = *from++;
        jobs = strtoul(number, NULL, 10);
    }
    char **rest = to;
    while (*from != NULL)
        *to++ = *from++;
    *to = NULL;
    const unsigned native = flags_take_jobs(FLAGS_MAKE, rest); /* ninja has the same -j */
    return native > 0 ? native : jobs < 1000000 ? (unsigned)jobs : 1000000;
}

/* ---- from outside ---- */

void command_find(struct command *command, char **argv)
{
    *command = (struct command){.argv = skip_prefixes(argv)};
    if (*command->argv == NULL)
        return;
    const char *folder =
        strcmp(name_of(*command->argv), "cmake") == 0 ? built_folder(command->argv) : NULL;
    command->by_cmake = folder != NULL;
    if (command->by_cmake) {
        read_cache(command, folder);
        return;
    }
    command->program = flags_program(*command->argv);
    if (command->program != FLAGS_OTHER)
        snprintf(command->path, sizeof command->path, "%s", *command->argv);
}

unsigned command_take_jobs(const struct command *command)
{
    return command->by_cmake ? take_from_cmake(command->argv)
                             : flags_take_jobs(command->program, command->argv);
}
