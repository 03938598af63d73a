/* "Did you mean": the nearest of the words that would have been understood. */
#ifndef BERTH_CLI_SUGGEST_H
#define BERTH_CLI_SUGGEST_H

#include "cli.h"

struct cli_suggestion {
    const char *word; /* that was not understood; the rest starts as zero */
    unsigned apart;
    char nearest[80];
    char text[112];
};

/* Offers a word that would have been understood. */
void cli_suggest(struct cli_suggestion *suggestion, const char *known);

/* "; did you mean ...?", or nothing where none is near. */
const char *cli_suggested(struct cli_suggestion *suggestion);

/* After getopt_long gave '?': says what is wrong with the option, and gives CLI_USAGE. */
int cli_unknown_option(const struct cli_command *command, char **argv);

/* unknown.c: say that there is no such thing, with the nearest that there is; CLI_USAGE. */
int cli_no_such_protocol(const char *name);
int cli_no_such_property(const struct cli_command *command, const char *name);

#endif
