/* Pools that cannot be shown, among others that can. */
#include "pool_command.h"

#include <errno.h>

int cli_not_shown(const struct cli_command *command, const char *name, int error, json_t *damaged,
                  int *status)
{
    if (error != EPROTO) {
        *status = cli_pool_failed(command, error);
        return 0;
    }
    cli_error(CLI_OK, "%s: %s (berth rm --force %s removes it)", command->name, berth_reason(),
              name);
    if (damaged == NULL)
        return 0;
    json_t *row = json_pack("{s:s, s:s}", "pool", name, "reason", berth_reason());
    return json_array_append_new(damaged, row) == 0 ? 0 : ENOMEM;
}

int cli_print_pools(json_t *pools, json_t *damaged)
{
    json_t *whole = json_pack("{s:o}", "pools", pools);
    if (json_array_size(damaged) > 0)
        json_object_set(whole, "damaged", damaged);
    json_decref(damaged);
    return cli_print_json(whole);
}
