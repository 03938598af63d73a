/* What a command is about: a protocol of the catalogue, or a table from a file. */
#ifndef BERTH_CLI_PROTOCOL_OR_TABLE_H
#define BERTH_CLI_PROTOCOL_OR_TABLE_H

#include "cli.h"

#include "refute/table.h"

struct cli_system {
    struct protocol_choice choice;
    struct step_params params; /* those that it has when nothing else is said */
    struct table table;
    bool is_table;
};

/* By what is left of the arguments, or by `path`, if it is not NULL. Returns CLI_OK; else a line
 * has been printed. `system` must not be moved afterwards. */
int cli_system_find(const struct cli_command *command, struct cli_system *system, int names,
                    char **name, const char *path);
/* NULL, or a sentence that says why there is no model with system->params. */
const char *cli_system_make(const struct cli_system *system, struct step_model *model);
void cli_system_free(struct cli_system *system);

#endif
