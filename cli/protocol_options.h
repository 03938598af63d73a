/* What check, trace and explore are about: a protocol and its parameters, from the command line. */
#ifndef BERTH_CLI_PROTOCOL_OPTIONS_H
#define BERTH_CLI_PROTOCOL_OPTIONS_H

#include "cli.h"
#include "memory_options.h"

#include <getopt.h>

struct cli_subject {
    struct protocol_choice choice;
    struct step_params params;
    struct step_params given; /* UINT32_MAX: not given */
    bool fault_given;
    struct cli_choices choices; /* the parameters may point into it */
    struct cli_memory memory;
};

enum { CLI_OPTION_FAULT = 512, CLI_OPTION_LIMIT, CLI_OPTION_KILLS };
#define CLI_SUBJECT_SHORT "n:l:k:"
#define CLI_SUBJECT_LONG                                                                           \
    CLI_CHOICE_OPTIONS CLI_MEMORY_OPTIONS{"fault", required_argument, NULL, CLI_OPTION_FAULT},     \
        {"limit", required_argument, NULL, CLI_OPTION_LIMIT},                                      \
    {                                                                                              \
        "kills", required_argument, NULL, CLI_OPTION_KILLS                                         \
    }
#define CLI_SUBJECT_HELP                                                                           \
    "  -n N             processes\n"                                                               \
    "  -l L             slots\n"                                                                   \
    "  -k K             fewer than K processes may stop silently\n"                                \
    "  --fault FAULT    none, death, sleep or kill\n"                                              \
    "  --kills N        how many kills a run may have (fault kill)\n"                              \
    "  --limit N        where unbounded counters are cut off\n" CLI_CHOICE_HELP CLI_MEMORY_HELP

void cli_subject_begin(struct cli_subject *subject);

enum cli_taken { CLI_NOT_MINE, CLI_TAKEN, CLI_BAD };
/* One option, as getopt_long found it; what is wrong with a bad one has been said. */
enum cli_taken cli_subject_option(struct cli_subject *subject, const struct cli_command *command,
                                  int option, const char *argument);

/* What was given, over what the protocol has when nothing is said. CLI_OK, or the status after a
 * message. */
int cli_subject_apply(const struct cli_subject *subject, const struct protocol *protocol,
                      struct step_params *params);
/* After all options, since they depend on the protocol. CLI_OK, or the status after a message. */
int cli_subject_resolve(struct cli_subject *subject, const char *protocol);

#endif
