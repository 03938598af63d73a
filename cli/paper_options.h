/*
 * Options that protocol files declare (struct protocol_option): each command about protocols takes
 * those of all protocols, and the protocol says afterwards whether it has the option, and the
 * value.
 */
#ifndef BERTH_CLI_PAPER_OPTIONS_H
#define BERTH_CLI_PAPER_OPTIONS_H

#include "cli.h"

#include <getopt.h>

/* A command's table of options with those of the protocols after it, for getopt_long; NULL after a
 * message, which says that a protocol declares an option that the command has already. */
const struct option *cli_paper_options(const struct cli_command *command,
                                       const struct option *options);
/* Keeps what getopt_long found. The protocol may not be known yet, so nothing is checked. */
void cli_take_paper_option(const struct cli_command *command, int option, const char *text,
                           struct cli_choices *choices);
/* Sets what was given. CLI_OK, or the status after a message. */
int cli_apply_paper_options(const struct protocol *protocol, const struct cli_choices *choices,
                            struct step_params *params);
/* The name of the value that an option has. */
const char *cli_paper_value(const struct protocol *protocol, const struct step_params *params,
                            unsigned option);
/* "unbounded or bounded" */
void cli_paper_values(const struct protocol_option *option, char *text, size_t size);

#endif
