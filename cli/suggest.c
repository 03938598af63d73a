/* "Did you mean": the nearest of the words that would have been understood. */
#include "suggest.h"

#include <getopt.h>
#include <string.h>

enum { LONGEST = 64 };

/* ---- how far apart two words are ---- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters to insert, delete, replace, or exchange with their neighbour. */
static unsigned distance(const char *from, const char *to)
{
    const size_t width = strlen(to);
    unsigned row[3][LONGEST + 1]; /* the one before the last, the last, and this one */
    for (unsigned j = 0; j <= width; j++)
        row[1][j] = j;
    for (size_t i = 1; from[i - 1] != '\0'; i++) {
        unsigned *before = row[(i + 2) % 3], *last = row[i % 3], *now = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= width; j++) {
            const unsigned replaced = last[j - 1] + (from[i - 1] != to[j - 1]);
            now[j] = least(replaced, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[(strlen(from) + 1) % 3][width];
}

/* ---- the nearest ---- */

void cli_suggest(struct cli_suggestion *suggestion, const char *known)
{
    const char *given = suggestion->word;
    if (strlen(given) > LONGEST || strlen(known) >= sizeof suggestion->nearest ||
        strlen(known) > LONGEST)
        return;
    const unsigned apart = distance(given, known);
    const unsigned most = strlen(given) < 4 ? 1 : (unsigned)strlen(given) / 3;
    if (apart > most || apart >= strlen(given) ||
        (suggestion->nearest[0] != '\0' && apart >= suggestion->apart))
        return;
    suggestion->apart = apart;
    memcpy(suggestion->nearest, known, strlen(known) + 1);
}

const char *cli_suggested(struct cli_suggestion *suggestion)
{
    if (suggestion->nearest[0] == '\0')
        return "";
    snprintf(suggestion->text, sizeof suggestion->text, "; did you mean %s?", suggestion->nearest);
    return suggestion->text;
}

/* ---- options, as the command's help has them ---- */

/* The next word of the help that is an option; NULL after the last. */
static const char *next_option(const char *text, char name[LONGEST + 1])
{
    static const char letters[] = "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (const char *help = strchr(text, '-'); help != NULL; help = strchr(help, '-')) {
        const size_t length = strspn(help, letters);
        const bool starts_a_word = help > text && (help[-1] == ' ' || help[-1] == '[');
        if (starts_a_word && length > 1 && length <= LONGEST) {
            memcpy(name, help, length);
            name[length] = '\0';
            return help + length;
        }
        help += length;
    }
    return NULL;
}

static bool is_letter_of(const struct cli_command *command, int letter)
{
    char name[LONGEST + 1];
    const char *help = command->help;
    while ((help = next_option(help, name)) != NULL) {
        if (name[0] == '-' && name[1] == letter && name[2] == '\0')
            return true;
    }
    return false;
}

int cli_unknown_option(const struct cli_command *command, char **argv)
{
    const char *given = argv[optind - 1], *help = command->help;
    char name[LONGEST + 1], known[LONGEST + 1];
    const bool is_long = strncmp(given, "--", 2) == 0;
    if (is_long ? optopt != 0 : is_letter_of(command, optopt))
        return cli_usage(command, "%s %s", given,
                         is_long && strchr(given, '=') != NULL ? "takes no argument"
                                                               : "needs an argument");
    if (!is_long)
        return cli_usage(command, "unknown option: -%c", optopt);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    struct cli_suggestion suggestion = {.word = name};
    while ((help = next_option(help, known)) != NULL)
        cli_suggest(&suggestion, known);
    for (unsigned i = 0;
         command->paper_option_name != NULL && command->paper_option_name(i, known, sizeof known);
         i++)
        cli_suggest(&suggestion, known);
    return cli_usage(command, "unknown option: %s%s", name, cli_suggested(&suggestion));
}
