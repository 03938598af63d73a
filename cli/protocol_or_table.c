/* What a command is about: a protocol of the catalogue, or a table from a file. */
#include "suggest.h"
#include "protocol_or_table.h"

#include <string.h>

int cli_system_find(const struct cli_command *command, struct cli_system *system, int names,
                    char **name, const char *path)
{
    char error[512];
    if (path != NULL && names > 0)
        return cli_usage(command, "a protocol or a table, not both");
    if (path != NULL) {
        system->is_table = table_load(&system->table, path, error, sizeof error);
        if (!system->is_table)
            return cli_error(CLI_USAGE, "%s", error);
        system->choice = table_choice(&system->table);
        system->params = table_params(&system->table);
        return CLI_OK;
    }
    if (names != 1)
        return cli_usage(command, names == 0 ? "a protocol is missing" : "one protocol at a time");
    if (!protocol_find(name[0], &system->choice))
        return cli_no_such_protocol(name[0]);
    const struct protocol *other = protocol_namesake(&system->choice);
    if (other != NULL)
        return cli_error(CLI_FAILED, "two protocols are called %s: %s and %s", other->name,
                         system->choice.protocol->file, other->file);
    system->params = protocol_defaults(&system->choice);
    return CLI_OK;
}

const char *cli_system_make(const struct cli_system *system, struct step_model *model)
{
    return system->is_table ? table_make(model, &system->table, &system->params)
                            : system->choice.model->make(model, &system->params);
}

void cli_system_free(struct cli_system *system)
{
    if (system->is_table)
        table_free(&system->table);
}
