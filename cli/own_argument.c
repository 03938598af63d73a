/*
 * Which argument of a command names a protocol file: the first that is neither an option nor the
 * value of one. No other is ever compiled, such as a file that is to be written. Which options have
 * a value, the help of the command says: the test cli/options compares it with what the command
 * takes.
 */
#include "cli.h"
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

enum reading { ABSENT, FLAG, HAS_VALUE };

/* Reads a line of the help: "  -n N, --number N   what it is". A long option may be cut short. */
static enum reading read_line(const char *line, size_t size, const char *option, size_t length)
{
    enum reading reading = ABSENT;
    for (size_t at = 2; at < size && (at == 2 || strncmp(line + at - 2, "  ", 2) != 0);) {
        const size_t size_of_word = strcspn(line + at, " ,\n");
        if (line[at] >= 'A' && line[at] <= 'Z')
            return reading == ABSENT ? ABSENT : HAS_VALUE;
        if (strncmp(line + at, option, length) == 0 && (size_of_word == length || option[1] == '-'))
            reading = FLAG;
        at += size_of_word + 1 + (line[at + size_of_word] == ',');
    }
    return reading;
}

/* Whether the help has `option`, of this length, and no value for it. An option that is not in the
 * help may be one that the protocol declares: those have values. */
static bool is_flag(const char *help, const char *option, size_t length)
{
    bool flag = strncmp("--help", option, length) == 0 || strncmp("-h", option, length) == 0;
    for (const char *line = help; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        const enum reading reading =
            strncmp(line, "  -", 3) == 0 ? read_line(line, size, option, length) : ABSENT;
        if (reading == HAS_VALUE)
            return false;
        flag = flag || reading == FLAG;
        line += size + (line[size] == '\n');
    }
    return flag;
}

/* Whether the next argument is the value of this one. */
static bool takes_next(const char *help, const char *argument)
{
    if (argument[1] == '-')
        return strchr(argument, '=') == NULL && !is_flag(help, argument, strlen(argument));
    for (const char *letter = argument + 1; *letter != '\0'; letter++) {
        const char option[] = {'-', *letter, '\0'};
        if (!is_flag(help, option, 2))
            return letter[1] == '\0'; /* else the rest is the value */
    }
    return false;
}

/* The first argument that is no option and no option's value; NULL: there is none. */
static const char *first_word(const char *help, int argc, char **argv)
{
    for (int a = 2; a < argc; a++) {
        if (strcmp(argv[a], "--") == 0)
            return a + 1 < argc ? argv[a + 1] : NULL;
        if (argv[a][0] != '-' || argv[a][1] == '\0')
            return argv[a];
        if (takes_next(help, argv[a]))
            a++;
    }
    return NULL;
}

const char *cli_own_argument(const struct cli_command *command, int argc, char **argv,
                             size_t *length)
{
    const char *named =
        takes_protocol(command->name) ? first_word(command->help, argc, argv) : NULL;
    if (named == NULL)
        return NULL;
    *length = strlen(named);
    if (*length > 2 && strcmp(named + *length - 2, ".c") == 0)
        return named;
    const char *end = strstr(named, ".c/");
    if (end == NULL || strchr(end + 3, '/') != NULL)
        return NULL;
    *length = (size_t)(end - named) + 2;
    return named;
}
