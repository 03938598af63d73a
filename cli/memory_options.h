/* What memory does, from the command line (step/memory.h): the options of check, trace and
 * explore. */
#ifndef BERTH_CLI_MEMORY_OPTIONS_H
#define BERTH_CLI_MEMORY_OPTIONS_H

#include "cli.h"

#include "step/memory.h"

enum {
    CLI_OPTION_MEMORY_MODEL = 2048,
    CLI_OPTION_BUFFER,
    CLI_OPTION_REGISTERS,
    CLI_OPTION_RMR,
    CLI_OPTION_PASSAGES,
};
#define CLI_MEMORY_OPTIONS                                                                         \
    {"memory-model", required_argument, NULL, CLI_OPTION_MEMORY_MODEL},                            \
        {"buffer", required_argument, NULL, CLI_OPTION_BUFFER},                                    \
        {"registers", required_argument, NULL, CLI_OPTION_REGISTERS},                              \
        {"rmr", required_argument, NULL, CLI_OPTION_RMR},                                          \
        {"passages", required_argument, NULL, CLI_OPTION_PASSAGES},
#define CLI_MEMORY_HELP                                                                            \
    "  --memory-model M\n"                                                                         \
    "                   sc; tso: stores wait in buffers; native: as the program is compiled,\n"    \
    "                   where only WRITE_LATE waits\n"                                             \
    "  --buffer N       how many stores of a process may wait (2)\n"                               \
    "  --registers R    atomic, regular or safe: what a read gives while the owner writes\n"       \
    "  --rmr M          count remote references, with caches (cc) or memory that is\n"             \
    "                   distributed (dsm)\n"                                                       \
    "  --passages N     no process leaves its remainder more than N times\n"

struct cli_memory {
    enum step_memory_model model;
    enum step_register_kind registers;
    enum step_remote remote;
    unsigned buffer, passages; /* 0: not given */
};

/* One option; CLI_OK, or a status after saying what is wrong. */
int cli_take_memory(const struct cli_command *command, int option, const char *text,
                    struct cli_memory *memory);
/* `limited`: a limit of the counters was given. */
int cli_apply_memory(const struct cli_memory *memory, const struct protocol *protocol,
                     struct step_params *params, bool limited);

/* " memory-model=tso buffer=2", and the same for a program. */
void cli_print_memory(const struct step_params *params);
void cli_add_memory(json_t *object, const struct step_model *model);

#endif
